"""Windows of words that repeat a little of the one before: what the two baselines share."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Embeddings, Reason
from alexandria.chunking.packing import n_overlap_sentences
from alexandria.chunking.similarity import similarities_or_zeros
from alexandria.chunking.sizes import Sizes, prefix_sums

Cut = Callable[[NDArray[np.int64], int, int, int, Sizes], int]
"""Where a chunk ends, as `packing.furthest_cut` has it."""


def cut_into_windows(
    cut_of: Cut, embeddings: Embeddings, sizes: Sizes, *, max_words: int, overlap_words: int
) -> Iterator[Boundary]:
    """Yield the cuts between windows of at most `max_words`, up to `overlap_words` of which are repeated."""
    similarities = similarities_or_zeros(embeddings)
    before = prefix_sums(sizes.words)
    for begin, stop in sizes.spans():
        room = max_words
        while (cut := cut_of(before, begin, stop, room, sizes)) < stop:
            overlap = n_overlap_sentences(before, begin, cut, overlap_words)
            yield Boundary(cut - 1, float(similarities[cut - 1]), None, Reason.MAX_SIZE, overlap=overlap)
            begin, room = cut, max_words - int(before[cut] - before[cut - overlap])
