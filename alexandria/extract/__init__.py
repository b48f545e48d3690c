"""Reads files into `Book`s (`extract`), and identifies a file by its content (`content_id`).

To add a format, see `formats`; the contract tests cover every format (`tests/extract/test_contract.py`).
"""

from pathlib import Path

from alexandria.book.model import Book
from alexandria.extract.formats import FORMATS, Format, folder_suffixes
from alexandria.extract.options import ReadOptions

__all__ = [
    "EXTRACTION_VERSION",
    "FORMATS",
    "LIBRARIES",
    "Format",
    "ReadOptions",
    "content_id",
    "extract",
    "folder_suffixes",
]

EXTRACTION_VERSION = 18
"""Raised when the same file would yield a different text or other anchors: stored books are then rebuilt."""

LIBRARIES = ("py3langid",)
"""Distributions that the reading of every format uses; each format lists its own besides these."""

_DEFAULTS = ReadOptions()


def extract(path: Path, options: ReadOptions = _DEFAULTS) -> Book:
    """Return the book in a file. If the file does not name its language, the language is detected.

    Raises:
        BookError: the file is missing, not a book, damaged, protected, or has no text; `code` says which.
    """
    from alexandria.extract.one_file import read_file  # the readers take a tenth of a second to import

    return read_file(path, options)


def content_id(path: Path) -> str:
    """Return the book's id, the sha256 of the file's bytes, without reading it as a book.

    Raises:
        BookError: the file is missing, special, or cannot be opened.
    """
    from alexandria.extract.one_file import hash_and_head

    return hash_and_head(path)[0]
