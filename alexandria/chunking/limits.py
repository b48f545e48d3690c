"""What holds for every strategy: sections break, no chunk outgrows the cap, a short tail joins."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Reason
from alexandria.chunking.packing import last_cut
from alexandria.chunking.sizes import Sizes, running


def limit(
    boundaries: Sequence[Boundary],
    sizes: Sizes,
    similarities: NDArray[np.float32],
    *,
    min_words: int,
    max_words: int,
) -> tuple[Boundary, ...]:
    """Return the strategy's boundaries with those of the sections and the cap, ascending.

    A chunk at the end of a span that is shorter than `min_words` joins the one before where the cap allows.

    Args:
        boundaries: what the strategy cut, inside the spans, ascending.
        sizes: of the sentences; its breaks become the section boundaries.
        similarities: (n_sentences - 1,), for the boundaries that are added here.
        min_words: the shortest tail that stands alone.
        max_words: no chunk is larger, but for a sentence that is larger by itself.
    """
    before = running(sizes.words)
    own = {boundary.gap + 1: boundary for boundary in boundaries}
    limited: list[Boundary] = []
    for first, stop in sizes.spans():
        if first:
            limited.append(Boundary(first - 1, float(similarities[first - 1]), None, Reason.SECTION))
        cuts = [own[i] for i in range(first + 1, stop) if i in own]
        inside = list(_capped(cuts, first, stop, sizes, before, similarities, max_words))
        if inside and _tail_joins(inside, first, stop, before, min_words, max_words):
            inside.pop()
        limited += inside
    return tuple(limited)


def _capped(
    cuts: Sequence[Boundary],
    first: int,
    stop: int,
    sizes: Sizes,
    before: NDArray[np.int64],
    similarities: NDArray[np.float32],
    max_words: int,
) -> Iterator[Boundary]:
    """Yield the cuts of a span, and more where a chunk between them is above the cap."""
    begin = first
    for end, cut in [*((cut.gap + 1, cut) for cut in cuts), (stop, None)]:
        while (begin := last_cut(before, begin, end, max_words, sizes)) < end:
            yield Boundary(begin - 1, float(similarities[begin - 1]), None, Reason.MAX_SIZE)
        if cut:
            # Two sentences that do not fit into one chunk are parted by the cap, whatever the topic.
            fits = before[end + 1] - before[end - 1] <= max_words
            yield cut if fits else replace(cut, reason=Reason.MAX_SIZE)


def _tail_joins(
    inside: Sequence[Boundary],
    first: int,
    stop: int,
    before: NDArray[np.int64],
    min_words: int,
    max_words: int,
) -> bool:
    begin = inside[-2].gap + 1 if len(inside) > 1 else first
    tail = before[stop] - before[inside[-1].gap + 1]
    return bool(tail < min_words and before[stop] - before[begin] <= max_words)
