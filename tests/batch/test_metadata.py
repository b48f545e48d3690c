"""What is known of a book beside its text: from Calibre, and from the user."""

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from alexandria.errors import ConfigError
from alexandria.library.library import Library
from tests.command import alexandria
from tests.extract.test_sidecar import OPF

_TEXT = "This is a tale of the sea. It has a second sentence about ships."


def test_the_volumes_of_a_work_are_told_apart_wherever_books_are_named(tmp_path: Path) -> None:
    store = tmp_path / "lib"
    for number, word in enumerate(("alpha", "beta"), 1):
        (folder := tmp_path / word).mkdir()
        (folder / "x.txt").write_text(f"{_TEXT} It has the word {word}.")
        opf = re.sub("<dc:title>[^<]*<", "<dc:title>Sea Tales<", OPF.replace("3.0", f"{number}.0"))
        (folder / "metadata.opf").write_text(opf)
        alexandria("ingest", folder, "--store", store)
    hits = json.loads(alexandria("search", "word beta", "--store", store, "--json").stdout)["hits"]
    assert (hits[0]["volume"], hits[0]["volume_title"]) == ("2", "")
    books = json.loads(alexandria("list", "--store", store, "--json").stdout)
    assert [(book["title"], book["volume"]) for book in books] == [("Sea Tales", "1"), ("Sea Tales", "2")]
    assert len(set(alexandria("list", "--cite", "--style", "mla", "--store", store).stdout.splitlines())) == 2
    refused = alexandria("show", "Sea Tales", "--store", store).stderr
    assert "“Sea Tales, vol. 1”" in refused
    assert "“Sea Tales, vol. 2”" in refused
    assert books[1]["book_id"][:8] in alexandria("show", "sea tales, Vol. II", "--store", store).stdout
    alexandria("edit", books[1]["book_id"][:8], "--volume", "5", "--volume-title", "Gulls", "--store", store)
    assert "Sea Tales, vol. 5: Gulls" in alexandria("show", books[1]["book_id"], "--store", store).stdout
    hits = json.loads(alexandria("search", "word beta", "--store", store, "--json").stdout)["hits"]
    assert (hits[0]["volume"], hits[0]["volume_title"]) == ("5", "Gulls")


def listed(store: Path) -> dict[str, Any]:
    [book] = json.loads(alexandria("list", "--store", store, "--json").stdout)
    assert isinstance(book, dict)
    return book


def test_it_is_in_payload_list_and_show(tmp_path: Path) -> None:
    folder, store = tmp_path / "b", tmp_path / "lib"
    folder.mkdir()
    (folder / "x.txt").write_text(_TEXT)
    (folder / "metadata.opf").write_text(OPF)
    alexandria("ingest", folder, "--store", store)
    book = listed(store)
    assert (book["publisher"], book["date"], book["series"]) == ("House", "1999-05-01", "Sea Tales 3")
    assert (book["translators"], book["identifiers"]) == (["Tom Translator"], ["isbn:123"])
    shown = alexandria("show", "Tale", "--store", store).stdout
    assert "House; 1999-05-01; translated by Tom Translator; series Sea Tales 3; isbn:123" in shown
    with Library(store) as library:
        payload = library.chunks("Tale")[0].payload
    assert payload["translators"] == ["Tom Translator"]
    assert payload["series"] == "Sea Tales 3"


def test_an_edited_book_keeps_its_metadata_when_it_is_ingested_again(tmp_path: Path) -> None:
    book, store = tmp_path / "x.txt", tmp_path / "lib"
    book.write_text(_TEXT)
    alexandria("ingest", book, "--store", store)
    words = ("--title", "The Sea", "--author", "Ann Author", "--identifier", "isbn:1", "--identifier", "2")
    done = alexandria("edit", "x", *words, "--store", store)
    assert done.returncode == 0, done.stderr
    generation = listed(store)["generation"]
    assert alexandria("edit", "Sea", *words, "--store", store).returncode == 0
    assert listed(store)["generation"] == generation  # nothing to write
    for again in ([], ["--force"], ["-d", "history"]):
        done = alexandria("ingest", book, "--store", store, "--json", *again)
        assert json.loads(done.stdout.splitlines()[0])["status"] == ("ingested" if again else "unchanged")
        stored = listed(store)
        assert (stored["title"], stored["author"], stored["identifiers"]) == (
            "The Sea",
            "Ann Author",
            ["isbn:1", "2"],
        )
        [hit] = json.loads(alexandria("search", "ships", "-a", "ann", "--store", store, "--json").stdout)[
            "hits"
        ]
        assert (hit["book_title"], hit["author"]) == ("The Sea", "Ann Author")
        assert alexandria("verify", "--store", store).returncode == 0
    book.write_text(_TEXT + " It is a new version.")
    alexandria("ingest", book, "--store", store)
    assert listed(store)["title"] == "The Sea"
    assert alexandria("edit", "Sea", "--store", store).returncode == 2
    assert alexandria("edit", "Sea", "--title", "", "--store", store).returncode == 2


@pytest.mark.parametrize("title", ["", " ", None])
def test_a_book_is_not_left_without_a_title(title: Any, tmp_path: Path) -> None:
    book = tmp_path / "x.txt"
    book.write_text(_TEXT)
    with Library(tmp_path / "lib") as library:
        library.ingest(book)
        with pytest.raises(ConfigError, match="cannot edit the title"):
            library.edit("x", title=title)
        assert library.book("x").title == "x"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """A library with one book, `x`."""
    book = tmp_path / "x.txt"
    book.write_text(_TEXT)
    with Library(tmp_path / "lib") as library:
        library.ingest(book, options={"model": "hashing"})
        yield library


@pytest.mark.parametrize(
    "changes",
    [{"author": "Plato; {Marcus Aurelius"}, {"editors": ["Ida {van Berg}"]}, {"translators": ["{}"]}],
)
def test_a_stray_brace_in_a_name_is_refused_with_how_to_write_it(
    changes: dict[str, Any], library: Library
) -> None:
    before = library.book("x")
    with pytest.raises(ConfigError, match=r"a brace in .* is not one of a pair") as error:
        library.edit("x", **changes)
    assert "{Marcus Aurelius}" in error.value.fix
    assert library.book("x") == before


@pytest.mark.parametrize(
    "changes",
    [
        {"title": 7},
        {"author": ["Ann Author"]},
        {"date": None},
        {"translators": "Tom Translator"},
        {"identifiers": [123]},
    ],
    ids=repr,
)
def test_metadata_of_another_type_is_refused_and_nothing_changes(
    changes: dict[str, Any], library: Library
) -> None:
    before = library.book("x")
    with pytest.raises(ConfigError, match=r"cannot edit the \w+: .* is not a (list of strings|string)"):
        library.edit("x", **changes)
    assert library.book("x") == before


def calibre_library(folder: Path) -> Path:
    """A Calibre library with a book in two formats, and one in a format that cannot be read."""
    (folder / "Ann Author" / "A Tale (7)").mkdir(parents=True)
    (folder / "Ann Author" / "A Tale (7)" / "A Tale - Ann Author.txt").write_text(_TEXT)
    with sqlite3.connect(folder / "metadata.db") as database:
        database.executescript(
            """
            CREATE TABLE books (id, title, path, pubdate, series_index, uuid);
            CREATE TABLE data (book, format, name);
            CREATE TABLE identifiers (id INTEGER PRIMARY KEY, book, type, val);
            CREATE TABLE authors (id, name); CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book, author);
            CREATE TABLE publishers (id, name); CREATE TABLE books_publishers_link (id INTEGER PRIMARY KEY, book, publisher);
            CREATE TABLE series (id, name); CREATE TABLE books_series_link (id INTEGER PRIMARY KEY, book, series);
            INSERT INTO books VALUES (7, 'A Tale', 'Ann Author/A Tale (7)', '1999-05-01 00:00:00+00:00', 3.0, 'u-7');
            INSERT INTO books VALUES (8, 'Other', 'X/Other (8)', '0101-01-01 00:00:00+00:00', 1.0, 'u-8');
            INSERT INTO data VALUES (7, 'LIT', 'A Tale - Ann Author'), (7, 'TXT', 'A Tale - Ann Author');
            INSERT INTO data VALUES (8, 'LIT', 'Other');
            INSERT INTO identifiers (book, type, val) VALUES (7, 'isbn', '123');
            INSERT INTO authors VALUES (1, 'Ann Author'), (2, 'Second| Jr.');
            INSERT INTO books_authors_link (book, author) VALUES (7, 1), (7, 2);
            INSERT INTO series VALUES (1, 'Sea Tales'); INSERT INTO books_series_link (book, series) VALUES (7, 1);
            """  # noqa: E501  # lines of SQL
        )
    return folder


def test_a_calibre_library_is_ingested_with_its_metadata_and_left_as_it_is(tmp_path: Path) -> None:
    calibre, store = calibre_library(tmp_path / "calibre"), tmp_path / "lib"
    before = (calibre / "metadata.db").read_bytes()
    done = alexandria("ingest", "--calibre", calibre, "--store", store, "--json")
    assert done.returncode == 0, done.stderr
    book = listed(store)
    assert (book["title"], book["author"], book["date"]) == (
        "A Tale",
        "Ann Author, Second, Jr.",
        "1999-05-01",
    )
    assert (book["series"], book["identifiers"]) == ("Sea Tales 3", ["calibre:7", "uuid:u-7", "isbn:123"])
    assert (calibre / "metadata.db").read_bytes() == before
    assert {path.name for path in calibre.iterdir()} == {"metadata.db", "Ann Author"}
    with sqlite3.connect(calibre / "metadata.db") as database:
        database.execute("UPDATE books SET title = 'A Better Tale'")
    alexandria("edit", "Tale", "--author", "Edited", "--store", store)
    done = alexandria("ingest", "--calibre", calibre, "--store", store, "--json")
    assert json.loads(done.stdout.splitlines()[0])["remarks"] == ["its metadata was updated"]
    assert (listed(store)["title"], listed(store)["author"]) == ("A Better Tale", "Edited")
    assert alexandria("ingest", "--calibre", tmp_path, "--store", store).returncode == 2
