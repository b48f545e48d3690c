"""The books, or the passages of an answer, with which quotations are compared."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby
from operator import attrgetter

from alexandria.book.filters import Filters
from alexandria.book.model import BlockKind
from alexandria.book.words import letters_of
from alexandria.errors import ConfigError
from alexandria.library.check.manuscript import Manuscript
from alexandria.library.check.marks import marked_spans
from alexandria.library.check.report import CheckedLibrary
from alexandria.library.check.sources import CitedWork
from alexandria.library.search.comparison import ComparedPlace
from alexandria.library.search.places import LetterPlace
from alexandria.library.search.quotations import quotation_at
from alexandria.library.search.unmatched import admitted_books
from alexandria.store.catalog import Catalog
from alexandria.store.letters import BookLetters, made_letters
from alexandria.store.passage import Passage, Quotation
from alexandria.store.record import Record, work_of

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_MIN_SENTENCE, _N_SENTENCES, _MIN_SENTENCES = 60, 24, 4
"""Letters of the sentences by which a draft of a manuscript is recognised, and how many of them."""


@dataclass(frozen=True)
class ShelfBook:
    """A book, or what is known of it: passages that were found."""

    letters: BookLetters
    work: CitedWork
    work_id: str  # the same for all editions of a work
    book_id: str
    passages: Callable[[Sequence[int]], list[Passage]]  # returns its chunks with some numbers
    n_words: int
    collection: str | None = None
    is_partial: bool = False  # whether parts of it could not be read

    @cached_property
    def has_pages(self) -> bool:
        """Whether it has page numbers, as a passage in its middle shows."""
        [passage] = self.passages([(len(self.letters.starts_of_chunks) - 1) // 2])
        return passage.page is not None


@dataclass(frozen=True)
class Shelf:
    """Books with which quotations are compared."""

    books: tuple[ShelfBook, ...]
    drafts: tuple[str, ...] = ()
    """The titles of those that were left out, as they are the manuscript or a draft of it."""
    letters: tuple[BookLetters, ...] = field(init=False)
    titles: frozenset[str] = field(init=False)  # the letters of their titles, with and without subtitles

    def __post_init__(self) -> None:
        """Keep what every quotation is compared with."""
        titles = [book.work.title for book in self.books]
        letters = {letters_of(name) for title in titles for name in (title, re.split(r"[:;]", title)[0])}
        object.__setattr__(self, "letters", tuple(book.letters for book in self.books))
        object.__setattr__(self, "titles", frozenset(letters))

    def place(self, text: str, compared: ComparedPlace) -> Quotation:
        """Return a place as `find` does."""
        book = self.books[compared.book]
        place = LetterPlace(compared.n_different, compared.start, compared.end)
        return replace(quotation_at(text, place, book.letters, book.passages), collection=book.collection)

    def without_drafts(self, manuscript: Manuscript) -> "Shelf":
        """Return the books without the manuscript and drafts of it, which have most of its sentences."""
        sentences = _own_sentences(manuscript)
        least = max(_MIN_SENTENCES, len(sentences) // 2)
        drafts = [
            book
            for book in self.books
            if (book.book_id and book.book_id == manuscript.book.id)
            or sum(len(book.letters.find(sentence)) > 0 for sentence in sentences) >= least
        ]
        if not drafts:
            return self
        others = tuple(book for book in self.books if book not in drafts)
        return Shelf(others, tuple(book.work.title for book in drafts))

    def of_collection(self, name: str) -> "Shelf":
        """Return the same books, each with the name of its collection."""
        return Shelf(tuple(replace(book, collection=name) for book in self.books), self.drafts)

    def with_books_of(self, others: Iterable["Shelf"]) -> "Shelf":
        """Return the books of several shelves, each once."""
        books = [*self.books, *(book for other in others for book in other.books)]
        return Shelf(tuple({book.book_id: book for book in reversed(books)}.values())[::-1])

    def as_checked(self, drafts: Iterable[str]) -> CheckedLibrary:
        """Return what was looked at."""
        partial = (book.work.title for book in self.books if book.is_partial)
        n_words = sum(book.n_words for book in self.books)
        return CheckedLibrary(
            n_books=len(self.books), n_words=n_words, not_looked_at=(*dict.fromkeys(drafts), *partial)
        )


def shelf_of(catalog: Catalog, filters: Filters) -> Shelf:
    """Return the books of a library that pass the filters.

    Raises:
        ConfigError: they name a chapter.
        NoMatchError: there are none.
    """
    if filters.chapter is not None:
        raise ConfigError(
            "cannot compare with one chapter", why="books are compared whole", fix="leave the chapter out"
        )
    records = catalog.with_letters(admitted_books(filters, catalog), patience=math.inf)
    return Shelf(tuple(_as_book(record, catalog) for record in records))


def _as_book(record: Record, catalog: Catalog) -> ShelfBook:
    own = [*record.author.split(", "), *record.chapter_authors]
    names = [*own, *(person.name for person in record.people)]
    author = "; ".join(dict.fromkeys(filter(None, names)))
    return ShelfBook(
        letters=catalog.letters(record),
        work=CitedWork(author, record.title, record.date, record.publisher, record.subtitle),
        work_id=work_of(record),
        book_id=record.book_id,
        passages=partial(catalog.chunks, record),
        n_words=record.n_words,
        is_partial=bool(record.warnings),
    )


def shelf_within(found: Iterable[Passage]) -> Shelf:
    """Return passages that were found, such as the hits of a search, as if there were nothing else."""
    in_order = sorted(found, key=lambda passage: (passage.book_id, passage.chunk_id))
    by_book = groupby(in_order, attrgetter("book_id"))
    return Shelf(tuple(_as_part(list({one.id: one for one in own}.values())) for _, own in by_book))


def _as_part(chunks: list[Passage]) -> ShelfBook:
    first = chunks[0]
    authors = [first.author, *(chunk.chapter_author for chunk in chunks)]
    return ShelfBook(
        letters=made_letters(chunks),
        work=CitedWork(", ".join(dict.fromkeys(filter(None, authors))), first.title),
        work_id=first.book_id,
        book_id="",
        passages=lambda numbers: [chunks[number] for number in numbers],
        n_words=sum(chunk.word_count for chunk in chunks),
        collection=first.collection,
    )


def _own_sentences(manuscript: Manuscript) -> list[str]:
    """Return the letters of some sentences of a manuscript that quote nothing."""
    sentences = [
        letters_of(sentence)[:_MIN_SENTENCE]
        for block in manuscript.blocks
        if block.kind is BlockKind.PARAGRAPH and not marked_spans(block.text)
        for sentence in _SENTENCE.split(block.text)
        if len(sentence) > _MIN_SENTENCE
    ]
    return sentences[:: max(1, len(sentences) // _N_SENTENCES)]
