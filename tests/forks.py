"""Processes of the command line, forked from one that has imported the program instead of importing it again.

Starting Python and the program takes .6 s of processor time, a fork a tenth of that. What is forked is a
process like any other: with its own id, environment, folder and streams, to be interrupted, killed and waited
for. Tests of the start itself, or of what is imported, start Python.

    python -m tests.forks SOCKET               the process that forks, until its standard input ends
    python tests/forks.py SOCKET WORDS...      a command in a terminal: it starts one and waits for it
"""

import io
import os
import pickle
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Self

ROOT = Path(__file__).parents[1]
PRELOADED = (
    "alexandria.__main__",
    "alexandria.library.ingest.discovery",
    "alexandria.library.care.mending",
    "alexandria.library.ingest.progress",
    "alexandria.library.ingest.run",
    "alexandria.doors.cli",
    "alexandria.doors.cli.ingest",
    "alexandria.doors.cli.library",
    "alexandria.doors.cli.manage",
    "alexandria.doors.cli.passages",
    "alexandria.doors.cli.upkeep",
    "alexandria.library.read.contents",
    "alexandria.library.ingest.encoder",
    "alexandria.library.care.health",
    "alexandria.library.inspect.inspection",
    "alexandria.library.libraries",
    "alexandria.library.search.quotations",
    "alexandria.library.shortcuts",
    "alexandria.store.server.connect",
    "alexandria.store.edge",
    "alexandria.store.repair",
    "alexandria.store.restore",
    "alexandria.store.service",
    "alexandria.store.transfer",
    "alexandria.show.json.ingest",
    "alexandria.show.json.library",
    "alexandria.show.json.status",
    "numpy.ma",
    "platformdirs",
    "rich.console",
    "rich.padding",
    "rich.progress",
    "rich.table",
)
"""What commands import; none of it starts a thread, which a fork would lose.

Not the views of the terminal: their console asks for its width and colours when it is imported.
"""
_NUMBER = struct.Struct("<i")


class Forked:
    """A process that runs a command; as a `Popen`."""

    stdout: IO[bytes]
    stderr: IO[bytes]

    def __init__(
        self, words: list[str], *, env: Mapping[str, str], cwd: Path, prints: int = subprocess.PIPE
    ) -> None:
        """Start it; it reads nothing, and prints into pipes or, with DEVNULL, nowhere."""
        with ExitStack() as ours:
            nothing = ours.enter_context(open(os.devnull, "r+b"))  # noqa: PTH123  # a device
            streams: list[IO[bytes]] = []
            fds = [nothing.fileno()]
            for _ in range(2):
                if prints == subprocess.PIPE:
                    read, write = os.pipe()
                    ours.callback(os.close, write)
                    streams.append(os.fdopen(read, "rb"))
                    fds.append(write)
                else:
                    streams.append(io.BytesIO())
                    fds.append(nothing.fileno())
            self._connection, self.pid = _request(fork_server(), words, env=env, cwd=cwd, fds=fds)
        self.stdout, self.stderr = streams
        self.returncode: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for stream in (self.stdout, self.stderr):
            stream.close()
        self.wait()

    def poll(self) -> int | None:
        """Return its exit code, negative for a signal; None while it runs."""
        if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self) -> int:
        """Wait for its end, and return its exit code."""
        if self.returncode is None:
            self.returncode = _end(self._connection)
        return self.returncode

    def communicate(self) -> tuple[bytes, bytes]:
        """Wait for its end, and return what it has printed since it was last read."""
        from concurrent.futures import ThreadPoolExecutor  # not for the command in a terminal

        with self, ThreadPoolExecutor(2) as threads:
            output, errors = threads.map(lambda stream: stream.read(), (self.stdout, self.stderr))
        return output, errors

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it, whatever it is doing."""
        self.send_signal(signal.SIGKILL)


@cache
def fork_server() -> Path:
    """Return the socket of the process that forks; it is started by the first test that needs it."""
    import atexit
    from tempfile import TemporaryDirectory

    folder = TemporaryDirectory()
    path = Path(folder.name, "forks")
    command = [sys.executable, "-m", "tests.forks", str(path)]
    server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin
    assert server.stdout
    assert server.stdout.read(1) == b"."  # it listens

    def end() -> None:
        server.communicate()  # its standard input ends, and so does it
        folder.cleanup()

    atexit.register(end)
    return path


def _request(
    path: Path, words: list[str], *, env: Mapping[str, str], cwd: Path, fds: list[int]
) -> tuple[socket.socket, int]:
    """Have a process forked; return the connection that tells its end, and its id."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    request = pickle.dumps((words, dict(env), str(cwd)))
    socket.send_fds(connection, [_NUMBER.pack(len(request))], fds)
    connection.sendall(request)
    return connection, _received(connection)


def _received(connection: socket.socket) -> int:
    return int(_NUMBER.unpack(connection.recv(_NUMBER.size, socket.MSG_WAITALL))[0])


def _end(connection: socket.socket) -> int:
    """Wait for the end of a process, and return its exit code."""
    with connection:
        return os.waitstatus_to_exitcode(_received(connection))


def serve(path: str) -> tuple[list[str], dict[str, str], str] | None:
    """Fork a process for each request; return, in each of them, its words, environment and folder.

    In the process that forks, return None when standard input ends.
    """
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    waiting: dict[int, socket.socket] = {}
    os.write(1, b".")
    while True:
        ready, _, _ = select.select([listener.fileno(), woken, 0], [], [])
        if 0 in ready:
            return None
        if woken in ready:
            os.read(woken, 4096)
            _tell_ends(waiting)
        if listener.fileno() in ready:
            connection, _ = listener.accept()
            header, fds, _, _ = socket.recv_fds(connection, _NUMBER.size, 3)
            request = pickle.loads(connection.recv(_NUMBER.unpack(header)[0], socket.MSG_WAITALL))
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for number, fd in enumerate(fds):
                    os.dup2(fd, number)
                for fd in (*fds, woken, wake):
                    os.close(fd)
                for other in (listener, connection, *waiting.values()):
                    other.close()
                return request  # type: ignore[no-any-return]  # as `_request` packs it
            for fd in fds:
                os.close(fd)
            waiting[pid] = connection
            connection.sendall(_NUMBER.pack(pid))


def _tell_ends(waiting: dict[int, socket.socket]) -> None:
    """Send the status of each process that has ended to who waits for it."""
    while waiting:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        with waiting.pop(pid) as connection:
            connection.sendall(_NUMBER.pack(status))


def run(words: list[str], env: Mapping[str, str], cwd: str) -> None:
    """Be the process of a command."""
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    added = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [folder for folder in added if folder not in sys.path]  # as Python does when it starts
    sys.stdin = _stream(0, "r")
    sys.stdout, sys.stderr = _stream(1, "w"), _stream(2, "w", errors="backslashreplace")
    from alexandria import __main__

    sys.argv = [str(__main__.__file__), *words]
    __main__.run_program()


def _stream(number: int, mode: str, **options: Any) -> IO[str]:
    return open(number, mode, encoding="utf-8", closefd=False, **options)


def main() -> None:
    """Fork processes for others, or have one forked and wait for its end."""
    path, *words = sys.argv[1:]
    if words:
        connection, _ = _request(Path(path), words, env=os.environ, cwd=Path.cwd(), fds=[0, 1, 2])
        sys.exit(_end(connection))
    import gc
    from importlib import import_module

    for name in PRELOADED:
        with suppress(ModuleNotFoundError):  # of an annex that is not there
            import_module(name)
    gc.collect()
    gc.freeze()
    request = serve(path)
    if request is not None:
        run(*request)


if __name__ == "__main__":
    main()
