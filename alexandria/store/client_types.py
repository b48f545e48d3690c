"""Queries, filters and points in the types of qdrant-client."""

from collections.abc import Sequence
from typing import Any

from qdrant_client import models

from alexandria.book import Point, Sparse
from alexandria.store.compat import extra_dense_vectors, extra_sparse_vectors, with_copies
from alexandria.store.plan import Stage
from alexandria.store.store import QueryVectors, Where
from alexandria.store.vectors import VectorName


def to_request(query: QueryVectors, plan: Stage, where: Where, without: Sequence[str] = ()) -> dict[str, Any]:
    """Return the arguments of `query_points` for a search."""
    filter = to_filter(where, without)
    return {
        "query": _to_query(plan, query),
        "using": _vector_name(plan),
        "prefetch": [_to_prefetch(stage, query, filter) for stage in plan.prefetch] or None,
        "query_filter": filter,
        "limit": plan.limit,
        "with_payload": True,
    }


def _to_prefetch(stage: Stage, query: QueryVectors, filter: models.Filter | None) -> models.Prefetch:
    """Return a stage of a search, with the stages inside it, as a prefetch."""
    return models.Prefetch(
        query=_to_query(stage, query),
        using=_vector_name(stage),
        prefetch=[_to_prefetch(inner, query, filter) for inner in stage.prefetch] or None,
        filter=filter,
        limit=stage.limit,
    )


def _to_query(stage: Stage, query: QueryVectors) -> Any:
    """Return what a stage compares: a vector of the query, or how it fuses its prefetches."""
    match stage.using:
        case None:
            return models.FusionQuery(fusion=models.Fusion.DBSF)
        case VectorName.BM25:
            return _to_sparse(query.bm25)
        case VectorName.SENTENCES:
            return [query.dense.tolist()]
        case VectorName.DENSE:
            return query.dense.tolist()


def _vector_name(stage: Stage) -> str | None:
    """Return the name of the compared vector; None for the chunk vector, which has none, and for fusion."""
    named = (VectorName.SENTENCES, VectorName.BM25)
    return stage.using.value if stage.using in named else None


def to_filter(where: Where, without: Sequence[str] = ()) -> models.Filter | None:
    """Return the filter for points that pass `where`, except those of some books; None if every point passes.

    Args:
        where: the values that a point may have, by payload key.
        without: the generations of the excluded books: the hashes that the points of one book share.
    """
    conditions: list[Any] = [match_any(key, values) for key, values in where.items()]
    if without:
        return models.Filter(must=conditions or None, must_not=[match_any("generation", without)])
    return models.Filter(must=conditions) if conditions else None


def match_any(key: str, values: Sequence[str] | Sequence[int]) -> models.FieldCondition:
    """Return the condition for points with one of these values under a payload key."""
    match = models.MatchAny(any=list(values))  # type: ignore[arg-type]  # strings or integers
    return models.FieldCondition(key=key, match=match)


def to_point(point: Point, compat: Sequence[str]) -> models.PointStruct:
    """Return the point with its vectors under their names, and the copies for other programs (`compat`)."""
    dense, bm25 = point.dense.tolist(), _to_sparse(point.bm25)
    vectors: dict[str, Any] = {VectorName.DENSE.value: dense, VectorName.BM25.value: bm25}
    if point.sentences is not None:
        vectors[VectorName.SENTENCES.value] = point.sentences.tolist()
    vectors |= dict.fromkeys(extra_dense_vectors(compat), dense)
    vectors |= dict.fromkeys(extra_sparse_vectors(compat), bm25)
    return models.PointStruct(
        id=point.id, vector=vectors, payload=with_copies(point.id, point.payload, compat)
    )


def _to_sparse(terms: Sparse) -> models.SparseVector:
    return models.SparseVector(indices=list(terms.indices), values=list(terms.values))
