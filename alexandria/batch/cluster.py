"""The same batch on many machines: Ray reads, cuts and embeds there what this process would do itself.

Ray places the work, moves the books and starts again what dies. What is done twice is harmless: a book's
points and its record have the same ids each time.
"""

import os
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from alexandria.book import Point
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError, BookError, Code, ConfigError
from alexandria.extract import content_id
from alexandria.extract.options import ReadOptions
from alexandria.pipeline import analyse, prepare
from alexandria.reading.limits import Limits, check_size
from alexandria.reading.process import IsolatedReader
from alexandria.reading.worker import Answer
from alexandria.store.catalog import Catalog, Record

LOCAL = "local"
"""The address of a cluster that is this machine alone, for as long as the batch takes."""

Made = tuple[Record, Sequence[Point] | None]
"""A book ready for the library; without points where a worker has written them already."""
Arrived = tuple[str, Callable[[], Made] | None]
"""A file's id and what makes its book ready; None where that need not be made."""
Making = Callable[[], Arrived]
"""Waits for a file; raises BookError."""

_CONNECT_SECONDS = 10.0
"""What a cluster's head may take to answer at all."""
_RETRIES = 3
"""How often a book is begun again whose machine or process has died, before the book is held at fault."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the work is done, and how workers come by what cannot be sent to them."""

    address: str
    """`local`, `auto`, or `HOST:PORT` of a Ray cluster whose nodes see the files under the same paths."""
    load_encoder: Callable[[], Encoder]
    open_library: Callable[[], Catalog] | None = None
    """Opens the library in a worker, which then writes to it; None where only this process can write."""

    def make_ahead(
        self,
        files: Iterable[Path],
        domain: Domain,
        options: ReadOptions,
        limits: Limits,
        generation: Callable[[str], str],
        is_known: Callable[[str], object],
    ) -> Generator[tuple[Path, Making], None, None]:
        """Yield each file with its making, in order, while the cluster makes those that come next.

        Raises:
            ConfigError: Ray is not installed, or there is no cluster at the address.
        """
        ray = _connected(self.address)
        try:
            read = ray.remote(num_cpus=1, max_retries=_RETRIES)(_read)
            pool = _Pool(ray, partial(_Maker, domain, self.load_encoder, self.open_library))
            making: dict[str, Any] = {}  # book id → what is under way, so that the same bytes are made once
            waiting: deque[tuple[Path, str | None, Making]] = deque()
            for path in files:
                try:
                    check_size(path, limits)
                    book_id = content_id(path)
                except BookError as error:
                    waiting.append((path, None, partial(_fail, error)))
                    continue
                if book_id not in making and is_known(book_id):
                    waiting.append((path, None, partial(_known, book_id)))
                    continue
                if book_id not in making:
                    answer = read.remote(path, options, limits)
                    making[book_id] = pool.make(path, answer, generation(book_id))
                waiting.append((path, book_id, partial(_wait, ray, path, book_id, making[book_id])))
                if len(waiting) > pool.most_waiting:
                    yield _next(waiting, making)
            while waiting:
                yield _next(waiting, making)
        finally:
            ray.shutdown()


def _next(waiting: deque[tuple[Path, str | None, Making]], making: dict[str, Any]) -> tuple[Path, Making]:
    path, book_id, made = waiting.popleft()
    if book_id is not None:
        making.pop(book_id, None)  # Ray frees what nobody holds any more
    return path, made


def _fail(error: BookError) -> tuple[str, None]:
    raise error


def _known(book_id: str) -> tuple[str, None]:
    return book_id, None


def _wait(ray: Any, path: Path, book_id: str, made: Any) -> tuple[str, Callable[[], Made]]:
    try:
        answer = ray.get(made)
    except (ray.exceptions.RayActorError, ray.exceptions.WorkerCrashedError) as error:
        raise BookError(
            f"cannot read {path}",
            why=f"{_RETRIES + 1} workers have died over it",
            fix="look into Ray's log of the worker; most often its machine has too little memory",
            code=Code.TOO_LARGE,
        ) from error
    if isinstance(answer, AlexandriaError):
        raise answer
    return book_id, lambda: answer


def _connected(address: str) -> Any:
    """Return the module of Ray, connected; it is not imported for anybody else."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report its use over the network
    try:
        import ray
    except ImportError as error:
        raise ConfigError(
            "cannot use --ray", why="Ray is not installed", fix="pip install 'alexandria-books[ray]'"
        ) from error
    dashboard = False if address == LOCAL else None  # a running cluster's own is not ours to decide on
    host, _, port = address.rpartition(":")
    on_sigterm = signal.getsignal(signal.SIGTERM)
    try:
        if port.isdecimal():  # Ray itself tries for minutes
            socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
        # The address also where it is local: else Ray joins what RAY_ADDRESS names or `ray start` has left.
        ray.init(address, include_dashboard=dashboard, log_to_driver=False, logging_level="error")
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigError(
            f"cannot reach a Ray cluster at {address}",
            why=str(error).partition("\n")[0],
            fix="ray start --head on one machine, then --ray HOST:6379; or --ray local",
        ) from error
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, on_sigterm)  # Ray puts one in its place that exits at once
    return ray


@cache
def _reader(limits: Limits) -> IsolatedReader:
    """Return the reader of this Ray process: one for all files that it gets."""
    return IsolatedReader(limits)


def _read(path: Path, options: ReadOptions, limits: Limits) -> Answer:
    try:
        return _reader(limits).read(path, options)
    except BookError as error:
        return error  # as a value: Ray would wrap what is raised, and print it


class _Maker:
    """Holds one encoder, on a node or a GPU of its own."""

    def __init__(
        self,
        domain: Domain,
        load_encoder: Callable[[], Encoder],
        open_library: Callable[[], Catalog] | None,
    ) -> None:
        self._domain, self._encoder = domain, load_encoder()
        self._library = open_library() if open_library else None

    def make(self, path: Path, answer: Answer, generation: str) -> Made | AlexandriaError:
        """Return a book that was read ready for the library, or write it there."""
        if isinstance(answer, AlexandriaError):
            return answer
        try:
            prepared = prepare(analyse(answer, self._domain, self._encoder), generation)
            record, points = prepared.record, prepared.points
        except BookError as error:
            return error
        if self._library is None:
            return record, points
        self._library.replace(record, points)
        return record, None


class _Pool:
    """The makers of a cluster: one a GPU, or one a node where there are none."""

    def __init__(self, ray: Any, maker: "partial[_Maker]") -> None:
        self._ray = ray
        resources = ray.cluster_resources()
        n_gpus = int(resources.get("GPU", 0))
        n_nodes = sum(node["Alive"] for node in ray.nodes())
        actor = ray.remote(
            num_cpus=0,  # beside the readers: a machine with one processor would else wait for ever
            num_gpus=1 if n_gpus else 0,
            max_restarts=-1,
            max_task_retries=_RETRIES,
            scheduling_strategy="SPREAD",
        )(maker.func)
        self._makers = [actor.remote(*maker.args) for _ in range(n_gpus or n_nodes)]
        self._busy: list[list[Any]] = [[] for _ in self._makers]
        # What all processors have at hand, and as much again that is ready for the encoders.
        self.most_waiting = 2 * (int(resources.get("CPU", 1)) + len(self._makers))

    def make(self, path: Path, answer: Any, generation: str) -> Any:
        """Give a book to the maker that has the fewest before it; return what will be made."""
        for i, busy in enumerate(self._busy):
            if busy:
                self._busy[i] = self._ray.wait(busy, num_returns=len(busy), timeout=0)[1]
        i = min(range(len(self._makers)), key=lambda i: len(self._busy[i]))
        made = self._makers[i].make.remote(path, answer, generation)
        self._busy[i].append(made)
        return made
