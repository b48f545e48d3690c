"""How far an ingest is: a small file beside the library, which `alexandria status` reads."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from alexandria.batch.outcome import STORED, Outcome, Status
from alexandria.reading.limits import file_size
from alexandria.store.lock import Owner

_MOST_FAILED = 20
"""Failed files that are named; `failures.jsonl` lists all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an ingest is, or was when its process was killed."""

    pid: int
    host: str
    command: str
    began: str
    """ISO 8601, UTC."""
    updated: str
    """ISO 8601, UTC."""
    n_files: int
    n_done: int = 0
    n_failed: int = 0
    n_words: int = 0
    """Words of the books that were stored."""
    n_books: int = 0
    """Books in the library."""
    bytes_left: int
    """Size of the files not yet done."""
    bytes_stored: int = 0
    """Size of the files whose books were stored: the others take no time."""
    current: str | None = None
    """The file whose turn it is."""
    failed: tuple[str, ...] = ()
    """The last files that could not be read."""

    @property
    def seconds_left(self) -> float | None:
        """An estimate by the size of the files; None before the first book is stored."""
        if not self.bytes_stored:
            return None
        elapsed = datetime.fromisoformat(self.updated) - datetime.fromisoformat(self.began)
        return elapsed.total_seconds() * self.bytes_left / self.bytes_stored


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStatus:
    """Who has a library open, how far its ingest is, and what it holds."""

    owner: Owner | None
    """The process that has the library's folder open, for reading or writing."""
    run: Progress | None
    """The ingest that is running; if `is_running` is False, one that was killed."""
    is_running: bool
    n_books: int
    n_chunks: int | None
    """None while an ingest is running: counting would hold it up."""
    n_words: int | None
    """None while an ingest is running."""
    n_failures: int
    """Files that could not be read, and are not ignored."""


class ProgressFile:
    """Writes how far an ingest is; the file is deleted when it ends, unless it is killed."""

    def __init__(self, path: Path | None, files: Iterable[Path]) -> None:
        """Begin; without a path, nothing is written."""
        self._path, self._sizes = path, {file: file_size(file) for file in files}
        owner, now = Owner.this_process(), _now()
        self._progress = Progress(
            pid=owner.pid,
            host=owner.host,
            command=owner.command,
            began=now,
            updated=now,
            n_files=len(self._sizes),
            bytes_left=sum(self._sizes.values()),
        )

    def __enter__(self) -> Self:
        self._write()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def begin(self, file: Path) -> None:
        """Note whose turn it is."""
        self._progress = replace(self._progress, current=str(file), updated=_now())
        self._write()

    def note(self, outcome: Outcome, *, n_books: int) -> None:
        """Note what became of a file, and how many books the library now has."""
        before, size = self._progress, self._sizes.get(outcome.source, 0)
        stored = outcome.status in STORED
        failed = outcome.status is Status.FAILED
        names = (*before.failed, str(outcome.source)) if failed else before.failed
        self._progress = replace(
            before,
            n_done=before.n_done + 1,
            n_failed=before.n_failed + failed,
            n_words=before.n_words + (outcome.n_words if stored else 0),
            n_books=n_books,
            bytes_left=before.bytes_left - size,
            bytes_stored=before.bytes_stored + (size if stored else 0),
            failed=names[-_MOST_FAILED:],
            updated=_now(),
        )
        self._write()

    def _write(self) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps(asdict(self._progress)), encoding="utf-8")
        new.replace(self._path)


def read_progress(path: Path | None) -> Progress | None:
    """Return what the file says; None if there is none, or another version wrote it."""
    if path is None:
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return Progress(**{**values, "failed": tuple(values["failed"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
