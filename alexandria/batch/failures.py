"""The files that could not be read, listed next to the library until they can be: `failures.jsonl`."""

import json
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from alexandria.errors import AlexandriaError


class Failures:
    """The files that last failed, with the error of each. Use it as a context manager.

    Each is on disk as soon as it is noted, so a run that is killed loses none.
    """

    def __init__(self, path: Path | None) -> None:
        """Load what earlier runs noted; without a path, nothing is written."""
        self._path = path
        self._by_source = {line["source"]: line for line in _lines(path)} if path else {}
        self._log: IO[str] | None = None
        self._changed = False  # a run that found the library in use must not overwrite the list of the other

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
        return [Path(source) for source in self._by_source]

    def note(self, source: Path, error: AlexandriaError | None) -> None:
        """Note that a file failed, or, without an error, that it no longer does."""
        name = str(source.absolute())
        self._changed |= self._by_source.pop(name, None) is not None
        if error is None or self._path is None:
            return
        self._changed = True
        self._by_source[name] = {
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
        self._log.write(json.dumps(self._by_source[name]) + "\n")
        self._log.flush()

    def _rewrite(self, path: Path) -> None:
        """Write one line per failure; delete the file if there is none."""
        if not self._by_source:
            path.unlink(missing_ok=True)
            return
        new = path.with_suffix(".new")
        new.write_text(
            "".join(json.dumps(line) + "\n" for line in self._by_source.values()), encoding="utf-8"
        )
        new.replace(path)


def _lines(path: Path) -> list[dict[str, Any]]:
    """Return the lines of the file, without the last one if a killed run left it incomplete."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:  # usually because no file has failed yet
        return []
    entries = []
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("source"), str):
            entries.append(entry)
    return entries
