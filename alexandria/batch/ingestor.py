"""Stores the books of a run, one after another."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from alexandria.batch.duplicates import TitleIndex, find_duplicate, remark_on_duplicate, remark_on_same_file
from alexandria.batch.outcome import Outcome, Status
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.errors import BookError
from alexandria.extract import ReadOptions
from alexandria.extract.clean import path_text
from alexandria.pipeline import Begun, Prepared, begin, finish, generation, prepare, store
from alexandria.reading.ahead import Reading
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record

_SOON = 0.05
"""Seconds in which a book arrives that comes from the cache or is already stored."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A file that has been read, and its book as far as it is made."""

    book_id: str
    book: Begun | Prepared | Record | None = None
    """Begun by this process; prepared, or already stored, by a cluster; None if there is nothing to do."""


Wait = Callable[[], Arrival | BookError]
"""Waits until a file has arrived."""


class Ingestor:
    """Puts the books of one run into a library, and knows which of them are stored already."""

    def __init__(
        self,
        domain: Domain,
        encoder: Encoder,
        catalog: Catalog,
        options: ReadOptions,
        *,
        force: bool,
        again: bool = False,
    ) -> None:
        self.domain, self.options = domain, options
        self._encoder, self._catalog = encoder, catalog
        self._force, self._again = force, again
        self._stored: dict[str, Record] = {}  # in this run, by book id
        self._titles = TitleIndex(catalog.books())

    def generation(self, book_id: str) -> str:
        """Return the generation under which this run stores a book."""
        return generation(book_id, self.domain, self._encoder, self.options)

    def is_stored(self, book_id: str) -> bool:
        """Return whether the book is stored exactly as this run would store it; with `force`, by this run."""
        if book_id in self._stored:
            return True
        return not self._force and self._catalog.holds(book_id, self.generation(book_id))

    def options_for(self, path: Path, book_id: str) -> ReadOptions | None:
        """Return how to read a file, or None if there is nothing to do for it."""
        if self.is_stored(book_id) or self._removed(path, book_id) is not None:
            return None
        return self.options

    def _removed(self, path: Path, book_id: str) -> Record | None:
        """Return the record of the removed book in a file; None if there is none, or it may come back."""
        if self._again or book_id in self._stored:
            return None
        return self._catalog.removed_book(book_id, path_text(path.absolute()))

    def begin(self, path: Path, reading: Reading) -> Arrival | BookError:
        """Wait for a file and start to embed its book unless it is stored; return why it cannot be read."""
        try:
            return self._begin(path, reading)
        except BookError as error:
            return error

    def _begin(self, path: Path, reading: Reading) -> Arrival:
        try:
            book_id, book = reading.result(timeout=_SOON)
        except TimeoutError:
            self._encoder.encode(())  # loads the model meanwhile
            book_id, book = reading.result()
        # Asked again: the same bytes may have arrived under another name since this file was read.
        if book is None or self.options_for(path, book_id) is None:
            return Arrival(book_id)
        return Arrival(book_id, begin(book, self.domain, self._encoder))

    def store(self, path: Path, arrival: Arrival | BookError, seconds: float) -> Outcome:
        """Store a book unless it is stored already, and return what became of its file.

        Args:
            path: the file.
            arrival: its book, or why there is none.
            seconds: what it has taken so far.
        """
        began = time.perf_counter()
        if isinstance(arrival, BookError):
            return Outcome(path, Status.FAILED, seconds=seconds, error=arrival)
        book_id = arrival.book_id
        removed = self._removed(path, book_id)
        if removed is not None and not self.is_stored(book_id):
            return _not_ingested(removed, path, seconds)
        if arrival.book is None or self.is_stored(book_id):
            record = self._stored.get(book_id) or self._catalog.book(book_id)
            status, remarks = Status.UNCHANGED, remark_on_same_file(record, path)
        else:
            record = self._finish(arrival.book, book_id)
            status = Status.PARTIAL if record.warnings else Status.INGESTED
            remarks = remark_on_duplicate(find_duplicate(record, self._titles, self._catalog))
            self._titles.add(record)
        self._stored[book_id] = record
        return Outcome(
            source=path,
            status=status,
            book_id=book_id,
            title=record.title,
            n_chunks=record.n_chunks,
            n_words=record.n_words,
            seconds=seconds + time.perf_counter() - began,
            warnings=record.warnings,
            remarks=remarks,
        )

    def _finish(self, book: Begun | Prepared | Record, book_id: str) -> Record:
        if isinstance(book, Record):
            return book
        if isinstance(book, Begun):
            book = prepare(finish(book, self.domain), self.generation(book_id))
        return store(book, self._catalog)


def _not_ingested(removed: Record, path: Path, seconds: float) -> Outcome:
    """Return the outcome for the file of a removed book."""
    day = (removed.removed_at or "")[:10]
    remark = f"it was removed from the library on {day}; --again ingests it again"
    return Outcome(
        path,
        Status.REMOVED,
        book_id=removed.book_id,
        title=removed.title,
        seconds=seconds,
        remarks=(remark,),
    )
