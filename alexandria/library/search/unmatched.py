"""The sections that pass filters; the errors for filters that nothing passes, each with the nearest name."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from alexandria.book.filters import BETWEEN_NAMES, Filters
from alexandria.book.headings import Levels
from alexandria.book.languages import TAGS, primary_language
from alexandria.book.suggest import suggestion
from alexandria.book.words import letters_of
from alexandria.errors import NoMatchError
from alexandria.library.read.stored import from_headings_inside, with_unread
from alexandria.store.catalog import Catalog
from alexandria.store.record import BookName, Record, sections_meant

_NAMES = {"book": "title", "author": "author", "domain": "domain", "language": "language"}
"""The filters that ask for a name, each with the field that the name is in."""
_MAX_READ = 5_000  # the most chunks that are read for a heading inside one; of more, those with its letters


def admitted_books(filters: Filters, catalog: Catalog) -> list[Record]:
    """Return the books of a library that pass the filters, sorted by title.

    Raises:
        NoMatchError: there are none.
    """
    if records := catalog.matching(filters):
        return records
    raise no_match_error(filters, catalog)


def no_match_error(filters: Filters, catalog: Catalog) -> NoMatchError:
    """Return the error for filters that no book of a library passes."""
    books = catalog.names()
    if not books:
        return NoMatchError("the library is empty", why="no book is in it", fix="alexandria ingest BOOK")
    for name, field in _NAMES.items():
        value = asdict(filters)[name]
        if value is None or any(Filters(**{name: value}).admit(book) for book in books):
            continue
        n_books = f"{len(books):,} books" if len(books) > 1 else "one book"
        n_without = sum(not getattr(book, field) for book in books)  # `Anonymous` is none
        unknown = f", {n_without:,} of them with no known {field}" if n_without else ""
        return NoMatchError(
            f"no book has the {field} {value!r}",
            why=f"the library has {n_books}{unknown}",
            fix=suggestion(value, _known(field, books)) or "alexandria list shows what there is",
        )
    return NoMatchError(
        "no book passes all of these filters",
        why="each of them matches some books, but no book matches all",
        fix="leave one of them out",
    )


def sections_of(filters: Filters, books: Sequence[Record], catalog: Catalog) -> Levels:
    """Return the headings, among those of the books, that the filter by chapter means; empty without it.

    Raises:
        NoMatchError: it means none.
    """
    if filters.chapter is None or not books:
        return []
    if sections := sections_meant(filters.chapter, books):
        return sections
    letters = letters_of(filters.chapter)
    is_read = sum(book.n_chunks for book in books) <= _MAX_READ
    for book in (books if is_read else catalog.with_letters(books)) if letters else ():
        places = None if is_read else catalog.letters(book)
        numbers = {places.chunk_at(offset) for offset in places.find(letters)} if places else set[int]()
        chunks = catalog.chunks(book, sorted(numbers)) if is_read or numbers else []
        if from_headings_inside(chunks, filters.chapter):
            raise NoMatchError(
                f"no passage begins with the heading {filters.chapter!r}",
                why=f"its chapter is part of a passage of “{book.title}”",
                fix=f"alexandria read {book.book_id[:8]} --chapter {shlex.quote(filters.chapter)}",
            )
    inside = "" if is_read else ", and inside passages none is as typed"
    raise NoMatchError(
        f"no chapter is called {filters.chapter!r}",
        why=with_unread(f"no heading in the lists of chapters contains it{inside}", books),
        fix=suggestion(filters.chapter, (heading for book in books for heading in book.sections))
        or "alexandria show BOOK lists a book's chapters",
    )


def _known(field: str, books: Iterable[BookName]) -> set[str]:
    """Return the names in a field of the books; of languages, their tags and English names."""
    values = {value for book in books if (value := getattr(book, field))}
    if field == "author":
        values = {name for value in values for name in BETWEEN_NAMES.split(value)}
    if field == "language":
        subtags = set(map(primary_language, values))
        values |= {name for name, tag in TAGS.items() if tag in subtags}
    return values
