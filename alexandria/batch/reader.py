"""Reads untrusted files in another process, so that a crash, a hang or a bomb is an error of one book."""

import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Self, cast

from alexandria.book import Book
from alexandria.errors import AlexandriaError, BookError, Code, ConfigError
from alexandria.extract import content_id
from alexandria.extract.limits import Limits
from alexandria.extract.options import ReadOptions
from alexandria.extract.worker import Answer, Request, out_of_memory


def limits_from(environ: Mapping[str, str]) -> Limits:
    """Return the limits, with what ALEXANDRIA_READ_SECONDS and ALEXANDRIA_READ_MEMORY (MiB) say.

    Raises:
        ConfigError: one of them is no number above zero.
    """
    usual = Limits()
    seconds = _number(environ, "ALEXANDRIA_READ_SECONDS", usual.seconds)
    memory = _number(environ, "ALEXANDRIA_READ_MEMORY", usual.memory_bytes / (1 << 20))
    return Limits(seconds=seconds, memory_bytes=int(memory * (1 << 20)))


def _number(environ: Mapping[str, str], name: str, usual: float) -> float:
    try:
        number = float(environ.get(name, usual))
    except ValueError:
        number = 0
    if not number > 0:
        raise ConfigError(
            f"{name} cannot be {environ[name]!r}", why="it must be a number above 0", fix="change it"
        )
    return number


Reading = Callable[[], tuple[str, Book | None]]
"""Waits for a file and returns its id and the book, no book where it need not be read; raises BookError."""


def read_ahead(
    files: Iterable[Path],
    options: ReadOptions,
    limits: Limits,
    workers: int,
    is_known: Callable[[str], object],
) -> Iterator[tuple[Path, Reading]]:
    """Yield each file with its reading, in order, while processes read the files that come next.

    Args:
        files: any number of them; no more than `workers` are in memory beyond the one yielded.
        options: how they are read.
        limits: what one may cost.
        workers: how many processes read, at least 1.
        is_known: asked with a file's id; true for one that need not be read.
    """
    with ExitStack() as stack:
        threads = ThreadPoolExecutor(workers)
        stack.callback(threads.shutdown, cancel_futures=True)
        readers: SimpleQueue[IsolatedReader] = SimpleQueue()
        for _ in range(
            workers
        ):  # ended before the threads are waited for, which then have no more to wait for
            readers.put(stack.enter_context(IsolatedReader(limits)))

        def read(path: Path) -> tuple[str, Book | None]:
            id = content_id(path)
            if is_known(id):
                return id, None
            reader = readers.get()
            try:
                return id, reader.read(path, options)
            finally:
                readers.put(reader)

        waiting: deque[tuple[Path, Reading]] = deque()
        for path in files:
            waiting.append((path, threads.submit(read, path).result))
            if len(waiting) > workers:
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()


class IsolatedReader:
    """A process that reads one file after the other; where a file ends it, the next one gets a new process.

    Not for two threads at once. Use it as a context manager: the process ends with it.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the process, if it is not there: it takes a moment, in which others can work."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "alexandria.extract.worker"],
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
        self.start()
        answer = self._ask(Request(path, options, self._limits, _size(path)))
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

        clock = threading.Timer(self._limits.wall_seconds(request.n_bytes), end)
        clock.start()
        try:
            pickle.dump(request, cast("IO[bytes]", process.stdin))
            cast("IO[bytes]", process.stdin).flush()
            return cast("Answer", pickle.load(cast("IO[bytes]", process.stdout)))
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = process.wait()
            self.close()
            return self._post_mortem(request, code, late=late.is_set())
        finally:
            clock.cancel()

    def _post_mortem(self, request: Request, code: int, *, late: bool) -> BookError:
        """Return the error for a file that ended its process."""
        if late or code == -signal.SIGXCPU:
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


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # the reader says what is wrong with it
