"""The rules for all strategies: sections break, no chunk exceeds the cap, a short tail is joined."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Reason
from alexandria.chunking.packing import furthest_cut, join_short_tails
from alexandria.chunking.sizes import Sizes, prefix_sums


def apply_limits(
    boundaries: Sequence[Boundary],
    sizes: Sizes,
    similarities: NDArray[np.float32],
    *,
    min_words: int,
    max_words: int,
) -> tuple[Boundary, ...]:
    """Return the strategy's boundaries with those of the sections and the cap, ascending.

    If the last chunk of a span is shorter than `min_words`, it joins the one before, if the cap allows. A
    strategy's cut after a heading is dropped: this may exceed the strategy's own limits, but never the cap.

    Args:
        boundaries: the strategy's, inside the spans, ascending.
        sizes: of the sentences; the breaks become section boundaries.
        similarities: (n_sentences - 1,), for the boundaries added here.
        min_words: the shortest tail that is a chunk of its own.
        max_words: the cap; only a single sentence can exceed it.
    """
    sections = (Boundary(i - 1, float(similarities[i - 1]), None, Reason.SECTION) for i in sizes.breaks)
    own = (boundary for boundary in boundaries if sizes.may_begin[boundary.gap + 1])
    cuts = sorted((*own, *sections), key=lambda boundary: boundary.gap)
    capped = list(_capped(cuts, sizes, similarities, max_words))
    return tuple(join_short_tails(capped, sizes, sizes.words, least=min_words, most=max_words))


def _capped(
    cuts: Sequence[Boundary], sizes: Sizes, similarities: NDArray[np.float32], max_words: int
) -> Iterator[Boundary]:
    """Yield the cuts, and further ones where a chunk between them would exceed the cap."""
    before = prefix_sums(sizes.words)
    begin = chunk = 0
    for cut in (*cuts, None):
        end = cut.gap + 1 if cut else len(sizes.words)
        while begin < end and (begin := furthest_cut(before, begin, end, max_words, sizes)) < end:
            chunk = begin
            yield Boundary(begin - 1, float(similarities[begin - 1]), None, Reason.MAX_SIZE)
        if cut:
            if cut.overlap > end - chunk:  # the chunk that is repeated has become shorter
                cut = replace(cut, overlap=end - chunk)
            chunk = end
            # Two sentences that do not fit into one chunk are separated by the cap, whatever the topic.
            fits = before[end + 1] - before[end - 1] <= max_words
            yield cut if fits or cut.reason is Reason.SECTION else replace(cut, reason=Reason.MAX_SIZE)
