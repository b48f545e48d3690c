"""The catalog of a library on a server: a collection of records, and a copy of it on this machine.

The collection `NAME.catalog` only stores. The copy, an SQLite file in the cache folder, answers all
questions. It is brought up to date by reading what has changed on the server since (`CHANGED_AT`).
"""

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import random
from typing import Any
from uuid import uuid5

from qdrant_client import models

from alexandria.book.filters import Filters, is_titled
from alexandria.errors import DamagedError, FullDiskError
from alexandria.store.catalog_file import CatalogFile, Change
from alexandria.store.points import NAMESPACE
from alexandria.store.server.connection import Connection, catalog_name
from alexandria.store.store import MEMORY, Pending, Scope, Summary
from alexandria.system.cache import catalogs_folder

CATALOG_VERSION = 1
"""The version of what the collection holds, raised with each change of it.

The binding's point stores it under the key `form`.
"""
CHANGED_AT = "changed_at"
"""The payload key of the stamp of a record: when it was written or deleted, in seconds since 1970.

Clocks differ. So a writer looks, once its record is there, whether another record has a later stamp, and then
gives its own a later one still: who has read the library up to some stamp finds all later changes after it.
"""
_DELETED = "deleted"
"""The payload key that marks a record as deleted: it stays, so that other copies learn of it."""
_PENDING = "pending"
"""The payload key of a generation that is pending. Each is a point of the collection, too."""
CATALOG_INDEXES = {
    CHANGED_AT: models.PayloadSchemaType.FLOAT,
    f"{_PENDING}.generation": models.PayloadSchemaType.KEYWORD,
}  # the type of index of each payload key of a catalog
_STAMP = ["book_id", CHANGED_AT]
_STAMPS_PER_PAGE = 4096
_BATCH = 64  # records read by their ids in one request
_MAX_GENERATIONS = 1000
"""Generations that a search names; it selects more books by what the payloads say of them."""


class Mirror:
    """The records of a collection `NAME`, in the collection `NAME.catalog`, and their copy."""

    def __init__(self, connection: Connection, collection: str, library: str) -> None:
        """Open the copy of a catalog, which may be empty or old: see `refresh`.

        Args:
            library: what tells the library from another one that had this name before.
        """
        self._connection, self._client, self._call = connection, connection.client, connection.call
        self._name = catalog_name(collection)
        name = sha256(f"{connection.address}\n{collection}\n{library}".encode()).hexdigest()[:32]
        self._file = _open_copy(catalogs_folder() / f"{name}-{CATALOG_VERSION}.sqlite", connection.address)
        self._letters_folder = catalogs_folder() / f"{name}-letters"

    @property
    def letters_folder(self) -> Path | None:
        """The folder for the letters of the books, beside the copy."""
        return self._letters_folder

    def close(self) -> None:
        """Close the copy; it stays in the cache folder."""
        self._file.close()

    def refresh(self, *, check: bool = False) -> None:
        """Bring the copy up to date with the server.

        Args:
            check: also compare the number of records, and if it is wrong, every one of them.
        """
        latest = self._file.latest_stamp()
        if latest is None:
            self._write_copy(self._connection.scroll(self._name, _changed_since(0)))
        else:
            self._refresh_since(latest)
        if check and self._count() != self._file.n_stamps():
            self._refresh_since(0)

    def _refresh_since(self, since: float) -> None:
        """Make the part of the copy with stamps from `since` on equal to that of the server."""
        in_copy = self._file.stamps(since)
        points = self._connection.scroll(
            self._name, _changed_since(since), _STAMPS_PER_PAGE, with_payload=_STAMP
        )
        on_server = {str(entry["book_id"]): entry[CHANGED_AT] for entry in map(_entry, points)}
        # A stamp that is earlier on the server, or missing: an earlier one has replaced it, or the server was
        # set back. Then records with stamps before `since` may have changed as well.
        if set_back := [key for key, stamp in in_copy.items() if on_server.get(key, 0.0) < stamp]:
            self._file.forget(set_back)
            if since:
                self._refresh_since(0)
                return
        # In the order of their stamps: a process that is killed has read all up to the latest of the copy.
        changed = (key for key, stamp in on_server.items() if in_copy.get(key) != stamp)
        outdated = sorted(changed, key=on_server.__getitem__)
        for i in range(0, len(outdated), _BATCH):
            ids = list(map(record_id, outdated[i : i + _BATCH]))
            retrieve = partial(self._client.retrieve, self._name, ids, with_payload=True)
            self._write_copy(iter(self._call(retrieve)))

    def _write_copy(self, points: Iterator[models.Record]) -> None:
        """Write records, as the points that hold them on the server say, into the copy."""
        while batch := [_change_of(_entry(point)) for point in islice(points, _BATCH)]:
            self._file.take_over(batch)

    def _count(self) -> int:
        count = partial(self._client.count, self._name, _changed_since(0), exact=True)
        return self._call(count).count

    def commit(
        self,
        *,
        put: Sequence[Mapping[str, Any]] = (),
        delete: Sequence[str] = (),
        pending: Sequence[Pending] = (),
        done: Sequence[str] = (),
    ) -> None:
        """Change the catalog as `Records.commit` does.

        A crash may leave the first of these changes without the others. In this order it loses no book, and
        what it leaves is pending.
        """
        changes = [*((record["book_id"], record) for record in put), *((key, None) for key in delete)]
        if changes:
            self.refresh()
        read_up_to, stamp = self._file.latest_stamp() or 0.0, self._next_stamp()
        points = [_point(_pending_id(note.generation), {_PENDING: asdict(note)}) for note in pending]
        for key, record in changes:
            payload = {"book_id": key, _DELETED: True} if record is None else dict(record)
            points.append(_point(record_id(key), {**payload, CHANGED_AT: stamp}))
        operations: list[Any] = []
        if points:
            operations.append(models.UpsertOperation(upsert=models.PointsList(points=points)))
        if done:
            ids = models.PointIdsList(points=list(map(_pending_id, done)))
            operations.append(models.DeleteOperation(delete=ids))
        if operations:
            self._call(lambda: self._client.batch_update_points(self._name, operations, wait=True))
        if changes:
            self._make_latest([record_id(key) for key, _ in changes], stamp, read_up_to)

    def _next_stamp(self) -> float:
        """Return a stamp that is later than all of the copy, and that no other writer chooses as well."""
        return max(time.time(), self._file.latest_stamp() or 0.0) + 0.01 * random()

    def _make_latest(self, ids: Sequence[str], stamp: float, read_up_to: float) -> None:
        """Give these records later stamps until nobody else's is later; read what is new meanwhile."""
        # Other copies read what has a later stamp than they have seen: they would miss an earlier one.
        # `read_up_to`: the latest stamp of this copy before the records were written.
        self._refresh_since(read_up_to)
        while (self._file.latest_stamp() or 0.0) > stamp:
            stamp = self._next_stamp()
            later = partial(self._client.set_payload, self._name, {CHANGED_AT: stamp}, list(ids), wait=True)
            self._call(later)
            self._refresh_since(read_up_to)

    def pending(self) -> list[Pending]:
        """Return the generations that are pending, as the server knows them."""
        points = self._connection.scroll(self._name, _IS_PENDING)
        return [Pending(**_entry(point)[_PENDING]) for point in points]

    def all(self, fields: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield all records, or these fields of each that has them."""
        return self._file.all(fields)

    def by(self, name: str, values: Sequence[str], fields: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield the records that have one of these values in a field of `LOOKED_UP`."""
        return self._file.by(name, values, fields)

    def n_listed(self, generations: Sequence[str]) -> int:
        """Return how many of these generations are those of books."""
        return self._file.n_listed(generations)

    def having(
        self, name: str, values: Sequence[str] | Sequence[int], fields: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Return the records of the books that have one of these values of `DERIVED`."""
        return self._file.having(name, values, fields)

    def names_among(self, words: Collection[str]) -> set[str]:
        """Return which of these folded words are in the title or the author of a book."""
        return self._file.names_among(words)

    def matching(self, filters: Filters) -> list[dict[str, Any]]:
        """Return the records of the books that pass the looked-up filters among these."""
        return self._file.matching(filters)

    def page(self, filters: Filters, start: int, limit: int) -> list[dict[str, Any]]:
        """Return the records of at most `limit` matching books, by title, after the first `start`."""
        return self._file.page(filters, start, limit)

    def summary(self) -> Summary:
        """Return the summary of all books."""
        return self._file.summary()

    def scope(self, filters: Filters) -> Scope:
        """Return the scope of a search in the books that pass these filters.

        A server searches slowly in a list of many generations: these are selected by author, domain, language
        and title instead.
        """
        scope = self._file.scope(filters)
        generations = [str(generation) for generation in scope.where.get("generation", ())]
        if len(generations) <= _MAX_GENERATIONS:
            return scope
        books = list(self._file.by("generation", generations, ("author", "language", "title")))
        where: dict[str, Sequence[str]] = {}
        if filters.domain is not None:
            where["domain"] = [filters.domain]
        for given, key, name in (
            (filters.author, "author", "author"),
            (filters.language, "language", "language"),
            (filters.book, "book_title", "title"),
        ):
            if given is not None:
                where[key] = sorted({book[name] for book in books})
        if not all(is_titled(book["title"], filters.book or "") for book in books):
            return scope  # of a book found by the beginning of its id: others may have its title
        return replace(scope, where=where)

    def version(self) -> int:
        """Return a number that every change of the copy raises."""
        return self._file.version()

    def n_written(self) -> int:
        """Return 0: the server gives back space by itself."""
        return 0

    def faults(self) -> list[str]:
        """Return nothing: what is read from the server is checked as it is read."""
        return []


def _open_copy(file: Path, place: str) -> CatalogFile:
    """Return the copy of a catalog; one in memory, if the cache folder cannot be written."""
    for _ in range(2):
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite gives its other files this mode
            return CatalogFile.open_or_create(file, place)
        except DamagedError:  # all of it can be read again
            with suppress(OSError):
                file.unlink()
        except (OSError, FullDiskError):
            break
    return CatalogFile.open_or_create(MEMORY, place)


def _changed_since(since: float) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=CHANGED_AT, range=models.Range(gte=since))])


_IS_PENDING = models.Filter(
    must_not=[models.IsEmptyCondition(is_empty=models.PayloadField(key=f"{_PENDING}.generation"))]
)


def _entry(point: models.Record) -> dict[str, Any]:
    return point.payload or {}


def _change_of(entry: Mapping[str, Any]) -> Change:
    """Return what a point of the collection says of a record."""
    record = {key: value for key, value in entry.items() if key != CHANGED_AT}
    return Change(
        key=str(entry["book_id"]),
        stamp=float(entry[CHANGED_AT]),
        record=None if entry.get(_DELETED) else record,
    )


def record_id(key: str) -> str:
    """Return the id of the point that holds a record."""
    return str(uuid5(NAMESPACE, key))


def _pending_id(generation: str) -> str:
    """Return the id of the point that notes a generation as pending."""
    return str(uuid5(NAMESPACE, f"{_PENDING} {generation}"))


def _point(id: str, payload: dict[str, Any]) -> models.PointStruct:
    return models.PointStruct(id=id, vector=[1.0], payload=payload)
