"""Arithmetic on embedding rows, done in one place."""

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings


def unit_rows(rows: NDArray[np.floating]) -> Embeddings:
    """Return the rows as float32 of length 1.

    Raises:
        FloatingPointError: a row is not finite or is all zeros; a failed embedding is never a zero vector.
    """
    lengths: NDArray[np.float64] = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        bad = int(np.flatnonzero(~np.isfinite(lengths[:, 0]) | (lengths[:, 0] == 0))[0])
        raise FloatingPointError(f"the model gave no usable vector for text {bad}")
    return np.asarray(rows / lengths, np.float32)
