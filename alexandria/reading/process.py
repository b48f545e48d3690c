"""Reads untrusted files in another process: a crash, a hang or a bomb is an error of one book."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import LifoQueue
from types import TracebackType
from typing import IO, Self, cast
from weakref import WeakKeyDictionary

from alexandria.book import Book, PagePicture, count_words
from alexandria.errors import AlexandriaError, BookError, Code
from alexandria.extract.options import ReadOptions
from alexandria.extract.scans import Scan, ScannedPage
from alexandria.reading.answers import ForeignAnswerError, load_answer
from alexandria.reading.limits import Limits, check_size, file_size, limits_from, own_peak
from alexandria.reading.recognition import Recognised, ScanReader
from alexandria.reading.requests import PageRequest, PictureRequest, ReadRequest, Request
from alexandria.reading.worker import Answer, out_of_memory
from alexandria.system.machine import n_cpus

_START_SECONDS = 30
"""Added for a new process, which imports the parsers before it reads."""
# Windows has neither these signals nor sessions; there, a group of its own keeps Ctrl-C from a process.
_OUT_OF_TIME = [-getattr(signal, name) for name in ("SIGXCPU", "SIGALRM") if hasattr(signal, name)]
_KILLED = -getattr(signal, "SIGKILL", 9)
"""The exit code of a process that the kernel ends when memory runs out."""
_NEAR_LIMIT = 1 / 3
"""The share of its memory above which a process that crashes is taken to have needed more than it may have.

A parser that is refused memory crashes. A buffer that doubles is refused when it holds a third of the limit.
"""
_OWN_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


_INHERITED: "WeakKeyDictionary[subprocess.Popen[bytes], int]" = WeakKeyDictionary()
"""How many bytes this process had held at most when it started each other one."""


def start_worker() -> "subprocess.Popen[bytes]":
    """Start a process that answers requests; return at once, while it still imports the parsers."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "alexandria.reading.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Ctrl-C is for the caller to handle: the process finishes the file it is reading.
        start_new_session=True,
        creationflags=_OWN_GROUP,
    )
    _INHERITED[process] = own_peak()
    return process


def end_worker(process: "subprocess.Popen[bytes]") -> None:
    """End a process, whatever it is doing."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):  # half a request may still be in it
            cast("IO[bytes]", pipe).close()


@dataclass(frozen=True, slots=True)
class BookSample:
    """A book of whose scanned pages only a few were recognised, and what the others will hold and cost."""

    book: Book
    n_words: int
    """Of the whole book, those of the other pages as many as on the few."""
    n_scanned_pages: int = 0
    """To be recognised: those whose words are kept, now or from before, do not count."""
    seconds: float = 0.0
    """To recognise them, as many at once as the reader does, each in the mean time of the few."""
    sampling_seconds: float = 0.0
    """That the few took now."""


class IsolatedReader:
    """A process that reads one file after another; if a file kills it, a new one reads the next file.

    While a scan is recognised, others share its pages. Only one thread at a time may use it. Use it
    as a context manager, which ends the processes.
    """

    def __init__(self, limits: Limits | None = None, *, pages_at_once: int | None = None) -> None:
        """Set the limits; the process starts with the first file.

        Args:
            limits: of each file; by default those of the environment.
            pages_at_once: how many scanned pages are recognised at the same time, each on a processor of its
                own; by default as many as this process may use.
        """
        self.limits = limits or limits_from(os.environ)
        n_helpers = (n_cpus() if pages_at_once is None else pages_at_once) - 1
        self._helpers = [IsolatedReader(self.limits, pages_at_once=1) for _ in range(n_helpers)]
        self._process: subprocess.Popen[bytes] | None = None
        self._is_new = True
        self._is_closed = False
        self._starting = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for reader in (self, *self._helpers):
            with reader._starting:  # another thread may be about to read
                reader._is_closed = True
        self.close()

    @property
    def pid(self) -> int | None:
        """The id of the process; None if it is not running."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process unless it is running; return at once, while it still imports the parsers."""
        with self._starting:
            if self._is_closed:
                raise RuntimeError("the reader is closed")
            if self._process is not None and self._process.poll() is not None:
                self._end()  # it ended while idle, which is no fault of the next file
            if self._process is None:
                self._is_new = True
                self._process = start_worker()

    def read(self, path: Path, options: ReadOptions, *, keep_pages: bool = True) -> Book:
        """Read a file into a book; scanned pages are recognised first.

        Args:
            path: the file.
            options: how to read it.
            keep_pages: take recognised pages from the cache, and add them to it.

        Raises:
            BookError: as `extract.extract`; or `timeout`, `too_large` or `damaged` if the process ended.
        """
        answer = self._read(path, options)
        if isinstance(answer, Scan):
            with self._recognising(path, options, keep_pages=keep_pages) as scan_reader:
                recognised = scan_reader.read(answer, options.ocr)
            answer = self._read_recognised(path, options, answer, recognised)
        if isinstance(answer, Book):
            return answer
        raise _refusal(answer, path)

    def read_sample(self, path: Path, options: ReadOptions, *, keep_pages: bool = True) -> BookSample:
        """Read a file of whose scanned pages only three are recognised; arguments and errors as `read`."""
        answer = self._read(path, options)
        if isinstance(answer, Book):
            return BookSample(answer, count_words(answer.text))
        if not isinstance(answer, Scan):
            raise _refusal(answer, path)
        scan = answer
        with self._recognising(path, options, keep_pages=keep_pages) as scan_reader:
            sample = scan_reader.read_sample(scan, options.ocr)
        book = self._read_recognised(path, options, scan, sample)
        if not isinstance(book, Book):
            raise _refusal(book, path)
        pages = sample.pages.values()
        n_pages = max(len(pages), 1)
        n_sampled_words = sum(len(page.words) for page in pages)
        return BookSample(
            book,
            count_words(book.text) + n_sampled_words * (len(scan.pages) - len(pages)) // n_pages,
            sample.n_left,
            sample.n_left * sum(page.seconds for page in pages) / n_pages / (1 + len(self._helpers)),
            sample.seconds,
        )

    def _read(self, path: Path, options: ReadOptions) -> Answer:
        check_size(path, self.limits)
        self.start()
        return self._ask(ReadRequest(path, options, self.limits, file_size(path)))

    @contextmanager
    def _recognising(self, path: Path, options: ReadOptions, *, keep_pages: bool) -> Iterator[ScanReader]:
        """Yield what has the pages of a file recognised, by this process and helpers, which end with it."""
        idle: LifoQueue[IsolatedReader] = LifoQueue()
        for reader in (*self._helpers, self):
            idle.put(reader)

        def recognise(key: str, languages: str) -> ScannedPage | BookError:
            reader = idle.get()
            try:
                return reader._recognise(path, options.password, key, languages)
            finally:
                idle.put(reader)

        # The text of an encrypted file should not be left on the disk.
        keep = keep_pages and options.password is None
        try:
            yield ScanReader(path, recognise, keep=keep, at_once=idle.qsize())
        finally:
            for reader in self._helpers:
                reader.close()

    def _read_recognised(
        self, path: Path, options: ReadOptions, scan: Scan, recognised: Recognised
    ) -> Answer:
        """Read a file with the pages of it that were recognised.

        If none were, and the file has other text, that is read, with a warning that says why.
        """
        error = recognised.error
        if error is not None and not recognised.pages and len(scan.pages) == scan.n_pages:
            return error
        answer = self._read(path, replace(options, scanned=recognised.pages))
        if isinstance(answer, Book) and error is not None:
            return replace(answer, warnings=(*answer.warnings, f"{error.why}; {error.fix}"))
        return answer

    def _recognise(
        self, path: Path, password: str | None, key: str, languages: str
    ) -> ScannedPage | BookError:
        self.start()
        answer = self._ask(PageRequest(path, key, languages, password, self.limits, file_size(path)))
        if isinstance(answer, ScannedPage | BookError):
            return answer
        return cast("BookError", _refusal(answer, path))

    def draw(self, path: Path, page: int, *, width: int, password: str | None = None) -> PagePicture:
        """Draw a page of a PDF.

        Args:
            path: the file.
            page: its number in the file, from 1.
            width: pixels of the picture.
            password: of an encrypted file.

        Raises:
            BookError: as `draw_page`; or `timeout`, `too_large` or `damaged` if the process ended.
        """
        check_size(path, self.limits)
        self.start()
        answer = self._ask(PictureRequest(path, page, width, password, self.limits, file_size(path)))
        if isinstance(answer, PagePicture):
            return answer
        raise _refusal(answer, path)

    def close(self) -> None:
        """End the processes."""
        for reader in (self, *self._helpers):
            reader._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            end_worker(process)

    def _ask(self, request: Request) -> Answer:
        process = cast("subprocess.Popen[bytes]", self._process)
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        # The process enforces the same limit itself; this is for one that is suspended or still starting.
        limits = self.limits.with_page() if isinstance(request, PageRequest) else self.limits
        seconds = limits.wall_seconds(request.n_bytes)
        timer = threading.Timer(seconds + (_START_SECONDS if self._is_new else 0), end)
        timer.start()
        try:
            pickle.dump(request, cast("IO[bytes]", process.stdin))
            cast("IO[bytes]", process.stdin).flush()
            answer = load_answer(cast("IO[bytes]", process.stdout))
            self._is_new = False
            return answer
        except (
            ForeignAnswerError
        ) as error:  # it is alive: to wait for its end would take until the time limit
            self._end()
            return BookError(
                f"cannot read {request.path}",
                why=f"its reader did not answer with a book: {error}",
                fix="report it, with the file and what `alexandria doctor` shows",
                code=Code.DAMAGED,
            )
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code, peak = _wait(process)
            self._end()
            return self._post_mortem(request, code, peak, late=late.is_set())
        finally:
            timer.cancel()

    def _post_mortem(self, request: Request, code: int, peak: int, *, late: bool) -> BookError:
        """Return the error of a file that killed its process, which held `peak` bytes of memory at most."""
        if late or code in _OUT_OF_TIME:
            seconds = self.limits.cpu_seconds(request.n_bytes)
            return BookError(
                f"cannot read {request.path}",
                why=f"reading it takes more than {seconds:.0f} seconds",
                fix="allow more with ALEXANDRIA_READ_SECONDS",
                code=Code.TIMEOUT,
            )
        if code == _KILLED or (code < 0 and peak > _NEAR_LIMIT * self.limits.memory_bytes):
            return out_of_memory(request.path, self.limits)
        return BookError(
            f"cannot read {request.path}",
            why=f"the reader crashed on it (exit code {code})",
            fix="get a fresh copy of the file; if that does not help, report it with the file",
            code=Code.DAMAGED,
        )


def _wait(process: "subprocess.Popen[bytes]") -> tuple[int, int]:
    """Wait for the end of a process; return its exit code and its peak memory in bytes, 0 if not known."""
    if own_peak() == 0:
        return process.wait(), 0
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:  # another thread, which ended it, has waited for it already
        return process.wait(), 0
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss << 10
    # Linux counts into it what this process had held when it started the other: less than that tells nothing.
    return process.returncode, peak if peak > _INHERITED.get(process, 0) else 0


def _refusal(answer: Answer, path: Path) -> AlexandriaError:
    """Return the error that was answered; a book for a picture, or a picture for a book, is one too."""
    if isinstance(answer, AlexandriaError):
        return answer
    return BookError(
        f"cannot read {path}",
        why="the reader answered something else than it was asked",
        fix="get a fresh copy of the file; if that does not help, report it with the file",
        code=Code.DAMAGED,
    )
