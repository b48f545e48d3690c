"""The catalog of a folder: one file, asked by what a book is looked up by, and found damaged when it is."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import asdict, replace
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.errors import DamagedError, FullDiskError, StoreError
from alexandria.filters import Filters
from alexandria.likeness import pack_sketch
from alexandria.store import catalog_file, edge, open_store, shard_catalog
from alexandria.store.catalog import Catalog
from alexandria.store.catalog_file import CATALOG, CatalogFile, create_catalog
from alexandria.store.folder import MARKER
from alexandria.store.record import Record, parse_record
from alexandria.store.shard_catalog import SHARD
from alexandria.store.verify import find_flaws
from tests.store.examples import BINDING, as_earlier_version, book, contents, record, store_book


def make(name: str, **more: Any) -> Record:
    return replace(record(book(name)), **more)


def put(catalog: CatalogFile, *records: Record) -> None:
    catalog.put([(one.book_id, asdict(one)) for one in records])


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[CatalogFile]:
    create_catalog(tmp_path)
    opened = CatalogFile(tmp_path)
    yield opened
    opened.close()


def ids(records: Any) -> list[str]:
    return [one["book_id"] for one in records]


def test_records_are_found_by_what_they_are_looked_up_by(catalog: CatalogFile) -> None:
    put(catalog, make("a", source="/x"), make("b", source="/y", work="a"), make("c", source="/x"))
    assert ids(catalog.records_by("book_id", ["c", "gone", "a"])) == ["a", "c"]
    assert sorted(ids(catalog.records_by("source", ["/x"]))) == ["a", "c"]
    assert ids(catalog.records_by("work", ["a", ""])) == ["b"]
    assert list(catalog.records_by("source", ["/y"], ("title", "work"))) == [{"title": "B", "work": "a"}]
    assert list(catalog.records_by("book_id", [str(n) for n in range(2000)])) == []


LANGUAGES = st.sampled_from(["en", "en-GB", "e", "hr", None])
TEXTS = st.sampled_from(["", "a", "Ä", "é", "İ", "straße", "%", "_", "ab", "A b", "\0"])


@given(
    st.lists(st.tuples(TEXTS, TEXTS, LANGUAGES, TEXTS, st.booleans()), max_size=8),
    st.builds(
        Filters,
        title=st.none() | TEXTS,
        author=st.none() | TEXTS,
        language=st.none() | st.sampled_from(["en", "EN-gb", "h"]),
        domain=st.none() | TEXTS,
    ),
)
def test_it_finds_the_books_that_the_filters_admit(
    tmp_path_factory: pytest.TempPathFactory, books: list[Any], filters: Filters
) -> None:
    folder = tmp_path_factory.mktemp("catalog")
    create_catalog(folder)
    with closing(CatalogFile(folder)) as catalog:
        records = [
            make(f"a{n}", title=title, author=author, language=language, domain=domain, removed_at=removed)
            for n, (title, author, language, domain, gone) in enumerate(books)
            for removed in ["2026-01-01" if gone else None]
        ]
        put(catalog, *records)
        admitted = [one.book_id for one in records if one.removed_at is None and filters.admit(one)]
        assert sorted(ids(catalog.matching(filters))) == admitted
        everything = Catalog(open_store(":memory:", "books", BINDING))
        for one in records:
            everything._put(one)
        whole = [one.book_id for one in everything.books()]
        everything.close()
        pages = [ids(catalog.page(Filters(), start, 3)) for start in range(0, len(books) + 3, 3)]
        assert [one for page in pages for one in page] == whole
        assert catalog.faults() == []


def test_books_are_named_only_where_not_all_pass(catalog: CatalogFile) -> None:
    put(catalog, make("a", language="en"), make("b", language="en"))
    scope = catalog.scope(Filters(language="en", domain="default"))
    assert (scope.n_books, scope.languages) == (2, frozenset({"en"}))
    assert scope.where == {}
    put(catalog, make("c", language=None))
    scope = catalog.scope(Filters(language="en", domain="default"))
    assert (scope.n_books, scope.languages) == (2, frozenset({"en"}))
    assert scope.where == {"generation": [make(name).generation for name in "ab"]}
    assert catalog.scope(Filters(domain="default")).where == {}


def test_a_list_of_books_reads_no_details(catalog: CatalogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    put(catalog, make("a"))
    monkeypatch.setattr(CatalogFile, "_fetch_rows", None)  # which reads them
    [lean] = catalog.records_by("book_id", ["a"], ("book_id", "generation", "source"))
    assert lean == {"book_id": "a", "generation": "a-g", "source": "/shelf/a.txt"}


def test_what_is_written_together_is_written_all_or_not_at_all(catalog: CatalogFile) -> None:
    put(catalog, make("a"))
    with pytest.raises(TypeError):
        catalog.put([("b", asdict(make("b"))), ("c", {"title": object()})])
    assert ids(catalog.records()) == ["a"]
    assert catalog.summary().n_books == 1


def test_another_process_reads_what_is_committed(catalog: CatalogFile, tmp_path: Path) -> None:
    put(catalog, make("a"))
    with closing(sqlite3.connect(f"file:{tmp_path / CATALOG}?mode=ro", uri=True)) as reader:
        assert reader.execute("SELECT key FROM books").fetchall() == [("a",)]


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        ("UPDATE records SET record = replace(record, 'Ada', 'Adb')", "record of the book a was changed"),
        ("UPDATE records SET details = 5", "record of the book a was changed"),
        ("UPDATE books SET source = '/other'", "do not match the record"),
        ("DELETE FROM books", "lists 0 books but holds 1 records"),
        ("UPDATE totals SET n = 7", "totals do not match"),
    ],
)
def test_a_changed_value_is_found(tmp_path: Path, damage: str, named: str) -> None:
    store = open_store(str(tmp_path), "books", BINDING)
    store_book(Catalog(store), book("a"))
    store.close()
    with closing(sqlite3.connect(tmp_path / "books" / CATALOG)) as database, database:
        database.execute(damage)
    store = open_store(str(tmp_path), "books", None)
    try:
        details = [finding.detail for finding in find_flaws(store)]
    except DamagedError as error:
        details = [error.why]
    assert any(named in detail for detail in details), details
    store.close()


@pytest.mark.parametrize("size", [0, 50, 4096])
def test_a_cut_off_catalog_is_damaged_and_what_is_left_is_read(tmp_path: Path, size: int) -> None:
    create_catalog(tmp_path, map(asdict, map(make, "abc")))
    os.truncate(tmp_path / CATALOG, size)
    with pytest.raises(DamagedError, match="cannot read the library") as caught:
        list(CatalogFile(tmp_path).records())
    assert caught.value.fix.startswith("alexandria repair")


def test_the_readable_records_of_a_damaged_catalog_are_read(catalog: CatalogFile, tmp_path: Path) -> None:
    put(catalog, *map(make, "abc"))
    with closing(sqlite3.connect(tmp_path / CATALOG)) as database, database:
        database.execute("UPDATE records SET record_sum = 1 WHERE key = 'b'")
    with pytest.raises(DamagedError):
        list(catalog.records())
    assert ids(catalog.readable_records()) == ["a", "c"]


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A collection as earlier versions wrote it."""
    store = open_store(str(tmp_path), "books", BINDING)
    catalog = Catalog(store)
    for name in "abc":
        store_book(catalog, book(name))
    catalog.exclude(catalog.book("c"))
    store.close()
    as_earlier_version(tmp_path / "books")
    return tmp_path


def state(folder: Path) -> tuple[object, ...]:
    store = open_store(str(folder), "books", None)
    catalog = Catalog(store)
    found = catalog.records(), contents(store), list(find_flaws(store)), store.binding
    store.close()
    return found


@pytest.mark.parametrize("moves", range(6))
def test_a_library_of_an_earlier_version_is_converted_whenever_it_is_killed(
    earlier: Path, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, left = earlier / "books", moves
    before = {
        one["book_id"]: one for one in shard_catalog.shard_records(folder, edge.load_shard(folder, SHARD))
    }

    def killed_at(name: str, module: object) -> None:
        whole = getattr(module, name)

        def step(*arguments: Any) -> Any:
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
            return whole(*arguments)

        monkeypatch.setattr(module, name, step)

    with monkeypatch.context():
        for name, module in (
            *(("_insert", catalog_file), ("sync_file", catalog_file), ("write_edge_marker", edge)),
            ("delete_shard", edge),
        ):
            killed_at(name, module)
        with pytest.raises(KeyboardInterrupt):
            open_store(str(earlier), "books", None)
        monkeypatch.undo()
    records, points, flaws, binding = state(earlier)
    assert records == {key: parse_record(one, "") for key, one in before.items()}
    assert (len(points), flaws, binding) == (6, [], BINDING)  # type: ignore[arg-type]
    assert {path.name for path in folder.iterdir()} == {
        *(CATALOG, MARKER, "alexandria.lock", "change.json", "points")
    }
    assert f'"catalog": "{CATALOG}"' in (folder / MARKER).read_text()


def test_without_room_an_earlier_library_is_left_as_it_is(
    earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(1, 1, 0))
        with pytest.raises(FullDiskError, match="no room"):
            open_store(str(earlier), "books", None)
    assert not (earlier / "books" / CATALOG).exists()
    assert len(state(earlier)[0]) == 3  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [ENOSPC, EDQUOT])
def test_a_disk_that_is_full_as_a_new_catalog_is_synced_is_named(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_file, "sync_file", Mock(side_effect=OSError(code, os.strerror(code))))
    with pytest.raises(FullDiskError, match="cannot write into the library"):
        create_catalog(tmp_path)
    assert not (tmp_path / CATALOG).exists()


def test_a_catalog_of_an_earlier_version_that_cannot_be_read_is_named(earlier: Path) -> None:
    [status] = (earlier / "books" / SHARD).glob("segments/*/vector_storage/deleted/status.dat")
    status.write_bytes(b"")
    with pytest.raises(StoreError, match="cannot read the library") as caught:
        open_store(str(earlier), "books", None)
    assert caught.value.fix.startswith("alexandria repair")


@pytest.mark.parametrize("has_totals", [True, False])
def test_a_catalog_of_a_newer_version_is_refused(tmp_path: Path, has_totals: bool) -> None:
    create_catalog(tmp_path)
    with closing(sqlite3.connect(tmp_path / CATALOG)) as database, database:
        database.execute("PRAGMA user_version = 3")
        if not has_totals:
            database.execute("DROP TABLE totals")
    with pytest.raises(StoreError, match="cannot read the library") as caught:
        CatalogFile(tmp_path)
    assert caught.value.fix == "update Alexandria"


FIRST_FORM = """
DROP TABLE runs; DROP TABLE totals; DROP TABLE books;
CREATE TABLE books (key TEXT PRIMARY KEY, removed INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE totals (language TEXT NOT NULL, n INTEGER NOT NULL);
CREATE TRIGGER book_added AFTER INSERT ON books BEGIN INSERT INTO totals VALUES ('=en', 1); END;
INSERT INTO books SELECT key, 0 FROM records;
PRAGMA user_version = 1;
"""
"""What turns a catalog into one of an earlier build, as far as it was otherwise."""


@pytest.mark.parametrize("n_listed", range(4))
def test_a_catalog_of_an_earlier_form_is_converted_whenever_it_is_killed(
    tmp_path: Path, n_listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sketches = {"a": pack_sketch((1, 2)), "b": "", "c": pack_sketch((3,))}
    create_catalog(tmp_path, [asdict(make(name, sketch=sketch)) for name, sketch in sketches.items()])
    with closing(sqlite3.connect(tmp_path / CATALOG)) as database:
        database.executescript(FIRST_FORM)
    with closing(CatalogFile(tmp_path)) as catalog:
        before = list(catalog.records())
        with monkeypatch.context() as patch:
            patch.setattr(
                catalog_file, "_insert_lookups", interrupted(catalog_file._insert_lookups, after=n_listed)
            )
            with suppress(KeyboardInterrupt):
                catalog.upgrade()
    with closing(CatalogFile(tmp_path)) as catalog:
        catalog.upgrade()
        assert catalog.faults() == []
        assert list(catalog.records()) == before
        assert catalog.summary().n_books == 3
        assert ids(catalog.records_with("runs", [2, 7])) == ["a"]


def interrupted(step: Any, *, after: int) -> Any:
    """Return a function that is interrupted when it is called once more than `after` times."""
    calls = iter(range(after))

    def call(*arguments: Any) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return step(*arguments)

    return call


def test_a_record_that_cannot_be_read_does_not_hold_up_the_conversion_of_the_others(tmp_path: Path) -> None:
    create_catalog(tmp_path, map(asdict, map(make, "abc")))
    with closing(sqlite3.connect(tmp_path / CATALOG)) as database:
        database.executescript(FIRST_FORM + "UPDATE records SET record_sum = 1 WHERE key = 'b';")
    with closing(CatalogFile(tmp_path)) as catalog:
        catalog.upgrade()
        assert ids(catalog.matching(Filters())) == ["a", "c"]
        assert ids(catalog.readable_records()) == ["a", "c"]
        with pytest.raises(DamagedError):
            catalog.faults()


def test_without_room_a_catalog_of_an_earlier_form_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_catalog(tmp_path, map(asdict, map(make, "abc")))
    with closing(sqlite3.connect(tmp_path / CATALOG)) as database:
        database.executescript(FIRST_FORM)
    with closing(CatalogFile(tmp_path)) as catalog:
        with monkeypatch.context() as patch:
            patch.setattr(shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(1, 1, 0))
            with pytest.raises(FullDiskError, match="no room"):
                catalog.upgrade()
        catalog.upgrade()
        assert catalog.faults() == []


def test_books_are_found_by_their_title_and_by_runs_of_words(catalog: CatalogFile) -> None:
    sketched = make("a", title="Bóok", sketch=pack_sketch((1, 2, *range(100, 140))))
    put(catalog, sketched, make("b", title="Booklet"), make("c", title="book", removed_at="2026-01-01"))
    assert ids(catalog.records_with("title", ["book"])) == ["a"]
    assert ids(catalog.records_with("runs", [2, 139])) == ["a"]
    assert ids(catalog.records_with("runs", [139])) == []  # the first 32 are looked up
    assert ids(catalog.records_with("has_sketch", ["no"])) == ["b"]
    put(catalog, replace(sketched, sketch=pack_sketch((5,))))
    assert ids(catalog.records_with("runs", [2])) == []
    catalog.delete("a")
    assert catalog.faults() == []


@pytest.mark.parametrize("damage", ["DELETE FROM runs WHERE run = 2", "INSERT INTO runs VALUES (7, 1)"])
def test_a_run_that_is_not_that_of_its_book_is_found(
    catalog: CatalogFile, tmp_path: Path, damage: str
) -> None:
    put(catalog, make("a", sketch=pack_sketch((1, 2))))
    with closing(sqlite3.connect(tmp_path / CATALOG)) as database, database:
        database.execute(damage)
    assert len(catalog.faults()) >= 1
