"""Records what a strategy that adds up costs has weighed, at its cuts and where it nearly cut."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings, Segmentation
from alexandria.chunking.cues import Cue
from alexandria.chunking.sizes import Sizes
from alexandria.ledger import Balance, Kept, NextBest, Term

LAYOUT = frozenset({"paragraph", "window", Cue.SHORT_PARAGRAPH})
"""The terms that apply to every gap; the others are cues."""
_BARRED = 500.0
"""A loss that no division has unless it breaks a rule, such as that of the smallest chunk."""


@runtime_checkable
class Weighs(Protocol):
    """A strategy that adds up what cuts cost and chunks are worth."""

    @property
    def max_words(self) -> int:
        """No chunk of several sentences holds more."""
        ...

    def terms(
        self, rows: Embeddings, similarities: NDArray[np.float32], sizes: Sizes
    ) -> Mapping[str, NDArray[np.float64]]:
        """Return the costs of a cut before each sentence, by name, (n_sentences,) each."""
        ...

    def barred(self, similarities: NDArray[np.float32], sizes: Sizes) -> NDArray[np.float64]:
        """Return what is added before each sentence where a rule forbids a cut, (n_sentences,)."""
        ...

    def worth(self, squares: NDArray[np.float64], words: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what chunks are worth, from the squared length of their sums of rows and their words."""
        ...


def with_balances(
    strategy: object, embeddings: Embeddings, sizes: Sizes, segmentation: Segmentation
) -> Segmentation:
    """Return the segmentation with the balance of each cut and the gaps that were kept together.

    A strategy that does not add up costs has none. The time and memory are linear in the number of sentences.
    """
    if not isinstance(strategy, Weighs):
        return segmentation
    balances: dict[int, Balance] = {}
    kept: list[Kept] = []
    edges = np.array([0, *(boundary.gap + 1 for boundary in segmentation.boundaries), len(sizes.words)])
    for first, stop in sizes.spans():
        here = edges[np.searchsorted(edges, first) : np.searchsorted(edges, stop) + 1]
        span = _Span(
            strategy,
            np.ascontiguousarray(embeddings[first:stop], np.float32),
            segmentation.similarities[first : stop - 1],
            sizes.subset(first, stop),
            tuple((here - first).tolist()),
        )
        inside, kept_inside = span.weigh(first)
        balances |= inside
        kept += kept_inside
    return replace(
        segmentation,
        boundaries=tuple(
            replace(boundary, balance=balances.get(boundary.gap)) for boundary in segmentation.boundaries
        ),
        kept=tuple(kept),
    )


@dataclass(frozen=True, slots=True)
class _Span:
    """The sentences between two sections, and the chunks that they were divided into."""

    strategy: Weighs
    rows: Embeddings
    similarities: NDArray[np.float32]
    sizes: Sizes
    edges: tuple[int, ...]
    """The sentences at which chunks begin, from 0, and the number of sentences."""

    def weigh(self, first: int) -> tuple[dict[int, Balance], list[Kept]]:
        """Return the balance of each cut, by its gap, and the gaps kept together, at most one per chunk.

        Args:
            first: the number of sentences before the span.
        """
        terms = self.strategy.terms(self.rows, self.similarities, self.sizes)
        barred = self.strategy.barred(self.similarities, self.sizes)
        named = sum(terms.values(), np.zeros(len(self.rows)))
        # Arrays of the whole span are made here, not in the loops, which would make the time quadratic.
        cost = named + barred
        # How much less the division is worth if a cut is moved to a sentence, or a chunk cut there.
        losses = np.full(len(self.rows), np.inf)
        balances = {}
        for a, cut, b in zip(self.edges, self.edges[1:], self.edges[2:], strict=False):
            values, joined = self._values(a, b)
            gained = values - cost[a + 1 : b]
            moved = gained[cut - a - 1] - gained
            losses[a + 1 : b] = np.minimum(losses[a + 1 : b], moved)
            moved[cut - a - 1] = np.inf
            balances[first + cut - 1] = Balance(
                inside_paragraph=not self.sizes.starts_block[cut],
                terms=_terms_at(terms, cut),
                gain=None if joined is None else _rounded(values[cut - a - 1] - joined),
                next_best=_next_best(moved, named, a, first),
            )
        kept: list[Kept] = []
        cues = {name: costs for name, costs in terms.items() if name not in LAYOUT}
        # What holds the text together, without what speaks for a cut there.
        ties = sum((costs.clip(min=0) for costs in cues.values()), np.zeros(len(self.rows)))
        for a, b in pairwise(self.edges):
            values, joined = self._values(a, b)
            if joined is not None:
                losses[a + 1 : b] = np.minimum(losses[a + 1 : b], joined - (values - cost[a + 1 : b]))
            kept += self._kept(a, b, losses, ties, cues, first)
        return balances, kept

    def _values(self, a: int, b: int) -> tuple[NDArray[np.float64], float | None]:
        """Return what the two chunks of each cut between sentences a and b are worth, (b - a - 1,), and one.

        A cut that makes a chunk too long is worth −inf; one chunk that is too long, None.
        """
        sums = np.cumsum(self.rows[a:b], axis=0, dtype=np.float64)  # (b - a, dim)
        words = np.cumsum(self.sizes.words[a:b])
        squares = np.einsum("ij,ij->i", sums, sums)
        right = squares[-1] - 2 * (sums[:-1] @ sums[-1]) + squares[:-1]
        worth, most = self.strategy.worth, self.strategy.max_words
        values = worth(squares[:-1], words[:-1]) + worth(right, words[-1] - words[:-1])
        n_left = np.arange(1, b - a)
        too_long = (words[:-1] > most) & (n_left > 1) | (words[-1] - words[:-1] > most) & (n_left < b - a - 1)
        values[too_long] = -np.inf
        joined = None if words[-1] > most and b - a > 1 else float(worth(squares[-1:], words[-1:])[0])
        return values, joined

    def _kept(
        self,
        a: int,
        b: int,
        losses: NDArray[np.float64],
        ties: NDArray[np.float64],
        cues: Mapping[str, NDArray[np.float64]],
        first: int,
    ) -> Iterator[Kept]:
        """Yield the gap of a chunk at which its cues decided most, if they decided any."""
        if b - a < 2:
            return
        inside = slice(a + 1, b)
        cut = a + 1 + int((ties[inside] - losses[inside]).argmax())
        if -1e-6 < losses[cut] < ties[cut]:  # below 0 where the limits on size changed the division
            terms = (term for term in _terms_at(cues, cut) if term.cost > 0)
            yield Kept(
                gap=first + cut - 1,
                similarity=round(float(self.similarities[cut - 1]), 6),  # as in the store
                loss=_rounded(max(losses[cut], 0.0)),
                terms=tuple(sorted(terms, key=lambda term: -term.cost)),
            )


def _terms_at(terms: Mapping[str, NDArray[np.float64]], sentence: int) -> tuple[Term, ...]:
    at = ((str(name), _rounded(costs[sentence])) for name, costs in terms.items())
    return tuple(Term(name, cost) for name, cost in at if cost)


def _next_best(losses: NDArray[np.float64], cost: NDArray[np.float64], a: int, first: int) -> NextBest | None:
    """Return the cut with the least loss, of those between sentence a and the end of the next chunk."""
    best = int(losses.argmin())
    if not losses[best] < _BARRED:
        return None
    cut = a + 1 + best
    return NextBest(gap=first + cut - 1, cost=_rounded(cost[cut]), loss=_rounded(losses[best]))


def _rounded(number: float) -> float:
    return round(float(number), 3) + 0.0  # no −0
