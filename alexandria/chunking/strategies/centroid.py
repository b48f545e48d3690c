"""Compare each sentence with the mean of its chunk, so that a topic cannot drift away step by step.

After knowledgebase's centroid matching (docs/descriptions.md); chunk size is measured in characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from alexandria.book.model import Boundary, Embeddings, Reason
from alexandria.chunking.sizes import Sizes, prefix_sums
from alexandria.chunking.strategy import check_between, check_count


@dataclass(frozen=True, slots=True)
class Centroid:
    """Cut before a sentence whose similarity to the running mean of its chunk is below the threshold."""

    name: ClassVar[str] = "centroid"
    needs_embeddings: ClassVar[bool] = True
    min_words: ClassVar[int] = 0

    threshold: float = 0.5
    """A sentence less similar to the mean of its chunk, in [−1, 1], begins the next."""
    max_chars: int = 1000
    """A chunk that the next sentence would take beyond this is cut, and a new mean begins."""
    max_words: int = 1200
    """No chunk holds more."""

    def __post_init__(self) -> None:
        check_between("threshold", self.threshold, -1, 1)
        check_count("max_chars", self.max_chars, minimum=1)
        check_count("max_words", self.max_words, minimum=1)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts of one pass over the sentences.

        The similarity of a cut is that of the sentence after it to the mean of the chunk before it.
        """
        if embeddings.shape[1] == 0:  # of an encoder without a model
            raise ValueError("a mean needs embeddings, and there are none")
        return tuple(self._scan(embeddings, sizes))

    def _scan(self, embeddings: Embeddings, sizes: Sizes) -> Iterator[Boundary]:
        """Yield the cuts of one pass over the sentences."""
        characters_before = prefix_sums(sizes.characters).tolist()
        for first, stop in sizes.spans():
            begin = first
            # The sum has the direction of the mean. float64, because it accumulates many float32 vectors.
            # A slice of one vector, not an index: without sentences, the only span is empty.
            total = embeddings[first:stop][:1].sum(axis=0, dtype=np.float64)  # (dim,)
            for i in range(first + 1, stop):
                similarity = _cosine(total, embeddings[i])
                cut = None
                if characters_before[i + 1] - characters_before[begin] > self.max_chars:
                    cut, reason = sizes.cut_before_headings(i, begin), Reason.MAX_SIZE
                elif similarity < self.threshold and sizes.may_begin[i]:
                    cut, reason = i, Reason.TOPIC
                if cut is not None:
                    yield Boundary(cut - 1, similarity, self.threshold, reason)
                    begin = cut
                    # Nothing, unless headings before sentence i have moved into the new chunk.
                    total = embeddings[begin:i].sum(axis=0, dtype=np.float64)
                total += embeddings[i]

    def rule(self) -> str:
        """Return the rule in words."""
        return "first sentence unlike the mean of its chunk"

    def cap(self) -> str:
        """Return the caps in words."""
        return f"{self.max_chars:,} characters or {self.max_words:,} words"


def _cosine(total: np.ndarray[tuple[int], np.dtype[np.float64]], vector: Embeddings) -> float:
    """Return the similarity of a vector of length 1 to a sum of vectors, or 0 if the sum cancels out."""
    length = float(np.sqrt(total @ total))
    return float(np.clip(total @ vector / length, -1.0, 1.0)) if length else 0.0
