"""A readers–writer lock between threads: many may read the books at the same time, or one may change them."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, get_ident


class ReadWriteLock:
    """Lets any number of threads read at once, or one thread change the books.

    A thread that waits to change the books takes precedence over threads that begin to read later, so that
    readers cannot block an ingest forever. Both methods may be nested; a change may contain reads.
    """

    def __init__(self, *, parallel_reads: bool = True) -> None:
        """Create the lock, free; without `parallel_reads`, only one thread can read at a time."""
        self._parallel_reads = parallel_reads
        self._condition = Condition()
        self._readers: dict[int, int] = {}  # by thread, how deeply its reads are nested
        self._writer: int | None = None  # the thread that changes the books
        self._depth = 0  # how deeply its changes are nested
        self._n_waiting = 0  # threads that wait to change the books

    @contextmanager
    def read_lock(self) -> Iterator[None]:
        """Let no thread change the books during this block."""
        thread = get_ident()
        if not self._parallel_reads or self._writer == thread:
            with self.write_lock():
                yield
            return
        with self._condition:
            if thread not in self._readers:
                self._condition.wait_for(lambda: self._writer is None and not self._n_waiting)
            self._readers[thread] = self._readers.get(thread, 0) + 1
        try:
            yield
        finally:
            with self._condition:
                self._readers[thread] -= 1
                if not self._readers[thread]:
                    del self._readers[thread]
                    self._condition.notify_all()

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Let no other thread read or change the books during this block.

        Raises:
            RuntimeError: this thread is reading, so it would wait for itself forever.
        """
        thread = get_ident()
        with self._condition:
            if thread in self._readers:
                raise RuntimeError("a thread that reads the books cannot change them")
            if self._writer != thread:
                self._n_waiting += 1
                try:
                    self._condition.wait_for(lambda: self._writer is None and not self._readers)
                finally:
                    self._n_waiting -= 1
                self._writer = thread
            self._depth += 1
        try:
            yield
        finally:
            with self._condition:
                self._depth -= 1
                if not self._depth:
                    self._writer = None
                    self._condition.notify_all()
