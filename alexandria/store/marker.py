"""The marker file says what kind of store a folder is, so that no other kind ever writes into it."""

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from alexandria.errors import StoreError, io_reason
from alexandria.store import Binding

MARKER = "alexandria.json"
OWNER = "owner.pid"
EDGE = "qdrant-edge"
LOCAL_MODE = "qdrant-local"
_ADDRESSES = {EDGE: "--store {folder}", LOCAL_MODE: "--store local:{folder}"}


def write_marker(folder: Path, kind: str, more: Mapping[str, Any] | None = None) -> None:
    """Mark the folder as a store of this kind."""
    (folder / MARKER).write_text(json.dumps({"kind": kind, **(more or {})}, indent=2))


def read_marker(folder: Path, kind: str) -> dict[str, Any]:
    """Return what the marker says beside its kind.

    Raises:
        StoreError: there is no readable marker, or it is of another kind.
    """
    try:
        marker = json.loads((folder / MARKER).read_text())
        found = marker.pop("kind")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(
            f"{folder} is not a library of Alexandria",
            why=f"it holds other files, and no readable {MARKER}",
            fix="choose an empty or new folder with --store",
        ) from error
    if found != kind:
        address = _ADDRESSES.get(found, "").format(folder=folder)
        raise StoreError(
            f"cannot open {folder} as a library of the kind {kind}",
            why=f"its {MARKER} says it is of the kind {found}",
            fix=address or "open it with the version of Alexandria that made it",
        )
    return dict(marker)


def refuse_nested(folder: Path) -> None:
    """Refuse a folder inside another store's, such as `--store FOLDER/books` where FOLDER is meant."""
    outer = next((one for one in folder.absolute().parents if (one / MARKER).exists()), None)
    if outer is None:
        return
    # Only local mode marks the whole folder; Edge marks each collection in it.
    local = f'"{LOCAL_MODE}"' in (outer / MARKER).read_text()
    raise StoreError(
        f"cannot open a library at {folder}",
        why=f"it lies inside another one, {outer}",
        fix=_ADDRESSES[LOCAL_MODE].format(folder=outer) if local else f"--store {outer.parent}",
    )


def absent(folder: Path) -> bool:
    """Tell whether the folder is not there, or empty: free to become a store."""
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


def half_made(folder: Path) -> Path:
    """Return where to make a folder before it is moved into place; clears what killed processes left."""
    for left in folder.parent.glob(f".{folder.name}.*.new"):
        if not _alive(left.name.split(".")[-2]):
            shutil.rmtree(left, ignore_errors=True)
    return folder.with_name(f".{folder.name}.{os.getpid()}.new")


def _alive(pid: str) -> bool:
    if os.name != "posix" or not pid.isdecimal():  # elsewhere signal 0 would end the process
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def no_library(place: object) -> StoreError:
    """Return the error for a place where nothing has been ingested."""
    return StoreError(
        f"there is no library at {place}",
        why="nothing has been ingested there yet",
        fix="alexandria ingest BOOK",
    )


def check_binding(wanted: Binding | None, found: Binding, place: object) -> None:
    """Refuse a collection that is bound to something else than wanted; None wants nothing in particular."""
    if wanted is not None and wanted != found:
        raise StoreError(
            f"cannot use the library at {place} with these settings",
            why=f"it holds vectors of {_describe(found)}; now it would be {_describe(wanted)}",
            fix="use that model, or another --collection",
        )


def _describe(binding: Binding) -> str:
    return f"{binding.encoder} ({binding.dim} dimensions, schema {binding.schema_version})"


def in_use(folder: Path) -> StoreError:
    """Return the error for a store that another process holds."""
    try:
        owner = (folder / OWNER).read_text().strip() or "unknown"
    except OSError:
        owner = "unknown"
    return StoreError(
        f"the library at {folder} is in use",
        why=f"another alexandria has this library open (pid {owner})",
        fix="wait until it has finished, or stop it",
    )


def claim(folder: Path) -> None:
    """Leave this process's id for those who find the store locked."""
    (folder / OWNER).write_text(str(os.getpid()))


def release(folder: Path) -> None:
    """Take the process's id away."""
    with suppress(FileNotFoundError):
        (folder / OWNER).unlink()
