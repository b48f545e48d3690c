"""Finds the files to read: in what is named, on standard input, in a Calibre library, or as they arrive."""

import glob
import os
import re
import shlex
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from alexandria.chunking.domains import FOLDER_FILE
from alexandria.errors import ConfigError, check_path
from alexandria.extract import FORMATS, folder_suffixes
from alexandria.extract.sidecar import SIDECAR

LIST = "-"  # given in place of a path: the paths are read from standard input

_JUNK_FILES = re.compile(
    r"(?i)(?:read[-_ ]?me|licen[cs]e|copying|authors|contributors|change[-_ ]?log|news|todo|install|manifest|"
    r"robots|requirements|cmakelists|contributing|security|code[-_ ]of[-_ ]conduct)(?:[-_.].*)?"
    r"\.(?:txt|text|x?html?|md|markdown)"
)  # texts that accompany books and programs; an EPUB or a PDF is never junk
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
}  # how to convert a book of a format that is not read, by suffix
_PERIOD = 2.0  # seconds between two polls: a file that has not changed between them has arrived

_Stamp = tuple[int, int]  # size and modification time: if they change, the file has changed
DATABASE = "metadata.db"


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A file or folder that was found, but is not read."""

    path: Path
    kind: str  # `hidden`, `accompanying`, `other format`, `not a book`, `unreadable folder` or `file gone`
    fix: str = ""  # what to do with a book of a kind that can be converted


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


def find_books(
    arguments: Iterable[str | Path], *, listing: BinaryIO | None = None, all_formats: bool = False
) -> Discovery:
    """Return the files to read: each file that is named, and the books in and below each folder.

    A file that is named itself is always included; in a folder, books are recognised by their suffix.

    Args:
        arguments: files, folders, patterns such as `shelf/**/*.epub`, and `-` for those on `listing`.
        listing: paths, one per line, or separated by zero bytes as from `find -print0`.
        all_formats: also include the further formats of a book of Calibre.
    """
    skipped: list[PassedOver] = []
    files: dict[str, Path] = {}  # by absolute path
    for path in _expand(arguments, listing):
        is_folder = path.is_dir() and not _has_book_suffix(path)
        for file in _walk(path, skipped, all_formats=all_formats) if is_folder else [path]:
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


def _walk(folder: Path, skipped: list[PassedOver], *, all_formats: bool) -> Iterator[Path]:
    """Yield the books in and below a folder, and append to `skipped` the files found that are not books."""
    # Folders that cannot be read are appended too; hidden folders and junk folders are not entered.

    def note_unreadable(error: OSError) -> None:
        skipped.append(PassedOver(Path(error.filename or folder), "unreadable folder"))

    for root, folders, files in os.walk(folder, onerror=note_unreadable):
        # A folder named like a book, `novel.epub`, is yielded as a file: reading it gives the error.
        folders_like_books = [name for name in folders if _has_book_suffix(Path(name))]
        excluded = _JUNK_FOLDERS.union(folders_like_books)
        # In place: os.walk enters the folders that are left in this list.
        folders[:] = sorted(name for name in folders if name not in excluded and name[0] != ".")
        others = set() if all_formats or SIDECAR not in files else _other_formats(files)
        for name in sorted([*files, *folders_like_books]):
            if name == FOLDER_FILE:
                continue
            if name in others:
                skipped.append(PassedOver(Path(root, name), "other format", "--all-formats reads it, too"))
            elif reason := _skip_reason(Path(name)):
                skipped.append(PassedOver(Path(root, name), reason, _describe_conversion(Path(root, name))))
            else:
                yield Path(root, name)


def _other_formats(names: Iterable[str]) -> set[str]:
    """Return the files in the folder of one book of Calibre that are not read: one format is, and each PDF.

    A PDF has the pages that are cited, and becomes an edition of the work.
    """
    suffixes = {suffix: i for i, suffix in enumerate(_suffixes_by_preference()) if suffix != ".pdf"}
    books = {path for path in map(Path, names) if _has_book_suffix(path)}
    if len({path.stem for path in books}) > 1:  # a file of Calibre's among other books
        return set()
    ranks = {path.name: suffixes[end] for path in books if (end := path.suffix.lower()) in suffixes}
    return {name for name, rank in ranks.items() if rank > min(ranks.values())}


def _suffixes_by_preference() -> list[str]:
    return [suffix for format in FORMATS.values() for suffix in format.suffixes]


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


def arrivals(
    folders: Iterable[Path],
    stopped: Callable[[], bool],
    *,
    period: float = _PERIOD,
    on_gone: Callable[[], None] = lambda: None,
) -> Iterator[list[Path]]:
    """Yield the books that have arrived or changed since the last poll, until `stopped` returns True.

    Polling also works on network drives and in containers, where notifications do not.

    Args:
        stopped: asked before each poll.
        period: seconds between two polls.
        on_gone: called when books have been missing in two polls in a row, before new arrivals are yielded.
            One poll is not enough: a file that is renamed or replaced is missing for a moment.
    """
    folders = list(folders)
    yielded: dict[Path, _Stamp] = {}
    before: dict[Path, _Stamp] = {}
    missing: set[Path] = set()  # at the last poll
    while not stopped():
        now = _read_stamps(folders)
        complete = [path for path, stamp in now.items() if before.get(path) == stamp]
        ready = [path for path in complete if yielded.get(path) != now[path]]
        if missing - now.keys():
            on_gone()
        missing = before.keys() - now.keys()
        yielded |= {path: now[path] for path in ready}
        before = now
        if ready:
            yield ready
        else:
            time.sleep(period)


def _read_stamps(folders: Iterable[Path]) -> dict[Path, _Stamp]:
    """Return the size and modification time of each book in the folders."""
    stamps = {}
    for path in find_books(folders).files:
        try:
            status = path.stat()
        except OSError:  # deleted since it was found, or a broken link
            continue
        stamps[path] = (status.st_size, status.st_mtime_ns)
    return stamps


@dataclass(frozen=True, slots=True)
class CalibreBook:
    """A book of a Calibre library, in the best of its formats that can be read."""

    file: Path
    metadata: dict[str, Any]  # the values that Calibre has, by field name; see `metadata.FIELDS`


def calibre_books(folder: Path) -> list[CalibreBook]:
    """Return the books of a Calibre library that have a format that can be read, in the order of their ids.

    Raises:
        ConfigError: the folder is not a Calibre library, or its database cannot be read.
    """
    database = folder / DATABASE
    if not database.is_file():
        raise ConfigError(
            f"{folder} is not a Calibre library",
            why=f"it has no {DATABASE}",
            fix="give the folder that Calibre shows as the location of its library",
        )
    try:
        with closing(sqlite3.connect(f"file:{quote(str(database.absolute()))}?mode=ro", uri=True)) as opened:
            return _read_books(folder, opened)
    except sqlite3.Error as error:
        raise ConfigError(
            f"cannot read {database}", why=str(error), fix="open it in Calibre, which repairs it"
        ) from error


def _read_books(folder: Path, database: sqlite3.Connection) -> list[CalibreBook]:
    """Return the books in the database that have a format that can be read, in the order of their ids."""
    authors = _read_linked_names(database, "authors", "author")
    publishers = _read_linked_names(database, "publishers", "publisher")
    series = _read_linked_names(database, "series", "series")
    identifiers = defaultdict(list)
    for book, kind, value in database.execute("SELECT book, type, val FROM identifiers ORDER BY id"):
        identifiers[book].append(f"{kind}:{value}")
    files: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for book, format, name in database.execute("SELECT book, format, name FROM data"):
        files[book][format.lower()] = name
    books = []
    for id, title, path, date, number, uuid in database.execute(
        "SELECT id, title, path, pubdate, series_index, uuid FROM books ORDER BY id"
    ):
        file = _choose_best_file(folder / path, files[id])
        if file is None:
            continue
        metadata = {
            "title": title,
            "author": "; ".join(name.replace("|", ",") for name in authors[id]),
            "publisher": ", ".join(publishers[id]),
            "date": "" if str(date).startswith("0101") else str(date)[:10],  # the year 101 means "unknown"
            "series": f"{series[id][0]} {number:g}" if series[id] else "",
            "identifiers": [f"calibre:{id}", f"uuid:{uuid}", *identifiers[id]],
        }
        books.append(CalibreBook(file, {name: value for name, value in metadata.items() if value}))
    return books


def _read_linked_names(database: sqlite3.Connection, table: str, column: str) -> defaultdict[int, list[str]]:
    """Return the names that a table links to each book, in the order in which they were linked."""
    names: defaultdict[int, list[str]] = defaultdict(list)
    rows = database.execute(
        f"SELECT link.book, named.name FROM books_{table}_link AS link "  # both names are constants
        f"JOIN {table} AS named ON named.id = link.{column} ORDER BY link.id"
    )
    for book, name in rows:
        names[book].append(name)
    return names


def _choose_best_file(folder: Path, names: dict[str, str]) -> Path | None:
    """Return the file of a book whose format comes first in `FORMATS`, or None if no format can be read."""
    # `names`: the name of its file without suffix, by format: `epub`, `pdf`.
    for suffix in _suffixes_by_preference():
        name = names.get(suffix.removeprefix("."))
        if name is not None:
            return folder / f"{name}{suffix}"
    return None
