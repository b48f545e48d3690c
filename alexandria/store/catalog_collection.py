"""The catalog of a library on a server, or in qdrant-client's local mode: a collection of records.

On a server, what a record is looked up by is beside it (`lookup`), and indexed, so that nothing reads the
records of other books. A collection that an earlier version wrote is converted once, by the first process
that opens it to write; until then all records are read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any
from uuid import uuid4, uuid5

from qdrant_client import models

from alexandria.filters import Filters, folded
from alexandria.store.client_types import to_filter
from alexandria.store.connection import BINDING, Connection, catalog_name
from alexandria.store.lookup import (
    BOOK,
    LEVELS,
    LOOKUP,
    REMOVED,
    first_range,
    longest_grams,
    lookup_of,
    ordinals,
    parse_total,
)
from alexandria.store.points import NAMESPACE
from alexandria.store.store import GRACE, Change, Scope, Summary

FORM = 1
"""Of what records are looked up by: raised with each change of it."""
_KEYWORDS = ("state", "total", "title", "in_title", "in_author", "languages", "work", "has_sketch")
_INTEGERS = ("runs", "id", *(f"order_{level}" for level in range(LEVELS)))
CATALOG_INDEXES = {
    **dict.fromkeys(("source", "work", "author", "title", "domain"), models.PayloadSchemaType.KEYWORD),
    **{f"{LOOKUP}.{name}": models.PayloadSchemaType.KEYWORD for name in _KEYWORDS},
    **{f"{LOOKUP}.{name}": models.PayloadSchemaType.INTEGER for name in _INTEGERS},
}
"""The indexes of a catalog, by key of the payload."""
_CHANGE = "change"
"""The key of a note of what a writer changes."""
_EVERYTHING = str(uuid5(NAMESPACE, "everything may have changed"))
"""The id of the note that a conversion leaves: the next sweep looks at all books."""
_AT_ONCE = 100
"""Records that are converted per request."""


class CatalogCollection:
    """The records of a collection `NAME`, in the collection `NAME.catalog`."""

    def __init__(self, connection: Connection, collection: str, *, asks: bool) -> None:
        """Take over an open connection; `asks` if every record has beside it what it is looked up by."""
        self._connection, self._client, self._call = connection, connection.client, connection.call
        self._name, self._asks = catalog_name(collection), asks
        self._own_note = str(uuid4())
        self._notes: list[str] = []
        """Those that were read last, which the next one replaces."""

    def put(self, key: str, record: Mapping[str, Any]) -> None:
        """Write one record; it is on disk when this returns."""
        payload = {**record, LOOKUP: lookup_of(record)} if self._connection.shared else dict(record)
        self._upsert(record_id(key), payload)

    def delete(self, key: str) -> None:
        """Delete one record; it is gone from the disk when this returns."""
        self._delete([record_id(key)])

    def records(self) -> list[dict[str, Any]]:
        """Return all records, in no particular order."""
        stored = self._connection.scroll(self._name, None)
        return [_record(one.payload) for one in stored if _is_record(one)]

    def records_by(
        self, name: str, values: Sequence[str], fields: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Return the records with one of these values in a field that is looked up by."""
        if not values:
            return []
        payload = list(fields) if fields else True
        if name == "book_id":
            ids = [record_id(str(key)) for key in values]
            retrieve = partial(self._client.retrieve, self._name, ids, with_payload=payload)
            stored = iter(self._call(retrieve))
        else:
            filter = to_filter({name: values})
            stored = self._connection.scroll(self._name, filter, with_payload=payload)
        return [_record(one.payload, fields) for one in stored]

    def records_with(self, name: str, values: Sequence[str] | Sequence[int]) -> list[dict[str, Any]] | None:
        """Return the books of which something has one of these values; None if all have to be read."""
        if not self._asks:
            return None
        stored = self._connection.scroll(self._name, to_filter({f"{LOOKUP}.{name}": values}))
        return [_record(one.payload) for one in stored]

    def matching(self, filters: Filters) -> list[dict[str, Any]] | None:
        """Return the records of the books that pass these filters; None if all have to be read."""
        if not self._asks:
            return None
        stored = self._connection.scroll(
            self._name, models.Filter(must=self._conditions(filters, self._names(filters)))
        )
        return [_record(one.payload) for one in stored]

    def page(self, filters: Filters, start: int, limit: int) -> list[dict[str, Any]] | None:
        """Return the records of at most `limit` of these, by title, after the first `start`; or None."""
        if not self._asks:
            return None
        ids = self._in_order(self._conditions(filters, self._names(filters)), start, limit)
        records = {record["book_id"]: record for record in self.records_by("book_id", ids)}
        return [records[id] for id in ids if id in records]

    def summary(self) -> Summary | None:
        """Return the sum of the books, which the server counts; None if all records have to be read."""
        if not self._asks:
            return None
        totals = self._totals([])
        n_books = sum(n for *_, n in totals)
        return Summary(
            n_books=n_books,
            languages=frozenset(language for language, *_ in totals),
            n_without_sentences=sum(n for _, _, sentences, _, n in totals if not sentences),
            model=totals[0][1] if totals else "",
            precisions=frozenset(precision for *_, precision, _ in totals if precision is not None),
            works=tuple(work for work, _ in self._counted(f"{LOOKUP}.work", [], n_books)),
        )

    def selected(self, filters: Filters) -> Scope | None:
        """Return what a search must know of the books that pass these filters; None likewise."""
        if not self._asks:
            return None
        names = self._names(filters)
        totals = self._totals(self._conditions(filters, names))
        languages = frozenset(language for language, *_ in totals)
        where: dict[str, Sequence[str]] = {}
        if names.authors is not None:
            where["author"] = names.authors
        if filters.domain is not None:
            where["domain"] = [filters.domain]
        if filters.language is not None:
            where["language"] = sorted(language for language in languages if language is not None)
        if names.titles is not None and self._count([_IS_BOOK, names.by_id]):
            where = {"generation": self._generations(self._conditions(filters, names))}
        elif names.titles is not None:
            where["book_title"] = names.titles
        return Scope(
            n_books=sum(n for *_, n in totals),
            languages=languages,
            n_without_sentences=sum(n for _, _, sentences, _, n in totals if not sentences),
            where=where,
        )

    def faults(self) -> list[str]:
        """Return which records would not be found by what they say."""
        ids = [(stored.payload or {}).get("book_id") for stored in self._faulty()]
        return [f"the record {id} is not found by what it says" for id in ids]

    def mend(self) -> None:
        """Write again what these records are looked up by."""
        _complete(self._connection, self._name, self._faulty(), only_without=False)

    def _faulty(self) -> Iterator[models.Record]:
        stored = self._connection.scroll(self._name, None) if self._asks else iter(())
        return (one for one in stored if _is_record(one) and _lookup(one) != lookup_of(one.payload or {}))

    def note_change(self, change: Change) -> None:
        """Write down what this writer is about to change, in place of the notes that were read last."""
        if not self._asks:  # no earlier version would read a catalog with notes
            return
        if change != Change():
            now = datetime.now(UTC).isoformat(timespec="seconds")
            noted = {"books": list(change.books), "generations": list(change.generations), "at": now}
            self._upsert(self._own_note, {_CHANGE: noted})
            done = [note for note in self._notes if note != self._own_note]
        else:
            done = [*self._notes, self._own_note]
        self._notes = []
        if done:
            self._delete(done)

    def noted_change(self) -> Change | None:
        """Return what this writer has noted, and others that are gone; None if it may be anything."""
        if not self._asks:
            return None
        written = models.Filter(must_not=[_IS_LOOKED_UP])
        notes = {
            str(stored.id): stored.payload[_CHANGE]
            for stored in self._connection.scroll(self._name, written)
            if stored.payload and _CHANGE in stored.payload
        }
        old = (datetime.now(UTC) - GRACE).isoformat(timespec="seconds")
        read = {id: note for id, note in notes.items() if id == self._own_note or note.get("at", "") < old}
        self._notes = list(read)
        if _EVERYTHING in read:
            return None
        recent = {name for id, note in notes.items() if id not in read for name in note["generations"]}
        return Change(
            tuple(sorted({book for note in read.values() for book in note["books"]})),
            tuple(sorted({name for note in read.values() for name in note["generations"]} - recent)),
        )

    def _in_order(self, must: list[Any], start: int, limit: int, level: int = 0) -> list[str]:
        """Return the ids of some of the books that meet conditions, by title.

        The server orders them by a number, which those with the same beginning share: where these are cut by
        the page, they are ordered by the next one.
        """
        if level == LEVELS:
            stored = self._connection.scroll(self._name, models.Filter(must=must), with_payload=_ORDER)
            return [id for _, id in sorted(map(_title_and_id, stored))][start : start + limit]
        key, before = f"{LOOKUP}.order_{level}", min(start, 1)
        request = partial(
            self._client.query_points,
            self._name,
            query=models.OrderByQuery(order_by=models.OrderBy(key=key)),
            query_filter=models.Filter(must=must),
            offset=start - before,
            limit=limit + before + 1,
            with_payload=_ORDER,
        )
        rows = [
            (ordinals(title)[level], title, id)
            for title, id in map(_title_and_id, self._call(request).points)
        ]
        page = rows[before : before + limit]
        if not page:
            return []
        first, last = page[0][0], page[-1][0]
        begins = not before or rows[0][0] != first
        ends = len(rows) == before + len(page) or rows[-1][0] != last
        n_first, n_last = (sum(number == end for number, *_ in page) for end in (first, last))
        whole = [row for row in page if (begins or row[0] != first) and (ends or row[0] != last)]
        ids = [id for _, _, id in sorted(whole)]
        if not begins:
            less = models.FieldCondition(key=key, range=models.Range(lt=first))
            skipped = start - self._count([*must, less])
            ids = self._in_order([*must, _is_in(key, [first])], skipped, n_first, level + 1) + ids
        if not ends and (begins or first != last):
            ids += self._in_order([*must, _is_in(key, [last])], 0, n_last, level + 1)
        return ids

    def _names(self, filters: Filters) -> "_Names":
        """Return the authors and titles that contain what filters name; an empty text is in every one."""
        author, title = folded(filters.author or ""), folded(filters.title or "")
        return _Names(
            authors=self._containing("author", author) if author else None,
            titles=self._containing("title", title) if title else None,
            by_id=self._with_id(filters.title or "") if title else None,
        )

    def _conditions(self, filters: Filters, names: "_Names") -> list[Any]:
        """Return the conditions that the records of the books that pass meet, and no others."""
        conditions: list[Any] = [_IS_BOOK]
        if filters.domain is not None:
            conditions.append(_is_in("domain", [filters.domain]))
        if filters.language is not None:
            conditions.append(_is_in(f"{LOOKUP}.languages", [filters.language.lower()]))
        if names.authors is not None:
            conditions.append(_is_in("author", names.authors))
        if names.titles is not None:
            conditions.append(models.Filter(should=[_is_in("title", names.titles), names.by_id]))
        return conditions

    def _containing(self, name: str, text: str) -> list[str]:
        """Return the titles, or authors, of the books that contain a text, whatever the case and accents."""
        must = [_IS_BOOK, *(_is_in(f"{LOOKUP}.in_{name}", [gram]) for gram in longest_grams(text))]
        values = self._counted(name, must, self._count(must))
        return sorted(value for value, _ in values if text in folded(value))

    def _with_id(self, beginning: str) -> Any:
        """Return the condition for a book whose id begins so."""
        beginning = beginning.casefold()
        least, greatest = first_range(beginning)
        within = models.FieldCondition(key=f"{LOOKUP}.id", range=models.Range(gte=least, lte=greatest))
        if len(beginning.encode("utf-8", "replace")) <= _FIRST_BYTES:
            return within
        stored = self._connection.scroll(self._name, models.Filter(must=[within]), with_payload=["book_id"])
        ids = [one.id for one in stored if str((one.payload or {})["book_id"]).startswith(beginning)]
        return models.HasIdCondition(has_id=ids)

    def _generations(self, must: list[Any]) -> list[str]:
        """Return the generations of the books that meet conditions."""
        filter = models.Filter(must=must)
        stored = self._connection.scroll(self._name, filter, with_payload=["generation"])
        return [str((one.payload or {})["generation"]) for one in stored]

    def _totals(self, must: list[Any]) -> list[tuple[str | None, str, bool, str | None, int]]:
        """Return what the books that meet conditions are counted by, and how many there are of each."""
        kinds = self._counted(f"{LOOKUP}.total", must, _KINDS)
        if len(kinds) == _KINDS:
            kinds = self._counted(f"{LOOKUP}.total", must, self._count(must))
        return [(*parse_total(kind), n) for kind, n in kinds]

    def _counted(self, key: str, must: list[Any], at_most: int) -> list[tuple[str, int]]:
        """Return the values of a key, and how many of the records that meet conditions have each."""
        filter = models.Filter(must=must) if must else None
        facet = partial(self._client.facet, self._name, key, filter, limit=max(1, at_most), exact=True)
        return [(str(hit.value), hit.count) for hit in self._call(facet).hits if hit.count]

    def _count(self, must: list[Any]) -> int:
        filter = models.Filter(must=must)
        return self._call(lambda: self._client.count(self._name, filter, exact=True)).count

    def _upsert(self, id: str, payload: dict[str, Any]) -> None:
        point = models.PointStruct(id=id, vector=[1.0], payload=payload)
        self._call(lambda: self._client.upsert(self._name, [point], wait=True))
        self._connection.sync(self._name)

    def _delete(self, ids: Sequence[str]) -> None:
        selector = models.PointIdsList(points=list(ids))
        self._call(lambda: self._client.delete(self._name, selector, wait=True))
        self._connection.sync(self._name)


def _is_in(key: str, values: Sequence[str] | Sequence[int]) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))  # type: ignore[arg-type]  # both


@dataclass(frozen=True, slots=True)
class _Names:
    """What filters name, as the catalog has it; None where they name nothing."""

    authors: list[str] | None
    titles: list[str] | None
    by_id: Any
    """The condition for books whose id begins as the filter by title."""


_IS_BOOK = _is_in(f"{LOOKUP}.state", (BOOK,))
_IS_LOOKED_UP = _is_in(f"{LOOKUP}.state", (BOOK, REMOVED))
_ORDER = ["title", "book_id"]
_FIRST_BYTES = 6
"""Of an id, up to which its first number decides."""
_KINDS = 1000
"""Combinations of language, model and number format in a library; more are counted in a second request."""


def record_id(key: str) -> str:
    """Return the id of the point that holds a record."""
    return str(uuid5(NAMESPACE, key))


def create_indexes(
    connection: Connection, name: str, indexes: Mapping[str, models.PayloadSchemaType]
) -> None:
    """Create the indexes of a collection, by key of the payload; those that are there already stay."""
    for key, kind in indexes.items():
        connection.call(partial(connection.client.create_payload_index, name, key, kind, wait=True))


def complete_records(connection: Connection, collection: str) -> None:
    """Write beside each record what it is looked up by; killed at any moment, the next open goes on.

    The mark in the first record keeps earlier versions out, which would write records without. A record that
    another process has written meanwhile is left as that process wrote it.
    """
    name, client = catalog_name(collection), connection.client
    _mark(connection, name, 0)
    create_indexes(connection, name, CATALOG_INDEXES)
    note = {_CHANGE: {"books": [], "generations": [], "at": ""}}
    everything = models.PointStruct(id=_EVERYTHING, vector=[1.0], payload=note)
    connection.call(lambda: client.upsert(name, [everything], wait=True))
    stored = connection.scroll(name, models.Filter(must_not=[_IS_LOOKED_UP]))
    _complete(connection, name, filter(_is_record, stored), only_without=True)
    _mark(connection, name, FORM)


def _complete(
    connection: Connection, name: str, records: Iterator[models.Record], *, only_without: bool
) -> None:
    """Write beside records what they are looked up by; `only_without` spares those that have it by now."""
    complete = partial(_completion, only_without=only_without)
    while operations := list(map(complete, islice(records, _AT_ONCE))):
        connection.call(partial(connection.client.batch_update_points, name, operations, wait=True))


def lacks_lookups(connection: Connection, collection: str) -> bool:
    """Return whether there is a record that is not looked up: an earlier version wrote it meanwhile."""
    name = catalog_name(collection)
    unknown = models.Filter(
        must_not=[
            _IS_LOOKED_UP,
            models.HasIdCondition(has_id=[BINDING]),
            models.Filter(must_not=[models.IsEmptyCondition(is_empty=models.PayloadField(key=_CHANGE))]),
        ]
    )
    found, _ = connection.call(
        lambda: connection.client.scroll(name, unknown, limit=1, with_payload=False, with_vectors=False)
    )
    return bool(found)


def _mark(connection: Connection, name: str, form: int) -> None:
    marked = partial(connection.client.set_payload, name, {"form": form}, [BINDING], wait=True)
    connection.call(marked)


def _completion(stored: models.Record, *, only_without: bool) -> models.SetPayloadOperation:
    """Return the operation that completes a record, unless it has been replaced or completed meanwhile."""
    payload = stored.payload or {}
    same = models.Filter(
        must=[
            models.HasIdCondition(has_id=[stored.id]),
            _is_in("generation", [str(payload.get("generation"))]),
            _removed_at(payload.get("removed_at")),
        ],
        must_not=[_IS_LOOKED_UP] if only_without else None,
    )
    looked_up = models.SetPayload(payload={LOOKUP: lookup_of(payload)}, filter=same)
    return models.SetPayloadOperation(set_payload=looked_up)


def _removed_at(value: str | None) -> Any:
    key = "removed_at"
    if value is None:
        return models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
    return _is_in(key, [value])


def _is_record(stored: models.Record) -> bool:
    return str(stored.id) != BINDING and _CHANGE not in (stored.payload or {})


def _record(payload: Mapping[str, Any] | None, fields: Sequence[str] = ()) -> dict[str, Any]:
    """Return a record without what it is looked up by; of its fields, only those asked for."""
    items = (payload or {}).items()
    return {key: value for key, value in items if key != LOOKUP and (not fields or key in fields)}


def _lookup(stored: models.Record) -> Any:
    return (stored.payload or {}).get(LOOKUP)


def _title_and_id(stored: models.Record | models.ScoredPoint) -> tuple[str, str]:
    payload = stored.payload or {}
    return str(payload["title"]).casefold(), str(payload["book_id"])
