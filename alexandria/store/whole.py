"""Books read whole, one after the other, while others may be changing the library."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from alexandria.book import Point
from alexandria.errors import StoreError
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, point_ids
from alexandria.store.sharing import reopening
from alexandria.store.verify import Finding, Flaw, find_book_flaws

Reading = Callable[[], Catalog]
"""Returns the catalog of a library, opened again where another process has taken it over."""

_ATTEMPTS = 20
"""How often a book is read at most, while another process replaces it again and again."""


@dataclass(frozen=True, slots=True)
class StoredBook:
    """A book with all its points, as it was at one moment."""

    record: Record
    points: list[Point]
    """In reading order."""
    findings: tuple[Finding, ...]
    """What is wrong with it: a book that is complete and unaltered has none."""

    @property
    def is_complete(self) -> bool:
        """Whether it has all its points, with sound vectors; payloads may have been altered."""
        return all(finding.flaw is Flaw.ALTERED for finding in self.findings)


@reopening
def listed_books(reading: Reading) -> list[Record]:
    """Return the books of a library as it is now, sorted by title."""
    catalog = reading()
    catalog.refresh()  # on a server, others may have changed it
    with catalog.held():
        return catalog.books()


@reopening
def whole_book(reading: Reading, record: Record) -> StoredBook | None:
    """Return a book as it is now, with all its points; None if it is no longer in the library.

    In a folder, nobody changes the book while it is read. On a server it may be replaced meanwhile: if points
    are not all there, those of the generation that is then in the catalog are read.

    Args:
        reading: returns the catalog of the library.
        record: the book, as it was listed; one that was read from the same path since is taken in its place.
    """
    catalog = reading()
    with catalog.held():
        book = _read(catalog, record)
        for _ in range(_ATTEMPTS):
            if book is None or not book.findings or not catalog.store.shared:
                return book
            catalog.refresh()
            latest = _read(catalog, record)
            if latest is not None and latest.record.generation == book.record.generation:
                return latest  # nobody has replaced it: it is damaged
            book = latest
    return book


def complete_book(reading: Reading, record: Record, incomplete: list[Record]) -> StoredBook | None:
    """Return `whole_book` if it is complete; if not, add the book to those for `refuse_incomplete`."""
    book = whole_book(reading, record)
    if book is None or book.is_complete:
        return book
    incomplete.append(record)
    return None


def _read(catalog: Catalog, listed: Record) -> StoredBook | None:
    record = catalog.find_id(listed.book_id) or catalog.book_at(listed.source)
    if record is None:
        return None
    points = list(catalog.points(record))
    findings = tuple(find_book_flaws(record, points, catalog.binding.dim))
    book = StoredBook(record, points, findings)
    if book.is_complete:
        numbers = {id: i for i, id in enumerate(point_ids(record))}
        points.sort(key=lambda point: numbers[point.id])
    return book


def refuse_incomplete(records: Sequence[Record], done: str) -> None:
    """Name the books that were left out because they are incomplete, once the others are done.

    Raises:
        StoreError: there are any.
    """
    if records:
        titles = ", ".join(f"“{record.title}”" for record in records[:5])
        others = f" and {len(records) - 5} more" if len(records) > 5 else ""
        raise StoreError(
            f"not all books were {done}",
            why=f"incomplete in the library: {titles}{others}",
            fix="alexandria verify names what mends each; then run the same command again",
        )
