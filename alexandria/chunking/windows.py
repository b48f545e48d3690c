"""Windows that repeat the end of the previous one: shared by the two baselines."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Embeddings, Reason
from alexandria.chunking.packing import n_overlap_sentences
from alexandria.chunking.similarity import similarities_or_zeros
from alexandria.chunking.sizes import Sizes, prefix_sums

Cut = Callable[[NDArray[np.int64], int, int, int, Sizes], int]
"""Returns the end of a chunk; with the signature of `packing.furthest_cut`."""


def cut_into_windows(
    cut_of: Cut, embeddings: Embeddings, sizes: Sizes, *, max_words: int, overlap_words: int
) -> Iterator[Boundary]:
    """Yield the cuts between windows of up to `max_words`, of which up to `overlap_words` are repeated."""
    similarities = similarities_or_zeros(embeddings)
    before = prefix_sums(sizes.words)
    for begin, stop in sizes.spans():
        room = max_words
        while (cut := cut_of(before, begin, stop, room, sizes)) < stop:
            overlap = n_overlap_sentences(before, begin, cut, overlap_words)
            yield Boundary(cut - 1, float(similarities[cut - 1]), None, Reason.MAX_SIZE, overlap=overlap)
            begin, room = cut, max_words - int(before[cut] - before[cut - overlap])
