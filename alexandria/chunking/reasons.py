"""Why each cut is where it is: its rank among the cuts that were possible, and the reason in words."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Reason
from alexandria.chunking.cue_notes import phrase_of
from alexandria.chunking.sizes import Sizes, prefix_sums
from alexandria.chunking.strategy import Strategy
from alexandria.chunking.weighing import LAYOUT
from alexandria.ledger import Balance, KeptTogether, Term

_MIN_COST_IN_WORDS = 0.5
"""A cue that costs or gains less is left out of the reason in words; the record has them all."""


def rank_boundaries(
    boundaries: Sequence[Boundary],
    sizes: Sizes,
    similarities: NDArray[np.float32],
    *,
    min_words: int,
    max_words: int,
) -> tuple[Boundary, ...]:
    """Return the boundaries with `rank` and `n_candidates` filled in, except at sections.

    The candidates are the gaps of the same span at which the chunk would hold `min_words` to `max_words` and
    not end with a heading, plus the gap that was cut. Rank 1 is the lowest similarity; equal similarities
    share a rank. A section's boundary had no alternative, and is returned unchanged.
    """
    words_before = prefix_sums(sizes.words)
    stops = np.array([stop for _, stop in sizes.spans()])
    ranked = []
    begin = 0  # the first sentence of the chunk before the boundary
    for boundary in boundaries:
        if boundary.reason is Reason.SECTION:
            ranked.append(boundary)
        else:
            # The end of the span of this chunk.
            stop = int(stops[np.searchsorted(stops, begin, side="right")])
            # The sentences that could have begun the next chunk.
            low = np.searchsorted(words_before, words_before[begin] + min_words)
            high = np.searchsorted(words_before, words_before[begin] + max_words, side="right")
            starts = np.arange(max(int(low), begin + 1), min(int(high), stop))
            gaps = starts[sizes.may_begin[starts]] - 1
            rank = 1 + int(np.count_nonzero(similarities[gaps] < similarities[boundary.gap]))
            # The cut itself counts, even if its chunk is outside these limits.
            n_candidates = len(gaps) + (boundary.gap not in gaps)
            ranked.append(replace(boundary, rank=rank, n_candidates=n_candidates))
        begin = boundary.gap + 1
    return tuple(ranked)


def explain_boundary(boundary: Boundary, strategy: Strategy) -> str:
    """Return why the boundary is there, such as `first chance after 200 words (rank 14 of 52)`.

    For a strategy that adds up costs, the reason is what was weighed: `end of paragraph, a new time or date;
    next best cut 2 sentences later, worse by 0.8`.
    """
    if boundary.reason is Reason.SECTION:
        return "a chapter or section begins"
    at_break = ("the author's own break",) if boundary.reason is Reason.BREAK else ()
    if boundary.balance is not None:
        weighed = ", ".join((*at_break, *balance_in_words(boundary)))
        return "; ".join((weighed, *next_best_in_words(boundary)))
    if at_break:
        return at_break[0]
    if boundary.reason is Reason.MAX_SIZE:
        return f"cap of {strategy.cap()}"
    return f"{strategy.rule()} ({_rank_in_words(boundary)})"


def balance_in_words(boundary: Boundary) -> tuple[str, ...]:
    """Return in words what was weighed at a cut: its place, what forced it, and the cues for and against it.

    Empty if nothing was weighed, as by a strategy without costs.
    """
    balance = boundary.balance
    if balance is None:
        return ()
    cues = [
        term
        for term in balance.terms
        if term.name not in LAYOUT and abs(term.cost) >= _MIN_COST_IN_WORDS
        if not (term.name == "break" and boundary.reason is Reason.BREAK)  # the reason itself says it
    ]
    phrases = ["inside a paragraph" if balance.inside_paragraph else "end of paragraph"]
    phrases += _force_in_words(boundary, balance)
    phrases += (phrase_of(term.name) for term in cues if term.cost < 0)
    against = _describe_terms(term for term in cues if term.cost > 0)
    if against:
        phrases.append(f"despite {against}")
    return tuple(phrases)


def _force_in_words(boundary: Boundary, balance: Balance) -> tuple[str, ...]:
    """Return how the size limits forced a cut, or an empty tuple if they did not."""
    if boundary.reason is Reason.MAX_SIZE:
        return ("forced by size",)
    # The strategy may cut here in any case, but without this cut the chunk would be too long.
    return ("too long for one chunk",) if balance.gain is None else ()


def next_best_in_words(boundary: Boundary) -> tuple[str, ...]:
    """Return the next best cut, such as `next best cut 2 sentences later, worse by 0.8`; empty if none."""
    if boundary.balance is None or boundary.balance.next_best is None:
        return ()
    other = boundary.balance.next_best
    distance = abs(other.gap - boundary.gap)
    sentences = "sentence" if distance == 1 else "sentences"
    direction = "later" if other.gap > boundary.gap else "earlier"
    return (f"next best cut {distance:,} {sentences} {direction}, worse by {other.loss:.1f}",)


def describe_kept_together(kept: KeptTogether) -> str:
    """Return why the text was not cut at a gap: `kept together: a lead-in and what it announces`."""
    # The term with the highest cost comes first, and is named even if the cost is small.
    first, *second = kept.terms[:2]
    named = [first, *(term for term in second if term.cost >= _MIN_COST_IN_WORDS)]
    return f"kept together: {_describe_terms(named)}"


def _describe_terms(terms: Iterable[Term]) -> str:
    """Return the terms in words, separated by commas."""
    return ", ".join(phrase_of(term.name) for term in terms)


def _rank_in_words(boundary: Boundary) -> str:
    """Return the rank of a gap's similarity among its candidates; see `rank_boundaries`."""
    if boundary.rank is None or boundary.n_candidates is None:
        return "not ranked"
    if boundary.n_candidates == 1:
        return "the only possible gap"
    if boundary.rank == 1:
        return f"the least similar of {boundary.n_candidates:,} possible gaps"
    return f"rank {boundary.rank:,} of {boundary.n_candidates:,}"
