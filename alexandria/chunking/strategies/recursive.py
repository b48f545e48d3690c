"""A baseline without a model: as many whole paragraphs as fit, or whole sentences of a longer paragraph.

The usual recursive splitter, but on whole sentences: those above the cap are already split when it begins.
"""

from dataclasses import dataclass
from typing import ClassVar

from alexandria.book.model import Boundary, Embeddings
from alexandria.chunking.packing import cut_into_windows, furthest_paragraph_cut
from alexandria.chunking.sizes import Sizes
from alexandria.chunking.strategy import check_count, check_order


@dataclass(frozen=True, slots=True)
class Recursive:
    """Cut at the last paragraph end that fits, otherwise at the last sentence end."""

    name: ClassVar[str] = "recursive"
    needs_embeddings: ClassVar[bool] = False
    min_words: ClassVar[int] = 0

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
                furthest_paragraph_cut,
                embeddings,
                sizes,
                max_words=self.max_words,
                overlap_words=self.overlap_words,
            )
        )

    def rule(self) -> str:
        """Return the rule in words."""
        return "last paragraph that fits"

    def cap(self) -> str:
        """Return the cap in words."""
        return f"{self.max_words:,} words"
