"""An encoder that is chosen and loaded when first needed: what is in the cache never needs it."""

import logging
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed import Encoder, begin_encoding
from alexandria.embed.locate import Model
from alexandria.errors import ConfigError
from alexandria.modes import Backend, Precision

log = logging.getLogger(__name__)


class DeferredEncoder:
    """A model that is not in memory yet."""

    def __init__(self, model: Model, backend: Backend, precision: Precision) -> None:
        self.name = model.name
        self._model, self._backend, self._precision = model, backend, precision

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._model.dim or self._loaded.dim

    @property
    def variant(self) -> str:
        """What vectors of this machine depend on besides the texts: kept vectors are known by it."""
        return f"{self.name} {self._backend} {self._precision} {_openvino_version()}"

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """Return (n_texts, dim) float32 rows of length 1, in the order of the texts."""
        return self._loaded.encode(texts)

    def begin(self, texts: Sequence[str]) -> Callable[[], Embeddings]:
        """Start to encode texts, and return what waits for their rows."""
        return begin_encoding(self._loaded, texts)

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n_texts,): the share of each text, in (0, 1], that the model's window holds."""
        return self._loaded.coverage(texts)

    @cached_property
    def _loaded(self) -> Encoder:
        if self._backend is Backend.TORCH or (self._backend is Backend.AUTO and not _openvino_version()):
            return _on_torch(self._model, self._precision)
        return _on_openvino(self._model, self._backend, self._precision)


def _on_torch(model: Model, precision: Precision) -> Encoder:
    from alexandria.embed.torch import TransformerEncoder

    return TransformerEncoder(model, precision)


def _on_openvino(model: Model, backend: Backend, precision: Precision) -> Encoder:
    if not _openvino_version():
        raise ConfigError(
            "cannot use the backend openvino",
            why="the package openvino is not installed",
            fix="pip install openvino",
        )
    from alexandria.embed.graph import UnsupportedModelError, drop_graphs, open_graph
    from alexandria.embed.openvino import DamagedGraphError, OpenVinoEncoder

    try:
        try:
            return OpenVinoEncoder(model.name, open_graph(model), precision)
        except DamagedGraphError:
            drop_graphs(model)
            return OpenVinoEncoder(model.name, open_graph(model), precision)
    except UnsupportedModelError as error:
        if backend is Backend.OPENVINO:
            raise ConfigError(
                f"cannot compute {model.name} with OpenVINO", why=str(error), fix="--set backend=auto"
            ) from error
        log.warning("%s runs on torch, which is slower: OpenVINO cannot take it (%s)", model.name, error)
        return _on_torch(model, precision)


def _openvino_version() -> str:
    try:
        return version("openvino")
    except PackageNotFoundError:
        return ""
