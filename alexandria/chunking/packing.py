"""Cuts by size alone: as many whole sentences as fit, and no tail that is too short."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary
from alexandria.chunking.sizes import Sizes, prefix_sums


def furthest_cut(before: NDArray[np.int64], begin: int, stop: int, most: int, sizes: Sizes) -> int:
    """Return the furthest end of the chunk from `begin` within `most`; `stop` if everything fits.

    The chunk has at least one sentence, however large, and a heading is left to the text that follows it.

    Args:
        before: (n_sentences + 1,), the total before each sentence, in the unit of `most`.
        begin: the chunk's first sentence.
        stop: the end of the span.
        most: the largest chunk.
        sizes: where the headings are.
    """
    fits = int(np.searchsorted(before, before[begin] + most, side="right")) - 1
    cut = max(fits, begin + 1)
    return sizes.before_headings(cut, begin) if cut < stop else stop


def furthest_paragraph_cut(before: NDArray[np.int64], begin: int, stop: int, most: int, sizes: Sizes) -> int:
    """Return `furthest_cut`, moved back to the last start of a paragraph in the chunk, if there is one."""
    cut = furthest_cut(before, begin, stop, most, sizes)
    if cut == stop:
        return stop
    chunk = slice(begin + 1, cut + 1)
    paragraphs = np.flatnonzero(sizes.starts_block[chunk] & sizes.may_begin[chunk])
    return begin + 1 + int(paragraphs[-1]) if len(paragraphs) else cut


def n_overlap_sentences(before: NDArray[np.int64], begin: int, cut: int, overlap: int) -> int:
    """Return the number of whole sentences at the end of the chunk [begin, cut) that fit into `overlap`."""
    first = int(np.searchsorted(before, before[cut] - overlap))
    return cut - max(first, begin)


def join_short_tails(
    boundaries: Sequence[Boundary], sizes: Sizes, weights: NDArray[np.int64], *, least: int, most: int
) -> Iterator[Boundary]:
    """Yield the boundaries except those of short tails, where the last chunk of a span joins the one before.

    Args:
        boundaries: ascending, with or without those at breaks.
        sizes: contains the spans.
        weights: (n_sentences,), in the unit of the limits.
        least: a smaller tail is joined,
        most: if the two together do not exceed this.
    """
    before = prefix_sums(weights)
    stops = {stop for _, stop in sizes.spans()}
    edges = sorted({0, *stops, *(boundary.gap + 1 for boundary in boundaries)})
    joined = {
        tail
        for begin, tail, stop in zip(edges, edges[1:], edges[2:], strict=False)
        if stop in stops and tail not in stops
        if before[stop] - before[tail] < least and before[stop] - before[begin] <= most
    }
    return (boundary for boundary in boundaries if boundary.gap + 1 not in joined)
