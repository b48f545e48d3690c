"""Reads untrusted files in another process, so that a crash, a hang or a bomb is an error of one book."""

import pickle
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Self, cast

from alexandria.book import Book
from alexandria.errors import AlexandriaError, BookError, Code, ConfigError
from alexandria.extract import content_id
from alexandria.extract.options import ReadOptions
from alexandria.reading.answers import load_answer
from alexandria.reading.cache import KeptBooks
from alexandria.reading.limits import Limits
from alexandria.reading.queue import Waiting, file_size
from alexandria.reading.worker import Answer, Request, out_of_memory


def limits_from(environ: Mapping[str, str]) -> Limits:
    """Return the limits, with what the environment says.

    ALEXANDRIA_READ_SECONDS, and in MiB ALEXANDRIA_READ_MEMORY and ALEXANDRIA_FILE_SIZE.

    Raises:
        ConfigError: one of them is no number above zero.
    """
    usual = Limits()
    seconds = _number(environ, "ALEXANDRIA_READ_SECONDS", usual.seconds)
    memory = _number(environ, "ALEXANDRIA_READ_MEMORY", usual.memory_bytes / (1 << 20))
    size = _number(environ, "ALEXANDRIA_FILE_SIZE", usual.file_bytes / (1 << 20))
    return Limits(seconds=seconds, memory_bytes=int(memory * (1 << 20)), file_bytes=int(size * (1 << 20)))


def _number(environ: Mapping[str, str], name: str, usual: float) -> float:
    try:
        number = float(environ.get(name, usual))
    except ValueError:
        number = 0
    if not 0 < number <= 1e9:  # more MiB or seconds than any machine has, and the kernel's limit overflows
        raise ConfigError(
            f"{name} cannot be {environ[name]!r}", why="it must be a number above 0", fix="change it"
        )
    return number


_START_SECONDS = 30
"""What a new process may take on a busy machine before it reads: it imports the parsers."""

_AHEAD_BYTES = 4 << 20
"""What may wait of small files, a worker: the model has work then while a long book is read."""

Reading = Future[tuple[str, Book | None]]
"""A file's id and the book, no book where it need not be read; or a BookError."""


def read_ahead(
    files: Iterable[Path],
    options: ReadOptions,
    limits: Limits,
    workers: int,
    is_known: Callable[[str], object],
    kept: KeptBooks | None = None,
) -> Iterator[tuple[Path, Reading]]:
    """Yield each file with its reading, in order, while processes read the files that come next.

    Args:
        files: any number; beyond the one yielded no more than `workers` are in memory, and more small ones.
        options: how they are read.
        limits: what one may cost.
        workers: how many processes read; 0 reads a file in a process, but no earlier than its turn comes.
        is_known: asked with a file's id; true for one that need not be read.
        kept: what was read before, and where to keep what is read now; None reads all anew.
    """
    with ExitStack() as stack:
        n_readers = max(1, workers)
        threads = ThreadPoolExecutor(n_readers)
        stack.callback(threads.shutdown, cancel_futures=True)
        readers: SimpleQueue[IsolatedReader] = SimpleQueue()
        for _ in range(n_readers):
            # Ended before the threads are waited for, which then have no more to wait for.
            readers.put(stack.enter_context(IsolatedReader(limits)))

        def read(path: Path) -> tuple[str, Book | None]:
            refuse_size(path, limits)
            id = content_id(path)
            if is_known(id):
                return id, None

            def by_a_process() -> Book:
                reader = readers.get()
                try:
                    return reader.read(path, options)
                finally:
                    readers.put(reader)

            return id, kept.read(path, id, by_a_process) if kept else by_a_process()

        waiting = Waiting[tuple[Path, Reading]](workers, workers * _AHEAD_BYTES)
        for path in files:
            waiting.add(path, (path, threads.submit(read, path)))
            yield from waiting.surplus()
        yield from waiting.rest()


class IsolatedReader:
    """A process that reads one file after the other; where a file ends it, the next one gets a new process.

    Not for two threads at once. Use it as a context manager: the process ends with it.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._fresh = True
        self._over = False
        self._starting = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._starting:  # another thread may be about to read
            self._over = True
        self.close()

    @property
    def pid(self) -> int | None:
        """The process's id; None where none has been started yet."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process, if it is not there: it takes a moment, in which others can work."""
        with self._starting:
            if self._over:
                raise RuntimeError("the reader has been closed for good")
            if self._process is not None and self._process.poll() is not None:
                self.close()  # ended while it had nothing to do: no fault of the next file
            if self._process is None:
                self._fresh = True
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "alexandria.reading.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    # A Ctrl-C is for the batch to decide on: the file at hand is read to its end.
                    start_new_session=True,
                )

    def read(self, path: Path, options: ReadOptions) -> Book:
        """Return the book.

        Raises:
            BookError: as `extract.extract`, and `timeout`, `too_large` or `damaged` where the process ended.
        """
        refuse_size(path, self._limits)
        self.start()
        answer = self._ask(Request(path, options, self._limits, file_size(path)))
        if isinstance(answer, AlexandriaError):
            raise answer
        return answer

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):  # half a request may wait in it
                    cast("IO[bytes]", pipe).close()

    def _ask(self, request: Request) -> Answer:
        process = cast("subprocess.Popen[bytes]", self._process)
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        # The process keeps the same time itself; this is for one that is stopped or still starting.
        seconds = self._limits.wall_seconds(request.n_bytes)
        clock = threading.Timer(seconds + (_START_SECONDS if self._fresh else 0), end)
        clock.start()
        try:
            pickle.dump(request, cast("IO[bytes]", process.stdin))
            cast("IO[bytes]", process.stdin).flush()
            answer = load_answer(cast("IO[bytes]", process.stdout))
            self._fresh = False
            return answer
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = process.wait()
            self.close()
            return self._post_mortem(request, code, late=late.is_set())
        finally:
            clock.cancel()

    def _post_mortem(self, request: Request, code: int, *, late: bool) -> BookError:
        """Return the error for a file that ended its process."""
        if late or code in (-signal.SIGXCPU, -signal.SIGALRM):
            seconds = self._limits.cpu_seconds(request.n_bytes)
            return BookError(
                f"cannot read {request.path}",
                why=f"reading it takes more than {seconds:.0f} seconds",
                fix="allow more with ALEXANDRIA_READ_SECONDS",
                code=Code.TIMEOUT,
            )
        if code == -signal.SIGKILL:  # the kernel's answer where memory runs out
            return out_of_memory(request.path, self._limits)
        return BookError(
            f"cannot read {request.path}",
            why=f"its reader crashed on it (exit code {code})",
            fix="get a fresh copy of the file; if that does not help, report it with the file",
            code=Code.DAMAGED,
        )


def refuse_size(path: Path, limits: Limits) -> None:
    """Refuse a file that is empty or too large by its size alone, before a byte is read.

    What the kernel shows as files of no size, under /proc, might never end.

    Raises:
        BookError: `empty` or `too_large`.
    """
    try:
        status = path.stat()
    except OSError:
        return  # who opens it says what is wrong with it
    if not stat.S_ISREG(status.st_mode):
        return
    if status.st_size == 0:
        raise BookError(f"cannot read {path}", why="the file is empty", fix="check the file", code=Code.EMPTY)
    if status.st_size > limits.file_bytes:
        raise BookError(
            f"cannot read {path}",
            why=f"it has {status.st_size >> 20:,} MiB; {limits.file_bytes >> 20:,} are allowed",
            fix="split the file, or allow more with ALEXANDRIA_FILE_SIZE (in MiB)",
            code=Code.TOO_LARGE,
        )
