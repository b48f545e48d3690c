"""Find the best division for a reader, where the other strategies decide one cut at a time; the default.

From this project. A cut may fall only where the similarity is below the threshold, as in
`universal-semantic`, or at the author's own break. Of all divisions into chunks of min_words to max_words,
dynamic programming finds the best one (Jackson et al. 2005): exactly, in time n · (sentences in max_words)
and in memory n. A chunk is worth the length of the sum of its sentence vectors: the more its sentences point
in one direction, the longer the sum, as in spherical k-means (Dhillon and Modha 2001). A cut costs what makes
it bad for a reader.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Boundary, Embeddings, Reason
from alexandria.chunking.cues.find import Cue
from alexandria.chunking.similarity import (
    neighbour_similarities,
    paragraph_similarities,
    relative_window_similarities,
)
from alexandria.chunking.sizes import Sizes, prefix_sums
from alexandria.chunking.strategy import check_between, check_count, check_order

_BLOCK = 128
"""Ends of chunks whose worths are computed in one product: larger blocks compute more pairs of start and end
that are too far apart for a chunk, smaller ones make more calls."""

# A penalty is more than any cut gains: such a cut or chunk is made only where the cap leaves no other.
_HEADING_PENALTY = 1e5
"""For a cut between a heading and its text. The largest penalty: such a cut is the last resort."""
_THRESHOLD_PENALTY = 1e3  # for a cut where the similarity is not below the threshold
_SHORT_PENALTY = 1e3  # for a chunk of fewer than `min_words`
_ROUNDING_STEP = 2.0**-30
CUT_COSTS = tuple(f"{what}_cost" for what in ("paragraph", "window", "new_subject", "break", *Cue))
"""The options that are costs of a cut; `chunk_cost` is the cost of a chunk."""
_WINDOW = 4  # sentences on each side of a gap that `window_cost` compares
_GAPS_AROUND = 8  # gaps on each side whose mean similarity a gap's is compared with
_SAME_SUBJECT = 0.3
"""The subject changes where the similarity of two paragraphs, and that of the windows relative to the text
around, add up to less than this; at 0, it changes entirely."""
_MIN_SUBJECT_WORDS = 40
"""Words of each of two paragraphs that can show a new subject; shorter ones are unlike in any dialogue."""
_LONG_WORDS, _LONG_STEP = 500, 150
"""From how many words on a chunk is long; and what `long_cost` counts in, squared."""


@dataclass(frozen=True, slots=True)
class Optimal:
    """Cut where it is best for a reader, below the threshold or at the author's breaks.

    It maximises Σ over chunks of (‖Σ vectors‖ − chunk_cost) − Σ over cuts of their costs. A cost is what a
    cut must gain; a negative cost is a reward. The cost of a cue applies in full where its strength is 1.
    """

    name: ClassVar[str] = "optimal"
    needs_embeddings: ClassVar[bool] = True

    threshold: float = 0.55
    """A cut needs a lower similarity, in [−1, 1], except at the author's own breaks."""
    min_words: int = 100
    """A chunk holds at least this many words, unless the section has fewer."""
    max_words: int = 1200
    """No chunk holds more; only where no cut is possible within it, one is forced."""
    chunk_cost: float = -1.0
    """What a further chunk must gain; higher gives longer chunks."""
    long_cost: float = 0.2
    """Cost of a chunk of 650 words; four times as much at 800, and nothing up to 500."""
    paragraph_cost: float = 14.0
    """Cost of a cut inside a paragraph."""
    window_cost: float = 9.0
    """Cost, times how much more alike the four sentences on each side are than at nearby gaps."""
    new_subject_cost: float = -7.0
    """Cost of a cut between two paragraphs that have nothing in common."""
    break_cost: float = -6.0
    """Cost of a cut at the author's own break."""
    # The costs of the cues, each of a cut where the cue is in full strength:
    points_back_cost: float = 2.5
    """Before a sentence that begins with a pronoun or a connective."""
    refers_back_cost: float = 1.5
    """Before a sentence that refers back after its first word: `such a view`, `therefore`."""
    pronouns_cost: float = 1.5
    """Before a sentence with four pronouns that may refer back; a quarter for each."""
    lead_in_cost: float = 6.0
    """Between an announcement, such as a colon, and what it announces."""
    unfinished_cost: float = 6.0
    """After a paragraph that does not end as a sentence does."""
    quotation_cost: float = 2.0
    """Before a quotation."""
    same_quotation_cost: float = 1.0
    """Between the paragraphs of a quotation."""
    list_cost: float = 5.0
    """Before an item of a list, a table, a caption or code; half after a table or code."""
    turn_cost: float = 5.0
    """Between two speakers."""
    speech_cost: float = 2.5
    """Before speech that follows narration."""
    talk_cost: float = 2.0
    """Before a hundred words of dialogue; before fewer, in proportion."""
    talk_ends_cost: float = -1.0
    """Where a dialogue ends and narration goes on."""
    reaction_cost: float = 1.5
    """Before narration that tells how a speech was received."""
    question_cost: float = 3.0
    """After a question."""
    short_paragraph_cost: float = 20.0
    """Between paragraphs of a word or two; less where one is longer, and nothing from 200 words on."""
    new_time_cost: float = -3.0
    """Before a paragraph that opens with a time or date; half for a sentence with one early."""
    arrival_cost: float = -2.0
    """Before a sentence in which somebody arrives or leaves."""
    new_name_cost: float = -1.5
    """Before three new names; a third for each."""

    def __post_init__(self) -> None:
        """Check the options: raise OptionError for one that is out of its range."""
        check_between("threshold", self.threshold, -1, 1)
        check_count("min_words", self.min_words, minimum=0)
        check_count("max_words", self.max_words, minimum=1)
        check_order("min_words", self.min_words, "max_words", self.max_words)
        check_between("long_cost", self.long_cost, 0, 20)
        for cost in ("chunk_cost", *CUT_COSTS):
            # A cost of 20 outweighs everything else; more would reach the cost of a forced cut.
            check_between(cost, getattr(self, cost), -20, 20)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts of the best division of each span."""
        similarities = neighbour_similarities(embeddings)
        cuts: list[Boundary] = []
        for first, stop in sizes.spans():
            span_vectors, span_sizes = embeddings[first:stop], sizes.subset(first, stop)
            span_similarities = similarities[first : stop - 1]
            total_costs = self._total_costs(span_vectors, span_similarities, span_sizes)
            for start in self._best_starts(span_vectors, span_sizes, total_costs):
                gap = first + start - 1
                at_break = bool(span_sizes.break_before[start])
                cuts.append(self._boundary(gap, float(similarities[gap]), at_break=at_break))
        return tuple(cuts)

    def _boundary(self, gap: int, similarity: float, *, at_break: bool) -> Boundary:
        """Return the boundary at a gap with the reason for it; `at_break` if the author set a break there."""
        if at_break:
            reason = Reason.BREAK
        elif similarity < self.threshold:
            reason = Reason.TOPIC
        else:
            reason = Reason.MAX_SIZE  # the cap left no other cut
        return Boundary(gap, similarity, self.threshold, reason)

    def cut_costs(
        self, sentence_vectors: Embeddings, similarities: NDArray[np.float32], sizes: Sizes
    ) -> dict[str, NDArray[np.float64]]:
        """Return the cost of a cut before each sentence, as one array of shape (n_sentences,) per cost.

        The costs are `window`, `new_subject`, `paragraph`, `break` and each cue; the balances of a book show
        all of them. The values at the first sentence are meaningless.
        """
        window = np.zeros(len(sentence_vectors))
        window[1:] = relative_window_similarities(sentence_vectors, window=_WINDOW, around=_GAPS_AROUND)
        return {
            "window": self.window_cost * window,
            "new_subject": self.new_subject_cost * _subject_changes(sentence_vectors, window, sizes),
            "paragraph": np.where(sizes.starts_block, 0.0, self.paragraph_cost),
            "break": np.where(sizes.break_before, self.break_cost, 0.0),
            **{cue: getattr(self, f"{cue}_cost") * strengths for cue, strengths in sizes.cues.items()},
        }

    def penalties(self, similarities: NDArray[np.float32], sizes: Sizes) -> NDArray[np.float64]:
        """Return the penalty of a cut before each sentence, (n_sentences,).

        There is one for too high a similarity, and one for parting a heading from its text; 0 where a cut is
        allowed.
        """
        may_cut = sizes.break_before.copy()
        may_cut[1:] |= similarities < self.threshold  # similarities[i] is between sentences i and i + 1
        return np.where(may_cut, 0.0, _THRESHOLD_PENALTY) + np.where(sizes.may_begin, 0.0, _HEADING_PENALTY)

    def chunk_worths(self, squares: NDArray[np.float64], words: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what each chunk is worth.

        Args:
            squares: the squared length of the sum of each chunk's sentence vectors.
            words: the number of words of each chunk, of the same shape.
        """
        n_missing = np.maximum(self.min_words - words, 0)
        # Each missing word counts: an unavoidably short chunk then is as long as possible.
        short_penalties = np.where(n_missing > 0, _SHORT_PENALTY + n_missing, 0.0)
        n_steps = np.maximum(words - _LONG_WORDS, 0) / _LONG_STEP
        costs = self.chunk_cost + self.long_cost * n_steps**2 + short_penalties
        # Rounding can make a square slightly negative.
        return _round_for_exact_sums(np.sqrt(np.maximum(squares, 0)) - costs)

    def _total_costs(
        self, sentence_vectors: Embeddings, similarities: NDArray[np.float32], sizes: Sizes
    ) -> NDArray[np.float64]:
        """Return the sum of all costs and penalties of a cut before each sentence, (n_sentences,)."""
        costs_by_name = self.cut_costs(sentence_vectors, similarities, sizes)
        costs = sum(costs_by_name.values(), start=np.zeros(len(sentence_vectors)))
        return _round_for_exact_sums(costs + self.penalties(similarities, sizes))

    def _best_starts(
        self, sentence_vectors: Embeddings, sizes: Sizes, total_costs: NDArray[np.float64]
    ) -> list[int]:
        """Return the sentences at which the chunks of the best division begin, without 0.

        For each end, in order, the best last chunk is the one whose worth, plus that of the best division
        before it, is highest. `_trace_back` then follows the last chunks back from the end of the span.
        """
        n = len(sentence_vectors)
        costs_of_cut = np.append(total_costs, 0.0)  # (n + 1,): the end of the span is no cut
        # The worth of the best division before each sentence, minus the cost of a cut there.
        best_before = np.zeros(n + 1)
        last_start = np.zeros(n + 1, np.int64)  # of the last chunk of that division
        for end, earliest, worths in self._worths_by_end(sentence_vectors, sizes):
            totals = best_before[earliest:end] + worths  # one for each start of the last chunk
            best = int(totals.argmax())
            last_start[end] = earliest + best
            best_before[end] = totals[best] - costs_of_cut[end]
        return _trace_back(last_start)

    def _worths_by_end(
        self, sentence_vectors: Embeddings, sizes: Sizes
    ) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
        """Yield each end of a chunk, the earliest start that it allows, and the worths of its chunks.

        There is one chunk, and one worth, for each start from the earliest to the sentence before the end.
        """
        n = len(sentence_vectors)
        words_before = prefix_sums(sizes.words)
        # The earliest start that the cap allows for each end; a single sentence may exceed the cap.
        within_cap = np.searchsorted(words_before, words_before - self.max_words)
        earliest = np.minimum(within_cap, np.arange(n + 1) - 1).tolist()
        for first_end in range(1, n + 1, _BLOCK):
            ends = range(first_end, min(first_end + _BLOCK, n + 1))
            origin, last = earliest[first_end], ends[-1]  # where the chunks with these ends begin and end
            worths_from_origin = self._worths_of_block(
                sentence_vectors[origin:last], words_before[origin : last + 1], n_ends=len(ends)
            )
            for end, worths in zip(ends, worths_from_origin, strict=True):
                yield end, earliest[end], worths[earliest[end] - origin : end - origin]

    def _worths_of_block(
        self, sentence_vectors: Embeddings, words_before: NDArray[np.int64], *, n_ends: int
    ) -> NDArray[np.float64]:
        """Return the worth of each chunk of these sentences that ends after one of the last `n_ends`.

        Args:
            sentence_vectors: (n, dim), of the sentences.
            words_before: (n + 1,), the number of words before each sentence, and before the end.
            n_ends: the number of last sentences; the others can only begin a chunk.

        Returns:
            (n_ends, n): a row for each end, a column for each start; columns after the end are meaningless.
        """
        # float64, and new sums for each block: otherwise rounding would exceed the differences taken below.
        sums = np.zeros((len(sentence_vectors) + 1, sentence_vectors.shape[1]))
        np.cumsum(sentence_vectors, axis=0, dtype=np.float64, out=sums[1:])
        squares = np.einsum("ij,ij->i", sums, sums)
        ends, starts = slice(-n_ends, None), slice(None, -1)
        # The sum of each chunk's vectors is a difference of two sums: |a − b|² = a² + b² − 2ab.
        chunk_squares = squares[ends, None] + squares[None, starts] - 2 * sums[ends] @ sums[starts].T
        return self.chunk_worths(chunk_squares, words_before[ends, None] - words_before[None, starts])

    def rule(self) -> str:
        """Return the rule in words."""
        return "best division of the section as a whole"

    def cap(self) -> str:
        """Return the cap in words."""
        return f"{self.max_words:,} words"


def _subject_changes(
    sentence_vectors: Embeddings, window: NDArray[np.float64], sizes: Sizes
) -> NDArray[np.float64]:
    """Return how far the subject changes before each sentence, (n_sentences,), in [0, 1]."""
    # It is 0 inside paragraphs.
    # `sentence_vectors`: (n_sentences, dim), of length 1.
    # `window`: (n_sentences,), the relative window similarity before each.
    similarities = paragraph_similarities(sentence_vectors, sizes.starts_block)
    paragraph = np.cumsum(sizes.starts_block)  # the number of each sentence's paragraph
    words = np.bincount(paragraph, weights=sizes.words)
    enough = np.minimum(words[paragraph], words[(paragraph - 1).clip(min=0)]) >= _MIN_SUBJECT_WORDS
    changes = ((_SAME_SUBJECT - similarities - window) / _SAME_SUBJECT).clip(0.0, 1.0)
    return np.where(sizes.starts_block & enough, changes, 0.0)


def _round_for_exact_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values as multiples of `_ROUNDING_STEP`, so that divisions that are equally good tie."""
    # Sums of them are exact in float64 (2^53 steps are the worths of 8 million sentences), and the same on
    # every machine. A tie goes to the longest last chunk.
    return np.rint(values / _ROUNDING_STEP) * _ROUNDING_STEP


def _trace_back(last_start: NDArray[np.int64]) -> list[int]:
    """Return the starts of all chunks, ascending, without 0, from the start of the last chunk at each end."""
    starts = []
    start = int(last_start[-1])
    while start > 0:
        starts.append(start)
        start = int(last_start[start])
    return starts[::-1]
