"""Makes files of a library again that are lost or cannot be read: its marker, indexes, catalog and points.

A lost marker is made from what other files say. The other files are for embedded libraries: indexes are made
from the points, a catalog from the records that can still be read. Points are not copied: the new shard is
empty, and a repair fills it from the books' files. What was damaged is put aside, into the folder `DAMAGED`.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import qdrant_edge as qdrant

from alexandria.errors import DamagedError, StoreError
from alexandria.store.catalog_file import CATALOG, WAL_FILES, CatalogFile, create_catalog
from alexandria.store.edge import (
    INDEXES,
    POINTS,
    create_points,
    load_shard,
    read_binding,
    scroll_points,
    write_edge_marker,
)
from alexandria.store.edge_errors import translate_read_errors
from alexandria.store.folder import LOCAL_MODE, detect_kind, write_marker
from alexandria.store.lock import locked_folder
from alexandria.store.payload import SCHEMA_VERSION
from alexandria.store.plan import VectorName
from alexandria.store.points import NO_DIM
from alexandria.store.record import Record, parse_record
from alexandria.store.store import Binding
from alexandria.system.files import sync_folder

DAMAGED = "damaged"
"""The folder, inside the library's, that keeps the damaged files until all books are there again."""
_CANNOT = "cannot repair the library at {}"
_RESTORE_OR_INGEST = "alexandria restore BACKUP --store NEW_FOLDER, or ingest into a new folder with --store"


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
        write_edge_marker(folder, _edge_binding(folder, encoder))


def _edge_binding(folder: Path, encoder: FindEncoder) -> Binding:
    """Return what an embedded library is bound to, from what can be read of its files.

    Raises:
        StoreError: another process has the library open, it holds no book, or its model is not known.
    """
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
    why, fix = "", _RESTORE_OR_INGEST
    if n_points == 0 and all(record.removed_at is not None for record in records):
        why, fix = "it holds no books, so its model is not known", f"delete {folder}, and ingest again"
    elif model is None:
        why = "no record that can be read names the model of its vectors"
    elif schema_version is None:
        why = "no passage names the version of its schema"
    if why:
        raise StoreError(_CANNOT.format(folder), why=why, fix=fix)
    size = _vector_size(folder)
    bound_to = encoder(str(model), size, records)
    dim = size or bound_to.dim or NO_DIM
    return Binding(bound_to.name, dim, int(schema_version or SCHEMA_VERSION))


def _vector_size(folder: Path) -> int | None:
    """Return the length of the chunk vectors, from the settings of Qdrant Edge; None if those are damaged."""
    file = folder / "points" / "edge_config.json"
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        return int(settings["vectors"][VectorName.DENSE.value]["size"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


@contextmanager
def open_points(folder: Path) -> Iterator[qdrant.EdgeShard]:
    """Open the shard of a locked folder in this block.

    Raises:
        DamagedError: its files cannot be read.
        StoreError: another program has it open.
        FullDiskError: the disk is full.
    """
    shard = load_shard(folder, POINTS)
    try:
        with translate_read_errors(folder, POINTS):
            yield shard
    finally:
        with suppress(StoreError), translate_read_errors(folder, POINTS):
            shard.close()


def readable_records(folder: Path) -> list[dict[str, Any]]:
    """Return the records of a damaged catalog that can be read, those of removed books as well."""
    records: list[dict[str, Any]] = []
    with suppress(DamagedError), closing(CatalogFile(folder)) as catalog:
        for stored in catalog.readable_records():
            with suppress(StoreError):
                parse_record(stored, str(folder))
                records.append(stored)
    return records


def renew_indexes(folder: Path) -> None:
    """Make the indexes of a library's points again; if the points cannot be read, leave them as they are."""
    with locked_folder(folder), suppress(DamagedError), open_points(folder) as shard:
        for name, kind in INDEXES.items():
            shard.update(qdrant.UpdateOperation.delete_field_index(name))
            shard.update(qdrant.UpdateOperation.create_field_index(name, kind))
        shard.flush()


def renew_catalog(folder: Path) -> None:
    """Put a damaged catalog aside, and create one with the records that can be read; a sound one stays.

    If the process is killed meanwhile, the library cannot be opened, and the next call goes on.

    Raises:
        FullDiskError: there is no room for the new catalog.
        StoreError: another process has the library open.
    """
    # Its log goes with it: SQLite would apply the log to the new catalog.
    names, damaged = (CATALOG, *WAL_FILES), folder / DAMAGED
    with locked_folder(folder):
        if _is_sound(folder):
            return
        damaged.mkdir(exist_ok=True)
        if (folder / CATALOG).exists():
            for name in names:
                (damaged / name).unlink(missing_ok=True)
        for name in names:
            if (folder / name).exists():
                (folder / name).replace(damaged / name)
        sync_folder(damaged)
        sync_folder(folder)
        create_catalog(folder, readable_records(damaged))
        if (damaged / CATALOG).exists():  # under its own name, a later repair would take it for the last one
            (damaged / CATALOG).replace(damaged / f"{CATALOG}.read")


def _is_sound(folder: Path) -> bool:
    """Return whether the catalog of a library can be read, and nothing is wrong with it."""
    with suppress(DamagedError), closing(CatalogFile(folder)) as catalog:
        return not catalog.faults()
    return False


def renew_points(folder: Path) -> None:
    """Put the points of a library aside, and create a shard without points; raises as `renew_catalog` does.

    If the process is killed meanwhile, the library cannot be opened, and the next call goes on.
    """
    points, new = folder / POINTS, folder / f"{POINTS}.new"
    with locked_folder(folder):
        (folder / DAMAGED).mkdir(exist_ok=True)
        if points.exists():
            n_kept = len(list((folder / DAMAGED).glob(f"{POINTS}.*")))
            points.replace(folder / DAMAGED / f"{POINTS}.{n_kept}")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        create_points(new, read_binding(folder).dim)
        new.replace(points)
        sync_folder(folder)


@contextmanager
def local_points_aside(folder: Path, collection: str) -> Iterator[None]:
    """Move the damaged points of a library in local mode away, so that it opens without points in this block.

    Afterwards, the points stay in the folder `DAMAGED`; if the block raises DamagedError, they are put back.

    Raises:
        DamagedError: other files are damaged as well.
        StoreError: another process has the library open.
    """
    points = folder / "collection" / collection / "storage.sqlite"  # as qdrant-client names it
    aside = folder / DAMAGED / f"{collection}.sqlite"
    with locked_folder(folder):
        aside.parent.mkdir(exist_ok=True)
        if points.exists():
            points.replace(aside)
    try:
        yield
    except DamagedError as error:
        if aside.exists():
            aside.replace(points)
        raise DamagedError(_CANNOT.format(folder), why=error.why, fix=_RESTORE_OR_INGEST) from error


def damaged_files(folder: Path) -> Path | None:
    """Return the folder of the damaged files that are kept, or None if there is none."""
    return folder / DAMAGED if (folder / DAMAGED).is_dir() else None


def may_lack_books(folder: Path) -> bool:
    """Return whether catalog and points were both put aside: no file may name a book any more."""
    damaged = folder / DAMAGED
    return (damaged / f"{CATALOG}.read").exists() and any(damaged.glob(f"{POINTS}.*"))


def delete_damaged(folder: Path) -> None:
    """Delete the damaged files that are kept."""
    shutil.rmtree(folder / DAMAGED, ignore_errors=True)
