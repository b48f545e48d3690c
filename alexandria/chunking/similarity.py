"""The similarity of neighbouring sentences: the one signal that all strategies share."""

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Embeddings

_BLOCK = 4096  # gaps whose windows are summed at a time
MIN_SUM_LENGTH = 1e-6
"""Below this, the direction of a sum of float32 vectors of length 1 is only rounding error."""


def neighbour_similarities(embeddings: Embeddings) -> NDArray[np.float32]:
    """Return the cosine similarity across each gap, in [-1, 1].

    Gap i lies between sentence i and sentence i + 1.

    Args:
        embeddings: (n_sentences, dim), vectors of length 1.

    Returns:
        (n_sentences - 1,); empty for fewer than two sentences.

    Raises:
        ValueError: the vectors have no dimensions, because there is no encoder.
    """
    if len(embeddings) < 2:
        return np.empty(0, np.float32)
    if embeddings.shape[1] == 0:
        raise ValueError("similarities need embeddings, and there are none")
    products: NDArray[np.float32] = np.einsum("ij,ij->i", embeddings[:-1], embeddings[1:])
    # Rounding can take the product of two unit vectors slightly beyond 1.
    return products.clip(-1.0, 1.0)


def similarities_or_zeros(embeddings: Embeddings) -> NDArray[np.float32]:
    """Return the neighbour similarities, or 0 across each gap if the vectors have no dimensions."""
    if embeddings.shape[1] == 0:
        return np.zeros(max(len(embeddings) - 1, 0), np.float32)
    return neighbour_similarities(embeddings)


def window_similarities(embeddings: Embeddings, *, window: int) -> NDArray[np.float64]:
    """Return the cosine similarity of the mean sentence vectors on both sides of each gap, in [-1, 1].

    As TextTiling (Hearst 1997) compares blocks of words: a single pair of neighbours says less.

    Args:
        embeddings: (n_sentences, dim), vectors of length 1.
        window: sentences on each side, at least 1; fewer near the ends.

    Returns:
        (n_sentences - 1,); 0 where the sentences of a side cancel out.
    """
    n = len(embeddings)
    similarities = np.zeros(max(n - 1, 0))
    # In blocks: a long book then needs no second copy of its vectors.
    for low in range(1, n, _BLOCK):  # the gaps of a block are before the sentences from `low` to `high`
        high = min(low + _BLOCK, n)
        n_gaps = high - low
        # The sentences from the first window to the last, with zeros for those beyond the ends of the book.
        around = np.zeros((n_gaps + 2 * window - 1, embeddings.shape[1]), embeddings.dtype)
        first, stop = max(low - window, 0), min(high + window - 1, n)
        around[first - (low - window) :][: stop - first] = embeddings[first:stop]
        before, after = np.zeros((2, n_gaps, embeddings.shape[1]))
        for distance in range(window):  # of a sentence from the gap, outwards on both sides
            before += around[window - 1 - distance :][:n_gaps]
            after += around[window + distance :][:n_gaps]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        products = np.einsum("ij,ij->i", before, after)
        cosines = products / lengths.clip(min=MIN_SUM_LENGTH)
        similarities[low - 1 : high - 1] = np.where(lengths > MIN_SUM_LENGTH, cosines, 0.0)
    return similarities.clip(-1.0, 1.0)


def relative_window_similarities(embeddings: Embeddings, *, window: int, around: int) -> NDArray[np.float64]:
    """Return how the window similarity of each gap differs from the mean around it, in [-2, 2].

    Some books are alike everywhere and others nowhere: what counts is where one is less so than around.

    Args:
        embeddings: (n_sentences, dim), vectors of length 1.
        window: sentences on each side, as for `window_similarities`.
        around: gaps on either side whose mean is taken, with the gap itself; fewer near the ends.

    Returns:
        (n_sentences - 1,).
    """
    similarities = window_similarities(embeddings, window=window)
    n = len(similarities)
    sums_before = np.concatenate((np.zeros(1), np.cumsum(similarities)))
    first, stop = (np.arange(n) - around).clip(min=0), (np.arange(n) + around + 1).clip(max=n)
    means: NDArray[np.float64] = (sums_before[stop] - sums_before[first]) / (stop - first)
    return similarities - means


def paragraph_similarities(embeddings: Embeddings, starts_block: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the cosine similarity of the paragraphs on both sides of each gap between two, in [-1, 1].

    Args:
        embeddings: (n_sentences, dim), vectors of length 1.
        starts_block: (n_sentences,), whether a paragraph begins with each sentence.

    Returns:
        (n_sentences,), with the paragraph before the one that a sentence begins; 1 inside paragraphs.
    """
    similarities = np.ones(len(embeddings))
    starts = np.flatnonzero(starts_block | (np.arange(len(embeddings)) == 0))
    if len(starts) > 1:
        sums = np.add.reduceat(embeddings, starts, axis=0, dtype=np.float64)
        sums /= np.linalg.norm(sums, axis=1, keepdims=True).clip(min=MIN_SUM_LENGTH)
        similarities[starts[1:]] = np.einsum("ij,ij->i", sums[:-1], sums[1:]).clip(-1.0, 1.0)
    return similarities
