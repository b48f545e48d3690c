"""Lists the books of a Calibre library with the metadata in its database, which is opened read-only."""

import sqlite3
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from alexandria.errors import ConfigError
from alexandria.extract import FORMATS

DATABASE = "metadata.db"


@dataclass(frozen=True, slots=True)
class CalibreBook:
    """A book of a Calibre library, in the best of its formats that can be read."""

    file: Path
    metadata: dict[str, Any]
    """The values that Calibre has, by field name; see `metadata.FIELDS`."""


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
    """Return the file of a book whose format comes first in `FORMATS`, or None if no format can be read.

    Args:
        folder: the folder of the book.
        names: the name of its file without suffix, by format: `epub`, `pdf`.
    """
    suffixes = [suffix for format in FORMATS.values() for suffix in format.suffixes]
    for suffix in suffixes:
        name = names.get(suffix.removeprefix("."))
        if name is not None:
            return folder / f"{name}{suffix}"
    return None
