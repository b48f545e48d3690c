"""The catalog of a store: the one place where books are added, replaced and removed.

A book is replaced in an order that is safe if the process is killed at any moment: the points of the new
generation are written and flushed, one record in the catalog commits them, and only then are the old points
deleted. Points without a record are not in the library: searches ignore them, and the sweep deletes them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from threading import Lock
from types import TracebackType
from typing import Any, Self

from alexandria.book import Embeddings, Point
from alexandria.errors import (
    ConfigError,
    DisconnectedError,
    FullDiskError,
    NoMatchError,
    StoreError,
    TooLargeError,
)
from alexandria.filters import EVERYTHING, Filters, folded
from alexandria.modes import NO_MODEL, Mode
from alexandria.passage import Hit
from alexandria.store.gate import Gate
from alexandria.store.lookup import looked_up_runs
from alexandria.store.plan import Stage, plan_search
from alexandria.store.record import (
    Record,
    has_section,
    incomplete,
    latest_by_path,
    parse_record,
    read_records,
    removed_by_id,
    with_vector_sums,
    work_of,
)
from alexandria.store.rewrite import rewritten
from alexandria.store.scope import scope_of, summary_of
from alexandria.store.store import GRACE, Binding, Change, QueryVectors, Scope, Store, Summary, Where

_SHOWN = 5
"""Titles that an error names."""
_AT_ONCE = 100
"""Paths in one request."""
_ATTEMPTS = 20
"""How often a search is repeated at most, while one book after another comes in."""


class Catalog:
    """The books of a store. As a context manager, it closes the store at the end."""

    def __init__(self, store: Store, *, sweep: bool = True) -> None:
        """Take over an open store; `sweep` deletes what a crash left behind, which a reader need not do."""
        self._store, self._written = store, False
        self._gate = Gate(together=store.parallel)
        self._writes = self._closed = self._has_strays = False
        self.on_close: Callable[[], None] = lambda: None
        self._stored: _Stored | None = None
        self._reading = Lock()
        self._summary: Summary | None = None
        self._editions: list[Record] | None = None
        self._complete: dict[str, str] = {}
        self._failed = Change()
        self.swept = False
        self.n_changes = 0
        """How often a record was written or deleted here."""
        if sweep:
            self.sweep()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # On interrupt or error, leave at once: the indexes can wait for the next ingest.
        self._written = self._written and kind is None
        self.close()

    def close(self) -> None:
        """Close the store; after writes, optimize its indexes first."""
        self.on_close()
        with self._gate.changing():
            if self._closed:
                return
            self._closed = True
            try:
                if self._written:
                    self._store.optimize()
            finally:
                self._store.close()

    @property
    def is_open(self) -> bool:
        """Whether it can be read: not closed, not handed over, not lost with the process that had it."""
        return not self._closed and not self._store.lost

    def claim(self) -> bool:
        """Keep the library until it is closed, in order to write; return False if another process has it."""
        with self._gate.changing():
            self._writes = self.is_open and not self._store.remote
        return self._writes

    def give_way(self) -> bool:
        """Close the library for a process that wants to write; return False if this one writes it."""
        if self._writes:
            return False
        with self._gate.changing():  # after those who are reading
            if not self._writes:
                self.close()
        return not self._writes

    @property
    def binding(self) -> Binding:
        """What the collection is bound to."""
        return self._store.binding

    @property
    def store(self) -> Store:
        """The store of the points."""
        return self._store

    def books(self) -> list[Record]:
        """Return the books, sorted by title."""
        return _by_title(self._records.values())

    @property
    def _is_read(self) -> bool:
        """Whether the records are read already, or have to be."""
        return self._stored is not None or self._has_strays

    def admitted(self, filters: Filters) -> list[Record]:
        """Return the books that pass these filters, sorted by title."""
        stored = None if self._is_read or filters == EVERYTHING else self._store.matching(filters)
        books = self._records.values() if stored is None else map(self._parse, stored)
        return _by_title(filter(filters.admit, books))

    def listed(self, filters: Filters, *, start: int, limit: int | None) -> list[Record]:
        """Return the books that pass these filters, by title: at most `limit`, after the first `start`."""
        if filters.looked_up and limit is not None and not self._is_read:
            stored = self._store.page(filters, start, limit)
            if stored is not None:
                return list(map(self._parse, stored))
        books = self.books() if filters == EVERYTHING else self.admitted(filters)
        if (heading := filters.section) is not None:
            books = [book for book in books if has_section(book, heading)]
        return books[start:] if limit is None else books[start : start + limit]

    @property
    def n_books(self) -> int:
        """How many books there are."""
        return self._summed().n_books

    def _summed(self) -> Summary:
        if (summary := self._summary) is None:
            summary = None if self._is_read else self._store.summary()
            if summary is None:
                summary = summary_of(self._records.values())
            self._summary = summary
        return summary

    def everything(self) -> Scope:
        """Return the scope of a search in all books."""
        if self._has_strays:
            return scope_of(self.books())
        summary = self._summed()
        return Scope(summary.n_books, summary.languages, summary.n_without_sentences)

    def selected(self, filters: Filters) -> Scope:
        """Return the scope of a search in the books that pass these filters, but for the section."""
        if filters == EVERYTHING:
            return self.everything()
        scope = None if self._is_read or not filters.looked_up else self._store.selected(filters)
        return scope_of(self.admitted(filters)) if scope is None else scope

    def precisions(self) -> frozenset[str]:
        """Return the number formats of the books' vectors, where their records say so."""
        return self._summed().precisions

    def with_runs(self, runs: Sequence[int]) -> list[Record]:
        """Return the books whose sketches begin with one of these runs of words."""
        if not runs:
            return []
        stored = None if self._is_read else self._store.records_with("runs", runs)
        if stored is not None:
            return list(map(self._parse, stored))
        return [
            book for book in self._records.values() if not set(runs).isdisjoint(looked_up_runs(book.sketch))
        ]

    def without_sketch(self) -> list[Record]:
        """Return the books whose record has no sketch: an earlier version wrote it, or they have no words."""
        stored = None if self._is_read else self._store.records_with("has_sketch", ["no"])
        if stored is not None:
            return _by_title(map(self._parse, stored))
        return [book for book in self.books() if not book.sketch]

    def _titled(self, title: str) -> list[Record]:
        """Return the books with exactly this title, whatever the case and the accents."""
        stored = None if self._is_read else self._store.records_with("title", [folded(title)])
        if stored is not None:
            return _by_title(map(self._parse, stored))
        return [book for book in self.books() if folded(book.title) == folded(title)]

    def editions(self) -> list[Record]:
        """Return the books of which the library has other editions, sorted by title."""
        if self._editions is None:
            self._editions = self._read_editions()
        return self._editions

    def _read_editions(self) -> list[Record]:
        works = self._summed().works
        if not works:
            return []
        if self._stored is not None:
            return _by_title(record for record in self._records.values() if work_of(record) in works)
        stored = [*self._store.records_by("book_id", works), *self._store.records_by("work", works)]
        records = {record.book_id: record for record in map(self._parse, stored)}
        books = [record for record in records.values() if record.removed_at is None]
        n_editions = Counter(map(work_of, books))
        return _by_title(record for record in books if n_editions[work_of(record)] > 1)

    def removed_books(self) -> list[Record]:
        """Return the records of the books that were removed, sorted by title."""
        return _by_title(self._read().removed.values())

    def removed_book(self, book_id: str, source: str) -> Record | None:
        """Return the record of the removed book that has this content or was read from this path."""
        removed = removed_by_id(self._of(book_id, source))
        return removed.get(book_id) or next(iter(removed.values()), None)

    def book_at(self, source: str) -> Record | None:
        """Return the record of the book that was read from this path, or None."""
        return next((record for record in self._books_of("", source)), None)

    def books_at(self, sources: Iterable[str]) -> list[Record]:
        """Return the records of the books that were read from these paths."""
        wanted = frozenset(sources)
        if self._is_read:
            return [record for record in self._records.values() if record.source in wanted]
        paths = sorted(wanted)
        records = [
            self._parse(stored)
            for i in range(0, len(paths), _AT_ONCE)
            for stored in self._store.records_by("source", paths[i : i + _AT_ONCE])
        ]
        return list(latest_by_path(records)[0].values())

    def _of(self, book_id: str, source: str) -> list[Record]:
        """Return the records with this id, or of this path, also of removed books."""
        if self._stored is not None:
            known = [*self._stored.books.values(), *self._stored.removed.values(), *self._stored.replaced]
            return [record for record in known if record.book_id == book_id or record.source == source]
        stored = [
            *self._store.records_by("book_id", [book_id]),
            *self._store.records_by("source", [source]),
        ]
        return list({record.book_id: record for record in map(self._parse, stored)}.values())

    def _books_of(self, book_id: str, source: str) -> list[Record]:
        """Return the books with this id, or of this path."""
        return list(latest_by_path(self._of(book_id, source))[0].values())

    def holds(self, book_id: str, generation: str) -> bool:
        """Return whether the book is stored completely, under exactly this configuration."""
        record = self.find_id(book_id)
        return record is not None and record.generation == generation

    def model(self) -> str:
        """Return the model that the books were embedded with.

        Raises:
            StoreError: there are no books.
        """
        summary = self._summed()
        if not summary.n_books:
            raise StoreError(
                "the library is empty", why="no book has been ingested yet", fix="alexandria ingest BOOK"
            )
        if self.binding.encoder == NO_MODEL:
            return NO_MODEL
        return summary.model

    def book(self, book_id: str) -> Record:
        """Return the record of a book in the catalog.

        Raises:
            KeyError: there is no such book.
        """
        if (record := self.find_id(book_id)) is None:
            raise KeyError(book_id)
        return record

    def find_id(self, book_id: str) -> Record | None:
        """Return the record of a book, or None if it is not in the catalog."""
        if self._is_read:
            return self._records.get(book_id)
        records = list(map(self._parse, self._store.records_by("book_id", [book_id])))
        return records[0] if records and records[0].removed_at is None else None

    def _parse(self, stored: Mapping[str, Any]) -> Record:
        return parse_record(stored, self._store.address)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let nobody change the books meanwhile, so that a reader sees each of them whole or not at all.

        On a server this holds up nobody: there every search checks its hits against the catalog.

        Raises:
            DisconnectedError: the library has been handed over, or lost with the process that had it.
        """
        if self._store.shared:
            yield
            return
        with self._gate.reading():
            self._check_open()
            with self._store.held() as changed:
                if changed:
                    self._forget()
                yield

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Let nobody else read or change the books meanwhile; on a server, this holds up nobody."""
        if self._store.shared:
            yield
            return
        with self._gate.changing():
            self._check_open()
            self._writes = True
            yield

    def _check_open(self) -> None:
        if not self.is_open:
            raise DisconnectedError(
                "the library is no longer open",
                why="it was handed over to another process that writes it",
                fix="run the same command again",
            )

    def refresh(self) -> None:
        """Read the records again: on a server, others may have changed them."""
        with self.held():
            self._forget()

    def _forget(self) -> None:
        """Let the records be read again when they are next needed: a search needs those of its hits only."""
        self._stored = self._summary = self._editions = None

    def _read(self) -> "_Stored":
        if (stored := self._stored) is None:
            with self._reading:
                if (stored := self._stored) is None:
                    records = read_records(self._store)
                    stored = self._stored = _Stored(*latest_by_path(records), removed_by_id(records))
        return stored

    @property
    def _records(self) -> dict[str, Record]:
        return self._read().books

    def _put(self, record: Record) -> None:
        """Write a record: this commits its book, or its removal."""
        self._store.put_record(record.book_id, asdict(record))
        self._forget_record(record.book_id)
        if self._stored is not None:
            books = self._stored.books if record.removed_at is None else self._stored.removed
            books[record.book_id] = record

    def _delete_record(self, book_id: str) -> None:
        self._store.delete_record(book_id)
        self._forget_record(book_id)

    def _forget_record(self, book_id: str) -> None:
        self.n_changes += 1
        self._summary = self._editions = None
        if self._stored is not None:
            self._stored.books.pop(book_id, None)
            self._stored.removed.pop(book_id, None)

    def records(self) -> dict[str, Record]:
        """Return the records of all books, also of those removed, by book id."""
        stored = self._read()
        return {**stored.removed, **stored.books}

    def replace(self, record: Record, points: Sequence[Point]) -> Record:
        """Store a book, all of it or nothing, in place of the one it replaces; return its record as stored.

        It replaces the book with the same content, and the book that was read from the same path.
        """
        with self.changing():
            replaced = self._books_of(record.book_id, record.source)
            record, points = _beside(replaced, record, points)
            with self._step(record, *replaced):
                return self._replace(replaced, record, points)

    def _replace(self, replaced: Sequence[Record], record: Record, points: Sequence[Point]) -> Record:
        try:
            self._store.upsert(points)
        except TooLargeError:  # nothing but this book is at fault: leave none of its points behind
            if not self.holds(record.book_id, record.generation):
                self._store.delete({"generation": [record.generation]})
                self._store.flush()
            raise
        self._store.flush()
        self._written = True
        record = with_vector_sums(record, self._store)
        self._put(record)
        for old in replaced:
            self._delete_replaced(old, by=record)
        for other in removed_by_id(self._of(record.book_id, record.source)):
            self._delete_record(other)
        return record

    def update(self, record: Record) -> None:
        """Write the record of a stored book again, with other values beside its points."""
        with self.changing():
            self._put(record)

    def mend(self, record: Record, points: Sequence[Point]) -> bool:
        """Write the points of a stored book again, in their place; return False if it was replaced since."""
        with self.changing():
            stored = self.find_id(record.book_id)
            if stored is None or stored.generation != record.generation:
                return False
            self._store.upsert(points)
            self._store.flush()
            self._written = True
            self._put(with_vector_sums(stored, self._store))
        return True

    @contextmanager
    def _step(self, *records: Record) -> Iterator[None]:
        """Note that these books are changed in this block, with those of steps that have failed before."""
        earlier = self._failed if self.swept else self._store.noted_change()
        if earlier is not None:  # otherwise the next sweep looks at all books
            books = {*earlier.books, *(record.book_id for record in records)}
            generations = {*earlier.generations, *(record.generation for record in records)}
            self._failed = Change(tuple(sorted(books)), tuple(sorted(generations)))
            self._store.note_change(self._failed)
        yield
        self._failed = earlier or Change()

    def exclude(self, record: Record) -> None:
        """Remove a book, but keep its record among the removed books; `replace` brings it back."""
        removed = replace(record, removed_at=datetime.now(UTC).isoformat(timespec="seconds"))
        removed = replace(removed, digests=(), vector_sums=())
        with self.changing(), self._step(record):
            self._put(removed)
            self._store.delete({"generation": [record.generation]})
            self._store.flush()

    def add_removed(self, record: Record) -> None:
        """Add the record of a removed book, as another library has it."""
        with self.changing():
            self._put(record)

    def remove(self, record: Record) -> None:
        """Remove a book as if it had never been in the library."""
        with self.changing(), self._step(record):
            self._delete_record(record.book_id)
            self._store.delete({"generation": [record.generation]})
            self._store.flush()

    def find(self, text: str) -> Record:
        """Return the one book whose title contains `text`, or whose id begins with it.

        A book whose whole title it is precedes others whose title contains it.

        Raises:
            ConfigError: several books match, which the message names, or none.
        """
        # The filter by title admits the beginning of an id, too.
        matches = (self._titled(text) or self.admitted(Filters(title=text))) if text.strip() else []
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise ConfigError(
                f"several books match {text!r}",
                why="\n".join(map(_described, matches)),
                fix="use the beginning of one id",
            )
        raise NoMatchError(
            f"no book matches {text!r}",
            why=f"the library has {_some(self._first_titles(), self.n_books)}",
            fix="use more of the title, or the beginning of the book's id (alexandria list)",
        )

    def _first_titles(self) -> list[str]:
        return [record.title for record in self.listed(EVERYTHING, start=0, limit=_SHOWN)]

    def search(
        self,
        query: QueryVectors,
        mode: Mode,
        scope: Scope,
        limit: int,
        *,
        sections: Sequence[str] = (),
    ) -> list[Hit]:
        """Return the best matches in some books, or in all of them, best first.

        Args:
            query: the vectors of the query.
            mode: how it is compared with the chunks.
            scope: the books of this catalog that are searched.
            limit: the maximum number of hits.
            sections: only chunks under one of these headings; if empty, all.
        """
        plan = plan_search(
            mode,
            limit,
            n_points=self._store.count(),
            sentences=scope.sentence_vectors,
            meaning=query.meaning,
        )
        where = {**scope.where, "section": sections} if sections else scope.where
        return self._search_complete(query, plan, where, scope.without)

    def _search_complete(
        self, query: QueryVectors, plan: Stage, where: Where, without: Sequence[str]
    ) -> list[Hit]:
        """Return the best matches in those of the books that were complete before the search began.

        The books of the hits are looked up in the catalog afterwards. Points that belong to no book in it are
        left out, and the search is repeated. It is also repeated where a book was added so lately that some
        of its points may have been missing.
        """
        left_out = set(without)
        for attempt in range(_ATTEMPTS):
            hits = [hit for hit in self._store.search(query, plan, where, sorted(left_out)) if _is_ours(hit)]
            records = {
                record["book_id"]: record
                for record in self._store.records_by(
                    "book_id",
                    sorted({hit.book_id for hit in hits}),
                    ("book_id", "generation", "source", "removed_at", "ingested_at"),
                )
                if record.get("removed_at") is None
            }
            seen = {(hit.book_id, str(hit.payload["generation"])) for hit in hits}
            current = {(book_id, record["generation"]) for book_id, record in records.items()}
            late = {book for book in seen & current if not self._was_complete(*book, records[book[0]])}
            if (seen <= current and not late) or attempt == _ATTEMPTS - 1:
                break
            left_out |= {generation for _, generation in seen - current}
            self._complete |= late
        settled = current - late
        return [
            replace(hit, payload={**hit.payload, "source": records[hit.book_id]["source"]})
            for hit in hits
            if (hit.book_id, hit.payload["generation"]) in settled
        ]

    def _was_complete(self, book_id: str, generation: str, record: Mapping[str, Any]) -> bool:
        """Return whether a book in the catalog had all its points when the search that has found it began."""
        if not self._store.shared or self._complete.get(book_id) == generation:
            return True
        return not _is_recent(record.get("ingested_at"))

    def chunks(self, record: Record, numbers: Sequence[int] = ()) -> list[dict[str, Any]]:
        """Return the payloads of a book's chunks in reading order: those with these numbers, or all.

        Raises:
            StoreError: points of the book have lost their payload.
        """
        where: dict[str, Any] = {"generation": [record.generation]}
        if numbers:
            where["chunk_id"] = list(numbers)
        payloads = [{**payload, "source": record.source} for _, payload in self._store.payloads(where)]
        if not all("chunk_id" in payload for payload in payloads):
            raise incomplete(record, "points of it have lost their payload")
        return sorted(payloads, key=lambda payload: int(payload["chunk_id"]))

    def points(self, record: Record) -> Iterator[Point]:
        """Yield a book's points with their vectors."""
        return self._store.points({"generation": [record.generation]})

    def sentence_rows(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors, (n_sentences, dim) each, of those of these points that have any."""
        return self._store.sentence_rows(ids)

    def _delete_replaced(self, old: Record, *, by: Record) -> None:
        if old.book_id != by.book_id:
            self._delete_record(old.book_id)
        if old.generation != by.generation:
            self._store.delete({"generation": [old.generation]})
            self._store.flush()

    def sweep(self) -> None:
        """Delete what a crash left behind, unless that has been done."""
        if self.swept or self._store.remote:
            return
        with self._gate.changing():
            self.swept = True
            try:
                self._delete_strays()
            except FullDiskError:  # a full library can still be read; another open deletes them
                self._has_strays = True

    def _delete_strays(self) -> None:
        change = self._store.noted_change()
        if change == Change():
            return
        if change is None:
            stored, generations = self._read(), set(self._store.generations())
            books, replaced = stored.books, stored.replaced
        else:  # of the others, nothing has changed since the last sweep
            records = map(self._parse, self._store.records_by("book_id", change.books))
            (books, replaced), generations = latest_by_path(records), set(change.generations)
        for record in replaced:
            self._delete_record(record.book_id)
        strays = sorted(generations - {record.generation for record in books.values()})
        strays = [stray for stray in strays if not self._is_listed(stray)]
        young = [stray for stray in strays if self._store.shared and self._is_being_written(stray)]
        if old := [stray for stray in strays if stray not in young]:
            self._store.delete({"generation": old})
            self._store.flush()
        self._failed = Change(generations=tuple(young))
        self._store.note_change(self._failed)

    def _is_listed(self, generation: str) -> bool:
        """Return whether a book has this generation: a damaged note names generations without their books."""
        _, payload = next(self._store.payloads({"generation": [generation]}), ("", {}))
        records = map(self._parse, self._store.records_by("book_id", [str(payload.get("book_id"))]))
        return any(record.generation == generation and record.removed_at is None for record in records)

    def lost_generations(self) -> set[str]:
        """Return the generations of points that no record lists, and that nobody is writing."""
        lost = set(self._store.generations()) - {record.generation for record in self._records.values()}
        return {one for one in lost if not (self._store.shared and self._is_being_written(one))}

    def _is_being_written(self, generation: str) -> bool:
        _, payload = next(self._store.payloads({"generation": [generation]}), ("", {}))
        return _is_recent(payload.get("ingested_at"))


@dataclass(frozen=True, slots=True)
class _Stored:
    """The records of a catalog, as they were read and have been changed since."""

    books: dict[str, Record]
    replaced: list[Record]
    removed: dict[str, Record]


def _is_recent(written: str | None) -> bool:
    return written is not None and datetime.now(UTC) - datetime.fromisoformat(written) < GRACE


def _is_ours(hit: Hit) -> bool:
    """Return whether a point is of a book: other programs may have written points of their own."""
    return "book_id" in hit.payload and "generation" in hit.payload


def _beside(
    replaced: Sequence[Record], record: Record, points: Sequence[Point]
) -> tuple[Record, Sequence[Point]]:
    """Return a book so that writing it, even half of it, leaves those that it replaces as they are.

    The ids of its points are those of a stored book with the same generation. If the payloads are the same
    too, they keep the time of that book, so that nothing changes; otherwise they get another generation.
    """
    old = next((old for old in replaced if old.generation == record.generation), None)
    if old is None:
        return record, points
    if old.digests == record.digests and len(replaced) == 1:
        payloads = ({**point.payload, "ingested_at": old.ingested_at} for point in points)
        same = [replace(point, payload=payload) for point, payload in zip(points, payloads, strict=True)]
        return replace(record, ingested_at=old.ingested_at), same
    return rewritten(record, points, {})


def _by_title(records: Iterable[Record]) -> list[Record]:
    return sorted(records, key=lambda record: (record.title.casefold(), record.book_id))


def _described(record: Record) -> str:
    """Return what tells a book from others of the same title: id, title, format, year, file."""
    title = " ".join(record.title.split())
    year = f"  {record.date[:4]}" if record.date else ""
    return f"{record.book_id[:8]}  “{title}”  {record.format}{year}  {record.source}"


def _some(titles: Sequence[str], n_books: int) -> str:
    """Return the first titles, for a sentence."""
    if not titles:
        return "no books"
    shown = ", ".join(f"“{title}”" for title in titles)
    return f"{shown} and {n_books - len(titles)} more" if n_books > len(titles) else shown
