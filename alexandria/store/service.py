"""Lets other processes read a library while this one has its folder open: it answers `through_owner.py`.

Each reader has connections, and a thread of this process answers on each. A request is one call of a method
of the store that reads points; it waits while a book is being written. Nothing is kept from one request to
the next: the reader itself checks in the catalog, which is a file, that nothing has changed in between.

A message is a length in bytes, then a pickle. Only the classes listed here are unpickled: with any others, a
pickle could run arbitrary code.
"""

import io
import os
import pickle
import secrets
import socket
import struct
import threading
import weakref
from contextlib import suppress
from dataclasses import replace
from hmac import compare_digest
from itertools import islice
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from alexandria import errors
from alexandria.book.model import Point, Sparse
from alexandria.errors import AlexandriaError, StoreError
from alexandria.store.catalog import Catalog
from alexandria.store.lock import FolderLock, Owner
from alexandria.store.passage import Hit
from alexandria.store.plan import Stage, VectorName
from alexandria.store.store import Binding, QueryVectors, Store
from alexandria.system.enum_members import AS_GETATTR, enum_member

SOCKET = "alexandria.sock"
CONNECT_SECONDS = 5.0  # seconds that either side has to introduce itself: it may be busy
PAGE = 64  # points or payloads per answer
_READS = ("count", "search", "sentence_vectors", "ids_without", "counts")
"""The methods of a store whose result is one answer."""
_SCANS = ("payloads", "points")
"""The methods of a store whose results are sent in pages, each with the first result of the next one."""
PROTOCOL = 11
"""The version of the protocol, raised with every change of what is sent: both sides must have the same."""
TOKEN_BYTES = 32
BEGUN = "begun"
"""What the owner sends before an answer, once it does not write: from then on, it answers without waiting."""
_LENGTH = struct.Struct(">Q")
_MAX_MESSAGE = 1 << 31  # bytes of a message; the vectors of 64 long chunks take some 20 MB
_VALUES = (Point, Sparse, Hit, Stage, Binding, QueryVectors, VectorName, range)
_ERRORS = tuple(
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.AlexandriaError)
)  # all our errors: the owner of a library answers with whichever error its store raises
_ALLOWED = {
    **{(value.__module__, value.__qualname__): value for value in (*_VALUES, *_ERRORS)},
    **{(value.__module__, value.__qualname__): value for value in (errors.Code, errors._rebuild)},
    AS_GETATTR: enum_member,
}  # what may be unpickled, by module and name
_ARRAYS = {"_frombuffer", "_reconstruct", "dtype", "ndarray"}  # the names of numpy in the pickle of an array


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
        self._asked = threading.local()
        """For each thread that answers, the `peer` whose request may close the library."""
        self._peers: set[socket.socket] = set()  # the connections of the readers
        lock.announce(replace(Owner.this_process(), port=port, token=self._token))
        threading.Thread(target=self._accept, name="library service", daemon=True).start()

    def serve(self, catalog: Catalog) -> None:
        """Let readers read this catalog, until the service is stopped or the catalog is dropped."""
        # Weakly: when the program drops its library, the library must close, not stay open for later readers.
        self._catalog = weakref.ref(catalog)
        weakref.finalize(catalog, self.stop)
        self._ready.set()

    def stop(self) -> None:
        """Accept no more readers and disconnect the others, who then ask again."""
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
        for peer in self._peers - {getattr(self._asked, "peer", None)}:
            with suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        """Start a thread for each reader that connects, until the service is stopped."""
        while not self._stopped:
            try:
                peer, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            self._peers.add(peer)
            thread = threading.Thread(target=self._serve, args=(peer,), name="library reader", daemon=True)
            thread.start()

    def _serve(self, peer: socket.socket) -> None:
        """Check the token of a reader, and answer its requests until it disconnects."""
        self._asked.peer = peer
        # A reader that ends, or sends something other than a request, loses only its own connection.
        with peer, suppress(OSError, EOFError, UnpicklingError, ValueError):
            peer.settimeout(CONNECT_SECONDS)
            if compare_digest(bytes(read_bytes(peer, TOKEN_BYTES)), self._token.encode()):
                peer.settimeout(None)
                self._ready.wait()
                self._answer_requests(peer)
        self._peers.discard(peer)

    def _answer_requests(self, peer: socket.socket) -> None:
        """Answer the requests of a reader until it ends, or the library is closed."""
        if self._catalog is None or (catalog := self._catalog()) is None:  # closed while the reader waited
            return
        send(peer, (PROTOCOL, self._collection, catalog.binding))
        while not self._stopped:
            del catalog  # while this thread waits, it must not keep the library open
            match receive(peer):
                case [str(method), tuple(arguments)]:
                    pass
                case _:
                    raise ValueError("a message that is not a request")
            if (catalog := self._catalog()) is None:
                return
            send(peer, _answer(catalog, peer, method, arguments))


def _answer(
    catalog: Catalog, peer: socket.socket, method: str, arguments: tuple[Any, ...]
) -> tuple[bool, Any]:
    """Return the answer to a request: whether it succeeded, and its value, or else its error."""
    try:
        if method == "give_way":
            return True, catalog.give_way()
        catalog.sweep()  # if `verify` has the library open, it has not swept it
        with catalog.read_lock():
            send(peer, BEGUN)
            return True, _read(catalog.store, method, arguments)
    except AlexandriaError as error:
        return False, error
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        fix = "run the same command again once that process has ended"
        return False, StoreError("the process that has the library open could not answer", why=why, fix=fix)


def _read(store: Store, method: str, arguments: tuple[Any, ...]) -> Any:
    """Return the value of a request.

    Raises:
        ValueError: there is no such request.
    """
    if method == "search":  # readers of version 1.0.0 need the whole payloads, too
        hits = store.search(*arguments)
        payloads = store.whole_payloads(hits)
        return [replace(hit, payload=payloads[hit.id]) for hit in hits]
    if method in _READS:
        return getattr(store, method)(*arguments)
    if method in _SCANS:
        return list(islice(getattr(store, method)(*arguments), PAGE + 1))
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


def send(peer: socket.socket, message: object) -> None:
    """Send one message."""
    data = pickle.dumps(message, protocol=5)
    peer.sendall(_LENGTH.pack(len(data)) + data)


def receive(peer: socket.socket) -> Any:
    """Wait for a message, and return it.

    Raises:
        EOFError: the other side has closed the connection.
        UnpicklingError: the other side has sent something that is not such a message.
    """
    (length,) = _LENGTH.unpack(read_bytes(peer, _LENGTH.size))
    if length > _MAX_MESSAGE:
        raise pickle.UnpicklingError(f"a message of {length:,} bytes")
    data = read_bytes(peer, length)
    try:
        return _RestrictedUnpickler(io.BytesIO(data)).load()
    except pickle.UnpicklingError:
        raise
    except Exception as error:  # on bytes that are not a pickle, pickle raises errors of many classes
        raise pickle.UnpicklingError("not a valid pickle") from error


def read_bytes(peer: socket.socket, n_bytes: int) -> bytearray:
    """Wait for `n_bytes`, and return them.

    Raises:
        EOFError: the other side has closed the connection.
    """
    data = bytearray(n_bytes)
    view = memoryview(data)
    while view:
        n_read = peer.recv_into(view)
        if not n_read:
            raise EOFError
        view = view[n_read:]
    return data


class _RestrictedUnpickler(pickle.Unpickler):
    """Loads only the classes in `_ALLOWED`, and arrays."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that a message may contain; refuse every other name, which could run any code."""
        if module.partition(".")[0] == "numpy" and name in _ARRAYS:
            return super().find_class(module, name)
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name} is not part of a library")
        return _ALLOWED[module, name]
