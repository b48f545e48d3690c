"""Writes the marker of a folder again, if the marker is lost or unreadable: other files have its values."""

import json
from collections.abc import Callable
from pathlib import Path

from alexandria.errors import StoreError
from alexandria.store.folder import LOCAL_MODE, unmarked_kind, write_marker
from alexandria.store.lock import require_lock
from alexandria.store.points import SCHEMA_VERSION
from alexandria.store.record import read_records
from alexandria.store.store import Binding
from alexandria.store.vectors import VectorName


def rewrite_marker(folder: Path, encoder_name: Callable[[str], str]) -> None:
    """Write the marker of a library that has lost it.

    Args:
        folder: the folder of the library.
        encoder_name: returns the name of the encoder of a model, as markers name it.

    Raises:
        StoreError: the folder holds no library, or the values of its marker cannot be found.
    """
    kind = unmarked_kind(folder)
    if kind is None:
        raise StoreError(
            f"there is nothing to repair at {folder}",
            why="it holds no library of Alexandria",
            fix="name a library with --store, or ingest into it",
        )
    if kind == LOCAL_MODE:
        write_marker(folder, LOCAL_MODE)  # such a marker has no other values
    else:
        from alexandria.store.edge import write_edge_marker

        write_edge_marker(folder, _edge_binding(folder, encoder_name))


def _edge_binding(folder: Path, encoder_name: Callable[[str], str]) -> Binding:
    """Return what an embedded library is bound to, from its books and the settings of Qdrant Edge.

    Raises:
        StoreError: another process has the library open, it holds no book, or no undamaged one.
    """
    from alexandria.store.edge import EdgeStore

    dim = _vector_size(folder)
    # The name of the encoder is not known yet, and not needed to read.
    store = EdgeStore(folder, Binding("unknown", dim, SCHEMA_VERSION), require_lock(folder))
    try:
        records = read_records(store)
        payloads = (payload for _, payload in store.payloads({}))  # damaged points have lost their payload
        schema_version = next((p["schema_version"] for p in payloads if "schema_version" in p), None)
        is_empty = store.count() == 0 and all(record.removed_at is not None for record in records)
    finally:
        store.close()
    model = next((record.settings["model"] for record in records if "model" in record.settings), None)
    if is_empty:
        raise StoreError(
            f"cannot repair the library at {folder}",
            why="it holds no book, so that the model it was made for is not known",
            fix=f"delete {folder}, and ingest again",
        )
    if model is None:
        raise _unknown_binding_error(folder, "no record of a book names the model of its vectors")
    if schema_version is None:
        raise _unknown_binding_error(folder, "no passage names the version of its schema")
    return Binding(encoder_name(str(model)), dim, int(schema_version))


def _vector_size(folder: Path) -> int:
    """Return the length of the chunk vectors of an embedded library, from the settings of Qdrant Edge.

    Raises:
        StoreError: the settings are damaged.
    """
    file = folder / "points" / "edge_config.json"
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        return int(settings["vectors"][VectorName.DENSE.value]["size"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise _unknown_binding_error(folder, f"{file} is damaged") from error


def _unknown_binding_error(folder: Path, why: str) -> StoreError:
    """Return the error for a library that holds books, but does not say what it is bound to."""
    return StoreError(
        f"cannot repair the library at {folder}",
        why=why,
        fix="alexandria restore BACKUP --store NEW_FOLDER, or ingest into a new folder with --store",
    )
