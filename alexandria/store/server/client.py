"""The store for what qdrant-client opens: a server or cluster, its local mode in a folder, or memory.

Points are sent in requests that are not too large for a server, several at a time.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

from qdrant_client import models

from alexandria.book.model import Embeddings, Point, Sparse
from alexandria.errors import TooLargeError
from alexandria.store.passage import Hit, Passage
from alexandria.store.plan import Stage, VectorName
from alexandria.store.ranking import Nearest, Scored, carry_out
from alexandria.store.server.compat import (
    extra_dense_vectors,
    extra_sparse_vectors,
    with_copies,
    without_copies,
)
from alexandria.store.server.connection import Connection
from alexandria.store.server.errors import LargeResponseError
from alexandria.store.sparse import as_query
from alexandria.store.store import Binding, QueryVectors, Records, Where
from alexandria.store.vectors import check_vectors, make_point, rarities_of, sentence_vectors_of

MAX_POINTS = 64  # points per request
MAX_BYTES = 24 * 2**20  # estimated bytes of JSON per request; by default, a server accepts 32 MiB
IN_FLIGHT = 3  # requests that are sent at the same time: the server parses one while the next is prepared
_BYTES_PER_NUMBER = 23
"""Bytes of a float32 as JSON, with its comma: up to 17 digits, sign, point and exponent."""

Send = Callable[[Sequence[Point]], None]  # sends points in one request


def upload(points: Sequence[Point], send: Send, *, copies: int = 0, in_flight: int = IN_FLIGHT) -> None:
    """Send all points, and return once each request has been answered.

    Args:
        send: sends one request, and raises TooLargeError if the server refuses it for its size.
        copies: how many copies of its chunk vector and text each point has for other programs.
        in_flight: how many requests are sent at the same time; 1 if `send` is not thread-safe.

    Raises:
        TooLargeError: the server refuses even a request with one point, which the message names.
    """
    if in_flight == 1:
        for batch in batches(points, copies=copies):
            _send_or_halve(batch, send)
        return
    with ThreadPoolExecutor(in_flight) as senders:
        under_way: deque[Future[None]] = deque()
        try:
            for batch in batches(points, copies=copies):
                if len(under_way) == in_flight:
                    under_way.popleft().result()
                under_way.append(senders.submit(_send_or_halve, batch, send))
            while under_way:
                under_way.popleft().result()
        finally:
            for request in under_way:  # after an error: those not yet begun are not sent
                request.cancel()


def batches(points: Sequence[Point], *, copies: int = 0) -> Iterator[list[Point]]:
    """Yield the points in order, in batches of at most `MAX_POINTS` points and about `MAX_BYTES`.

    A point that is larger than that is a batch of its own.
    """
    batch: list[Point] = []
    n_bytes = 0
    for point in points:
        point_bytes = estimate_point_bytes(point, copies=copies)
        if batch and (len(batch) == MAX_POINTS or n_bytes + point_bytes > MAX_BYTES):
            yield batch
            batch, n_bytes = [], 0
        batch.append(point)
        n_bytes += point_bytes
    if batch:
        yield batch


def estimate_point_bytes(point: Point, *, copies: int = 0) -> int:
    """Return an estimate of the bytes of a point as JSON, too many rather than too few."""
    n_copied_numbers = point.dense.size + 2 * len(point.bm25.indices)  # of each term, its id and its weight
    n_sentence_numbers = 0 if point.sentences is None else point.sentences.size
    n_numbers = n_copied_numbers * (1 + copies) + n_sentence_numbers
    payload_bytes = len(json.dumps(point.payload, default=str))
    copied_text_bytes = copies * len(str(point.payload.get("text", "")))
    return int(n_numbers) * _BYTES_PER_NUMBER + payload_bytes + copied_text_bytes


def _send_or_halve(points: Sequence[Point], send: Send) -> None:
    """Send points in one request, or in two halves if the server refuses the request for its size."""
    try:
        send(points)
    except TooLargeError as error:
        if len(points) == 1:
            raise _too_large_point_error(points[0], error) from error
        half = len(points) // 2
        _send_or_halve(points[:half], send)
        _send_or_halve(points[half:], send)


def _too_large_point_error(point: Point, error: TooLargeError) -> TooLargeError:
    title, number = point.payload.get("book_title", ""), point.payload.get("chunk_id")
    mebibytes = estimate_point_bytes(point) / 2**20
    return TooLargeError(
        f"chunk {number} of “{title}” is too large for the server: about {mebibytes:.1f} MB",
        why=error.why,
        fix=f"{error.fix}; or store no sentence vectors (--set sentence_vectors=false)",
    )


def to_request(
    nearest: Nearest, query: QueryVectors, where: Where, without: Sequence[str] = ()
) -> models.QueryRequest:
    """Return the request for the nearest points; its response has ids and scores, but no payloads."""
    return models.QueryRequest(
        query=_to_query(nearest.using, query),
        using=nearest.using.value or None,  # the chunk vector has no name
        filter=to_filter(where, without, nearest.among),
        limit=nearest.limit,
        with_payload=False,
    )


def _to_query(using: VectorName, query: QueryVectors) -> Any:
    """Return the vector of a query that is compared."""
    match using:
        case VectorName.BM25:
            return _to_sparse(query.bm25)
        case VectorName.SENTENCES:
            return [query.dense.tolist()]
        case VectorName.DENSE:
            return query.dense.tolist()


def _sentences_of(records: Iterable[models.Record]) -> dict[str, Embeddings]:
    """Return the sentence vectors of the points that have any, by id."""
    vectors = {str(record.id): sentence_vectors_of(record.vector) for record in records}
    return {id: rows for id, rows in vectors.items() if rows is not None}


def to_filter(where: Where, without: Sequence[str] = (), among: Sequence[str] = ()) -> models.Filter | None:
    """Return the filter for points that pass `where`, except those of some books; None if every point passes.

    Args:
        where: the values that a point may have, by payload key.
        without: the generations of the excluded books: the hashes that the points of one book share.
        among: the ids that a point may have; if empty, any.
    """
    conditions: list[Any] = [match_any(key, values) for key, values in where.items()]
    if among:
        conditions.append(models.HasIdCondition(has_id=list(among)))
    if without:
        return models.Filter(must=conditions or None, must_not=[match_any("generation", without)])
    return models.Filter(must=conditions) if conditions else None


def match_any(key: str, values: Sequence[str] | Sequence[int]) -> models.FieldCondition | models.Filter:
    """Return the condition for points with one of these values under one of the payload keys: `a|b`."""
    match = models.MatchAny(any=list(values))  # type: ignore[arg-type]  # strings or integers
    fields: list[Any] = [models.FieldCondition(key=name, match=match) for name in key.split("|")]
    return models.Filter(should=fields) if len(fields) > 1 else fields[0]


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


BATCH = 64  # points with their vectors read per request: 64 chunks of 20 sentences are some 10 MB of JSON
_MANY_TERMS = 500  # more than a question has words; the edits of a misspelled word are tens of thousands


class ClientStore:
    """A collection of points, and the catalog of their books."""

    through_owner = lost = False

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
            records: its catalog; closed at the end.
            compat: the other programs that the collection was created for.
        """
        self._connection, self._client, self._call = connection, connection.client, connection.call
        self._name = collection
        self.records = records
        self.binding, self.on_server, self._compat = binding, connection.on_server, compat
        self.address = connection.address
        self.parallel = connection.on_server  # local mode is not thread-safe
        self._sentences: dict[str, Embeddings] = {}  # of the hits of the last search
        self._terms: set[int] | None = None  # what `_stored_terms` has read, with those written since

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each with all its vectors."""
        check_vectors(points, self.binding.dim)
        if self._terms is not None:  # a search in local mode has read the terms of all points
            self._terms.update(*(point.bm25.indices for point in points))
        n_copies = len(self._compat)  # each of the other programs has its own copy of vectors and text
        in_flight = IN_FLIGHT if self.parallel else 1
        upload(points, self._send_batch, copies=n_copies, in_flight=in_flight)
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
        """Return the best matches, best first, with all that tie with the last, with whole payloads."""
        if not self.on_server and len(query.bm25.indices) > _MANY_TERMS:
            query = replace(query, bm25=as_query(self._stored_terms().intersection(query.bm25.indices)))

        def find(requests: Sequence[Nearest]) -> list[list[Scored]]:
            batch = [to_request(nearest, query, where, without) for nearest in requests]
            responses = self._call(lambda: self._client.query_batch_points(self._name, batch))
            return [[(str(point.id), point.score) for point in response.points] for response in responses]

        scored = carry_out(plan, find)
        # A search by meaning compares the sentences of its hits next: each request costs a round trip.
        names = (
            [VectorName.SENTENCES.value] if self.on_server and plan.using is not VectorName.BM25 else False
        )
        retrieve = partial(self._client.retrieve, self._name, with_payload=True, with_vectors=names)
        records = self._retrieve([id for id, _ in scored], retrieve) if scored else []
        self._sentences = _sentences_of(records)
        payloads = {str(record.id): without_copies(record.payload or {}) for record in records}
        # On a server, another process may have deleted a point meanwhile.
        return [Hit(id=id, payload=payloads[id], score=score) for id, score in scored if id in payloads]

    def whole_payloads(self, passages: Sequence[Passage]) -> Mapping[str, Mapping[str, Any]]:
        """Return the payloads of passages that a search has found, by id: a request would take longer."""
        return {passage.id: passage.payload for passage in passages}

    def rarities(self, terms: Sequence[int]) -> dict[int, float | None]:
        """Return the inverse document frequency of terms, a query for each; None if no point has one."""
        bm25 = VectorName.BM25.value
        batch = [
            models.QueryRequest(
                query=_to_sparse(Sparse((term,), (1.0,))), using=bm25, limit=1, with_vector=[bm25]
            )
            for term in terms
        ]
        responses = self._call(lambda: self._client.query_batch_points(self._name, batch)) if batch else []
        return rarities_of(terms, [response.points for response in responses])

    def _stored_terms(self) -> set[int]:
        """Return at least the terms that points have: local mode visits all of a query's for each point."""
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
        by_id = {id: vectors for id, vectors in self._sentences.items() if id in ids}
        missing = [id for id in ids if id not in by_id]
        names = [VectorName.SENTENCES.value]
        retrieve = partial(self._client.retrieve, self._name, with_payload=False, with_vectors=names)
        for i in range(0, len(missing), BATCH):
            by_id |= _sentences_of(self._retrieve(missing[i : i + BATCH], retrieve))
        return by_id

    def _retrieve(
        self, ids: Sequence[str], retrieve: Callable[[Sequence[str]], list[models.Record]]
    ) -> list[models.Record]:
        """Return the points with these ids: in one request, halved if the response is too large."""
        try:
            return self._call(partial(retrieve, ids))
        except LargeResponseError:
            if len(ids) == 1:
                raise
            half = len(ids) // 2
            return self._retrieve(ids[:half], retrieve) + self._retrieve(ids[half:], retrieve)

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
