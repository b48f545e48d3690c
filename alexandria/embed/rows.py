"""Scales vectors to length 1."""

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings


def unit_rows(vectors: NDArray[np.floating]) -> Embeddings:
    """Return vectors, (n, dim), as float32 of length 1.

    Raises:
        FloatingPointError: a vector is not finite, or all zeros: a failed embedding must not be stored.
    """
    # einsum sums in float64 without a float64 copy of the vectors, which can take a gigabyte for a book.
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    bad = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0))
    if len(bad):
        raise FloatingPointError(f"the model gave no usable vector for text {bad[0]}")
    return np.asarray(vectors / lengths[:, None].astype(vectors.dtype), np.float32)
