"""What holds for every strategy: sections break, no chunk outgrows the cap, a short tail joins."""

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

    A chunk at the end of a span that is shorter than `min_words` joins the one before where the cap allows.
    A strategy's cut behind a heading is dropped: its own limits may be exceeded for that, the cap is not.

    Args:
        boundaries: what the strategy cut, inside the spans, ascending.
        sizes: of the sentences; its breaks become the section boundaries.
        similarities: (n_sentences - 1,), for the boundaries that are added here.
        min_words: the shortest tail that stands alone.
        max_words: no chunk is larger, but for a sentence that is larger by itself.
    """
    sections = (Boundary(i - 1, float(similarities[i - 1]), None, Reason.SECTION) for i in sizes.breaks)
    own = (boundary for boundary in boundaries if sizes.may_begin[boundary.gap + 1])
    cuts = sorted((*own, *sections), key=lambda boundary: boundary.gap)
    capped = list(_capped(cuts, sizes, similarities, max_words))
    return tuple(join_short_tails(capped, sizes, sizes.words, least=min_words, most=max_words))


def _capped(
    cuts: Sequence[Boundary], sizes: Sizes, similarities: NDArray[np.float32], max_words: int
) -> Iterator[Boundary]:
    """Yield the cuts, and more where a chunk between them is above the cap."""
    before = prefix_sums(sizes.words)
    begin = 0
    for cut in (*cuts, None):
        end = cut.gap + 1 if cut else len(sizes.words)
        while begin < end and (begin := furthest_cut(before, begin, end, max_words, sizes)) < end:
            yield Boundary(begin - 1, float(similarities[begin - 1]), None, Reason.MAX_SIZE)
        if cut:
            # Two sentences that do not fit into one chunk are parted by the cap, whatever the topic.
            fits = before[end + 1] - before[end - 1] <= max_words
            yield cut if fits or cut.reason is Reason.SECTION else replace(cut, reason=Reason.MAX_SIZE)
