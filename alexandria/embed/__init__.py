"""Sentences become unit vectors.

To add an encoder: write `embed/<name>.py` with a class that answers `Encoder`, and a line in `load_encoder`.
Heavy packages are imported inside, so that a command which embeds nothing never loads them.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from numpy import float32
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed.locate import DEFAULT_MODEL
from alexandria.modes import Backend, Precision

__all__ = [
    "DEFAULT_MODEL",
    "Encoder",
    "EncodesAhead",
    "begin_encoding",
    "cached",
    "load_encoder",
]


class Encoder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Which model it is: a collection is bound to it.

        What computes the model, and in which precision, is not in it: those vectors differ by less than
        .003 in any similarity, so a library made on one machine can be searched on another.
        """
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 rows of length 1, in the order of the texts."""
        ...

    def coverage(self, texts: Sequence[str]) -> NDArray[float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that the model's window holds."""
        ...


@runtime_checkable
class EncodesAhead(Encoder, Protocol):
    """An encoder that computes while its caller goes on: the next book is made ready meanwhile."""

    def begin(self, texts: Sequence[str]) -> Callable[[], Embeddings]:
        """Start to encode texts, and return what waits for their rows: any thread may call it, once."""
        ...


def begin_encoding(encoder: Encoder, texts: Sequence[str]) -> Callable[[], Embeddings]:
    """Start to encode texts, as far as the encoder can, and return what waits for their rows."""
    if isinstance(encoder, EncodesAhead):
        return encoder.begin(texts)
    rows = encoder.encode(texts)
    return lambda: rows


def load_encoder(
    model: str = DEFAULT_MODEL,
    *,
    backend: Backend = Backend.AUTO,
    precision: Precision = Precision.AUTO,
    cache: bool = False,
) -> Encoder:
    """Return the encoder for a model; its weights are loaded when it is first asked for a vector.

    Args:
        model: the packaged one, a sentence-transformers name or folder, or `hashing`.
        backend: what computes it.
        precision: in which numbers.
        cache: keep the vectors of what is encoded, and take from there what was encoded before.

    Raises:
        ConfigError: the model is not on this machine and cannot be fetched, or is not what it should be.
    """
    if model == "hashing":
        from alexandria.embed.hashing import HashingEncoder

        return HashingEncoder()
    from alexandria.embed.deferred import DeferredEncoder
    from alexandria.embed.locate import locate

    encoder = DeferredEncoder(locate(model), backend, precision)
    return cached(encoder) if cache else encoder


def cached(encoder: Encoder) -> Encoder:
    """Return the same encoder, using the cache of vectors; one that needs no model stays as it is."""
    from alexandria.embed.cache import CachedEncoder
    from alexandria.embed.deferred import DeferredEncoder

    return CachedEncoder(encoder, encoder.variant) if isinstance(encoder, DeferredEncoder) else encoder
