"""Reads whole books, one after the other, while other processes may be changing the library."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from alexandria.book.model import Point
from alexandria.errors import StoreError
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, point_ids
from alexandria.store.sharing import retry_after_reopening
from alexandria.store.verify import Finding, Flaw, find_book_flaws

OpenCatalog = Callable[[], Catalog]
"""Returns the open catalog of a library; opens it again if another process has taken the library over."""

_MAX_TITLES = 5  # titles that an error names


@dataclass(frozen=True, slots=True)
class StoredBook:
    """A book with all its points, as it was at one moment."""

    record: Record
    points: list[Point]  # in reading order, if the book is complete
    findings: tuple[Finding, ...]  # what is wrong with it: a book that is complete and unaltered has none

    @property
    def is_complete(self) -> bool:
        """Whether it has all its points, with sound vectors; payloads may have been altered."""
        return all(finding.flaw is Flaw.ALTERED for finding in self.findings)


@retry_after_reopening
def list_books(open_catalog: OpenCatalog) -> list[Record]:
    """Return the books of a library as it is now, sorted by title."""
    catalog = open_catalog()
    catalog.refresh()  # on a server, others may have changed it
    with catalog.read_lock():
        return catalog.books()


@retry_after_reopening
def read_whole_book(open_catalog: OpenCatalog, record: Record) -> StoredBook | None:
    """Return a book as it is now, with all its points, or None if it is no longer in the library.

    Another process may replace the book meanwhile: it is then read again from the current catalog.

    Args:
        record: the book, as it was listed; if another book has been read from the same path since then, that
            book is returned.
    """
    catalog = open_catalog()
    with catalog.read_lock():
        book = _read_current(catalog, record)
        if book is not None and book.findings:
            catalog.check_current(book.record)
        return book


def read_if_complete(
    open_catalog: OpenCatalog, record: Record, incomplete: list[Record]
) -> StoredBook | None:
    """Return a book with all its points, as `read_whole_book` does; None also if the book is incomplete.

    An incomplete book is added to `incomplete`, which the caller passes to `raise_if_incomplete` at the end.
    """
    book = read_whole_book(open_catalog, record)
    if book is None or book.is_complete:
        return book
    incomplete.append(record)
    return None


def _read_current(catalog: Catalog, listed: Record) -> StoredBook | None:
    """Return the current state of a listed book, or of the book that was read from its path since then."""
    record = catalog.find_id(listed.book_id) or catalog.book_at(listed.source)
    if record is None:
        return None
    points = list(catalog.points(record))
    findings = tuple(find_book_flaws(record, points, catalog.binding.dim))
    book = StoredBook(record=record, points=points, findings=findings)
    if not book.is_complete:
        return book  # some ids may be foreign, and have no position
    position_of = {id: i for i, id in enumerate(point_ids(record))}
    return replace(book, points=sorted(points, key=lambda point: position_of[point.id]))


def raise_if_incomplete(left_out: Sequence[Record], *, done: str) -> None:
    """Raise an error that lists the books left out because they are incomplete, if there are any.

    Args:
        done: what was done with all other books, such as `copied`.

    Raises:
        StoreError: at least one book was left out.
    """
    if left_out:
        titles = ", ".join(f"“{record.title}”" for record in left_out[:_MAX_TITLES])
        n_others = len(left_out) - _MAX_TITLES
        others = f" and {n_others} more" if n_others > 0 else ""
        raise StoreError(
            f"not all books were {done}",
            why=f"incomplete in the library: {titles}{others}",
            fix="alexandria verify shows how to repair each; then run the same command again",
        )
