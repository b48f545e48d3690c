"""The folder of what can be made again, kept to save time: converted models, and what was made of books."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MOST_BYTES = 2 << 30
"""Of all that is kept of books, 2 GB: some 350 books of 75,000 words at 384 dimensions."""


def cache_folder() -> Path:
    """Return the cache folder, `ALEXANDRIA_CACHE` or the user's; it need not exist."""
    if named := os.environ.get("ALEXANDRIA_CACHE"):
        return Path(named).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("alexandria")


def books_folder() -> Path:
    """Return where texts and vectors of books are kept; it need not exist."""
    return cache_folder() / "books"


def graphs_folder() -> Path:
    """Return where converted models are kept; it need not exist."""
    return cache_folder() / "graphs"


def keep(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write an entry, whole or not at all; where the folder cannot be written, nothing is kept.

    Then those of its folder go that were not used for the longest time, until the rest is within the limit.
    """
    new = path.with_suffix(f".{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new.open("wb") as file:
            write(file)
        new.replace(path)
        _evict(path.parent)
    except OSError:
        with suppress(OSError):
            new.unlink()


def mark_used(path: Path) -> None:
    """Put an entry last in the line of those to go."""
    with suppress(OSError):
        os.utime(path)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the cache folder holds."""

    folder: Path
    n_entries: int
    """Texts of books, and lists of sentences whose vectors are kept."""
    book_bytes: int
    graph_bytes: int
    """Of the converted models."""
    most_book_bytes: int = MOST_BYTES


def usage() -> Usage:
    """Return what the cache folder holds."""
    entries = list(_entries(books_folder()))
    graphs = [path for path in graphs_folder().rglob("*") if path.is_file()]
    return Usage(
        cache_folder(),
        len(entries),
        sum(size for _, size, _ in entries),
        sum(path.stat().st_size for path in graphs),
    )


def clear() -> Usage:
    """Delete all that is kept, converted models too, and return what there was."""
    before = usage()
    for part in (books_folder(), graphs_folder()):
        shutil.rmtree(part, ignore_errors=True)
    return before


def _evict(folder: Path) -> None:
    entries = sorted(_entries(folder), reverse=True)
    total = 0
    for _, size, path in entries:
        total += size
        if total > MOST_BYTES:
            path.unlink(missing_ok=True)


def _entries(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """Yield when each entry was last used, its bytes, and its path; also what an interrupted run has left."""
    for path in folder.glob("*") if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another process may evict as well
            found = path.stat()
            yield found.st_mtime_ns, found.st_size, path
