"""Memory goes back to the system behind each book, so that fifty take no more than five."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

_DONTNEED = 4  # MADV_DONTNEED of <sys/mman.h>


def release_pages(folder: Path) -> None:
    """Let go of what malloc keeps free, and of the pages of the folder's files, which are on disk.

    The engine maps its files, and each page it has ever written counts as ours until the system wants it. A
    page that is asked for again comes back from the system's own cache. Only Linux is told so; elsewhere this
    does nothing.
    """
    library = _c_library()
    if library is None:
        return
    with suppress(OSError):  # a container may have no /proc
        for start, n_bytes in _mapped(folder):
            library.madvise(ctypes.c_void_p(start), ctypes.c_size_t(n_bytes), _DONTNEED)
    with suppress(AttributeError):  # musl has no such function
        library.malloc_trim(ctypes.c_size_t(0))


@cache
def _c_library() -> ctypes.CDLL | None:
    return ctypes.CDLL(None) if sys.platform == "linux" else None


def _mapped(folder: Path) -> Iterator[tuple[int, int]]:
    """Yield where files of the folder are mapped, and how many bytes; not what differs from its file."""
    below = f"{folder.resolve()}/"
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        # address-address rights offset device inode path
        addresses, rights, *rest = line.split(maxsplit=5)
        if rights.endswith("s") and len(rest) == 4 and rest[3].startswith(below):
            start, end = (int(one, 16) for one in addresses.split("-"))
            yield start, end - start
