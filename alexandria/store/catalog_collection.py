"""The catalog of a library on a server: a collection of records.

The payload of a record also holds the values that it is looked up by (`lookup`), and these are indexed: to
find some books, the records of others are not read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import Any, NamedTuple
from uuid import uuid5

from qdrant_client import models

from alexandria.filters import Filters, fold_text
from alexandria.store.client_types import match_any, to_filter
from alexandria.store.connection import BINDING, Connection, catalog_name
from alexandria.store.lookup import (
    BOOK,
    BYTES_PER_NUMBER,
    LEVELS,
    LOOKUP,
    first_ordinal_range,
    longest_ngrams,
    lookup_of,
    ordinals,
    parse_total,
)
from alexandria.store.points import NAMESPACE
from alexandria.store.store import Pending, Scope, Summary

LOOKUP_VERSION = 3
"""The version of the values that records are looked up by, raised with each change of them.

The binding's point stores it under the key `form`.
"""
_KEYWORDS = ("state", "total", "title", "in_title", "in_author", "languages", "work")
_INTEGERS = ("runs", "id", *(f"order_{level}" for level in range(LEVELS)))
CATALOG_INDEXES = {
    **dict.fromkeys(
        ("source", "work", "generation", "author", "title", "domain"), models.PayloadSchemaType.KEYWORD
    ),
    **{f"{LOOKUP}.{name}": models.PayloadSchemaType.KEYWORD for name in _KEYWORDS},
    **{f"{LOOKUP}.{name}": models.PayloadSchemaType.INTEGER for name in _INTEGERS},
}
"""The type of index of each payload key of a catalog."""
_PENDING = "pending"
"""The payload key of the generations that are pending: they are points of the catalog, too."""
_BATCH = 100
"""Records that are repaired per request."""


class CatalogCollection:
    """The records of a collection `NAME`, in the collection `NAME.catalog`.

    A parameter `must` is a list of Qdrant conditions that all have to hold.
    """

    def __init__(self, connection: Connection, collection: str) -> None:
        """Take over an open connection to the collection that the records belong to."""
        self._connection, self._client, self._call = connection, connection.client, connection.call
        self._name = catalog_name(collection)

    def commit(
        self,
        *,
        put: Sequence[Mapping[str, Any]] = (),
        delete: Sequence[str] = (),
        pending: Sequence[Pending] = (),
        done: Sequence[str] = (),
    ) -> None:
        """Change the catalog as `Records.commit` does.

        A crash may leave the first of these changes without the others. In this order it loses no book, and
        what it leaves is pending.
        """
        points = [_pending_point(one) for one in pending]
        points += [
            _point(record_id(record["book_id"]), {**record, LOOKUP: lookup_of(record)}) for record in put
        ]
        obsolete = [*map(record_id, delete), *map(_pending_id, done)]
        operations: list[Any] = []
        if points:
            operations.append(models.UpsertOperation(upsert=models.PointsList(points=points)))
        if obsolete:
            operations.append(models.DeleteOperation(delete=models.PointIdsList(points=list(obsolete))))
        if operations:
            self._call(lambda: self._client.batch_update_points(self._name, operations, wait=True))

    def pending(self) -> list[Pending]:
        """Return the generations that are pending."""
        points = self._connection.scroll(self._name, _IS_PENDING)
        return [Pending(**(point.payload or {})[_PENDING]) for point in points]

    def all(self, fields: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield all records, or these fields of each, in no particular order."""
        payload = [*fields, _PENDING] if fields else True
        points = self._connection.scroll(self._name, None, with_payload=payload)
        return (_record_in(point.payload, fields) for point in points if _is_record(point))

    def by(self, name: str, values: Sequence[str], fields: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield the records with one of these values in a field of `LOOKED_UP`: these fields, or all."""
        if not values:
            return
        payload = list(fields) if fields else True
        if name == "book_id":
            ids = [record_id(str(key)) for key in values]
            retrieve = partial(self._client.retrieve, self._name, ids, with_payload=payload)
            points = iter(self._call(retrieve))
        else:
            filter = to_filter({name: values})
            points = self._connection.scroll(self._name, filter, with_payload=payload)
        yield from (_record_in(point.payload, fields) for point in points)

    def having(self, name: str, values: Sequence[str] | Sequence[int]) -> list[dict[str, Any]]:
        """Return the records of the books that have one of these values; `name` is one of `DERIVED`."""
        points = self._connection.scroll(self._name, to_filter({f"{LOOKUP}.{name}": values}))
        return [_record_in(point.payload) for point in points]

    def matching(self, filters: Filters) -> list[dict[str, Any]]:
        """Return the records of the books that pass these filters."""
        must = self._make_conditions(filters, self._matching_names(filters))
        points = self._connection.scroll(self._name, models.Filter(must=must))
        return [_record_in(point.payload) for point in points]

    def page(self, filters: Filters, start: int, limit: int) -> list[dict[str, Any]]:
        """Return the records of at most `limit` matching books, by title, after the first `start`."""
        must = self._make_conditions(filters, self._matching_names(filters))
        ids = self._page_of_ids(must, start, limit)
        records = {record["book_id"]: record for record in self.by("book_id", ids)}
        return [records[id] for id in ids if id in records]

    def summary(self) -> Summary:
        """Return the summary of all books, as the server counts them."""
        totals = self._list_totals([])
        n_books = sum(total.n_books for total in totals)
        return Summary(
            n_books=n_books,
            languages=frozenset(total.language for total in totals),
            n_without_sentences=sum(total.n_books for total in totals if not total.has_sentences),
            model=totals[0].model if totals else "",
            precisions=frozenset(total.precision for total in totals if total.precision is not None),
            works=tuple(work for work, _ in self._count_values(f"{LOOKUP}.work", [], n_books)),
        )

    def scope(self, filters: Filters) -> Scope:
        """Return the scope of a search in the books that pass these filters.

        The scope selects points by the author, domain, language and title in their payloads. These cannot be
        selected by the beginning of a book's id: if the filter by title matches the id of a book, the scope
        lists the generations of all matching books instead.
        """
        names = self._matching_names(filters)
        totals = self._list_totals(self._make_conditions(filters, names))
        languages = frozenset(total.language for total in totals)
        where: dict[str, Sequence[str]] = {}
        if names.authors is not None:
            where["author"] = names.authors
        if filters.domain is not None:
            where["domain"] = [filters.domain]
        if filters.language is not None:
            where["language"] = sorted(language for language in languages if language is not None)
        if names.titles is not None and self._count([_BOOKS, names.id_condition]):
            where = {"generation": self._generations(self._make_conditions(filters, names))}
        elif names.titles is not None:
            where["book_title"] = names.titles
        return Scope(
            n_books=sum(total.n_books for total in totals),
            languages=languages,
            n_without_sentences=sum(total.n_books for total in totals if not total.has_sentences),
            where=where,
        )

    def close(self) -> None:
        """Do nothing: the connection is that of the points."""

    def faults(self) -> list[str]:
        """Return a message for each record whose lookup values do not match its fields."""
        ids = [(point.payload or {}).get("book_id") for point in self._faulty_records()]
        return [f"the lookup values do not match the record {id}" for id in ids]

    def repair(self) -> None:
        """Write again the lookup values of the records that `faults` reports."""
        faulty = self._faulty_records()
        while operations := list(map(_set_lookup_operation, islice(faulty, _BATCH))):
            self._call(partial(self._client.batch_update_points, self._name, operations, wait=True))

    def _faulty_records(self) -> Iterator[models.Record]:
        points = self._connection.scroll(self._name, None)
        return (point for point in points if _is_record(point) and not _matches_lookup(point))

    def _page_of_ids(self, must: list[Any], start: int, limit: int, level: int = 0) -> list[str]:
        """Return the book ids of a page of the records that meet conditions, ordered by title.

        The server cannot order by a text. It orders by a number made of bytes of the title (`ordinals`): by
        the first bytes at level 0, by the next ones at level 1, and so on. Titles with the same number come
        in any order. If all of them are inside the page, they are sorted here. If the page begins or ends
        among them, the server orders these titles by the next level, to tell which belong to the page.
        """
        if level == LEVELS:
            points = self._connection.scroll(self._name, models.Filter(must=must), with_payload=_ORDER)
            return [id for _, id in sorted(map(_title_and_id, points))][start : start + limit]
        key = f"{LOOKUP}.order_{level}"
        # One more row on each side shows whether the page begins or ends among titles with the same number.
        n_before = min(start, 1)
        request = partial(
            self._client.query_points,
            self._name,
            query=models.OrderByQuery(order_by=models.OrderBy(key=key)),
            query_filter=models.Filter(must=must),
            offset=start - n_before,
            limit=limit + n_before + 1,
            with_payload=_ORDER,
        )
        rows = [
            _Row(ordinals(title)[level], title, id)
            for title, id in map(_title_and_id, self._call(request).points)
        ]
        page = rows[n_before : n_before + limit]
        if not page:
            return []
        numbers = [row.number for row in page]
        first, last = numbers[0], numbers[-1]
        first_is_cut = n_before > 0 and rows[0].number == first
        last_is_cut = len(rows) > n_before + len(page) and rows[-1].number == last
        whole = [
            row
            for row in page
            if not (first_is_cut and row.number == first) and not (last_is_cut and row.number == last)
        ]
        ids = [row.id for row in sorted(whole)]
        if first_is_cut:
            smaller = models.FieldCondition(key=key, range=models.Range(lt=first))
            n_skipped = start - self._count(
                [*must, smaller]
            )  # titles with the number `first` before the page
            n_first = numbers.count(first)
            ids = self._page_of_ids([*must, match_any(key, [first])], n_skipped, n_first, level + 1) + ids
        if last_is_cut and not (first_is_cut and first == last):
            n_last = numbers.count(last)
            ids += self._page_of_ids([*must, match_any(key, [last])], 0, n_last, level + 1)
        return ids

    def _matching_names(self, filters: Filters) -> "_Names":
        """Return the authors and titles in the catalog that contain the texts of filters.

        A filter that is not given, or is empty, matches every name: it is None in the result.
        """
        author, title = fold_text(filters.author or ""), fold_text(filters.book or "")
        return _Names(
            authors=self._values_containing("author", author) if author else None,
            titles=self._values_containing("title", title) if title else None,
            id_condition=self._id_condition(filters.book or "") if title else None,
        )

    def _make_conditions(self, filters: Filters, names: "_Names") -> list[Any]:
        """Return the conditions that exactly the records of the matching books meet.

        Args:
            filters: all but the section is considered.
            names: what `_matching_names` returned for these filters.
        """
        conditions: list[Any] = [_BOOKS]
        if filters.domain is not None:
            conditions.append(match_any("domain", [filters.domain]))
        if filters.language is not None:
            conditions.append(match_any(f"{LOOKUP}.languages", [filters.language.lower()]))
        if names.authors is not None:
            conditions.append(match_any("author", names.authors))
        if names.titles is not None:
            conditions.append(models.Filter(should=[match_any("title", names.titles), names.id_condition]))
        return conditions

    def _values_containing(self, name: str, text: str) -> list[str]:
        """Return the titles or authors of books that contain a text, whatever the case and the accents.

        Args:
            name: `title` or `author`.
            text: the text, folded.
        """
        # Names with all n-grams of the text are candidates: they may have them in another order.
        ngrams = [match_any(f"{LOOKUP}.in_{name}", [ngram]) for ngram in longest_ngrams(text)]
        must = [_BOOKS, *ngrams]
        candidates = self._count_values(name, must, self._count(must))
        return sorted(value for value, _ in candidates if text in fold_text(value))

    def _id_condition(self, beginning: str) -> Any:
        """Return the condition for records of books whose id begins with a text, whatever its case.

        The server knows the first bytes of an id, as a number. The rest of a longer text is compared here.
        """
        beginning = beginning.casefold()
        lowest, highest = first_ordinal_range(beginning)
        in_range = models.FieldCondition(key=f"{LOOKUP}.id", range=models.Range(gte=lowest, lte=highest))
        if len(beginning.encode("utf-8", "replace")) <= BYTES_PER_NUMBER:
            return in_range
        points = self._connection.scroll(self._name, models.Filter(must=[in_range]), with_payload=["book_id"])
        ids = [point.id for point in points if str((point.payload or {})["book_id"]).startswith(beginning)]
        return models.HasIdCondition(has_id=ids)

    def _generations(self, must: list[Any]) -> list[str]:
        """Return the generations of the books that meet conditions."""
        filter = models.Filter(must=must)
        points = self._connection.scroll(self._name, filter, with_payload=["generation"])
        return [str((point.payload or {})["generation"]) for point in points]

    def _list_totals(self, must: list[Any]) -> list["_Total"]:
        """Return the number of matching books for each combination of what books are counted by."""
        combinations = self._count_values(f"{LOOKUP}.total", must, _MAX_COMBINATIONS)
        if len(combinations) == _MAX_COMBINATIONS:
            combinations = self._count_values(f"{LOOKUP}.total", must, self._count(must))
        return [_Total(*parse_total(combination), n) for combination, n in combinations]

    def _count_values(self, key: str, must: list[Any], at_most: int) -> list[tuple[str, int]]:
        """Return the most frequent values of a payload key, with the number of matching records of each."""
        filter = models.Filter(must=must) if must else None
        facet = partial(self._client.facet, self._name, key, filter, limit=max(1, at_most), exact=True)
        return [(str(hit.value), hit.count) for hit in self._call(facet).hits if hit.count]

    def _count(self, must: list[Any]) -> int:
        filter = models.Filter(must=must)
        return self._call(lambda: self._client.count(self._name, filter, exact=True)).count


@dataclass(frozen=True, slots=True)
class _Names:
    """The names in the catalog that match the filters by author and title; None where there is no filter."""

    authors: list[str] | None
    titles: list[str] | None
    id_condition: Any
    """The condition for books whose id begins with the filter by title."""


_BOOKS = match_any(f"{LOOKUP}.state", (BOOK,))
"""The condition for records of books that are in the library: not of removed ones, nor what is pending."""
_IS_PENDING = models.Filter(
    must_not=[models.IsEmptyCondition(is_empty=models.PayloadField(key=f"{_PENDING}.generation"))]
)


class _Total(NamedTuple):
    """The number of books of one language, model and number format, with or without sentence vectors."""

    language: str | None
    model: str
    has_sentences: bool
    precision: str | None
    n_books: int


class _Row(NamedTuple):
    """A book as it is ordered: by a number of its title, then by the title itself, then by id."""

    number: int
    title: str
    id: str


_ORDER = ["title", "book_id"]
"""The fields that books are ordered by."""
_MAX_COMBINATIONS = 1000
"""Combinations of language, model and number format that are counted in one request; more need a second."""


def record_id(key: str) -> str:
    """Return the id of the point that holds a record."""
    return str(uuid5(NAMESPACE, key))


def _pending_id(generation: str) -> str:
    """Return the id of the point that notes a generation as pending."""
    return str(uuid5(NAMESPACE, f"{_PENDING} {generation}"))


def _pending_point(pending: Pending) -> models.PointStruct:
    return _point(_pending_id(pending.generation), {_PENDING: asdict(pending)})


def _point(id: str, payload: dict[str, Any]) -> models.PointStruct:
    return models.PointStruct(id=id, vector=[1.0], payload=payload)


def create_indexes(
    connection: Connection, name: str, indexes: Mapping[str, models.PayloadSchemaType]
) -> None:
    """Create indexes of a collection, given their types by payload key; existing indexes stay."""
    for key, kind in indexes.items():
        connection.call(partial(connection.client.create_payload_index, name, key, kind, wait=True))


def _set_lookup_operation(point: models.Record) -> models.SetPayloadOperation:
    """Return the operation that stores a record's lookup values, unless the record has changed by then.

    A book that is ingested again or edited gets a new generation, and one that is removed gets the time of
    its removal: a record that still has both values is taken to be as it was read.
    """
    payload = point.payload or {}
    unchanged = models.Filter(
        must=[
            models.HasIdCondition(has_id=[point.id]),
            match_any("generation", [str(payload.get("generation"))]),
            _removed_at_condition(payload.get("removed_at")),
        ]
    )
    set_lookup = models.SetPayload(payload={LOOKUP: lookup_of(payload)}, filter=unchanged)
    return models.SetPayloadOperation(set_payload=set_lookup)


def _removed_at_condition(time: str | None) -> Any:
    """Return the condition for records removed at this time; for None, records that were not removed."""
    key = "removed_at"
    if time is None:
        return models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
    return match_any(key, [time])


def _is_record(point: models.Record) -> bool:
    """Return whether a point of the catalog is a record, not the binding or a pending generation."""
    return str(point.id) != BINDING and _PENDING not in (point.payload or {})


def _record_in(payload: Mapping[str, Any] | None, fields: Sequence[str] = ()) -> dict[str, Any]:
    """Return the record in a payload, without its lookup values; only these fields, if any are given."""
    items = (payload or {}).items()
    return {key: value for key, value in items if key != LOOKUP and (not fields or key in fields)}


def _matches_lookup(point: models.Record) -> bool:
    payload = point.payload or {}
    return bool(payload.get(LOOKUP) == lookup_of(payload))


def _title_and_id(point: models.Record | models.ScoredPoint) -> tuple[str, str]:
    payload = point.payload or {}
    return str(payload["title"]).casefold(), str(payload["book_id"])
