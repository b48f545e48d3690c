"""The catalog of a folder: one file, asked by what a book is looked up by, and found damaged when it is."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.filters import Filters
from alexandria.book.shingles import pack_sketch
from alexandria.errors import DamagedError, FullDiskError
from alexandria.store import catalog_file, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.catalog_file import CATALOG, CatalogFile, create_catalog
from alexandria.store.names import asked_names
from alexandria.store.record import Record
from alexandria.store.verify import find_flaws
from tests.store.examples import BINDING, book, record, store_book


def make(name: str, **more: Any) -> Record:
    return replace(record(book(name)), **more)


def put(catalog: CatalogFile, *records: Record) -> None:
    catalog.commit(put=list(map(asdict, records)))


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
    assert ids(catalog.by("book_id", ["c", "gone", "a"])) == ["a", "c"]
    assert sorted(ids(catalog.by("source", ["/x"]))) == ["a", "c"]
    assert ids(catalog.by("work", ["a", ""])) == ["b"]
    assert list(catalog.by("source", ["/y"], ("title", "work"))) == [{"title": "B", "work": "a"}]
    assert list(catalog.by("book_id", [str(n) for n in range(2000)])) == []


def test_books_of_one_title_come_in_the_order_in_which_they_were_added(catalog: CatalogFile) -> None:
    for name in "cab":
        put(catalog, make(name, title="The Same"))
    assert ids(catalog.having("names", ["same"])) == ["c", "a", "b"]


LANGUAGES = st.sampled_from(["en", "en-GB", "e", "hr", None])
TEXTS = st.sampled_from(["", "a", "Ä", "é", "İ", "straße", "%", "_", "ab", "A b", "\0"])


@given(
    st.lists(st.tuples(TEXTS, TEXTS, LANGUAGES, TEXTS, st.booleans()), max_size=8),
    st.builds(
        Filters,
        book=st.none() | TEXTS,
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
        everything._commit(put=records)
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
    [lean] = catalog.by("book_id", ["a"], ("book_id", "generation", "source"))
    assert lean == {"book_id": "a", "generation": "a-g", "source": "/shelf/a.txt"}


def test_what_is_written_together_is_written_all_or_not_at_all(catalog: CatalogFile) -> None:
    put(catalog, make("a"))
    with pytest.raises(TypeError):
        catalog.commit(put=[asdict(make("b")), {"book_id": "c", "title": object()}])
    assert ids(catalog.all()) == ["a"]
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
        list(CatalogFile(tmp_path).all())
    assert caught.value.fix.startswith("alexandria repair")


def test_the_readable_records_of_a_damaged_catalog_are_read(catalog: CatalogFile, tmp_path: Path) -> None:
    put(catalog, *map(make, "abc"))
    with closing(sqlite3.connect(tmp_path / CATALOG)) as database, database:
        database.execute("UPDATE records SET record_sum = 1 WHERE key = 'b'")
    with pytest.raises(DamagedError):
        list(catalog.all())
    assert ids(catalog.readable_records()) == ["a", "c"]


@pytest.mark.parametrize("code", [ENOSPC, EDQUOT])
def test_a_disk_that_is_full_as_a_new_catalog_is_synced_is_named(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_file, "sync_file", Mock(side_effect=OSError(code, os.strerror(code))))
    with pytest.raises(FullDiskError, match="cannot write into the library"):
        create_catalog(tmp_path)
    assert not (tmp_path / CATALOG).exists()


def test_books_are_found_by_their_title_and_by_runs_of_words(catalog: CatalogFile) -> None:
    sketched = make("a", title="Bóok", sketch=pack_sketch((1, 2, *range(100, 140))))
    put(catalog, sketched, make("b", title="Booklet"), make("c", title="book", removed_at="2026-01-01"))
    assert ids(catalog.having("title", ["book"])) == ["a"]
    assert ids(catalog.having("runs", [2, 139])) == ["a"]
    assert ids(catalog.having("runs", [139])) == []  # the first 32 are looked up
    put(catalog, replace(sketched, sketch=pack_sketch((5,))))
    assert ids(catalog.having("runs", [2])) == []
    catalog.commit(delete=["a"])
    assert catalog.faults() == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("what does smith say", ["wealth"], id="last name"),
        pytest.param("was adam smith right", ["wealth"], id="whole name"),
        pytest.param("who is a fox in the prince", ["prince"], id="a word that is a title"),
        pytest.param("the wealth of nations on pins", ["wealth"], id="two words of a title"),
        pytest.param("alice in wonderland", ["alice"], id="with words between"),
        pytest.param("why decline and fall", ["gibbon"], id="two words of a long title"),
        pytest.param("what is the nature of a smithy", [], id="one word of a long title"),
        pytest.param("in hamlet", [], id="of a removed book"),
    ],
)
def test_books_are_found_by_what_a_question_calls_them(
    catalog: CatalogFile, question: str, expected: list[str]
) -> None:
    put(
        catalog,
        make("wealth", title="The Wealth of Nations: An Inquiry into its Nature", author="Adam Smith"),
        make("prince", title="The Prince", author="Niccolò Machiavelli"),
        make(
            "gibbon", title="The History of the Decline and Fall of the Roman Empire", author="Edward Gibbon"
        ),
        make("alice", title="Alice’s Adventures in Wonderland", author="Lewis Carroll"),
        make("hamlet", title="Hamlet", author="William Shakespeare", removed_at="2026-01-01"),
    )
    words = question.split()
    content = [word for word in words if word not in ("the", "of", "in", "a", "is")]
    found = list(catalog.having("names", asked_names(words, content), ("book_id", "author")))
    assert [record["book_id"] for record in found] == expected
    assert all(record.keys() == {"book_id", "author"} for record in found)


def test_words_of_titles_and_authors_are_known_as_long_as_a_book_has_them(catalog: CatalogFile) -> None:
    put(catalog, make("a", title="The Prince", author="Niccolò Machiavelli"))
    asked = ["prince", "machiavelli", "fox", *(f"word{n}" for n in range(1200))]
    assert catalog.names_among(asked) == {"prince", "machiavelli"}
    put(catalog, make("a", title="Discourses", author="Niccolò Machiavelli"))
    assert catalog.names_among(asked) == {"machiavelli"}
    catalog.commit(delete=["a"])
    assert catalog.names_among(asked) == set()
    assert catalog.faults() == []


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM runs WHERE run = 2",
        "INSERT INTO runs VALUES (7, 1)",
        "DELETE FROM names WHERE name = 'a'",
        "INSERT INTO names VALUES ('emma', 1)",
    ],
)
def test_a_run_or_a_name_that_is_not_that_of_its_book_is_found(
    catalog: CatalogFile, tmp_path: Path, damage: str
) -> None:
    put(catalog, make("a", title="A", sketch=pack_sketch((1, 2))))
    assert catalog.faults() == []
    with closing(sqlite3.connect(tmp_path / CATALOG)) as database, database:
        database.execute(damage)
    assert len(catalog.faults()) >= 1
