"""Sentences become unit vectors.

To add an encoder, write `embed/<name>.py` with a class that satisfies `Encoder`, and add a line to
`load_encoder`. Heavy packages are imported inside functions: a command that embeds nothing never loads them.
"""

from alexandria.embed.encoder import BackgroundEncoder, Encoder, begin_encoding, precision_of
from alexandria.embed.locate import DEFAULT_MODEL
from alexandria.modes import Backend, Precision

__all__ = [
    "DEFAULT_MODEL",
    "BackgroundEncoder",
    "Encoder",
    "begin_encoding",
    "cached",
    "load_encoder",
    "precision_of",
]


def load_encoder(
    model: str = DEFAULT_MODEL,
    *,
    backend: Backend = Backend.AUTO,
    precision: Precision = Precision.AUTO,
    cache: bool = False,
) -> Encoder:
    """Return the encoder of a model; the weights are loaded when the first vector is requested.

    Args:
        model: the packaged model, the name or folder of a sentence-transformers model, or `hashing`.
        backend: what computes the model.
        precision: the numbers it is computed in.
        cache: store the vectors of encoded texts, and reuse those of earlier runs.

    Raises:
        ConfigError: the model is not on this machine and cannot be downloaded, or its files are not sound.
    """
    if model == "hashing":
        from alexandria.embed.hashing import HashingEncoder

        return HashingEncoder()
    from functools import cache as cache_once
    from functools import partial

    from alexandria.embed.backends import cache_key, load_backend, planned_precision
    from alexandria.embed.deferred import DeferredEncoder
    from alexandria.embed.locate import locate

    located = locate(model)
    encoder = DeferredEncoder(
        name=located.name,
        dim=located.dim,
        cache_key=cache_once(partial(cache_key, located, backend, precision)),
        precision=cache_once(partial(planned_precision, located, backend, precision)),
        load=partial(load_backend, located, backend, precision),
    )
    return cached(encoder) if cache else encoder


def cached(encoder: Encoder) -> Encoder:
    """Return the encoder with a cache of its vectors; one that needs no model is returned unchanged."""
    from alexandria.embed.cache import CachedEncoder
    from alexandria.embed.deferred import DeferredEncoder

    return CachedEncoder(encoder, encoder.cache_key) if isinstance(encoder, DeferredEncoder) else encoder
