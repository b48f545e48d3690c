"""Many books: which there are, which are done already, which failed. One bad book never stops the others."""

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from alexandria.batch.cluster import Arrived, Cluster, Made, Making
from alexandria.batch.discovery import find_books
from alexandria.batch.duplicates import Shelf, same_bytes, same_words, twin_of
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError, BookError
from alexandria.extract import ReadOptions
from alexandria.pipeline import Begun, begin, finish, generation, prepare, read_options
from alexandria.reading.ahead import Reading, read_ahead
from alexandria.reading.cache import CachedBooks
from alexandria.reading.limits import Limits, limits_from
from alexandria.reading.queue import FileQueue
from alexandria.store.catalog import Catalog, Record

_SOON = 0.05
"""Seconds in which a book is here that was read before, or is known."""
_STORING_BYTES = 1 << 20
"""What may wait of small files to be cut and stored: the model goes on meanwhile."""


class Status(StrEnum):
    """What became of a file."""

    INGESTED = "ingested"
    PARTIAL = "partial"
    """Stored, but something of it could not be read; the warnings name it."""
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    source: Path
    status: Status
    book_id: str | None = None
    title: str | None = None
    n_chunks: int = 0
    n_words: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    """What is worth knowing and no loss: the same book is there under another name, or in another format."""
    error: AlexandriaError | None = None


def discover(paths: Iterable[Path]) -> list[Path]:
    """Return the books that `discovery.find_books` finds there."""
    return list(find_books(paths).files)


def ingest(
    files: Iterable[Path],
    domain: Domain,
    encoder: Encoder,
    library: Catalog,
    *,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
    workers: int = 1,
    force: bool = False,
    fail_fast: bool = False,
    cluster: Cluster | None = None,
    cache: bool = False,
    started: Callable[[Path], None] = lambda path: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Outcome]:
    """Put each file into the library and yield what became of it, in the order of the files.

    Reading runs ahead in processes of its own; while a book is cut and stored the next one is embedded, and
    the model goes from one to the other without a pause. All of it one book after the other: the number of
    workers changes nothing but the time.

    Args:
        files: as `discover` gives them.
        domain: how they are cut.
        encoder: how they are embedded.
        library: where they go.
        options: how they are read; by default as the domain says.
        limits: what reading one file may cost; by default what the environment says.
        workers: processes that read ahead; with 0 each file is read, embedded and stored when its turn comes.
        force: make anew what is there already.
        fail_fast: stop behind the first file that fails.
        cluster: the machines that read, cut and embed; by default this one, with its `workers`.
        cache: keep what is read on this machine, and take from there what was read before.
        started: called with each file when its turn comes; the one before may not be yielded yet.
        stopped: asked before each file; true ends the batch there.

    Raises:
        StoreError: the store itself fails; what was yielded before is stored.
    """
    options = options or read_options(domain)
    limits = limits or limits_from(os.environ)
    name = partial(generation, domain=domain, encoder=encoder, options=options)
    desk = _Desk(name, library, force)
    making: Generator[tuple[Path, Making], None, None]
    if cluster is None:
        kept = CachedBooks(options) if cache else None
        ahead = read_ahead(files, options, limits, workers, desk.is_done, kept)
        making = ((path, partial(_make, reading, desk, domain, encoder)) for path, reading in ahead)
    else:
        making = cluster.make_ahead(files, domain, options, limits, name, desk.is_done)
    in_turn = fail_fast or workers == 0
    storing = FileQueue[Future[Outcome]](0 if in_turn else 1, 0 if in_turn else _STORING_BYTES)
    with closing(making), ThreadPoolExecutor(1) as writer:
        for path, making_one in making:
            if stopped():
                break
            started(path)
            storing.add(path, writer.submit(desk.finish, path, _waited_for(making_one)))
            for one in storing.surplus(Future.done):
                outcome = one.result()
                yield outcome
                if fail_fast and outcome.status is Status.FAILED:
                    return
        for one in storing.rest():
            yield one.result()


@dataclass(frozen=True, slots=True)
class _Ready:
    """A book that waits to be cut and stored, or why there is none."""

    answer: Arrived | BookError
    seconds: float


def _waited_for(making: Making) -> _Ready:
    began = time.perf_counter()
    answer: Arrived | BookError
    try:
        answer = making()
    except BookError as error:
        answer = error
    return _Ready(answer, time.perf_counter() - began)


def _make(reading: Reading, desk: "_Desk", domain: Domain, encoder: Encoder) -> Arrived:
    try:
        book_id, book = reading.result(timeout=_SOON)
    except TimeoutError:
        encoder.encode(())  # loads the model meanwhile
        book_id, book = reading.result()
    # Asked again: the same bytes may have come under another name since this file was read.
    if book is None or desk.is_done(book_id):
        return book_id, None
    name = desk.generation(book_id)
    return book_id, partial(_finished, begin(book, domain, encoder), domain, name)


def _finished(begun: Begun, domain: Domain, generation: str) -> Made:
    prepared = prepare(finish(begun, domain), generation)
    return prepared.record, prepared.points


class _Desk:
    """Where the books of one batch come in, one after the other, and go into the library."""

    def __init__(self, generation: Callable[[str], str], library: Catalog, force: bool) -> None:
        self.generation = generation
        self._library, self._force = library, force
        self._made: dict[str, Record] = {}
        self._shelf = Shelf(library.books())

    def is_done(self, book_id: str) -> bool:
        """Tell whether the book is stored just as it would be now; with `force`, whether this batch has."""
        if book_id in self._made:
            return True
        return not self._force and self._library.holds(book_id, self.generation(book_id))

    def finish(self, path: Path, ready: _Ready) -> Outcome:
        """Cut and store a book, if it is not there, and tell what became of it."""
        began = time.perf_counter()
        if isinstance(ready.answer, BookError):
            return Outcome(path, Status.FAILED, seconds=ready.seconds, error=ready.answer)
        book_id, made = ready.answer
        if made is None or self.is_done(book_id):
            record = self._made.get(book_id) or self._library.book(book_id)
            status, remarks = Status.UNCHANGED, same_bytes(record, path)
        else:
            record, points = made()
            if points is not None:
                self._library.replace(record, points)
            status = Status.PARTIAL if record.warnings else Status.INGESTED
            remarks = same_words(twin_of(record, self._shelf, self._library))
            self._shelf.add(record)
        self._made[book_id] = record
        return Outcome(
            path,
            status,
            book_id,
            record.title,
            record.n_chunks,
            record.n_words,
            ready.seconds + time.perf_counter() - began,
            record.warnings,
            remarks,
        )
