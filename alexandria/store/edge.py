"""The default store: Qdrant Edge, the engine of the server, run inside this process on a folder."""

import ctypes
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import UUID

import qdrant_edge as qdrant

from alexandria.book.model import Embeddings, Point, Sparse
from alexandria.errors import StoreError
from alexandria.store.catalog_file import CatalogFile, create_catalog
from alexandria.store.disk_space import (
    NEW_LIBRARY,
    RESERVE,
    TO_CLOSE,
    TO_REMOVE,
    check_room,
    growth,
    has_room,
    release_pages,
)
from alexandria.store.edge_errors import (
    damaged_shard_error,
    translate_open_errors,
    translate_read_errors,
    translate_write_errors,
)
from alexandria.store.folder import (
    EDGE,
    MARKER,
    check_new,
    create_folder,
    denied_error,
    is_free,
    list_embedded_collections,
    read_marker,
    refuse_bare_host,
    refuse_nested,
    refuse_server_options,
    write_marker,
)
from alexandria.store.lock import FolderLock, LibraryFolder, used_by_another_program_error
from alexandria.store.model_check import check_binding, no_library_error
from alexandria.store.passage import Hit, Passage
from alexandria.store.payload import COMPARED_KEYS
from alexandria.store.plan import Stage, VectorName
from alexandria.store.ranking import Nearest, Scored, carry_out
from alexandria.store.store import Binding, QueryVectors, Server, Where
from alexandria.store.vectors import check_vectors, make_point, rarities_of, sentence_vectors_of
from alexandria.system.files import atomic_write, size_of_folder


def to_request(
    nearest: Nearest, query: QueryVectors, where: Where, without: Sequence[str] = ()
) -> qdrant.QueryRequest:
    """Return the request for the nearest points; its response has ids and scores, but no payloads."""
    return qdrant.QueryRequest(
        limit=nearest.limit,
        query=_to_query(nearest.using, query),
        filter=to_filter(where, without, nearest.among),
        params=_OF_LIVE_POINTS if nearest.using is VectorName.BM25 else None,
        with_payload=False,
    )


_OF_LIVE_POINTS = qdrant.SearchParams(idf=qdrant.IdfParams(corpus=qdrant.Filter()))
"""Weighs words by the points that there are: otherwise, the engine counts deleted ones for a while."""


def _to_query(using: VectorName, query: QueryVectors) -> qdrant.Query:
    """Return the vector of a query that is compared."""
    match using:
        case VectorName.BM25:
            return qdrant.Query.Nearest(_to_sparse(query.bm25), using=using.value)
        case VectorName.SENTENCES:
            return qdrant.Query.Nearest([query.dense.tolist()], using=using.value)
        case VectorName.DENSE:
            return qdrant.Query.Nearest(query.dense.tolist())


def to_filter(where: Where, without: Sequence[str] = (), among: Sequence[int] = ()) -> qdrant.Filter | None:
    """Return the filter for points that pass `where`, except those of some books; None if every point passes.

    Args:
        where: the values that a point may have, by payload key.
        without: the generations of the excluded books: the hashes that the points of one book share.
        among: the ids that a point may have, as numbers; if empty, any.
    """
    conditions: list[Any] = [_match_any(key, values) for key, values in where.items()]
    if among:
        conditions.append(qdrant.HasIdCondition({f"{number:032x}" for number in among}))
    if without:
        return qdrant.Filter(must=conditions or None, must_not=[_match_any("generation", without)])
    return qdrant.Filter(must=conditions) if conditions else None


def _match_any(key: str, values: Sequence[str] | Sequence[int]) -> qdrant.FieldCondition | qdrant.Filter:
    match = qdrant.MatchAny(list(values))  # type: ignore[arg-type]  # strings or integers
    fields: list[Any] = [qdrant.FieldCondition(key=name, match=match) for name in key.split("|")]
    return qdrant.Filter(should=fields) if len(fields) > 1 else fields[0]


def to_point(point: Point) -> qdrant.Point:
    """Return the point with its vectors under their names."""
    vectors: dict[str, Any] = {
        VectorName.DENSE.value: point.dense.tolist(),
        VectorName.BM25.value: _to_sparse(point.bm25),
    }
    if point.sentences is not None:
        # As memory views: the engine reads the numbers straight from the array, without a list of them.
        vectors[VectorName.SENTENCES.value] = [memoryview(vector) for vector in point.sentences]
    return qdrant.Point(point.id, vectors, dict(point.payload))


def _to_sparse(terms: Sparse) -> qdrant.SparseVector:
    return qdrant.SparseVector(indices=list(terms.indices), values=list(terms.values))


GRAPH_FROM = 50_000
"""Points above which a graph (HNSW) is built; up to this, comparing every vector takes some 25 ms."""
MAX_DEAD = 1 / 3
"""The share of the points on disk that may be deleted ones; above it, their space is given back."""
_WITHOUT_GRAPH = qdrant.EdgeOptimizersConfig(
    deleted_threshold=0.01, vacuum_min_vector_number=1, default_segment_number=1, indexing_threshold=1 << 40
)  # drops deleted points of any library, and builds no graph for fewer kilobytes of vectors than this
POINTS = "points"  # the folder of the shard with the points
_UNFINISHED = "temp_segments"
"""The folder, beside the segments of a shard, in which the engine writes new ones."""
BATCH = 64  # points per write: the engine is slower if they do not fit into the processor's cache
PAGE = 256  # points read per request of a scroll without vectors
_COLD = qdrant.Memory.Cold
"""Pages are read on demand: loading all of them at each start costs more time than it saves."""
INDEXES: dict[str, qdrant.KeywordIndexParams | qdrant.IntegerIndexParams] = {
    "generation": qdrant.KeywordIndexParams(memory=_COLD),
    "section": qdrant.KeywordIndexParams(memory=_COLD),
    "chunk_id": qdrant.IntegerIndexParams(lookup=True, range=True, memory=_COLD),
}  # the payload keys of our own filters: no other program opens the folder, and each index slows writes


class EdgeStore:
    """A folder with a shard of the engine, `points`, and a catalog in SQLite with one record per book."""

    on_server = False
    parallel = True
    through_owner = lost = False

    def __init__(self, folder: Path, binding: Binding, lock: FolderLock) -> None:
        """Take over the lock on a folder, and open its catalog; the points, with the engine, on first use."""
        self._folder, self.binding, self._lock = folder, binding, lock
        self.address = str(folder)
        if denied := denied_error(f"cannot use the library at {folder}", folder / POINTS):
            raise denied  # now, since a copy may be opened instead
        self.records = CatalogFile(folder)
        self._shard = _Shard(folder)
        self._close = weakref.finalize(self, _close, self._shard, self.records)

    @property
    def _points(self) -> qdrant.EdgeShard:
        return self._shard.open()

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each with all its vectors; return once they are on disk."""
        # All points before the first write: the engine itself accepts NaN, and if it refuses a batch, its log
        # may bring back the valid points of that batch.
        check_vectors(points, self.binding.dim)
        check_room(self._folder, growth(points) + RESERVE)
        self._note_written(len(points))
        # The engine writes without holding Python's lock (GIL): meanwhile, the next batch is converted.
        with ThreadPoolExecutor(1) as writer:
            pending: Future[None] | None = None
            for i in range(0, len(points), BATCH):
                batch = qdrant.UpdateOperation.upsert_points(list(map(to_point, points[i : i + BATCH])))
                if pending is not None:
                    pending.result()
                pending = writer.submit(self._write, batch, RESERVE)
            if pending is not None:
                pending.result()
        self._flush()

    def delete(self, where: Where) -> None:
        """Delete the points that match; return once that is on disk."""
        filter = to_filter(where)
        if filter is None:
            raise ValueError("an empty filter would delete every point")
        self._note_written(0)
        self._write(qdrant.UpdateOperation.delete_points_by_filter(filter), TO_REMOVE)
        self._flush()

    def _note_written(self, n_points: int) -> None:
        """Count points that are about to be written; before the first count, all that are there."""
        self.records.note_written((self.records.n_written() or self.count()) + n_points)

    def _flush(self) -> None:
        with translate_write_errors(self._folder):
            self._points.flush()
        release_pages(self._folder)

    def optimize(self) -> None:
        """Build the graph of a large library, and give back the space of deleted points, where it is much.

        The engine does neither without a request.
        """
        # After a kill: half of the new files, which the engine itself never removes.
        shutil.rmtree(self._folder / POINTS / _UNFINISHED, ignore_errors=True)
        n_points, n_written = self.count(), self.records.n_written()
        is_wasteful = n_written - n_points > MAX_DEAD * n_written
        if n_points > GRAPH_FROM:
            with translate_write_errors(self._folder):
                self._points.optimize()
        elif is_wasteful:
            # A graph that is built for no other reason would make the search inexact.
            is_wasteful = self._optimize_without_graph()
        if is_wasteful:
            self.records.note_written(n_points)

    def _optimize_without_graph(self) -> bool:
        """Let the engine write the points that are left into new files; return False if the disk lacks room.

        It deletes the old files last: after a kill it goes on with these, or has both (`_without_copies`).
        """
        folder = self._folder / POINTS
        if not has_room(self._folder, size_of_folder(folder) + RESERVE):
            return False
        settings = folder / "edge_config.json"
        before = settings.read_bytes()
        self._shard.close()
        try:
            with translate_write_errors(self._folder):
                points = qdrant.EdgeShard.load(str(folder), _points_config(self.binding.dim, _WITHOUT_GRAPH))
                points.optimize()
                points.close()
        finally:
            with atomic_write(settings) as file:
                file.write(before)  # for the next graph
        return True

    def count(self) -> int:
        """Return the number of points."""
        with self._translate_read_errors():
            return self._points.info().points_count

    def search(
        self, query: QueryVectors, plan: Stage, where: Where, without: Sequence[str] = ()
    ) -> list[Hit]:
        """Return the best matches, best first, with all that tie with the last, with `COMPARED_KEYS`."""

        def find(requests: Sequence[Nearest]) -> list[list[Scored]]:
            batch = [to_request(nearest, query, where, without) for nearest in requests]
            lists = self._points.query_batch(qdrant.QueryBatchRequest(batch))
            # As numbers: Python code compares UUIDs, and makes texts of them, which takes a millisecond.
            return [
                [(point.id.int, point.score) for point in points]  # type: ignore[union-attr]  # a UUID
                for points in lists
            ]

        with self._translate_read_errors():
            scored = carry_out(plan, find)
        # Separately: with the search, the engine would read the payloads of all candidates of all stages.
        ids = [str(UUID(int=number)) for number, _ in scored]
        payloads = self._payloads_of(ids, [*COMPARED_KEYS])  # the others take most of the time to read
        return [
            Hit(id=id, payload=payloads[id], score=score) for id, (_, score) in zip(ids, scored, strict=True)
        ]

    def whole_payloads(self, passages: Sequence[Passage]) -> Mapping[str, Mapping[str, Any]]:
        """Return all that is stored with passages that a search has found, by id."""
        return self._payloads_of([passage.id for passage in passages], True)

    def _payloads_of(self, ids: Sequence[str], keys: list[str] | bool) -> dict[str, dict[str, Any]]:
        with self._translate_read_errors():
            records = self._points.retrieve(list(ids), with_payload=keys, with_vector=False)
        payloads = {str(record.id): payload for record in records if (payload := record.payload)}
        if (lost := set(ids) - payloads.keys()) and keys is not True:  # of other programs, with other keys
            return payloads | self._payloads_of(sorted(lost), True)
        if lost:
            raise damaged_shard_error(self._folder, POINTS, f"{len(lost)} points have lost their payload")
        return payloads

    def rarities(self, terms: Sequence[int]) -> dict[int, float | None]:
        """Return the inverse document frequency of terms of the BM25 vectors; None if no point has one."""
        batch = [
            qdrant.QueryRequest(
                limit=1,
                query=qdrant.Query.Nearest(_to_sparse(Sparse((term,), (1.0,))), using=VectorName.BM25.value),
                params=_OF_LIVE_POINTS,
                with_vector=[VectorName.BM25.value],
            )
            for term in terms
        ]
        with self._translate_read_errors():
            lists = self._points.query_batch(qdrant.QueryBatchRequest(batch)) if batch else []
        return rarities_of(terms, lists)

    def payloads(self, where: Where, start: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, ordered by id, from the id `start` on."""
        for record in self._scroll(to_filter(where), start, with_vector=False):
            yield str(record.id), record.payload or {}

    def points(self, where: Where, start: str | None = None) -> Iterator[Point]:
        """Yield the points that match, with their vectors, ordered by id, from the id `start` on."""
        for record in self._scroll(to_filter(where), start, with_vector=True):
            yield make_point(record.id, record.vector, record.payload or {})

    def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have any, by id: (n_sentences, dim) each."""
        name = VectorName.SENTENCES.value
        with self._translate_read_errors():
            points = self._points.retrieve(list(ids), with_payload=False, with_vector=[name])
        by_id = {str(point.id): sentence_vectors_of(point.vector) for point in points}
        return {id: vectors for id, vectors in by_id.items() if vectors is not None}

    def ids_without(self, name: VectorName) -> set[str]:
        """Return the ids of the points that have no vector of this name."""
        lacking = qdrant.Filter(must_not=[qdrant.HasVectorCondition(name.value)])
        return {str(record.id) for record in self._scroll(lacking, with_vector=False)}

    def generations(self) -> dict[str, int]:
        """Return the number of points of each generation."""
        return {str(value): n for value, n in self.counts("generation", self.count()).items()}

    def counts(self, key: str, at_most: int) -> dict[str | int, int]:
        """Return the number of points with each value of a payload key, for the most frequent values."""
        with self._translate_read_errors():
            facet = self._points.facet(qdrant.FacetRequest(key, limit=max(1, at_most), exact=True))
        return {hit.value: hit.count for hit in facet.hits if hit.count}

    def close(self) -> None:
        """Close the folder, so that another process can open it."""
        try:
            self._close()
        finally:
            self._lock.release()

    def _write(self, operation: qdrant.UpdateOperation, room: int) -> None:
        check_room(self._folder, room)  # again before each batch: other programs write, too
        with translate_write_errors(self._folder):
            self._points.update(operation)

    def _translate_read_errors(self) -> AbstractContextManager[None]:
        return translate_read_errors(self._folder, POINTS)

    def _scroll(
        self, filter: qdrant.Filter | None, start: str | None = None, *, with_vector: bool
    ) -> Iterator[qdrant.Record]:
        yield from scroll_points(self._folder, self._points, filter, start, with_vector=with_vector)


def prepare_folder(address: str, collection: str, binding: Binding | None, server: Server) -> LibraryFolder:
    """Do the work of `store.prepare_folder` for an embedded library."""
    refuse_server_options(server)
    refuse_bare_host(address)
    # Absolute, since the program may change its working directory.
    folder = Path(address).expanduser().absolute() / collection
    if binding is not None:
        check_new(collection, folder)
    refuse_nested(folder)
    if is_free(folder):
        if binding is None:
            raise no_library_error(folder, folder.name, list_embedded_collections(folder.parent))
        create_edge(folder, binding)
    stored = read_binding(folder)
    check_binding(binding, stored, folder)
    return LibraryFolder(folder, folder, partial(EdgeStore, folder, stored))


def create_edge(folder: Path, binding: Binding) -> None:
    """Create an empty embedded library."""
    with create_folder(folder) as staging:
        check_room(staging, NEW_LIBRARY + RESERVE)
        (staging / POINTS).mkdir()
        create_points(staging / POINTS, binding.dim)
        create_catalog(staging)
        write_edge_marker(staging, binding)


def create_points(folder: Path, dim: int) -> None:
    """Create an empty shard for vectors of this length in an empty folder."""
    points = qdrant.EdgeShard.create(str(folder), _points_config(dim))
    for name, kind in INDEXES.items():
        points.update(qdrant.UpdateOperation.create_field_index(name, kind))
    points.flush()
    points.close()


def write_edge_marker(folder: Path, binding: Binding) -> None:
    """Write the marker of an embedded library."""
    write_marker(folder, EDGE, asdict(binding))


def _points_config(dim: int, optimizers: qdrant.EdgeOptimizersConfig | None = None) -> qdrant.EdgeConfig:
    """Return the settings of the shard of points: its vectors, and how the engine keeps them."""
    return qdrant.EdgeConfig(
        vectors={
            VectorName.DENSE.value: qdrant.EdgeVectorParams(
                dim, qdrant.Distance.Cosine, datatype=qdrant.VectorStorageDatatype.Float16, memory=_COLD
            ),
            VectorName.SENTENCES.value: qdrant.EdgeVectorParams(
                dim,
                qdrant.Distance.Cosine,
                multivector_config=qdrant.MultiVectorConfig(qdrant.MultiVectorComparator.MaxSim),
                # Eight bits per number: half the size; similarities differ by .001 at most.
                datatype=qdrant.VectorStorageDatatype.Turbo8,
                memory=_COLD,
                # m=0: no graph. MaxSim is computed for candidates only, or in a library small enough to scan.
                hnsw_config=qdrant.HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=0),
            ),
        },
        sparse_vectors={
            VectorName.BM25.value: qdrant.EdgeSparseVectorParams(
                modifier=qdrant.Modifier.Idf,
                # Mapped into memory: by default, the index is copied into it at each start.
                memory=qdrant.Memory.Cached,
            )
        },
        # No write-ahead log: it would protect points that are not flushed, and no record lists those yet.
        wal_enabled=False,
        payload_memory=_COLD,
        optimizers=optimizers,
    )


def read_binding(folder: Path) -> Binding:
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


class _Shard:
    """The shard with a library's points, opened on first use: the catalog alone answers many commands."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._opened: qdrant.EdgeShard | None = None
        self._is_given_up = False  # then another process may have it open

    def open(self) -> qdrant.EdgeShard:
        """Return the shard; several threads may call this.

        Raises:
            StoreError: its files are damaged, another program has it open, or it was closed for good.
            FullDiskError: the disk is full.
        """
        if self._opened is None:
            with self._lock:
                if self._is_given_up:
                    raise StoreError(
                        f"the library at {self._folder} is closed",
                        why="its points were still being read when it was closed",
                        fix="open it again",
                    )
                if self._opened is None:
                    self._opened = _without_copies(self._folder, load_shard(self._folder, POINTS))
        return self._opened

    def close(self, *, for_good: bool = False) -> None:
        """Close the shard, if it is open; on a full disk, leave it open until the process ends."""
        with self._lock:
            opened, self._opened, self._is_given_up = self._opened, None, for_good
        if opened is not None and has_room(self._folder, TO_CLOSE):
            with translate_write_errors(self._folder):
                opened.close()
        elif opened is not None:
            # Closing writes into memory maps: on a full disk, the kernel would kill the process. Python also
            # closes the shard when its last reference is dropped, even at exit: an extra reference that is
            # never dropped prevents that. Nothing is lost: what was committed is on the disk already.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(opened))
            _unclosed[self._folder / POINTS] = opened


_unclosed: dict[Path, qdrant.EdgeShard] = {}
"""The shards, by folder, that could not be closed on a full disk: they are still open in this process."""


def _close(points: _Shard, catalog: CatalogFile) -> None:
    """Close the files of a store; on a full disk, the points stay open."""
    catalog.close()
    points.close(for_good=True)


def load_shard(folder: Path, shard: str) -> qdrant.EdgeShard:
    """Return a shard of a library's folder, opened.

    Raises:
        StoreError: its files are damaged, or another program has it open.
        FullDiskError: the disk is full.
    """
    if unclosed := _unclosed.pop(folder / shard, None):  # still open in this process
        return unclosed
    with translate_open_errors(folder, shard):
        try:
            return qdrant.EdgeShard.load(str(folder / shard))
        except Exception as error:
            if "WouldBlock" in str(error):
                raise used_by_another_program_error(folder) from error
            raise


def _without_copies(folder: Path, points: qdrant.EdgeShard) -> qdrant.EdgeShard:
    """Return an open shard without a segment whose points are all in another one, too."""
    # The engine leaves such a segment if it is killed when it has written the new files and not yet deleted
    # the old ones. Each point is found once, but counted twice, also where words are weighed.
    segments = folder / POINTS / "segments"
    for segment in sorted(segments.iterdir(), key=lambda path: path.stat().st_mtime):
        with translate_read_errors(folder, POINTS):
            info = points.info()
            n_points = points.count(qdrant.CountRequest(exact=True)) if info.segments_count > 1 else 0
        if info.segments_count == 1 or info.points_count == n_points:
            break
        points.close()
        (unfinished := folder / POINTS / _UNFINISHED).mkdir(exist_ok=True)
        aside = segment.rename(unfinished / segment.name)
        points = load_shard(folder, POINTS)
        if points.count(qdrant.CountRequest(exact=True)) == n_points:
            shutil.rmtree(aside, ignore_errors=True)
        else:
            points.close()
            aside.rename(segment)
            points = load_shard(folder, POINTS)
    return points


def scroll_points(
    folder: Path,
    points: qdrant.EdgeShard,
    filter: qdrant.Filter | None = None,
    start: str | None = None,
    *,
    with_vector: bool = False,
) -> Iterator[qdrant.Record]:
    """Yield the points of an open shard that match, with their payloads, ordered by id, from `start` on.

    Raises:
        StoreError: its files are damaged.
    """
    offset: Any = start
    page = BATCH if with_vector else PAGE
    while True:
        request = qdrant.ScrollRequest(
            offset=offset, limit=page, filter=filter, with_payload=True, with_vector=with_vector
        )
        with translate_read_errors(folder, POINTS):
            records, offset = points.scroll(request)
        yield from records
        if offset is None:
            return
