"""One book read whole, while others may be replacing it."""

from collections.abc import Iterable
from dataclasses import dataclass

from alexandria.book import Point
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from alexandria.store.verify import Finding, find_book_flaws

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


def whole_book(catalog: Catalog, record: Record) -> StoredBook | None:
    """Return a book as it is now, with all its points; None if it is no longer in the library.

    In a folder, nobody changes the book while it is read. On a server it may be replaced meanwhile: if points
    are not all there, those of the generation that is then in the catalog are read.

    Args:
        catalog: of the library.
        record: the book, as it was listed; one that was read from the same path since is taken in its place.
    """
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


def _read(catalog: Catalog, listed: Record) -> StoredBook | None:
    record = catalog.find_id(listed.book_id) or _at_path(catalog.books(), listed.source)
    if record is None:
        return None
    points = list(catalog.points(record))
    findings = tuple(find_book_flaws(record, points, catalog.binding.dim))
    if not findings:
        points.sort(key=lambda point: int(point.payload["chunk_id"]))
    return StoredBook(record, points, findings)


def _at_path(records: Iterable[Record], path: str) -> Record | None:
    return next((record for record in records if record.source == path), None)
