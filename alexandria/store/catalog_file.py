"""The catalog of an embedded library: the records of its books in one SQLite file, beside the points.

A record is written in two parts: what a list of books shows, and the details of one book (digests, headings,
sums), which are read only with that book. What books are looked up by is in a narrow table of its own.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any
from zlib import crc32

from alexandria.errors import DamagedError, StoreError
from alexandria.filters import Filters, folded
from alexandria.store.damage import REMEDY, full_disk, is_full_disk
from alexandria.store.lookup import looked_up_runs
from alexandria.store.room import check_room
from alexandria.store.store import Scope, Summary
from alexandria.system.durable import sync_file, sync_folder

CATALOG = "catalog.sqlite"
BESIDE = f"{CATALOG}-wal", f"{CATALOG}-shm"
"""What SQLite keeps beside it while it is open: the first belongs to exactly this file."""
DETAILS = frozenset({"sections", "digests", "vector_sums", "left_out", "sketch"})
"""The fields of a record that no list of books shows; they are most of it."""
_FORM = 2
"""The number that the file carries, raised with each change of `_RECORDS` and `_LISTS`."""
_AT_ONCE = 500
"""Values in one statement: old builds of SQLite take 999."""
_RECORDS = """
CREATE TABLE records (
    key TEXT NOT NULL UNIQUE, record TEXT NOT NULL, details TEXT NOT NULL,
    record_sum INTEGER NOT NULL, details_sum INTEGER NOT NULL
)"""
_LISTS = (
    """
CREATE TABLE books (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, removed INTEGER NOT NULL, ordered TEXT NOT NULL,
    title TEXT NOT NULL, author TEXT NOT NULL, language TEXT, domain TEXT NOT NULL, source TEXT NOT NULL,
    work TEXT NOT NULL, model TEXT NOT NULL, sentence_vectors INTEGER NOT NULL, precision TEXT,
    generation TEXT NOT NULL, has_sketch TEXT NOT NULL
)""",
    "CREATE INDEX books_by_title ON books (removed, ordered, key)",
    "CREATE INDEX books_by_name ON books (title)",
    "CREATE INDEX books_by_source ON books (source)",
    "CREATE INDEX books_by_work ON books (work) WHERE work != ''",
    "CREATE INDEX books_without_sketch ON books (has_sketch) WHERE has_sketch = 'no'",
    """
CREATE TABLE runs (run INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID""",
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
    f"PRAGMA user_version = {_FORM}",
)
"""What records are looked up and counted by: made again from them if its form changes."""
_COLUMNS = (
    "key, removed, ordered, title, author, language, domain, source, work, model, sentence_vectors,"
    " precision, generation, has_sketch"
)


class CatalogFile:
    """The open catalog of a folder that this process has locked."""

    def __init__(self, folder: Path) -> None:
        """Open it.

        Raises:
            DamagedError: it is missing, or no catalog; FullDiskError: there is no room to open it.
        """
        self._folder, self._lock = folder, RLock()
        if not (folder / CATALOG).is_file():
            raise _damaged(folder, "it is missing")
        with self._errors():
            self._database = _connect(folder / CATALOG)
            try:
                [(self._form,)] = self._database.execute("PRAGMA user_version").fetchall()
                self._database.execute("SELECT n FROM totals LIMIT 1").fetchall()
                if self._form > _FORM:
                    raise _newer(folder)
            except BaseException:
                self._database.close()
                raise

    def upgrade(self) -> None:
        """Make what records are looked up by again, where an earlier version has made it; all or nothing.

        Raises:
            FullDiskError: there is no room for it.
        """
        if self._form == _FORM:
            return
        check_room(self._folder, (self._folder / CATALOG).stat().st_size)
        with self._writing() as database:
            for table in ("books", "totals"):
                database.execute(f"DROP TABLE {table}")
            for statement in _LISTS:
                database.execute(statement)
            for key, record in self._readable():
                _list(database, key, record)
        self._form = _FORM

    def close(self) -> None:
        """Close it; what was written is on the disk already."""
        with self._lock, suppress(sqlite3.Error):  # on a full disk its log stays, and is read again
            self._database.close()

    def put(self, records: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Write records by their keys, all or none; they are on disk when this returns."""
        with self._writing() as database:
            for key, record in records:
                _delete(database, key)
                _insert(database, key, record)

    def delete(self, key: str) -> None:
        """Delete a record; it is gone from the disk when this returns."""
        with self._writing() as database:
            _delete(database, key)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield all records, in the order of their keys."""
        yield from (record for _, record in self._keyed())

    def readable(self) -> Iterator[dict[str, Any]]:
        """Yield the records of a damaged file that can be read."""
        yield from (record for _, record in self._readable())

    def _readable(self) -> Iterator[tuple[str, dict[str, Any]]]:
        try:
            last = self._fetch("SELECT max(rowid) FROM records")[0][0] or 0
        except StoreError:
            return
        for number in range(1, last + 1):
            with suppress(StoreError):
                yield from ((row[0], self._parsed(*row)) for row in self._rows("rowid = ?", (number,)))

    def records_by(
        self, name: str, values: Sequence[str], fields: Sequence[str] = ()
    ) -> Iterator[dict[str, Any]]:
        """Yield the records that have one of these values in a field of `LOOKED_UP`; these fields, or all."""
        column = "key" if name == "book_id" else name
        for i in range(0, len(values), _AT_ONCE):
            some = values[i : i + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            condition = f"{column} IN ({marks})"
            if column == "work":
                condition += " AND work != ''"  # as its index has it
            if column != "key":
                condition = f"key IN (SELECT key FROM books WHERE {condition})"
            yield from self._selected(condition, some, fields)

    def records_with(self, name: str, values: Sequence[str] | Sequence[int]) -> list[dict[str, Any]]:
        """Return the records of the books that have one of these values of `DERIVED`."""
        marks = ", ".join("?" * len(values))
        condition = f"{name} IN ({marks})"
        if name == "runs":
            condition = f"number IN (SELECT number FROM runs WHERE run IN ({marks}))"
        if name == "has_sketch":
            condition += " AND has_sketch = 'no'" * (tuple(values) == ("no",))  # as its index has it
        return self._listed(f"removed = 0 AND {condition}", values)

    def matching(self, filters: Filters) -> list[dict[str, Any]]:
        """Return the records of the books that pass the filters by title, author, domain and language."""
        return self._listed(*_passing(filters))

    def page(self, filters: Filters, start: int, limit: int) -> list[dict[str, Any]]:
        """Return the records of at most `limit` of these books, by title, after the first `start`."""
        condition, values = _passing(filters)
        return self._listed(f"{condition} ORDER BY ordered, key LIMIT ? OFFSET ?", [*values, limit, start])

    def _listed(self, condition: str, values: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the records of some books, in the order of the condition."""
        with self._reading():
            keys = [key for (key,) in self._fetch(f"SELECT key FROM books WHERE {condition}", values)]
            records = {record.get("book_id"): record for record in self.records_by("book_id", keys)}
        return [records[key] for key in keys if key in records]

    def selected(self, filters: Filters) -> Scope:
        """Return what a search must know of these books, named unless all pass; no record is read."""
        condition, values = _passing(filters)
        failing = f"removed = 0 AND NOT ifnull({condition}, 0)"
        if not self._fetch(f"SELECT 1 FROM books WHERE {failing} LIMIT 1", values):
            every = self.summary()
            return Scope(every.n_books, every.languages, every.n_without_sentences)
        columns = "generation, language, sentence_vectors"
        rows = self._fetch(f"SELECT {columns} FROM books WHERE {condition} ORDER BY ordered, key", values)
        return Scope(
            n_books=len(rows),
            languages=frozenset(language for _, language, _ in rows),
            n_without_sentences=sum(not sentences for *_, sentences in rows),
            where={"generation": [generation for generation, *_ in rows]},
        )

    def summary(self) -> Summary:
        """Return the sum of the books, whose number does not matter: it is kept."""
        with self._reading():
            totals = self._fetch(
                "SELECT language, model, sentence_vectors, precision, n FROM totals WHERE n > 0"
            )
            works = self._fetch("SELECT DISTINCT work FROM books WHERE work != '' AND removed = 0")
        return Summary(
            n_books=sum(row[-1] for row in totals),
            languages=frozenset(language[1:] if language else None for language, *_ in totals),
            n_without_sentences=sum(n for *_, sentences, _, n in totals if not sentences),
            model=totals[0][1] if totals else "",
            precisions=frozenset(precision for *_, precision, _ in totals if precision),
            works=tuple(work for (work,) in works),
        )

    def faults(self) -> list[str]:
        """Return what is wrong with the file; reads all of it.

        Raises:
            DamagedError: records cannot be read.
        """
        with self._reading():
            checked = [str(row[0]) for row in self._fetch("PRAGMA integrity_check(5)")]
            faults = [fault for fault in checked if fault != "ok"]
            listed = {row[0]: row for row in self._fetch(f"SELECT {_COLUMNS} FROM books")}
            keys = n_runs = 0
            for key, record in self._keyed():
                keys, runs = keys + 1, _runs(record)
                n_runs += len(runs)
                if listed.get(key) != _columns(key, record) or self._n_listed(key, runs) != len(runs):
                    faults.append(f"the record {key} is not found by what it says")
            if [(n_runs,)] != self._fetch("SELECT count(*) FROM runs"):
                faults.append("it lists words that no book has")
            if keys != len(listed):
                faults.append(f"it lists {len(listed)} books, and has {keys} records")
            counted = (
                "SELECT count(*) FROM books WHERE removed = 0 UNION ALL SELECT ifnull(sum(n), 0) FROM totals"
            )
            if len(set(self._fetch(counted))) != 1:
                faults.append("its totals are not the sum of its books")
        return faults

    def _n_listed(self, key: str, runs: Sequence[int]) -> int:
        """Return by how many of these runs a book is looked up."""
        query = (
            f"SELECT count(*) FROM runs WHERE run IN ({', '.join('?' * len(runs))})"
            " AND number = (SELECT number FROM books WHERE key = ?)"
        )
        n: int = self._fetch(query, (*runs, key))[0][0]
        return n

    def _keyed(self) -> Iterator[tuple[str, dict[str, Any]]]:
        last = ""
        while rows := self._rows("key > ? ORDER BY key LIMIT ?", (last, _AT_ONCE)):
            yield from ((row[0], self._parsed(*row)) for row in rows)
            last = rows[-1][0]

    def _selected(
        self, condition: str, values: Sequence[Any], fields: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        if fields and DETAILS.isdisjoint(fields):
            query = f"SELECT key, record, record_sum FROM records WHERE {condition}"
            for key, text, total in self._fetch(query, values):
                record = self._checked(key, text, total)
                yield {name: record[name] for name in fields if name in record}
            return
        for row in self._rows(condition, values):
            record = self._parsed(*row)
            yield {name: record[name] for name in fields or record if name in record}

    def _rows(self, condition: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        columns = "key, record, details, record_sum, details_sum"
        return self._fetch(f"SELECT {columns} FROM records WHERE {condition}", values)

    def _parsed(
        self, key: str, record: str, details: str, record_sum: int, details_sum: int
    ) -> dict[str, Any]:
        return self._checked(key, record, record_sum) | self._checked(key, details, details_sum)

    def _checked(self, key: str, text: str, total: int) -> dict[str, Any]:
        """Return a part of a record, unless a bit of it was changed: SQLite has no sums of its own."""
        if not isinstance(text, str) or _sum(text) != total:
            raise _damaged(self._folder, f"the record of the book {key} was changed")
        parsed: dict[str, Any] = json.loads(text)
        return parsed

    def _fetch(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._errors():
            return self._database.execute(query, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Let the statements of this block see the file as it is at one moment."""
        with self._lock:
            with self._errors():
                self._database.execute("BEGIN")
            try:
                yield
            finally:
                with suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._errors():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if is_full_disk(error) or getattr(error, "sqlite_errorname", "") in _ROOM:
                raise full_disk(f"cannot use the library at {self._folder}") from error
            raise _damaged(self._folder, str(error)) from error


_ROOM = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN", "SQLITE_IOERR_WRITE")
"""What SQLite says of a disk without room, beside the words."""


def create_catalog(folder: Path, records: Iterable[Mapping[str, Any]] = ()) -> None:
    """Create the catalog in a folder, with the records of these books; it is there once it is whole.

    Raises:
        FullDiskError: there is no room for it.
    """
    new = folder / f"{CATALOG}.new"
    for name in (new.name, f"{new.name}-wal", f"{new.name}-shm", f"{new.name}-journal"):
        (folder / name).unlink(missing_ok=True)  # of a process that was killed
    try:
        with closing(_connect(new)) as database:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("BEGIN")
            for statement in (_RECORDS, *_LISTS):
                database.execute(statement)
            for record in records:
                _insert(database, str(record["book_id"]), record)
            database.execute("COMMIT")
    except sqlite3.Error as error:
        if not is_full_disk(error) and error.sqlite_errorname not in _ROOM:
            raise
        raise full_disk(f"cannot write into the library at {folder}") from error
    sync_file(new)
    new.replace(folder / CATALOG)
    sync_folder(folder)


def _connect(path: Path) -> sqlite3.Connection:
    # Each statement of ours begins and ends its own transaction; threads take turns by a lock of ours.
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA synchronous=FULL")
    return database


def _insert(database: sqlite3.Connection, key: str, record: Mapping[str, Any]) -> None:
    lean = _written({name: value for name, value in record.items() if name not in DETAILS})
    details = _written({name: value for name, value in record.items() if name in DETAILS})
    _list(database, key, record)
    database.execute(
        "INSERT INTO records VALUES (?, ?, ?, ?, ?)", (key, lean, details, _sum(lean), _sum(details))
    )


def _list(database: sqlite3.Connection, key: str, record: Mapping[str, Any]) -> None:
    """Write what a record is looked up by."""
    columns = _columns(key, record)
    added = f"INSERT INTO books ({_COLUMNS}) VALUES ({', '.join('?' * len(columns))})"
    number = database.execute(added, columns).lastrowid
    database.executemany("INSERT INTO runs VALUES (?, ?)", ((run, number) for run in _runs(record)))


def _delete(database: sqlite3.Connection, key: str) -> None:
    for number, details in database.execute(
        "SELECT number, details FROM books JOIN records USING (key) WHERE key = ?", (key,)
    ).fetchall():
        try:
            runs = [(run, number) for run in _runs(json.loads(details))]
        except (TypeError, ValueError):  # it is damaged: all runs are read
            database.execute("DELETE FROM runs WHERE number = ?", (number,))
        else:
            database.executemany("DELETE FROM runs WHERE run = ? AND number = ?", runs)
    database.execute("DELETE FROM books WHERE key = ?", (key,))
    database.execute("DELETE FROM records WHERE key = ?", (key,))


def _runs(record: Mapping[str, Any]) -> list[int]:
    """Return the runs of words by which a book is looked up."""
    return sorted(set(looked_up_runs(str(record.get("sketch") or ""))))


def _passing(filters: Filters) -> tuple[str, list[str | int]]:
    """Return the condition for the books that pass the filters by title, author, domain and language."""
    conditions, values = ["removed = 0"], list[str | int]()
    if filters.title is not None:
        conditions.append("(instr(title, ?) OR substr(key, 1, ?) = ?)")
        beginning = filters.title.casefold()
        values += [folded(filters.title), len(beginning), beginning]
    if filters.author is not None:
        conditions.append("instr(author, ?)")
        values.append(folded(filters.author))
    if filters.domain is not None:
        conditions.append("domain = ?")
        values.append(filters.domain)
    if filters.language is not None:
        conditions.append("instr(lower(language) || '-', ?) = 1")
        values.append(f"{filters.language.lower()}-")
    return " AND ".join(conditions), values


def _columns(key: str, record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what a record is looked up by, in the order of `_COLUMNS`."""
    title, settings = str(record.get("title") or ""), record.get("settings") or {}
    return (
        key,
        int(record.get("removed_at") is not None),
        title.casefold(),
        folded(title),
        folded(str(record.get("author") or "")),
        record.get("language"),
        str(record.get("domain") or ""),
        str(record.get("source") or ""),
        str(record.get("work") or ""),
        str(settings.get("model") or ""),
        int(bool(settings.get("sentence_vectors", True))),
        record.get("precision"),
        str(record.get("generation") or ""),
        "yes" if record.get("sketch") else "no",
    )


def _written(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _sum(text: str) -> int:
    return crc32(text.encode())


def _newer(folder: Path) -> StoreError:
    return StoreError(
        f"cannot read the library at {folder}",
        why="a newer version of Alexandria wrote its catalog",
        fix="update Alexandria",
    )


def _damaged(folder: Path, why: str) -> DamagedError:
    return DamagedError(
        f"cannot read the library at {folder}", why=f"its {CATALOG} is damaged: {why}", fix=REMEDY
    )
