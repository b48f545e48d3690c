"""Repair of an embedded library whose files cannot be read: they are put aside, and replaced by new ones.

`put_files_aside` keeps the damaged files in `DAMAGED`, and puts in their place a catalog with the records
that can still be read, and an empty shard. `copy_points` brings back the points that can still be read.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import qdrant_edge as qdrant

from alexandria.book.model import Point
from alexandria.errors import DamagedError, StoreError
from alexandria.store.catalog import Catalog
from alexandria.store.catalog_file import CATALOG, WAL_FILES, CatalogFile, create_catalog
from alexandria.store.edge import POINTS, create_points, load_shard, scroll_points
from alexandria.store.edge_errors import translate_read_errors, translate_write_errors
from alexandria.store.lock import require_lock
from alexandria.store.record import parse_record, point_ids
from alexandria.store.vectors import have_valid_vectors, make_point
from alexandria.store.verify import find_book_flaws, sound_points
from alexandria.system.files import sync_folder

DAMAGED = "damaged"
"""The folder, inside the library's, that keeps the damaged files until all books are there again."""
_COPIED = "copied"
"""The file that marks a damaged shard as copied: a later copy would bring back books replaced since."""
_BATCH = 64  # points read per request


class Remains:
    """The points of a damaged shard that can still be read. A context manager: closes the shard.

    The folder must be locked. A shard that cannot be opened has no points.
    """

    def __init__(self, folder: Path, shard: str = POINTS) -> None:
        """Open a shard of a folder.

        Raises:
            StoreError: another program has it open.
            FullDiskError: the disk is full.
        """
        self._folder, self._name = folder, shard
        self._shard: qdrant.EdgeShard | None = None
        with suppress(DamagedError):  # so that it has no points, and the files are looked at no further
            self._shard = load_shard(folder, shard)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the shard; an error in doing so is ignored."""
        # An error loses nothing: the files have only been read.
        with suppress(StoreError), translate_write_errors(self._folder):
            if self._shard is not None:
                self._shard.close()

    def count(self) -> int | None:
        """Return the number of points, or None if their files are damaged."""
        if self._shard is None:
            return None
        with translate_read_errors(self._folder, self._name):
            return self._shard.info().points_count

    def payloads(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that can be read; {} for a point that has lost its payload."""
        if self._shard is not None:
            with suppress(StoreError):
                for record in scroll_points(self._folder, self._shard):
                    yield str(record.id), record.payload or {}

    def ids_by_generation(self) -> dict[str, list[str]]:
        """Return the ids of the points that can be read, grouped by generation."""
        ids: dict[str, list[str]] = {}
        for id, payload in self.payloads():
            if (generation := payload.get("generation")) is not None:
                ids.setdefault(str(generation), []).append(id)
        return ids

    def points(self, ids: Sequence[str]) -> list[Point]:
        """Return the points with these ids that can be read. No filter is used: its index may be damaged."""
        return [point for i in range(0, len(ids), _BATCH) for point in self._retrieve(ids[i : i + _BATCH])]

    def _retrieve(self, ids: Sequence[str]) -> list[Point]:
        """Return the points with these ids that can be read: in one request, or else one by one."""
        if self._shard is None:
            return []
        try:
            with translate_read_errors(self._folder, self._name):
                records = self._shard.retrieve(list(ids), with_payload=True, with_vector=True)
        except StoreError:  # a single unreadable point fails the whole request
            if len(ids) == 1:
                return []
            return [point for id in ids for point in self._retrieve([id])]
        return [make_point(record.id, record.vector, record.payload or {}) for record in records]


def readable_records(folder: Path) -> list[dict[str, Any]]:
    """Return the records of a damaged catalog that can be read, those of removed books as well."""
    records: list[dict[str, Any]] = []
    with suppress(DamagedError):
        catalog = CatalogFile(folder)
        try:
            for stored in catalog.readable_records():
                with suppress(StoreError):
                    parse_record(stored, str(folder))
                    records.append(stored)
        finally:
            catalog.close()
    return records


def put_files_aside(folder: Path, dim: int) -> None:
    """Put the catalog and the points of a library aside, and new files in their place.

    The new catalog has the records that can be read; the new shard has no points. If the process is killed
    meanwhile, the library cannot be opened, and the next call goes on.

    Args:
        dim: the length of its vectors.

    Raises:
        FullDiskError: there is no room for the new files.
        StoreError: another process has the library open.
    """
    lock = require_lock(folder)
    try:
        (folder / DAMAGED).mkdir(exist_ok=True)
        _renew_catalog(folder)
        _renew_points(folder, dim)
    finally:
        lock.release()


def _renew_catalog(folder: Path) -> None:
    """Put the catalog aside, unless a killed process has done so, and create one with its records."""
    # Its log goes with it: SQLite would apply the log to the new catalog.
    names, damaged = (CATALOG, *WAL_FILES), folder / DAMAGED
    if (folder / CATALOG).exists():
        for name in names:
            (damaged / name).unlink(missing_ok=True)
    for name in names:
        if (folder / name).exists():
            (folder / name).replace(damaged / name)
    sync_folder(damaged)
    sync_folder(folder)
    create_catalog(folder, readable_records(damaged))
    if (damaged / CATALOG).exists():  # under its own name, a later repair would take it for the last catalog
        (damaged / CATALOG).replace(damaged / f"{CATALOG}.read")


def _renew_points(folder: Path, dim: int) -> None:
    """Put the shard of the points aside, and create an empty one."""
    points, new = folder / POINTS, folder / f"{POINTS}.new"
    if points.exists():
        n_kept = len(list((folder / DAMAGED).glob(f"{POINTS}.*")))
        points.replace(folder / DAMAGED / f"{POINTS}.{n_kept}")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    create_points(new, dim)
    new.replace(points)
    sync_folder(folder)


def copy_points(folder: Path, catalog: Catalog) -> None:
    """Copy the points that `put_files_aside` has put aside, and that can be read, back into the library.

    Each shard is copied once. A book that is whole is left as it is, so that a copy that was killed can be
    repeated. Points that no record lists are copied as well: they may be all the points of a book whose
    record is lost.

    Args:
        catalog: the catalog of the library, open for writing.
    """
    for shard in sorted((folder / DAMAGED).glob(f"{POINTS}.*")):
        if (shard / _COPIED).exists():
            continue
        with Remains(folder / DAMAGED, shard.name) as remains:
            _restore_damaged_books(remains, catalog)
            _restore_unlisted(remains, catalog)
        (shard / _COPIED).touch()


def _restore_damaged_books(remains: Remains, catalog: Catalog) -> None:
    """Write what remains of the points of each book into the library, unless the book is whole there."""
    dim = catalog.store.binding.dim
    for record in catalog.books():
        is_damaged = any(find_book_flaws(record, catalog.points(record), dim))
        if is_damaged and (points := sound_points(record, remains.points(point_ids(record)), dim)):
            catalog.rewrite_points(record, points)


def _restore_unlisted(remains: Remains, catalog: Catalog) -> None:
    """Write what remains of the points of generations that no record lists into the library."""
    listed = {record.generation for record in (*catalog.books(), *catalog.removed_books())}
    stored = catalog.store.generations()
    for generation, ids in remains.ids_by_generation().items():
        if generation not in listed and stored.get(generation) != len(ids):
            points = [
                point
                for point in remains.points(ids)
                if have_valid_vectors([point], catalog.store.binding.dim)
            ]
            catalog.store.upsert(points)


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
    lock = require_lock(folder)
    try:
        aside.parent.mkdir(exist_ok=True)
        if points.exists():
            points.replace(aside)
    finally:
        lock.release()
    try:
        yield
    except DamagedError:
        if aside.exists():
            aside.replace(points)
        raise


def damaged_files(folder: Path) -> Path | None:
    """Return the folder of the damaged files that are kept, or None if there is none."""
    return folder / DAMAGED if (folder / DAMAGED).is_dir() else None


def delete_damaged(folder: Path) -> None:
    """Delete the damaged files that are kept."""
    shutil.rmtree(folder / DAMAGED, ignore_errors=True)
