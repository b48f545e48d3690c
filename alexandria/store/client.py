"""The store on qdrant-client: a server or cluster, qdrant-client's local mode, or memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar
from uuid import uuid5

import numpy as np
from qdrant_client import QdrantClient, models

from alexandria.book import Embeddings, Point, Sparse
from alexandria.passage import Hit
from alexandria.store import Binding, Question, Server, Where
from alexandria.store.compat import added_vectors, added_word_vectors, dressed, undressed
from alexandria.store.plan import By, Step
from alexandria.store.points import NAMESPACE, check_vectors
from alexandria.store.retry import patiently

BATCH = 64
"""Points a request: 64 chunks of 20 sentences in float32 are some 10 MB of JSON, under a server's 32 MB."""
PAGE = 256
"""Payloads a scroll reads at once."""
BINDING = str(uuid5(NAMESPACE, "binding"))
"""The id of the catalog's point that says what the collection is bound to."""

Answer = TypeVar("Answer")


def catalog_name(collection: str) -> str:
    """Return the name of the collection that holds the records of another."""
    return f"{collection}.catalog"


class ClientStore:
    """Two collections, `NAME` and `NAME.catalog` with one record a book and the binding."""

    def __init__(
        self,
        client: QdrantClient,
        collection: str,
        binding: Binding,
        *,
        place: str,
        server: Server,
        shared: bool,
        compat: Sequence[str] = (),
        closed: Callable[[], None] = lambda: None,
    ) -> None:
        """Take an open client over; `connect` makes them and the collections.

        Args:
            client: ours from now on.
            collection: its name.
            binding: as found there.
            place: where it is, for messages.
            server: how patient to be.
            shared: whether others may write at the same time.
            compat: the readers the collection was created for.
            closed: called behind `close`.
        """
        self._client, self._name, self._catalog = client, collection, catalog_name(collection)
        self.binding, self.shared = binding, shared
        self._place, self._server, self._compat, self._closed = place, server, compat, closed

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each whole."""
        check_vectors(points, self.binding.dim)
        for i in range(0, len(points), BATCH):
            batch = [_to_struct(point, self._compat) for point in points[i : i + BATCH]]
            self._ask(partial(self._client.upsert, self._name, batch, wait=True))

    def delete(self, where: Where) -> None:
        """Delete the points that match; refuses an empty `where`."""
        filter = _filter(where)
        if filter is None:
            raise ValueError("an empty filter would delete every point")
        selector = models.FilterSelector(filter=filter)
        self._ask(lambda: self._client.delete(self._name, selector, wait=True))

    def flush(self) -> None:
        """Do nothing: each request waited until the server had logged it."""

    def settle(self) -> None:
        """Do nothing: a server does so by itself."""

    def count(self) -> int:
        """Return how many points there are."""
        return self._ask(lambda: self._client.count(self._name, exact=True)).count

    def search(self, question: Question, steps: Step, where: Where) -> list[Hit]:
        """Return the best matches, best first."""
        filter = _filter(where)
        found = self._ask(
            lambda: self._client.query_points(
                self._name,
                query=_query(steps, question),
                using=_using(steps),
                prefetch=[_prefetch(step, question, filter) for step in steps.of] or None,
                query_filter=filter,
                limit=steps.limit,
                with_payload=True,
            )
        )
        return [
            Hit(id=str(one.id), payload=undressed(one.payload or {}), score=one.score) for one in found.points
        ]

    def payloads(self, where: Where) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, in the order of their ids."""
        for record in self._scroll(self._name, _filter(where), PAGE, with_vectors=False):
            yield str(record.id), undressed(record.payload or {})

    def points(self, where: Where) -> Iterator[Point]:
        """Yield the points that match, with their vectors, in the order of their ids."""
        yield from map(_from_record, self._scroll(self._name, _filter(where), BATCH, with_vectors=True))

    def sentence_rows(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have some, (n_sentences, dim) each."""
        rows: dict[str, Embeddings] = {}
        for i in range(0, len(ids), BATCH):
            records = self._ask(
                partial(
                    self._client.retrieve,
                    self._name,
                    ids[i : i + BATCH],
                    with_payload=False,
                    with_vectors=[By.SENTENCES.value],
                )
            )
            found = {str(record.id): _named(record).get(By.SENTENCES.value) for record in records}
            rows |= {id: np.asarray(one, np.float32) for id, one in found.items() if one}
        return rows

    def generations(self) -> dict[str, int]:
        """Return how many points each generation has."""
        n_points = max(1, self.count())
        facet = self._ask(lambda: self._client.facet(self._name, "generation", limit=n_points, exact=True))
        return {str(hit.value): hit.count for hit in facet.hits if hit.count}

    def put_record(self, key: str, record: Mapping[str, Any]) -> None:
        """Write one catalog record; on disk when this returns."""
        point = models.PointStruct(id=str(uuid5(NAMESPACE, key)), vector=[1.0], payload=dict(record))
        self._ask(lambda: self._client.upsert(self._catalog, [point], wait=True))

    def delete_record(self, key: str) -> None:
        """Delete one catalog record; on disk when this returns."""
        selector = models.PointIdsList(points=[str(uuid5(NAMESPACE, key))])
        self._ask(lambda: self._client.delete(self._catalog, selector, wait=True))

    def records(self) -> list[dict[str, Any]]:
        """Return all catalog records, in no particular order."""
        records = self._scroll(self._catalog, None, PAGE, with_vectors=False)
        return [record.payload or {} for record in records if str(record.id) != BINDING]

    def close(self) -> None:
        """Let go of the store."""
        self._client.close()
        self._closed()

    def _ask(self, request: Callable[[], Answer]) -> Answer:
        return patiently(request, self._place, self._server)

    def _scroll(
        self, name: str, filter: models.Filter | None, page: int, *, with_vectors: bool
    ) -> Iterator[models.Record]:
        offset = None
        while True:
            records, offset = self._ask(
                partial(
                    self._client.scroll,
                    name,
                    scroll_filter=filter,
                    limit=page,
                    offset=offset,
                    with_payload=True,
                    with_vectors=with_vectors,
                )
            )
            yield from records
            if offset is None:
                return


def _query(step: Step, question: Question) -> Any:
    match step.by:
        case By.FUSION:
            return models.FusionQuery(fusion=models.Fusion.DBSF)
        case By.WORDS:
            return _sparse(question.bm25)
        case By.SENTENCES:
            return [question.dense.tolist()]
        case By.DENSE:
            return question.dense.tolist()


def _using(step: Step) -> str | None:
    return step.by.value if step.by in (By.SENTENCES, By.WORDS) else None


def _prefetch(step: Step, question: Question, filter: models.Filter | None) -> models.Prefetch:
    return models.Prefetch(
        query=_query(step, question),
        using=_using(step),
        prefetch=[_prefetch(one, question, filter) for one in step.of] or None,
        filter=filter,
        limit=step.limit,
    )


def _to_struct(point: Point, compat: Sequence[str]) -> models.PointStruct:
    vector: dict[str, Any] = {By.DENSE.value: point.dense.tolist(), By.WORDS.value: _sparse(point.bm25)}
    if point.sentences is not None:
        vector[By.SENTENCES.value] = point.sentences.tolist()
    vector |= dict.fromkeys(added_vectors(compat), vector[By.DENSE.value])
    vector |= dict.fromkeys(added_word_vectors(compat), vector[By.WORDS.value])
    return models.PointStruct(id=point.id, vector=vector, payload=dressed(point.payload, compat))


def _from_record(record: models.Record) -> Point:
    vectors = _named(record)
    rows, words = vectors.get(By.SENTENCES.value), vectors.get(By.WORDS.value)
    return Point(
        id=str(record.id),
        dense=np.asarray(vectors.get(By.DENSE.value, ()), np.float32),
        sentences=np.asarray(rows, np.float32) if rows else None,
        bm25=Sparse(tuple(words.indices), tuple(words.values)) if words else Sparse((), ()),
        payload=undressed(record.payload or {}),
    )


def _named(record: models.Record) -> dict[str, Any]:
    """Return a record's vectors by name; the engine may give a lone unnamed one bare."""
    if isinstance(record.vector, dict):
        return dict(record.vector)
    return {} if record.vector is None else {By.DENSE.value: record.vector}


def _sparse(terms: Sparse) -> models.SparseVector:
    return models.SparseVector(indices=list(terms.indices), values=list(terms.values))


def _filter(where: Where) -> models.Filter | None:
    conditions: list[Any] = [
        models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))  # type: ignore[arg-type]  # both kinds
        for key, values in where.items()
    ]
    return models.Filter(must=conditions) if conditions else None
