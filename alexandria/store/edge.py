"""The default store: Qdrant Edge, the server's engine inside this process, on a folder of its own."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid5

import numpy as np
import qdrant_edge as qdrant

from alexandria.book import Hit, Point
from alexandria.errors import StoreError
from alexandria.store import Binding, Mode, Question, Where
from alexandria.store.points import DATETIMES, INTEGERS, KEYWORDS, NAMESPACE

MARKER = "alexandria.json"
KIND = "qdrant-edge"
OWNER = "owner.pid"
PAGE = 256
"""Points a scroll reads at once."""
PREFETCH = 100
"""Candidates of each half of a hybrid search."""


class EdgeStore:
    """A folder with two shards: `points`, and `catalog` with one record a book."""

    def __init__(self, folder: Path, binding: Binding) -> None:
        self._folder, self.binding = folder, binding
        self._points = _load(folder, "points")
        try:
            self._catalog = _load(folder, "catalog")
        except BaseException:
            self._points.close()
            raise
        (folder / OWNER).write_text(str(os.getpid()))

    @classmethod
    def open(cls, folder: Path, binding: Binding | None) -> "EdgeStore":
        """Open the folder, or create it for `binding`.

        Raises:
            StoreError: nothing is there and `binding` is None; it is bound to something else; it is in use;
                it is not a collection of this kind.
        """
        if not folder.exists() or not any(folder.iterdir()):
            if binding is None:
                raise StoreError(
                    f"there is no library at {folder}",
                    why="nothing has been ingested there yet",
                    fix="alexandria ingest BOOK",
                )
            _create(folder, binding)
        found = _read_marker(folder)
        if binding is not None and binding != found:
            raise StoreError(
                f"cannot use the library at {folder} with these settings",
                why=f"it holds vectors of {_describe(found)}; now it would be {_describe(binding)}",
                fix="use that model, or another --collection",
            )
        return cls(folder, found)

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each whole."""
        for point in points:
            self._validate(point)
        if points:
            self._points.update(qdrant.UpdateOperation.upsert_points([_to_edge(point) for point in points]))

    def delete(self, where: Where) -> None:
        """Delete the points that match; refuses an empty `where`."""
        filter = _filter(where)
        if filter is None:
            raise ValueError("an empty filter would delete every point")
        self._points.update(qdrant.UpdateOperation.delete_points_by_filter(filter))

    def flush(self) -> None:
        """Return when all that was written is on disk."""
        self._points.flush()

    def search(self, question: Question, mode: Mode, where: Where, limit: int) -> list[Hit]:
        """Return the best matches, best first."""
        dense = question.dense.tolist()
        by_sentence = qdrant.Query.Nearest([dense], using="sentences")
        by_word = qdrant.Query.Nearest(_sparse(question.bm25.indices, question.bm25.values), using="bm25")
        filter = _filter(where)
        match mode:
            case Mode.DENSE:
                request = _request(qdrant.Query.Nearest(dense), filter, limit)
            case Mode.SENTENCES:
                request = _request(by_sentence, filter, limit)
            case Mode.BM25:
                request = _request(by_word, filter, limit)
            case Mode.HYBRID:
                request = qdrant.QueryRequest(
                    limit=limit,
                    prefetches=[
                        qdrant.Prefetch(limit=max(PREFETCH, limit), query=half, filter=filter)
                        for half in (by_sentence, by_word)
                    ],
                    query=qdrant.Fusion.Dbsf(),  # type: ignore[arg-type]  # the stub forgets its base
                    with_payload=True,
                )
        return [Hit(score=found.score, payload=found.payload or {}) for found in self._points.query(request)]

    def payloads(self, where: Where) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, in the order of their ids."""
        yield from _scroll(self._points, _filter(where))

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
        return [record for _, record in _scroll(self._catalog, None)]

    def close(self) -> None:
        """Let go of the folder, so that another process can open it."""
        self._points.close()
        self._catalog.close()
        with suppress(FileNotFoundError):
            (self._folder / OWNER).unlink()

    def _validate(self, point: Point) -> None:
        # The engine accepts NaN, and a good point of a refused batch can come back from its log.
        rows = [point.dense] if point.sentences is None else [point.dense, *point.sentences]
        for row in rows:
            if row.shape != (self.binding.dim,) or not np.isfinite(row).all():
                raise ValueError(
                    f"point {point.id} has a vector that is not {self.binding.dim} finite numbers"
                )


def _create(folder: Path, binding: Binding) -> None:
    """Make the shards beside their place and move them there: a half-made folder is never opened."""
    new = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    try:
        (new / "points").mkdir(parents=True)
        (new / "catalog").mkdir()
        points = qdrant.EdgeShard.create(str(new / "points"), _points_config(binding.dim))
        for names, kind in (
            (KEYWORDS, qdrant.PayloadSchemaType.Keyword),
            (INTEGERS, qdrant.PayloadSchemaType.Integer),
            (DATETIMES, qdrant.PayloadSchemaType.Datetime),
        ):
            for name in names:
                points.update(qdrant.UpdateOperation.create_field_index(name, kind))
        points.flush()
        points.close()
        catalog_config = qdrant.EdgeConfig(vectors=qdrant.EdgeVectorParams(1, qdrant.Distance.Dot))
        qdrant.EdgeShard.create(str(new / "catalog"), catalog_config).close()
        (new / MARKER).write_text(json.dumps({"kind": KIND, **asdict(binding)}, indent=2))
        new.replace(folder)
    except OSError as error:
        raise StoreError(
            f"cannot create a library at {folder}",
            why=(error.strerror or str(error)).lower(),
            fix="choose another folder with --store",
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _points_config(dim: int) -> qdrant.EdgeConfig:
    return qdrant.EdgeConfig(
        vectors={
            "": qdrant.EdgeVectorParams(dim, qdrant.Distance.Cosine),
            "sentences": qdrant.EdgeVectorParams(
                dim,
                qdrant.Distance.Cosine,
                multivector_config=qdrant.MultiVectorConfig(qdrant.MultiVectorComparator.MaxSim),
                datatype=qdrant.VectorStorageDatatype.Float16,
                # m=0: no graph. MaxSim is asked of the candidates only, or of a library small enough to scan.
                hnsw_config=qdrant.HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=0),
            ),
        },
        sparse_vectors={"bm25": qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
    )


def _read_marker(folder: Path) -> Binding:
    try:
        marker = json.loads((folder / MARKER).read_text())
        kind, binding = marker.pop("kind"), Binding(**marker)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(
            f"{folder} is not a library of Alexandria",
            why=f"it holds other files, and no readable {MARKER}",
            fix="choose an empty or new folder with --store",
        ) from error
    if kind != KIND:
        raise StoreError(
            f"cannot open {folder} as an embedded library",
            why=f"its {MARKER} says it is of the kind {kind}",
            fix=f"--store {kind}:{folder.parent}",
        )
    return binding


def _load(folder: Path, shard: str) -> qdrant.EdgeShard:
    try:
        return qdrant.EdgeShard.load(str(folder / shard))
    except Exception as error:  # the engine raises nothing narrower
        if "WouldBlock" in str(error):
            raise StoreError(
                f"the library at {folder} is in use",
                why=f"another alexandria has it open (pid {_owner(folder)})",
                fix="wait until it has finished, or stop it",
            ) from error
        raise StoreError(
            f"cannot open the library at {folder}",
            why=str(error),
            fix="restore it from a copy, or ingest into a new folder with --store",
        ) from error


def _owner(folder: Path) -> str:
    try:
        return (folder / OWNER).read_text().strip() or "unknown"
    except OSError:
        return "unknown"


def _describe(binding: Binding) -> str:
    return f"{binding.encoder} ({binding.dim} dimensions, schema {binding.schema_version})"


def _to_edge(point: Point) -> qdrant.Point:
    vector: dict[str, Any] = {
        "": point.dense.tolist(),
        "bm25": _sparse(point.bm25.indices, point.bm25.values),
    }
    if point.sentences is not None:
        vector["sentences"] = point.sentences.tolist()
    return qdrant.Point(point.id, vector, dict(point.payload))


def _sparse(indices: Sequence[int], values: Sequence[float]) -> qdrant.SparseVector:
    return qdrant.SparseVector(indices=list(indices), values=list(values))


def _filter(where: Where) -> qdrant.Filter | None:
    conditions: list[Any] = [
        qdrant.FieldCondition(key=key, match=qdrant.MatchAny(list(values))) for key, values in where.items()
    ]
    return qdrant.Filter(must=conditions) if conditions else None


def _request(query: Any, filter: qdrant.Filter | None, limit: int) -> qdrant.QueryRequest:
    return qdrant.QueryRequest(limit=limit, query=query, filter=filter, with_payload=True)


def _scroll(shard: qdrant.EdgeShard, filter: qdrant.Filter | None) -> Iterator[tuple[str, dict[str, Any]]]:
    offset = None
    while True:
        records, offset = shard.scroll(
            qdrant.ScrollRequest(offset=offset, limit=PAGE, filter=filter, with_payload=True)
        )
        yield from ((str(record.id), record.payload or {}) for record in records)
        if offset is None:
            return
