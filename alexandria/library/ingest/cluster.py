"""A run on many machines: Ray does the reading, embedding and cutting that this process would otherwise do.

Ray places the work, moves the books and restarts workers that die. Doing a step twice is harmless: the points
and the record of a book have the same ids each time.
"""

import os
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError, BookError, Code, ConfigError
from alexandria.extract import content_id
from alexandria.extract.isolated.limits import Limits, check_size
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.extract.options import ReadOptions
from alexandria.library.ingest.ingestor import Ingestor, PendingBook, ReadResult, Wait
from alexandria.library.ingest.metadata import with_metadata
from alexandria.library.ingest.one_book import analyse, read, store
from alexandria.library.ingest.plan import IngestPlan, with_guessed_domain
from alexandria.store.catalog import Catalog

LOCAL = "local"  # the address of a cluster that is this machine alone, for as long as the run takes

_CONNECT_SECONDS = 10.0  # how long to wait for the head of a cluster to accept a connection
_RETRIES = 3
"""How often a book is started again after its machine or process has died, before the book is blamed."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the work is done, and how workers obtain what cannot be sent to them."""

    address: str
    """`local`, `auto`, or `HOST:PORT` of a Ray cluster whose nodes see the files under the same paths."""
    load_encoder: Callable[[], Encoder]
    open_catalog: Callable[[], Catalog] | None = None
    """Opens the library in a worker, which then writes to it; None if only this process can write."""

    def work_ahead(
        self, files: Iterable[Path], ingestor: Ingestor, limits: Limits
    ) -> Generator[tuple[Path, Wait], None, None]:
        """Yield each file, in order, with a callable that waits for its book; the cluster works ahead.

        Raises:
            ConfigError: Ray is not installed, or there is no cluster at the address.
        """
        ray = _connect(self.address)
        try:
            submitted = _SubmittedFiles(ray, self, ingestor, limits)
            for path in files:
                submitted.submit(path)
                if submitted.is_full:
                    yield submitted.take_first()
            while submitted.queue:
                yield submitted.take_first()
        finally:
            ray.shutdown()


@dataclass(frozen=True, slots=True)
class _Submitted:
    """A file in the queue."""

    path: Path
    book_id: str | None  # None if the cluster has nothing to do for it
    get_result: Wait


class _SubmittedFiles:
    """The queue of files that are submitted to the cluster, in the order of the run."""

    def __init__(self, ray: Any, cluster: Cluster, ingestor: Ingestor, limits: Limits) -> None:
        """Prepare the remote function that reads, and the actors that embed; nothing is submitted yet."""
        self.queue: deque[_Submitted] = deque()
        self._ray, self._ingestor, self._limits = ray, ingestor, limits
        self._read = ray.remote(num_cpus=1, max_retries=_RETRIES)(_read)
        self._actors = _Actors(ray, cluster)
        self._book_refs: dict[str, Any] = {}  # by book id: the same bytes are processed only once

    @property
    def is_full(self) -> bool:
        """Whether the cluster has enough to do for now."""
        return len(self.queue) > self._actors.max_waiting

    def submit(self, path: Path) -> None:
        """Add a file at the end, and submit it to the cluster unless its book is stored."""
        try:
            check_size(path, self._limits)
            book_id = content_id(path)
        except BookError as error:
            self.queue.append(_Submitted(path, None, partial(_return_result, error)))
            return
        plan = self._ingestor.plan_for(path, book_id)
        if plan is None:
            self.queue.append(_Submitted(path, None, partial(_return_result, ReadResult(book_id))))
            return
        if book_id not in self._book_refs:
            read_ref = self._read.remote(path, plan.options, self._limits)
            self._book_refs[book_id] = self._actors.prepare(path, read_ref, plan)
        get_result = partial(_get_result, self._ray, path, book_id, self._book_refs[book_id])
        self.queue.append(_Submitted(path, book_id, get_result))

    def take_first(self) -> tuple[Path, Wait]:
        """Remove the first file of the queue, and return it with the callable that waits for its book."""
        submitted = self.queue.popleft()
        if submitted.book_id is not None:
            # Drop our reference: Ray can then free the book once it has been fetched.
            self._book_refs.pop(submitted.book_id, None)
        return submitted.path, submitted.get_result


def _return_result(result: Any) -> Any:
    """Return a result at once, where there is nothing to wait for."""
    return result


def _get_result(ray: Any, path: Path, book_id: str, reference: Any) -> ReadResult | BookError:
    """Wait for a book of the cluster, and return it, or why it could not be read.

    Raises:
        AlexandriaError: a worker could not store it, or could not load its model.
    """
    try:
        answer: PendingBook | AlexandriaError = ray.get(reference)
    except (ray.exceptions.RayActorError, ray.exceptions.WorkerCrashedError):
        return BookError(
            f"cannot read {path}",
            why=f"{_RETRIES + 1} workers died while processing it",
            fix="check the worker's Ray log; the usual cause is too little memory",
            code=Code.TOO_LARGE,
        )
    if isinstance(answer, BookError):
        return answer
    if isinstance(answer, AlexandriaError):
        raise answer
    return ReadResult(book_id, answer)


def _connect(address: str) -> Any:
    """Connect to a cluster, and return the module of Ray, which nothing else imports."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report its use over the network
    try:
        import ray
    except ImportError as error:
        raise ConfigError(
            "cannot use --ray", why="Ray is not installed", fix="pip install 'alexandria-books[ray]'"
        ) from error
    dashboard = False if address == LOCAL else None  # None leaves it to the cluster that is running
    host, _, port = address.rpartition(":")
    on_sigterm = signal.getsignal(signal.SIGTERM)
    try:
        if port.isdecimal():  # Ray itself would try for minutes before it reports an error
            socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
        # The address is passed for a local cluster too: otherwise Ray joins the one that RAY_ADDRESS names or
        # that `ray start` has left running.
        ray.init(address, include_dashboard=dashboard, log_to_driver=False, logging_level="error")
    except Exception as error:  # Ray raises the bare class when a node does not start in time
        raise ConfigError(
            f"cannot reach a Ray cluster at {address}",
            why=str(error).partition("\n")[0],
            fix="ray start --head on one machine, then --ray HOST:6379; or --ray local",
        ) from error
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, on_sigterm)  # replaced by Ray with a handler that exits at once
    return ray


# --- what runs on the cluster ---------------------------------------------------------------------


@cache
def _get_reader(limits: Limits) -> IsolatedReader:
    return IsolatedReader(limits, pages_at_once=1)  # Ray assigns one processor to the task


def _read(path: Path, options: ReadOptions, limits: Limits) -> Any:
    """Return the book, or its BookError as a value: Ray would wrap and print an error that is raised."""
    try:
        return read(path, options, reader=_get_reader(limits))
    except BookError as error:
        return error


class _Actor:
    """Embeds, cuts and stores books with one encoder, on a node or a GPU of its own."""

    def __init__(
        self, load_encoder: Callable[[], Encoder], open_catalog: Callable[[], Catalog] | None
    ) -> None:
        """Load the encoder, and open the catalog if the actor is to write to the store itself."""
        self._encoder = load_encoder()
        self._catalog = open_catalog() if open_catalog else None

    def prepare(self, path: Path, book: Any, plan: IngestPlan) -> PendingBook | AlexandriaError:
        """Return a book ready to be stored, or that this actor has stored; or why it failed."""
        if isinstance(book, AlexandriaError):
            return book
        try:
            book, plan = with_guessed_domain(path, book, plan, self._encoder)
            analysis = analyse(with_metadata(book, plan.metadata), plan.domain, self._encoder)
            prepared = plan.prepare(analysis)
        except BookError as error:
            return error
        if self._catalog:
            record = store(prepared, self._catalog)
            prepared = replace(prepared, record=record, points=(), is_stored=True)
        return PendingBook(plan, partial(_return_result, prepared))


class _Actors:
    """The encoders of a cluster: one per GPU, or one per node if there are none."""

    def __init__(self, ray: Any, cluster: Cluster) -> None:
        """Start one encoder per GPU, or one per node if the cluster has no GPUs."""
        self._ray = ray
        resources = ray.cluster_resources()
        n_gpus = int(resources.get("GPU", 0))
        n_nodes = sum(node["Alive"] for node in ray.nodes())
        actor = ray.remote(
            num_cpus=0,  # shares the readers' processors: to reserve the only one of a node would block it
            num_gpus=1 if n_gpus else 0,
            max_restarts=-1,
            max_task_retries=_RETRIES,
            scheduling_strategy="SPREAD",
        )(_Actor)
        self._actors = [
            actor.remote(cluster.load_encoder, cluster.open_catalog) for _ in range(n_gpus or n_nodes)
        ]
        self._busy: list[list[Any]] = [[] for _ in self._actors]  # references to unfinished results
        # One file for each processor and encoder, and as many again that are ready for the encoders.
        self.max_waiting = 2 * (int(resources.get("CPU", 1)) + len(self._actors))

    def prepare(self, path: Path, book: Any, plan: IngestPlan) -> Any:
        """Submit a book to the encoder with the shortest queue; return a reference to the result.

        Args:
            book: a reference to the book, or to the error that `_read` returned.
        """
        for i, busy in enumerate(self._busy):
            if busy:
                # With timeout 0, only asks which results are unfinished.
                _, self._busy[i] = self._ray.wait(busy, num_returns=len(busy), timeout=0)
        i = min(range(len(self._actors)), key=lambda i: len(self._busy[i]))
        reference = self._actors[i].prepare.remote(path, book, plan)
        self._busy[i].append(reference)
        return reference
