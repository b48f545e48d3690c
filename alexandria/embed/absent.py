"""No model: vectors without dimensions, for strategies that cut by size and libraries searched by keyword."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.modes import NO_MODEL


class NoEncoder:
    """Gives every text a vector without dimensions."""

    name = NO_MODEL
    dim = 0

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, 0)."""
        return np.empty((len(texts), 0), np.float32)

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return 1 for every text: nothing of it is cut off."""
        return np.ones(len(texts), np.float32)
