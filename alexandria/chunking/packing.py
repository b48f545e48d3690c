"""Cuts by size alone: as many whole sentences as fit, no tail that is too short, and windows that overlap."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Boundary, Embeddings, Reason
from alexandria.chunking.similarity import similarities_or_zeros
from alexandria.chunking.sizes import Sizes, prefix_sums

_FurthestCut = Callable[[NDArray[np.int64], int, int, int, Sizes], int]
"""Returns the end of a chunk: `furthest_cut` or `furthest_paragraph_cut`."""


def furthest_cut(before: NDArray[np.int64], begin: int, stop: int, max_size: int, sizes: Sizes) -> int:
    """Return the furthest end of the chunk from `begin` within `max_size`; `stop` if everything fits.

    The chunk has at least one sentence, however large, and a heading is left to the text that follows it.

    Args:
        before: (n_sentences + 1,), the total size before each sentence, in the unit of `max_size`.
        begin: the chunk's first sentence.
        stop: the end of the span.
        max_size: the largest chunk, in any unit: words, characters or tokens.
        sizes: where the headings are.
    """
    furthest_that_fits = int(np.searchsorted(before, before[begin] + max_size, side="right")) - 1
    cut = max(furthest_that_fits, begin + 1)
    return sizes.cut_before_headings(cut, begin) if cut < stop else stop


def furthest_paragraph_cut(
    before: NDArray[np.int64], begin: int, stop: int, max_size: int, sizes: Sizes
) -> int:
    """Return the cut that `furthest_cut` returns, moved back to the last start of a paragraph in the chunk.

    A chunk that lies inside one paragraph is cut at the furthest sentence.
    """
    cut = furthest_cut(before, begin, stop, max_size, sizes)
    if cut == stop:
        return stop
    chunk = slice(begin + 1, cut + 1)
    paragraphs = np.flatnonzero(sizes.starts_block[chunk] & sizes.may_begin[chunk])
    return begin + 1 + int(paragraphs[-1]) if len(paragraphs) else cut


def count_overlap_sentences(before: NDArray[np.int64], begin: int, cut: int, overlap: int) -> int:
    """Return the number of whole sentences at the end of the chunk [begin, cut) that fit into `overlap`.

    `before` is as in `furthest_cut`, and `overlap` in the same unit.
    """
    first = int(np.searchsorted(before, before[cut] - overlap))
    return cut - max(first, begin)


def join_short_tails(
    boundaries: Sequence[Boundary], sizes: Sizes, weights: NDArray[np.int64], *, min_size: int, max_size: int
) -> Iterator[Boundary]:
    """Yield the boundaries, except where the last chunk of a span is too short and joins the one before.

    Args:
        boundaries: ascending, with or without those at the ends of spans.
        sizes: has the spans: stretches, such as chapters, that no chunk leaves.
        weights: (n_sentences,), the size of each sentence in the unit of the limits.
        min_size: a smaller tail is joined, unless the two together would exceed `max_size`.
        max_size: the largest chunk that joining may make.
    """
    before = prefix_sums(weights)
    stops = {stop for _, stop in sizes.spans()}
    edges = sorted({0, *stops, *(boundary.gap + 1 for boundary in boundaries)})
    joined = set()  # the first sentences of the tails that join the chunk before
    for begin, tail, stop in zip(edges, edges[1:], edges[2:], strict=False):
        # The last chunk of a span, unless it is the only one: then `tail` begins the span.
        is_tail = stop in stops and tail not in stops
        is_short = before[stop] - before[tail] < min_size
        if is_tail and is_short and before[stop] - before[begin] <= max_size:
            joined.add(tail)
    return (boundary for boundary in boundaries if boundary.gap + 1 not in joined)


def cut_into_windows(
    furthest: _FurthestCut, embeddings: Embeddings, sizes: Sizes, *, max_words: int, overlap_words: int
) -> Iterator[Boundary]:
    """Yield the cuts between windows of whole sentences, each of which may repeat the end of the one before.

    Args:
        furthest: finds the end of a window.
        embeddings: (n_sentences, dim); only the similarities that are recorded with the cuts depend on them.
        sizes: the sizes of the sentences; no window crosses a break.
        max_words: the most words of a window, including what it repeats.
        overlap_words: the most words that a window repeats.
    """
    similarities = similarities_or_zeros(embeddings)
    words_before = prefix_sums(sizes.words)
    for begin, stop in sizes.spans():
        max_new_words = max_words  # of the window, besides what it repeats
        while (cut := furthest(words_before, begin, stop, max_new_words, sizes)) < stop:
            overlap = count_overlap_sentences(words_before, begin, cut, overlap_words)
            yield Boundary(cut - 1, float(similarities[cut - 1]), None, Reason.MAX_SIZE, overlap=overlap)
            n_repeated = int(words_before[cut] - words_before[cut - overlap])
            begin, max_new_words = cut, max_words - n_repeated
