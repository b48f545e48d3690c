"""Turns sentences into unit vectors.

`encoder.py` says what an encoder is; `openvino.py` has the usual one, `graph/` makes what it computes, and
`models/` finds what it is made of. These two import from each other: a graph is made of a model's files, and
`models/e5_file` makes files of a graph.

To add an encoder, write `embed/<name>.py` with a class that satisfies `Encoder`, and add a line to
`load_encoder`. Heavy packages are imported inside functions: a command that embeds nothing never loads them.
"""

from functools import cache as cache_once
from functools import partial

from alexandria.book.choices import Backend, Precision, ThresholdScale
from alexandria.embed.encoder import Encoder, begin_encoding, encode_queries, knows, precision_of
from alexandria.embed.hashing import NoEncoder
from alexandria.embed.models.locate import DEFAULT_MODEL, Model
from alexandria.embed.models.multilingual import MULTILINGUAL

__all__ = [
    "DEFAULT_MODEL",
    "MULTILINGUAL",
    "Encoder",
    "NoEncoder",
    "begin_encoding",
    "encode_queries",
    "knows",
    "load_encoder",
    "precision_of",
    "with_cache",
]


def load_encoder(
    model: str = DEFAULT_MODEL,
    *,
    backend: Backend = Backend.AUTO,
    precision: Precision = Precision.AUTO,
    batch_size: int | None = None,
    cache: bool = False,
    dimensions: int | None = None,
    threshold_scale: ThresholdScale = ThresholdScale.MAPPED,
    bound_to: str | None = None,
    shared: bool = False,
) -> Encoder:
    """Return the encoder of a model; the weights are loaded when the first vector is requested.

    Texts get the prompts that the model was trained with: questions in `encode_queries`, all others in
    `encode`.

    Args:
        model: a packaged model (`all-MiniLM-L6-v2`, `multilingual`), the name or folder of a
            sentence-transformers model, or `hashing`.
        precision: the number format it is computed in.
        batch_size: maximum number of texts computed at a time; by default as many as are fastest.
        cache: store the vectors of encoded texts, and reuse those of earlier runs.
        dimensions: how many numbers of each vector to keep; by default, all.
        threshold_scale: whether similarities are made like those of the default model.
        bound_to: the name of the encoder of a library: its vectors are made like those that are there, if
            neither dimensions nor scale are given.
        shared: return the same encoder in every call: its weights are in memory once.

    Raises:
        ConfigError: the model is not on this machine and cannot be downloaded, its files are damaged, or its
            vectors cannot be used so.
    """
    if model == "hashing":
        from alexandria.embed.hashing import HashingEncoder

        return HashingEncoder()
    from alexandria.embed.models.locate import locate

    scaled = threshold_scale is ThresholdScale.MAPPED
    located = locate(model, dimensions=dimensions, scaled=scaled, bound_to=bound_to)
    encoder = (_shared_encoder if shared else _deferred_encoder)(located, backend, precision, batch_size)
    return with_cache(encoder) if cache else encoder


def _deferred_encoder(
    located: Model, backend: Backend, precision: Precision, batch_size: int | None
) -> Encoder:
    """Return an encoder that loads the model when the first vector is requested."""
    from alexandria.embed.backends import cache_key, load_backend, load_on_gpu, may_use_gpu, plan_precision
    from alexandria.embed.deferred import DeferredEncoder

    encoder = DeferredEncoder(
        name=located.name,
        dim=located.dim,
        cache_key=cache_once(partial(cache_key, located, backend, precision)),
        precision=cache_once(partial(plan_precision, located, backend, precision)),
        load=partial(load_backend, located, backend, precision, batch_size),
    )
    if not may_use_gpu(located, backend, precision):
        return encoder
    from alexandria.embed.deferred import ScalingEncoder

    return ScalingEncoder(encoder, partial(load_on_gpu, located, precision, batch_size))


_shared_encoder = cache_once(_deferred_encoder)


def with_cache(encoder: Encoder) -> Encoder:
    """Return the encoder with a cache of its vectors, or the encoder itself if it needs no model."""
    from alexandria.embed.cache import CachedEncoder
    from alexandria.embed.deferred import DeferredEncoder, ScalingEncoder

    if not isinstance(encoder, DeferredEncoder | ScalingEncoder):
        return encoder
    return CachedEncoder(encoder, encoder.cache_key)
