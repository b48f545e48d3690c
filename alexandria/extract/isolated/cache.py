"""Caches the books that have been read: to be cut with another threshold, a file is not read again.

The name of an entry is a hash of the bytes and the path of a file, the options it was read with, and the code
and the libraries that read it; a change to any of them gives another entry. Each entry includes its own hash.
A damaged entry counts as missing, and an entry is trusted no more than an answer of the isolated process.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from alexandria.book.model import Book
from alexandria.extract import FORMATS, LIBRARIES, ReadOptions
from alexandria.extract.formats import ENTRY_POINTS
from alexandria.extract.isolated.answers import load_sealed, sealed
from alexandria.extract.sidecar import sidecar_of
from alexandria.system.cache import books_folder, write_entry
from alexandria.system.files import PACKAGE_FOLDER
from alexandria.system.plugins import list_installed_versions

_SUFFIX = ".book"
_CODE = ("errors.py", "book", "system", "extract")  # what reads a file: `extract`, and what it imports


@dataclass(frozen=True, slots=True)
class Attempt:
    """A book, and whether its file is to be read again."""

    book: Book
    lacks_pages: bool = False
    """Whether scanned pages could not be recognised for lack of a program, a language, time or memory: the
    next attempt may succeed."""


class CachedBooks:
    """Books that were read with the same options."""

    def __init__(self, options: ReadOptions, folder: Path | None = None) -> None:
        """Cache books that are read with `options` in a folder, by default in the user's cache."""
        self._options, self._folder = options, folder or books_folder()

    def read(self, path: Path, id: str, read: Callable[[], Attempt]) -> Book:
        """Return the book of a file from the cache; if it is missing, call `read` and cache the result.

        A book that lacks pages is not cached.

        Args:
            id: the `content_id` of the file.

        Raises:
            BookError: what `read` raises; a failure is not cached.
        """
        if self._options.password is not None:  # the text of an encrypted file should not be left on the disk
            return read().book
        entry = self._folder / (_entry_name(path, id, self._options) + _SUFFIX)
        if (book := load_sealed(entry, Book)) is not None:
            return book
        attempt = read()
        if not attempt.lacks_pages:
            write_entry(entry, lambda file: file.write(sealed(attempt.book)))
        return attempt.book


def _entry_name(path: Path, id: str, options: ReadOptions) -> str:
    key = repr((id, str(path), options, options.password, _sidecar_state(path), _reader_state()))
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _sidecar_state(path: Path) -> tuple[int, int] | None:
    """Return the size and modification time of the metadata file next to a book, or None if there is none."""
    file = sidecar_of(path)
    if file is None:
        return None
    status = file.stat()
    return status.st_size, status.st_mtime_ns


@cache
def _reader_state() -> tuple[object, ...]:
    """Return the state of this code and its libraries: in another state, a file may be read differently."""
    from importlib.metadata import version

    libraries = sorted(
        {*LIBRARIES, *(library for format in FORMATS.values() for library in format.libraries)}
    )
    code = _file_states(PACKAGE_FOLDER)
    return (*map(version, libraries), *list_installed_versions(ENTRY_POINTS), *code)


def _file_states(package: Path) -> list[tuple[str, int, int]]:
    """Return the name, size and modification time of each source file that affects how a book is read."""
    places = [package / name for name in _CODE]
    files = [place for place in places if place.is_file()]
    files += [file for kind in ("*.py", "*.txt") for place in places for file in sorted(place.rglob(kind))]
    statuses = [(str(file.relative_to(package)), file.stat()) for file in files]
    return [(name, status.st_size, status.st_mtime_ns) for name, status in statuses]
