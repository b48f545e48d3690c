"""Encoders without a model: one whose vectors have no dimensions, and one for tests, which counts words."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from alexandria.book.choices import NO_MODEL
from alexandria.book.model import Embeddings
from alexandria.embed.encoder import PlainEncoder, unit_rows


class HashingEncoder(PlainEncoder):
    """Counts each lower-case word in one of `dim` cells, with a sign: feature hashing (Weinberger 2009)."""

    def __init__(self, dim: int = 384) -> None:
        self.dim = dim
        self.name = f"hashing-{dim}"

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim); texts without a word share one vector."""
        vectors = np.zeros((len(texts), self.dim), np.float64)
        for vector, text in zip(vectors, texts, strict=True):
            for word in text.lower().split():
                code = crc32(word.encode())
                vector[code % self.dim] += 1 if code & 0x8000_0000 else -1
        vectors[~vectors.any(axis=1), 0] = 1  # no word, or words that cancel out
        return unit_rows(vectors)


class NoEncoder(PlainEncoder):
    """Gives every text a vector without dimensions."""

    name = NO_MODEL
    dim = 0

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, 0)."""
        return np.empty((len(texts), 0), np.float32)
