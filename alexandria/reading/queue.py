"""Files that wait, in order, for the next stage: a few of any size, and more if they are small."""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from alexandria.reading.limits import file_size

_MOST_FILES = 16
"""Small files per file of any size that may wait: a library may have thousands of tiny ones."""

T = TypeVar("T")


class FileQueue(Generic[T]):
    """A queue of files, each with its item, such as the future of its book."""

    def __init__(self, n_files: int, n_bytes: int) -> None:
        """Let `n_files` of any size wait, and more as long as all of them together have at most `n_bytes`."""
        self._n_files, self._n_bytes = n_files, n_bytes
        self._items: deque[tuple[int, T]] = deque()

    def add(self, path: Path, item: T) -> None:
        """Add a file at the end."""
        self._items.append((file_size(path), item))

    def surplus(self, is_ready: Callable[[T], bool] = lambda item: False) -> Iterator[T]:
        """Remove items from the front while the queue is too long or the first one is ready."""
        while self._items and (self._is_too_long() or is_ready(self._items[0][1])):
            yield self._items.popleft()[1]

    def rest(self) -> Iterator[T]:
        """Remove all items, first to last."""
        while self._items:
            yield self._items.popleft()[1]

    def _is_too_long(self) -> bool:
        n_files = len(self._items)
        if n_files <= self._n_files:
            return False
        return n_files > self._n_files * _MOST_FILES or sum(size for size, _ in self._items) > self._n_bytes
