"""Reads the files that come next while their caller works on the one at hand."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

from alexandria.book import Book
from alexandria.extract import content_id
from alexandria.extract.options import ReadOptions
from alexandria.reading.cache import CachedBooks
from alexandria.reading.limits import Limits, check_size
from alexandria.reading.process import IsolatedReader
from alexandria.reading.queue import FileQueue

_AHEAD_BYTES = 4 << 20
"""What may wait of small files, a worker: the model has work then while a long book is read."""

Reading = Future[tuple[str, Book | None]]
"""A file's id and the book, no book where it need not be read; or a BookError."""


def read_ahead(
    files: Iterable[Path],
    options: ReadOptions,
    limits: Limits,
    workers: int,
    is_known: Callable[[str], object],
    kept: CachedBooks | None = None,
) -> Iterator[tuple[Path, Reading]]:
    """Yield each file with its reading, in order, while processes read the files that come next.

    Args:
        files: any number; beyond the one yielded no more than `workers` are in memory, and more small ones.
        options: how they are read.
        limits: what one may cost.
        workers: how many processes read; 0 reads a file in a process, but no earlier than its turn comes.
        is_known: asked with a file's id; true for one that need not be read.
        kept: what was read before, and where to keep what is read now; None reads all anew.
    """
    with ExitStack() as stack:
        n_readers = max(1, workers)
        threads = ThreadPoolExecutor(n_readers)
        stack.callback(threads.shutdown, cancel_futures=True)
        readers: SimpleQueue[IsolatedReader] = SimpleQueue()
        for _ in range(n_readers):
            # Ended before the threads are waited for, which then have no more to wait for.
            readers.put(stack.enter_context(IsolatedReader(limits)))

        def read(path: Path) -> tuple[str, Book | None]:
            check_size(path, limits)
            id = content_id(path)
            if is_known(id):
                return id, None

            def by_a_process() -> Book:
                reader = readers.get()
                try:
                    return reader.read(path, options)
                finally:
                    readers.put(reader)

            return id, kept.read(path, id, by_a_process) if kept else by_a_process()

        waiting = FileQueue[tuple[Path, Reading]](workers, workers * _AHEAD_BYTES)
        for path in files:
            waiting.add(path, (path, threads.submit(read, path)))
            yield from waiting.surplus()
        yield from waiting.rest()
