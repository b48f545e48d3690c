"""Writes the marker of a folder again, if it is lost or unreadable: its values are found in other files."""

import json
from collections.abc import Callable
from pathlib import Path

from alexandria.errors import StoreError
from alexandria.store.folder import LOCAL_MODE, unmarked_kind, write_marker
from alexandria.store.lock import require_lock
from alexandria.store.points import SCHEMA_VERSION
from alexandria.store.record import read_records
from alexandria.store.store import Binding


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
    """Return what an embedded library is bound to, from its books and the settings of the engine."""
    from alexandria.store.edge import EdgeStore

    settings = json.loads((folder / "points" / "edge_config.json").read_text(encoding="utf-8"))
    dim = int(settings["vectors"][""]["size"])
    store = EdgeStore(folder, Binding("", dim, SCHEMA_VERSION), require_lock(folder))
    try:
        record = next(iter(read_records(store)), None)
        _, payload = next(store.payloads({}), ("", {}))
    finally:
        store.close()
    if record is None or "schema_version" not in payload:
        raise StoreError(
            f"cannot repair the library at {folder}",
            why="it holds no book, so that the model it was made for is not known",
            fix=f"delete {folder}, and ingest again",
        )
    return Binding(encoder_name(str(record.settings["model"])), dim, int(payload["schema_version"]))
