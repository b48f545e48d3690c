"""Repair of an embedded library whose files cannot be read: they are put aside, and made again.

Indexes are made again from the points, a catalog from the records that can still be read. Points are not
copied: the new shard is empty, and a repair fills it from the books' files.
"""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import qdrant_edge as qdrant

from alexandria.errors import DamagedError, StoreError
from alexandria.store.catalog_file import CATALOG, WAL_FILES, CatalogFile, create_catalog
from alexandria.store.edge import INDEXES, POINTS, create_points, load_shard, read_binding
from alexandria.store.edge_errors import translate_read_errors
from alexandria.store.lock import locked_folder
from alexandria.store.record import parse_record
from alexandria.system.files import sync_folder

DAMAGED = "damaged"
"""The folder, inside the library's, that keeps the damaged files until all books are there again."""


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
def put_local_points_aside(folder: Path, collection: str) -> Iterator[None]:
    """Move the damaged points of a library in local mode away, so that it opens without points in this block.

    Afterwards, the points stay in the folder `DAMAGED`. If the block raises DamagedError, because other files
    are damaged as well, the points are put back.

    Raises:
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
    except DamagedError:
        if aside.exists():
            aside.replace(points)
        raise


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
