"""The store for what qdrant-client opens: a server or cluster, its local mode in a folder, or memory."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from qdrant_client import models

from alexandria.book import Embeddings, Point
from alexandria.passage import Hit
from alexandria.store.client_types import to_filter, to_point, to_request
from alexandria.store.compat import without_copies
from alexandria.store.connection import Connection
from alexandria.store.plan import Stage
from alexandria.store.refusals import LargeResponseError
from alexandria.store.sparse import as_query
from alexandria.store.store import Binding, QueryVectors, Records, Where
from alexandria.store.upload import IN_FLIGHT, upload
from alexandria.store.vectors import VectorName, check_vectors, make_point, sentence_vectors_of

BATCH = 64
"""Points with their vectors read per request: 64 chunks of 20 sentences are some 10 MB of JSON."""
_MANY_TERMS = 500  # more than a question has words; the edits of a misspelled word are tens of thousands


class ClientStore:
    """A collection of points, and the catalog of their books."""

    remote = lost = False

    def __init__(
        self,
        connection: Connection,
        collection: str,
        records: Records,
        binding: Binding,
        compat: Sequence[str] = (),
    ) -> None:
        """Take over an open connection.

        Args:
            connection: to the server, or to qdrant-client's local mode.
            collection: the name of the collection.
            records: its catalog; closed at the end.
            binding: what the collection is bound to.
            compat: the other programs that the collection was created for.
        """
        self._connection, self._client, self._call = connection, connection.client, connection.call
        self._name = collection
        self.records = records
        self.binding, self.shared, self._compat = binding, connection.shared, compat
        self.address = connection.address
        self.parallel = connection.shared  # local mode is not thread-safe
        self._terms: set[int] | None = None  # at least those that points have; None before they are needed

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each with all its vectors."""
        check_vectors(points, self.binding.dim)
        if self._terms is not None:
            self._terms.update(*(point.bm25.indices for point in points))
        in_flight = IN_FLIGHT if self.parallel else 1
        upload(points, self._send_batch, copies=len(self._compat), in_flight=in_flight)
        self._connection.sync(self._name)

    def _send_batch(self, points: Sequence[Point]) -> None:
        batch = [to_point(point, self._compat) for point in points]
        self._call(lambda: self._client.upsert(self._name, batch, wait=True))

    def delete(self, where: Where) -> None:
        """Delete the points that match."""
        filter = to_filter(where)
        if filter is None:
            raise ValueError("an empty filter would delete every point")
        selector = models.FilterSelector(filter=filter)
        self._call(lambda: self._client.delete(self._name, selector, wait=True))
        self._connection.sync(self._name)

    def optimize(self) -> None:
        """Do nothing: a server builds its indexes itself, and local mode has none."""

    def count(self) -> int:
        """Return the number of points."""
        return self._call(lambda: self._client.count(self._name, exact=True)).count

    def search(
        self, query: QueryVectors, plan: Stage, where: Where, without: Sequence[str] = ()
    ) -> list[Hit]:
        """Return the best matches, best first; points of the generations `without` are ignored."""
        if not self.shared and len(query.bm25.indices) > _MANY_TERMS:
            query = replace(query, bm25=as_query(self._stored_terms().intersection(query.bm25.indices)))
        request = to_request(query, plan, where, without)
        response = self._call(lambda: self._client.query_points(self._name, **request))
        return [
            Hit(id=str(point.id), payload=without_copies(point.payload or {}), score=point.score)
            for point in response.points
        ]

    def _stored_terms(self) -> set[int]:
        """Return what terms points have: for each point, local mode visits all terms of a query in Python."""
        if self._terms is None:
            bm25 = [VectorName.BM25.value]
            records = self._connection.scroll(self._name, None, with_payload=False, with_vectors=bm25)
            points = (make_point(record.id, record.vector, {}) for record in records)
            self._terms = set().union(*(point.bm25.indices for point in points))
        return self._terms

    def payloads(self, where: Where, start: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, ordered by id, from the id `start` on."""
        for record in self._connection.scroll(self._name, to_filter(where), start=start):
            yield str(record.id), without_copies(record.payload or {})

    def points(self, where: Where, start: str | None = None) -> Iterator[Point]:
        """Yield the points that match, with their vectors, ordered by id, from the id `start` on."""
        for record in self._connection.scroll(
            self._name, to_filter(where), BATCH, start=start, with_vectors=True
        ):
            yield make_point(record.id, record.vector, without_copies(record.payload or {}))

    def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have any, by id: (n_sentences, dim) each."""
        by_id: dict[str, Embeddings] = {}
        for i in range(0, len(ids), BATCH):
            for point in self._retrieve_sentences(ids[i : i + BATCH]):
                if (vectors := sentence_vectors_of(point.vector)) is not None:
                    by_id[str(point.id)] = vectors
        return by_id

    def _retrieve_sentences(self, ids: Sequence[str]) -> list[models.Record]:
        """Return points with their sentence vectors: in one request, halved if the response is too large."""
        names = [VectorName.SENTENCES.value]
        retrieve = partial(self._client.retrieve, self._name, with_payload=False, with_vectors=names)
        try:
            return self._call(partial(retrieve, ids))
        except LargeResponseError:
            if len(ids) == 1:
                raise
            half = len(ids) // 2
            return self._retrieve_sentences(ids[:half]) + self._retrieve_sentences(ids[half:])

    def ids_without(self, name: VectorName) -> set[str]:
        """Return the ids of the points that have no vector of this name."""
        lacking = models.Filter(must_not=[models.HasVectorCondition(has_vector=name.value)])
        return {str(record.id) for record in self._connection.scroll(self._name, lacking, with_payload=False)}

    def generations(self) -> dict[str, int]:
        """Return the number of points of each generation."""
        return {str(value): n for value, n in self.counts("generation", self.count()).items()}

    def counts(self, key: str, at_most: int) -> dict[str | int, int]:
        """Return the number of points with each value of a payload key, for the most frequent values."""
        facet = partial(self._client.facet, self._name, key, limit=max(1, at_most), exact=True)
        return {hit.value: hit.count for hit in self._call(facet).hits if hit.count}

    def close(self) -> None:
        """Close the store, so that another process can open it."""
        self.records.close()
        self._connection.close()
