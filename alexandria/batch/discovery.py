"""Finds the files to read: files, folders and patterns that are named, or a list on standard input."""

import glob
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from alexandria.config import FOLDER_FILE
from alexandria.errors import check_path
from alexandria.extract import folder_suffixes

LIST = "-"
"""Given in place of a path: the paths are read from standard input."""

_JUNK_FILES = re.compile(
    r"(?i)(?:read[-_ ]?me|licen[cs]e|copying|authors|contributors|change[-_ ]?log|news|todo|install|manifest|"
    r"robots|requirements|cmakelists|contributing|security|code[-_ ]of[-_ ]conduct)(?:[-_.].*)?"
    r"\.(?:txt|text|x?html?|md|markdown)"
)
"""Texts that accompany books and programs; an EPUB or a PDF is never junk."""
_JUNK_FOLDERS = frozenset(
    {"__MACOSX", "__pycache__", "node_modules", "$RECYCLE.BIN", "System Volume Information"}
)
_CONVERSIONS: Mapping[str, str] = {
    **dict.fromkeys(
        (".azw4", ".lit", ".lrf", ".chm"),
        "convert it, for example with Calibre: ebook-convert {file} {stem}.epub",
    ),
    **dict.fromkeys(
        (".doc", ".rtf", ".wpd", ".wps", ".pages", ".fodt"),
        "convert it, for example with LibreOffice: soffice --convert-to docx --outdir {folder} {file}",
    ),
    ".kfx": "convert it with Calibre and its plugin KFX Input: ebook-convert {file} {stem}.epub",
    **dict.fromkeys(
        (".djvu", ".djv"),
        "convert it: ddjvu -format=pdf {file} {stem}.pdf, then ocrmypdf {stem}.pdf {stem}.pdf",
    ),
    **dict.fromkeys(
        (".cbz", ".cbr", ".cb7"),
        "unpack it, then make a PDF with a text layer, for example with img2pdf and ocrmypdf",
    ),
    **dict.fromkeys((".zip", ".rar", ".7z", ".gz", ".tar"), "unpack it if there are books in it"),
}
"""How to convert a book of a format that is not read, by suffix."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A file or folder that was found, but is not read."""

    path: Path
    kind: str
    """`hidden`, `accompanying`, `not a book` or `unreadable folder`."""
    fix: str = ""
    """What to do with a book of a kind that can be converted."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The result of a search for books."""

    files: tuple[Path, ...]
    """Each once, in the order named; in a folder by name, its own files before those of its subfolders."""
    passed_over: tuple[PassedOver, ...] = ()

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many were passed over, by kind."""
        return dict(sorted(Counter(item.kind for item in self.passed_over).items()))


def discover(paths: Iterable[Path]) -> list[Path]:
    """Return the files to read; see `find_books`."""
    return list(find_books(paths).files)


def select_folders(arguments: Iterable[str | Path]) -> tuple[Path, ...]:
    """Return the folders among the arguments: the paths of their books are shown relative to them."""
    arguments = list(arguments)
    for argument in arguments:
        check_path(path=argument)
    paths = [Path(argument) for argument in arguments]
    return tuple(path for path in paths if path.is_dir() and not _has_book_suffix(path))


def find_books(arguments: Iterable[str | Path], *, listing: BinaryIO | None = None) -> Discovery:
    """Return the files to read: each file that is named, and the books in and below each folder.

    A file that is named itself is always included; in a folder, books are recognised by their suffix.

    Args:
        arguments: files, folders, patterns such as `shelf/**/*.epub`, and `-` for those on `listing`.
        listing: paths, one per line, or separated by zero bytes as from `find -print0`.
    """
    skipped: list[PassedOver] = []
    files: dict[str, Path] = {}  # by absolute path
    for path in _expand(arguments, listing):
        is_folder = path.is_dir() and not _has_book_suffix(path)
        for file in _walk(path, skipped) if is_folder else [path]:
            files.setdefault(os.path.abspath(file), file)  # noqa: PTH100  # resolves .., but no links
    return Discovery(tuple(files.values()), tuple(skipped))


def _expand(arguments: Iterable[str | Path], listing: BinaryIO | None) -> Iterator[Path]:
    """Yield the paths that the arguments name: those of a list, the matches of a pattern, or one path."""
    for argument in arguments:
        check_path(path=argument)
        if str(argument) == LIST and listing is not None:
            yield from map(Path, _split_paths(listing.read()))
        elif isinstance(argument, str) and glob.has_magic(argument) and not os.path.lexists(argument):
            matches = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207  # it also takes absolute patterns
            # A pattern without matches is yielded itself: reading it reports a file that does not exist.
            yield from map(Path, matches or [argument])
        else:
            yield Path(argument)


def _split_paths(data: bytes) -> list[str]:
    """Return the paths in a list whose separator is the zero byte if it occurs, and otherwise the newline."""
    separator = b"\0" if b"\0" in data else b"\n"
    return [os.fsdecode(line.rstrip(b"\r")) for line in data.split(separator) if line.strip()]


def _walk(folder: Path, skipped: list[PassedOver]) -> Iterator[Path]:
    """Yield the books in and below a folder, and append to `skipped` the files found that are not books.

    Folders that cannot be read are appended too; hidden folders and junk folders are not entered.
    """

    def note_unreadable(error: OSError) -> None:
        skipped.append(PassedOver(Path(error.filename or folder), "unreadable folder"))

    for root, folders, files in os.walk(folder, onerror=note_unreadable):
        # A folder named like a book, `novel.epub`, is yielded as a file: reading it gives the error.
        folders_like_books = [name for name in folders if _has_book_suffix(Path(name))]
        excluded = _JUNK_FOLDERS.union(folders_like_books)
        # In place: os.walk enters the folders that are left in this list.
        folders[:] = sorted(name for name in folders if name not in excluded and name[0] != ".")
        for name in sorted([*files, *folders_like_books]):
            if name == FOLDER_FILE:
                continue
            if reason := _skip_reason(Path(name)):
                skipped.append(PassedOver(Path(root, name), reason, _describe_conversion(Path(root, name))))
            else:
                yield Path(root, name)


def _skip_reason(path: Path) -> str | None:
    """Return why a file found in a folder is not read, or None for a book."""
    if path.name.startswith("."):
        return "hidden"
    if not _has_book_suffix(path):
        return "not a book"
    return "accompanying" if _JUNK_FILES.fullmatch(path.name) else None


def _describe_conversion(path: Path) -> str:
    """Return how to convert a file into a format that is read, or an empty string if no way is known."""
    if path.name.startswith("."):
        return ""
    file, stem, folder = (shlex.quote(str(part)) for part in (path, path.with_suffix(""), path.parent))
    return _CONVERSIONS.get(path.suffix.lower(), "").format(file=file, stem=stem, folder=folder)


def _has_book_suffix(path: Path) -> bool:
    return path.suffix.lower() in folder_suffixes()
