"""A library: the one place that says how a book gets into a store, is replaced, and leaves it.

A book is replaced in an order that a crash at any moment cannot harm: the new generation's points are written
and flushed, one record in the catalog makes them the book, and only then are the old points deleted. What is
not in the catalog is not in the library: a search does not see it, and the sweep takes it away.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self

from alexandria.book import Embeddings, LeftOut, Point
from alexandria.errors import ConfigError, StoreError
from alexandria.filters import Filters
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.store import Binding, Question, Store
from alexandria.store.plan import plan

GRACE = timedelta(hours=1)
"""How long points that no record knows are left alone where others write too: a book may be coming in."""


@dataclass(frozen=True, slots=True)
class Record:
    """A book in the catalog: what `alexandria list` tells."""

    book_id: str
    generation: str
    title: str
    author: str
    language: str | None
    format: str
    source: str
    """Absolute path it was read from; a changed file at the same path replaces the book."""
    domain: str
    strategy: str
    settings: Mapping[str, Any]
    n_chunks: int
    n_words: int
    warnings: tuple[str, ...]
    ingested_at: str
    sections: tuple[str, ...] = ()
    """The headings of its chunks, outermost and inner ones alike, each once."""
    digests: tuple[str, ...] = ()
    """`points.digest_of` each chunk's payload, in the chunks' order."""
    n_pages: int | None = None
    left_out: tuple[LeftOut, ...] = ()


class Catalog:
    """A store's books. Use it as a context manager: it lets go of the store at the end."""

    def __init__(self, store: Store, *, sweep: bool = True) -> None:
        """Take over an open store; `sweep` clears what crashes have left, a reader need not."""
        self._store, self._written = store, False
        self._records, replaced = _current(read_records(store))
        if sweep:
            self._sweep(replaced)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Who interrupts wants out: the indexes can wait for the next ingest.
        self._written = self._written and kind is None
        self.close()

    def close(self) -> None:
        """Let go of the store, its indexes in order behind what was written."""
        try:
            if self._written:
                self._store.settle()
        finally:
            self._store.close()

    @property
    def binding(self) -> Binding:
        """What the library is bound to."""
        return self._store.binding

    @property
    def store(self) -> Store:
        """Where the points are."""
        return self._store

    def books(self) -> list[Record]:
        """Return the books, by title."""
        return sorted(self._records.values(), key=lambda record: (record.title.casefold(), record.book_id))

    def holds(self, book_id: str, generation: str) -> bool:
        """Tell whether the book is here, whole, under just this configuration."""
        record = self._records.get(book_id)
        return record is not None and record.generation == generation

    def model(self) -> str:
        """Return the model its books were embedded with.

        Raises:
            StoreError: there is no book yet.
        """
        if not self._records:
            raise StoreError(
                "the library is empty", why="no book has been ingested yet", fix="alexandria ingest BOOK"
            )
        return str(next(iter(self._records.values())).settings["model"])

    def book(self, book_id: str) -> Record:
        """Return the record of a book that is here."""
        return self._records[book_id]

    def replace(self, record: Record, points: Sequence[Point]) -> None:
        """Put a book into the library, in the place of what it replaces: all of it or nothing.

        It replaces the book of the same content, and a book that was read from the same path.
        """
        old = [
            one
            for one in self._records.values()
            if one.book_id == record.book_id or one.source == record.source
        ]
        self._store.upsert(points)
        self._store.flush()
        self._written = True
        self._store.put_record(record.book_id, asdict(record))
        self._records[record.book_id] = record
        for one in old:
            self._forget(one, unless=record)

    def remove(self, record: Record) -> None:
        """Take a book out of the library."""
        self._store.delete_record(record.book_id)
        del self._records[record.book_id]
        self._store.delete({"generation": [record.generation]})
        self._store.flush()

    def find(self, text: str) -> Record:
        """Return the one book whose title contains `text`, or whose id begins with it.

        Raises:
            ConfigError: no book or several match; the message names them.
        """
        found = self.matching(text)
        exact = [record for record in found if record.title.casefold() == text.casefold()]
        found = exact or found
        if len(found) == 1:
            return found[0]
        titles = [record.title for record in found or self.books()]
        raise ConfigError(
            f"{'several books match' if found else 'no book matches'} {text!r}",
            why=f"there {'are' if found else 'is'} {_some(titles)}",
            fix="give more of the title, or the beginning of the book's id (alexandria list)",
        )

    def matching(self, text: str) -> list[Record]:
        """Return the books whose title contains `text`, whatever the case, or whose id begins with it."""
        wanted = Filters(title=text)
        return [record for record in self.books() if wanted.admit(record)]

    def search(
        self,
        question: Question,
        mode: Mode,
        books: Sequence[Record],
        limit: int,
        *,
        sections: Sequence[str] = (),
    ) -> list[Hit]:
        """Return the best matches in these books, best first.

        Args:
            question: the query, encoded.
            mode: how it is held against the chunks.
            books: records of this library, at least one.
            limit: how many hits at most.
            sections: only chunks below one of these headings; all if empty.
        """
        where: dict[str, Sequence[str]] = {"section": sections} if sections else {}
        # Where others write too, points of a book that is still on its way in are not to be seen.
        if self._store.shared or len(books) < len(self._records):
            where["generation"] = [record.generation for record in books]
        with_sentences = all(record.settings.get("sentence_vectors", True) for record in books)
        steps = plan(mode, limit, n_points=self._store.count(), sentences=with_sentences)
        return self._store.search(question, steps, where)

    def chunks(self, record: Record, numbers: Sequence[int] = ()) -> list[dict[str, Any]]:
        """Return the payloads of a book's chunks in reading order: those of these numbers, or all."""
        where: dict[str, Any] = {"generation": [record.generation]}
        if numbers:
            where["chunk_id"] = list(numbers)
        found = [payload for _, payload in self._store.payloads(where)]
        return sorted(found, key=lambda payload: int(payload["chunk_id"]))

    def points(self, record: Record) -> Iterator[Point]:
        """Yield a book's points with their vectors."""
        return self._store.points({"generation": [record.generation]})

    def sentence_rows(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have some, (n_sentences, dim) each."""
        return self._store.sentence_rows(ids)

    def _forget(self, old: Record, *, unless: Record) -> None:
        if old.book_id != unless.book_id:
            self._store.delete_record(old.book_id)
            del self._records[old.book_id]
        if old.generation != unless.generation:
            self._store.delete({"generation": [old.generation]})
            self._store.flush()
        elif old.n_chunks > unless.n_chunks:  # made anew by a version that cuts it otherwise
            surplus = range(unless.n_chunks, old.n_chunks)
            self._store.delete({"generation": [old.generation], "chunk_id": surplus})
            self._store.flush()

    def _sweep(self, replaced: Sequence[Record]) -> None:
        for record in replaced:
            self._store.delete_record(record.book_id)
        known = {record.generation for record in self._records.values()}
        strays = sorted(set(self._store.generations()) - known)
        if self._store.shared:
            strays = [one for one in strays if not self._fresh(one)]
        if strays:
            self._store.delete({"generation": strays})
            self._store.flush()

    def _fresh(self, generation: str) -> bool:
        _, payload = next(self._store.payloads({"generation": [generation]}), ("", {}))
        written = payload.get("ingested_at")
        return written is not None and datetime.now(UTC) - datetime.fromisoformat(written) < GRACE


def _current(records: Iterable[Record]) -> tuple[dict[str, Record], list[Record]]:
    """Return the records by book, and those that a later one for the same path has replaced.

    There are such only behind a crash between the new record and the end of the old one.
    """
    latest: dict[str, Record] = {}
    replaced = []
    for record in sorted(records, key=lambda record: record.ingested_at):
        if (old := latest.get(record.source)) is not None:
            replaced.append(old)
        latest[record.source] = record
    return {record.book_id: record for record in latest.values()}, replaced


def read_records(store: Store) -> list[Record]:
    """Return every record of a store's catalog, those included that a crash has left beside a newer one."""
    return [_record(stored) for stored in store.records()]


_TUPLES = ("warnings", "sections", "digests")


def _record(stored: Mapping[str, Any]) -> Record:
    names = {one.name for one in fields(Record)}
    values = {name: value for name, value in stored.items() if name in names}
    left_out = tuple(LeftOut(**one) for one in values.get("left_out", ()))
    tuples = {name: tuple(values.get(name, ())) for name in _TUPLES}
    return Record(**{**values, **tuples, "left_out": left_out})


def _some(titles: Sequence[str], most: int = 5) -> str:
    """Return the titles in a sentence, cut short."""
    if not titles:
        return "no book at all"
    shown = ", ".join(f"“{title}”" for title in titles[:most])
    return f"{shown} and {len(titles) - most} more" if len(titles) > most else shown
