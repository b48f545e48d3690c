"""A file becomes a `Book`.

To add a format: write `extract/<format>.py` with `extract(path, options) -> Draft`, and add a line to
`EXTRACTORS` and one to `sniff`. Its contract tests come unasked (`tests/extract/test_contract.py`).
"""

from collections.abc import Callable, Mapping
from hashlib import file_digest
from pathlib import Path

from alexandria.book import Book
from alexandria.errors import BookError, Code
from alexandria.extract import epub, pdf, txt
from alexandria.extract.draft import Draft, bind
from alexandria.extract.options import ReadOptions
from alexandria.extract.sniff import SNIFF_BYTES, sniff

__all__ = ["EXTRACTORS", "ReadOptions", "extract"]

EXTRACTORS: Mapping[str, Callable[[Path, ReadOptions], Draft]] = {
    "epub": epub.extract,
    "pdf": pdf.extract,
    "txt": txt.extract,
}


def extract(path: Path, options: ReadOptions = ReadOptions()) -> Book:
    """Read a file into a book.

    Raises:
        BookError: the file is missing, not a book, damaged, protected, or has no text; `code` says which.
    """
    try:
        with path.open("rb") as file:
            head = file.read(SNIFF_BYTES)
            file.seek(0)
            id = file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise BookError(
            f"cannot find {path}", why="no such file", fix="check the path", code=Code.NOT_FOUND
        ) from error
    except OSError as error:
        raise BookError(
            f"cannot read {path}",
            why=(error.strerror or str(error)).lower(),
            fix="check the file and its permissions",
            code=Code.UNREADABLE,
        ) from error
    format = sniff(path, head)
    return bind(EXTRACTORS[format](path, options), id=id, source=str(path), format=format)
