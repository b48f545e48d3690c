"""Records what a strategy that adds up costs has weighed, at each cut and where it nearly cut.

A term is a cost of a cut with its name: `window`, `paragraph`, or a cue.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Embeddings, Segmentation
from alexandria.book.weighed import Balance, KeptTogether, NextBest, Term
from alexandria.chunking.cues.find import Cue
from alexandria.chunking.sizes import Sizes

NOT_CUES = frozenset({"paragraph", "window", "new_subject", Cue.SHORT_PARAGRAPH})
"""Names of the terms that apply to every gap, or compare vectors; the other terms are cues."""
_MIN_LOSS_OF_BROKEN_RULE = 500.0
"""A division that is worth less by this much breaks a rule, such as the minimum size of a chunk: costs alone
are below it, penalties above."""

_MAX_ROUNDING = 1e-6  # how far a loss of 0 may come out below 0


@runtime_checkable
class CostBasedStrategy(Protocol):
    """A strategy that adds up what chunks are worth, minus what cuts cost."""

    @property
    def max_words(self) -> int:
        """The cap, which only a chunk of a single sentence may exceed."""
        ...

    def cut_costs(
        self, sentence_vectors: Embeddings, similarities: NDArray[np.float32], sizes: Sizes
    ) -> Mapping[str, NDArray[np.float64]]:
        """Return the cost of a cut before each sentence, as one array of shape (n_sentences,) per term.

        Args:
            sentence_vectors: (n_sentences, dim), of length 1.
            similarities: (n_sentences - 1,), between neighbouring sentences.
        """
        ...

    def penalties(self, similarities: NDArray[np.float32], sizes: Sizes) -> NDArray[np.float64]:
        """Return the penalty of a cut before each sentence, (n_sentences,): 0 where a cut is allowed."""
        ...

    def chunk_worths(self, squares: NDArray[np.float64], words: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what each chunk is worth.

        Args:
            squares: the squared length of the sum of each chunk's sentence vectors.
            words: the number of words of each chunk, of the same shape.
        """
        ...


def with_balances(
    strategy: object, embeddings: Embeddings, sizes: Sizes, segmentation: Segmentation
) -> Segmentation:
    """Return the segmentation with what was weighed: a `Balance` for each cut, and the nearest misses.

    A nearest miss (`KeptTogether`) is the gap of a chunk at which only the cues prevented a cut. If the
    strategy does not add up costs, the segmentation is returned unchanged. Time and memory are linear in the
    number of sentences.
    """
    if not isinstance(strategy, CostBasedStrategy):
        return segmentation
    balances: dict[int, Balance] = {}
    kept: list[KeptTogether] = []
    costs = np.full(len(segmentation.similarities), np.nan)
    edges = np.array([0, *(boundary.gap + 1 for boundary in segmentation.boundaries), len(sizes.words)])
    for first, stop in sizes.spans():
        span_edges = edges[np.searchsorted(edges, first) : np.searchsorted(edges, stop) + 1]
        span = _Span(
            first=first,
            strategy=strategy,
            sentence_vectors=np.ascontiguousarray(embeddings[first:stop], np.float32),
            similarities=segmentation.similarities[first : stop - 1],
            sizes=sizes.subset(first, stop),
            edges=tuple((span_edges - first).tolist()),
        )
        span_balances, span_kept, costs[first : stop - 1] = span.weigh()
        balances |= span_balances
        kept += span_kept
    return replace(
        segmentation,
        boundaries=tuple(
            replace(boundary, balance=balances.get(boundary.gap)) for boundary in segmentation.boundaries
        ),
        kept=tuple(kept),
        costs=tuple(None if np.isnan(cost) else _round(cost) for cost in costs),
    )


@dataclass(frozen=True, slots=True)
class _Span:
    """The sentences between two breaks, and the chunks into which they were divided."""

    first: int  # the number of sentences before the span; all other numbers count from its first sentence
    strategy: CostBasedStrategy
    sentence_vectors: Embeddings
    similarities: NDArray[np.float32]
    sizes: Sizes
    edges: tuple[int, ...]  # the sentences at which chunks begin, from 0, and last the number of sentences

    def weigh(self) -> tuple[dict[int, Balance], list[KeptTogether], NDArray[np.float64]]:
        """Return the balance of each cut, by its gap, the gaps where cues prevented a cut, and all costs.

        The costs are those at each gap, NaN where a cut breaks a rule. Balances and gaps, at most one per
        chunk, are found by comparison with the divisions that differ in a single cut: a cut that is moved
        between its two neighbours, or a chunk that is cut once more.
        """
        terms = self.strategy.cut_costs(self.sentence_vectors, self.similarities, self.sizes)
        penalties = self.strategy.penalties(self.similarities, self.sizes)
        # Arrays of the whole span are made here, not in the loops, which would make the time quadratic.
        term_costs = sum(terms.values(), np.zeros(len(self.sentence_vectors)))
        costs = term_costs + penalties
        balances, move_losses = self._weigh_cuts(terms, term_costs, costs)
        gap_costs = np.where(penalties > 0, np.nan, term_costs)[1:]
        return balances, self._find_kept(terms, costs, move_losses), gap_costs

    def _weigh_cuts(
        self,
        terms: Mapping[str, NDArray[np.float64]],
        term_costs: NDArray[np.float64],
        costs: NDArray[np.float64],
    ) -> tuple[dict[int, Balance], NDArray[np.float64]]:
        """Return the balance of each cut, and how much less the division is worth if a cut is moved.

        Args:
            terms: (n_sentences,) each, the costs of a cut before each sentence.
            term_costs: (n_sentences,), the sum of the terms.
            costs: (n_sentences,), the sum of the terms and the penalties.

        Returns:
            The balances by gap; and (n_sentences,), the loss if the nearest cut on either side of a sentence,
            whichever loses less, is moved to that sentence.
        """
        losses = np.full(len(self.sentence_vectors), np.inf)
        balances = {}
        for begin, cut, end in zip(self.edges, self.edges[1:], self.edges[2:], strict=False):
            candidates = slice(begin + 1, end)  # the sentences before which the cut could be instead
            at_cut = cut - begin - 1  # the position of the cut among the candidates
            split_worths, joined_worth = self._split_and_joined_worths(begin, end)
            net_worths = split_worths - costs[candidates]
            move_losses = net_worths[at_cut] - net_worths
            losses[candidates] = np.minimum(losses[candidates], move_losses)
            move_losses[at_cut] = np.inf  # the cut itself is no alternative to it
            gain = None if joined_worth is None else _round(split_worths[at_cut] - joined_worth)
            balances[self.first + cut - 1] = Balance(
                inside_paragraph=not self.sizes.starts_block[cut],
                terms=_terms_at(terms, cut),
                gain=gain,
                next_best=_next_best(move_losses, term_costs, begin, self.first),
            )
        return balances, losses

    def _find_kept(
        self,
        terms: Mapping[str, NDArray[np.float64]],
        costs: NDArray[np.float64],
        move_losses: NDArray[np.float64],
    ) -> list[KeptTogether]:
        """Return the gap of each chunk where cues prevented a cut, for the chunks that have one."""
        # `terms`: (n_sentences,) each, the costs of a cut before each sentence.
        # `costs`: (n_sentences,), the sum of the terms and the penalties.
        # `move_losses`: as `_weigh_cuts` returns them.
        kept: list[KeptTogether] = []
        cues = {name: cue_costs for name, cue_costs in terms.items() if name not in NOT_CUES}
        # What holds the text together at each gap: the cues against a cut, without those in favour of one.
        cohesion = sum(
            (cue_costs.clip(min=0) for cue_costs in cues.values()), np.zeros(len(self.sentence_vectors))
        )
        # The loss by a cut before each sentence: a neighbouring cut is moved there, or its chunk is split.
        losses = move_losses.copy()
        for begin, end in pairwise(self.edges):
            candidates = slice(begin + 1, end)
            split_worths, joined_worth = self._split_and_joined_worths(begin, end)
            if joined_worth is not None:
                net_worths = split_worths - costs[candidates]
                losses[candidates] = np.minimum(losses[candidates], joined_worth - net_worths)
            kept_gap = self._find_kept_gap(begin, end, losses, cohesion, cues)
            if kept_gap is not None:
                kept.append(kept_gap)
        return kept

    def _split_and_joined_worths(self, begin: int, end: int) -> tuple[NDArray[np.float64], float | None]:
        """Return what sentences `begin` to `end` (exclusive) are worth as two chunks, and as one chunk.

        Returns:
            (end - begin - 1,), for each cut between them, −inf where one of the two chunks exceeds the cap;
            and one number, None if the single chunk exceeds the cap.
        """
        sums = np.cumsum(self.sentence_vectors[begin:end], axis=0, dtype=np.float64)  # (end - begin, dim)
        words = np.cumsum(self.sizes.words[begin:end])
        squares = np.einsum("ij,ij->i", sums, sums)
        # The right chunk's sum is the total minus the left one's: |a − b|² = a² + b² − 2ab.
        right_squares = squares[-1] - 2 * (sums[:-1] @ sums[-1]) + squares[:-1]
        left_words, right_words = words[:-1], words[-1] - words[:-1]
        chunk_worths, max_words = self.strategy.chunk_worths, self.strategy.max_words
        split_worths = chunk_worths(squares[:-1], left_words) + chunk_worths(right_squares, right_words)
        # The cap does not apply to a chunk of one sentence.
        n_sentences = end - begin
        n_left = np.arange(1, n_sentences)
        left_too_long = (left_words > max_words) & (n_left > 1)
        right_too_long = (right_words > max_words) & (n_left < n_sentences - 1)
        split_worths[left_too_long | right_too_long] = -np.inf
        if words[-1] > max_words and n_sentences > 1:
            return split_worths, None
        return split_worths, float(chunk_worths(squares[-1:], words[-1:])[0])

    def _find_kept_gap(
        self,
        begin: int,
        end: int,
        losses: NDArray[np.float64],
        cohesion: NDArray[np.float64],
        cues: Mapping[str, NDArray[np.float64]],
    ) -> KeptTogether | None:
        """Return the gap of a chunk that would most likely have been cut without its cues, if there is one.

        Without the cues that hold the text together there, a cut would have made the division worth more.

        Args:
            begin: the first sentence of the chunk, counted from the first of the span.
            end: the sentence after the chunk's last.
            losses: (n_sentences,), how much less the division is worth with a cut before each sentence.
            cohesion: (n_sentences,), what the cues against a cut before each sentence cost.
        """
        if end - begin < 2:
            return None
        candidates = slice(begin + 1, end)
        cut = begin + 1 + int((cohesion[candidates] - losses[candidates]).argmax())
        # A loss is below 0 where the size limits changed the division: nothing was kept together there.
        if not -_MAX_ROUNDING < losses[cut] < cohesion[cut]:
            return None
        terms = (term for term in _terms_at(cues, cut) if term.cost > 0)
        return KeptTogether(
            gap=self.first + cut - 1,
            similarity=round(float(self.similarities[cut - 1]), 6),  # as in the store
            loss=_round(max(losses[cut], 0.0)),
            terms=tuple(sorted(terms, key=lambda term: -term.cost)),
        )


def _terms_at(terms: Mapping[str, NDArray[np.float64]], sentence: int) -> tuple[Term, ...]:
    """Return the terms of a cut before a sentence, without those that cost nothing."""
    costs = {str(name): _round(sentence_costs[sentence]) for name, sentence_costs in terms.items()}
    return tuple(Term(name, cost) for name, cost in costs.items() if cost)


def _next_best(
    losses: NDArray[np.float64], term_costs: NDArray[np.float64], begin: int, first: int
) -> NextBest | None:
    """Return the alternative cut with the smallest loss, or None if each of them breaks a rule."""
    # `losses`: the losses of cuts before sentences begin + 1, begin + 2, …
    # `term_costs`: (n_sentences,), the cost of a cut before each sentence of the span.
    # `begin`: the sentence of the span at which the first of the two chunks begins.
    # `first`: the number of sentences before the span.
    best = int(losses.argmin())
    if not losses[best] < _MIN_LOSS_OF_BROKEN_RULE:  # also if it is NaN
        return None
    cut = begin + 1 + best
    return NextBest(gap=first + cut - 1, cost=_round(term_costs[cut]), loss=_round(losses[best]))


def _round(number: float) -> float:
    """Return a number to three decimals, as in the store."""
    return round(float(number), 3) + 0.0  # + 0.0 turns −0 into 0
