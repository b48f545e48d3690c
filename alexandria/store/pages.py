"""Returns memory to the system after each book, so that fifty books need no more of it than five do."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

_DONTNEED = 4  # MADV_DONTNEED of <sys/mman.h>


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
