"""A file becomes a `Book`.

To add a format: write `extract/<format>.py` with `extract(path, options) -> Draft`, and add a line to
`EXTRACTORS` and one to `sniff`. Its contract tests come unasked (`tests/extract/test_contract.py`).
"""

import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import file_digest
from importlib import import_module
from pathlib import Path

from alexandria.book import Book
from alexandria.errors import BookError, Code, io_reason
from alexandria.extract.clean import spelled
from alexandria.extract.draft import Draft, bind, with_inline_notes
from alexandria.extract.gutenberg import without_licence
from alexandria.extract.language import detect_language
from alexandria.extract.options import ReadOptions
from alexandria.extract.sniff import SNIFF_BYTES, sniff

__all__ = ["EXTRACTION_VERSION", "EXTRACTORS", "SUFFIXES", "ReadOptions", "content_id", "extract"]

EXTRACTION_VERSION = 1
"""Raised when the same file would be read into another text: stored books are then made anew."""

SUFFIXES = frozenset({".epub", ".fb2", ".htm", ".html", ".pdf", ".text", ".txt", ".xhtml"})
"""What a folder is searched for: not Markdown, which in most folders is a README.

A file that is named itself may be called anything: its bytes decide.
"""

EXTRACTORS: Mapping[str, str] = {
    "epub": "alexandria.extract.epub",
    "fb2": "alexandria.extract.fb2",
    "html": "alexandria.extract.html",
    "markdown": "alexandria.extract.markdown",
    "pdf": "alexandria.extract.pdf",
    "txt": "alexandria.extract.text",
}
"""The module of each format: by name, so that no command waits for the parsers of all of them."""

_SPARING = frozenset({"epub", "pdf"})
"""Formats whose files are read part by part, with limits of their own; the others are read whole."""
_LARGEST = 256 << 20
"""Bytes of a file that is read whole: five times the largest good text that we have met."""

_DEFAULTS = ReadOptions()


def extract(path: Path, options: ReadOptions = _DEFAULTS) -> Book:
    """Read a file into a book; where it names no language, that of its text is detected.

    Raises:
        BookError: the file is missing, not a book, damaged, protected, or has no text; `code` says which.
    """
    id, head = _identify(path)
    format = sniff(path, head)
    if format not in _SPARING:
        _refuse_too_large(path)
    draft = _extractor(format)(path, options)
    draft = without_licence(draft)
    if options.inline_notes:
        draft = with_inline_notes(draft)
    book = bind(draft, id=id, source=spelled(path), format=format)
    if book.language is None and (language := detect_language(book.text)):
        return replace(book, metadata=replace(book.metadata, language=language, language_source="detected"))
    return book


def _extractor(format: str) -> Callable[[Path, ReadOptions], Draft]:
    function: Callable[[Path, ReadOptions], Draft] = import_module(EXTRACTORS[format]).extract
    return function


def content_id(path: Path) -> str:
    """Return the book's id, the sha256 of the file's bytes, without reading it as a book.

    Raises:
        BookError: the file is missing, special, or cannot be opened.
    """
    return _identify(path)[0]


def _identify(path: Path) -> tuple[str, bytes]:
    """Return the sha256 of a file's bytes and the first of them."""
    try:
        _refuse_special(path)
        with path.open("rb") as file:
            head = file.read(SNIFF_BYTES)
            file.seek(0)
            return file_digest(file, "sha256").hexdigest(), head
    except FileNotFoundError as error:
        why = "it is a link to a file that does not exist" if path.is_symlink() else "no such file"
        raise BookError(f"cannot find {path}", why=why, fix="check the path", code=Code.NOT_FOUND) from error
    except OSError as error:
        raise BookError(
            f"cannot read {path}",
            why=io_reason(error),
            fix="check the file and its permissions",
            code=Code.UNREADABLE,
        ) from error


def _refuse_too_large(path: Path) -> None:
    if (n_bytes := path.stat().st_size) > _LARGEST:
        raise BookError(
            f"cannot read {path}",
            why=f"it has {n_bytes >> 20:,} MiB, and text is read up to {_LARGEST >> 20} MiB",
            fix="split the file",
            code=Code.TOO_LARGE,
        )


def _refuse_special(path: Path) -> None:
    """Refuse what is no regular file without opening it: a pipe would wait, a device never end."""
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return
    kinds = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    raise BookError(
        f"cannot read {path}",
        why=f"it is {kinds.get(stat.S_IFMT(mode), 'a device')}, not a file",
        fix="give an EPUB, a PDF or a text file",
        code=Code.UNSUPPORTED,
    )
