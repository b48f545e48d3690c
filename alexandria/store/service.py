"""Lets other processes read a library while this process has its folder open: the server of `remote.py`.

Each reader has a connection, and a thread of this process that answers. It calls the methods of the store
that read. Its request `hold` takes the read lock of the catalog and `release` gives it back: in between,
nobody changes the books, so that the reader sees each book whole or not at all.
"""

import os
import secrets
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from hmac import compare_digest
from itertools import islice
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from alexandria.errors import AlexandriaError, StoreError
from alexandria.store.catalog import Catalog
from alexandria.store.lock import FolderLock, Owner
from alexandria.store.wire import PROTOCOL, TOKEN_BYTES, read_bytes, receive, send

SOCKET = "alexandria.sock"
PAGE = 64
"""Points or payloads per answer."""
IDLE = 60.0
"""Seconds without a request after which a reader that has the read lock is disconnected: it has been stopped,
and would keep a writer waiting."""
_FINISH_SECONDS = 1.0
"""Seconds that a reader has to finish reading when the library is closed."""
_READS = (
    "search",
    "sentence_vectors",
    "ids_without",
    "generations",
    "counts",
)
"""The methods of a store whose result is one answer."""
_SCANS = ("payloads", "points")
"""The methods of a store whose results are sent in pages, one for each request `next`."""


class Service:
    """A socket for readers: it listens from its construction on, until it is stopped."""

    def __init__(self, lock: FolderLock, collection: str) -> None:
        """Begin to listen, and announce the address in the folder; readers wait until `serve` is called."""
        self._collection = collection
        self._token = secrets.token_hex(16)
        self._listener, port = _listen(lock.folder)
        self._socket = lock.folder / SOCKET
        self._catalog: weakref.ref[Catalog] | None = None
        self._ready = threading.Event()
        self._stopped, self._process = False, os.getpid()
        self._readers: set[_Reader] = set()
        lock.announce(replace(Owner.this_process(), port=port, token=self._token))
        threading.Thread(target=self._accept, name="library service", daemon=True).start()

    def serve(self, catalog: Catalog) -> None:
        """Let readers read this catalog, until the service is stopped or the catalog is dropped."""
        # Weakly: when the program drops its library, the library must close, not stay open for later readers.
        self._catalog = weakref.ref(catalog)
        weakref.finalize(catalog, self.stop)
        self._ready.set()

    def stop(self) -> None:
        """Accept no more readers and disconnect the others; one that is reading has a second to finish."""
        if self._stopped:
            return
        self._stopped = True
        if self._process != os.getpid():  # after a fork: the parent goes on answering
            self._listener.close()
            return
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._socket.unlink(missing_ok=True)
        self._ready.set()
        deadline = time.monotonic() + _FINISH_SECONDS
        for reader in list(self._readers):
            reader.disconnect(deadline)

    def _accept(self) -> None:
        """Start a thread for each reader that connects, until the service is stopped."""
        while not self._stopped:
            try:
                peer, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            reader = _Reader(peer)
            self._readers.add(reader)
            thread = threading.Thread(
                target=self._serve_reader, args=(reader,), name="library reader", daemon=True
            )
            thread.start()

    def _serve_reader(self, reader: "_Reader") -> None:
        """Check the token of a reader, and answer its requests until it disconnects."""
        # A reader that ends, or sends something other than a request, loses only its own connection.
        with reader.peer as peer, suppress(OSError, EOFError, UnpicklingError, ValueError):
            peer.settimeout(IDLE)
            if compare_digest(bytes(read_bytes(peer, TOKEN_BYTES)), self._token.encode()):
                self._ready.wait()
                self._answer_requests(reader)
        self._readers.discard(reader)

    def _answer_requests(self, reader: "_Reader") -> None:
        """Answer the requests of a reader until it ends, or the library is closed."""
        if self._catalog is None or (catalog := self._catalog()) is None:  # closed while the reader waited
            return
        send(reader.peer, (PROTOCOL, self._collection, catalog.binding))
        with reader.on_release:
            while True:
                del catalog  # while this thread waits, it must not keep the library open
                method, arguments = reader.wait_for_request()
                if (catalog := self._catalog()) is None or (self._stopped and not reader.has_read_lock):
                    return
                if method == "release":  # the reader does not wait for an answer
                    reader.release()
                else:
                    send(reader.peer, reader.answer(catalog, method, arguments))


class _Reader:
    """The connection to one reader."""

    def __init__(self, peer: socket.socket) -> None:
        """Take over the connection to a reader, which has not sent a request yet."""
        self.peer = peer
        self.on_release = ExitStack()
        """What `release` leaves: the block of `Catalog.read_lock` that `hold` has entered."""
        self.has_read_lock = False
        """Whether the reader has sent `hold`, and not yet `release`."""
        self._thread: threading.Thread | None = None
        """The thread that answers."""
        self._scans: list[Iterator[Any]] = []
        """What it is reading in pages. A request `next` names a scan by its position here."""

    def wait_for_request(self) -> tuple[str, tuple[Any, ...]]:
        """Wait for the next request, and return its name and its arguments.

        Raises:
            ValueError: the reader has sent something else.
        """
        self._thread = threading.current_thread()
        self.peer.settimeout(IDLE if self.has_read_lock else None)
        match receive(self.peer):
            case [str(method), tuple(arguments)]:
                return method, arguments
            case _:
                raise ValueError("a message that is not a request")

    def disconnect(self, deadline: float) -> None:
        """Close the connection once the reader has no read lock, or at the deadline."""
        if self._thread is threading.current_thread():
            return  # this reader's request `give_way` closes the library, and is still to be answered
        while self.has_read_lock and time.monotonic() < deadline:
            time.sleep(0.005)
        with suppress(OSError):
            self.peer.shutdown(socket.SHUT_RDWR)

    def answer(self, catalog: Catalog, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        """Return the answer to a request: whether it succeeded, and its value, or else its error."""
        try:
            return True, self._call(catalog, method, arguments)
        except AlexandriaError as error:
            return False, error
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            fix = "run the same command again once that process has ended"
            return False, StoreError(
                "the process that has the library open could not answer", why=why, fix=fix
            )

    def release(self) -> None:
        """Give the read lock back, so that others can change the books again."""
        self.has_read_lock = False
        self._scans.clear()
        self.on_release.close()

    def _call(self, catalog: Catalog, method: str, arguments: tuple[Any, ...]) -> Any:
        """Return the value of a request.

        Raises:
            ValueError: there is no such request, or it needs a `hold` first.
        """
        if method == "hold":
            catalog.sweep()  # if `verify` has the library open, it has not swept it
            self.on_release.enter_context(catalog.read_lock())
            self.has_read_lock = True
            return catalog.store.count()
        if method == "give_way":
            return catalog.give_way()
        if not self.has_read_lock:
            raise ValueError(f"{method} without hold")
        if method in _READS:
            return getattr(catalog.store, method)(*arguments)
        if method in _SCANS:
            self._scans.append(getattr(catalog.store, method)(*arguments))
            return len(self._scans) - 1
        if method == "next":
            return list(islice(self._scans[arguments[0]], PAGE))
        raise ValueError(f"there is no request {method}")


def _listen(folder: Path) -> tuple[socket.socket, int]:
    """Return a listening socket and its port. Where possible, it is a Unix socket in the folder: port 0."""
    path = folder / SOCKET
    path.unlink(missing_ok=True)  # a killed process has left it: we have the lock
    if hasattr(socket, "AF_UNIX"):
        listener = socket.socket(socket.AF_UNIX)
        try:
            listener.bind(str(path))
            path.chmod(0o600)  # before anybody can connect
            return _start_listening(listener), 0
        except OSError:  # the path is too long, or the file system has no sockets
            listener.close()
            path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_INET)
    listener.bind(("127.0.0.1", 0))
    return _start_listening(listener), int(listener.getsockname()[1])


def _start_listening(listener: socket.socket) -> socket.socket:
    listener.listen(64)
    listener.settimeout(1.0)  # on some systems, closing the socket does not wake the thread that accepts
    return listener
