"""Ingests many files: one bad book never stops the others."""

import os
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

from alexandria.chunking.domains import Domain, DomainRequest
from alexandria.embed import Encoder
from alexandria.errors import BookError
from alexandria.extract.isolated.ahead import FileQueue, read_ahead
from alexandria.extract.isolated.limits import Limits, limits_from
from alexandria.library.ingest.cluster import Cluster
from alexandria.library.ingest.events import Events
from alexandria.library.ingest.ingestor import Ingestor, ReadResult, Wait
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Outcome, Status
from alexandria.store.catalog import Catalog

_STORING_BYTES = 1 << 20
"""Most bytes of small files whose books may wait to be cut and stored, while the model embeds the next
ones."""
_DEFAULTS = RunOptions()
_SILENT = Events()


def ingest(
    files: Iterable[Path],
    domain: Domain | DomainRequest,
    encoder: Encoder,
    catalog: Catalog,
    run: RunOptions = _DEFAULTS,
    *,
    limits: Limits | None = None,
    cluster: Cluster | None = None,
    events: Events = _SILENT,
    stopped: Callable[[], bool] = lambda: False,
) -> Generator[Outcome, None, None]:
    """Ingest each file and yield its outcome, in the order of the files.

    Processes read ahead, and while a book is cut and stored, the model is already embedding the next one.
    Books are embedded and stored one after another, so the number of workers only changes the time.

    Args:
        files: the files, as `discover` returns them.
        domain: how to cut the books; a request may leave stored books as they are, and consult their folders.
        encoder: how to embed the books.
        catalog: where to store the books.
        run: workers, what to ingest again, and other options.
        limits: what reading one file may cost; by default as the environment says.
        cluster: the machines that read, embed and cut; by default this process, with its workers.
        events: what is called while the run works.
        stopped: asked before each file; True ends the run there.

    Raises:
        StoreError: the store fails; every book yielded before is stored.
    """
    limits = limits or limits_from(os.environ)
    ingestor = Ingestor(domain, encoder, catalog, run, events)
    arriving: Generator[tuple[Path, Wait], None, None]
    if cluster is None:
        arriving = _work_ahead_here(files, ingestor, limits, run, events)
    else:
        arriving = cluster.work_ahead(files, ingestor, limits)
    # With no room in the queue, a file begins only when the one before it is stored: `fail_fast` may end the
    # run there, and without workers nothing runs ahead.
    one_by_one = run.fail_fast or run.workers == 0
    storing = FileQueue[Future[Outcome]](0 if one_by_one else 1, 0 if one_by_one else _STORING_BYTES)
    with closing(arriving), ThreadPoolExecutor(1) as writer:

        def store_when_read(path: Path, wait: Wait) -> Future[Outcome]:
            """Wait until a file has been read, and return the future of its outcome."""
            began = time.perf_counter()
            read_result = wait()
            return writer.submit(store, path, read_result, time.perf_counter() - began)

        def store(path: Path, read_result: ReadResult | BookError, seconds: float) -> Outcome:
            """Cut and store a book, and tell its outcome at once: the next may be embedded for minutes."""
            outcome = ingestor.store(path, read_result, seconds)
            events.finished(outcome)
            return outcome

        for path, wait in arriving:
            if stopped():
                break
            events.started(path)
            storing.add(path, store_when_read(path, wait))
            for future in storing.take_surplus(Future.done):
                outcome = future.result()
                yield outcome
                if run.fail_fast and outcome.status is Status.FAILED:
                    return
        for future in storing.take_all():
            yield future.result()


def _work_ahead_here(
    files: Iterable[Path], ingestor: Ingestor, limits: Limits, run: RunOptions, events: Events
) -> Generator[tuple[Path, Wait], None, None]:
    """Yield each file with a callable that waits for its book and begins to embed it."""
    # Processes read the files that come next; they end when the generator is closed.
    read = read_ahead(
        files, ingestor.options_for, limits, run.workers, cache=run.cache, recognised=events.recognised
    )
    with closing(read) as ahead:
        for path, reading in ahead:
            yield path, partial(ingestor.begin, path, reading)
