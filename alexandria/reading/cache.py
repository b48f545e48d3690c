"""Books that were read once are kept: another threshold starts no reader.

What is kept belongs to a file's bytes and path, to how it was read, and to the code and the libraries that
have read it: a change of any asks for another entry. Each entry carries a hash of itself; a damaged one
counts as missing, and is taken in with no more trust than a reader's answer.
"""

import pickle
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

import alexandria
from alexandria.book import Book
from alexandria.cache import books_folder, keep, mark_used
from alexandria.extract import FORMATS, LIBRARIES, ReadOptions
from alexandria.extract.formats import ENTRY_POINTS
from alexandria.plugins import installed_versions
from alexandria.reading.answers import load_answer

_SUFFIX = ".book"
_DIGEST_BYTES = sha256().digest_size


class CachedBooks:
    """Reads a book only where it was not read before."""

    def __init__(self, options: ReadOptions, folder: Path | None = None) -> None:
        """Keep books that are read with `options` in `folder`."""
        self._options, self._folder = options, folder or books_folder()

    def read(self, path: Path, id: str, read: Callable[[], Book]) -> Book:
        """Return the book of the file at `path`, whose id is `id`; `read` is called if it is not there.

        Raises:
            BookError: what `read` raises; a failure is not kept.
        """
        if self._options.password is not None:  # who locks a file does not want its text lying about
            return read()
        entry = self._folder / (_key(path, id, self._options) + _SUFFIX)
        book = _load(entry)
        if book is None:
            book = read()
            packed = pickle.dumps(book, protocol=pickle.HIGHEST_PROTOCOL)
            keep(entry, lambda file: file.write(sha256(packed).digest() + packed))
        return book


def _key(path: Path, id: str, options: ReadOptions) -> str:
    return sha256(repr((id, str(path), options, _reading())).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _reading() -> tuple[object, ...]:
    """Return what tells this code and its libraries from others, which might read a file in another way."""
    libraries = sorted(
        {*LIBRARIES, *(library for format in FORMATS.values() for library in format.libraries)}
    )
    code = _states(Path(alexandria.__file__).parent)
    return (*map(version, libraries), *installed_versions(ENTRY_POINTS), *code)


def _states(package: Path) -> list[tuple[str, int, int]]:
    """Return the names, sizes and times of the code that makes a book."""
    code = [package / "book.py", *sorted((package / "extract").rglob("*.py"))]
    return [(str(file.relative_to(package)), (at := file.stat()).st_size, at.st_mtime_ns) for file in code]


def _load(entry: Path) -> Book | None:
    """Return an entry and mark it as used, or None where it is missing or damaged."""
    try:
        data = entry.read_bytes()
    except OSError:
        return None
    packed = data[_DIGEST_BYTES:]
    if sha256(packed).digest() != data[:_DIGEST_BYTES]:
        return None
    mark_used(entry)
    try:
        book = load_answer(BytesIO(packed))
    except (EOFError, pickle.UnpicklingError):
        return None
    return book if isinstance(book, Book) else None
