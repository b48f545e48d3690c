"""Reads the vectors of a library that is searched repeatedly into the system's page cache, in the background.

The engine maps its files, and reads one page at a time. A search compares the sentences of some 400 chunks
from all over the files: as long as these are on disk only, it waits for hundreds of pages, one by one.
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
_FIRST_SEARCH = 2
"""The search at which reading begins: a program that searches only once needs few of the pages."""
_MAX_SHARE = 0.5
"""The share of free memory that the files may take: other programs need the cache, too."""
_REQUEST_BYTES = 128 << 10
"""Bytes per request: Linux may ignore the rest of a larger one."""
_STORAGE = "vector_storage"
"""The engine's folder for the unnamed vector; the folders of the others add a hyphen and the name."""


class ReadAhead:
    """Reads the vectors of one library ahead, from its second search on."""

    def __init__(self, folder: Path) -> None:
        """Name the folder of the engine's files; nothing is read yet."""
        self._folder, self._n_searches, self._lock = folder, 0, threading.Lock()
        self._stopped = threading.Event()

    def count_search(self) -> None:
        """Count a search, and begin to read if it is the second."""
        with self._lock:
            self._n_searches += 1
            is_time_to_read = self._n_searches == _FIRST_SEARCH
        if is_time_to_read:
            threading.Thread(target=self._read, name=THREAD, daemon=True).start()

    def restart(self) -> None:
        """Read again from the second search after this on: the files have been replaced."""
        with self._lock:
            self._n_searches = 0

    def stop(self) -> None:
        """Read no more."""
        self._stopped.set()

    def _read(self) -> None:
        with suppress(OSError):  # a file has been replaced meanwhile
            request_files(list(vector_files(self._folder)), self._stopped)


def vector_files(folder: Path) -> Iterator[Path]:
    """Yield the files of all vectors except BM25, which a search reads from its index."""
    for storage in sorted(folder.glob(f"segments/*/{_STORAGE}*")):
        if storage.name != f"{_STORAGE}-{VectorName.BM25}":
            yield from sorted(path for path in storage.rglob("*") if path.is_file())


def request_files(files: list[Path], stopped: threading.Event) -> int:
    """Ask the system to read files into its cache, and return how many bytes were requested.

    Ends early once `stopped` is set. Nothing is requested, and 0 returned, if the system has no such request,
    does not say how much memory is free, or has too little for all of the files.
    """
    free = free_bytes()
    if not hasattr(os, "posix_fadvise") or free is None:
        return 0
    # Not the length: the engine's files have holes, which take no blocks. A block has 512 bytes.
    bytes_on_disk = sum(path.stat().st_blocks * 512 for path in files)
    if bytes_on_disk > _MAX_SHARE * free:
        return 0
    n_bytes = 0
    for path in files:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            for start in range(0, os.fstat(descriptor).st_size, _REQUEST_BYTES):
                if stopped.is_set():
                    return n_bytes
                os.posix_fadvise(descriptor, start, _REQUEST_BYTES, os.POSIX_FADV_WILLNEED)
                n_bytes += _REQUEST_BYTES
        finally:
            os.close(descriptor)
    return n_bytes
