"""Checks that there is room on the disk before a library grows.

The embedded engine writes through memory maps of sparse files: on a full disk, the kernel kills the process
in the middle of a write (SIGBUS), and there is no error to catch.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from alexandria.book import Point
from alexandria.errors import FullDiskError

NEW_LIBRARY = 24 << 20
"""Bytes that an empty embedded library takes: 23 MiB were measured."""
RESERVE = 16 << 20
"""Bytes that must be free beyond the points of a book: an index grows by several files of 2 or 4 MiB."""
TO_REMOVE = 2 << 20
"""Bytes that must be free to delete points or write a record: both change existing files, and a log."""
TO_CLOSE = 1 << 20
"""Bytes that must be free to close an embedded library: 0.2 MiB were too few."""
_MAX_GROWTH = 1.5
"""Bytes written per byte of points: 1.0 was measured, but files grow by whole blocks."""
_BYTES_PER_TERM = 12
"""Bytes per word of a chunk, in its sparse vector and in the index."""


def has_room(folder: Path, n_bytes: int) -> bool:
    """Return whether `n_bytes` are free on the disk of a folder, or True if the folder has been deleted."""
    try:
        return shutil.disk_usage(folder).free >= n_bytes
    except FileNotFoundError:
        return True


def check_room(folder: Path, n_bytes: int) -> None:
    """Refuse to write `n_bytes` into a library if the disk has no room for them.

    Raises:
        FullDiskError: the message says how many MiB to free.
    """
    free = shutil.disk_usage(folder).free
    if free < n_bytes:
        missing = _mebibytes(n_bytes - free)
        raise FullDiskError(
            f"no room on the disk for the library at {folder}",
            why=f"{_mebibytes(n_bytes)} MiB must be free to write safely, and {free >> 20:,} MiB are",
            fix=f"free {missing} MiB, then run the same command again: it resumes where it stopped",
        )


def _mebibytes(n_bytes: int) -> str:
    """Return a number of bytes in MiB, rounded up."""
    return f"{-(-n_bytes >> 20):,}"


def growth(points: Sequence[Point]) -> int:
    """Return an upper bound of the bytes by which these points make an embedded library grow."""
    n_bytes = 0
    for point in points:
        n_bytes += 2 * point.dense.size  # float16
        n_bytes += 0 if point.sentences is None else point.sentences.size  # eight bits per number
        n_bytes += _BYTES_PER_TERM * len(point.bm25.indices)
        n_bytes += sum(len(str(value).encode()) + len(key) for key, value in point.payload.items())
    return int(n_bytes * _MAX_GROWTH)
