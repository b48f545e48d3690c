"""Checks that there is room on the disk before a library grows, and returns memory after each book.

The embedded engine writes through memory maps of sparse files: on a full disk, the kernel kills the process
in the middle of a write (SIGBUS), and there is no error to catch. And it maps all that it has written: fifty
books would need more memory than five do.
"""

import ctypes
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from alexandria.book.model import Point
from alexandria.errors import FullDiskError

NEW_LIBRARY = 24 << 20  # bytes that an empty embedded library takes: 23 MiB were measured
RESERVE = 16 << 20
"""Bytes that must be free beyond the points of a book: an index grows by several files of 2 or 4 MiB."""
TO_REMOVE = 2 << 20
"""Bytes that must be free to delete points or write a record: both change existing files, and a log."""
TO_CLOSE = 1 << 20  # bytes that must be free to close an embedded library: 0.2 MiB were too few
_MAX_GROWTH = 1.5  # bytes written per byte of points: 1.0 was measured, but files grow by whole blocks
_BYTES_PER_TERM = 12  # bytes per word of a chunk, in its sparse vector and in the index
_DONTNEED = 4  # MADV_DONTNEED of <sys/mman.h>


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


def release_pages(folder: Path) -> None:
    """Return the memory that malloc keeps free, and the mapped pages of the folder's files, to the system.

    The engine maps its files, and every page it has written counts as this process's memory until the system
    needs it. A page that is used again is read from the system's cache. Except on Linux,
    the function does nothing.
    """
    c_library = _c_library()
    if c_library is None:
        return
    with suppress(OSError):  # a container may have no /proc
        for start, n_bytes in _shared_mappings(folder):
            c_library.madvise(ctypes.c_void_p(start), ctypes.c_size_t(n_bytes), _DONTNEED)
    with suppress(AttributeError):  # musl lacks the function
        c_library.malloc_trim(ctypes.c_size_t(0))


@cache
def _c_library() -> ctypes.CDLL | None:
    return ctypes.CDLL(None) if sys.platform == "linux" else None


def _shared_mappings(folder: Path) -> Iterator[tuple[int, int]]:
    """Yield address and size in bytes of each shared mapping of a file in the folder or below it."""
    below = f"{folder.resolve()}/"
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        if below not in line:
            continue  # quickly: a process that has loaded the model maps thousands of others
        # A line is: address-address permissions offset device inode path
        fields = line.split(maxsplit=5)
        addresses, permissions, path = fields[0], fields[1], fields[5]
        if permissions.endswith("s") and path.startswith(below):  # s: shared
            start, end = (int(address, 16) for address in addresses.split("-"))
            yield start, end - start
