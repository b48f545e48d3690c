"""The list of files that could not be read, `failures.jsonl` next to the library."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from alexandria.errors import AlexandriaError, ConfigError, StoreError, io_reason
from alexandria.store.folder import GRANT_OR_COPY
from alexandria.system.files import sync_folder, write_durably


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A file that could not be read, and why."""

    source: str
    """The absolute path of the file."""
    code: str
    what: str
    why: str
    fix: str
    failed_at: str
    """ISO 8601, UTC."""
    ignored: bool = False
    """Marked as known by the user: a run in which no other files fail counts as successful."""


class Failures:
    """The files that failed when they were last read, with the error of each. Use it as a context manager.

    A failure is appended to the file as soon as it is recorded, so a run that is killed loses none. At the
    end, the changes of this run are merged into the file: runs at the same time lose none of each other's
    failures.
    """

    def __init__(self, path: Path | None) -> None:
        """Load what earlier runs recorded; without a path, nothing is written."""
        self._path = path
        self._by_source = _load(path) if path else {}
        # What changed in this run, by path; None for a file that no longer fails.
        self._changed: dict[str, Failure | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Merge the changes of this run into the file, which other runs may have changed meanwhile."""
        if self._path is None or not self._changed:
            return
        with _file_lock(self._path):
            failures = _load(self._path)
            for source, failure in self._changed.items():
                failures.pop(source, None)
                if failure is not None:
                    failures[source] = failure
            _write(self._path, failures.values())
        self._changed.clear()

    def all(self) -> list[Failure]:
        """Return the failures, in the order in which they were recorded."""
        return list(self._by_source.values())

    def is_ignored(self, source: Path) -> bool:
        """Return whether the file is listed as ignored."""
        failure = self._by_source.get(str(source.absolute()))
        return failure is not None and failure.ignored

    def record(self, source: Path, error: AlexandriaError) -> None:
        """Record that a file failed, in place of its earlier failure.

        A file that does not exist is not listed. An ignored file stays ignored as long as its error has the
        same code.
        """
        name = str(source.absolute())
        before = self._by_source.get(name)
        self.clear(source)
        if self._path is None or not os.path.lexists(source):
            return
        self._add(
            Failure(
                source=name,
                code=str(error.code),
                what=error.what,
                why=error.why,
                fix=error.fix,
                failed_at=datetime.now(UTC).isoformat(timespec="seconds"),
                ignored=before is not None and before.ignored and before.code == str(error.code),
            )
        )

    def clear(self, source: Path) -> None:
        """Record that a file no longer fails."""
        name = str(source.absolute())
        if self._by_source.pop(name, None) is not None:
            self._changed[name] = None

    def find(self, source: Path) -> Failure:
        """Return the failure of a file, named by its path or by the end of it, as an ingest prints it.

        Raises:
            ConfigError: the file is not listed, or several files end so.
        """
        if failure := self._by_source.get(str(source.absolute())):
            return failure
        n_parts = len(source.parts)
        listed = [
            failure
            for path, failure in self._by_source.items()
            if Path(path).parts[-n_parts:] == source.parts
        ]
        if len(listed) == 1:
            return listed[0]
        if listed:
            raise ConfigError(
                f"{len(listed)} failed files are called {source}",
                why=" · ".join(failure.source for failure in listed),
                fix="give the path of one of them",
            )
        raise ConfigError(
            f"no failure of {source} is known",
            why="it is not listed, or it has been read since",
            fix="alexandria status --failures lists the files that failed",
        )

    def ignore(self, failure: Failure) -> Failure:
        """Mark a failure as ignored, and return it.

        Raises:
            StoreError: the list cannot be written.
        """
        # Removed first, so that it moves to the end, as it does in the file.
        self._by_source.pop(failure.source, None)
        try:
            self._add(replace(failure, ignored=True))
        except OSError as error:
            what = f"cannot note in {self._path} that a failure is ignored"
            raise StoreError(what, why=io_reason(error), fix=GRANT_OR_COPY) from error
        return self._by_source[failure.source]

    def _add(self, failure: Failure) -> None:
        """Add or replace the failure of a file, and append it to the list on disk at once."""
        self._by_source[failure.source] = self._changed[failure.source] = failure
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with _file_lock(self._path), self._path.open("a", encoding="utf-8") as log:
                log.write(_format_line(failure))
                log.flush()
                os.fsync(log.fileno())
            sync_folder(self._path.parent)


def _write(path: Path, failures: Iterable[Failure]) -> None:
    """Write one line per failure; delete the file if there are no failures."""
    lines = "".join(map(_format_line, failures))
    if not lines:
        path.unlink(missing_ok=True)
        return
    write_durably(path, lines)


def _format_line(failure: Failure) -> str:
    """Return a failure as a line of the file; in ASCII, since a path may contain bytes that are not UTF-8."""
    return json.dumps(asdict(failure)) + "\n"


def _load(path: Path) -> dict[str, Failure]:
    """Return the failures by file; a later line for the same file replaces an earlier one."""
    failures: dict[str, Failure] = {}
    for entry in _read_entries(path):
        failures.pop(entry["source"], None)
        failures[entry["source"]] = Failure(
            **{
                name: str(entry.get(name, ""))
                for name in ("source", "code", "what", "why", "fix", "failed_at")
            },
            ignored=entry.get("ignored") is True,
        )
    return failures


def _read_entries(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the valid lines of the file: a run that was killed may have left an incomplete one."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:  # usually because no file has failed yet
        return
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("source"), str):
            yield entry


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """Keep other processes and threads from changing the list in the meantime; does nothing on Windows."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
