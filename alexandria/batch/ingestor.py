"""Stores the books of a run, one after another."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from alexandria.batch.duplicates import EditionIndex, remark_on_duplicate, remark_on_same_file
from alexandria.batch.metadata import differs, edit_book, with_metadata
from alexandria.batch.options import RunOptions
from alexandria.batch.outcome import Outcome, Status
from alexandria.batch.work import Planner, Work, with_guessed_domain
from alexandria.config import Domain, DomainRequest
from alexandria.embed import Encoder
from alexandria.embed.languages import reads, remedy
from alexandria.errors import BookError, TooLargeError
from alexandria.extract import ReadOptions
from alexandria.modes import Precision
from alexandria.pipeline import Begun, Prepared, begin, finish, prepare, store
from alexandria.reading.ahead import Reading
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, work_of
from alexandria.store.sparse import primary

log = logging.getLogger(__name__)

_SOON = 0.05
"""Seconds in which a book arrives that comes from the cache or is already stored."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A file that has been read, and its book as far as it is made."""

    book_id: str
    made: "Made | None" = None
    """None if there is nothing to do for it."""


@dataclass(frozen=True, slots=True)
class Made:
    """A book as far as it is made, and how it is made."""

    book: Begun | Prepared | Record
    """Begun by this process; prepared, or already stored, by a cluster."""
    work: Work


Wait = Callable[[], Arrival | BookError]
"""Waits until a file has arrived."""


class Ingestor:
    """Puts the books of one run into a library, and knows which of them are stored already."""

    def __init__(
        self, domain: Domain | DomainRequest, encoder: Encoder, catalog: Catalog, run: RunOptions
    ) -> None:
        self._encoder, self._catalog = encoder, catalog
        self._planner = Planner(domain, encoder, catalog, run)
        self._stored: dict[str, Record] = {}  # in this run, by book id
        self._editions = EditionIndex(catalog)
        self._warned = False
        self._languages: set[str | None] = set()  # checked in this run

    def work_for(self, path: Path, book_id: str) -> Work | None:
        """Return how a file is to be ingested, or None if there is nothing to do for it."""
        if book_id in self._stored or self._planner.removed(path, book_id) is not None:
            return None
        return self._planner.work_for(path, book_id)

    def options_for(self, path: Path, book_id: str) -> ReadOptions | None:
        """Return how to read a file, or None if there is nothing to do for it."""
        work = self.work_for(path, book_id)
        return None if work is None else work.options

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
        work = None if book is None else self.work_for(path, book_id)
        if book is None or work is None:
            return Arrival(book_id)
        book, work = with_guessed_domain(path, book, work, self._encoder)
        book = with_metadata(book, work.metadata)
        return Arrival(book_id, Made(begin(book, work.domain, self._encoder), work))

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
        book_id, made, guess = arrival.book_id, arrival.made, None
        if self._catalog.find_id(book_id) is None and (removed := self._planner.removed(path, book_id)):
            return _not_ingested(removed, path, seconds)
        if made is None or book_id in self._stored:
            record = self._stored.get(book_id) or self._catalog.book(book_id)
            status, remarks = Status.UNCHANGED, remark_on_same_file(record, path)
            given = {**self._planner.metadata_for(path), **record.edits}
            if differs(record, given):
                record = edit_book(self._catalog, record, given, keep=False)
                remarks = (*remarks, "its metadata was updated")
        else:
            try:
                record, edition = self._finish(made)
            except TooLargeError as error:  # this book's own fault: the others go on
                return Outcome(path, Status.FAILED, seconds=seconds, error=error)
            status = Status.PARTIAL if record.warnings else Status.INGESTED
            remarks = (
                *_remark_on_guess(made.work),
                *_remark_on_changes(made.work),
                *remark_on_duplicate(edition),
            )
            guess = made.work.domain.guess
            self._editions.add(record)
            self._remark_on_precision(record)
            if not isinstance(made.book, Record):  # a cluster has the model
                self._remark_on_language(record.language)
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
            guess=guess,
        )

    def _remark_on_precision(self, record: Record) -> None:
        """Say once that a book's vectors are in int8 and others of the library are not, or the reverse."""
        known = self._catalog.precisions() if record.precision is not None and not self._warned else ()
        if record.precision is not None and Precision.INT8 in known and len(known) > 1:
            self._warned = True
            log.warning(
                "the vectors of “%s” are computed in %s, and others of this library in %s: similarities "
                "differ by about .02 at most; --set precision=… chooses one for all",
                record.title,
                record.precision,
                " and ".join(sorted(known - {record.precision})),
            )

    def _remark_on_language(self, language: str | None) -> None:
        """Say once per language that the model cannot tell its sentences apart, and what helps."""
        language = primary(language)
        if language in self._languages or not self._encoder.dim:
            return
        self._languages.add(language)
        if not reads(self._encoder, language):
            log.warning(
                "%s reads the language “%s” poorly: searches of these books go by words; for meaning:  %s",
                self._encoder.name.partition("@")[0],
                language,
                remedy(),
            )

    def _finish(self, made: Made) -> tuple[Record, Record | None]:
        """Store a book; return its record, and that of another edition of the same work."""
        book, work = made.book, made.work
        if isinstance(book, Record):  # a cluster has stored it
            self._catalog.refresh()
            texts = [str(chunk["text"]) for chunk in self._catalog.chunks(book)]
            edition = self._editions.find(book, texts)
            record = replace(book, work=_work_id(book, edition), edits=dict(work.edits))
            self._catalog.update(record)
            return record, edition
        if isinstance(book, Begun):
            analysis = finish(book, work.domain)
            book = prepare(
                analysis, work.generation, keep_matter=work.options.keep_matter, source=work.source
            )
        texts = [str(point.payload["text"]) for point in book.points]
        edition = self._editions.find(book.record, texts)
        record = replace(book.record, work=_work_id(book.record, edition), edits=dict(work.edits))
        return store(replace(book, record=record), self._catalog), edition


def _work_id(record: Record, edition: Record | None) -> str:
    """Return the id of the work that a book is an edition of; empty if that is its own."""
    work = "" if edition is None else work_of(edition)
    return "" if work == record.book_id else work


def _remark_on_guess(work: Work) -> tuple[str, ...]:
    return () if work.domain.guess is None else (str(work.domain.guess),)


def _remark_on_changes(work: Work) -> tuple[str, ...]:
    if work.outdated:
        return ("stored again: an earlier version stored it otherwise",)
    return (f"cut again: {work.changes}",) if work.changes else ()


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
