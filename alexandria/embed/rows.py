"""Arithmetic on embedding rows."""

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings


def unit_rows(rows: NDArray[np.floating]) -> Embeddings:
    """Return the rows as float32 of length 1.

    Raises:
        FloatingPointError: a row is not finite or all zeros; a failed embedding never becomes a zero vector.
    """
    # einsum sums in float64 without a float64 copy of the rows, which can take a gigabyte for a book.
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    bad = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0))
    if len(bad):
        raise FloatingPointError(f"the model gave no usable vector for text {bad[0]}")
    return np.asarray(rows / lengths[:, None].astype(rows.dtype), np.float32)
