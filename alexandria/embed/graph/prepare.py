"""Makes the graph of a model once, and stores it in the cache folder.

The graph is built from the model's weights if its architecture is known here, and otherwise converted by
torch.
"""

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from alexandria.embed.extra import package_version, require_extra
from alexandria.embed.graph.folder import Graph, UnsupportedModelError, folder_lock, read_graph
from alexandria.embed.models.locate import Model
from alexandria.errors import ConfigError, io_reason
from alexandria.system.cache import graphs_folder

log = logging.getLogger(__name__)

_BUILD_VERSION = 3  # increased when graphs are built differently
_CONVERTERS = ("openvino", "sentence-transformers", "tokenizers", "torch", "transformers")
"""Packages whose versions decide a converted graph: another version may convert a model differently."""
_BYTES_PER_SECOND = 30 << 20
"""How many bytes of weights per second a graph is built from; measured on a slow core."""


def open_graph(model: Model) -> Graph:
    """Return the model's graph, and make it if this machine has not done so before.

    Raises:
        UnsupportedModelError: the graph would not give the model's vectors, now or when last tried.
        ConfigError: the model cannot be loaded, it needs packages that are not installed, or the cache folder
            cannot be written.
    """
    if (graph := find_graph(model)) is not None:
        return graph
    with folder_lock(graphs_folder()):
        # Another process may have made it while this one waited.
        return find_graph(model) or _make_graph(model)


def delete_graphs(model: Model) -> None:
    """Delete the model's graphs, such as those of other versions of the packages, or a damaged one."""
    for old in graphs_folder().glob(f"{model.digest}-*"):
        shutil.rmtree(old, ignore_errors=True)


def find_graph(model: Model) -> Graph | None:
    """Return the model's graph, or None if it has not been made on this machine.

    Raises:
        UnsupportedModelError: the model could not be converted.
    """
    return read_graph(_built_folder(model)) or read_graph(_converted_folder(model))


def _make_graph(model: Model) -> Graph:
    """Delete older graphs of the model; build its graph, or convert the model if that is not possible."""
    from alexandria.embed.graph.blueprint import UnknownModelError, read_blueprint
    from alexandria.embed.graph.build import build_graph
    from alexandria.embed.models.e5_file import multilingual_blueprint

    delete_graphs(model)
    model.check()
    try:
        if model.is_multilingual:
            blueprint = multilingual_blueprint(model.folder)
        else:
            blueprint = replace(read_blueprint(model.folder), allows_int8=model.is_default)
        seconds = max(3, blueprint.weights.stat().st_size // _BYTES_PER_SECOND)
        log.info("preparing the model %s for this processor (only once, about %d s)", model.label, seconds)
        return _write_folder(_built_folder(model), partial(build_graph, blueprint))
    except UnknownModelError as error:
        require_extra(
            "sentence_transformers",
            what=f"cannot run the model {model.name}",
            why=f"only torch can ({error})",
        )
        log.info("converting the model %s with torch (only once, up to two minutes)", model.label)
        return _write_folder(_converted_folder(model), partial(_convert, model))


def _write_folder(folder: Path, make: Callable[[Path], object]) -> Graph:
    """Let `make` fill a temporary folder, rename it to `folder` once complete, and return the graph in it."""
    new = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    try:
        new.mkdir(parents=True, exist_ok=True)
        make(new)
        new.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # otherwise, another process has made the graph at the same time
            raise ConfigError(
                f"cannot store the converted model in {folder.parent}",
                why=io_reason(error),
                fix="set ALEXANDRIA_CACHE to a writable folder",
            ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    if (graph := read_graph(folder)) is None:
        raise UnsupportedModelError("its graph cannot be read back")
    return graph


def _built_folder(model: Model) -> Path:
    return _graph_folder(model, f"built {_BUILD_VERSION} {package_version('openvino')}")


def _converted_folder(model: Model) -> Path:
    return _graph_folder(model, " ".join(("converted", *map(package_version, _CONVERTERS))))


def _graph_folder(model: Model, makers: str) -> Path:
    """Return the folder of a model's graph; `makers` names what made the graph, with versions."""
    return graphs_folder() / f"{model.digest}-{sha256(makers.encode()).hexdigest()[:12]}"


def _convert(model: Model, folder: Path) -> None:
    """Write the graph into the folder, in a separate process: torch is large and not needed afterwards."""
    command = [sys.executable, "-m", "alexandria.embed.graph.convert", str(model.folder), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        last_line = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise UnsupportedModelError(f"its conversion failed: {last_line}")
