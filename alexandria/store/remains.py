"""Repair of a damaged embedded library: reads what the engine still can, and exchanges the files.

`Remains` reads the damaged files, `build_replacement` opens a new library next to them, and `exchange_files`
puts the new files in their place. `batch.rebuilding` fills the new library in between.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import qdrant_edge as qdrant

from alexandria.book import Point
from alexandria.errors import DamagedError, StoreError
from alexandria.store.catalog_file import CATALOG, WAL_FILES, CatalogFile
from alexandria.store.damage import translate_read_errors, translate_write_errors
from alexandria.store.edge import EdgeStore, create_edge, load_shard, scroll_points
from alexandria.store.folder import MARKER, is_marked
from alexandria.store.lock import LOCK, OWNER, require_lock
from alexandria.store.record import Record, parse_record
from alexandria.store.store import Binding, Change
from alexandria.store.vectors import make_point
from alexandria.system.durable import sync_folder

NEW = "repair.new"
"""The folder, inside the library's, in which the library is built again."""
DONE = "repair.done"
"""The name of that folder once it is complete, until its files have been moved into place."""
DAMAGED = "damaged"
"""The folder, inside the library's, that keeps the damaged files until all books are there again."""
_BATCH = 64
"""Points read per request."""
_NOT_EXCHANGED = MARKER, LOCK, OWNER
"""The files of the library's folder that stay where they are."""


class Remains:
    """The records and points of a damaged folder that can still be read. A context manager: closes the files.

    The folder must be locked.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._points = _load_if_readable(folder, "points")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the damaged files; an error in doing so is ignored."""
        # An error loses nothing: the files have only been read.
        with suppress(StoreError), translate_write_errors(self._folder):
            if self._points is not None:
                self._points.close()

    def records(self) -> list[Record]:
        """Return the records that can be read, including those of removed books."""
        records = []
        for stored in self._read_stored_records():
            with suppress(StoreError):
                records.append(parse_record(stored, str(self._folder)))
        return records

    def _read_stored_records(self) -> Iterator[dict[str, Any]]:
        """Yield the records that can be read, unparsed, unless the catalog is lost."""
        if (self._folder / CATALOG).is_file():
            with suppress(DamagedError):
                catalog = CatalogFile(self._folder)
                try:
                    yield from catalog.readable_records()
                finally:
                    catalog.close()

    def points(self, ids: Sequence[str]) -> list[Point]:
        """Return the points with these ids that can be read. No filter is used: its index may be damaged."""
        return [point for i in range(0, len(ids), _BATCH) for point in self._retrieve(ids[i : i + _BATCH])]

    def count(self) -> int | None:
        """Return the number of points, or None if their files are damaged."""
        if self._points is None:
            return None
        with translate_read_errors(self._folder, "points"):
            return self._points.info().points_count

    def payloads(self) -> Iterator[dict[str, Any]]:
        """Yield the payloads of the points that can be read; {} for a point that has lost its payload."""
        if self._points is not None:
            with suppress(StoreError):
                for record in scroll_points(self._folder, self._points):
                    yield record.payload or {}

    def ids(self) -> dict[str, list[str]]:
        """Return the ids of the points that can be read, grouped by generation."""
        ids: dict[str, list[str]] = {}
        if self._points is None:
            return ids
        with suppress(StoreError):
            for record in scroll_points(self._folder, self._points):
                if (generation := (record.payload or {}).get("generation")) is not None:
                    ids.setdefault(str(generation), []).append(str(record.id))
        return ids

    def _retrieve(self, ids: Sequence[str]) -> list[Point]:
        """Return the points with these ids that can be read: in one request, or else one by one."""
        if self._points is None:
            return []
        try:
            with translate_read_errors(self._folder, "points"):
                records = self._points.retrieve(list(ids), with_payload=True, with_vector=True)
        except StoreError:  # a single unreadable point fails the whole request
            if len(ids) == 1:
                return []
            return [point for id in ids for point in self._retrieve([id])]
        return [make_point(record.id, record.vector, record.payload or {}) for record in records]


@contextmanager
def build_replacement(folder: Path, binding: Binding) -> Iterator[EdgeStore]:
    """Yield a new library, inside the folder of the damaged one, to be filled.

    If a killed process has begun one, that one is yielded, with what it already holds.

    Raises:
        FullDiskError: there is no room for it.
    """
    new = folder / NEW
    if not is_marked(new):
        shutil.rmtree(new, ignore_errors=True)
        create_edge(new, binding)
    store = EdgeStore(new, binding, require_lock(new))
    try:
        yield store
        store.note_change(Change())  # the library is complete: there is nothing to sweep
        store.optimize()
    finally:
        store.close()


def exchange_files(folder: Path) -> None:
    """Put the files of the replacement in the place of the damaged files, which are kept in `DAMAGED`.

    If the process is killed meanwhile, the next `finish_exchange` completes the exchange.
    """
    (folder / NEW).replace(folder / DONE)  # from here on, the exchange is only ever completed
    sync_folder(folder)
    finish_exchange(folder)


def finish_exchange(folder: Path) -> None:
    """Complete an exchange of files that was begun; do nothing if none was. The folder must be locked."""
    done, damaged = folder / DONE, folder / DAMAGED
    if not done.is_dir():
        return
    damaged.mkdir(exist_ok=True)
    # The log of the damaged catalog goes first, and is synced: SQLite would apply it to the new catalog.
    for name in WAL_FILES:
        if (folder / name).exists():
            _move(folder / name, damaged / name)
    sync_folder(folder)
    for new in sorted(done.iterdir()):
        if new.name not in _NOT_EXCHANGED:
            _replace(folder / new.name, new=new, keep_as=damaged / new.name)
    sync_folder(folder)
    shutil.rmtree(done)


def _replace(path: Path, *, new: Path, keep_as: Path) -> None:
    """Move `path` to `keep_as`, if it exists, and `new` to `path`."""
    if path.exists():
        _move(path, keep_as)
    new.replace(path)


def _move(path: Path, target: Path) -> None:
    """Move a file or folder, in place of whatever is at the target."""
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)
    path.replace(target)


@contextmanager
def set_points_aside(folder: Path, collection: str) -> Iterator[None]:
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


def is_exchanging(folder: Path) -> bool:
    """Return whether an exchange of files was begun and not completed."""
    return (folder / DONE).is_dir()


def damaged_files(folder: Path) -> Path | None:
    """Return the folder of the damaged files that an exchange has kept, or None if there is none."""
    return folder / DAMAGED if (folder / DAMAGED).is_dir() else None


def delete_damaged(folder: Path) -> None:
    """Delete the damaged files that an exchange has kept."""
    shutil.rmtree(folder / DAMAGED, ignore_errors=True)


def _load_if_readable(folder: Path, name: str) -> qdrant.EdgeShard | None:
    """Return a shard of the folder, opened, or None if its files are damaged.

    Raises:
        StoreError: another program has it open.
        FullDiskError: the disk is full.
    """
    try:
        return load_shard(folder, name)
    except DamagedError:
        return None
