"""Chooses what computes a model: OpenVINO, or torch."""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from alexandria.book.choices import Backend, Precision
from alexandria.embed.adapted import AdaptedEncoder
from alexandria.embed.encoder import Encoder
from alexandria.embed.extra import package_version
from alexandria.embed.graph.folder import Graph, UnsupportedModelError
from alexandria.embed.graph.measure import actual_precision
from alexandria.embed.graph.prepare import delete_graphs, open_graph
from alexandria.embed.models.locate import Adaptation, Model
from alexandria.embed.openvino import DamagedGraphError, OpenVinoEncoder
from alexandria.errors import ConfigError
from alexandria.system.machine import may_have_gpu

log = logging.getLogger(__name__)

_T = TypeVar("_T")


def load_backend(
    model: Model, backend: Backend, precision: Precision, batch_size: int | None = None
) -> Encoder:
    """Load a model into memory.

    Args:
        precision: the number format it is computed in.
        batch_size: maximum number of texts computed at a time; by default as many as are fastest.

    Raises:
        ConfigError: the backend cannot run the model, or the model cannot be loaded.
    """
    log.debug("loading the model %s", model.label)
    if backend is Backend.TORCH or (backend is Backend.AUTO and not _openvino_version()):
        return _adapted(_load_in_torch(model, precision, batch_size), model)
    return _adapted(_load_in_openvino(model, backend, precision, batch_size), model)


def _adapted(encoder: Encoder, model: Model) -> Encoder:
    """Return a bare model with what is applied to it, if anything is."""
    return encoder if model.adaptation == Adaptation() else AdaptedEncoder(encoder, model)


def cache_key(model: Model, backend: Backend, precision: Precision) -> str:
    """Return a key of all that determines a text's vectors, besides the text: equal keys, equal vectors.

    To know what `auto` stands for, the model's graph is made if it does not exist; the model is not loaded.

    Raises:
        ConfigError: the graph cannot be made.
    """
    openvino_precision = plan_precision(model, backend, precision)
    if openvino_precision is not None:
        return f"{model.name} openvino {_openvino_version()} {openvino_precision}"
    # Torch will compute the model, and choose the format when it loads the model.
    return f"{model.name} torch {package_version('torch')} {precision}"


def plan_precision(model: Model, backend: Backend, precision: Precision) -> Precision | None:
    """Return the number format in which OpenVINO will compute a model.

    None if torch will compute it: torch chooses the format when it loads the model. To know what `auto`
    stands for, the graph is made and the formats are measured if they were not; the model is not loaded.

    Raises:
        ConfigError: the graph cannot be made, or not be computed in this format.
    """
    if backend is not Backend.TORCH and _openvino_version():
        with suppress(UnsupportedModelError):
            return _with_graph(model, lambda graph: actual_precision(graph, precision))
    return None


def may_use_gpu(model: Model, backend: Backend, precision: Precision) -> bool:
    """Return whether a GPU may compute a model where there is much text: torch has not been asked yet."""
    return (
        backend is Backend.AUTO
        and precision is not Precision.INT8
        and not model.is_multilingual
        and may_have_gpu()
        and bool(package_version("torch") and package_version("sentence-transformers"))
    )


def load_on_gpu(model: Model, precision: Precision, batch_size: int | None) -> Encoder | None:
    """Load a model on the GPU; None if torch finds no GPU."""
    import torch

    if not (torch.cuda.is_available() or torch.backends.mps.is_available()):
        return None
    return _adapted(_load_in_torch(model, precision, batch_size), model)


def _load_in_torch(model: Model, precision: Precision, batch_size: int | None) -> Encoder:
    """Load a model with torch, which cannot read the packaged multilingual model."""
    from alexandria.embed.torch import TorchEncoder

    if model.is_multilingual:
        raise ConfigError(
            "cannot run the multilingual model with torch",
            why="torch cannot read the format of its weights; only OpenVINO can",
            fix="--set backend=auto",
        )
    return TorchEncoder(model, precision, batch_size)


def _load_in_openvino(
    model: Model, backend: Backend, precision: Precision, batch_size: int | None
) -> Encoder:
    """Load a model with OpenVINO, or with torch if it has no graph and the backend is `auto`.

    Raises:
        ConfigError: OpenVINO is not installed or cannot run the model, or the model is damaged.
    """
    if not _openvino_version():
        raise ConfigError(
            "cannot use the backend openvino",
            why="the package openvino is not installed",
            fix="pip install openvino",
        )

    def load(graph: Graph) -> Encoder:
        return OpenVinoEncoder(model.name, graph, actual_precision(graph, precision), batch_size)

    try:
        return _with_graph(model, load)
    except UnsupportedModelError as error:
        if backend is Backend.OPENVINO:
            raise ConfigError(
                f"cannot run {model.name} with OpenVINO", why=str(error), fix="--set backend=auto"
            ) from error
        log.warning("%s runs on torch, which is slower: OpenVINO cannot run it (%s)", model.name, error)
        return _load_in_torch(model, precision, batch_size)


def _with_graph(model: Model, use: Callable[[Graph], _T]) -> _T:
    """Return what `use` makes of a model's graph; if the graph is damaged, make it again, once.

    Raises:
        ConfigError: the new graph cannot be read either, or cannot be made.
        UnsupportedModelError: the model has no graph.
    """
    try:
        return use(open_graph(model))
    except DamagedGraphError:
        delete_graphs(model)
    try:
        return use(open_graph(model))
    except DamagedGraphError as error:
        raise ConfigError(
            f"cannot load the model {model.label}",
            why=f"its graph cannot be read, not even one that has just been made: {error}",
            fix="get a fresh copy of the model, or use another one",
        ) from error


def _openvino_version() -> str:
    return package_version("openvino")
