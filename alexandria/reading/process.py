"""Reads untrusted files in another process: a crash, a hang or a bomb is an error of one book."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from alexandria.book import Book
from alexandria.errors import AlexandriaError, BookError, Code
from alexandria.extract.options import ReadOptions
from alexandria.reading.answers import load_answer
from alexandria.reading.limits import Limits, check_size, file_size, limits_from
from alexandria.reading.worker import Answer, Request, out_of_memory

_START_SECONDS = 30
"""What a new process may take on a busy machine before it reads: it imports the parsers."""


class IsolatedReader:
    """A process that reads one file after the other; where a file ends it, the next one gets a new process.

    Not for two threads at once. Use it as a context manager: the process ends with it.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        """Start nothing yet; without `limits`, those of the environment hold."""
        self.limits = limits or limits_from(os.environ)
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
        check_size(path, self.limits)
        self.start()
        answer = self._ask(Request(path, options, self.limits, file_size(path)))
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
        seconds = self.limits.wall_seconds(request.n_bytes)
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
            seconds = self.limits.cpu_seconds(request.n_bytes)
            return BookError(
                f"cannot read {request.path}",
                why=f"reading it takes more than {seconds:.0f} seconds",
                fix="allow more with ALEXANDRIA_READ_SECONDS",
                code=Code.TIMEOUT,
            )
        if code == -signal.SIGKILL:  # the kernel's answer where memory runs out
            return out_of_memory(request.path, self.limits)
        return BookError(
            f"cannot read {request.path}",
            why=f"its reader crashed on it (exit code {code})",
            fix="get a fresh copy of the file; if that does not help, report it with the file",
            code=Code.DAMAGED,
        )
