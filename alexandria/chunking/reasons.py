"""Why each cut is where it is: its rank among the cuts that were possible, and the reason in words."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Reason
from alexandria.chunking.sizes import Sizes, prefix_sums
from alexandria.chunking.strategy import Strategy


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
            gaps = np.union1d(starts[sizes.may_begin[starts]] - 1, boundary.gap)
            depths = similarities[gaps]
            rank = 1 + int(np.count_nonzero(depths < similarities[boundary.gap]))
            boundary = replace(boundary, rank=rank, n_candidates=len(gaps))
        ranked.append(boundary)
        begin = boundary.gap + 1
    return tuple(ranked)


def explain_boundary(boundary: Boundary, strategy: Strategy) -> str:
    """Return why the boundary is there, such as `first chance after 200 words (rank 14 of 52)`."""
    if boundary.reason is Reason.SECTION:
        return "a chapter or section begins"
    if boundary.reason is Reason.BREAK:
        return "the author's own break"
    if boundary.reason is Reason.MAX_SIZE:
        return f"cap of {strategy.cap()}"
    return f"{strategy.rule()} ({_rank_in_words(boundary)})"


def _rank_in_words(boundary: Boundary) -> str:
    if boundary.rank is None or boundary.n_candidates is None:
        return "not ranked"
    if boundary.n_candidates == 1:
        return "the only gap in reach"
    if boundary.rank == 1:
        return f"the deepest gap in reach, of {boundary.n_candidates:,}"
    return f"rank {boundary.rank:,} of {boundary.n_candidates:,}"
