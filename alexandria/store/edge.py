"""The default store: Qdrant Edge, the server's engine inside this process, on a folder of its own."""

import ctypes
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid5

import qdrant_edge as qdrant

from alexandria.book import Embeddings, Point
from alexandria.errors import FullDiskError, StoreError
from alexandria.passage import Hit
from alexandria.store.binding import check_binding, no_library
from alexandria.store.changes import read_change, write_change
from alexandria.store.damage import opening, reading, unreadable, writing
from alexandria.store.edge_types import to_filter, to_point, to_request
from alexandria.store.folder import (
    EDGE,
    MARKER,
    create_folder,
    is_free,
    read_marker,
    refuse_nested,
    write_marker,
)
from alexandria.store.lock import FolderLock, LibraryFolder, used_by_another_program
from alexandria.store.pages import release_pages
from alexandria.store.plan import Stage
from alexandria.store.points import NAMESPACE
from alexandria.store.room import (
    NEW_LIBRARY,
    OF_INDEXES,
    RESERVE,
    TO_CLOSE,
    TO_REMOVE,
    check_room,
    growth,
    has_room,
)
from alexandria.store.store import INDEXED, Binding, Change, QueryVectors, Summary, Where
from alexandria.store.vectors import VectorName, check_vectors, sentence_rows, stored_point

GRAPH_FROM = 50_000
"""Points above which a graph is built; up to this size every vector is compared, in some 25 ms."""
INDEXES = {
    "generation": qdrant.PayloadSchemaType.Keyword,
    "section": qdrant.PayloadSchemaType.Keyword,
    "chunk_id": qdrant.PayloadSchemaType.Integer,
}
"""The payload keys of our own filters: no other program opens the folder, and each index slows writes."""
CHANGE = "change.json"
"""The file that names the books which a writer was changing last."""
INDEX_FROM = 200
"""Books from which the records are indexed: fewer are read in less time than the indexes take room for."""
BATCH = 64
"""Points per write: the engine is slower when they outgrow the processor's cache."""
PAGE = 256
"""Points read per request of a scroll."""
_COLD = qdrant.Memory.Cold
"""Pages are read on demand: loading all of them at each start takes longer than it saves."""


class EdgeStore:
    """A folder with two shards: `points`, and `catalog` with one record per book."""

    shared = False
    parallel = True
    remote = lost = False

    def __init__(self, folder: Path, binding: Binding, lock: FolderLock) -> None:
        self._folder, self.binding, self._lock = folder, binding, lock
        self.address = str(folder)
        self._catalog = load_shard(folder, "catalog")
        try:
            with suppress(FullDiskError):  # without indexes, all records are read
                _index_records(folder, self._catalog)
            self._points = load_shard(folder, "points")
        except BaseException:
            _close(folder, catalog=self._catalog)
            raise
        self._close = weakref.finalize(self, _close, folder, points=self._points, catalog=self._catalog)

    def held(self) -> AbstractContextManager[bool]:
        """Do nothing: no other process can open the folder."""
        return nullcontext(False)

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each with all its vectors."""
        # The engine accepts NaN, and a valid point of a refused batch can come back from its log.
        check_vectors(points, self.binding.dim)
        check_room(self._folder, growth(points) + RESERVE)
        # The engine writes without holding Python's lock, so the next batch is converted meanwhile.
        with ThreadPoolExecutor(1) as writer:
            writing: Future[None] | None = None
            for i in range(0, len(points), BATCH):
                batch = qdrant.UpdateOperation.upsert_points(list(map(to_point, points[i : i + BATCH])))
                if writing is not None:
                    writing.result()
                writing = writer.submit(self._write, batch, RESERVE)
            if writing is not None:
                writing.result()

    def delete(self, where: Where) -> None:
        """Delete the points that match."""
        filter = to_filter(where)
        if filter is None:
            raise ValueError("an empty filter would delete every point")
        self._write(qdrant.UpdateOperation.delete_points_by_filter(filter), TO_REMOVE)

    def flush(self) -> None:
        """Return once everything written is on disk."""
        with writing(self._folder):
            self._points.flush()
        release_pages(self._folder)

    def optimize(self) -> None:
        """Build the graph of a large library: the engine does so only on request."""
        if self.count() > GRAPH_FROM:
            with writing(self._folder):
                self._points.optimize()
        with suppress(FullDiskError):
            _index_records(self._folder, self._catalog)

    def count(self) -> int:
        """Return the number of points."""
        with self._reading():
            return self._points.info().points_count

    def search(
        self, query: QueryVectors, plan: Stage, where: Where, without: Sequence[str] = ()
    ) -> list[Hit]:
        """Return the best matches, best first, as if there were no points of the generations `without`."""
        request = to_request(query, plan, where, without)
        with self._reading():
            points = self._points.query(request)
            # Requested with the search, payloads would be read for the candidates of every stage as well.
            ids = [point.id for point in points]
            records = self._points.retrieve(ids, with_payload=True, with_vector=False)
        payloads = {record.id: record.payload for record in records if record.payload}
        if lost := set(ids) - payloads.keys():
            raise unreadable(self._folder, "points", f"{len(lost)} points have lost their payload")
        return [Hit(id=str(point.id), payload=payloads[point.id], score=point.score) for point in points]

    def payloads(self, where: Where) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, ordered by id."""
        for record in self._scroll("points", to_filter(where), with_vector=False):
            yield str(record.id), record.payload or {}

    def points(self, where: Where) -> Iterator[Point]:
        """Yield the points that match, with their vectors, ordered by id."""
        for record in self._scroll("points", to_filter(where), with_vector=True):
            yield stored_point(record.id, record.vector, record.payload or {})

    def sentence_rows(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors, (n_sentences, dim) each, of those of these points that have any."""
        name = VectorName.SENTENCES.value
        with self._reading():
            records = self._points.retrieve(list(ids), with_payload=False, with_vector=[name])
        rows = {str(record.id): sentence_rows(record.vector) for record in records}
        return {id: vectors for id, vectors in rows.items() if vectors is not None}

    def generations(self) -> dict[str, int]:
        """Return the number of points of each generation."""
        return {str(value): n for value, n in self.counts("generation", self.count()).items()}

    def counts(self, key: str, at_most: int) -> dict[str | int, int]:
        """Return the number of points with each value of a payload key, for the most frequent values."""
        with self._reading():
            facet = self._points.facet(qdrant.FacetRequest(key, limit=max(1, at_most), exact=True))
        return {hit.value: hit.count for hit in facet.hits if hit.count}

    def put_record(self, key: str, record: Mapping[str, Any]) -> None:
        """Write one catalog record; it is on disk when this returns."""
        # The engine requires a vector for each point, though a record needs none.
        point = qdrant.Point(str(uuid5(NAMESPACE, key)), [1.0], dict(record))
        self._write_catalog(qdrant.UpdateOperation.upsert_points([point]))

    def delete_record(self, key: str) -> None:
        """Delete one catalog record; it is gone from the disk when this returns."""
        self._write_catalog(qdrant.UpdateOperation.delete_points([str(uuid5(NAMESPACE, key))]))

    def records(self) -> list[dict[str, Any]]:
        """Return all catalog records, in no particular order."""
        return [record.payload or {} for record in self._scroll("catalog", None, with_vector=False)]

    def records_of(self, keys: Sequence[str], fields: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Return the catalog records with these keys, those that exist; of each these fields, or all."""
        ids: list[Any] = [str(uuid5(NAMESPACE, key)) for key in keys]
        with reading(self._folder, "catalog"):
            records = self._catalog.retrieve(
                ids, with_payload=list(fields) if fields else True, with_vector=False
            )
        return [record.payload or {} for record in records]

    def records_of_works(self, works: Sequence[str]) -> list[dict[str, Any]]:
        """Return the catalog records whose `work` is one of these."""
        records = self._scroll("catalog", to_filter({"work": works}), with_vector=False)
        return [record.payload or {} for record in records]

    def summary(self) -> Summary | None:
        """Return the sum of the books, from the indexes of the catalog; None without them."""
        with reading(self._folder, "catalog"):
            if _missing_indexes(self._catalog):
                return None
            not_removed: list[Any] = [qdrant.IsEmptyCondition("removed_at")]
            stored = qdrant.Filter(must=not_removed)
            n_books = self._catalog.count(qdrant.CountRequest(filter=stored, exact=True))
            languages = self._values("language", stored, n_books)
            first, _ = self._catalog.scroll(
                qdrant.ScrollRequest(limit=1, filter=stored, with_payload=["settings.model"])
            )
            return Summary(
                n_books=n_books,
                languages=frozenset(languages) | ({None} if sum(languages.values()) < n_books else set()),
                sentence_vectors="False" not in self._values("settings.sentence_vectors", stored, n_books),
                model=str(first[0].payload["settings"]["model"]) if first and first[0].payload else "",
                works=tuple(filter(None, self._values("work", stored, n_books))),
            )

    def _values(self, field: str, filter: qdrant.Filter, n_records: int) -> dict[str, int]:
        """Return the values of an indexed field of the records, and how many records have each."""
        request = qdrant.FacetRequest(field, limit=max(1, n_records), exact=True, filter=filter)
        return {str(hit.value): hit.count for hit in self._catalog.facet(request).hits if hit.count}

    def note_change(self, change: Change) -> None:
        """Write down, durably, which books are about to change."""
        check_room(self._folder, TO_REMOVE)
        write_change(self._folder / CHANGE, change)

    def noted_change(self) -> Change | None:
        """Return the last change that was noted; None in a folder of a version that noted none."""
        return read_change(self._folder / CHANGE)

    def close(self) -> None:
        """Close the folder, so that another process can open it."""
        try:
            self._close()
        finally:
            self._lock.release()

    def _write(self, operation: qdrant.UpdateOperation, room: int) -> None:
        check_room(self._folder, room)  # again before each batch: other programs write, too
        with writing(self._folder):
            self._points.update(operation)

    def _write_catalog(self, operation: qdrant.UpdateOperation) -> None:
        check_room(self._folder, TO_REMOVE)
        with writing(self._folder):
            self._catalog.update(operation)
            self._catalog.flush()

    def _reading(self) -> AbstractContextManager[None]:
        return reading(self._folder, "points")

    def _scroll(
        self, name: str, filter: qdrant.Filter | None, *, with_vector: bool
    ) -> Iterator[qdrant.Record]:
        shard = self._points if name == "points" else self._catalog
        yield from scrolled(self._folder, name, shard, filter, with_vector=with_vector)


def edge_folder(folder: Path, binding: Binding | None) -> LibraryFolder:
    """Return the folder, ready to be opened; create it for `binding` if there is none.

    Raises:
        StoreError: there is no collection and `binding` is None; it is bound to another encoder or schema; it
            is not a collection of this kind.
    """
    refuse_nested(folder)
    if is_free(folder):
        if binding is None:
            raise no_library(folder)
        create_edge(folder, binding)
    stored = stored_binding(folder)
    check_binding(binding, stored, folder)
    return LibraryFolder(folder, partial(EdgeStore, folder, stored))


def create_edge(folder: Path, binding: Binding) -> None:
    """Create an empty embedded library."""
    with create_folder(folder) as staging:
        check_room(staging, NEW_LIBRARY + RESERVE)
        (staging / "points").mkdir()
        (staging / "catalog").mkdir()
        points = qdrant.EdgeShard.create(str(staging / "points"), _points_config(binding.dim))
        for name, kind in INDEXES.items():
            points.update(qdrant.UpdateOperation.create_field_index(name, kind))
        points.flush()
        points.close()
        catalog_config = qdrant.EdgeConfig(
            vectors=qdrant.EdgeVectorParams(1, qdrant.Distance.Dot, memory=_COLD), payload_memory=_COLD
        )
        qdrant.EdgeShard.create(str(staging / "catalog"), catalog_config).close()
        write_marker(staging, EDGE, asdict(binding))


def _index_records(folder: Path, catalog: qdrant.EdgeShard) -> None:
    """Create the indexes that a catalog of many records lacks.

    Raises:
        FullDiskError: there is no room for them.
    """
    missing = _missing_indexes(catalog)
    if not missing or catalog.info().points_count < INDEX_FROM:
        return
    check_room(folder, OF_INDEXES)
    for name in missing:
        kind = qdrant.PayloadSchemaType.Bool if "." in name else qdrant.PayloadSchemaType.Keyword
        catalog.update(qdrant.UpdateOperation.create_field_index(name, kind))
    catalog.flush()


def _missing_indexes(catalog: qdrant.EdgeShard) -> list[str]:
    return [name for name in INDEXED if name not in catalog.info().payload_schema]


def _points_config(dim: int) -> qdrant.EdgeConfig:
    return qdrant.EdgeConfig(
        vectors={
            VectorName.DENSE.value: qdrant.EdgeVectorParams(
                dim, qdrant.Distance.Cosine, datatype=qdrant.VectorStorageDatatype.Float16, memory=_COLD
            ),
            VectorName.SENTENCES.value: qdrant.EdgeVectorParams(
                dim,
                qdrant.Distance.Cosine,
                multivector_config=qdrant.MultiVectorConfig(qdrant.MultiVectorComparator.MaxSim),
                # Eight bits per number: half the size; similarities differ by .001 at most (docs/stores.md).
                datatype=qdrant.VectorStorageDatatype.Turbo8,
                memory=_COLD,
                # m=0: no graph. MaxSim is computed for candidates only, or in a library small enough to scan.
                hnsw_config=qdrant.HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=0),
            ),
        },
        sparse_vectors={VectorName.BM25.value: qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
        # A log would only protect points that may be lost: they count once flushed and in the catalog.
        wal_enabled=False,
        payload_memory=_COLD,
    )


def stored_binding(folder: Path) -> Binding:
    """Return what the library in a folder is bound to, as its marker says.

    Raises:
        StoreError: the marker cannot be read.
    """
    marker = read_marker(folder, EDGE)
    try:
        return Binding(**marker)
    except TypeError as error:
        raise StoreError(
            f"cannot open the library at {folder}",
            why=f"its {MARKER} does not name the model of its vectors",
            fix="alexandria restore BACKUP --store NEW_FOLDER, or ingest into a new folder with --store",
        ) from error


_unclosed: dict[Path, qdrant.EdgeShard] = {}
"""By folder, what could not be closed for want of room: still open in this process."""


def _close(folder: Path, **shards: qdrant.EdgeShard) -> None:
    if has_room(folder, TO_CLOSE):
        with writing(folder):
            for shard in shards.values():
                shard.close()
        return
    # To close writes into memory maps: on a full disk, the kernel ends the program. So it does when the last
    # reference is dropped, also at the end of Python. What was committed is on the disk already.
    for name, shard in shards.items():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(shard))
        _unclosed[folder / name] = shard


def load_shard(folder: Path, shard: str) -> qdrant.EdgeShard:
    """Return a shard of a library's folder, opened.

    Raises:
        StoreError: its files are damaged, or another program has it open; FullDiskError without room.
    """
    if unclosed := _unclosed.pop(folder / shard, None):
        return unclosed
    with opening(folder, shard):
        try:
            return qdrant.EdgeShard.load(str(folder / shard))
        except Exception as error:
            if "WouldBlock" in str(error):
                raise used_by_another_program(folder) from error
            raise


def scrolled(
    folder: Path,
    name: str,
    shard: qdrant.EdgeShard,
    filter: qdrant.Filter | None = None,
    *,
    with_vector: bool = False,
) -> Iterator[qdrant.Record]:
    """Yield the points of an open shard that match, with their payloads, ordered by id.

    Raises:
        StoreError: its files are damaged.
    """
    offset = None
    while True:
        request = qdrant.ScrollRequest(
            offset=offset, limit=PAGE, filter=filter, with_payload=True, with_vector=with_vector
        )
        # The catalog is read when a library is opened, and its damage is found then.
        with (opening if name == "catalog" else reading)(folder, name):
            records, offset = shard.scroll(request)
        yield from records
        if offset is None:
            return
