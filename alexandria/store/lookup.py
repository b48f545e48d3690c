"""The books of a store by title, id, path, author or words, and how indexed; kept until a record changes."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from threading import local
from typing import Any, TypeVar

from alexandria.book.choices import NO_MODEL
from alexandria.book.filters import EVERYTHING, Filters, is_by
from alexandria.book.headings import is_under
from alexandria.book.suggest import suggestion
from alexandria.book.words import catalog_fold, entered_text
from alexandria.errors import ConfigError, NoMatchError, StoreError, check_text
from alexandria.store.payload import index_tag
from alexandria.store.record import (
    BookName,
    Record,
    latest_by_path,
    parse_record,
    removed_by_id,
    scope_of,
    sections_meant,
    work_of,
)
from alexandria.store.sparse import has_old_words, is_reworded
from alexandria.store.store import Binding, Scope, Store, Summary, Where

T = TypeVar("T")

_NAME_FIELDS = [field.name for field in fields(BookName)]
_MAX_TITLES = 5  # titles that an error names


class _Block(local):
    """What one thread reads of the records at a time."""

    depth = 0  # of blocks inside blocks
    version: int | None = None  # of the records in the block; None until it was asked


class Listing:
    """The records of a store as books. What was read is kept until a record changes."""

    def __init__(self, store: Store) -> None:
        self._store, self._records = store, store.records
        self._kept: tuple[int, dict[str, Any]] = (-1, {})
        """What was read of the records, and at which version of them."""
        self._block = _Block()
        self._refreshed_at = time.monotonic()
        """When this process has last asked a server what others have changed."""

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
        return list(self._keep("books", self._read_books))

    def _read_books(self) -> list[Record]:
        latest, _ = latest_by_path(map(self._parse, self._records.all()))
        return _by_title(latest.values())

    def _keep(self, name: str, read: Callable[[], T]) -> T:
        """Return what `read` reads of the records; it is kept under this name until one of them changes."""
        version, kept = self._kept
        if (current := self.version) != version:
            self._kept = current, (kept := {})
        if name not in kept:
            kept[name] = read()
        value: T = kept[name]
        return value

    @property
    def version(self) -> int:
        """That of the records: another one if one has changed; the same throughout a block that reads."""
        block = self._block
        version = self._records.version() if block.version is None else block.version
        block.version = version if block.depth else None
        return version

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Ask in this block once for the version of the records; `_refresh` lets it be asked again."""
        self._block.depth += 1
        try:
            yield
        finally:
            self._block.depth -= 1
            if not self._block.depth:
                self._block.version = None

    def matching(self, filters: Filters) -> list[Record]:
        """Return the books that pass these filters, sorted by title."""
        if filters == EVERYTHING:
            return self.books()
        return _by_title(filter(filters.admit, map(self._parse, self._records.matching(filters))))

    def page(self, filters: Filters, *, start: int, limit: int | None) -> list[Record]:
        """Return the books that pass these filters, by title: at most `limit`, after the first `start`."""
        if filters.looked_up and limit is not None and filters.author is None:
            # The catalog applies these filters itself, so that only the records of the page are read. It does
            # not know who wrote chapters.
            return list(map(self._parse, self._records.page(filters, start, limit)))
        books = self.matching(filters)
        if (heading := filters.chapter) is not None:  # `matching` decides by book, not by section
            sections = sections_meant(heading, books)
            books = [book for book in books if sections and is_under(book.sections, sections)]
        return books[start:][:limit]

    def n_chunks(self) -> int:
        """Return how many chunks the books have, as their records say."""
        return self._keep("chunks", lambda: sum(record.n_chunks for record in self.books()))

    def n_points(self) -> int:
        """Return how many points the store has; they are counted once until a record changes."""
        return self._keep("points", self._store.count)

    @property
    def n_written(self) -> int:
        """How many chunks were written since the space of deleted ones was given back; 0 if not known."""
        return self._records.n_written()

    @property
    def n_books(self) -> int:
        """How many books there are."""
        return self._summarize().n_books

    def _summarize(self) -> Summary:
        return self._keep("summary", self._records.summary)

    def everything(self) -> Scope:
        """Return the scope of a search in all books."""
        summary = self._summarize()
        return Scope(summary.n_books, summary.languages, summary.n_without_sentences)

    def scope(self, filters: Filters) -> Scope:
        """Return the scope of a search in the books that pass these filters, whatever their sections."""
        if filters == EVERYTHING:
            return self.everything()
        self._refresh()
        books = self.matching(filters) if filters.author is not None else []
        if not all(is_by(book.author, filters.author or "") for book in books):
            return scope_of(books, filters.author)
        return self._records.scope(filters) if filters.looked_up else scope_of(self.matching(filters))

    def index_languages(self, languages: frozenset[str | None]) -> frozenset[str | None]:
        """Return the languages (BCP 47) as whose words a query is looked up, if books in these are searched.

        Version 1.0.0 indexed other words of some languages: its books are asked under tags of their own
        (`OLD_WORDS`).
        """
        if any(map(is_reworded, languages)):
            return languages | self._keep("old words", self._read_old_words)
        return languages

    def _read_old_words(self) -> frozenset[str | None]:
        books = self._records.all(["generation", "language", "words_version", "removed_at"])
        # Payloads decide: version 1.0.0 drops the field of a record that it edits.
        unsure = [
            str(book["generation"])
            for book in books
            if book.get("removed_at") is None
            and book.get("words_version") is None
            and is_reworded(book.get("language"))
        ]
        where: Where = {"generation": unsure, "chunk_id": [0]}
        tags = (index_tag(payload) for _, payload in self._store.payloads(where)) if unsure else ()
        return frozenset(tag for tag in tags if has_old_words([tag]))

    def precisions(self) -> frozenset[str]:
        """Return the number formats of the books' vectors, where their records say so."""
        return self._summarize().precisions

    def with_shingles(self, shingles: Sequence[int]) -> list[Record]:
        """Return the books that have one of these shingles among their `lookup_shingles`."""
        return list(map(self._parse, self._records.having("runs", shingles))) if shingles else []

    def names(self) -> list[BookName]:
        """Return what all books are called."""
        stored = self._records.all([*_NAME_FIELDS, "removed_at"])
        return list(map(_name_of, (record for record in stored if record.get("removed_at") is None)))

    def named(self, names: Sequence[str]) -> list[BookName]:
        """Return what the books are called that are listed under one of these names (`names.names_of`)."""
        return list(map(_name_of, self._records.having("names", names, _NAME_FIELDS)))

    def names_among(self, words: Collection[str]) -> set[str]:
        """Return which of these folded words are in the title or the author of a book."""
        return self._records.names_among(words)

    def rarities(self, terms: Iterable[int]) -> Mapping[int, float | None]:
        """Return the inverse document frequency of these terms, None if no point has one, and of others."""
        known = self._keep("rarities", dict[int, float | None])  # the same until a record changes
        if unknown := {*terms} - known.keys():
            known |= self._store.rarities([*unknown])
        return known

    def editions(self) -> list[Record]:
        """Return the books that have other editions in the library, sorted by title."""
        return self._keep("editions", self._read_editions)

    def _read_editions(self) -> list[Record]:
        if not (candidate_works := self._summarize().works):
            return []
        # A work's first edition has an empty `work`: the id of that book is the id of the work.
        stored = [*self._records.by("book_id", candidate_works), *self._records.by("work", candidate_works)]
        records = {record.book_id: record for record in map(self._parse, stored)}
        books_of_works = [record for record in records.values() if record.removed_at is None]
        # A work is a candidate also when only one edition of it is left.
        n_editions = Counter(map(work_of, books_of_works))
        return _by_title(record for record in books_of_works if n_editions[work_of(record)] > 1)

    def removed_books(self) -> list[Record]:
        """Return the records of the books that were removed, sorted by title."""
        return _by_title(removed_by_id(map(self._parse, self._records.all())).values())

    def removed_book(self, book_id: str, source: str) -> Record | None:
        """Return the record of the removed book that has this content or was read from this path."""
        removed = removed_by_id(self._records_of(book_id, source))
        return removed.get(book_id) or next(iter(removed.values()), None)

    def book_at(self, source: str) -> Record | None:
        """Return the record of the book that was read from this path, or None."""
        return next(iter(self._books_of("", source)), None)

    def books_at(self, sources: Iterable[str]) -> list[Record]:
        """Return the records of the books that were read from these paths."""
        latest, _ = latest_by_path(map(self._parse, self._records.by("source", sorted(set(sources)))))
        return list(latest.values())

    def _records_of(self, book_id: str, source: str) -> list[Record]:
        """Return the records of the books with this id or this path, including those of removed books."""
        stored = [*self._records.by("book_id", [book_id]), *self._records.by("source", [source])]
        return list({record.book_id: record for record in map(self._parse, stored)}.values())

    def _books_of(self, book_id: str, source: str) -> list[Record]:
        latest, _ = latest_by_path(self._records_of(book_id, source))
        return list(latest.values())

    def holds(self, book_id: str, generation: str) -> bool:
        """Return whether the book is stored completely, in this generation: with exactly these points."""
        record = self.find_id(book_id)
        return record is not None and record.generation == generation

    def model(self) -> str:
        """Return the model that the books were embedded with.

        Raises:
            StoreError: there are no books.
        """
        summary = self._summarize()
        if not summary.n_books:
            raise StoreError("the library is empty", why="no book is in it", fix="alexandria ingest BOOK")
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
        records = list(map(self._parse, self._records.by("book_id", [book_id])))  # one, or none
        return records[0] if records and records[0].removed_at is None else None

    def _parse(self, stored: Mapping[str, Any]) -> Record:
        return parse_record(stored, self._store.address)

    def _refresh(self, *, check: bool = False) -> None:
        """Learn what others have changed on a server."""
        self._records.refresh(check=check)
        if check or self._store.on_server:
            self._block.version = None
        self._refreshed_at = time.monotonic()

    def records(self) -> dict[str, Record]:
        """Return the records of all books, including removed ones, by book id."""
        return {record.book_id: record for record in (*self.removed_books(), *self.books())}

    def find(self, text: str) -> Record:
        """Return the one book whose title contains `text`, or whose id begins with it.

        A book with exactly this title takes precedence over books whose titles contain it.

        Raises:
            ConfigError: several books match, and the message lists them; or `text` is not a string.
            NoMatchError: no book matches.
        """
        check_text(book=text)
        text = entered_text(text)
        matches: list[Record] = []
        if text.strip():
            same_title = map(self._parse, self._records.having("title", [catalog_fold(text)]))
            # The filter by title also matches the beginning of an id.
            matches = _by_title(same_title) or self.matching(Filters(book=text))
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise ConfigError(
                f"several books match {text!r}",
                why="\n".join(map(_line_of, matches)),
                fix="use the beginning of one id",
            )
        first = self.page(EVERYTHING, start=0, limit=_MAX_TITLES)
        raise NoMatchError(
            f"no book matches {text!r}",
            why=f"the library has {_join_titles(first, self.n_books)}",
            fix=self._suggested_book(text)
            or "use more of the title, or the beginning of the book's id (alexandria list)",
        )

    def _suggested_book(self, text: str) -> str:
        """Return `did you mean …?` with a title near to a text, or of an author's only book; or empty."""
        by_author = [book.title for book in self.names() if Filters(author=text).admit(book)]
        if len(by_author) == 1:
            return f"did you mean {by_author[0]}?"
        return suggestion(text, (book.title for book in self.names()))


def _name_of(stored: Mapping[str, Any]) -> BookName:
    return BookName(**{name: stored[name] for name in _NAME_FIELDS if name in stored})


def _by_title(records: Iterable[Record]) -> list[Record]:
    return sorted(records, key=lambda record: (record.title.casefold(), record.book_id))


def _line_of(record: Record) -> str:
    """Return a line that tells a book from others of the same title: id, title, format, year, file."""
    title = " ".join(record.as_volume.full_title.split())
    year = f"  {record.date[:4]}" if record.date else ""
    return f"{record.book_id[:8]}  “{title}”  {record.format}{year}  {record.source}"


def _join_titles(books: Sequence[Record], n_books: int) -> str:
    """Return the first titles, and the number of the other books, as part of a sentence."""
    if not books:
        return "no books"
    shown = ", ".join(f"“{book.title}”" for book in books)
    return f"{shown} and {n_books - len(books)} more" if n_books > len(books) else shown
