"""A baseline without a model: windows of about the same size that repeat a little of the one before.

Unlike recursive it does not look for paragraphs. A window holds whole sentences, and what it repeats counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from alexandria.book import Boundary, Embeddings, Reason
from alexandria.chunking.options import check_count, check_order
from alexandria.chunking.packing import last_cut, n_repeated
from alexandria.chunking.similarity import similarities_if_known
from alexandria.chunking.sizes import Sizes, running


@dataclass(frozen=True, slots=True)
class Fixed:
    """Cut where the next sentence would overfill the window."""

    name: ClassVar[str] = "fixed"
    needs_embeddings: ClassVar[bool] = False
    min_words: ClassVar[int] = 0

    max_words: int = 500
    """Words in a chunk, those that it repeats included."""
    overlap_words: int = 50
    """Words, as whole sentences, that a chunk repeats from the one before."""

    def __post_init__(self) -> None:
        check_count("max_words", self.max_words, least=1)
        check_count("overlap_words", self.overlap_words, least=0)
        check_order("overlap_words", self.overlap_words, "max_words", self.max_words)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts from the first sentence of each span to its last."""
        return tuple(self._pack(embeddings, sizes))

    def _pack(self, embeddings: Embeddings, sizes: Sizes) -> Iterator[Boundary]:
        similarities = similarities_if_known(embeddings)
        before = running(sizes.words)
        for begin, stop in sizes.spans():
            room = self.max_words
            while (cut := last_cut(before, begin, stop, room, sizes)) < stop:
                overlap = n_repeated(before, begin, cut, self.overlap_words)
                yield Boundary(cut - 1, float(similarities[cut - 1]), None, Reason.MAX_SIZE, overlap=overlap)
                begin, room = cut, self.max_words - int(before[cut] - before[cut - overlap])

    def rule(self) -> str:
        """Return the rule in words."""
        return "last sentence that fits"

    def cap(self) -> str:
        """Return the cap in words."""
        return f"{self.max_words:,} words"
