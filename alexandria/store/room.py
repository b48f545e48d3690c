"""Room on the disk, checked before a library grows.

The embedded engine writes through memory maps of files that are mostly holes: without room, the kernel ends
the program (SIGBUS) in the middle of a write, and no error can be caught.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from alexandria.book import Point
from alexandria.errors import FullDiskError

NEW_LIBRARY = 24 << 20
"""What an empty embedded library takes: 23 MiB were measured."""
RESERVE = 16 << 20
"""What must stay free beyond the points of a book: an index grows by files of 2 or 4 MiB, several at once."""
TO_REMOVE = 2 << 20
"""What must be free to delete points or write a record: marks in files that exist, and a log."""
TO_CLOSE = 1 << 20
"""What must be free to close an embedded library: 0.2 MiB were too little."""
_GROWTH = 1.5
"""Bytes written per byte of points, at most: 1.0 were measured, and blocks are larger than points."""
_PER_TERM = 12
"""Of a word of a chunk in the sparse vector, and in its index."""


def has_room(folder: Path, n_bytes: int) -> bool:
    """Return whether so many bytes are free on the disk of a folder; True if the folder has been deleted."""
    try:
        return shutil.disk_usage(folder).free >= n_bytes
    except FileNotFoundError:
        return True


def check_room(folder: Path, n_bytes: int) -> None:
    """Refuse to write so many bytes into a library if there is no room for them.

    Raises:
        FullDiskError: it names what is missing.
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
    return f"{-(-n_bytes >> 20):,}"


def growth(points: Sequence[Point]) -> int:
    """Return at most how many bytes an embedded library grows by these points, without its reserve."""
    n_bytes = 0
    for point in points:
        rows = 0 if point.sentences is None else point.sentences.size  # eight bits per number
        n_bytes += 2 * point.dense.size + rows + _PER_TERM * len(point.bm25.indices)
        n_bytes += sum(len(str(value).encode()) + len(key) for key, value in point.payload.items())
    return int(n_bytes * _GROWTH)
