"""A baseline without a model: windows of about the same size that repeat the end of the previous one.

Unlike recursive, it ignores paragraphs. A window holds whole sentences, including those it repeats.
"""

from dataclasses import dataclass
from typing import ClassVar

from alexandria.book.model import Boundary, Embeddings
from alexandria.chunking.packing import cut_into_windows, furthest_cut
from alexandria.chunking.sizes import Sizes
from alexandria.chunking.strategy import check_count, check_order


@dataclass(frozen=True, slots=True)
class Fixed:
    """Cut where the next sentence would overfill the window."""

    name: ClassVar[str] = "fixed"
    needs_embeddings: ClassVar[bool] = False
    min_words: ClassVar[int] = 0
    furthest = staticmethod(furthest_cut)  # where a window ends

    max_words: int = 500
    """Words in a chunk, including those it repeats."""
    overlap_words: int = 50
    """Words that a chunk repeats from the previous one, in whole sentences."""

    def __post_init__(self) -> None:
        check_count("max_words", self.max_words, minimum=1)
        check_count("overlap_words", self.overlap_words, minimum=0)
        check_order("overlap_words", self.overlap_words, "max_words", self.max_words)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts from the first sentence of each span to its last."""
        return tuple(
            cut_into_windows(
                self.furthest, embeddings, sizes, max_words=self.max_words, overlap_words=self.overlap_words
            )
        )

    def rule(self) -> str:
        """Return the rule in words."""
        return "last sentence that fits"

    def cap(self) -> str:
        """Return the cap in words."""
        return f"{self.max_words:,} words"
