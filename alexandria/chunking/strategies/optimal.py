"""Find the best division of a section as a whole, where the other strategies decide one cut at a time.

From this project. A chunk is worth the length of the sum of its sentence vectors, minus a penalty for being a
chunk: the more its sentences point in one direction, the longer the sum, as in spherical k-means (Dhillon and
Modha 2001). Dynamic programming finds the division with the highest total worth, as for change points in a
signal (Jackson et al. 2005): exactly, in time n · (sentences in max_words) and in memory n.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Embeddings, Reason
from alexandria.chunking.options import check_between, check_count, check_order
from alexandria.chunking.similarity import neighbour_similarities
from alexandria.chunking.sizes import Sizes, prefix_sums

# Sentences per block of the table of sums: larger blocks waste pairs out of reach, smaller ones waste calls.
_BLOCK = 256
# More than any cut gains: a heading ends a chunk only if the cap leaves no alternative.
_HEADING_PENALTY = 1e5
# Worths are rounded to multiples of this. Their sums are then exact in float64 (2^53 of them are 8 million
# sentences), so that equal divisions tie on every machine; ties are broken for the longest last chunk.
_GRAIN = 2.0**-30


@dataclass(frozen=True, slots=True)
class Optimal:
    """Maximise Σ over chunks of (‖Σ rows‖ − penalty) − paragraph_penalty per cut inside a paragraph.

    The penalty is 1 − threshold: as in the other strategies, a sentence whose similarity to its chunk is
    below the threshold is worth more alone.
    """

    name: ClassVar[str] = "optimal"
    needs_embeddings: ClassVar[bool] = True

    threshold: float = 0.0
    """In [−9, 1]; the penalty is 1 − threshold, so a lower threshold gives fewer cuts."""
    paragraph_penalty: float = 0.5
    """What a cut inside a paragraph must gain in addition."""
    min_words: int = 50
    """Every word by which a chunk falls short costs 1, as much as a sentence can add."""
    max_words: int = 1200

    def __post_init__(self) -> None:
        # With a penalty of 10, two unrelated topics of 17 similar sentences each stay one chunk: enough.
        check_between("threshold", self.threshold, -9, 1)
        check_between("paragraph_penalty", self.paragraph_penalty, 0, 1000)
        check_count("min_words", self.min_words, least=0)
        check_count("max_words", self.max_words, least=1)
        check_order("min_words", self.min_words, "max_words", self.max_words)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts of the best division of each span."""
        similarities = neighbour_similarities(embeddings)
        cuts: list[Boundary] = []
        for first, stop in sizes.spans():
            rows, part = embeddings[first:stop], sizes.subset(first, stop)
            cost = self._cost(part)
            starts = self._best_starts(rows, part, cost)
            for start, forced in zip(starts, self._forced(starts, rows, part, cost), strict=True):
                gap = first + start - 1
                reason = Reason.MAX_SIZE if forced else Reason.TOPIC
                cuts.append(Boundary(gap, float(similarities[gap]), None, reason))
        return tuple(cuts)

    def _cost(self, sizes: Sizes) -> NDArray[np.float64]:
        """Return the cost of a cut before each sentence, (n_sentences,)."""
        inside_paragraph = np.where(sizes.starts_block, 0.0, self.paragraph_penalty)
        return _grained(inside_paragraph + np.where(sizes.may_begin, 0.0, _HEADING_PENALTY))

    def _forced(
        self, starts: list[int], rows: Embeddings, sizes: Sizes, cost: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return for each cut whether only the cap separates its two chunks, which are worth more as one."""
        if not starts:
            return np.zeros(0, np.bool_)
        sums = np.add.reduceat(rows, [0, *starts], axis=0, dtype=np.float64)  # (n_chunks, dim)
        words = np.add.reduceat(sizes.words, [0, *starts])
        alone, joined = np.linalg.norm(sums, axis=1), np.linalg.norm(sums[:-1] + sums[1:], axis=1)
        gain = alone[:-1] + alone[1:] - joined - (1 - self.threshold) - cost[starts]
        forced: NDArray[np.bool_] = (words[:-1] + words[1:] > self.max_words) & (gain < 0)
        return forced

    def _best_starts(self, rows: Embeddings, sizes: Sizes, cost: NDArray[np.float64]) -> list[int]:
        """Return the sentences at which the chunks of the best division begin, without 0."""
        n = len(rows)
        before = prefix_sums(sizes.words)
        # The earliest start that the cap allows for each end; a single sentence may exceed it.
        furthest = np.minimum(np.searchsorted(before, before - self.max_words), np.arange(n + 1) - 1)
        entry = np.zeros(
            n + 1
        )  # the worth of the best division before each sentence, minus the cost of a cut there
        came_from = np.zeros(n + 1, np.int64)
        for low in range(0, n, _BLOCK):
            high = min(low + _BLOCK, n)
            left = int(furthest[low + 1])
            worth = self._worth(rows[left:high], before[left : high + 1], low - left)
            for end, row in zip(range(low + 1, high + 1), worth, strict=True):
                begin = int(furthest[end])
                totals = entry[begin:end] + row[begin - left : end - left]
                best = int(totals.argmax())
                came_from[end] = begin + best
                entry[end] = totals[best] - (cost[end] if end < n else 0.0)
        return _path(came_from)

    def _worth(self, rows: Embeddings, before: NDArray[np.int64], n_before: int) -> NDArray[np.float64]:
        """Return the worth of each chunk that ends after one of the rows from `n_before` on.

        Args:
            rows: (n, dim), the sentences within reach of those ends.
            before: (n + 1,), words before each.
            n_before: number of rows that can only be starts.

        Returns:
            (n - n_before, n): row i contains the chunks that end after sentence n_before + i, by their start;
            columns after the end are meaningless.
        """
        # float64, and new sums for each block: in float32, or in sums over a book, the differences drown.
        sums = np.zeros((len(rows) + 1, rows.shape[1]))
        np.cumsum(rows, axis=0, dtype=np.float64, out=sums[1:])
        squares = np.einsum("ij,ij->i", sums, sums)
        ends, starts = slice(n_before + 1, None), slice(None, -1)
        lengths = squares[ends, None] + squares[None, starts] - 2 * sums[ends] @ sums[starts].T
        short = self.min_words - (before[ends, None] - before[None, starts])
        penalty = 1 - self.threshold
        return _grained(np.sqrt(lengths.clip(min=0)) - penalty - short.clip(min=0))

    def rule(self) -> str:
        """Return the rule in words."""
        return "best division of the section as a whole"

    def cap(self) -> str:
        """Return the cap in words."""
        return f"{self.max_words:,} words"


def _grained(worth: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.rint(worth / _GRAIN) * _GRAIN


def _path(came_from: NDArray[np.int64]) -> list[int]:
    """Return the starts on the way back from the end, ascending, without 0."""
    starts = []
    start = int(came_from[-1])
    while start > 0:
        starts.append(start)
        start = int(came_from[start])
    return starts[::-1]
