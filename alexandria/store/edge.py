"""The default store: Qdrant Edge, the server's engine inside this process, on a folder of its own."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid5

import numpy as np
import qdrant_edge as qdrant

from alexandria.book import Embeddings, Point, Sparse
from alexandria.errors import StoreError, io_reason
from alexandria.passage import Hit
from alexandria.store import Binding, Question, Where
from alexandria.store.marker import (
    EDGE,
    MARKER,
    absent,
    check_binding,
    claim,
    half_made,
    in_use,
    no_library,
    read_marker,
    refuse_nested,
    release,
    write_marker,
)
from alexandria.store.pages import give_back
from alexandria.store.plan import By, Step
from alexandria.store.points import NAMESPACE, check_vectors

GRAPH_FROM = 50_000
"""Points from which a graph is built; up to there every vector is compared, in some 25 ms."""
INDEXES = {
    "generation": qdrant.PayloadSchemaType.Keyword,
    "section": qdrant.PayloadSchemaType.Keyword,
    "chunk_id": qdrant.PayloadSchemaType.Integer,
}
"""What a library asks for. No one else can ask a folder, and each more of them slows every write."""
BATCH = 64
"""Points a write: the engine is slower where they outgrow the processor's cache."""
PAGE = 256
"""Points a scroll reads at once."""
_COLD = qdrant.Memory.Cold
"""Pages are read when they are asked for: to fetch all of them at each start takes longer than it saves."""


class EdgeStore:
    """A folder with two shards: `points`, and `catalog` with one record a book."""

    shared = False

    def __init__(self, folder: Path, binding: Binding) -> None:
        self._folder, self.binding = folder, binding
        self._catalog = _load(folder, "catalog")  # first: its log is what locks the folder
        try:
            self._points = _load(folder, "points")
        except BaseException:
            self._catalog.close()
            raise
        claim(folder)

    @classmethod
    def open(cls, folder: Path, binding: Binding | None) -> "EdgeStore":
        """Open the folder, or create it for `binding`.

        Raises:
            StoreError: nothing is there and `binding` is None; it is bound to something else; it is in use;
                it is not a collection of this kind.
        """
        refuse_nested(folder)
        if absent(folder):
            if binding is None:
                raise no_library(folder)
            _create(folder, binding)
        found = _binding(folder)
        check_binding(binding, found, folder)
        return cls(folder, found)

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each whole."""
        # The engine accepts NaN, and a good point of a refused batch can come back from its log.
        check_vectors(points, self.binding.dim)
        # The engine writes without Python's lock: meanwhile the next points are made ready for it.
        with ThreadPoolExecutor(1) as writer:
            writing: Future[None] | None = None
            for i in range(0, len(points), BATCH):
                batch = qdrant.UpdateOperation.upsert_points(list(map(_to_edge, points[i : i + BATCH])))
                if writing is not None:
                    writing.result()
                writing = writer.submit(self._write, batch)
            if writing is not None:
                writing.result()

    def delete(self, where: Where) -> None:
        """Delete the points that match; refuses an empty `where`."""
        filter = _filter(where)
        if filter is None:
            raise ValueError("an empty filter would delete every point")
        self._write(qdrant.UpdateOperation.delete_points_by_filter(filter))

    def flush(self) -> None:
        """Return when all that was written is on disk."""
        self._points.flush()
        give_back(self._folder)

    def settle(self) -> None:
        """Build what a large library needs to be searched fast: the engine does so only when told."""
        if self.count() > GRAPH_FROM:
            self._points.optimize()

    def count(self) -> int:
        """Return how many points there are."""
        return self._points.info().points_count

    def search(self, question: Question, steps: Step, where: Where) -> list[Hit]:
        """Return the best matches, best first."""
        filter = _filter(where)
        request = qdrant.QueryRequest(
            limit=steps.limit,
            prefetches=[_prefetch(step, question, filter) for step in steps.of],
            query=_query(steps, question),
            filter=filter,
            with_payload=True,
        )
        return [
            Hit(id=str(one.id), payload=one.payload or {}, score=one.score)
            for one in self._points.query(request)
        ]

    def payloads(self, where: Where) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, in the order of their ids."""
        for record in _scroll(self._points, _filter(where), with_vector=False):
            yield str(record.id), record.payload or {}

    def points(self, where: Where) -> Iterator[Point]:
        """Yield the points that match, with their vectors, in the order of their ids."""
        yield from map(_from_edge, _scroll(self._points, _filter(where), with_vector=True))

    def sentence_rows(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have some, (n_sentences, dim) each."""
        records = self._points.retrieve(list(ids), with_payload=False, with_vector=["sentences"])
        found = {str(record.id): _named(record).get("sentences") for record in records}
        return {id: np.asarray(rows, np.float32) for id, rows in found.items() if rows}

    def generations(self) -> dict[str, int]:
        """Return how many points each generation has."""
        n_points = max(1, self._points.count(qdrant.CountRequest(exact=True)))
        facet = self._points.facet(qdrant.FacetRequest("generation", limit=n_points, exact=True))
        return {str(hit.value): hit.count for hit in facet.hits if hit.count}

    def put_record(self, key: str, record: Mapping[str, Any]) -> None:
        """Write one catalog record; on disk when this returns."""
        # The engine wants a vector with each point; a record has no use for one.
        point = qdrant.Point(str(uuid5(NAMESPACE, key)), [1.0], dict(record))
        self._catalog.update(qdrant.UpdateOperation.upsert_points([point]))
        self._catalog.flush()

    def delete_record(self, key: str) -> None:
        """Delete one catalog record; on disk when this returns."""
        self._catalog.update(qdrant.UpdateOperation.delete_points([str(uuid5(NAMESPACE, key))]))
        self._catalog.flush()

    def records(self) -> list[dict[str, Any]]:
        """Return all catalog records, in no particular order."""
        return [record.payload or {} for record in _scroll(self._catalog, None, with_vector=False)]

    def close(self) -> None:
        """Let go of the folder, so that another process can open it."""
        self._points.close()
        self._catalog.close()
        release(self._folder)

    def _write(self, operation: qdrant.UpdateOperation) -> None:
        try:
            self._points.update(operation)
        except Exception as error:
            if type(error) is not Exception:  # a bug of ours; the engine raises the bare class
                raise
            raise StoreError(
                f"cannot write into the library at {self._folder}",
                why=str(error),
                fix="make room on the disk, then run the same command again: it goes on where it stopped",
            ) from error


def _create(folder: Path, binding: Binding) -> None:
    """Make the shards beside their place and move them there: a half-made folder is never opened."""
    new = half_made(folder)
    try:
        (new / "points").mkdir(parents=True)
        (new / "catalog").mkdir()
        points = qdrant.EdgeShard.create(str(new / "points"), _points_config(binding.dim))
        for name, kind in INDEXES.items():
            points.update(qdrant.UpdateOperation.create_field_index(name, kind))
        points.flush()
        points.close()
        catalog_config = qdrant.EdgeConfig(
            vectors=qdrant.EdgeVectorParams(1, qdrant.Distance.Dot, memory=_COLD), payload_memory=_COLD
        )
        qdrant.EdgeShard.create(str(new / "catalog"), catalog_config).close()
        write_marker(new, EDGE, asdict(binding))
        new.replace(folder)
    except OSError as error:
        raise StoreError(
            f"cannot create a library at {folder}",
            why=io_reason(error),
            fix="choose another folder with --store",
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _points_config(dim: int) -> qdrant.EdgeConfig:
    return qdrant.EdgeConfig(
        vectors={
            By.DENSE.value: qdrant.EdgeVectorParams(dim, qdrant.Distance.Cosine, memory=_COLD),
            By.SENTENCES.value: qdrant.EdgeVectorParams(
                dim,
                qdrant.Distance.Cosine,
                multivector_config=qdrant.MultiVectorConfig(qdrant.MultiVectorComparator.MaxSim),
                datatype=qdrant.VectorStorageDatatype.Float16,
                memory=_COLD,
                # m=0: no graph. MaxSim is asked of the candidates only, or of a library small enough to scan.
                hnsw_config=qdrant.HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=0),
            ),
        },
        sparse_vectors={By.WORDS.value: qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
        # A log would keep what a crash may take: points count once they are flushed and in the catalog.
        wal_enabled=False,
        payload_memory=_COLD,
    )


def _binding(folder: Path) -> Binding:
    marker = read_marker(folder, EDGE)
    try:
        return Binding(**marker)
    except TypeError as error:
        raise StoreError(
            f"cannot open the library at {folder}",
            why=f"its {MARKER} does not say which model it was made with",
            fix="restore it from a copy, or ingest into a new folder with --store",
        ) from error


def _load(folder: Path, shard: str) -> qdrant.EdgeShard:
    try:
        return qdrant.EdgeShard.load(str(folder / shard))
    except Exception as error:  # the engine raises nothing narrower
        if "WouldBlock" in str(error):
            raise in_use(folder) from error
        raise StoreError(
            f"cannot open the library at {folder}",
            why=str(error),
            fix="restore it from a copy, or ingest into a new folder with --store",
        ) from error


def _query(step: Step, question: Question) -> Any:
    match step.by:
        case By.FUSION:
            return qdrant.Fusion.Dbsf()
        case By.WORDS:
            return qdrant.Query.Nearest(_sparse(question.bm25), using=step.by.value)
        case By.SENTENCES:
            return qdrant.Query.Nearest([question.dense.tolist()], using=step.by.value)
        case By.DENSE:
            return qdrant.Query.Nearest(question.dense.tolist())


def _prefetch(step: Step, question: Question, filter: qdrant.Filter | None) -> qdrant.Prefetch:
    return qdrant.Prefetch(
        limit=step.limit,
        query=_query(step, question),
        prefetches=[_prefetch(one, question, filter) for one in step.of],
        filter=filter,
    )


def _to_edge(point: Point) -> qdrant.Point:
    vector: dict[str, Any] = {
        By.DENSE.value: point.dense.tolist(),
        By.WORDS.value: _sparse(point.bm25),
    }
    if point.sentences is not None:
        # The engine takes number by number out of the array: lists of them would be made for nothing.
        vector[By.SENTENCES.value] = [memoryview(row) for row in point.sentences]
    return qdrant.Point(point.id, vector, dict(point.payload))


def _from_edge(record: qdrant.Record) -> Point:
    vectors = _named(record)
    rows, words = vectors.get(By.SENTENCES.value), vectors.get(By.WORDS.value)
    return Point(
        id=str(record.id),
        dense=np.asarray(vectors.get(By.DENSE.value, ()), np.float32),
        sentences=np.asarray(rows, np.float32) if rows else None,
        bm25=Sparse(tuple(words.indices), tuple(words.values)) if words else Sparse((), ()),
        payload=record.payload or {},
    )


def _named(record: qdrant.Record) -> dict[str, Any]:
    return record.vector if isinstance(record.vector, dict) else {}


def _sparse(terms: Sparse) -> qdrant.SparseVector:
    return qdrant.SparseVector(indices=list(terms.indices), values=list(terms.values))


def _filter(where: Where) -> qdrant.Filter | None:
    conditions: list[Any] = [
        qdrant.FieldCondition(key=key, match=qdrant.MatchAny(list(values)))  # type: ignore[arg-type]  # both kinds
        for key, values in where.items()
    ]
    return qdrant.Filter(must=conditions) if conditions else None


def _scroll(
    shard: qdrant.EdgeShard, filter: qdrant.Filter | None, *, with_vector: bool
) -> Iterator[qdrant.Record]:
    offset = None
    while True:
        records, offset = shard.scroll(
            qdrant.ScrollRequest(
                offset=offset, limit=PAGE, filter=filter, with_payload=True, with_vector=with_vector
            )
        )
        yield from records
        if offset is None:
            return
