"""A model's graph, which OpenVINO computes, in a folder of the cache; and how OpenVINO is imported."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

_FACTS = "graph.json"
"""File with the fields of `Graph`, except its folder, or with the reason why there is no graph."""
_REFUSED = "refused"
MAX_WINDOW = 2048
"""Word pieces that are read of a text, if the model reads more: at 2,048 two texts take 1 GB, at 8,192 13 GB.
No sentence, and no chunk of the usual size, is longer."""
_CONVERTER = "openvino.tools.ovc"


class UnsupportedModelError(Exception):
    """The model has no graph; the message says why."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A model's graph in its folder."""

    folder: Path
    dim: int
    window: int  # word pieces that the model reads, including the marks at start and end, up to `MAX_WINDOW`
    pad: int  # the id of the word piece with which shorter texts of a batch are padded
    query: str = ""  # prefix of a question
    passage: str = ""  # prefix of a text that may answer a question
    allows_int8: bool = False  # whether `auto` may stand for int8

    @property
    def network(self) -> Path:
        """The file that OpenVINO reads; its weights are in f32."""
        return self.folder / "graph.xml"

    @property
    def int8(self) -> Path:
        """The same network with int8 weights: exists once it has been needed."""
        return self.folder / "int8.xml"

    @property
    def tokenizer(self) -> Path:
        """The file that `tokenizers` reads."""
        return self.folder / "tokenizer.json"


def write_facts(folder: Path, **facts: object) -> Graph:
    """Write everything that a graph needs besides its network and tokenizer, and return the graph."""
    (folder / _FACTS).write_text(json.dumps(facts), encoding="utf-8")
    graph = read_graph(folder)
    if graph is None:
        raise UnsupportedModelError("its graph cannot be read back")
    return graph


def write_refusal(folder: Path, why: str) -> None:
    """Note that a model has no graph, so that its conversion is not tried again."""
    (folder / _FACTS).write_text(json.dumps({_REFUSED: why}), encoding="utf-8")


def read_graph(folder: Path) -> Graph | None:
    """Return the graph in a folder, or None if there is no readable one.

    Raises:
        UnsupportedModelError: the model could not be converted.
    """
    try:
        facts = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
        if _REFUSED in facts:
            raise UnsupportedModelError(facts[_REFUSED])
        window = min(facts["window"] or MAX_WINDOW, MAX_WINDOW)
        return Graph(folder, **{**facts, "window": window})
    except (OSError, ValueError, TypeError, KeyError):
        return None


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder while something is made in it; other processes wait.

    Where locks are not available (Windows, some network drives), nothing is locked: at worst, two processes
    make the same.
    """
    descriptor = None
    with suppress(OSError, ImportError):
        import fcntl

        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def import_openvino() -> Any:
    """Return the module `openvino`, which then sends no usage data, and loads its converter on first use."""
    # The converter sends events if this package can be imported; None in sys.modules makes the import fail.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # documented for sys.modules
    if "openvino" in sys.modules:
        return sys.modules["openvino"]
    # The converter takes a third of the time of the import, and OpenVINO does without it if it is missing.
    is_hidden = sys.modules.setdefault(_CONVERTER, None) is None  # type: ignore[arg-type]  # as above
    try:
        import openvino  # type: ignore[import-untyped]  # it ships no types
    finally:
        if is_hidden:
            del sys.modules[_CONVERTER]
    if is_hidden:
        openvino.__getattr__ = _import_from_converter
    return openvino


def _import_from_converter(name: str) -> object:
    """Return what the module `openvino` would have imported from its converter."""
    if name == "convert_model":
        return import_module(_CONVERTER).convert_model
    raise AttributeError(f"module 'openvino' has no attribute {name!r}")
