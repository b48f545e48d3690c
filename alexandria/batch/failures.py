"""The files that could not be read, kept beside the library until they can: `failures.jsonl`."""

import json
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from alexandria.errors import AlexandriaError


class Failures:
    """The failures that still stand, one a file. Use it as a context manager.

    Each is on disk as soon as it is noted: a run that is killed has lost none.
    """

    def __init__(self, path: Path | None) -> None:
        """Take up what earlier runs have left; without a path nothing is kept."""
        self._path = path
        self._standing = {line["source"]: line for line in _lines(path)} if path else {}
        self._log: IO[str] | None = None
        self._changed = False  # a run that found the library in use must not write over the other's notes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None
        if self._path is not None and self._changed:
            self._rewrite(self._path)

    def sources(self) -> list[Path]:
        """Return the files, in the order in which they failed."""
        return [Path(source) for source in self._standing]

    def note(self, source: Path, error: AlexandriaError | None) -> None:
        """Note that a file failed, or, without an error, that it no longer does."""
        name = str(source.absolute())
        self._changed |= self._standing.pop(name, None) is not None
        if error is None or self._path is None:
            return
        self._changed = True
        self._standing[name] = {
            "source": name,
            "code": str(error.code),
            "what": error.what,
            "why": error.why,
            "fix": error.fix,
            "failed_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if self._log is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._log = self._path.open("a", encoding="utf-8")
        self._log.write(json.dumps(self._standing[name]) + "\n")
        self._log.flush()

    def _rewrite(self, path: Path) -> None:
        """Leave one line a failure, or no file where there is none."""
        if not self._standing:
            path.unlink(missing_ok=True)
            return
        new = path.with_suffix(".new")
        new.write_text("".join(json.dumps(line) + "\n" for line in self._standing.values()), encoding="utf-8")
        new.replace(path)


def _lines(path: Path) -> list[dict[str, Any]]:
    """Return the lines of the file; a last one that a kill has cut in two is left out."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:  # most often: no file has failed yet
        return []
    found = []
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("source"), str):
            found.append(entry)
    return found
