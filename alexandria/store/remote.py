"""A library that another process has open: a store whose reading methods that process answers."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NoReturn

from alexandria.book import Embeddings, Point
from alexandria.errors import DisconnectedError
from alexandria.filters import Filters
from alexandria.passage import Hit
from alexandria.store.lock import Owner, disconnected, in_use
from alexandria.store.plan import Stage
from alexandria.store.service import SOCKET
from alexandria.store.store import Binding, Change, QueryVectors, Scope, Summary, Where
from alexandria.store.vectors import VectorName
from alexandria.store.wire import PROTOCOL, receive, send

CONNECT_SECONDS = 5.0
NOTICE_SECONDS = 1.0
"""After so long the user is told what the program is waiting for."""


class OwnerConnection:
    """A connection to the process that has a library open."""

    def __init__(self, folder: Path, owner: Owner, *, wait: float) -> None:
        """Connect.

        Raises:
            OSError: nobody answers there, or somebody else does.
        """
        self._folder = folder
        self._peer = _connect(folder, owner)
        try:
            self._peer.sendall(owner.token.encode())
            self._peer.settimeout(max(wait, CONNECT_SECONDS))
            protocol, self.collection, self.binding = receive(self._peer)
            if protocol != PROTOCOL:
                raise ConnectionRefusedError("another version of Alexandria has the library open")
        except (EOFError, UnpicklingError, ValueError) as error:
            self._peer.close()
            raise ConnectionRefusedError from error
        except BaseException:
            self._peer.close()
            raise

    def ask(
        self, method: str, *arguments: object, waited: "Callable[[socket.socket], None] | None" = None
    ) -> Any:
        """Return the answer to a request.

        Raises:
            DisconnectedError: the process has ended, or closed the library.
        """
        try:
            send(self._peer, (method, arguments))
            if waited is not None:
                waited(self._peer)
            succeeded, value = receive(self._peer)
        except (OSError, EOFError) as error:
            raise disconnected(self._folder) from error
        if not succeeded:
            raise value
        return value

    def release(self) -> None:
        """Let others change the books again.

        Raises:
            DisconnectedError: the process has ended, or closed the library.
        """
        try:
            send(self._peer, ("release", ()))
        except OSError as error:
            raise disconnected(self._folder) from error

    def close(self) -> None:
        """End the connection."""
        self._peer.close()


def _connect(folder: Path, owner: Owner) -> socket.socket:
    if owner.port is None or not owner.is_here:
        raise ConnectionRefusedError
    peer = socket.socket(socket.AF_INET if owner.port else socket.AF_UNIX)
    peer.settimeout(CONNECT_SECONDS)
    try:
        peer.connect(("127.0.0.1", owner.port) if owner.port else str(folder / SOCKET))
    except BaseException:
        peer.close()
        raise
    return peer


class RemoteStore:
    """A library in another process. Each thread that reads has its own connection."""

    shared = False
    parallel = remote = True

    def __init__(
        self,
        folder: Path,
        owner: Owner,
        first: OwnerConnection,
        *,
        wait: float,
        waiting: Callable[[Owner], None],
    ) -> None:
        """Take over an open connection; `wait` and `waiting` are those of `Access`."""
        self.binding: Binding = first.binding
        self._folder, self._owner, self._wait, self._waiting = folder, owner, wait, waiting
        self.address = str(folder)
        self._free = [first]
        self._current = threading.local()
        self._lock = threading.Lock()
        self.lost = False
        """Whether the other process has ended, or closed the library."""

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Let nobody change the books meanwhile; the value is whether anybody has since the last time."""
        if getattr(self._current, "connection", None) is not None:
            yield False
            return
        connection = self._take()
        try:
            changed, self._current.n_points = connection.ask("hold", waited=self._wait_for_answer)
            self._current.connection = connection
            yield changed
            connection.release()
        except BaseException as error:
            connection.close()  # which releases what it held
            self.lost |= isinstance(error, DisconnectedError)
            raise
        finally:
            self._current.connection = None
        with self._lock:
            self._free.append(connection)
        if self.lost:
            self.close()

    def _take(self) -> OwnerConnection:
        with self._lock:
            if self._free:
                return self._free.pop()
        try:
            return OwnerConnection(self._folder, self._owner, wait=self._wait)
        except OSError as error:
            self.lost = True
            raise disconnected(self._folder) from error

    def _wait_for_answer(self, peer: socket.socket) -> None:
        """Wait while a book is being written; say so if it takes long."""
        peer.settimeout(max(0.001, min(NOTICE_SECONDS, self._wait)))
        try:
            peer.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            self._waiting(self._owner)
            peer.settimeout(max(0.001, self._wait - NOTICE_SECONDS))
            try:
                peer.recv(1, socket.MSG_PEEK)
            except TimeoutError as error:
                raise in_use(self._folder) from error
        peer.settimeout(None)

    def _ask(self, method: str, *arguments: object) -> Any:
        connection = getattr(self._current, "connection", None)
        if connection is not None:
            return connection.ask(method, *arguments)
        with self.held():
            return self._current.connection.ask(method, *arguments)

    def count(self) -> int:
        """Return the number of points."""
        with self.held():  # which has been told
            return int(self._current.n_points)

    def search(
        self, query: QueryVectors, plan: Stage, where: Where, without: Sequence[str] = ()
    ) -> list[Hit]:
        """Return the best matches, best first, as if there were no points of the generations `without`."""
        hits: list[Hit] = self._ask("search", query, plan, dict(where), tuple(without))
        return hits

    def payloads(self, where: Where) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, ordered by id."""
        return self._scan("payloads", dict(where))

    def points(self, where: Where) -> Iterator[Point]:
        """Yield the points that match, with their vectors, ordered by id."""
        return self._scan("points", dict(where))

    def _scan(self, method: str, *arguments: object) -> Iterator[Any]:
        with self.held():
            yield from self._scanned(self._ask(method, *arguments))

    def _scanned(self, scan: int) -> Iterator[Any]:
        while page := self._ask("next", scan):
            yield from page

    def sentence_rows(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have any, by id: (n_sentences, dim) each."""
        rows: dict[str, Embeddings] = self._ask("sentence_rows", list(ids))
        return rows

    def lacking(self, name: VectorName) -> set[str]:
        """Return the ids of the points that have no vector of this name."""
        ids: set[str] = self._ask("lacking", name)
        return ids

    def generations(self) -> dict[str, int]:
        """Return the number of points of each generation."""
        return dict(self._ask("generations"))

    def counts(self, key: str, at_most: int) -> dict[str | int, int]:
        """Return the number of points with each value of a payload key, for the most frequent values."""
        return dict(self._ask("counts", key, at_most))

    def records(self) -> list[dict[str, Any]]:
        """Return all catalog records, in no particular order."""
        return list(self._scan("records"))

    def records_by(
        self, name: str, values: Sequence[str], fields: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Return the catalog records with one of these values in a field that is looked up by."""
        return list(self._ask("records_by", name, tuple(values), tuple(fields)))

    def records_with(self, name: str, values: Sequence[str] | Sequence[int]) -> list[dict[str, Any]] | None:
        """Return the books that are looked up by one of these values; None if all had to be read."""
        records: list[dict[str, Any]] | None = self._ask("records_with", name, tuple(values))
        return records

    def matching(self, filters: Filters) -> list[dict[str, Any]] | None:
        """Return the records of the books that pass; None likewise."""
        with self.held():
            scan = self._ask("matching", filters)
            return None if scan is None else list(self._scanned(scan))

    def page(self, filters: Filters, start: int, limit: int) -> list[dict[str, Any]] | None:
        """Return the records of at most `limit` books that pass, by title, after the first `start`."""
        page: list[dict[str, Any]] | None = self._ask("page", filters, start, limit)
        return page

    def selected(self, filters: Filters) -> Scope | None:
        """Return what a search must know of the books that pass; None likewise."""
        scope: Scope | None = self._ask("selected", filters)
        return scope

    def summary(self) -> Summary | None:
        """Return the sum of the books, as the other process knows it."""
        summary: Summary | None = self._ask("summary")
        return summary

    def catalog_faults(self) -> list[str]:
        """Return what is wrong with the catalog's file."""
        return list(self._ask("catalog_faults"))

    def mend_catalog(self) -> NoReturn:
        """Refuse."""
        raise in_use(self._folder)

    def note_change(self, change: Change) -> NoReturn:
        """Refuse."""
        raise in_use(self._folder)

    def noted_change(self) -> None:
        """Return None: what a crash left is swept by the process that has the library open."""

    def close(self) -> None:
        """End the connections that are not in use; the others end with what they are reading."""
        self.lost = True
        with self._lock:
            free, self._free = self._free, []
        for connection in free:
            connection.close()

    def upsert(self, points: Sequence[Point]) -> NoReturn:
        """Refuse: only the process that has the library open can write."""
        raise in_use(self._folder)

    def delete(self, where: Where) -> NoReturn:
        """Refuse."""
        raise in_use(self._folder)

    def put_record(self, key: str, record: Mapping[str, Any]) -> NoReturn:
        """Refuse."""
        raise in_use(self._folder)

    def delete_record(self, key: str) -> NoReturn:
        """Refuse."""
        raise in_use(self._folder)

    def flush(self) -> None:
        """Do nothing: nothing was written."""

    def optimize(self) -> None:
        """Do nothing: nothing was written."""
