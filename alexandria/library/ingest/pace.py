"""How far along a run is, and how long the rest takes: counted in words, since books differ in length."""

from collections import Counter, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import maxsize
from threading import Lock

from alexandria.book.wording import duration
from alexandria.library.ingest.outcome import STORED, Outcome, Status
from alexandria.system.files import file_size

_WORDS_PER_BYTE = {
    **{".txt": 0.17, ".text": 0.17, ".md": 0.16, ".html": 0.12, ".fb2": 0.10, ".epub": 0.25},
    **{".docx": 0.15, ".odt": 0.15, ".mobi": 0.15, ".azw3": 0.15, ".pdf": 0.02},
}
"""Typical of each format; the files of a run show their own ratio, which depends on the share of pictures."""
_PLAIN = (".txt", ".text", ".md", ".html", ".fb2")  # their size is that of their words
_MOST_WORDS = 100_000  # of a book whose size is not known to be that of its words
_DEFAULT_WORDS_PER_BYTE = 0.1
_QUIET = 20.0  # seconds before the first estimate: what is loaded and read first says nothing about the rest
_WINDOW = 60.0
"""Seconds of storing from which the speed is told: vectors from the cache, at first, take hardly any."""
_EMBEDDED = 0.85  # the share of the work on a book when all of it is embedded; then it is cut and stored
_BESIDE_SCANS = 0.5
"""How fast books are embedded while scanned pages are recognised, which takes as many processors, beside how
fast they are embedded alone."""
_N_RECENT = 20
"""Number of recent files that show which share of the rest has to be stored; a stored book takes no time."""


@dataclass(slots=True)
class _Embedding:
    """A book that is being embedded."""

    n_words: int
    share: float = 0.0


class Pace:
    """The pace of a run over some files; times are those of any one clock, in seconds.

    The books that are being embedded count by the share that is. Any thread may call any method.
    """

    def __init__(self, files: Sequence[Path], began: float, stored: Collection[Path] = ()) -> None:
        """Begin at the time `began`, and note the sizes of the files.

        Args:
            stored: the files at whose paths the library has a book: mostly, nothing is to be done for them.
        """
        self.n_files = len(files)
        self.n_done = 0
        self.n_failed = 0
        self.n_words = 0  # of the books that were stored
        self._began = began
        self._lock = Lock()
        # Beyond this size, a file is large for its pictures.
        self._sizes = {file: min(file_size(file), _most_bytes(file)) for file in files}
        self._stored = frozenset(stored)
        # Added up, because a progress bar asks for `words_left` again and again: by whether the library has a
        # book at the path, and by suffix.
        self._unread_bytes = Counter[tuple[bool, str]]()
        for file, size in self._sizes.items():
            self._unread_bytes[self._group(file)] += size
        self._words_by_suffix = Counter[str]()  # of the files that are done
        self._bytes_by_suffix = Counter[str]()
        self._reading: dict[Path, _Embedding] = {}  # read, but not stored yet
        self._recognising: dict[Path, float] = {}  # how many seconds the scanned pages of a file still take
        self._seconds_storing = 0.0
        self._last_change = began
        self._marks = deque[tuple[float, int]]()  # seconds of storing, and the words embedded by then
        # Whether each file had to be stored, again by whether the library has a book at its path.
        self._recent = {is_stored: deque[bool](maxlen=_N_RECENT) for is_stored in (False, True)}

    def read(self, file: Path, n_words: int, now: float) -> None:
        """Note the words of a book that has been read, and is embedded next, at the time `now`."""
        with self._lock:
            if self._marks and not self._is_embedding():
                self._last_change = now  # the model waited for the book, as for a scan: that was no storing
            self._unread_bytes[self._group(file)] -= self._sizes.get(file, 0)
            self._reading[file] = _Embedding(n_words)

    def recognise(self, file: Path, seconds_left: float | None, now: float) -> None:
        """Note how long recognising the scanned pages of a file still takes, at the time `now`.

        Args:
            seconds_left: 0.0 until it is known, and None at its end.
        """
        with self._lock:
            if self._is_embedding():
                self._pass_time(now)
            if seconds_left is None:
                self._recognising.pop(file, None)
            else:
                self._recognising[file] = seconds_left

    def embed(self, file: Path, share: float, now: float) -> None:
        """Note that a further share of a book's sentences has been embedded, at the time `now`."""
        with self._lock:
            if (book := self._reading.get(file)) is not None:
                book.share = min(_EMBEDDED, book.share + share * _EMBEDDED)
                self._pass_time(now)

    def add(self, outcome: Outcome, now: float) -> None:
        """Count a file as done, with its outcome, at the time `now`."""
        with self._lock:
            size = self._sizes.pop(outcome.source, 0)
            has_book, suffix = self._group(outcome.source)
            if self._reading.pop(outcome.source, None) is None:
                self._unread_bytes[has_book, suffix] -= size
            is_stored = outcome.status in STORED
            self.n_done += 1
            self.n_failed += outcome.status is Status.FAILED
            self._recent[has_book].append(is_stored)
            if outcome.n_words:
                self._words_by_suffix[suffix] += outcome.n_words
                self._bytes_by_suffix[suffix] += size
            if is_stored:
                self.n_words += outcome.n_words
                self._pass_time(now)
            self._last_change = now

    def _pass_time(self, now: float) -> None:
        """Count the time since the last change as spent on books that are stored."""
        self._seconds_storing += (now - self._last_change) * (_BESIDE_SCANS if self._recognising else 1.0)
        self._last_change = now
        self._marks.append((self._seconds_storing, self.n_embedded))
        while len(self._marks) > 2 and self._marks[1][0] <= self._seconds_storing - _WINDOW:
            self._marks.popleft()

    def _is_embedding(self) -> bool:
        return any(book.share <= 0.99 * _EMBEDDED for book in self._reading.values())

    @property
    def n_embedded(self) -> int:
        """The words that are done, those of the books in progress by the share of the work on them."""
        return self.n_words + round(sum(book.n_words * book.share for book in self._reading.values()))

    @property
    def words_left(self) -> float:
        """The words to embed, estimated from the sizes of files that have not been read."""
        unread = sum(
            size * self._words_per_byte(suffix) * self._share_to_store(has_book)
            for (has_book, suffix), size in self._unread_bytes.items()
        )
        return unread + self._words_in_progress()

    def _words_in_progress(self) -> float:
        """Return the words to embed of the books that have been read."""
        return sum(book.n_words * (1 - book.share) for book in self._reading.values())

    def _share_to_store(self, has_book: bool) -> float:
        """Return the share to be stored of the unread files whose books the library has, or has not."""
        reading = [True for file in self._reading if (file in self._stored) == has_book]
        recent = [*self._recent[has_book], *reading]
        if not recent:
            return 0.0 if has_book else 1.0
        # Three in a row: a run that was interrupted has come to where it goes on.
        return 1.0 if all(recent[-3:]) else sum(recent) / len(recent)

    @property
    def share(self) -> float:
        """How far the run is, from 0 to 1, by words."""
        with self._lock:
            embedded, left = self.n_embedded, self.words_left
        return embedded / (embedded + left) if embedded + left else 1.0

    def words_per_second(self) -> float | None:
        """Return how many words are embedded per second of late; None until some have been."""
        if not self._marks:
            return None
        (began, before), (now, embedded) = self._marks[0], self._marks[-1]
        return (embedded - before) / (now - began) if embedded > before and now > began else None

    def seconds_left(self, now: float) -> float | None:
        """Return how long the rest will take; None in the first `_QUIET` seconds, and until it is known."""
        with self._lock:
            rate = self.words_per_second()
            if rate is None or now - self._began < _QUIET:
                return None
            since_last_change = now - self._last_change  # spent on the next words already
            scans = max(self._recognising.values(), default=0.0)
            # Only the books that are read already can be embedded while the pages are recognised.
            beside_scans = min(scans * _BESIDE_SCANS, self._words_in_progress() / rate)
            return max(0.0, self.words_left / rate + scans - beside_scans - since_last_change)

    def line(self, now: float, width: int = 200) -> str:
        """Return one line on how far along the run is; drop the least important facts to fit `width`."""
        rate, seconds = self.words_per_second(), self.seconds_left(now)
        time = f"{duration(now - self._began)} so far" if seconds is None else f"{duration(seconds)} left"
        facts = {
            "books": f"{self.n_done:,}/{self.n_files:,} books",
            "words": f"{self.n_embedded:,} words",
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

    def _group(self, file: Path) -> tuple[bool, str]:
        """Return whether the library has a book at the path of a file, and its suffix."""
        return file in self._stored, _suffix(file)

    def _words_per_byte(self, suffix: str) -> float:
        """Return the ratio of the files of this suffix so far, with a typical book among them."""
        n_bytes = self._bytes_by_suffix[suffix] + _most_bytes_of(suffix)
        return (self._words_by_suffix[suffix] + _MOST_WORDS) / n_bytes


def _most_bytes(file: Path) -> int:
    suffix = _suffix(file)
    return maxsize if suffix in _PLAIN else int(_most_bytes_of(suffix))


def _most_bytes_of(suffix: str) -> float:
    """Return how many bytes `_MOST_WORDS` typically take."""
    return _MOST_WORDS / _WORDS_PER_BYTE.get(suffix, _DEFAULT_WORDS_PER_BYTE)


def _suffix(file: Path) -> str:
    return file.suffix.lower()
