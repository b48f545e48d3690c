"""Writes the marker of a folder again, if the marker is lost or unreadable: other files have its values."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from alexandria.errors import DamagedError, StoreError
from alexandria.store.folder import LOCAL_MODE, detect_kind, write_marker
from alexandria.store.lock import locked_folder
from alexandria.store.payload import SCHEMA_VERSION
from alexandria.store.plan import VectorName
from alexandria.store.points import NO_DIM
from alexandria.store.record import Record, parse_record
from alexandria.store.store import Binding

RESTORE_OR_INGEST = "alexandria restore BACKUP --store NEW_FOLDER, or ingest into a new folder with --store"
"""The remedy where a library cannot be repaired."""


class NamedEncoder(Protocol):
    """What a binding needs of an encoder."""

    @property
    def name(self) -> str:
        """Its name, as markers have it."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector, or 0 without a model."""
        ...


FindEncoder = Callable[[str, int | None, Sequence[Record]], NamedEncoder]
"""Returns the encoder of a model that has made these books, with vectors of this length, if that is known."""


def rewrite_marker(folder: Path, encoder: FindEncoder) -> None:
    """Write the marker of a library that has lost it.

    Args:
        encoder: finds the encoder that has made the library.

    Raises:
        StoreError: the folder holds no library, or the values of its marker cannot be found.
    """
    kind = detect_kind(folder)
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

        write_edge_marker(folder, _edge_binding(folder, encoder))


def _edge_binding(folder: Path, encoder: FindEncoder) -> Binding:
    """Return what an embedded library is bound to, from what can be read of its files.

    Raises:
        StoreError: another process has the library open, it holds no book, or its model is not known.
    """
    from alexandria.store.edge import scroll_points
    from alexandria.store.remains import open_points, readable_records

    with locked_folder(folder):
        records = [parse_record(stored, str(folder)) for stored in readable_records(folder)]
        try:
            with open_points(folder) as points:
                n_points = points.info().points_count
                payloads = (point.payload or {} for point in scroll_points(folder, points))
                schema_version = next((p["schema_version"] for p in payloads if "schema_version" in p), None)
        except DamagedError:
            n_points, schema_version = None, SCHEMA_VERSION  # all points will be made again
    model = next((record.settings["model"] for record in records if "model" in record.settings), None)
    if n_points == 0 and all(record.removed_at is not None for record in records):
        raise StoreError(
            f"cannot repair the library at {folder}",
            why="it holds no books, so its model is not known",
            fix=f"delete {folder}, and ingest again",
        )
    if model is None:
        raise _unknown_binding_error(folder, "no record that can be read names the model of its vectors")
    if schema_version is None:
        raise _unknown_binding_error(folder, "no passage names the version of its schema")
    size = _vector_size(folder)
    bound_to = encoder(str(model), size, records)
    dim = size or bound_to.dim or NO_DIM
    return Binding(bound_to.name, dim, int(schema_version))


def _vector_size(folder: Path) -> int | None:
    """Return the length of the chunk vectors, from the settings of Qdrant Edge; None if those are damaged."""
    file = folder / "points" / "edge_config.json"
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        return int(settings["vectors"][VectorName.DENSE.value]["size"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _unknown_binding_error(folder: Path, why: str) -> StoreError:
    return StoreError(
        f"cannot repair the library at {folder}",
        why=why,
        fix=RESTORE_OR_INGEST,
    )
