"""A model as an OpenVINO graph: converted once with torch, then stored in the cache folder."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from alexandria.cache import graphs_folder
from alexandria.embed.locate import Model
from alexandria.errors import ConfigError, io_reason

# What decides the graph besides the weights: another version may convert a model differently.
_LIBRARIES = ("openvino", "sentence-transformers", "tokenizers", "torch", "transformers")
REFUSED = "refused.txt"
"""In the folder of a model that cannot be converted; it holds the reason. Conversion is not tried again."""
FACTS = "graph.json"


class UnsupportedModelError(Exception):
    """The model cannot be converted; the message says why."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A converted model in its folder."""

    folder: Path
    dim: int
    window: int | None
    """Word pieces that the model reads, including the marks at start and end; None for any number."""
    pad: int
    """The piece that rows are padded with."""

    @property
    def network(self) -> Path:
        """The file that OpenVINO reads, in f32."""
        return self.folder / "graph.xml"

    @property
    def half(self) -> Path:
        """The same in f16: exists only if the processor supports f16 and f16 can represent the model."""
        return self.folder / "f16.xml"

    @property
    def tokenizer(self) -> Path:
        """The file that `tokenizers` reads."""
        return self.folder / "tokenizer.json"


def open_graph(model: Model) -> Graph:
    """Return the model's graph, converting the model unless this machine has done so before.

    Raises:
        UnsupportedModelError: the graph would not give the model's vectors, now or when last tried.
        ConfigError: the model cannot be loaded, or the cache folder cannot be written.
    """
    folder = graphs_folder() / f"{model.digest}-{_versions()}"
    if (graph := read_graph(folder)) is not None:
        return graph
    with _alone_in(folder.parent):
        return read_graph(folder) or _make_graph(model, folder)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Let one process at a time convert models; the others wait, then use its graph."""
    descriptor = None
    with suppress(OSError):  # a file system without locks: at worst, two processes convert
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _make_graph(model: Model, folder: Path) -> Graph:
    delete_graphs(model)
    new = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    try:
        new.mkdir(parents=True, exist_ok=True)
        _convert(model, new)
        new.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # otherwise another process has converted it meanwhile
            raise ConfigError(
                f"cannot store the converted model in {folder.parent}",
                why=io_reason(error),
                fix="set ALEXANDRIA_CACHE to a writable folder, or --set backend=torch",
            ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    if (graph := read_graph(folder)) is None:
        raise UnsupportedModelError("its graph cannot be read back")
    return graph


def delete_graphs(model: Model) -> None:
    """Delete the model's graphs: those of other library versions, or a damaged one."""
    for old in graphs_folder().glob(f"{model.digest}-*"):
        shutil.rmtree(old, ignore_errors=True)


def without_telemetry() -> None:
    """Prevent OpenVINO from sending usage data; call this before importing it."""
    # Its converter sends events unless this package is missing: None stands for a failed import.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # documented for sys.modules


def _versions() -> str:
    return sha256(" ".join(map(version, _LIBRARIES)).encode()).hexdigest()[:12]


def read_graph(folder: Path) -> Graph | None:
    """Return the graph in a folder, or None if there is none.

    Raises:
        UnsupportedModelError: the model could not be converted.
    """
    if (folder / REFUSED).exists():
        raise UnsupportedModelError((folder / REFUSED).read_text(encoding="utf-8"))
    try:
        return Graph(folder, **json.loads((folder / FACTS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _convert(model: Model, folder: Path) -> None:
    """Write the graph into the folder, in a separate process: torch is large and not needed afterwards."""
    model.check()
    command = [sys.executable, "-m", "alexandria.embed.convert", str(model.folder), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise UnsupportedModelError(f"its conversion failed: {last}")
