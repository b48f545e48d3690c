"""A queue of files that wait for the next stage: a few of any size, and more if they are small."""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from alexandria.reading.limits import file_size

_MAX_SMALL_FILES = 16
"""Most small files that wait per file of any size: there may be thousands of tiny files."""

T = TypeVar("T")


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
