"""A store's folder: its marker file, how it is created, and the rights that a process needs on it.

The marker names the kind of store, so that no other kind ever writes into the folder.

The engines and SQLite change files even to read a library. Without the right to do so, they report what looks
like damage, and a repair would not help: a copy is read instead (`copies.py`).
"""

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from alexandria.errors import ConfigError, DeniedError, StoreError, io_reason
from alexandria.store.store import LOCAL, SERVER_SCHEMES, Server
from alexandria.system.files import name_fault, sync_folder, sync_tree, write_durably

MARKER = "alexandria.json"
FORMAT = 1
"""The version of everything in the folder, raised when other versions of Alexandria can no longer use it."""
EDGE = "qdrant-edge"
LOCAL_MODE = "qdrant-local"
GRANT_OR_COPY = (
    "get the right to write the folder and all that is in it;"
    " or copy the folder while nobody uses it, and name the copy with --store"
)  # the remedy for a library that this process may not read and write


def write_marker(folder: Path, kind: str, more: Mapping[str, Any] | None = None) -> None:
    """Mark the folder as a store of this kind, and write `more` values into the marker."""
    write_durably(folder / MARKER, json.dumps({"kind": kind, "format": FORMAT, **(more or {})}, indent=2))


def read_marker(folder: Path, kind: str) -> dict[str, Any]:
    """Return the marker's values other than kind and format.

    Raises:
        StoreError: there is no readable marker, or it names another kind or another format.
    """
    try:
        marker = json.loads((folder / MARKER).read_text())
        marked = marker.pop("kind")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, PermissionError):
            raise _unreachable_error(folder, error) from error
        if kind == LOCAL_MODE and (names := list_embedded_collections(folder)):
            raise StoreError(
                f"cannot open {folder} as a library of kind {kind}",
                why=f"it holds a library of kind {EDGE}, the embedded one: {', '.join(names)}",
                fix=f"--store {folder}; for other Qdrant clients, copy it: alexandria copy --to local:FOLDER",
            ) from error
        raise _unmarked_error(folder) from error
    if marked != kind:
        raise _other_kind_error(folder, kind, marked)
    if (format_version := marker.pop("format", None)) != FORMAT:
        raise _other_format_error(folder, format_version)
    return dict(marker)


def _other_format_error(folder: Path, format_version: object) -> StoreError:
    if isinstance(format_version, int) and format_version > FORMAT:
        why, fix = f"its format is {format_version}, and this version reads {FORMAT}", "update Alexandria"
    else:
        why = "it was made by a development version of Alexandria"
        fix = "delete it, or choose another folder with --store; then ingest the books again"
    return StoreError(f"cannot open the library at {folder}", why=why, fix=fix)


def _other_kind_error(folder: Path, kind: str, marked: str) -> StoreError:
    if marked == EDGE:  # --store names the parent folder: Edge marks each collection in it
        fix = f"--store {folder.parent} --collection {folder.name}"
    elif marked == LOCAL_MODE:
        fix = f"--store local:{folder}"
    else:
        fix = "open it with the version of Alexandria that created it"
        if detect_kind(folder) == kind:
            fix += f"; if that is this one, delete {folder / MARKER} and run alexandria repair"
    return StoreError(
        f"cannot open {folder} as a library of kind {kind}",
        why=f"its {MARKER} names the kind {marked}",
        fix=fix,
    )


def list_embedded_collections(folder: Path) -> list[str]:
    """Return the names of the embedded collections in a folder, without those still being created."""
    try:
        return sorted(
            marker.parent.name
            for marker in folder.glob(f"[!.]*/{MARKER}")
            if f'"{EDGE}"' in marker.read_text()
        )
    except (OSError, UnicodeDecodeError):
        return []


def is_marked(folder: Path) -> bool:
    """Return whether a folder has a marker that is not damaged.

    Raises:
        StoreError: this process may not read it.
    """
    try:
        return "kind" in json.loads((folder / MARKER).read_text())
    except PermissionError as error:
        raise _unreachable_error(folder, error) from error
    except (OSError, ValueError, TypeError):
        return False


def detect_kind(folder: Path) -> str | None:
    """Return the kind of library that the files of a folder belong to, whatever its marker says, or None."""
    parts = (
        (folder / "points" / "edge_config.json").is_file(),
        (folder / "catalog.sqlite").is_file(),
        (folder / "alexandria.lock").is_file(),
    )
    if sum(parts) >= 2:  # one may be lost as well
        return EDGE
    try:
        collections = json.loads((folder / "meta.json").read_text())["collections"]
        catalogs = [folder / "collection" / name / "catalog.sqlite" for name in collections]
        return LOCAL_MODE if any(catalog.is_file() for catalog in catalogs) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _unmarked_error(folder: Path) -> StoreError:
    """Return the error for a folder without a readable marker: not a library, or one to be repaired."""
    kind = detect_kind(folder)
    if kind is None:
        return StoreError(
            f"{folder} is not a library of Alexandria",
            why=f"it holds other files and no readable {MARKER}",
            fix="choose a new or empty folder with --store",
        )
    options = f"--store local:{folder}"
    if kind == EDGE:
        is_default = folder.name == "books"
        options = f"--store {folder.parent}" + ("" if is_default else f" --collection {folder.name}")
    return StoreError(
        f"{folder} is not a library of Alexandria as it is",
        why=f"it looks like one of kind {kind}, but has lost its {MARKER}",
        fix=f"alexandria repair {options}",
    )


def refuse_nested(folder: Path) -> None:
    """Refuse a folder inside another library's, such as `--store FOLDER/books` where FOLDER is meant."""
    outer = next((parent for parent in folder.absolute().parents if _marker_text(parent) is not None), None)
    if outer is None:
        return
    # Local mode marks the whole folder; Edge marks each collection in it.
    is_local_mode = f'"{LOCAL_MODE}"' in (_marker_text(outer) or "")
    raise StoreError(
        f"cannot open a library at {folder}",
        why=f"it lies inside another library, {outer}",
        fix=f"--store local:{outer}" if is_local_mode else f"--store {outer.parent}",
    )


def check_new(collection: str, folder: Path) -> None:
    """Refuse to create a folder whose name is not valid on every system; an existing folder is accepted."""
    fault = name_fault(collection)
    if fault is None and "," in collection:
        fault = "a comma separates collections"
    if fault is None:
        return
    exists = collection != "" and folder.exists()  # without a name, `folder` would be that of the store
    if not exists:
        raise ConfigError(
            f"cannot name a collection {collection!r}", why=fault, fix="--collection with letters and digits"
        )


def refuse_bare_host(address: str) -> None:
    """Refuse `localhost:6333` and `qdrant://localhost`, which would create folders of these names."""
    # An existing folder is accepted.
    if re.match(r"[A-Za-z][\w+.-]+://", address) and not Path(address).exists():
        raise ConfigError(
            f"cannot open the library at {address}",
            why=f"the schemes are {', '.join(SERVER_SCHEMES)} and {LOCAL}",
            fix="--store http://HOST:6333 for a Qdrant server, or --store FOLDER",
        )
    if re.fullmatch(r"[\w.-]+:\d+/?", address) and not Path(address).exists():
        raise ConfigError(
            f"cannot tell whether {address} is a server or a folder",
            why="the address of a server begins with its scheme",
            fix=f"--store http://{address}, or --store ./{address} for a folder",
        )


def refuse_server_options(server: Server) -> None:
    """Refuse options that an embedded library would silently ignore."""
    if server.compat:
        raise ConfigError(
            f"cannot write for {', '.join(server.compat)} into an embedded library",
            why="only Qdrant Edge can open it",
            fix="--store http://HOST:6333 or local:FOLDER; or copy it: alexandria copy --to STORE --compat …",
        )
    if server.shards or server.replicas or server.quantization:
        raise ConfigError(
            "cannot shard, replicate or quantize an embedded library",
            why="only a Qdrant server can",
            fix="--store http://HOST:6333",
        )


def _marker_text(folder: Path) -> str | None:
    """Return what the marker of a folder says, or None if there is none that this process may read."""
    try:
        return (folder / MARKER).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def is_free(folder: Path) -> bool:
    """Return whether the folder does not exist or is empty, so that a store can be created there."""
    try:
        return not any(folder.iterdir())
    except FileNotFoundError:
        return True
    except OSError as error:
        raise _unreachable_error(folder, error) from error


def _unreachable_error(folder: Path, error: OSError) -> StoreError:
    what = f"cannot open a library at {folder}"
    return denied_error(what, folder) or StoreError(
        what, why=io_reason(error), fix="choose another folder with --store"
    )


@contextmanager
def create_folder(folder: Path, *, fix: str = "choose another folder with --store") -> Iterator[Path]:
    """Yield a folder to fill, then move it into place, so that no half-created store is ever opened.

    If another process creates the store at the same time, one of the two folders is used, and the other is
    deleted. `fix` is the remedy if the folder cannot be written.

    Raises:
        StoreError: the folder cannot be written.
    """
    _delete_abandoned(folder)
    new_parents = [parent for parent in folder.parents if not parent.exists()]
    staging = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    try:
        staging.mkdir(parents=True)
        yield staging
        sync_tree(staging)  # before the move: after a power cut, the folder is complete or does not exist
        _move_to_empty(staging, folder)
        for created in (folder, *new_parents):
            sync_folder(created.parent)
    except OSError as error:
        if (folder / MARKER).exists():  # another process was faster
            return
        raise StoreError(f"cannot create a library at {folder}", why=io_reason(error), fix=fix) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _move_to_empty(staging: Path, folder: Path) -> None:
    """Move the finished folder to its place, where an empty folder may be."""
    try:
        staging.replace(folder)
    except PermissionError:  # Windows cannot replace a folder, not even an empty one
        folder.rmdir()
        staging.replace(folder)


def _delete_abandoned(folder: Path) -> None:
    """Delete the unfinished folders of processes that have ended."""
    for staging in folder.parent.glob(f".{folder.name}.*.new"):
        pid = staging.name.split(".")[-2]
        if not _is_running(pid):
            shutil.rmtree(staging, ignore_errors=True)


def _is_running(pid: str) -> bool:
    """Return whether a process runs, or True where that cannot be found out."""
    if os.name != "posix" or not pid.isdecimal():  # on Windows, os.kill would end the process
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def denied_error(what: str, folder: Path) -> DeniedError | None:
    """Return the error if this process may not read and write a folder and all that is in it, else None.

    Args:
        what: what could not be done.
    """
    path = next(filter(_is_denied, _with_contents(folder)), None)
    if path is None:
        return None
    return DeniedError(what, why=f"{path}: no right to read and write it", fix=GRANT_OR_COPY)


def may_read(folder: Path) -> bool:
    """Return whether this process may read a folder and all that is in it."""
    return not any(_is_denied(path, os.R_OK) for path in _with_contents(folder))


def _with_contents(folder: Path) -> Iterator[Path]:
    return chain([folder], folder.rglob("*"))


def _is_denied(path: Path, rights: int = os.R_OK | os.W_OK) -> bool:
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except PermissionError:
        return True
    except OSError:  # it is missing
        return False
    return not os.access(path, rights | (os.X_OK if is_folder else 0))
