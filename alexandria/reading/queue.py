"""What waits in order for the next stage: a few files, and more while they are small."""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from alexandria.reading.limits import file_size

_MOST_FILES = 16
"""For each file that may wait whatever its size: a shelf may hold thousands of tiny ones."""

T = TypeVar("T")


class FileQueue(Generic[T]):
    """A queue of files, each with what is being made of it."""

    def __init__(self, n_files: int, n_bytes: int) -> None:
        """Let `n_files` of any size wait, and more of them as long as they have no more than `n_bytes`."""
        self._n_files, self._n_bytes = n_files, n_bytes
        self._items: deque[tuple[int, T]] = deque()

    def add(self, path: Path, item: T) -> None:
        """Put a file at the end."""
        self._items.append((file_size(path), item))

    def surplus(self, is_ready: Callable[[T], bool] = lambda item: False) -> Iterator[T]:
        """Take files from the front: those that are ready, and others until no more wait than may."""
        while self._items and (self._is_over() or is_ready(self._items[0][1])):
            yield self._items.popleft()[1]

    def rest(self) -> Iterator[T]:
        """Take all files from the front."""
        while self._items:
            yield self._items.popleft()[1]

    def _is_over(self) -> bool:
        n_files = len(self._items)
        if n_files <= self._n_files:
            return False
        return n_files > self._n_files * _MOST_FILES or sum(size for size, _ in self._items) > self._n_bytes
