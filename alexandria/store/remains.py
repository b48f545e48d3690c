"""A damaged embedded library: what the engine can still read of it, and the exchange of its files."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import qdrant_edge as qdrant

from alexandria.book import Point
from alexandria.errors import DamagedError, FullDiskError, StoreError
from alexandria.store.catalog_file import BESIDE, CATALOG, CatalogFile
from alexandria.store.damage import reading, writing
from alexandria.store.edge import EdgeStore, create_edge, load_shard, scrolled
from alexandria.store.folder import MARKER, is_marked
from alexandria.store.lock import LOCK, OWNER, claim
from alexandria.store.record import Record, parse_record
from alexandria.store.shard_catalog import SHARD, shard_records
from alexandria.store.store import Binding, Change
from alexandria.store.vectors import stored_point
from alexandria.system.durable import sync_folder

NEW = "repair.new"
"""The folder in a library's in which it is built again; when that is done, it is named as follows."""
DONE = "repair.done"
DAMAGED = "damaged"
"""The folder in a library's that keeps the damaged files, as long as not all books are there again."""
_AT_ONCE = 64
"""Points that are read at a time."""
_KEPT = MARKER, LOCK, OWNER
"""What is not exchanged."""


class Remains:
    """The records and points of a damaged folder that can be read; as a context manager, it closes its files.

    The folder must be locked.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._points = _loaded(folder, "points")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(StoreError), writing(self._folder):
            if self._points is not None:
                self._points.close()

    def records(self) -> list[Record]:
        """Return the records that can be read, also those of removed books."""
        records = []
        for stored in self._stored_records():
            with suppress(StoreError):
                records.append(parse_record(stored, str(self._folder)))
        return records

    def _stored_records(self) -> Iterator[dict[str, Any]]:
        if (self._folder / CATALOG).is_file():
            with suppress(DamagedError):
                catalog = CatalogFile(self._folder)
                try:
                    yield from catalog.readable()
                finally:
                    catalog.close()
        elif (shard := _loaded(self._folder, SHARD)) is not None:  # of an earlier version
            with suppress(StoreError):
                yield from shard_records(self._folder, shard)

    def points(self, ids: Sequence[str]) -> list[Point]:
        """Return those of these points that can be read: by their ids, since an index may be damaged."""
        return [
            point for i in range(0, len(ids), _AT_ONCE) for point in self._points_of(ids[i : i + _AT_ONCE])
        ]

    def ids(self) -> dict[str, list[str]]:
        """Return the ids of the points that can be read, by their generation."""
        ids: dict[str, list[str]] = {}
        if self._points is None:
            return ids
        with suppress(StoreError):
            for record in scrolled(self._folder, self._points):
                if (generation := (record.payload or {}).get("generation")) is not None:
                    ids.setdefault(str(generation), []).append(str(record.id))
        return ids

    def _points_of(self, ids: Sequence[str]) -> list[Point]:
        if self._points is None:
            return []
        try:
            with reading(self._folder, "points"):
                found = self._points.retrieve(list(ids), with_payload=True, with_vector=True)
        except StoreError:  # one that cannot be read takes the others with it
            return [] if len(ids) == 1 else [point for id in ids for point in self._points_of([id])]
        return [stored_point(record.id, record.vector, record.payload or {}) for record in found]


@contextmanager
def built_beside(folder: Path, binding: Binding) -> Iterator[EdgeStore]:
    """Yield a new library in the folder of a damaged one, to be filled; one that was begun is gone on with.

    Raises:
        FullDiskError: there is no room for it.
    """
    new = folder / NEW
    if not is_marked(new):
        shutil.rmtree(new, ignore_errors=True)
        create_edge(new, binding)
    store = EdgeStore(new, binding, claim(new))
    try:
        yield store
        store.note_change(Change())
        store.optimize()
    finally:
        store.close()


def exchange(folder: Path) -> None:
    """Put what was built beside in the place of the damaged files, which are kept.

    Killed at any moment, `finish_exchange` ends it.
    """
    (folder / NEW).replace(folder / DONE)
    sync_folder(folder)
    finish_exchange(folder)


def finish_exchange(folder: Path) -> None:
    """Finish an exchange that was begun, if one was; the folder must be locked."""
    done, damaged = folder / DONE, folder / DAMAGED
    if not done.is_dir():
        return
    damaged.mkdir(exist_ok=True)
    for name in (*BESIDE, SHARD):  # of the damaged catalog: SQLite would take its log for that of the new one
        if (folder / name).exists():
            _move(folder / name, damaged / name)
    sync_folder(folder)
    for new in sorted(done.iterdir()):
        if new.name not in _KEPT:
            _replace(folder / new.name, new, damaged / new.name)
    sync_folder(folder)
    shutil.rmtree(done)


def _replace(path: Path, new: Path, old: Path) -> None:
    """Move `path` to `old`, if it is there, and `new` to `path`."""
    if path.exists():
        _move(path, old)
    new.replace(path)


def _move(path: Path, to: Path) -> None:
    shutil.rmtree(to) if to.is_dir() else to.unlink(missing_ok=True)
    path.replace(to)


@contextmanager
def points_aside(folder: Path, collection: str) -> Iterator[None]:
    """Put the damaged points of a library in local mode aside, so that it opens without any.

    If that does not help, they are put back.

    Raises:
        StoreError: another process has the library open.
    """
    points = folder / "collection" / collection / "storage.sqlite"
    aside = folder / DAMAGED / f"{collection}.sqlite"
    lock = claim(folder)
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
    """Return whether an exchange was begun and not finished."""
    return (folder / DONE).is_dir()


def damaged_files(folder: Path) -> Path | None:
    """Return the folder of the damaged files that an exchange has kept, if there is one."""
    return folder / DAMAGED if (folder / DAMAGED).is_dir() else None


def delete_damaged(folder: Path) -> None:
    """Delete the damaged files that an exchange has kept."""
    shutil.rmtree(folder / DAMAGED, ignore_errors=True)


def _loaded(folder: Path, name: str) -> qdrant.EdgeShard | None:
    try:
        return load_shard(folder, name)
    except FullDiskError:
        raise
    except StoreError:
        return None
