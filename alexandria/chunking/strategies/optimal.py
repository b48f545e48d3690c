"""Find the best division for a reader, where the other strategies decide one cut at a time; the default.

From this project. A cut may fall only where the similarity is below the threshold, as in
`universal-semantic`, or at the author's own break. Of all divisions into chunks of min_words to max_words,
dynamic programming finds the best one (Jackson et al. 2005): exactly, in time n · (sentences in max_words)
and in memory n. A chunk is worth the length of the sum of its sentence vectors: the more its sentences point
in one direction, the longer the sum, as in spherical k-means (Dhillon and Modha 2001). A cut costs what makes
it bad for a reader.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Embeddings, Reason
from alexandria.chunking.cues import Cue
from alexandria.chunking.options import check_between, check_count, check_order
from alexandria.chunking.similarity import neighbour_similarities, window_similarities
from alexandria.chunking.sizes import Sizes, prefix_sums

# Sentences per block of the table of sums: larger blocks waste pairs out of reach, smaller ones waste calls.
_BLOCK = 128
# More than any cut gains, in this order: the cap alone makes them necessary.
_AFTER_HEADING, _FORCED, _SHORT = 1e5, 1e3, 1e3
# Worths are rounded to multiples of this. Their sums are then exact in float64 (2^53 of them are 8 million
# sentences), so that equal divisions tie on every machine; ties are broken for the longest last chunk.
_GRAIN = 2.0**-30
CUT_COSTS = tuple(f"{what}_cost" for what in ("paragraph", "window", "break", *Cue))
"""The options that say what a cut costs; `chunk_cost` is that of a chunk."""
_WINDOW = 4
"""Sentences on each side of a gap that `window_cost` compares."""


@dataclass(frozen=True, slots=True)
class Optimal:
    """Cut only below the threshold or at the author's breaks: there, the best division for a reader.

    It maximises Σ over chunks of (‖Σ rows‖ − chunk_cost) − Σ over cuts of their costs. A cost is what a cut
    must gain; those of cues are for full strength, and a negative one is a reward.
    """

    name: ClassVar[str] = "optimal"
    needs_embeddings: ClassVar[bool] = True

    threshold: float = 0.55
    """A cut needs a lower similarity, in [−1, 1], but for the author's own breaks."""
    min_words: int = 100
    """A chunk holds at least this many words, unless the section has fewer."""
    max_words: int = 1200
    """No chunk holds more; only where no cut is possible within it, one is forced."""
    chunk_cost: float = -2.8
    """What a further chunk must gain; higher gives longer chunks."""
    paragraph_cost: float = 8.0
    """Of a cut inside a paragraph."""
    window_cost: float = 3.0
    """Times the similarity of the four sentences before and after."""
    break_cost: float = -6.0
    """Of a cut at the author's own break."""
    points_back_cost: float = 2.5
    """Before a sentence that begins with a pronoun or a connective."""
    refers_back_cost: float = 1.5
    """Before a sentence that refers back after its first word: `such a view`, `therefore`."""
    objection_cost: float = 0.5
    """Before an objection, a reply or a conclusion."""
    lead_in_cost: float = 6.0
    """Between an announcement, such as a colon, and what it announces."""
    unfinished_cost: float = 6.0
    """After a paragraph that does not end as a sentence does."""
    quotation_cost: float = 2.0
    """Before a quotation."""
    same_quotation_cost: float = 1.0
    """Between the paragraphs of a quotation."""
    list_cost: float = 4.0
    """Before an item of a list, a table, a caption or code."""
    turn_cost: float = 4.0
    """Between two speakers."""
    speech_cost: float = 2.0
    """Before speech that follows narration."""
    question_cost: float = 3.0
    """After a question."""
    short_paragraph_cost: float = 10.0
    """Between paragraphs of a word or two; the longer they are, the less, down to nothing at 200 words."""
    new_time_cost: float = -1.5
    """Before a new time or date."""
    new_step_cost: float = -0.5
    """Before a phrase that begins a new step: `let us now`, `with regard to`."""

    def __post_init__(self) -> None:
        check_between("threshold", self.threshold, -1, 1)
        check_count("min_words", self.min_words, least=0)
        check_count("max_words", self.max_words, least=1)
        check_order("min_words", self.min_words, "max_words", self.max_words)
        for cost in ("chunk_cost", *CUT_COSTS):
            # A cost of 20 outweighs everything else; more would reach the cost of a forced cut.
            check_between(cost, getattr(self, cost), -20, 20)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts of the best division of each span."""
        similarities = neighbour_similarities(embeddings)
        cuts: list[Boundary] = []
        for first, stop in sizes.spans():
            rows, part = embeddings[first:stop], sizes.subset(first, stop)
            inside = similarities[first : stop - 1]
            cost = self._cost(rows, inside, part)
            cuts += (
                self._boundary(first + start - 1, float(inside[start - 1]), part, start)
                for start in self._best_starts(rows, part, cost)
            )
        return tuple(cuts)

    def _boundary(self, gap: int, similarity: float, sizes: Sizes, start: int) -> Boundary:
        if sizes.break_before[start]:
            reason = Reason.BREAK
        else:
            reason = Reason.TOPIC if similarity < self.threshold else Reason.MAX_SIZE
        return Boundary(gap, similarity, self.threshold, reason)

    def terms(
        self, rows: Embeddings, similarities: NDArray[np.float32], sizes: Sizes
    ) -> dict[str, NDArray[np.float64]]:
        """Return the costs of a cut before each sentence, by name, (n_sentences,) each.

        Those of the first sentence mean nothing. The ledger shows every term that is returned here.
        """
        window = np.zeros(len(rows))
        window[1:] = window_similarities(rows, window=_WINDOW)
        return {
            "window": self.window_cost * window,
            "paragraph": np.where(sizes.starts_block, 0.0, self.paragraph_cost),
            "break": np.where(sizes.break_before, self.break_cost, 0.0),
            **{cue: getattr(self, f"{cue}_cost") * strengths for cue, strengths in sizes.cues.items()},
        }

    def barred(self, similarities: NDArray[np.float32], sizes: Sizes) -> NDArray[np.float64]:
        """Return what keeps a cut from sentences that it may not come before, (n_sentences,)."""
        may_cut = sizes.break_before.copy()
        may_cut[1:] |= similarities < self.threshold
        return np.where(may_cut, 0.0, _FORCED) + np.where(sizes.may_begin, 0.0, _AFTER_HEADING)

    def worth(self, squares: NDArray[np.float64], words: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what chunks are worth, from the squared length of their sums of rows and their words."""
        short = (self.min_words - words).clip(min=0)
        # Every missing word counts, so that what must be short is as little short as possible.
        penalty = self.chunk_cost + np.where(short > 0, _SHORT + short, 0.0)
        return _grained(np.sqrt(squares.clip(min=0)) - penalty)

    def _cost(self, rows: Embeddings, similarities: NDArray[np.float32], sizes: Sizes) -> NDArray[np.float64]:
        """Return all that a cut before each sentence costs, (n_sentences,)."""
        cost = sum(self.terms(rows, similarities, sizes).values(), np.zeros(len(rows)))
        return _grained(cost + self.barred(similarities, sizes))

    def _best_starts(self, rows: Embeddings, sizes: Sizes, cost: NDArray[np.float64]) -> list[int]:
        """Return the sentences at which the chunks of the best division begin, without 0."""
        n = len(rows)
        before = prefix_sums(sizes.words)
        # The earliest start that the cap allows for each end; a single sentence may exceed it.
        furthest = np.minimum(np.searchsorted(before, before - self.max_words), np.arange(n + 1) - 1)
        # The worth of the best division before each sentence, minus the cost of a cut there.
        entry = np.zeros(n + 1)
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
        return self.worth(lengths, before[ends, None] - before[None, starts])

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
