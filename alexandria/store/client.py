"""The store on qdrant-client: a server or cluster, qdrant-client's local mode, or memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid5

from qdrant_client import QdrantClient, models

from alexandria.book import Embeddings, Point
from alexandria.durable import sync_folder
from alexandria.errors import DamagedError
from alexandria.filters import Filters
from alexandria.passage import Hit
from alexandria.store.changes import read_change, write_change
from alexandria.store.client_types import to_filter, to_point, to_request
from alexandria.store.compat import without_copies
from alexandria.store.damage import REMEDY
from alexandria.store.plan import Stage
from alexandria.store.points import NAMESPACE
from alexandria.store.refusals import LargeResponseError
from alexandria.store.retry import with_retries
from alexandria.store.store import Binding, Change, QueryVectors, Server, Where
from alexandria.store.upload import IN_FLIGHT, upload
from alexandria.store.vectors import VectorName, check_vectors, sentence_rows, stored_point

BATCH = 64
"""Points with their vectors read per request: 64 chunks of 20 sentences are some 10 MB of JSON."""
PAGE = 256
"""Payloads read per request of a scroll."""
BINDING = str(uuid5(NAMESPACE, "binding"))
"""The id of the catalog's point that holds what the collection is bound to."""

Answer = TypeVar("Answer")


def catalog_name(collection: str) -> str:
    """Return the name of the collection that holds the records of another."""
    return f"{collection}.catalog"


@dataclass(frozen=True, slots=True)
class Connection:
    """An open client of qdrant-client, and how its requests are made."""

    client: QdrantClient
    address: str
    """For messages."""
    server: Server
    shared: bool
    """Whether other processes may be writing at the same time."""
    on_close: Callable[[], None] = lambda: None
    folder: Path | None = None
    """Of local mode; None for a server, and in memory."""

    def call(self, request: Callable[[], Answer]) -> Answer:
        """Return the response to a request, repeated while the server is busy or restarting."""
        try:
            return with_retries(request, self.address, self.server)
        except (LookupError, TypeError, ValueError) as error:
            if self.folder is None:
                raise
            raise DamagedError(  # local mode reads its files as it is opened, and checks little of them
                f"cannot use the library at {self.address}",
                why=f"its files are damaged: {type(error).__name__} in qdrant-client: {error}",
                fix=REMEDY,
            ) from error

    def sync(self, collection: str) -> None:
        """Return once what was written into a collection outlasts a power cut.

        SQLite deletes its journal to commit, but does not sync the folder: with the journal still on the
        disk, the next open would roll the commit back. A server syncs its own log.
        """
        if self.folder is not None:
            folder = self.folder / "collection" / collection
            self.call(lambda: sync_folder(folder))

    def close(self) -> None:
        """Close the client."""
        self.client.close()
        self.on_close()


class ClientStore:
    """Two collections: `NAME`, and `NAME.catalog` with one record per book and the binding."""

    remote = lost = False

    def __init__(
        self, connection: Connection, collection: str, binding: Binding, compat: Sequence[str] = ()
    ) -> None:
        """Take over an open connection; `compat` names the programs the collection was created for."""
        self._connection, self._client, self._call = connection, connection.client, connection.call
        self._name, self._catalog = collection, catalog_name(collection)
        self.binding, self.shared, self._compat = binding, connection.shared, compat
        self.address = connection.address
        self.parallel = connection.shared  # local mode is not made for threads
        folder = connection.folder
        self._note = None if folder is None else folder / f"change-{collection}.json"

    def held(self) -> AbstractContextManager[bool]:
        """Do nothing: a server has no locks, and no other process can open a folder."""
        return nullcontext(False)

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each with all its vectors."""
        check_vectors(points, self.binding.dim)
        upload(points, self._send, copies=len(self._compat), in_flight=IN_FLIGHT if self.parallel else 1)

    def _send(self, points: Sequence[Point]) -> None:
        """Write points in one request."""
        batch = [to_point(point, self._compat) for point in points]
        self._call(lambda: self._client.upsert(self._name, batch, wait=True))

    def delete(self, where: Where) -> None:
        """Delete the points that match."""
        filter = to_filter(where)
        if filter is None:
            raise ValueError("an empty filter would delete every point")
        selector = models.FilterSelector(filter=filter)
        self._call(lambda: self._client.delete(self._name, selector, wait=True))

    def flush(self) -> None:
        """Return once everything written is on disk; a server has logged each request before it answered."""
        self._connection.sync(self._name)

    def optimize(self) -> None:
        """Do nothing: a server optimizes by itself."""

    def count(self) -> int:
        """Return the number of points."""
        return self._call(lambda: self._client.count(self._name, exact=True)).count

    def search(
        self, query: QueryVectors, plan: Stage, where: Where, without: Sequence[str] = ()
    ) -> list[Hit]:
        """Return the best matches, best first, as if there were no points of the generations `without`."""
        request = to_request(query, plan, where, without)
        response = self._call(lambda: self._client.query_points(self._name, **request))
        return [
            Hit(id=str(point.id), payload=without_copies(point.payload or {}), score=point.score)
            for point in response.points
        ]

    def payloads(self, where: Where) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, ordered by id."""
        for record in self._scroll(self._name, to_filter(where), PAGE, with_vectors=False):
            yield str(record.id), without_copies(record.payload or {})

    def points(self, where: Where) -> Iterator[Point]:
        """Yield the points that match, with their vectors, ordered by id."""
        for record in self._scroll(self._name, to_filter(where), BATCH, with_vectors=True):
            yield stored_point(record.id, record.vector, without_copies(record.payload or {}))

    def sentence_rows(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors, (n_sentences, dim) each, of those of these points that have any."""
        rows: dict[str, Embeddings] = {}
        for i in range(0, len(ids), BATCH):
            for record in self._with_sentences(ids[i : i + BATCH]):
                if (vectors := sentence_rows(record.vector)) is not None:
                    rows[str(record.id)] = vectors
        return rows

    def _with_sentences(self, ids: Sequence[str]) -> list[models.Record]:
        names = [VectorName.SENTENCES.value]
        retrieve = partial(self._client.retrieve, self._name, with_payload=False, with_vectors=names)
        try:
            return self._call(partial(retrieve, ids))
        except LargeResponseError:
            if len(ids) == 1:
                raise
            half = len(ids) // 2
            return self._with_sentences(ids[:half]) + self._with_sentences(ids[half:])

    def generations(self) -> dict[str, int]:
        """Return the number of points of each generation."""
        return {str(value): n for value, n in self.counts("generation", self.count()).items()}

    def counts(self, key: str, at_most: int) -> dict[str | int, int]:
        """Return the number of points with each value of a payload key, for the most frequent values."""
        facet = partial(self._client.facet, self._name, key, limit=max(1, at_most), exact=True)
        return {hit.value: hit.count for hit in self._call(facet).hits if hit.count}

    def put_record(self, key: str, record: Mapping[str, Any]) -> None:
        """Write one catalog record; it is on disk when this returns."""
        point = models.PointStruct(id=str(uuid5(NAMESPACE, key)), vector=[1.0], payload=dict(record))
        self._call(lambda: self._client.upsert(self._catalog, [point], wait=True))
        self._connection.sync(self._catalog)

    def delete_record(self, key: str) -> None:
        """Delete one catalog record; it is gone from the disk when this returns."""
        selector = models.PointIdsList(points=[str(uuid5(NAMESPACE, key))])
        self._call(lambda: self._client.delete(self._catalog, selector, wait=True))
        self._connection.sync(self._catalog)

    def records(self) -> list[dict[str, Any]]:
        """Return all catalog records, in no particular order."""
        records = self._scroll(self._catalog, None, PAGE, with_vectors=False)
        return [record.payload or {} for record in records if str(record.id) != BINDING]

    def records_by(
        self, name: str, values: Sequence[str], fields: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Return the catalog records with one of these values in a field that is looked up by."""
        if not values:
            return []
        payload = list(fields) if fields else True
        if name == "book_id":
            ids = [str(uuid5(NAMESPACE, key)) for key in values]
            records = self._call(lambda: self._client.retrieve(self._catalog, ids, with_payload=payload))
        else:
            filter = to_filter({name: values})
            records = list(self._scroll(self._catalog, filter, PAGE, with_vectors=False))
        return [
            {key: value for key, value in (record.payload or {}).items() if not fields or key in fields}
            for record in records
        ]

    def matching(self, filters: Filters) -> None:
        """Return None: all records are read."""

    def page(self, start: int, limit: int) -> None:
        """Return None: all records are read."""

    def summary(self) -> None:
        """Return None: all records are read."""

    def catalog_faults(self) -> list[str]:
        """Return nothing: the catalog is a collection like that of the points."""
        return []

    def note_change(self, change: Change) -> None:
        """Write down, durably, which books are about to change; on a server, several processes may write."""
        if self._note is not None:
            note = self._note
            self._call(lambda: write_change(note, change))

    def noted_change(self) -> Change | None:
        """Return the last change that was noted; None on a server, where a sweep looks at all books."""
        return None if self._note is None else read_change(self._note)

    def close(self) -> None:
        """Close the store, so that another process can open it."""
        self._connection.close()

    def _scroll(
        self, name: str, filter: models.Filter | None, page: int, *, with_vectors: bool
    ) -> Iterator[models.Record]:
        offset = None
        while True:
            request = partial(
                self._client.scroll,
                name,
                scroll_filter=filter,
                limit=page,
                offset=offset,
                with_payload=True,
                with_vectors=with_vectors,
            )
            try:
                records, offset = self._call(request)
            except LargeResponseError:
                if page == 1:
                    raise
                page //= 2
                continue
            yield from records
            if offset is None:
                return
