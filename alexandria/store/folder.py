"""A store's folder: its marker file, and how it is created.

The marker names the kind of store, so that no other kind ever writes into the folder.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alexandria.errors import StoreError, io_reason
from alexandria.system.durable import sync_folder, sync_tree, write_durably

MARKER = "alexandria.json"
EDGE = "qdrant-edge"
LOCAL_MODE = "qdrant-local"
_OPTIONS = {LOCAL_MODE: "--store local:{folder}"}


def write_marker(folder: Path, kind: str, more: Mapping[str, Any] | None = None) -> None:
    """Mark the folder as a store of this kind."""
    write_durably(folder / MARKER, json.dumps({"kind": kind, **(more or {})}, indent=2))


def read_marker(folder: Path, kind: str) -> dict[str, Any]:
    """Return the marker's values other than the kind.

    Raises:
        StoreError: there is no readable marker, or it names another kind.
    """
    try:
        marker = json.loads((folder / MARKER).read_text())
        marked = marker.pop("kind")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if kind == LOCAL_MODE and (names := embedded_collections(folder)):
            raise StoreError(
                f"cannot open {folder} as a library of kind {kind}",
                why=f"it holds a library of kind {EDGE}, the embedded one: {', '.join(names)}",
                fix=f"--store {folder}; for other Qdrant clients, copy it: alexandria copy --to local:FOLDER",
            ) from error
        raise _unmarked(folder) from error
    if marked != kind:
        option = _OPTIONS.get(marked, "").format(folder=folder)
        if marked == EDGE:  # it marks each collection, in the folder that --store names
            option = f"--store {folder.parent} --collection {folder.name}"
        elif not option:
            option = "open it with the version of Alexandria that created it"
            if unmarked_kind(folder) == kind:
                option += f"; if that is this one, delete {folder / MARKER} and run alexandria repair"
        raise StoreError(
            f"cannot open {folder} as a library of kind {kind}",
            why=f"its {MARKER} names the kind {marked}",
            fix=option,
        )
    return dict(marker)


def embedded_collections(folder: Path) -> list[str]:
    """Return the collections of an embedded library in a folder; one still being created is not there yet."""
    try:
        return sorted(
            marker.parent.name
            for marker in folder.glob(f"[!.]*/{MARKER}")
            if f'"{EDGE}"' in marker.read_text()
        )
    except (OSError, UnicodeDecodeError):
        return []


def is_marked(folder: Path) -> bool:
    """Return whether a folder has a readable marker."""
    try:
        return "kind" in json.loads((folder / MARKER).read_text())
    except (OSError, ValueError, TypeError):
        return False


def unmarked_kind(folder: Path) -> str | None:
    """Return the kind of library that a folder looks like, whatever its marker says; None if like none."""
    catalogs = (folder / "catalog.sqlite", folder / "catalog" / "edge_config.json")
    if (folder / "points" / "edge_config.json").is_file() and any(path.is_file() for path in catalogs):
        return EDGE
    try:
        collections = json.loads((folder / "meta.json").read_text())["collections"]
        return LOCAL_MODE if any(f"{name}.catalog" in collections for name in collections) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _unmarked(folder: Path) -> StoreError:
    kind = unmarked_kind(folder)
    if kind is None:
        return StoreError(
            f"{folder} is not a library of Alexandria",
            why=f"it holds other files and no readable {MARKER}",
            fix="choose a new or empty folder with --store",
        )
    address = folder.parent if kind == EDGE else f"local:{folder}"
    named = f" --collection {folder.name}" if kind == EDGE and folder.name != "books" else ""
    return StoreError(
        f"{folder} is not a library of Alexandria as it is",
        why=f"it looks like one of kind {kind}, but has lost its {MARKER}",
        fix=f"alexandria repair --store {address}{named}",
    )


def refuse_nested(folder: Path) -> None:
    """Refuse a folder inside another store's, such as `--store FOLDER/books` where FOLDER is meant."""
    outer = next((parent for parent in folder.absolute().parents if (parent / MARKER).exists()), None)
    if outer is None:
        return
    # Local mode marks the whole folder; Edge marks each collection in it.
    local = f'"{LOCAL_MODE}"' in (outer / MARKER).read_text()
    raise StoreError(
        f"cannot open a library at {folder}",
        why=f"it lies inside another library, {outer}",
        fix=_OPTIONS[LOCAL_MODE].format(folder=outer) if local else f"--store {outer.parent}",
    )


def is_free(folder: Path) -> bool:
    """Return whether the folder is missing or empty, and can become a store."""
    try:
        return not any(folder.iterdir())
    except FileNotFoundError:
        return True
    except OSError as error:
        raise StoreError(
            f"cannot open a library at {folder}",
            why=io_reason(error),
            fix="choose another folder with --store",
        ) from error


@contextmanager
def create_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder to fill, and move it to its place afterwards: no half-created store is ever opened.

    If another process creates it at the same time, one of the two folders is used, and the other is deleted.

    Raises:
        StoreError: it cannot be written.
    """
    _delete_abandoned(folder)
    missing = [parent for parent in folder.parents if not parent.exists()]
    staging = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    try:
        staging.mkdir(parents=True)
        yield staging
        sync_tree(staging)  # after a power cut the folder is whole, or not there
        _move_to_empty(staging, folder)
        for changed in (folder, *missing):
            sync_folder(changed.parent)
    except OSError as error:
        if (folder / MARKER).exists():
            return
        raise StoreError(
            f"cannot create a library at {folder}",
            why=io_reason(error),
            fix="choose another folder with --store",
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _move_to_empty(staging: Path, folder: Path) -> None:
    try:
        staging.replace(folder)
    except PermissionError:  # Windows moves nothing onto a folder, not even onto an empty one
        folder.rmdir()
        staging.replace(folder)


def _delete_abandoned(folder: Path) -> None:
    """Delete what killed processes were creating."""
    for staging in folder.parent.glob(f".{folder.name}.*.new"):
        if not _alive(staging.name.split(".")[-2]):
            shutil.rmtree(staging, ignore_errors=True)


def _alive(pid: str) -> bool:
    if os.name != "posix" or not pid.isdecimal():  # on other systems, signal 0 would end the process
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
