"""Reads the next files while the caller works on the current one."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Generic, TypeVar

from alexandria.book.model import Book
from alexandria.extract import content_id
from alexandria.extract.isolated.cache import Attempt, CachedBooks
from alexandria.extract.isolated.limits import Limits, check_size
from alexandria.extract.isolated.process import BookSample, IsolatedReader
from alexandria.extract.options import ReadOptions
from alexandria.system.files import file_size
from alexandria.system.machine import n_cpus

_AHEAD_BYTES = 4 << 20  # most bytes of small files that wait, per worker, while a long book is read

Reading = Future[tuple[str, Book | None]]
"""The id of a file, and its book, or None if the file need not be read; raises BookError."""

_T = TypeVar("_T")
_MAX_SMALL_FILES = 16  # most small files that wait per file of any size: there may be thousands of tiny files

T = TypeVar("T")


def read_ahead(
    files: Iterable[Path],
    options_for: Callable[[Path, str], ReadOptions | None],
    limits: Limits,
    workers: int,
    *,
    cache: bool = False,
    recognised: Callable[[Path, float | None], None] = lambda path, seconds_left: None,
) -> Generator[tuple[Path, Reading], None, None]:
    """Yield each file with its reading, in order, while processes read the files that come next.

    The processes end with the generator: close it, in case an error or a signal leaves it before its end.

    Args:
        files: any number; besides the file yielded, no more than `workers` are in memory, except small files.
        options_for: called with each file and its id, from several threads; returns how to read the file, or
            None if it need not be read.
        workers: how many processes read; with 0, one process reads each file only when it is its turn.
        recognised: called with a file as `Recognised` says, while its scanned pages are recognised.
    """

    def read(path: Path, readers: SimpleQueue[IsolatedReader]) -> tuple[str, Book | None]:
        """Return the id of a file, and its book, or None if it need not be read."""
        book_id = content_id(path)
        options = options_for(path, book_id)
        if options is None:
            return book_id, None

        def read_isolated() -> Attempt:
            with _borrow(readers) as reader:
                return reader.attempt(path, options, keep_pages=cache, recognised=partial(recognised, path))

        if not cache:
            return book_id, read_isolated().book
        return book_id, CachedBooks(options).read(path, book_id, read_isolated)

    return _run_ahead(files, read, limits, workers)


def sample_ahead(
    files: Iterable[Path], options: ReadOptions, limits: Limits, workers: int, *, cache: bool = False
) -> Generator[tuple[Path, Future[BookSample]], None, None]:
    """Yield each file with a sample of its book: only a few scanned pages are recognised.

    Otherwise as `read_ahead`.

    Args:
        cache: take scanned pages from the cache, and add them to it.
    """

    def read(path: Path, readers: SimpleQueue[IsolatedReader]) -> BookSample:
        with _borrow(readers) as reader:
            return reader.read_sample(path, options, keep_pages=cache)

    return _run_ahead(files, read, limits, workers)


def _run_ahead(
    files: Iterable[Path],
    read: Callable[[Path, SimpleQueue[IsolatedReader]], _T],
    limits: Limits,
    workers: int,
) -> Generator[tuple[Path, Future[_T]], None, None]:
    """Yield each file with the future of what `read` returns, while threads read the files that come next."""
    # `read`: called with a file and the queue of idle readers, from which it borrows one.
    # `workers`: how many files are read at the same time; with 0, one, and only when it is its turn.
    with ExitStack() as stack:
        n_readers = max(1, workers)
        pages_at_once = max(1, n_cpus() // n_readers)
        threads = ThreadPoolExecutor(n_readers)
        stack.callback(threads.shutdown, cancel_futures=True)
        readers: SimpleQueue[IsolatedReader] = SimpleQueue()
        for _ in range(n_readers):
            # The stack ends the processes before it joins the threads, which then wait for no answer.
            readers.put(stack.enter_context(IsolatedReader(limits, pages_at_once=pages_at_once)))

        def read_checked(path: Path) -> _T:
            check_size(path, limits)
            return read(path, readers)

        waiting = FileQueue[tuple[Path, Future[_T]]](workers, workers * _AHEAD_BYTES)
        for path in files:
            waiting.add(path, (path, threads.submit(read_checked, path)))
            yield from waiting.take_surplus()
        yield from waiting.take_all()


@contextmanager
def _borrow(readers: SimpleQueue[IsolatedReader]) -> Iterator[IsolatedReader]:
    """Take a reader that is free, and put it back at the end."""
    reader = readers.get()
    try:
        yield reader
    finally:
        readers.put(reader)


class FileQueue(Generic[T]):
    """A queue of files, each with an item, such as the future of its book."""

    def __init__(self, n_files: int, n_bytes: int) -> None:
        """Let `n_files` of any size wait, and more as long as all files together have at most `n_bytes`."""
        self._n_files, self._n_bytes = n_files, n_bytes
        self._items: deque[tuple[int, T]] = deque()

    def add(self, path: Path, item: T) -> None:
        """Add a file at the end."""
        self._items.append((file_size(path), item))

    def take_surplus(self, is_ready: Callable[[T], bool] = lambda item: False) -> Iterator[T]:
        """Remove and yield items from the front while the queue is too long or its first item is ready."""
        while self._items and (self._is_too_long() or is_ready(self._items[0][1])):
            yield self._items.popleft()[1]

    def take_all(self) -> Iterator[T]:
        """Remove and yield all items, first to last."""
        while self._items:
            yield self._items.popleft()[1]

    def _is_too_long(self) -> bool:
        """Return whether the queue has enough files: `_n_files`, or more if they are small."""
        n_files = len(self._items)
        if n_files <= self._n_files:
            return False
        n_bytes = sum(size for size, _ in self._items)
        return n_files > self._n_files * _MAX_SMALL_FILES or n_bytes > self._n_bytes
