"""Reads untrusted files in another process: a crash, a hang or a bomb becomes the error of one book."""

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

from alexandria.book.model import Book, PagePicture, count_words
from alexandria.errors import AlexandriaError, BookError, Code, OutOfMemoryError
from alexandria.extract.isolated.answers import ForeignAnswerError, load_answer
from alexandria.extract.isolated.cache import Attempt
from alexandria.extract.isolated.limits import Limits, check_size, limits_from, peak_memory
from alexandria.extract.isolated.recognition import Recognised, RecognisedPages, ScanReader
from alexandria.extract.isolated.requests import PageRequest, PictureRequest, ReadRequest, Request
from alexandria.extract.isolated.worker import Answer, out_of_memory
from alexandria.extract.options import ReadOptions
from alexandria.extract.refusals import damaged
from alexandria.extract.scans import Scan, ScannedPage
from alexandria.system.files import file_size
from alexandria.system.machine import n_cpus

_START_SECONDS = 30  # added to the time limit of a new process, which imports the parsers before it reads
_TIME_LIMIT_CODES = [-getattr(signal, name) for name in ("SIGXCPU", "SIGALRM") if hasattr(signal, name)]
"""The exit codes of a process that has ended itself at a time limit; Windows has no such signals."""
_KILLED_CODE = -getattr(signal, "SIGKILL", 9)  # of a process that the kernel ends when memory runs out
_NEAR_LIMIT = 1 / 3
"""The share of its memory limit above which a process that crashes is assumed to have run out of memory.

A parser crashes when it is refused memory. A buffer that grows by doubling is refused when it holds a third
of the limit.
"""
_OWN_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # keeps Ctrl-C from a process of Windows
_PEAK_AT_START: "WeakKeyDictionary[subprocess.Popen[bytes], int]" = WeakKeyDictionary()
"""The peak memory of this process in bytes when it started each worker."""


def start_worker() -> "subprocess.Popen[bytes]":
    """Start a worker process, and return at once, while it still imports the parsers."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "alexandria.extract.isolated.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Ctrl-C reaches only the caller: the worker finishes the file that it is reading.
        start_new_session=True,
        creationflags=_OWN_GROUP,
    )
    _PEAK_AT_START[process] = peak_memory()  # of this process: a child begins with its parent's peak
    return process


def end_worker(process: "subprocess.Popen[bytes]") -> None:
    """End a worker process, whatever it is doing."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):  # part of a request may still be in the buffer
            cast("IO[bytes]", pipe).close()


@dataclass(frozen=True, slots=True)
class BookSample:
    """A book in which only a few scanned pages were recognised, and estimates for the other pages."""

    book: Book  # with the text of the sampled pages only
    n_words: int  # words in the whole book, if the other pages have as many as the sampled ones
    n_scanned_pages: int = 0  # pages still to be recognised; pages in the cache do not count
    seconds: float = 0.0  # time for the `n_scanned_pages`, if each takes as long as the sampled ones
    sampling_seconds: float = 0.0  # time that recognising the sampled pages took


class IsolatedReader:
    """A process that reads one file after another; if a file kills it, a new one reads the next file.

    The pages of a scan are shared between it and helper processes. Only one thread at a time may use it. Use
    it as a context manager, which ends the processes.
    """

    def __init__(self, limits: Limits | None = None, *, pages_at_once: int | None = None) -> None:
        """Set the limits; the process starts when the first file is read.

        Args:
            limits: what reading one file may cost; by default as the environment says.
            pages_at_once: how many scanned pages are recognised at the same time, each on its own processor;
                by default, one per processor that this process may use.
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
        """End the processes for good: they are not started again."""
        for reader in (self, *self._helpers):
            with reader._starting:  # another thread may be about to read
                reader._is_closed = True
        self.close()

    @property
    def pid(self) -> int | None:
        """The id of the process, or None if it is not running."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process unless it is running; return at once, while it still imports the parsers."""
        with self._starting:
            if self._is_closed:
                raise RuntimeError("the reader is closed")
            if self._process is not None and self._process.poll() is not None:
                self._end_process()  # it ended while idle: not the fault of the next file
            if self._process is None:
                self._is_new = True
                self._process = start_worker()

    def read(self, path: Path, options: ReadOptions, *, keep_pages: bool = True) -> Book:
        """Read a file into a book, as `attempt` does."""
        return self.attempt(path, options, keep_pages=keep_pages).book

    def attempt(
        self,
        path: Path,
        options: ReadOptions,
        *,
        keep_pages: bool = True,
        recognised: Recognised = lambda seconds_left: None,
    ) -> Attempt:
        """Read a file into a book; if it has scanned pages, have them recognised first.

        Args:
            keep_pages: take recognised pages from the cache, and add new ones to it.
            recognised: called while pages are recognised.

        Raises:
            BookError: as `extract.extract` raises; `timeout`, `too_large` or `damaged` if the process ended.
        """
        answer = self._read(path, options)
        lacks_pages = False
        if isinstance(answer, Scan):
            with self._scan_reader(path, options, recognised, keep_pages=keep_pages) as scan_reader:
                pages = scan_reader.read(answer, options.ocr)
            lacks_pages = pages.error is not None
            answer = self._read_recognised(path, options, answer, pages)
        if isinstance(answer, Book):
            return Attempt(answer, lacks_pages=lacks_pages)
        raise _as_error(answer, path)

    def read_sample(self, path: Path, options: ReadOptions, *, keep_pages: bool = True) -> BookSample:
        """Read a file, but recognise only a few of its scanned pages; arguments and errors as for `read`."""
        answer = self._read(path, options)
        if isinstance(answer, Book):
            return BookSample(answer, count_words(answer.text))
        if not isinstance(answer, Scan):
            raise _as_error(answer, path)
        scan = answer
        with self._scan_reader(path, options, keep_pages=keep_pages) as scan_reader:
            sample = scan_reader.read_sample(scan, options.ocr)
        book = self._read_recognised(path, options, scan, sample)
        if not isinstance(book, Book):
            raise _as_error(book, path)
        pages = sample.pages.values()
        n_sampled = max(len(pages), 1)
        n_sampled_words = sum(len(page.words) for page in pages)
        # The pages that were not sampled are assumed to have as many words, and to take as long, as these.
        n_other_words = n_sampled_words * (len(scan.pages) - len(pages)) // n_sampled
        seconds_per_page = sum(page.seconds for page in pages) / n_sampled
        n_at_once = 1 + len(self._helpers)
        return BookSample(
            book=book,
            n_words=count_words(book.text) + n_other_words,
            n_scanned_pages=sample.n_left,
            seconds=sample.n_left * seconds_per_page / n_at_once,
            sampling_seconds=sample.seconds,
        )

    def _read(self, path: Path, options: ReadOptions) -> Answer:
        """Return the book, the error, or the scan whose pages have to be recognised first."""
        check_size(path, self.limits)
        return self._request(ReadRequest(path, options, self.limits, file_size(path)))

    @contextmanager
    def _scan_reader(
        self,
        path: Path,
        options: ReadOptions,
        recognised: Recognised = lambda seconds_left: None,
        *,
        keep_pages: bool,
    ) -> Iterator[ScanReader]:
        """Yield a `ScanReader` whose pages this process and its helpers recognise; then end the helpers."""
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
            yield ScanReader(path, recognise, keep=keep, at_once=idle.qsize(), recognised=recognised)
        finally:
            for reader in self._helpers:
                reader.close()

    def _read_recognised(
        self, path: Path, options: ReadOptions, scan: Scan, recognised: RecognisedPages
    ) -> Answer:
        """Read a scan with the text of its recognised pages."""
        # If not all pages were recognised, the rest of the file is read, with a warning that says why. If
        # none were and the file has no other pages, return the error.
        error = recognised.error
        if error is not None and not recognised.pages and len(scan.pages) == scan.n_pages:
            return error
        answer = self._read(path, replace(options, scanned=recognised.pages))
        if isinstance(answer, Book) and error is not None and not scan.is_optional:
            return replace(answer, warnings=(*answer.warnings, f"{error.why}; {error.fix}"))
        return answer

    def _recognise(
        self, path: Path, password: str | None, key: str, languages: str
    ) -> ScannedPage | BookError:
        """Have the page with a key recognised by this process; see `Ask`."""
        answer = self._request(PageRequest(path, key, languages, password, self.limits, file_size(path)))
        if isinstance(answer, ScannedPage | BookError):
            return answer
        return cast("BookError", _as_error(answer, path))

    def draw(self, path: Path, page: int, *, width: int, password: str | None = None) -> PagePicture:
        """Draw a page of a PDF.

        Args:
            page: its number in the file, from 1.
            width: pixels of the picture.

        Raises:
            BookError: as `draw_page` raises; or `timeout`, `too_large` or `damaged` if the process ended.
        """
        check_size(path, self.limits)
        answer = self._request(PictureRequest(path, page, width, password, self.limits, file_size(path)))
        if isinstance(answer, PagePicture):
            return answer
        raise _as_error(answer, path)

    def close(self) -> None:
        """End the processes."""
        for reader in (self, *self._helpers):
            reader._end_process()

    def _end_process(self) -> None:
        """End the process of this reader, but not those of its helpers."""
        process, self._process = self._process, None
        if process is not None:
            end_worker(process)

    def _request(self, request: Request) -> Answer:
        """Start the process unless it is running, and return its answer to a request."""
        # A process that has read other files still holds some of their memory. If it runs out of memory, a
        # new process tries again, so that the answer does not depend on what was read before.
        self.start()
        is_new = self._is_new
        answer = self._ask(request)
        if is_new or not isinstance(answer, OutOfMemoryError):
            return answer
        self._end_process()
        self.start()
        return self._ask(request)

    def _ask(self, request: Request) -> Answer:
        """Send a request to the process, and return its answer, or an error if the process ends."""
        process = cast("subprocess.Popen[bytes]", self._process)
        is_late = threading.Event()

        def kill_late() -> None:
            is_late.set()
            process.kill()

        # The process enforces the same limit itself, unless it is suspended or still starting.
        limits = self.limits.with_page() if isinstance(request, PageRequest) else self.limits
        seconds = limits.wall_seconds(request.n_bytes)
        timer = threading.Timer(seconds + (_START_SECONDS if self._is_new else 0), kill_late)
        timer.start()
        try:
            pickle.dump(request, cast("IO[bytes]", process.stdin))
            cast("IO[bytes]", process.stdin).flush()
            answer = load_answer(cast("IO[bytes]", process.stdout))
            self._is_new = False
            return answer
        except ForeignAnswerError as error:
            self._end_process()  # it may be running, so waiting for its exit code could take very long
            return damaged(
                request.path,
                f"its reader did not answer with a book: {error}",
                fix="report it, with the file and what `alexandria doctor` shows",
            )
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code, peak = _wait_for_exit(process)
            self._end_process()
            return self._exit_error(request, code, peak, is_late=is_late.is_set())
        finally:
            timer.cancel()

    def _exit_error(self, request: Request, code: int, peak: int, *, is_late: bool) -> BookError:
        """Return the error of a file whose process ended before it answered."""
        # `code`: its exit code; below 0, the signal that ended it.
        # `peak`: its peak memory in bytes; 0 if not known.
        # `is_late`: whether this process killed it at the time limit.
        if is_late or code in _TIME_LIMIT_CODES:
            seconds = self.limits.cpu_seconds(request.n_bytes)
            return BookError(
                f"cannot read {request.path}",
                why=f"reading it takes more than {seconds:.0f} seconds",
                fix="allow more with ALEXANDRIA_READ_SECONDS",
                code=Code.TIMEOUT,
            )
        if code == _KILLED_CODE:
            return BookError(
                f"cannot read {request.path}",
                why="the system ended its reader, as it does when the memory of the machine runs out",
                fix="close other programs or read with fewer --workers, then try again",
                code=Code.TOO_LARGE,
            )
        if code < 0 and peak > _NEAR_LIMIT * self.limits.memory_bytes:
            return out_of_memory(request.path, self.limits)
        return damaged(
            request.path,
            f"the reader crashed on it (exit code {code})",
            fix="get a fresh copy of the file; if that does not help, report it with the file",
        )


def _wait_for_exit(process: "subprocess.Popen[bytes]") -> tuple[int, int]:
    """Wait until a process ends; return its exit code, and its peak memory in bytes, or 0 if not known."""
    if peak_memory() == 0:
        return process.wait(), 0
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except ChildProcessError:  # another thread has ended it and waited for it already
        return process.wait(), 0
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss << 10
    # On Linux, a child starts with the peak of its parent, so a peak that is not above that says nothing.
    return process.returncode, peak if peak > _PEAK_AT_START.get(process, 0) else 0


def _as_error(answer: Answer, path: Path) -> AlexandriaError:
    """Return the answer if it is an error; otherwise an error that says that it was not requested."""
    if isinstance(answer, AlexandriaError):
        return answer
    return damaged(
        path,
        "the reader answered something other than what it was asked",
        fix="get a fresh copy of the file; if that does not help, report it with the file",
    )
