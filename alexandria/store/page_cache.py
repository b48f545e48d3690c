"""Reads the vectors of a library that is searched repeatedly into the system's cache, in the background.

The engine maps its files and reads a page at a time. A search compares the sentences of some 400 chunks from
all over the files: while these are on disk only, it waits for hundreds of pages, one after another.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from alexandria.store.vectors import VectorName
from alexandria.system.machine import free_bytes

THREAD = "library read ahead"
"""The name of the thread that reads."""
_FROM = 2
"""The search at which reading begins: a program that asks one question needs few of the pages."""
_SHARE = 0.5
"""Of the memory that is free, how much the files may take: other programs need the cache, too."""
_PIECE = 128 << 10
"""Bytes requested at once: of a longer request, Linux may drop the rest."""
_STORAGE = "vector_storage"
"""The engine's folder for the unnamed vector; those of the others end in their names."""


class ReadAhead:
    """Reads the vectors of one library ahead, from its second search on."""

    def __init__(self, folder: Path) -> None:
        """Name the folder of the engine's files; nothing is read yet."""
        self._folder, self._n_searches, self._lock = folder, 0, threading.Lock()
        self._stopped = threading.Event()

    def note_search(self) -> None:
        """Count a search, and begin to read if it is the second."""
        with self._lock:
            self._n_searches += 1
            begins = self._n_searches == _FROM
        if begins:
            threading.Thread(target=self._read, name=THREAD, daemon=True).start()

    def restart(self) -> None:
        """Begin again at the second search from now on: the files have been replaced."""
        with self._lock:
            self._n_searches = 0

    def stop(self) -> None:
        """Read no more."""
        self._stopped.set()

    def _read(self) -> None:
        with suppress(OSError):  # a file has been replaced meanwhile
            request_files(list(vector_files(self._folder)), self._stopped)


def vector_files(folder: Path) -> Iterator[Path]:
    """Yield the files of all vectors but BM25's, which a search reads from their index."""
    for storage in sorted(folder.glob(f"segments/*/{_STORAGE}*")):
        if storage.name != f"{_STORAGE}-{VectorName.BM25}":
            yield from sorted(path for path in storage.rglob("*") if path.is_file())


def request_files(files: list[Path], stopped: threading.Event) -> int:
    """Ask the system to read files into its cache until `stopped` is set, and return the bytes requested.

    Returns 0 where the system has no such request, does not say how much memory is free, or has too little
    for all of the files.
    """
    free = free_bytes()
    if not hasattr(os, "posix_fadvise") or free is None:
        return 0
    if sum(path.stat().st_blocks * 512 for path in files) > _SHARE * free:
        return 0
    n_bytes = 0
    for path in files:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            for start in range(0, os.fstat(descriptor).st_size, _PIECE):
                if stopped.is_set():
                    return n_bytes
                os.posix_fadvise(descriptor, start, _PIECE, os.POSIX_FADV_WILLNEED)
                n_bytes += _PIECE
        finally:
            os.close(descriptor)
    return n_bytes
