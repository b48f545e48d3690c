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
"""Added for a new process, which imports the parsers before it reads."""
# Windows has neither these signals nor sessions; there, a group of its own keeps Ctrl-C from a process.
_OUT_OF_TIME = [-getattr(signal, name) for name in ("SIGXCPU", "SIGALRM") if hasattr(signal, name)]
_KILLED = -getattr(signal, "SIGKILL", 9)
"""The exit code of a process that the kernel ends when memory runs out."""
_OWN_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


def start_worker() -> "subprocess.Popen[bytes]":
    """Start a process that answers requests; return at once, while it still imports the parsers."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "alexandria.reading.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Ctrl-C is for the caller to handle: the process finishes the file it is reading.
        start_new_session=True,
        creationflags=_OWN_GROUP,
    )


def end_worker(process: "subprocess.Popen[bytes]") -> None:
    """End a process, whatever it is doing."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):  # half a request may still be in it
            cast("IO[bytes]", pipe).close()


class IsolatedReader:
    """A process that reads one file after another; if a file kills it, a new one reads the next file.

    Only one thread at a time may use it. Use it as a context manager, which ends the process.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        """Set the limits, by default those of the environment; the process starts with the first file."""
        self.limits = limits or limits_from(os.environ)
        self._process: subprocess.Popen[bytes] | None = None
        self._is_new = True
        self._is_closed = False
        self._starting = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._starting:  # another thread may be about to read
            self._is_closed = True
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
                self.close()  # it ended while idle, which is no fault of the next file
            if self._process is None:
                self._is_new = True
                self._process = start_worker()

    def read(self, path: Path, options: ReadOptions) -> Book:
        """Read a file into a book.

        Raises:
            BookError: as `extract.extract`; or `timeout`, `too_large` or `damaged` if the process ended.
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
            end_worker(process)

    def _ask(self, request: Request) -> Answer:
        process = cast("subprocess.Popen[bytes]", self._process)
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        # The process enforces the same limit itself; this is for one that is suspended or still starting.
        seconds = self.limits.wall_seconds(request.n_bytes)
        timer = threading.Timer(seconds + (_START_SECONDS if self._is_new else 0), end)
        timer.start()
        try:
            pickle.dump(request, cast("IO[bytes]", process.stdin))
            cast("IO[bytes]", process.stdin).flush()
            answer = load_answer(cast("IO[bytes]", process.stdout))
            self._is_new = False
            return answer
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = process.wait()
            self.close()
            return self._post_mortem(request, code, late=late.is_set())
        finally:
            timer.cancel()

    def _post_mortem(self, request: Request, code: int, *, late: bool) -> BookError:
        """Return the error of a file that killed its process."""
        if late or code in _OUT_OF_TIME:
            seconds = self.limits.cpu_seconds(request.n_bytes)
            return BookError(
                f"cannot read {request.path}",
                why=f"reading it takes more than {seconds:.0f} seconds",
                fix="allow more with ALEXANDRIA_READ_SECONDS",
                code=Code.TIMEOUT,
            )
        if code == _KILLED:
            return out_of_memory(request.path, self.limits)
        return BookError(
            f"cannot read {request.path}",
            why=f"the reader crashed on it (exit code {code})",
            fix="get a fresh copy of the file; if that does not help, report it with the file",
            code=Code.DAMAGED,
        )
