"""The cache folder: models, texts and vectors of books, copies of catalogs and of libraries.

All of it can be made again.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from alexandria.system.files import atomic_write, size_of_folder

MAX_BYTES = 2 << 30
"""Limit of the texts and vectors of books, 2 GB: about 350 books of 75,000 words at 384 dimensions."""


def cache_folder() -> Path:
    """Return the cache folder, `ALEXANDRIA_CACHE` or the user's; it need not exist."""
    if named := os.environ.get("ALEXANDRIA_CACHE"):
        return Path(named).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("alexandria")


def books_folder() -> Path:
    """Return the folder of the texts and vectors of books; it need not exist."""
    return cache_folder() / "books"


def graphs_folder() -> Path:
    """Return the folder of the converted models; it need not exist."""
    return cache_folder() / "graphs"


def languages_folder() -> Path:
    """Return the folder of the unpacked model that identifies languages; it need not exist."""
    return cache_folder() / "languages"


def catalogs_folder() -> Path:
    """Return the folder of the copies of the catalogs of servers; it need not exist."""
    return cache_folder() / "catalogs"


def copies_folder() -> Path:
    """Return the folder of the copies of libraries that may only be read; it need not exist."""
    return cache_folder() / "copies"


def write_entry(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write an entry completely or not at all; if the folder is not writable, do nothing.

    Then delete the least recently used entries of the folder until the rest is within the limit.
    """
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            write(file)
        _evict(path.parent)


def mark_used(path: Path) -> None:
    """Make an entry the most recently used one."""
    with suppress(OSError):
        os.utime(path)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the cache folder holds."""

    folder: Path
    n_entries: int
    """Texts of books, and lists of sentences with their vectors."""
    book_bytes: int
    graph_bytes: int
    """Size of the converted models, the one that identifies languages, and copies of catalogs, libraries."""
    most_book_bytes: int = MAX_BYTES


def usage() -> Usage:
    """Return what the cache folder holds."""
    entries = list(_iter_entries(books_folder()))
    return Usage(
        folder=cache_folder(),
        n_entries=len(entries),
        book_bytes=sum(size for _, size, _ in entries),
        graph_bytes=sum(size for folder in _other_folders() for _, size, _ in _iter_entries(folder))
        + size_of_folder(copies_folder()),  # most of their files are holes
    )


def clear() -> Usage:
    """Delete everything, including prepared models, and return what there was."""
    before = usage()
    for part in (books_folder(), copies_folder(), *_other_folders()):
        shutil.rmtree(part, ignore_errors=True)
    return before


def _other_folders() -> tuple[Path, ...]:
    return graphs_folder(), languages_folder(), catalogs_folder()


def _evict(folder: Path) -> None:
    """Delete the least recently used entries of a folder until the rest is within the limit."""
    entries = sorted(_iter_entries(folder), reverse=True)  # the most recently used first
    total = 0
    for _, size, path in entries:
        total += size
        if total > MAX_BYTES:
            path.unlink(missing_ok=True)


def _iter_entries(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """Yield the time of last use, size and path of each file, unfinished files of killed runs included."""
    for inside, _, names in os.walk(folder):
        for path in (Path(inside, name) for name in names):
            with suppress(FileNotFoundError):  # another process may delete files meanwhile
                status = path.stat()
                yield status.st_mtime_ns, status.st_size, path
