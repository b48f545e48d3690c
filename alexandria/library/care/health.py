"""The checks of `alexandria doctor`: this machine, the model, the library, and helpful programs."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from alexandria.book.choices import Precision
from alexandria.chunking.domains import load_domain, user_folder
from alexandria.embed import DEFAULT_MODEL
from alexandria.embed.extra import extra_command
from alexandria.embed.graph.measure import Trial, choose_format, supported_formats
from alexandria.embed.models.locate import locate
from alexandria.embed.models.packaged import models_folder, models_folders
from alexandria.errors import AlexandriaError, ConfigError
from alexandria.library.care.models import INSTALL_COMMAND, Weights, describe_model, find_models, trials_of
from alexandria.library.location import default_address
from alexandria.library.opened import LoadedModels, OpenLibrary
from alexandria.store import LOCAL, MEMORY, SERVER_SCHEMES, Server, is_folder, server_version
from alexandria.store.folder import MARKER
from alexandria.store.lock import is_locked, read_owner
from alexandria.store.sharing import Access
from alexandria.system import __version__
from alexandria.system.cache import cache_folder, usage
from alexandria.system.files import size_of_folder
from alexandria.system.machine import free_bytes, n_cpus

_MIN_DISK_BYTES = 1 << 30
_MIN_MEMORY_BYTES = 1 << 30  # enough for the program, its model, and a book of 100,000 words
_PROGRAMS = {
    "tesseract": "reads scanned pages (--ocr)",
    "ocrmypdf": "adds a text layer to scanned PDFs, also for other programs",
    "ebook-convert": "calibre's converter of LIT, CHM and other formats",
}
_EXTRAS = {"models": "sentence_transformers", "ray": "ray", "parquet": "pyarrow"}
"""The extras of this package, each with the module by which it is recognised."""


class State(StrEnum):
    """The state of something that was checked."""

    OK = "ok"
    MISSING = "missing"  # optional, and not on this machine
    WRONG = "wrong"  # Alexandria cannot work with it


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check."""

    name: str
    state: State
    value: str
    fix: str | None = None


def diagnose(store: str | None = None, server: Server | None = None) -> list[Check]:
    """Return the state of everything that Alexandria needs or can use; nothing is changed or downloaded.

    Args:
        store: the library, as for --store; by default the user's own.
    """
    address = store or default_address()
    return [
        *_check_program(),
        _check_processor(),
        _check_model(),
        _check_library(address, server or Server()),
        *_check_models_of(address),
        *_check_space(address),
        *_check_helpers(),
    ]


@dataclass(frozen=True, slots=True)
class Trace:
    """A folder that Alexandria has made, or its models."""

    holds: str
    folder: Path
    n_bytes: int


def traces() -> list[Trace]:
    """Return the folders of this user and this environment that stay when the package is uninstalled."""
    folders = {
        "your library of books": Path(default_address()),
        "models": models_folder(),
        "models of this environment": models_folders()[0],
        "your domains": user_folder(),
        "the cache": cache_folder(),
    }
    seen: list[Trace] = []
    for holds, folder in folders.items():
        if folder.exists() and not any(folder.is_relative_to(trace.folder) for trace in seen):
            seen.append(Trace(holds, folder, size_of_folder(folder)))
    return seen


def _check_program() -> Iterator[Check]:
    """Yield the versions of Alexandria and Python, and where they are."""
    yield Check("alexandria", State.OK, f"{__version__} in {Path(__file__).parents[2]}")
    python = f"{platform.python_implementation()} {platform.python_version()} at {sys.executable}"
    yield Check("python", State.OK, f"{python}, {platform.system()} {platform.machine()}")


def _check_processor() -> Check:
    """Return whether OpenVINO can use the processor, and how fast it is in which number formats."""
    name = "processor"
    try:
        supported = supported_formats()
        trials = _default_model_trials()
    except (ImportError, RuntimeError) as error:
        why, fix = f"OpenVINO cannot use it: {error}", "pip install --force-reinstall openvino"
        return Check(name, State.WRONG, why, fix)
    cores = f"{n_cpus()} cores"
    precision = Precision.AUTO
    with suppress(ConfigError):  # a wrong option is an error of the commands that use it
        precision = load_domain().precision
    if not trials:
        unmeasured = f"{cores}; supports {', '.join(supported)}; the first ingest measures which is fastest"
        return Check(name, State.OK, unmeasured)
    speeds = sorted(trials, key=lambda trial: -trial.words_per_second)
    measured = ", ".join(f"{trial.precision} {trial.words_per_second:,.0f}" for trial in speeds)
    used = choose_format(trials) if precision is Precision.AUTO else precision
    return Check(name, State.OK, f"{cores}; words per second of one core: {measured}; uses {used}")


def _default_model_trials() -> tuple[Trial, ...]:
    """Return what was measured with the default model on this processor; empty if nothing was."""
    with suppress(ConfigError):  # the model is not installed
        return trials_of(locate(DEFAULT_MODEL))
    return ()


def _check_model() -> Check:
    """Return whether the default model is installed, with the published weights."""
    name, models = "model", find_models()
    if not models.copies:
        return Check(name, State.WRONG, f"{models.name} is not installed", INSTALL_COMMAND)
    copy = models.copies[0]
    fix = None if copy.weights is Weights.PUBLISHED else f"{INSTALL_COMMAND} --force"
    value = f"{models.name}, {copy.kind} {copy.folder}, weights {copy.weights}"
    return Check(name, State.WRONG if fix else State.OK, value, fix)


def _check_library(address: str, server: Server) -> Check:
    """Return whether a library can be opened or created at the address, and whether it is in use."""
    name = "library"
    if address == MEMORY:
        return Check(name, State.OK, "in memory")
    if address.startswith(SERVER_SCHEMES):
        return _check_server(address, server)
    folder = Path(address.removeprefix(LOCAL)).expanduser()
    existing = _existing_ancestor(folder)
    if not existing.is_dir():
        return Check(name, State.WRONG, f"{existing} is a file", "choose a folder with --store")
    try:
        libraries = [path.parent for path in (*folder.glob(MARKER), *folder.glob(f"*/{MARKER}"))]
        in_use = [path for path in libraries if is_locked(path)]
    except (AlexandriaError, OSError) as error:
        return Check(name, State.WRONG, f"{folder}: {error}", "make the folder readable and writable")
    if in_use:
        return Check(name, State.OK, f"{folder}, in use by {read_owner(in_use[0]) or 'another process'}")
    can_write = os.access(existing, os.W_OK)
    if libraries:
        names, use = ", ".join(sorted(path.name for path in libraries)), "not in use"
        return Check(name, State.OK, f"{folder}: {names}; {use if can_write else 'to be read, not written'}")
    if not can_write:
        fix = "make the folder writable, or choose another with --store"
        return Check(name, State.WRONG, f"{existing} cannot be written", fix)
    return Check(name, State.OK, f"{folder}: empty; the first ingest creates it")


def _check_models_of(address: str) -> Iterator[Check]:
    """Yield the model of each collection in a folder that has another than the default one."""
    # A library that is in use is not opened.
    folder = Path(address)
    for marker in sorted(folder.glob(f"*/{MARKER}")) if is_folder(address) else ():
        opened = OpenLibrary(address, marker.parent.name, None, Access(), LoadedModels())
        with suppress(AlexandriaError):
            if is_locked(marker.parent) or (model := opened.model()) in (None, DEFAULT_MODEL):
                continue
            bound_to = opened.for_reading().binding.encoder
            located = locate(str(model), bound_to=bound_to, may_download=False)
            yield Check(
                "its model", State.OK, f"{marker.parent.name}: {located.name}, {describe_model(located)}"
            )
        opened.release()


def _check_server(address: str, server: Server) -> Check:
    """Return whether a server answers, and its version."""
    try:
        return Check("library", State.OK, f"{address}: Qdrant {server_version(address, server)}")
    except AlexandriaError as error:
        return Check("library", State.WRONG, f"{address}: {error.why}", error.fix)


def _check_space(address: str) -> Iterator[Check]:
    """Yield the size of the cache, and the free space on disk and in memory."""
    cached = usage()
    size = (cached.book_bytes + cached.graph_bytes) / 1e6
    models = f"of which models {cached.graph_bytes / 1e6:,.0f} MB"
    yield Check("cache", State.OK, f"{cached.folder}: {size:,.0f} MB, {models}")
    folders = {"disk (cache)": cache_folder()}
    if is_folder(address):
        folders["disk (library)"] = Path(address.removeprefix(LOCAL)).expanduser()
    for name, folder in folders.items():
        free = _free_disk(folder)
        fix = None if free >= _MIN_DISK_BYTES else "make room, or choose another folder"
        yield Check(name, State.WRONG if fix else State.OK, f"{free / 1e9:,.1f} GB free", fix)
    memory = free_bytes()
    if memory is None:
        yield Check("memory", State.OK, "this system does not say how much is free")
    else:
        fix = None if memory >= _MIN_MEMORY_BYTES else "close other programs"
        yield Check("memory", State.WRONG if fix else State.OK, f"{memory / 1e9:,.1f} GB free", fix)


def _free_disk(folder: Path) -> int:
    return shutil.disk_usage(_existing_ancestor(folder)).free


def _existing_ancestor(path: Path) -> Path:
    """Return the path itself if it exists, otherwise the nearest folder above it that does."""
    return next(place for place in (path.absolute(), *path.absolute().parents) if place.exists())


def _check_helpers() -> Iterator[Check]:
    """Yield which extras of this package and which helpful programs are installed."""
    for extra, module in _EXTRAS.items():
        if find_spec(module) is not None:
            yield Check(f"extra {extra}", State.OK, "installed")
        else:
            yield Check(f"extra {extra}", State.MISSING, "not installed", extra_command(extra))
    for program, purpose in _PROGRAMS.items():
        path = shutil.which(program)
        state = State.OK if path else State.MISSING
        yield Check(program, state, f"{path or 'not installed'}: {purpose}")
