"""What every encoder offers to the rest of the program."""

from collections.abc import Callable, Sequence
from typing import Protocol

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

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 vectors of length 1, those of questions."""
        ...

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Start to encode texts, in the background if possible; return a function that waits for the vectors.

        Any thread may call that function, but only once. `encoded` is told, from any thread, how many more
        characters have their vectors, except of texts that come from the cache.
        """
        ...

    def coverage(self, texts: Sequence[str]) -> NDArray[float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that fits into the model's window."""
        ...

    def knows(self, word: str) -> bool:
        """Return whether the model has a word whole, not only in pieces, as it has misspelt ones.

        False if it has no vocabulary of whole words.
        """
        ...

    def find_precision(self) -> Precision | None:
        """Return the number format that this encoder computes in, never `auto`, or None if it is not known.

        This may load the model.
        """
        ...


class PlainEncoder:
    """What an encoder does that has `encode` alone: it computes at once, and takes questions for texts."""

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 vectors of length 1, in the order of the texts."""
        raise NotImplementedError

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return what `encode` returns."""
        return self.encode(texts)

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Encode texts, and return a function that returns their vectors."""
        vectors = self.encode(texts)
        return lambda: vectors

    def coverage(self, texts: Sequence[str]) -> NDArray[float32]:
        """Return ones: nothing of a text is cut off."""
        return np.ones(len(texts), np.float32)

    def knows(self, word: str) -> bool:
        """Return False: there is no vocabulary."""
        return False

    def find_precision(self) -> Precision | None:
        """Return None: there is no model in a number format."""
        return None


class ForwardingEncoder:
    """Another encoder, `inner`, in all that a subclass does not do itself; `encode` goes through `begin`."""

    @property
    def inner(self) -> Encoder:
        """The encoder that does the work."""
        raise NotImplementedError

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.inner.dim

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 vectors of length 1, in the order of the texts."""
        return self.begin(texts)()

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 vectors of length 1, those of questions."""
        return self.inner.encode_queries(texts)

    def begin(self, texts: Sequence[str], *, encoded: Counter = uncounted) -> Callable[[], Embeddings]:
        """Start to encode texts, and return a function that waits for their vectors."""
        return self.inner.begin(texts, encoded=encoded)

    def coverage(self, texts: Sequence[str]) -> NDArray[float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that fits into the model's window."""
        return self.inner.coverage(texts)

    def knows(self, word: str) -> bool:
        """Return whether the model has a word whole."""
        return self.inner.knows(word)

    def find_precision(self) -> Precision | None:
        """Return the number format of the model."""
        return self.inner.find_precision()


def encode_queries(encoder: Encoder, texts: Sequence[str]) -> Embeddings:
    """Return the vectors of questions, (n_texts, dim); most models treat them as any other text."""
    return encoder.encode_queries(texts)


def begin_encoding(
    encoder: Encoder, texts: Sequence[str], *, encoded: Counter = uncounted
) -> Callable[[], Embeddings]:
    """As `Encoder.begin`; `alexandria.embed` has had this function since 1.0.0, and the two below."""
    return encoder.begin(texts, encoded=encoded)


def knows(encoder: Encoder, word: str) -> bool:
    """As `Encoder.knows`."""
    return encoder.knows(word)


def precision_of(encoder: Encoder) -> Precision | None:
    """As `Encoder.find_precision`."""
    return encoder.find_precision()


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
