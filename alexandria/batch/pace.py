"""How far a run is, and how long it will take: by words, since books differ in length."""

from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path

from alexandria.batch.outcome import STORED, Outcome, Status
from alexandria.reading.limits import file_size

_WORDS_PER_BYTE = {
    ".txt": 0.17,
    ".text": 0.17,
    ".md": 0.16,
    ".html": 0.12,
    ".fb2": 0.10,
    ".epub": 0.25,
    ".docx": 0.15,
    ".odt": 0.15,
    ".mobi": 0.15,
    ".azw3": 0.15,
    ".pdf": 0.02,
}
"""Typical of each format, until files of the run show their own; pictures make the difference."""
_OTHER = 0.1
_RECENT = 20
"""Files by which the share is estimated that will have to be stored: the others take no time."""


class Pace:
    """The pace of a run over some files; times are those of any one clock, in seconds."""

    def __init__(self, files: Sequence[Path], began: float) -> None:
        self.n_files, self.n_done, self.n_failed, self.n_words = len(files), 0, 0, 0
        self._began = self._last = began
        self._sizes = {file: file_size(file) for file in files}
        self._bytes_left = Counter[str]()  # by suffix: a bar asks for the words left again and again
        for file, size in self._sizes.items():
            self._bytes_left[_kind(file)] += size
        self._words_seen, self._bytes_seen = Counter[str](), Counter[str]()
        self._seconds_storing = 0.0
        self._recent: deque[bool] = deque(maxlen=_RECENT)

    def add(self, outcome: Outcome, now: float) -> None:
        """Note what became of a file."""
        size, kind = self._sizes.pop(outcome.source, 0), _kind(outcome.source)
        self._bytes_left[kind] -= size
        is_stored = outcome.status in STORED
        self.n_done += 1
        self.n_failed += outcome.status is Status.FAILED
        self._recent.append(is_stored)
        if outcome.n_words:
            self._words_seen[kind] += outcome.n_words
            self._bytes_seen[kind] += size
        if is_stored:
            self.n_words += outcome.n_words
            self._seconds_storing += now - self._last
        self._last = now

    @property
    def words_left(self) -> float:
        """The words in the files that are left, as far as their sizes tell."""
        return sum(size * self._words_per_byte(kind) for kind, size in self._bytes_left.items())

    def words_per_second(self) -> float | None:
        """Return how many words are stored per second; None until a book has been stored."""
        return self.n_words / self._seconds_storing if self.n_words and self._seconds_storing else None

    def seconds_left(self, now: float) -> float | None:
        """Return how long the rest will take; None until a book has been stored."""
        rate = self.words_per_second()
        if rate is None:
            return None
        share = sum(self._recent) / len(self._recent)
        return max(0.0, share * self.words_left / rate - (now - self._last))

    def line(self, now: float, width: int = 200) -> str:
        """Return how far the run is, in words; where it is longer than `width`, with fewer facts."""
        rate, seconds = self.words_per_second(), self.seconds_left(now)
        time = f"{clock(now - self._began)} so far" if seconds is None else f"{clock(seconds)} left"
        facts = {
            "books": f"{self.n_done:,}/{self.n_files:,} books",
            "words": f"{self.n_words:,} words",
            "rate": f"{rate:,.0f} words/s" if rate else "",
            "failed": f"{self.n_failed:,} failed" if self.n_failed else "",
            "time": time,
        }
        for dispensable in ("", "rate", "words", "failed"):
            facts[dispensable] = ""
            line = ", ".join(filter(None, facts.values()))
            if len(line) <= width:
                break
        return line

    def _words_per_byte(self, kind: str) -> float:
        if self._bytes_seen[kind]:
            return self._words_seen[kind] / self._bytes_seen[kind]
        return _WORDS_PER_BYTE.get(kind, _OTHER)


def clock(seconds: float) -> str:
    """Return a time as `1:05:09` or `5:09`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _kind(file: Path) -> str:
    return file.suffix.lower()
