"""Universal Semantic Chunking: cut at the first low similarity once there are enough words.

After Alexandria's own specification (docs/descriptions.md). The only state is the buffer, so a cut never
depends on later sentences.
"""

from dataclasses import dataclass
from typing import ClassVar

from alexandria.book.model import Boundary, Embeddings
from alexandria.chunking.similarity import neighbour_similarities
from alexandria.chunking.sizes import Sizes
from alexandria.chunking.strategy import check_between, check_count, check_order
from alexandria.chunking.threshold import cut_below_threshold


@dataclass(frozen=True, slots=True)
class UniversalSemantic:
    """Cut at the first similarity below threshold once the chunk holds min_words; never exceed max_words."""

    name: ClassVar[str] = "universal-semantic"
    needs_embeddings: ClassVar[bool] = True

    threshold: float = 0.5
    """A cut needs a lower similarity, in [−1, 1]."""
    min_words: int = 200
    """A chunk is not cut before it holds this many words."""
    max_words: int = 1200
    """No chunk holds more."""

    def __post_init__(self) -> None:
        """Check the options: raise OptionError for one that is out of its range."""
        check_between("threshold", self.threshold, -1, 1)
        check_count("min_words", self.min_words, minimum=0)
        check_count("max_words", self.max_words, minimum=1)
        check_order("min_words", self.min_words, "max_words", self.max_words)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts of one pass from the first sentence of each span to its last."""
        return tuple(
            cut_below_threshold(
                neighbour_similarities(embeddings),
                sizes,
                sizes.words,
                threshold=self.threshold,
                min_size=self.min_words,
                max_size=self.max_words,
            )
        )

    def rule(self) -> str:
        """Return the rule in words."""
        return f"first chance after {self.min_words:,} words"

    def cap(self) -> str:
        """Return the cap in words."""
        return f"{self.max_words:,} words"
