"""The progress of an ingest: a small file next to the library, which `alexandria status` reads."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

from alexandria.library.ingest.events import Events
from alexandria.library.ingest.outcome import Outcome, Status
from alexandria.library.ingest.pace import Pace
from alexandria.store.lock import Owner, is_locked, read_owner
from alexandria.store.record import Record
from alexandria.system.files import size_of_folder

_SECONDS = 1.0  # how often the file is written while a book is embedded
_MAX_FAILED_NAMES = 20  # most failed files to name; `failures.jsonl` lists all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an ingest is, or was when its process was killed."""

    pid: int
    host: str
    command: str
    began: str  # ISO 8601, UTC
    updated: str  # ISO 8601, UTC
    n_files: int
    n_done: int = 0
    n_failed: int = 0
    n_words: int = 0  # words that have been embedded
    n_books: int = 0  # books in the library
    left: float | None = None
    """Seconds that the rest was estimated to take when this was written; None before a book is embedded."""
    current: str | None = None  # the file that is being ingested
    failed: tuple[str, ...] = ()  # the latest files that could not be read

    def seconds_left(self, now: datetime) -> float | None:
        """Return how many seconds are left at this time, or None if nothing had been embedded yet."""
        if self.left is None:
            return None
        return max(0.0, self.left - (now - datetime.fromisoformat(self.updated)).total_seconds())


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStatus:
    """Who has a library open, how far its ingest is, and what it holds."""

    owner: Owner | None  # the process that has the library's folder open, for reading or writing
    run: Progress | None  # the ingest that is running; if `is_running` is False, one that was killed
    is_running: bool
    n_books: int
    n_chunks: int | None = None  # None while an ingest is running: counting would slow it down
    n_words: int | None = None  # None while an ingest is running
    n_dead_chunks: int | None = None
    """Chunks that were deleted and still take space; None while an ingest is running."""
    n_outdated: int | None = None  # books that another version has read; None while an ingest is running
    n_failures: int  # files that could not be read, and are not ignored
    folder: str = ""  # the folder of the collection's files; empty for a server
    store: str = ""  # where the library is, as `Library` takes it; a folder with its whole path
    collection: str = "books"
    n_bytes: int | None = None  # how big its folder is; None for a server
    restore: str | None = None  # the command that completes an interrupted restore


class ProgressFile:
    """Writes the progress of an ingest; deletes the file when the ingest ends, unless it is killed."""

    def __init__(self, path: Path | None, pace: Pace, *, n_books: int = 0) -> None:
        """Prepare to write to a path; without one, nothing is written. The library has `n_books` so far."""
        self._written = time.monotonic()
        self._path, self._pace, self._lock = path, pace, Lock()
        owner, now = Owner.this_process(), _now()
        self._progress = Progress(
            pid=owner.pid,
            host=owner.host,
            command=owner.command,
            began=now,
            updated=now,
            n_files=pace.n_files,
            n_books=n_books,
        )

    def __enter__(self) -> Self:
        self._write()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Delete the file: the ingest has ended."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def noting(self, events: Events) -> Events:
        """Return the events of a run, noted in the file before they are passed on."""

        def started(path: Path) -> None:
            self._update(current=str(path))
            events.started(path)

        def recognised(path: Path, seconds_left: float | None) -> None:
            self._pace.recognise(path, seconds_left, time.monotonic())
            events.recognised(path, seconds_left)

        def read(path: Path, title: str, n_words: int) -> None:
            self._pace.read(path, n_words, time.monotonic())
            events.read(path, title, n_words)

        def embedded(path: Path, share: float) -> None:
            self._pace.embed(path, share, time.monotonic())
            if time.monotonic() - self._written > _SECONDS:
                self._update()
            events.embedded(path, share)

        return replace(events, started=started, recognised=recognised, read=read, embedded=embedded)

    def finished(self, outcome: Outcome, *, n_books: int) -> None:
        """Note the outcome of a file and how many books the library now has, and write the progress."""
        self._pace.add(outcome, time.monotonic())
        names = self._progress.failed
        if outcome.status is Status.FAILED:
            names = (*names, str(outcome.source))[-_MAX_FAILED_NAMES:]
        self._update(n_done=self._pace.n_done, n_failed=self._pace.n_failed, n_books=n_books, failed=names)

    def _update(self, **values: Any) -> None:
        """Change these fields of the progress, and estimate the rest again; then write the file."""
        with self._lock:
            self._written = time.monotonic()
            left, n_words = self._pace.seconds_left(self._written), self._pace.n_embedded
            self._progress = replace(self._progress, **values, n_words=n_words, left=left, updated=_now())
            self._write()

    def _write(self) -> None:
        """Replace the file as a whole: `alexandria status` never reads half of it. A full disk is ignored."""
        if self._path is None:
            return
        new = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(json.dumps(asdict(self._progress)), encoding="utf-8")
            new.replace(self._path)
        except OSError:  # the progress is dispensable: only a book that cannot be stored ends an ingest
            new.unlink(missing_ok=True)


def read_progress(path: Path | None) -> Progress | None:
    """Return the progress in a file, or None if there is no file, or another version wrote it."""
    if path is None:
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return Progress(**{**values, "failed": tuple(values["failed"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def library_status(
    folder: Path | None,
    progress: Path | None,
    books: Callable[[], Sequence[Record]],
    n_written: Callable[[], int],
    *,
    n_failures: int,
    restore: str | None = None,
) -> LibraryStatus:
    """Return the state of a library; its books are asked for only while no ingest is running.

    Args:
        folder: the library's folder, which one process at a time has open; None for a server.
        progress: the file in which an ingest notes its progress.
        n_written: returns how many chunks were written, as far as their space was not given back.
        n_failures: how many files could not be read, and are not ignored.
        restore: the command that completes an interrupted restore.
    """
    run = read_progress(progress)
    owner = read_owner(folder) if folder and is_locked(folder) else None
    status = LibraryStatus(
        owner=owner,
        run=run,
        is_running=run is not None and owner is not None and run.pid == owner.pid,
        n_books=0 if run is None else run.n_books,
        n_failures=n_failures,
        folder=str(folder or ""),
        n_bytes=size_of_folder(folder) if folder else None,
        restore=restore,
    )
    if status.is_running:
        return status
    records = books()
    n_chunks = sum(record.n_chunks for record in records)
    n_words = sum(record.n_words for record in records)
    n_dead = max(0, n_written() - n_chunks)
    return replace(status, n_books=len(records), n_chunks=n_chunks, n_words=n_words, n_dead_chunks=n_dead)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
