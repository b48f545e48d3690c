"""The similarity of neighbouring sentences: the one signal that all strategies share."""

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings


def neighbour_similarities(embeddings: Embeddings) -> NDArray[np.float32]:
    """Return the cosine similarity across each gap, in [-1, 1].

    Gap i lies between sentence i and sentence i + 1.

    Args:
        embeddings: (n_sentences, dim), rows of length 1.

    Returns:
        (n_sentences - 1,); empty for fewer than two sentences.

    Raises:
        ValueError: the rows have no dimensions, because there is no encoder.
    """
    if len(embeddings) < 2:
        return np.empty(0, np.float32)
    if embeddings.shape[1] == 0:
        raise ValueError("similarities need embeddings, and there are none")
    products: NDArray[np.float32] = np.einsum("ij,ij->i", embeddings[:-1], embeddings[1:])
    # Rounding can take the product of two unit rows slightly beyond 1.
    return products.clip(-1.0, 1.0)


def similarities_or_zeros(embeddings: Embeddings) -> NDArray[np.float32]:
    """Return the neighbour similarities, or 0 across each gap if the rows have no dimensions."""
    if embeddings.shape[1] == 0:
        return np.zeros(max(len(embeddings) - 1, 0), np.float32)
    return neighbour_similarities(embeddings)
