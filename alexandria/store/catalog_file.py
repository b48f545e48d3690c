"""The catalog of a library in a folder: the records of its books in one SQLite file, next to the points.

The table `records` holds each record in two parts: the fields that a list of books shows, and the details
(digests, headings, vector sums), which are read only for a single book. The tables of `_LOOKUP_TABLES` repeat
what books are looked up and counted by; they can always be built again from the records.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any, Self
from zlib import crc32

from alexandria.book.filters import Filters, is_by, is_language_within, is_titled
from alexandria.book.shingles import lookup_shingles
from alexandria.book.volumes import divide_volume
from alexandria.book.words import catalog_fold
from alexandria.errors import DamagedError, StoreError
from alexandria.store.disk_space import TO_REMOVE, check_room
from alexandria.store.edge_errors import REMEDY, full_disk_error, is_full_disk
from alexandria.store.folder import denied_error
from alexandria.store.names import names_of
from alexandria.store.store import Pending, Scope, Summary
from alexandria.system.files import sync_file, sync_folder

CATALOG = "catalog.sqlite"
WAL_FILES = f"{CATALOG}-wal", f"{CATALOG}-shm"
"""The files that SQLite keeps next to the catalog while it is open: its log, and an index of that log."""
DETAILS = frozenset({"sections", "digests", "vector_sums", "left_out", "sketch"})
"""The fields of a record that no list of books shows; they are most of its size."""
_BATCH = 500  # values in one statement: old builds of SQLite take at most 999
_TABLES = (
    """
CREATE TABLE records (
    key TEXT NOT NULL UNIQUE, record TEXT NOT NULL, details TEXT NOT NULL,
    record_sum INTEGER NOT NULL, details_sum INTEGER NOT NULL
)""",
    """
CREATE TABLE pending (
    generation TEXT PRIMARY KEY, title TEXT NOT NULL, since TEXT NOT NULL, removed INTEGER NOT NULL
)""",
    "CREATE TABLE settings (json TEXT NOT NULL)",
    "CREATE TABLE version (number INTEGER NOT NULL)",
    "INSERT INTO version VALUES (0)",
    "CREATE TABLE stamps (key TEXT PRIMARY KEY, stamp REAL NOT NULL)",
    "CREATE INDEX stamps_by_time ON stamps (stamp)",
)
_LOOKUP_TABLES = (
    """
CREATE TABLE books (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, removed INTEGER NOT NULL, ordered TEXT NOT NULL,
    title TEXT NOT NULL, author TEXT NOT NULL, language TEXT, domain TEXT NOT NULL, source TEXT NOT NULL,
    work TEXT NOT NULL, model TEXT NOT NULL, sentence_vectors INTEGER NOT NULL, precision TEXT,
    generation TEXT NOT NULL
)""",
    "CREATE INDEX books_by_title ON books (removed, ordered, key)",
    "CREATE INDEX books_by_name ON books (title)",
    "CREATE INDEX books_by_source ON books (source)",
    "CREATE INDEX books_by_work ON books (work) WHERE work != ''",
    "CREATE INDEX books_by_generation ON books (generation)",
    """
CREATE TABLE runs (run INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID""",
    """
CREATE TABLE names (name TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (name, number)) WITHOUT ROWID""",
    """
CREATE TABLE totals (
    language TEXT NOT NULL, model TEXT NOT NULL, sentence_vectors INTEGER NOT NULL, precision TEXT NOT NULL,
    n INTEGER NOT NULL, PRIMARY KEY (language, model, sentence_vectors, precision)
) WITHOUT ROWID""",
    """
CREATE TRIGGER book_added AFTER INSERT ON books WHEN NEW.removed = 0 BEGIN
    INSERT INTO totals VALUES (
        ifnull('=' || NEW.language, ''), NEW.model, NEW.sentence_vectors, ifnull(NEW.precision, ''), 1
    ) ON CONFLICT DO UPDATE SET n = n + 1;
END""",
    """
CREATE TRIGGER book_deleted AFTER DELETE ON books WHEN OLD.removed = 0 BEGIN
    UPDATE totals SET n = n - 1 WHERE language = ifnull('=' || OLD.language, '') AND model = OLD.model
    AND sentence_vectors = OLD.sentence_vectors AND precision = ifnull(OLD.precision, '');
END""",
)  # the statements that create what records are looked up and counted by
_LISTED_BY = {"runs": "run", "names": "name"}
"""The tables that list the numbers of books, each with the column that they are looked up by."""
_HAS_CHAPTER_AUTHORS = """EXISTS (SELECT 1 FROM records WHERE records.key = books.key
 AND instr(record, '"chapter_authors":["'))"""
_BOOK_COLUMNS = (
    "key, removed, ordered, title, author, language, domain, source, work, model, sentence_vectors,"
    " precision, generation"
)


@dataclass(frozen=True, slots=True)
class Change:
    """What a server says of a record; only a copy of its catalog has such stamps (`mirror.py`)."""

    key: str
    stamp: float  # when it was written or deleted: seconds since 1970
    record: Mapping[str, Any] | None  # None if it was deleted


class CatalogFile:
    """The open catalog of a folder. Threads take turns to use it.

    Many processes may read the file, while one, which has locked the folder, writes it (WAL).
    """

    def __init__(self, folder: Path, place: Path | None = None) -> None:
        """Open the catalog in a folder; `place` is the folder of the library, if that is another one.

        Raises:
            DamagedError: the file is missing, or is not a catalog.
            FullDiskError: the disk has no room to open it.
        """
        self._folder: Path | None = folder
        self._place, self._lock = place or folder, RLock()
        if not (folder / CATALOG).is_file():
            raise _damaged_error(self._place, "it is missing")
        with self._translate_errors():
            self._database = _connect(folder / CATALOG)
            try:
                # Raises if this is not a catalog.
                self._database.execute("SELECT n FROM totals LIMIT 1").fetchall()
            except BaseException:
                self._database.close()
                raise

    @classmethod
    def open_or_create(cls, file: Path | str, place: str) -> Self:
        """Return the catalog in a file that can be made again, or in memory; an empty one if it is new.

        Args:
            file: the file, in an existing folder; or `:memory:`.
            place: what errors name.

        Raises:
            DamagedError: the file is not a catalog.
            FullDiskError: the disk has no room for it.
        """
        catalog = cls.__new__(cls)
        catalog._folder, catalog._place, catalog._lock = None, Path(place), RLock()
        with catalog._translate_errors():
            catalog._database = _connect(file)
            catalog._database.execute("PRAGMA journal_mode=WAL")
            with catalog._write_transaction() as database:
                if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'names'").fetchall():
                    _create_tables(database)
        return catalog

    @property
    def letters_folder(self) -> Path | None:
        """The folder for the letters of the books, beside the file; None in memory."""
        return self._folder and self._folder / "letters"

    def settings(self) -> dict[str, Any]:
        """Return the settings with which the catalog was created.

        Raises:
            DamagedError: they cannot be read.
        """
        rows = self._fetch("SELECT json FROM settings")
        try:
            [(text,)] = rows
            return dict(json.loads(text))
        except (TypeError, ValueError) as error:
            raise _damaged_error(self._place, "its settings were changed") from error

    def close(self) -> None:
        """Close the file; what was written is on the disk already."""
        # On a full disk, SQLite cannot merge its log into the file: the next open reads the log.
        with self._lock, suppress(sqlite3.Error):
            self._database.close()

    def commit(
        self,
        *,
        put: Sequence[Mapping[str, Any]] = (),
        delete: Sequence[str] = (),
        pending: Sequence[Pending] = (),
        done: Sequence[str] = (),
    ) -> None:
        """Change the catalog as `Records.commit` does: all of it or nothing.

        Raises:
            FullDiskError: the disk has no room for it.
        """
        if self._folder is not None:
            check_room(self._folder, TO_REMOVE)
        with self._write_transaction() as database:
            for key in delete:
                _delete(database, key)
            for record in put:
                _delete(database, record["book_id"])
                _insert(database, record)
            if put or delete:
                _raise_version(database)
            database.executemany("DELETE FROM pending WHERE generation = ?", ((name,) for name in done))
            rows = ((note.generation, note.title, note.since, note.removed) for note in pending)
            database.executemany("INSERT OR REPLACE INTO pending VALUES (?, ?, ?, ?)", rows)

    def take_over(self, changes: Iterable[Change]) -> None:
        """Write records as they are on a server, except those of which this copy has a later change."""
        with self._write_transaction() as database:
            _raise_version(database)
            for change in changes:
                query = "SELECT 1 FROM stamps WHERE key = ? AND stamp > ?"
                if database.execute(query, (change.key, change.stamp)).fetchall():
                    continue
                _delete(database, change.key)
                if change.record is not None:
                    _insert(database, change.record)
                database.execute("INSERT OR REPLACE INTO stamps VALUES (?, ?)", (change.key, change.stamp))

    def forget(self, keys: Iterable[str]) -> None:
        """Delete what this copy has of these records."""
        with self._write_transaction() as database:
            _raise_version(database)
            for key in keys:
                _delete(database, key)
                database.execute("DELETE FROM stamps WHERE key = ?", (key,))

    def stamps(self, since: float) -> dict[str, float]:
        """Return when each record was changed on the server, by key, where that was not before `since`."""
        return dict(self._fetch("SELECT key, stamp FROM stamps WHERE stamp >= ?", (since,)))

    def latest_stamp(self) -> float | None:
        """Return when the last of these changes was made, or None if the copy is empty."""
        [(latest,)] = self._fetch("SELECT max(stamp) FROM stamps")
        return None if latest is None else float(latest)

    def n_stamps(self) -> int:
        """Return the number of records of the server that this copy knows, deleted ones included."""
        return self._fetch_number("SELECT count(*) FROM stamps")

    def pending(self) -> list[Pending]:
        """Return the generations that are pending."""
        rows = self._fetch("SELECT generation, title, since, removed FROM pending")
        return [
            Pending(generation, title, since, bool(removed)) for generation, title, since, removed in rows
        ]

    def all(self, fields: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield all records, in the order of their keys, or these fields of each."""
        if fields:
            yield from self._records_where("1", (), fields)
        else:
            yield from (record for _, record in self._keyed_records())

    def readable_records(self) -> Iterator[dict[str, Any]]:
        """Yield the records of a damaged file that can be read."""
        yield from (record for _, record in self._readable_records())

    def _readable_records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield key and record of the records that can be read, row by row, since any row may be damaged."""
        try:
            last_row_id = self._fetch("SELECT max(rowid) FROM records")[0][0] or 0
        except StoreError:
            return
        for row_id in range(1, last_row_id + 1):
            with suppress(StoreError):
                yield from ((row[0], self._parse(*row)) for row in self._fetch_rows("rowid = ?", (row_id,)))

    def by(self, name: str, values: Sequence[str], fields: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield the records that have one of these values in a field of `LOOKED_UP`.

        Args:
            fields: which fields of each record to yield; if empty, all.
        """
        column = "key" if name == "book_id" else name
        for i in range(0, len(values), _BATCH):
            batch = values[i : i + _BATCH]
            condition = f"{column} IN ({_placeholders(batch)})"
            if column == "work":
                condition += " AND work != ''"  # without this, SQLite does not use the partial index
            if column != "key":
                condition = f"key IN (SELECT key FROM books WHERE {condition})"
            yield from self._records_where(condition, batch, fields)

    def n_listed(self, generations: Sequence[str]) -> int:
        """Return how many of these generations are those of books; no record is read."""
        n = 0
        for i in range(0, len(generations), _BATCH):
            batch = generations[i : i + _BATCH]
            condition = f"removed = 0 AND generation IN ({_placeholders(batch)})"
            n += self._fetch_number(f"SELECT count(*) FROM books WHERE {condition}", batch)
        return n

    def having(
        self, name: str, values: Sequence[str] | Sequence[int], fields: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Return the records of the books that have one of these values.

        Args:
            name: what to look up, one of `DERIVED`: `title`, `runs` or `names` (as `names_of` has them).
            fields: which fields of each record to return; if empty, all.
        """
        records: dict[str, dict[str, Any]] = {}
        for i in range(0, len(values), _BATCH):
            batch = values[i : i + _BATCH]
            condition = f"{_LISTED_BY.get(name, name)} IN ({_placeholders(batch)})"
            if name in _LISTED_BY:
                condition = f"number IN (SELECT number FROM {name} WHERE {condition})"
            # The plus keeps SQLite from using the index of all present books.
            condition = f"key IN (SELECT key FROM books WHERE +removed = 0 AND {condition})"
            ordered = f"{condition} ORDER BY (SELECT number FROM books WHERE books.key = records.key)"
            records |= {record["book_id"]: record for record in self._records_where(ordered, batch, fields)}
        return list(records.values())

    def names_among(self, words: Collection[str]) -> set[str]:
        """Return which of these folded words are in the title or the author of a book."""
        asked, known = list(words), set[str]()
        for i in range(0, len(asked), _BATCH):
            batch = asked[i : i + _BATCH]
            query = f"SELECT DISTINCT name FROM names WHERE name IN ({_placeholders(batch)})"
            known.update(name for (name,) in self._fetch(query, batch))
        return known

    def matching(self, filters: Filters) -> list[dict[str, Any]]:
        """Return the records of the books that pass the filters by title, author, domain and language.

        Those with chapters by several authors are among them, whoever the author of the filter is.
        """
        return self._books_where(*_condition_of(filters, or_by=f" OR {_HAS_CHAPTER_AUTHORS}"))

    def page(self, filters: Filters, start: int, limit: int) -> list[dict[str, Any]]:
        """Return the records of at most `limit` matching books, by title, after the first `start`."""
        condition, values = _condition_of(filters)
        return self._books_where(
            f"{condition} ORDER BY ordered, key LIMIT ? OFFSET ?", [*values, limit, start]
        )

    def _books_where(self, condition: str, values: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the records of the books that meet an SQL condition; in its order, if it has an ORDER BY."""
        with self._read_transaction():
            keys = [key for (key,) in self._fetch(f"SELECT key FROM books WHERE {condition}", values)]
            record_by_key = {record.get("book_id"): record for record in self.by("book_id", keys)}
        return [record_by_key[key] for key in keys if key in record_by_key]

    def scope(self, filters: Filters) -> Scope:
        """Return the scope of a search in the matching books, counted in SQL: no record is read.

        If all books match, the scope does not list their generations: such a search needs no filter.
        """
        condition, values = _condition_of(filters)
        # ifnull: a condition on the language of a book without one is null, not false.
        other_books = f"SELECT 1 FROM books WHERE removed = 0 AND NOT ifnull({condition}, 0) LIMIT 1"
        if not self._fetch(other_books, values):
            summary = self.summary()
            return Scope(summary.n_books, summary.languages, summary.n_without_sentences)
        columns = "generation, language, sentence_vectors"
        rows = self._fetch(f"SELECT {columns} FROM books WHERE {condition} ORDER BY ordered, key", values)
        return Scope(
            n_books=len(rows),
            languages=frozenset(language for _, language, _ in rows),
            n_without_sentences=sum(not has_sentences for _, _, has_sentences in rows),
            where={"generation": [generation for generation, _, _ in rows]},
        )

    def summary(self) -> Summary:
        """Return the summary of all books.

        This takes hardly longer for many books than for few: the table `totals` already counts them.
        """
        with self._read_transaction():
            totals = self._fetch(
                "SELECT language, model, sentence_vectors, precision, n FROM totals WHERE n > 0"
            )
            works = self._fetch("SELECT DISTINCT work FROM books WHERE work != '' AND removed = 0")
        return Summary(
            n_books=sum(n for *_, n in totals),
            # `=en` is the language `en`, and an empty text no language: a primary key cannot be null.
            languages=frozenset(language[1:] if language else None for language, *_ in totals),
            n_without_sentences=sum(n for *_, sentences, _, n in totals if not sentences),
            model=totals[0][1] if totals else "",
            precisions=frozenset(precision for *_, precision, _ in totals if precision),
            works=tuple(work for (work,) in works),
        )

    def refresh(self, *, check: bool = False) -> None:
        """Do nothing: each question reads the file as it is."""

    def n_written(self) -> int:
        """Return how many points were written since the space of deleted ones was given back, or 0."""
        return self._fetch_number("PRAGMA user_version")

    def note_written(self, n_points: int) -> None:
        """Note how many points were written; in the head of the file, which 1.0.0 ignores."""
        with self._write_transaction() as database:
            database.execute(f"PRAGMA user_version = {n_points:d}")

    def faults(self) -> list[str]:
        """Return what is wrong with the file, a phrase for each fault; reads all of it.

        SQLite checks the file itself. Then the lookup tables are compared with the records: `books` must have
        a row for each, `runs` the shingles by which editions of one text are found, and `names` what it is
        called; `totals` must add up to the books that are present.

        Raises:
            DamagedError: records cannot be read.
        """
        with self._read_transaction():
            reports = [str(report) for (report,) in self._fetch("PRAGMA integrity_check(5)")]
            faults = [report for report in reports if report != "ok"]
            row_by_key = {row[0]: row for row in self._fetch(f"SELECT {_BOOK_COLUMNS} FROM books")}
            n_records, n_listed = 0, Counter[str]()
            for key, record in self._keyed_records():
                lists = _lists_of(record)
                n_records += 1
                n_listed.update({table: len(values) for table, values in lists.items()})
                has_row = row_by_key.get(key) == _book_row(key, record)
                is_listed = all(
                    self._count_listed(key, table, values) == len(values) for table, values in lists.items()
                )
                if not (has_row and is_listed):
                    faults.append(f"the lookup tables do not match the record {key}")
            faults.extend(
                f"it lists {table} that no book has"
                for table in _LISTED_BY
                if self._fetch_number(f"SELECT count(*) FROM {table}") != n_listed[table]
            )
            if len(row_by_key) != n_records:
                faults.append(f"it lists {len(row_by_key)} books but holds {n_records} records")
            n_present = self._fetch_number("SELECT count(*) FROM books WHERE removed = 0")
            if self._fetch_number("SELECT ifnull(sum(n), 0) FROM totals") != n_present:
                faults.append("its totals do not match its books")
        return faults

    def _count_listed(self, key: str, table: str, values: Sequence[str | int]) -> int:
        """Return how many of these values a table of `_LISTED_BY` lists for a book."""
        query = (
            f"SELECT count(*) FROM {table} WHERE {_LISTED_BY[table]} IN ({_placeholders(values)})"
            " AND number = (SELECT number FROM books WHERE key = ?)"
        )
        return self._fetch_number(query, (*values, key))

    def version(self) -> int:
        """Return a number that every change of the records raises, also one of another process."""
        return self._fetch_number("SELECT number FROM version")

    def _keyed_records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield key and record of all records, ordered by key, a batch per statement."""
        last_key = ""
        while rows := self._fetch_rows("key > ? ORDER BY key LIMIT ?", (last_key, _BATCH)):
            yield from ((row[0], self._parse(*row)) for row in rows)
            last_key = rows[-1][0]

    def _records_where(
        self, condition: str, values: Sequence[Any], fields: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        """Yield these fields, or all if none are given, of each record that meets an SQL condition."""
        # The details are read only if one of the fields is among them.
        if not fields:
            yield from (self._parse(*row) for row in self._fetch_rows(condition, values))
            return
        if DETAILS.isdisjoint(fields):
            query = f"SELECT key, record, record_sum FROM records WHERE {condition}"
            records = (self._parse_part(*row) for row in self._fetch(query, values))
        else:
            records = (self._parse(*row) for row in self._fetch_rows(condition, values))
        for record in records:
            yield {name: record[name] for name in fields if name in record}

    def _fetch_rows(self, condition: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return the rows of `records` that meet an SQL condition, as `_parse` takes them."""
        columns = "key, record, details, record_sum, details_sum"
        return self._fetch(f"SELECT {columns} FROM records WHERE {condition}", values)

    def _parse(
        self, key: str, record: str, details: str, record_checksum: int, details_checksum: int
    ) -> dict[str, Any]:
        """Return a record from its row: the fields of both parts, which are JSON, after a check of each."""
        fields = self._parse_part(key, record, record_checksum)
        return fields | self._parse_part(key, details, details_checksum)

    def _parse_part(self, key: str, text: str, checksum: int) -> dict[str, Any]:
        """Return one part of a record from its JSON.

        Raises:
            DamagedError: the text does not match its checksum; SQLite itself keeps none.
        """
        if not isinstance(text, str) or _checksum(text) != checksum:
            raise _damaged_error(self._place, f"the record of the book {key} was changed")
        part: dict[str, Any] = json.loads(text)
        return part

    def _fetch(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._translate_errors():
            return self._database.execute(query, values).fetchall()

    def _fetch_number(self, query: str, values: Sequence[Any] = ()) -> int:
        [(number,)] = self._fetch(query, values)
        return int(number)

    @contextmanager
    def _read_transaction(self) -> Iterator[None]:
        """Run the block in one transaction, so that all its statements see the same snapshot of the file."""
        # The lock is reentrant: the statements of the block take it again.
        with self._lock:
            with self._translate_errors():
                self._database.execute("BEGIN")
            # Outside `_translate_errors`: each statement of the block translates its own errors, in `_fetch`.
            try:
                yield
            finally:
                with suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")  # nothing was written: this only ends the transaction

    @contextmanager
    def _write_transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the database to write to; commit at the end of the block, or roll back if it raises."""
        with self._lock, self._translate_errors():
            # IMMEDIATE takes the write lock at once: a transaction that began as a read could fail to get it.
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raise what SQLite raises in this block as a FullDiskError or a DamagedError."""
        # Where the process lacks the right to read and write the folder, it raises a StoreError that says so.
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if _is_full_disk(error):
                raise full_disk_error(f"cannot use the library at {self._place}") from error
            denied = self._folder and denied_error(f"cannot use the library at {self._place}", self._folder)
            raise denied or _damaged_error(self._place, str(error)) from error


_FULL_DISK_CODES = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN", "SQLITE_IOERR_WRITE")
"""The error codes of SQLite on a full disk; not all of its messages say so."""


def _is_full_disk(error: Exception) -> bool:
    # Errors that Python's sqlite3 raises itself, and those of the system, have no SQLite code.
    return is_full_disk(error) or getattr(error, "sqlite_errorname", "") in _FULL_DISK_CODES


def create_catalog(
    folder: Path, records: Iterable[Mapping[str, Any]] = (), settings: Mapping[str, Any] | None = None
) -> None:
    """Create the catalog in a folder; it appears under its name once it is complete.

    Args:
        settings: values to store in it, in JSON's types.

    Raises:
        FullDiskError: the disk has no room for it.
    """
    new = folder / f"{CATALOG}.new"
    for name in (new.name, f"{new.name}-wal", f"{new.name}-shm", f"{new.name}-journal"):
        (folder / name).unlink(missing_ok=True)  # left over from a process that was killed
    try:
        with closing(_connect(new)) as database:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("BEGIN")
            _create_tables(database, settings)
            for record in records:
                _insert(database, record)
            database.execute("COMMIT")
        sync_file(new)
        new.replace(folder / CATALOG)
        sync_folder(folder)
    except (sqlite3.Error, OSError) as error:
        if not _is_full_disk(error):
            raise
        raise full_disk_error(f"cannot write into the library at {folder}") from error


def _create_tables(database: sqlite3.Connection, settings: Mapping[str, Any] | None = None) -> None:
    for statement in (*_TABLES, *_LOOKUP_TABLES):
        database.execute(statement)
    database.execute("INSERT INTO settings VALUES (?)", (_to_json(settings or {}),))


def _connect(path: Path | str) -> sqlite3.Connection:
    """Open the SQLite file so that every commit is on the disk, and threads may share the connection."""
    # isolation_level=None: transactions begin only where we say so. Our lock makes threads take turns.
    database = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    database.create_function("is_language_within", 2, is_language_within, deterministic=True)
    database.create_function("is_titled", 2, is_titled, deterministic=True)
    database.create_function("casefold", 1, str.casefold, deterministic=True)
    database.create_function("is_by", 2, is_by, deterministic=True)
    database.execute("PRAGMA synchronous=FULL")  # a commit survives a power cut
    return database


def _raise_version(database: sqlite3.Connection) -> None:
    database.execute("UPDATE version SET number = number + 1")


def _insert(database: sqlite3.Connection, record: Mapping[str, Any]) -> None:
    """Insert a record, in its two parts, and what it is looked up by."""
    key = str(record["book_id"])
    listed = _to_json({name: value for name, value in record.items() if name not in DETAILS})
    details = _to_json({name: value for name, value in record.items() if name in DETAILS})
    _insert_lookups(database, key, record)
    database.execute(
        "INSERT INTO records VALUES (?, ?, ?, ?, ?)",
        (key, listed, details, _checksum(listed), _checksum(details)),
    )


def _insert_lookups(database: sqlite3.Connection, key: str, record: Mapping[str, Any]) -> None:
    """Insert what a record is looked up by: a row in `books`, and rows in the tables of `_LISTED_BY`."""
    row = _book_row(key, record)
    insert = f"INSERT INTO books ({_BOOK_COLUMNS}) VALUES ({_placeholders(row)})"
    number = database.execute(insert, row).lastrowid
    for table, values in _lists_of(record).items():
        database.executemany(f"INSERT INTO {table} VALUES (?, ?)", ((value, number) for value in values))


def _delete(database: sqlite3.Connection, key: str) -> None:
    """Delete a record, if there is one, and what it is looked up by."""
    rows = database.execute(
        "SELECT number, record, details FROM books JOIN records USING (key) WHERE key = ?", (key,)
    ).fetchall()
    for number, listed, details in rows:  # one, or none
        # The tables are ordered by value, not by book: the record says which values are the book's.
        try:
            lists = _lists_of(json.loads(listed) | json.loads(details))
        except (TypeError, ValueError):  # the record is damaged: search the whole tables
            for table in _LISTED_BY:
                database.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
        else:
            for table, values in lists.items():
                rows_of_book = ((value, number) for value in values)
                query = f"DELETE FROM {table} WHERE {_LISTED_BY[table]} = ? AND number = ?"
                database.executemany(query, rows_of_book)
    database.execute("DELETE FROM books WHERE key = ?", (key,))
    database.execute("DELETE FROM records WHERE key = ?", (key,))


def _placeholders(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))


def _lists_of(record: Mapping[str, Any]) -> dict[str, list[str] | list[int]]:
    """Return what each table of `_LISTED_BY` lists a book by, ascending; a removed book has no names."""
    names = set[str]()
    if record.get("removed_at") is None:
        names = names_of(str(record.get("title") or ""), str(record.get("author") or ""))
    return {
        "runs": sorted(set(lookup_shingles(str(record.get("sketch") or "")))),
        "names": sorted(names),
    }


def _condition_of(filters: Filters, *, or_by: str = "") -> tuple[str, list[str | int]]:
    """Return the SQL condition for the rows of `books` that pass filters, and the values of its placeholders.

    The section is not considered: it is no property of a whole book. `or_by` is what passes a filter by
    author besides the author of the book.
    """
    conditions, values = ["removed = 0"], list[str | int]()
    if filters.book is not None:
        # The text is a part of the title, or the beginning of the book's id.
        work, number, _ = divide_volume(filters.book)
        sought = work if number else filters.book if filters.looked_up else filters.book.partition(":")[0]
        conditions.append("(is_titled(title, ?) OR substr(key, 1, ?) = ?)")
        beginning = filters.book.casefold()
        values += [sought, len(beginning), beginning]
    if filters.author is not None:
        conditions.append(f"(is_by(author, ?){or_by})")
        values.append(filters.author)
    if filters.domain is not None:
        conditions.append("casefold(domain) = ?")
        values.append(filters.domain.casefold())
    if filters.language is not None:
        conditions.append("is_language_within(language, ?)")
        values.append(filters.language)
    return " AND ".join(conditions), values


def _book_row(key: str, record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the row of a record in `books`, in the order of `_BOOK_COLUMNS`."""
    title, settings = str(record.get("title") or ""), record.get("settings") or {}
    return (
        key,
        int(record.get("removed_at") is not None),
        title.casefold(),  # `ordered`
        catalog_fold(title),  # `title`
        catalog_fold(str(record.get("author") or "")),
        record.get("language"),
        str(record.get("domain") or ""),
        str(record.get("source") or ""),
        str(record.get("work") or ""),
        str(settings.get("model") or ""),
        int(bool(settings.get("sentence_vectors", True))),
        record.get("precision"),
        str(record.get("generation") or ""),
    )


def _to_json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _checksum(text: str) -> int:
    return crc32(text.encode())


def _damaged_error(folder: Path, why: str) -> DamagedError:
    return DamagedError(
        f"cannot read the library at {folder}", why=f"its {CATALOG} is damaged: {why}", fix=REMEDY
    )
