"""A store for a library that another process has open: that process (`service.py`) answers its requests."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NoReturn

from alexandria.book.model import Embeddings, Point, Sparse
from alexandria.errors import DisconnectedError
from alexandria.store.catalog_file import CatalogFile
from alexandria.store.lock import Owner, disconnected_error, in_use_error
from alexandria.store.passage import Hit, Passage
from alexandria.store.payload import index_tag
from alexandria.store.plan import Stage, VectorName
from alexandria.store.service import BEGUN, CONNECT_SECONDS, PAGE, PROTOCOL, SOCKET, receive, send
from alexandria.store.sparse import as_query, document_terms
from alexandria.store.store import Binding, QueryVectors, Where

NOTICE_SECONDS = 1.0  # seconds of waiting after which the user is told what the program is waiting for


class OtherVersionError(ConnectionRefusedError):
    """Another version of Alexandria has the library open: it answers, but in another protocol."""


class OwnerConnection:
    """A connection to the owner of a library: the process that has its folder open."""

    def __init__(self, folder: Path, owner: Owner, *, wait: float) -> None:
        """Connect to the owner, and check that both sides speak the same protocol.

        Args:
            wait: the seconds that it has to answer; always at least `CONNECT_SECONDS`.

        Raises:
            OtherVersionError: the owner is another version of Alexandria.
            OSError: nothing answers, or what answers is not the owner.
        """
        self._folder = folder
        self._peer = _connect(folder, owner)
        try:
            self._peer.settimeout(max(wait, CONNECT_SECONDS))
            self.collection, self.binding = _introduce(self._peer, owner.token)
            self._peer.settimeout(None)
        except BaseException:
            self._peer.close()
            raise

    def ask(self, method: str, *arguments: object, wait: Callable[[socket.socket], None]) -> Any:
        """Return the owner's answer to a request that reads.

        Args:
            wait: called with the socket once the request is sent: returns when the owner begins to answer, or
                raises an error. The answer itself is awaited without limit.

        Raises:
            DisconnectedError: the owner has ended, has closed the library, or let `wait` time out.
            Exception: the error with which the owner has answered.
        """
        try:
            send(self._peer, (method, arguments))
            wait(self._peer)
            answer = receive(self._peer)
            succeeded, value = receive(self._peer) if answer == BEGUN else answer
        except (OSError, EOFError) as error:
            raise disconnected_error(self._folder) from error
        if not succeeded:
            raise value
        return value

    def close(self) -> None:
        """End the connection."""
        self._peer.close()


def _connect(folder: Path, owner: Owner) -> socket.socket:
    """Return a socket that is connected to the owner of a library.

    Raises:
        OSError: the owner runs on another machine, does not accept readers yet, or does not answer.
    """
    if owner.port is None or not owner.is_here:
        raise ConnectionRefusedError(f"{owner} does not accept readers")
    uses_port = owner.port != 0  # 0 stands for the Unix socket in the folder
    peer = socket.socket(socket.AF_INET if uses_port else socket.AF_UNIX)
    peer.settimeout(CONNECT_SECONDS)
    try:
        peer.connect(("127.0.0.1", owner.port) if uses_port else str(folder / SOCKET))
    except BaseException:
        peer.close()
        raise
    return peer


def _introduce(peer: socket.socket, token: str) -> tuple[str, Binding]:
    """Send the owner's secret token, and return what the owner answers: its collection and its binding.

    All errors are OSErrors, so that callers treat an owner that does not answer properly as one that is gone.

    Raises:
        OtherVersionError: the owner speaks another protocol.
        OSError: the owner closes the connection or does not answer, or another program answers.
    """
    peer.sendall(token.encode())
    try:
        greeting = receive(peer)
    except EOFError as error:
        raise ConnectionRefusedError("the owner has another token, or has closed the library") from error
    except UnpicklingError as error:
        raise ConnectionRefusedError(f"another program answers: {error}") from error
    match greeting:
        case [int(protocol), *_] if protocol != PROTOCOL:
            raise OtherVersionError(f"the owner speaks protocol {protocol}, and this process {PROTOCOL}")
        case [_, str(collection), Binding() as binding]:
            return collection, binding
        case _:
            raise ConnectionRefusedError("another program answers: it does not name a collection")


def await_answer(peer: socket.socket, seconds: float) -> None:
    """Wait until an answer begins to arrive on a socket.

    Raises:
        TimeoutError: none does within these seconds.
    """
    # At least 1 ms: with a time-out of 0, a socket would not wait, but raise BlockingIOError.
    peer.settimeout(max(0.001, seconds))
    peer.recv(1, socket.MSG_PEEK)
    peer.settimeout(None)


class OwnerStore:
    """A library that another process, its owner, has open. Each thread that reads has its own connection.

    The methods of `Store` that read points send requests to the owner; those that write raise an error. The
    catalog is a file, which every process reads by itself.
    """

    on_server = False
    parallel = through_owner = True

    def __init__(
        self,
        folder: Path,
        records: CatalogFile,
        owner: Owner,
        connection: OwnerConnection,
        *,
        wait: float,
        on_wait: Callable[[Owner], None],
    ) -> None:
        """Take over an open connection to the owner.

        Args:
            records: its catalog, which this process reads by itself; closed at the end.
            owner: the process that has it open.
            connection: the connection; other threads open connections of their own.
            wait: the seconds to wait while the owner writes a book.
            on_wait: called with the owner when that takes more than `NOTICE_SECONDS`.
        """
        self.binding: Binding = connection.binding
        self._folder, self._owner, self._wait, self._on_wait = folder, owner, wait, on_wait
        self.address, self.records = str(folder), records
        self._free = [connection]  # the connections that no thread uses
        self._lock = threading.Lock()
        self.lost = False  # whether the owner has ended, or has closed the library; `close` sets it, too

    def _take_connection(self) -> OwnerConnection:
        """Return a free connection, or a new one if there is none.

        Raises:
            DisconnectedError: the owner does not answer any more.
        """
        with self._lock:
            if self._free:
                return self._free.pop()
        try:
            return OwnerConnection(self._folder, self._owner, wait=self._wait)
        except OSError as error:
            self.lost = True
            raise disconnected_error(self._folder) from error

    def _wait_for_owner(self, peer: socket.socket) -> None:
        """Wait until the owner begins to answer, at the latest after its current book.

        Tells the user if it takes long.

        Raises:
            StoreError: it takes too long.
        """
        try:
            await_answer(peer, NOTICE_SECONDS)  # however short the wait: the owner may be busy
        except TimeoutError:
            self._on_wait(self._owner)
            try:
                await_answer(peer, self._wait - NOTICE_SECONDS)
            except TimeoutError as error:
                raise in_use_error(self._folder) from error

    def _ask(self, method: str, *arguments: object) -> Any:
        """Return the owner's answer to a request."""
        connection = self._take_connection()
        try:
            answer = connection.ask(method, *arguments, wait=self._wait_for_owner)
        except BaseException as error:
            connection.close()
            if isinstance(error, DisconnectedError):
                self.lost = True
            raise
        with self._lock:
            self._free.append(connection)
        if self.lost:  # close ran meanwhile, and could not close this connection
            self.close()
        return answer

    def count(self) -> int:
        """Return the number of points."""
        return int(self._ask("count"))

    def search(
        self, query: QueryVectors, plan: Stage, where: Where, without: Sequence[str] = ()
    ) -> list[Hit]:
        """Return the best matches, best first; points of the generations `without` are ignored."""
        hits: list[Hit] = self._ask("search", query, plan, dict(where), tuple(without))
        return hits

    def whole_payloads(self, passages: Sequence[Passage]) -> Mapping[str, Mapping[str, Any]]:
        """Return the payloads of passages that a search has found, by id: owners send them whole."""
        return {passage.id: passage.payload for passage in passages}

    def rarities(self, terms: Sequence[int]) -> dict[int, float | None]:
        """Return the inverse document frequency of terms of the BM25 vectors; None if no point has one.

        Asked as searches: an owner of another version answers those, too.
        """
        import numpy as np

        rarities = dict[int, float | None]()
        for term in terms:
            query = QueryVectors(np.zeros(self.binding.dim, np.float32), as_query([term]))
            hits = self.search(query, Stage(VectorName.BM25, 1), {})
            weights = document_terms(hits[0].text, index_tag(hits[0].payload)) if hits else Sparse((), ())
            weight = dict(zip(weights.indices, weights.values, strict=True)).get(term)
            rarities[term] = hits[0].score / weight if weight else None
        return rarities

    def payloads(self, where: Where, start: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, ordered by id, from the id `start` on."""
        while page := self._ask("payloads", dict(where), start):
            yield from page[:PAGE]
            if len(page) <= PAGE:
                return
            start = page[PAGE][0]

    def points(self, where: Where, start: str | None = None) -> Iterator[Point]:
        """Yield the points that match, with their vectors, ordered by id, from the id `start` on."""
        while page := self._ask("points", dict(where), start):
            yield from page[:PAGE]
            if len(page) <= PAGE:
                return
            start = page[PAGE].id

    def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have any, by id: (n_sentences, dim) each."""
        by_id: dict[str, Embeddings] = self._ask("sentence_vectors", list(ids))
        return by_id

    def ids_without(self, name: VectorName) -> set[str]:
        """Return the ids of the points that have no vector of this name."""
        ids: set[str] = self._ask("ids_without", name)
        return ids

    def generations(self) -> dict[str, int]:
        """Return the number of points of each generation."""
        return {str(value): n for value, n in self.counts("generation", self.count()).items()}

    def counts(self, key: str, at_most: int) -> dict[str | int, int]:
        """Return the number of points with each value of a payload key, for the most frequent values."""
        return dict(self._ask("counts", key, at_most))

    def close(self) -> None:
        """Close the connections that no thread uses; each of the others is closed after its request."""
        self.lost = True
        self.records.close()
        with self._lock:
            free, self._free = self._free, []
        for connection in free:
            connection.close()

    def upsert(self, points: Sequence[Point]) -> NoReturn:
        """Refuse: only the owner can write."""
        raise in_use_error(self._folder)

    def delete(self, where: Where) -> NoReturn:
        """Refuse: only the owner can write."""
        raise in_use_error(self._folder)

    def optimize(self) -> None:
        """Do nothing: nothing was written."""
