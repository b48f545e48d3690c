"""What every encoder offers to the rest of the program."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy import float32
from numpy.typing import NDArray

from alexandria.book.choices import Precision
from alexandria.book.model import Embeddings

Counter = Callable[[int], None]  # called with how many more there are


def uncounted(n: int) -> None:
    """Count nothing."""


class Encoder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """The identity of the model: a collection is bound to it.

        The backend and the precision are not part of it, so that a library made on one machine can be
        searched on another. `Precision` says by how much similarities differ.
        """
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 vectors of length 1, in the order of the texts."""
        ...

    def coverage(self, texts: Sequence[str]) -> NDArray[float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that fits into the model's window."""
        ...


@runtime_checkable
class BackgroundEncoder(Encoder, Protocol):
    """An encoder that computes in the background, while its caller prepares the next book."""

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Start to encode texts, and return a function that waits for their vectors.

        Any thread may call that function, but only once. `encoded` is told, from any thread, how many more
        characters of the texts have their vectors.
        """
        ...


@runtime_checkable
class QueryEncoder(Encoder, Protocol):
    """An encoder that encodes questions differently from the texts that may answer them."""

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 vectors of length 1, those of questions."""
        ...


@runtime_checkable
class PreciseEncoder(Encoder, Protocol):
    """An encoder that knows the number format in which its model is computed."""

    def find_precision(self) -> Precision | None:
        """Return the number format, never `auto`, or None if that is not known. This may load the model."""
        ...


@runtime_checkable
class LexicalEncoder(Encoder, Protocol):
    """An encoder with a vocabulary of whole words."""

    def knows(self, word: str) -> bool:
        """Return whether the model has a word whole, not only in pieces, as it has misspelt ones."""
        ...


def knows(encoder: Encoder, word: str) -> bool:
    """Return whether an encoder's model has a word whole; False if it does not say."""
    return isinstance(encoder, LexicalEncoder) and encoder.knows(word)


def encode_queries(encoder: Encoder, texts: Sequence[str]) -> Embeddings:
    """Return the vectors of questions, (n_texts, dim); most models treat them as any other text."""
    return encoder.encode_queries(texts) if isinstance(encoder, QueryEncoder) else encoder.encode(texts)


def precision_of(encoder: Encoder) -> Precision | None:
    """Return the number format in which an encoder's model is computed, or None if it does not say."""
    return encoder.find_precision() if isinstance(encoder, PreciseEncoder) else None


def begin_encoding(
    encoder: Encoder, texts: Sequence[str], *, encoded: Counter = uncounted
) -> Callable[[], Embeddings]:
    """Start to encode texts, in the background if possible; return a function that waits for the vectors.

    `encoded` is told how many more characters have their vectors, except of texts that come from the cache.
    """
    if isinstance(encoder, BackgroundEncoder):
        return encoder.begin(texts, encoded=encoded)
    vectors = encoder.encode(texts)
    return lambda: vectors


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
