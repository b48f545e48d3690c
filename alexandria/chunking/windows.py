"""Windows that repeat the end of the previous one: shared by the two baselines."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Embeddings, Reason
from alexandria.chunking.packing import count_overlap_sentences
from alexandria.chunking.similarity import similarities_or_zeros
from alexandria.chunking.sizes import Sizes, prefix_sums

FurthestCut = Callable[[NDArray[np.int64], int, int, int, Sizes], int]
"""Returns the end of a chunk: `packing.furthest_cut` or `packing.furthest_paragraph_cut`."""


def cut_into_windows(
    furthest: FurthestCut, embeddings: Embeddings, sizes: Sizes, *, max_words: int, overlap_words: int
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
