"""Queries, filters and points in the types of qdrant-edge."""

from collections.abc import Sequence
from typing import Any

import qdrant_edge as qdrant

from alexandria.book import Point, Sparse
from alexandria.store.plan import Stage
from alexandria.store.store import QueryVectors, Where
from alexandria.store.vectors import VectorName


def to_request(
    query: QueryVectors, plan: Stage, where: Where, without: Sequence[str] = ()
) -> qdrant.QueryRequest:
    """Return the request for a search; its response has ids and scores, but no payloads."""
    filter = to_filter(where, without)
    return qdrant.QueryRequest(
        limit=plan.limit,
        prefetches=[_to_prefetch(stage, query, filter) for stage in plan.prefetch],
        query=_to_query(plan, query),
        filter=filter,
        with_payload=False,
    )


def _to_prefetch(stage: Stage, query: QueryVectors, filter: qdrant.Filter | None) -> qdrant.Prefetch:
    """Return a stage of a search, with the stages inside it, as a prefetch."""
    return qdrant.Prefetch(
        limit=stage.limit,
        query=_to_query(stage, query),
        prefetches=[_to_prefetch(inner, query, filter) for inner in stage.prefetch],
        filter=filter,
    )


def _to_query(stage: Stage, query: QueryVectors) -> Any:
    """Return what a stage compares: a vector of the query, or how it fuses its prefetches."""
    match stage.using:
        case None:
            return qdrant.Fusion.Dbsf()
        case VectorName.BM25:
            return qdrant.Query.Nearest(_to_sparse(query.bm25), using=stage.using.value)
        case VectorName.SENTENCES:
            return qdrant.Query.Nearest([query.dense.tolist()], using=stage.using.value)
        case VectorName.DENSE:
            return qdrant.Query.Nearest(query.dense.tolist())


def to_filter(where: Where, without: Sequence[str] = ()) -> qdrant.Filter | None:
    """Return the filter for points that pass `where`, except those of some books; None if every point passes.

    Args:
        where: the values that a point may have, by payload key.
        without: the generations of the excluded books: the hashes that the points of one book share.
    """
    conditions: list[Any] = [_match_any(key, values) for key, values in where.items()]
    if without:
        return qdrant.Filter(must=conditions or None, must_not=[_match_any("generation", without)])
    return qdrant.Filter(must=conditions) if conditions else None


def _match_any(key: str, values: Sequence[str] | Sequence[int]) -> qdrant.FieldCondition:
    match = qdrant.MatchAny(list(values))  # type: ignore[arg-type]  # strings or integers
    return qdrant.FieldCondition(key=key, match=match)


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
