"""How far along a run is, and how long the rest takes: counted in words, since books differ in length."""

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
"""Typical of each format, used until files of the run show their own ratio, which depends on the share of
pictures."""
_DEFAULT_WORDS_PER_BYTE = 0.1
_N_RECENT = 20
"""Number of recent files that show which share of the rest has to be stored; a stored book takes no time."""


class Pace:
    """The pace of a run over some files; times are those of any one clock, in seconds."""

    def __init__(self, files: Sequence[Path], began: float) -> None:
        """Begin at the time `began`, and note the sizes of the files."""
        self.n_files = len(files)
        self.n_done = 0
        self.n_failed = 0
        self.n_words = 0  # of the books that were stored
        self._began = began
        self._last_outcome = began
        self._sizes = {file: file_size(file) for file in files}
        # Added up by suffix, because a progress bar asks for `words_left` again and again.
        self._bytes_left_by_suffix = Counter[str]()
        for file, size in self._sizes.items():
            self._bytes_left_by_suffix[_suffix(file)] += size
        self._words_by_suffix = Counter[str]()  # of the files that are done
        self._bytes_by_suffix = Counter[str]()
        self._seconds_storing = 0.0
        self._recent: deque[bool] = deque(maxlen=_N_RECENT)  # whether each file had to be stored

    def add(self, outcome: Outcome, now: float) -> None:
        """Count a file as done, with its outcome, at the time `now`."""
        size = self._sizes.pop(outcome.source, 0)
        suffix = _suffix(outcome.source)
        self._bytes_left_by_suffix[suffix] -= size
        is_stored = outcome.status in STORED
        self.n_done += 1
        self.n_failed += outcome.status is Status.FAILED
        self._recent.append(is_stored)
        if outcome.n_words:
            self._words_by_suffix[suffix] += outcome.n_words
            self._bytes_by_suffix[suffix] += size
        if is_stored:
            self.n_words += outcome.n_words
            self._seconds_storing += now - self._last_outcome
        self._last_outcome = now

    @property
    def words_left(self) -> float:
        """The words in the remaining files, estimated from their sizes."""
        return sum(size * self._words_per_byte(suffix) for suffix, size in self._bytes_left_by_suffix.items())

    def words_per_second(self) -> float | None:
        """Return how many words are stored per second; None until a book has been stored."""
        return self.n_words / self._seconds_storing if self.n_words and self._seconds_storing else None

    def seconds_left(self, now: float) -> float | None:
        """Return how long the rest will take; None until a book has been stored."""
        rate = self.words_per_second()
        if rate is None:
            return None
        stored_share = sum(self._recent) / len(self._recent)
        seconds = stored_share * self.words_left / rate
        seconds_since_last = now - self._last_outcome  # spent on the next file already
        return max(0.0, seconds - seconds_since_last)

    def line(self, now: float, width: int = 200) -> str:
        """Return one line on how far along the run is; drop the least important facts to fit `width`."""
        rate, seconds = self.words_per_second(), self.seconds_left(now)
        time = f"{clock(now - self._began)} so far" if seconds is None else f"{clock(seconds)} left"
        facts = {
            "books": f"{self.n_done:,}/{self.n_files:,} books",
            "words": f"{self.n_words:,} words",
            "rate": f"{rate:,.0f} words/s" if rate else "",
            "failed": f"{self.n_failed:,} failed" if self.n_failed else "",
            "time": time,
        }
        for dispensable in ("", "rate", "words", "failed"):  # the first pass drops nothing
            facts[dispensable] = ""
            line = ", ".join(filter(None, facts.values()))
            if len(line) <= width:
                break
        return line

    def _words_per_byte(self, suffix: str) -> float:
        """Return the ratio of the files of this suffix so far, or the typical one until there are any."""
        if self._bytes_by_suffix[suffix]:
            return self._words_by_suffix[suffix] / self._bytes_by_suffix[suffix]
        return _WORDS_PER_BYTE.get(suffix, _DEFAULT_WORDS_PER_BYTE)


def clock(seconds: float) -> str:
    """Return a duration as `1:05:09` or `5:09`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _suffix(file: Path) -> str:
    return file.suffix.lower()
