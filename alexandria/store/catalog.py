"""The catalog of a store: the one place where books are added, replaced and removed.

A book is replaced in an order that is safe if the process is killed at any moment: the points of the new
generation are written and flushed, one record in the catalog commits them, and only then are the old points
deleted. Points without a record are not in the library: searches ignore them, and the sweep deletes them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from threading import RLock
from types import TracebackType
from typing import Any, Self

from alexandria.book import Embeddings, LeftOut, Point
from alexandria.errors import ConfigError, StoreError
from alexandria.filters import Filters
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.store.plan import plan_search
from alexandria.store.store import Binding, QueryVectors, Store

GRACE = timedelta(hours=1)
"""How long points without a record are kept on a server: another process may be writing their book."""


@dataclass(frozen=True, slots=True)
class Record:
    """A book in the catalog, as `alexandria list` shows it."""

    book_id: str
    generation: str
    title: str
    author: str
    language: str | None
    format: str
    source: str
    """The absolute path of its file; a changed file at the same path replaces the book."""
    domain: str
    strategy: str
    settings: Mapping[str, Any]
    n_chunks: int
    n_words: int
    warnings: tuple[str, ...]
    ingested_at: str
    sections: tuple[str, ...] = ()
    """The headings of its chunks, at every level, without duplicates."""
    digests: tuple[str, ...] = ()
    """`points.digest_of` the payload of each chunk, in order."""
    n_pages: int | None = None
    left_out: tuple[LeftOut, ...] = ()


class Catalog:
    """The books of a store. As a context manager, it closes the store at the end."""

    def __init__(self, store: Store, *, sweep: bool = True) -> None:
        """Take over an open store; `sweep` deletes what a crash left behind, which a reader need not do."""
        self._store, self._written = store, False
        self._records, replaced = _latest_by_path(read_records(store))
        self._lock = RLock()
        if sweep:
            self._sweep(replaced)

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
        try:
            if self._written:
                self._store.optimize()
        finally:
            self._store.close()

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
        return sorted(self._records.values(), key=lambda record: (record.title.casefold(), record.book_id))

    def holds(self, book_id: str, generation: str) -> bool:
        """Return whether the book is stored completely, under exactly this configuration."""
        record = self._records.get(book_id)
        return record is not None and record.generation == generation

    def model(self) -> str:
        """Return the model that the books were embedded with.

        Raises:
            StoreError: there are no books.
        """
        if not self._records:
            raise StoreError(
                "the library is empty", why="no book has been ingested yet", fix="alexandria ingest BOOK"
            )
        return str(next(iter(self._records.values())).settings["model"])

    def book(self, book_id: str) -> Record:
        """Return the record of a book in the catalog.

        Raises:
            KeyError: there is no such book.
        """
        return self._records[book_id]

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no other thread change the books meanwhile, so that a reader sees each whole or not at all.

        On a server this holds up nobody: there every search names the generations that are complete.
        """
        if self._store.shared:
            yield
            return
        with self._lock:
            yield

    def refresh(self) -> None:
        """Read the records again: on a server, others may have changed them."""
        with self.held():
            self._records, _ = _latest_by_path(read_records(self._store))

    def replace(self, record: Record, points: Sequence[Point]) -> None:
        """Store a book, all of it or nothing, in place of the one it replaces.

        It replaces the book with the same content, and the book that was read from the same path.
        """
        with self.held():
            self._replace(record, points)

    def _replace(self, record: Record, points: Sequence[Point]) -> None:
        replaced = [
            old for old in self.books() if old.book_id == record.book_id or old.source == record.source
        ]
        self._store.upsert(points)
        self._store.flush()
        self._written = True
        self._store.put_record(record.book_id, asdict(record))
        self._records[record.book_id] = record
        for old in replaced:
            self._delete_replaced(old, by=record)

    def remove(self, record: Record) -> None:
        """Remove a book."""
        with self.held():
            self._store.delete_record(record.book_id)
            del self._records[record.book_id]
            self._store.delete({"generation": [record.generation]})
            self._store.flush()

    def find(self, text: str) -> Record:
        """Return the one book whose title contains `text`, or whose id begins with it.

        Raises:
            ConfigError: no book or several match; the message names them.
        """
        filters = Filters(title=text)
        matches = [record for record in self.books() if filters.admit(record)]
        exact = [record for record in matches if record.title.casefold() == text.casefold()]
        matches = exact or matches
        if len(matches) == 1:
            return matches[0]
        titles = [record.title for record in matches or self.books()]
        raise ConfigError(
            f"{'several books match' if matches else 'no book matches'} {text!r}",
            why=f"{'they are' if matches else 'the library has'} {_some(titles)}",
            fix="use more of the title, or the beginning of the book's id (alexandria list)",
        )

    def search(
        self,
        query: QueryVectors,
        mode: Mode,
        books: Sequence[Record],
        limit: int,
        *,
        sections: Sequence[str] = (),
    ) -> list[Hit]:
        """Return the best matches in these books, best first.

        Args:
            query: the vectors of the query.
            mode: how it is compared with the chunks.
            books: records of this catalog, at least one.
            limit: the maximum number of hits.
            sections: only chunks under one of these headings; if empty, all.
        """
        where: dict[str, Sequence[str]] = {"section": sections} if sections else {}
        # On a server, another process may have written only some of a book's points: they must not be found.
        if self._store.shared or len(books) < len(self._records):
            where["generation"] = [record.generation for record in books]
        with_sentences = all(record.settings.get("sentence_vectors", True) for record in books)
        plan = plan_search(mode, limit, n_points=self._store.count(), sentences=with_sentences)
        return self._store.search(query, plan, where)

    def chunks(self, record: Record, numbers: Sequence[int] = ()) -> list[dict[str, Any]]:
        """Return the payloads of a book's chunks in reading order: those with these numbers, or all."""
        where: dict[str, Any] = {"generation": [record.generation]}
        if numbers:
            where["chunk_id"] = list(numbers)
        payloads = [payload for _, payload in self._store.payloads(where)]
        return sorted(payloads, key=lambda payload: int(payload["chunk_id"]))

    def points(self, record: Record) -> Iterator[Point]:
        """Yield a book's points with their vectors."""
        return self._store.points({"generation": [record.generation]})

    def sentence_rows(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors, (n_sentences, dim) each, of those of these points that have any."""
        return self._store.sentence_rows(ids)

    def _delete_replaced(self, old: Record, *, by: Record) -> None:
        if old.book_id != by.book_id:
            self._store.delete_record(old.book_id)
            del self._records[old.book_id]
        if old.generation != by.generation:
            self._store.delete({"generation": [old.generation]})
            self._store.flush()
        elif old.n_chunks > by.n_chunks:  # the same settings, but a version that cuts differently
            surplus = range(by.n_chunks, old.n_chunks)
            self._store.delete({"generation": [old.generation], "chunk_id": surplus})
            self._store.flush()

    def _sweep(self, replaced: Sequence[Record]) -> None:
        for record in replaced:
            self._store.delete_record(record.book_id)
        known = {record.generation for record in self._records.values()}
        strays = sorted(set(self._store.generations()) - known)
        if self._store.shared:
            strays = [stray for stray in strays if not self._is_recent(stray)]
        if strays:
            self._store.delete({"generation": strays})
            self._store.flush()

    def _is_recent(self, generation: str) -> bool:
        _, payload = next(self._store.payloads({"generation": [generation]}), ("", {}))
        written = payload.get("ingested_at")
        return written is not None and datetime.now(UTC) - datetime.fromisoformat(written) < GRACE


def _latest_by_path(records: Iterable[Record]) -> tuple[dict[str, Record], list[Record]]:
    """Return the records by book id, and the records that a later one for the same path replaces.

    The second list is empty unless a crash came between writing the new record and deleting the old one.
    """
    latest: dict[str, Record] = {}
    replaced = []
    for record in sorted(records, key=lambda record: record.ingested_at):
        if (old := latest.get(record.source)) is not None:
            replaced.append(old)
        latest[record.source] = record
    return {record.book_id: record for record in latest.values()}, replaced


def read_records(store: Store) -> list[Record]:
    """Return every record of a store's catalog, including those that a crash left beside a newer one."""
    return [_record(stored) for stored in store.records()]


_TUPLES = ("warnings", "sections", "digests")


def _record(stored: Mapping[str, Any]) -> Record:
    names = {field.name for field in fields(Record)}
    values = {name: value for name, value in stored.items() if name in names}
    left_out = tuple(LeftOut(**part) for part in values.get("left_out", ()))
    tuples = {name: tuple(values.get(name, ())) for name in _TUPLES}
    return Record(**{**values, **tuples, "left_out": left_out})


def _some(titles: Sequence[str], most: int = 5) -> str:
    """Return the first titles, for a sentence."""
    if not titles:
        return "no books"
    shown = ", ".join(f"“{title}”" for title in titles[:most])
    return f"{shown} and {len(titles) - most} more" if len(titles) > most else shown
