"""Checks manuscripts against a shelf, one after the other."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from types import MappingProxyType

from alexandria.book.words import entered_text
from alexandria.errors import BookError, ConfigError, check_text
from alexandria.extract.formats import LATEX
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.library.check.bibliographies import bibliographies_of, read_bibliography
from alexandria.library.check.highlights import ONLY_HIGHLIGHTS, holds_highlights, read_highlights
from alexandria.library.check.judging import judged
from alexandria.library.check.manuscript import Manuscript, manuscript_of, read_manuscript
from alexandria.library.check.report import CheckedManuscript, CheckedQuotation, CheckReport, UnreadManuscript
from alexandria.library.check.shelf import Shelf, shelf_within
from alexandria.library.check.sources import CitedWork, KnownWorks
from alexandria.library.ingest.discovery import find_books
from alexandria.store.passage import Passage

_INCLUDED = re.compile(r"^[^%\n]*?\\(?:include|input|subfile)\s*\{([^{}\n]+)\}", re.MULTILINE)
_MAX_TEX = 4_000_000  # bytes of a file of LaTeX in which included ones are looked for

NO_ENTRIES: Mapping[str, CitedWork] = MappingProxyType({})


OpenShelf = Callable[[], AbstractContextManager[Shelf]]  # opens the books that quotations are compared with


def check_files(
    paths: Iterable[Path],
    open_shelf: OpenShelf,
    *,
    bibliography: Iterable[Path],
    started: Callable[[Path], None] = lambda path: None,
) -> CheckReport:
    """Return the quotations of manuscripts, compared with a shelf; see `Library.check`."""
    manuscripts, unread = _read(paths, started)
    with open_shelf() as shelf:
        report = check_manuscripts(manuscripts, shelf, _entries_of(bibliography))
    return replace(report, unread=tuple(unread))


def check_quoted_in(
    text: str, open_shelf: OpenShelf, *, within: Iterable[Passage] | None = None
) -> CheckReport:
    """Return the quotations of a text, compared with a shelf or with passages; see `Library.check_text`."""
    check_text(text=text)
    manuscript = manuscript_of(entered_text(text))
    with open_shelf() if within is None else nullcontext(shelf_within(within)) as shelf:
        return check_manuscripts([manuscript], shelf)


def check_manuscripts(
    manuscripts: Iterable[Manuscript], shelf: Shelf, entries: Mapping[str, CitedWork] = NO_ENTRIES
) -> CheckReport:
    """Return the quotations of manuscripts that were read, compared with the books of a shelf.

    Args:
        entries: the works that may be cited by their keys; without any, those of the bibliographies that a
            manuscript names, or that are beside it.

    Raises:
        ConfigError: a bibliography cannot be read.
    """
    items, drafts, texts = list[CheckedQuotation](), list[str](), list[CheckedManuscript]()
    for manuscript in manuscripts:
        texts.append(CheckedManuscript(manuscript.file, manuscript.blocks))
        own = shelf.without_drafts(manuscript)
        drafts += own.drafts
        cited = entries or _entries_of(bibliographies_of(manuscript))
        items += judged(manuscript, own, KnownWorks([book.work for book in own.books], cited))
    return CheckReport(library=shelf.as_checked(drafts), items=tuple(items), manuscripts=tuple(texts))


def _files_of(paths: Iterable[Path]) -> list[Path]:
    """Return the manuscripts that are named: files, and those in and below folders."""
    # LaTeX and files of highlights, which are no books, are among them.
    files = list[Path]()
    for path in paths:
        files += find_books([path]).files
        if path.is_dir():
            files += filter(_is_no_book, sorted(path.rglob("[!.]*")))
    whole = dict.fromkeys(files)
    for file in files:
        if file.suffix.lower() in LATEX.suffixes:
            _add_included(file, file.parent, whole)
    return list(whole)


def _add_included(file: Path, folder: Path, files: dict[Path, None]) -> None:
    """Add the files below its folder that a file of LaTeX includes, and those that these include."""
    try:
        text = file.read_bytes()[:_MAX_TEX].decode(errors="replace")
    except OSError:  # it is named as unread
        return
    for name in _INCLUDED.findall(text):
        path = folder / (name.strip() if Path(name.strip()).suffix else f"{name.strip()}.tex")
        is_below = path.resolve().is_relative_to(folder.resolve())
        if path not in files and is_below and path.suffix.lower() in LATEX.suffixes and path.is_file():
            files[path] = None
            _add_included(path, folder, files)


def _is_no_book(file: Path) -> bool:
    """Return whether a file may be checked that no folder of books is searched for."""
    suffix = file.suffix.lower()
    return suffix in LATEX.suffixes or (suffix in ONLY_HIGHLIGHTS and holds_highlights(file))


def _read(
    paths: Iterable[Path], started: Callable[[Path], None]
) -> tuple[list[Manuscript], list[UnreadManuscript]]:
    """Return manuscripts, and those that cannot be read.

    Raises:
        ConfigError: no manuscript is named, or no folder has one.
        BookError: none can be read.
    """
    manuscripts, unread = list[Manuscript](), list[UnreadManuscript]()
    files = _files_of(paths)
    if not files:
        raise ConfigError(
            "there is nothing to check",
            why="no manuscript is named, and no folder has one",
            fix="name a file such as chapter.docx",
        )
    with IsolatedReader() as reader:
        for file in files:
            started(file)
            try:
                manuscripts.append(_piped(reader) if str(file) == "-" else _manuscript_in(file, reader))
            except BookError as error:
                unread.append(UnreadManuscript(str(file), error))
    if not manuscripts:
        raise unread[0].error
    return manuscripts, unread


def _piped(reader: IsolatedReader) -> Manuscript:
    """Return what is on standard input: Markdown or plain text, or a file of another format."""
    with NamedTemporaryFile(suffix=".md") as file:
        copyfileobj(sys.stdin.buffer, file)
        file.flush()
        return replace(_manuscript_in(Path(file.name), reader), file="-", path=None)


def _manuscript_in(file: Path, reader: IsolatedReader) -> Manuscript:
    return read_highlights(file) or read_manuscript(file, reader)


def _entries_of(files: Iterable[Path]) -> Mapping[str, CitedWork]:
    return {key: work for file in files for key, work in read_bibliography(file).items()}
