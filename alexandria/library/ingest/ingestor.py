"""Embeds and stores the books of a run, one after another, and returns the outcome of each file."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from alexandria.book.choices import Precision
from alexandria.book.languages import language_name
from alexandria.book.model import count_words
from alexandria.chunking.domains import Domain, DomainRequest
from alexandria.embed import DEFAULT_MODEL, Encoder
from alexandria.embed.models.languages import reads, remedy
from alexandria.errors import BookError, TooLargeError
from alexandria.extract import EXTRACTION_VERSION, ReadOptions
from alexandria.extract.isolated.ahead import Reading
from alexandria.library.ingest.duplicates import find_same_work, remark_on_duplicate, remark_on_same_file
from alexandria.library.ingest.events import Events
from alexandria.library.ingest.metadata import update_metadata, with_metadata
from alexandria.library.ingest.one_book import PendingAnalysis, PreparedBook, begin, store
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Action, Outcome, Status
from alexandria.library.ingest.plan import IngestPlan, Planner, with_guessed_domain
from alexandria.library.ingest.rereading import StoredSentences, finish_again, stored_sentences
from alexandria.library.ingest.sync import Step, has_moved, take_step
from alexandria.library.remarks import Remark, RemarkKind
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, is_outdated, work_of
from alexandria.store.sparse import primary_subtag

log = logging.getLogger(__name__)

_SILENT = Events()
_MAX_QUICK_SECONDS = 0.05  # longest time until a book arrives if it comes from the cache or is already stored


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A file that has been read, and its book unless that is stored already."""

    book_id: str
    pending: "PendingBook | None" = None  # None if there is nothing to do for the file


@dataclass(frozen=True, slots=True)
class PendingBook:
    """A book on its way into the library, and how it is cut."""

    plan: IngestPlan
    prepared: Callable[[], PreparedBook]  # waits for its vectors and cuts it; a cluster has done so


Wait = Callable[[], ReadResult | BookError]
"""Waits until a file has been read, and returns its book or the error."""


class Ingestor:
    """Puts the books of one run into a library, and knows which of them are stored already.

    For each file, `options_for` says how to read it, `begin` waits for its book and starts to embed it, and
    `store` waits for the vectors, cuts it and stores it.
    """

    def __init__(
        self,
        domain: Domain | DomainRequest,
        encoder: Encoder,
        catalog: Catalog,
        run: RunOptions,
        events: Events = _SILENT,
    ) -> None:
        """Prepare to ingest files one by one into an open catalog, with an encoder that is bound to it."""
        self._encoder, self._catalog, self._run, self._events = encoder, catalog, run, events
        self._planner = Planner(domain, encoder, catalog, run)
        self._stored: dict[str, Record] = {}  # in this run, by book id
        self._warned_of_precision = False
        self._checked_languages: set[str | None] = set()  # in this run

    def plan_for(self, path: Path, book_id: str) -> IngestPlan | None:
        """Return how a file is to be ingested, or None if there is nothing to do for it."""
        if book_id in self._stored or self._planner.find_removed_record(path, book_id) is not None:
            return None
        return self._planner.plan_for(path, book_id)

    def options_for(self, path: Path, book_id: str) -> ReadOptions | None:
        """Return how to read a file, or None if there is nothing to do for it."""
        plan = self.plan_for(path, book_id)
        return None if plan is None else plan.options

    def begin(self, path: Path, reading: Reading) -> ReadResult | BookError:
        """Wait for a file, and start to embed its book unless that is stored.

        An error is returned, not raised: the batch goes on, and `store` makes it the outcome of the file.
        """
        try:
            return self._begin(path, reading)
        except BookError as error:
            return error

    def _begin(self, path: Path, reading: Reading) -> ReadResult:
        """Do the work of `begin`; a BookError is raised."""
        try:
            book_id, book = reading.result(timeout=_MAX_QUICK_SECONDS)
        except TimeoutError:
            self._encoder.encode(())  # loads the model while the file is being read
            book_id, book = reading.result()
        # Ask again: since this file was read, the same bytes may have been stored under another name.
        plan = None if book is None else self.plan_for(path, book_id)
        if book is None or plan is None:
            return ReadResult(book_id)
        book, plan = with_guessed_domain(path, book, plan, self._encoder)
        book = with_metadata(book, plan.metadata)
        self._events.read(path, book.title, count_words(book.text))
        stored = stored_sentences(plan.stored if self._run.reread else None, self._catalog, self._encoder)
        embedded = partial(self._events.embedded, path)
        begun = begin(book, plan.domain, self._encoder, known=stored.vectors, embedded=embedded)
        return ReadResult(book_id, PendingBook(plan, partial(_prepare, begun, plan, stored)))

    def store(self, path: Path, read_result: ReadResult | BookError, seconds: float) -> Outcome:
        """Store a book unless it is stored already, and return the outcome of its file.

        Args:
            read_result: its book, or why it could not be read.
            seconds: the time that it has taken so far.
        """
        began = time.perf_counter()
        if isinstance(read_result, BookError):
            return Outcome(path, Status.FAILED, seconds=seconds, error=read_result)
        book_id = read_result.book_id
        is_stored = self._catalog.find_id(book_id) is not None
        removed = None if is_stored else self._planner.find_removed_record(path, book_id)
        if removed is not None:
            return _removed_outcome(removed, path, seconds)
        pending = read_result.pending
        replaces = pending is not None and pending.plan.action is Action.REPLACE
        if pending is None or book_id in self._stored:
            record, remarks = self._update_stored(path, book_id)
            outcome = Outcome(path, Status.UNCHANGED, noted=remarks, replaces=replaces)
        else:
            try:
                record, remarks = self._store_new(pending)
            except TooLargeError as error:  # concerns this book only: the batch goes on
                return Outcome(path, Status.FAILED, seconds=seconds, error=error)
            outcome = Outcome(
                path,
                Status.PARTIAL if record.warnings else Status.INGESTED,
                noted=remarks,
                guess=pending.plan.domain.guess,
                replaces=replaces,
                has_guessed_title=record.title == record.guessed_title,
            )
        self._stored[book_id] = record
        return replace(
            outcome,
            book_id=book_id,
            title=record.title,
            n_chunks=record.n_chunks,
            n_words=record.n_words,
            seconds=seconds + time.perf_counter() - began,
            warnings=record.warnings,
            is_outdated=is_outdated(record, EXTRACTION_VERSION, self._encoder.name),
        )

    @cached_property
    def _sources(self) -> list[str]:
        """The paths of the books when they were first asked for: not again for each book that moves."""
        return [record.source for record in self._catalog.books()]

    def _update_stored(self, path: Path, book_id: str) -> tuple[Record, tuple[Remark, ...]]:
        """Give a stored book the metadata that the caller states for its file, and return it with remarks."""
        record = self._stored.get(book_id) or self._catalog.book(book_id)
        remarks = remark_on_same_file(record, path)
        if remarks and has_moved(Path(record.source), path, lambda: self._sources):
            remarks = (Remark(RemarkKind.PLAIN, f"it was at {record.source} before"),)
            take_step(Step(record, path, self._planner.relative_path(path)), self._catalog)
            record = self._catalog.book(book_id)
        if record.warnings and book_id not in self._stored:
            remarks = (*remarks, Remark(RemarkKind.STORED_PARTLY, "it was stored with these warnings"))
        metadata = {**self._planner.metadata_for(path), **record.edits}
        updated = update_metadata(self._catalog, record, metadata)
        if updated is not record:
            record = updated
            remarks = (*remarks, Remark(RemarkKind.PLAIN, "its metadata was updated"))
        return record, remarks

    def _warn_of_precision(self, record: Record) -> None:
        """Warn once if this book's vectors are in int8 and others in the library are not, or the reverse."""
        # With the default model such a library is searched as well: measured, see docs/lab/speed.md.
        is_harmless = self._encoder.name.startswith(f"{DEFAULT_MODEL}@")
        if record.precision is None or is_harmless or self._warned_of_precision:
            return
        precisions = self._catalog.precisions()
        if Precision.INT8 in precisions and len(precisions) > 1:
            self._warned_of_precision = True
            log.warning(
                "the vectors of “%s” are computed in %s, and others of this library in %s: similarities "
                "differ by about .02 at most; --set precision=… chooses one for all",
                record.title,
                record.precision,
                " and ".join(sorted(precisions - {record.precision})),
            )

    def _warn_of_language(self, tag: str | None) -> None:
        """Warn once per language if the model reads it poorly, and say what helps."""
        language = primary_subtag(tag) or ""
        if language in self._checked_languages or not self._encoder.dim:
            return
        self._checked_languages.add(language)
        if not reads(self._encoder, language):
            log.warning(
                "This model does not know %s, so %s books are searched by keyword. "
                "To search them by meaning:  %s",
                *[language_name(language)] * 2,
                remedy(),
            )

    def _store_new(self, pending: PendingBook) -> tuple[Record, tuple[Remark, ...]]:
        """Finish a book and store it, and return its record with remarks."""
        prepared = pending.prepared()
        if prepared.is_stored:
            self._catalog.refresh()  # otherwise, this process does not see what a worker has stored
        edition = find_same_work(self._catalog, prepared.record)
        record = replace(prepared.record, work=_work_id(prepared.record, edition))
        record = store(replace(prepared, record=record), self._catalog)
        self._warn_of_precision(record)
        if not prepared.is_stored:  # if a worker stored it, this process has no model
            self._warn_of_language(record.language)
        return record, (*_remark_on_changes(pending.plan), *remark_on_duplicate(edition, record))


def _prepare(begun: PendingAnalysis, plan: IngestPlan, stored: StoredSentences) -> PreparedBook:
    """Wait for the vectors of a book, and cut it; `stored` is taken from the book that it replaces."""
    return plan.prepare(finish_again(begun, plan.domain, stored))


def _work_id(record: Record, edition: Record | None) -> str:
    """Return the id of the work that a book is an edition of: the book id of the first edition stored."""
    # It is empty if this book is the first.
    work = "" if edition is None else work_of(edition)
    return "" if work == record.book_id else work


def _remark_on_changes(plan: IngestPlan) -> tuple[Remark, ...]:
    if plan.is_update and not plan.changes:
        return (Remark(RemarkKind.PLAIN, "stored again: an earlier version stored it differently"),)
    return (Remark(RemarkKind.PLAIN, f"cut again: {plan.changes}"),) if plan.changes else ()


def _removed_outcome(removed: Record, path: Path, seconds: float) -> Outcome:
    day = (removed.removed_at or "")[:10]
    remark = Remark(RemarkKind.REMOVED, f"you removed it on {day}")
    return Outcome(
        path, Status.REMOVED, book_id=removed.book_id, title=removed.title, seconds=seconds, noted=(remark,)
    )
