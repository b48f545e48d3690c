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
from alexandria.ledger import Balance, Kept, Term

_WORTH_SAYING = 0.5
"""A cue that costs less than this is left out of sentences; the records have all."""


def rank_boundaries(
    boundaries: Sequence[Boundary],
    sizes: Sizes,
    similarities: NDArray[np.float32],
    *,
    min_words: int,
    max_words: int,
) -> tuple[Boundary, ...]:
    """Return the boundaries with `rank` and `n_candidates` filled in, except those of sections.

    The candidates are the gaps of the same span at which the chunk would hold `min_words` to `max_words` and
    not end with a heading, plus the gap that was cut. Rank 1 is the lowest similarity; equal similarities
    share a rank. A section's boundary had no alternative.
    """
    before = prefix_sums(sizes.words)
    stops = np.array([stop for _, stop in sizes.spans()])
    ranked = []
    begin = 0
    for boundary in boundaries:
        if boundary.reason is not Reason.SECTION:
            stop = int(stops[np.searchsorted(stops, begin, side="right")])
            low = np.searchsorted(before, before[begin] + min_words)
            high = np.searchsorted(before, before[begin] + max_words, side="right")
            starts = np.arange(max(int(low), begin + 1), min(int(high), stop))
            gaps = starts[sizes.may_begin[starts]] - 1
            rank = 1 + int(np.count_nonzero(similarities[gaps] < similarities[boundary.gap]))
            n_candidates = len(gaps) + (boundary.gap not in gaps)
            boundary = replace(boundary, rank=rank, n_candidates=n_candidates)
        ranked.append(boundary)
        begin = boundary.gap + 1
    return tuple(ranked)


def explain_boundary(boundary: Boundary, strategy: Strategy) -> str:
    """Return why the boundary is there, such as `first chance after 200 words (rank 14 of 52)`.

    If costs were weighed, it says what they were: `end of paragraph, a new time or date; next best cut
    2 sentences later, worse by 0.8`.
    """
    if boundary.reason is Reason.SECTION:
        return "a chapter or section begins"
    named = ("the author's own break",) if boundary.reason is Reason.BREAK else ()
    if boundary.balance is not None:
        return "; ".join((", ".join((*named, *balance_in_words(boundary))), *next_best_in_words(boundary)))
    if named:
        return named[0]
    if boundary.reason is Reason.MAX_SIZE:
        return f"cap of {strategy.cap()}"
    return f"{strategy.rule()} ({_rank_in_words(boundary)})"


def balance_in_words(boundary: Boundary) -> tuple[str, ...]:
    """Return what was weighed at a cut: its place, what forced it, what is for and against it."""
    balance = boundary.balance
    if balance is None:
        return ()
    said = LAYOUT | ({"break"} if boundary.reason is Reason.BREAK else set())
    cues = [term for term in balance.terms if term.name not in said and abs(term.cost) >= _WORTH_SAYING]
    despite = _phrases(term for term in cues if term.cost > 0)
    return (
        "inside a paragraph" if balance.inside_paragraph else "end of paragraph",
        *_forced(boundary, balance),
        *(phrase_of(term.name) for term in cues if term.cost < 0),
        *([f"despite {despite}"] if despite else []),
    )


def _forced(boundary: Boundary, balance: Balance) -> tuple[str, ...]:
    if boundary.reason is Reason.MAX_SIZE:
        return ("forced by size",)
    # The cut falls where a cut may fall, but that there is one at all is due to the size.
    return ("too long for one chunk",) if balance.gain is None else ()


def next_best_in_words(boundary: Boundary) -> tuple[str, ...]:
    """Return the next best cut, such as `next best cut 2 sentences later, worse by 0.8`; empty if none."""
    if boundary.balance is None or boundary.balance.next_best is None:
        return ()
    other = boundary.balance.next_best
    n = abs(other.gap - boundary.gap)
    where = (
        f"{n:,} {'sentence' if n == 1 else 'sentences'} {'later' if other.gap > boundary.gap else 'earlier'}"
    )
    return (f"next best cut {where}, worse by {other.loss:.1f}",)


def kept_in_words(kept: Kept) -> str:
    """Return why the text was not cut at a gap: `kept together: a lead-in and what it announces`."""
    # The first has the highest cost and is said even if that is small.
    first, *others = kept.terms[:2]
    return f"kept together: {_phrases([first, *(term for term in others if term.cost >= _WORTH_SAYING)])}"


def _phrases(terms: Iterable[Term]) -> str:
    return ", ".join(phrase_of(term.name) for term in terms)


def _rank_in_words(boundary: Boundary) -> str:
    if boundary.rank is None or boundary.n_candidates is None:
        return "not ranked"
    if boundary.n_candidates == 1:
        return "the only gap in reach"
    if boundary.rank == 1:
        return f"the deepest gap in reach, of {boundary.n_candidates:,}"
    return f"rank {boundary.rank:,} of {boundary.n_candidates:,}"
