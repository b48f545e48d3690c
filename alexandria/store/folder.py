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

MARKER = "alexandria.json"
EDGE = "qdrant-edge"
LOCAL_MODE = "qdrant-local"
_OPTIONS = {EDGE: "--store {folder}", LOCAL_MODE: "--store local:{folder}"}


def write_marker(folder: Path, kind: str, more: Mapping[str, Any] | None = None) -> None:
    """Mark the folder as a store of this kind."""
    (folder / MARKER).write_text(json.dumps({"kind": kind, **(more or {})}, indent=2))


def read_marker(folder: Path, kind: str) -> dict[str, Any]:
    """Return the marker's values other than the kind.

    Raises:
        StoreError: there is no readable marker, or it names another kind.
    """
    try:
        marker = json.loads((folder / MARKER).read_text())
        marked = marker.pop("kind")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(
            f"{folder} is not a library of Alexandria",
            why=f"it holds other files and no readable {MARKER}",
            fix="choose a new or empty folder with --store",
        ) from error
    if marked != kind:
        option = _OPTIONS.get(marked, "").format(folder=folder)
        raise StoreError(
            f"cannot open {folder} as a library of kind {kind}",
            why=f"its {MARKER} names the kind {marked}",
            fix=option or "open it with the version of Alexandria that created it",
        )
    return dict(marker)


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
    staging = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    try:
        staging.mkdir(parents=True)
        yield staging
        staging.replace(folder)
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
