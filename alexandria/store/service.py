"""Answers the readers of other processes while this process has a library's folder open.

Each reader has a connection and a thread here. It asks for the methods of a store that read; between `hold`
and `release` nobody changes the books, so that it sees each of them whole or not at all.
"""

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
"""Seconds without a request after which a reader no longer holds up the writer: it has been stopped."""
_GRACE = 1.0
"""Seconds that a reader has to finish what it is reading when the library is closed."""
_READS = (
    "search",
    "sentence_rows",
    "lacking",
    "generations",
    "counts",
    "records_by",
    "records_with",
    "page",
    "selected",
    "summary",
    "catalog_faults",
)
_SCANS = ("payloads", "points", "records", "matching")


class Service:
    """A socket for readers, from the moment the folder is locked until it is released."""

    def __init__(self, lock: FolderLock, collection: str) -> None:
        """Listen, and write where into the folder; readers wait until `serve` is called."""
        self._collection = collection
        self._token = secrets.token_hex(16)
        self._listener, port = _listen(lock.folder)
        self._socket = lock.folder / SOCKET
        self._catalog: weakref.ref[Catalog] | None = None
        self._ready = threading.Event()
        self._stopped = False
        self._readers: set[_Reader] = set()
        lock.announce(replace(Owner.this_process(), port=port, token=self._token))
        threading.Thread(target=self._accept, name="library service", daemon=True).start()

    def serve(self, catalog: Catalog) -> None:
        """Let readers read this catalog."""
        # Weakly: a library that its program has dropped must be closed, not kept open for readers to come.
        self._catalog = weakref.ref(catalog)
        weakref.finalize(catalog, self.stop)
        self._ready.set()

    def stop(self) -> None:
        """Accept no more readers and disconnect the others; one that is reading has a second to finish."""
        if self._stopped:
            return
        self._stopped = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._socket.unlink(missing_ok=True)
        self._ready.set()
        deadline = time.monotonic() + _GRACE
        for reader in list(self._readers):
            reader.disconnect(deadline)

    def _accept(self) -> None:
        while not self._stopped:
            try:
                peer, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            reader = _Reader(peer)
            self._readers.add(reader)
            threading.Thread(target=self._talk, args=(reader,), name="library reader", daemon=True).start()

    def _talk(self, reader: "_Reader") -> None:
        # A reader that ends, or sends what is no request, ends its own connection only.
        with reader.peer as peer, suppress(OSError, EOFError, UnpicklingError, ValueError):
            peer.settimeout(IDLE)
            if compare_digest(bytes(read_bytes(peer, TOKEN_BYTES)), self._token.encode()):
                self._ready.wait()
                self._answer(reader)
        self._readers.discard(reader)

    def _answer(self, reader: "_Reader") -> None:
        """Answer the requests of a reader until it ends, or the library is closed."""
        if self._catalog is None or (catalog := self._catalog()) is None:
            return
        send(reader.peer, (PROTOCOL, self._collection, catalog.binding))
        with reader.hold:
            while True:
                del catalog  # between requests nothing here keeps it
                method, arguments = reader.request()
                if (catalog := self._catalog()) is None or (self._stopped and not reader.holding):
                    return
                if method == "release":  # the reader does not wait for an answer
                    reader.release()
                else:
                    send(reader.peer, reader.answer(catalog, method, arguments))


class _Reader:
    """One connection: what it holds, what it has been told, and what it is reading."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer, self.hold, self.holding = peer, ExitStack(), False
        self._thread: threading.Thread | None = None
        self._seen: int | None = None  # of the changes of the catalog
        self._scans: list[Iterator[Any]] = []

    def request(self) -> tuple[str, tuple[Any, ...]]:
        """Wait for the next request: its name and its arguments."""
        self._thread = threading.current_thread()
        self.peer.settimeout(IDLE if self.holding else None)
        method, arguments = receive(self.peer)
        return method, arguments

    def disconnect(self, deadline: float) -> None:
        """End the connection once it holds nothing, or at the deadline."""
        if self._thread is threading.current_thread():
            return  # its last answer is that the library has been handed over
        while self.holding and time.monotonic() < deadline:
            time.sleep(0.005)
        with suppress(OSError):
            self.peer.shutdown(socket.SHUT_RDWR)

    def answer(self, catalog: Catalog, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        """Return whether a request succeeded, and its value or error."""
        try:
            return True, self._answer(catalog, method, arguments)
        except AlexandriaError as error:
            return False, error
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            fix = "run the same command again once that process has ended"
            return False, StoreError(
                "the process that has the library open could not answer", why=why, fix=fix
            )

    def release(self) -> None:
        """Let others change the books again."""
        self.holding = False
        self._scans.clear()
        self.hold.close()

    def _answer(self, catalog: Catalog, method: str, arguments: tuple[Any, ...]) -> Any:
        if method == "hold":
            catalog.sweep()  # `verify` has not, when it opened the library
            self.hold.enter_context(catalog.held())
            self.holding = True
            changed, self._seen = catalog.n_changes != self._seen, catalog.n_changes
            return changed, catalog.store.count()
        if method == "give_way":
            return catalog.give_way()
        if not self.holding:
            raise ValueError(f"{method} without hold")
        if method in _READS:
            return getattr(catalog.store, method)(*arguments)
        if method in _SCANS:
            scan = getattr(catalog.store, method)(*arguments)
            if scan is None:  # the store cannot ask its catalog
                return None
            self._scans.append(iter(scan))
            return len(self._scans) - 1
        if method == "next":
            return list(islice(self._scans[arguments[0]], PAGE))
        raise ValueError(f"there is no request {method}")


def _listen(folder: Path) -> tuple[socket.socket, int]:
    """Return a listening socket, and its port: 0 for a socket in the folder, where the system has such."""
    path = folder / SOCKET
    path.unlink(missing_ok=True)  # of a process that was killed: we have its lock
    if hasattr(socket, "AF_UNIX"):
        listener = socket.socket(socket.AF_UNIX)
        try:
            listener.bind(str(path))
            path.chmod(0o600)  # before anybody can connect
            return _listening(listener), 0
        except OSError:  # the path is too long, or the file system has no sockets
            listener.close()
            path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_INET)
    listener.bind(("127.0.0.1", 0))
    return _listening(listener), int(listener.getsockname()[1])


def _listening(listener: socket.socket) -> socket.socket:
    listener.listen(64)
    listener.settimeout(1.0)  # where closing a socket does not wake the thread that accepts
    return listener
