"""The error for filters that no book passes: which of them is to blame, and the nearest name."""

from collections.abc import Iterable
from dataclasses import asdict

from alexandria.errors import NoMatchError
from alexandria.filters import Filters
from alexandria.languages import TAGS
from alexandria.nearest import suggestion
from alexandria.store.catalog import Catalog
from alexandria.store.record import BookName

_NAMES = {"book": "title", "author": "author", "domain": "domain", "language": "language"}
"""The filters that ask for a name, each with the field that the name is in."""


def no_match_error(filters: Filters, catalog: Catalog) -> NoMatchError:
    """Return the error for filters that no book of a library passes."""
    books = catalog.names()
    if not books:
        return NoMatchError(
            "the library is empty", why="no book has been ingested into it", fix="alexandria ingest BOOK"
        )
    for name, field in _NAMES.items():
        value = asdict(filters)[name]
        if value is None or any(Filters(**{name: value}).admit(book) for book in books):
            continue
        n_books = f"{len(books):,} books" if len(books) > 1 else "one book"
        return NoMatchError(
            f"no book has the {field} {value!r}",
            why=f"the library has {n_books}",
            fix=suggestion(value, _known(field, books)) or "alexandria list shows what there is",
        )
    return NoMatchError(
        "no book passes all of these filters",
        why="each of them matches some books, but no book matches all",
        fix="leave one of them out",
    )


def _known(field: str, books: Iterable[BookName]) -> set[str]:
    """Return the names in a field of the books; of languages, their tags and English names."""
    values = {value for book in books if (value := getattr(book, field))}
    if field == "language":
        subtags = {tag.split("-")[0].lower() for tag in values}
        values |= {name for name, tag in TAGS.items() if tag in subtags}
    return values
