"""What people type in decomposed letters, or copy with soft hyphens, is read as what books have."""

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

import pytest

from alexandria import Library
from alexandria.book.filters import Filters
from alexandria.book.words import entered_text
from alexandria.doors.mcp.tools import run_tool
from alexandria.doors.web.requests import Request
from alexandria.doors.web.routes import Site
from tests.command import alexandria
from tests.pairs import by_pairs

TEXT = """CHAPTER I
The Naïve Façade

The naïve façade of the café stood in the señor's street, and nobody was deceived by it for long.

CHAPTER II
The Sea

The tide turns twice a day, and sailors read it from a table on the wall.
"""


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def with_soft_hyphens(text: str) -> str:
    return text.replace("aç", "a\xadç").replace("af", "a\u200bf").replace("ïv", "ï\ufeffv")


KINDS = {"decomposed": decomposed, "soft hyphens": with_soft_hyphens}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("shelf")
    (folder / "book.txt").write_text(TEXT)
    (folder / "other.txt").write_text(
        "Other\n\nA cabbage is sown in March, and the nets keep the butterfly away.\n"
    )
    with Library(folder / "library") as opened:
        opened.ingest(folder, options={"model": "hashing", "min_words": 5, "max_words": 30})
        opened.edit("book", title="Café Façade", author="Señor Naïve")
        yield opened


FOUND: dict[str, Callable[[Library, Callable[[str], str]], Sequence[object]]] = {
    "question": lambda library, text: library.search(text("naïve façade café")).hits,
    "phrase": lambda library, text: library.search(text('"naïve façade"')).hits,
    "author": lambda library, text: library.search("sea", author=text("naïve")).hits,
    "book": lambda library, text: library.search("sea", book=text("café")).hits,
    "chapter": lambda library, text: library.search("sea", chapter=text("naïve façade")).hits,
    "find": lambda library, text: library.find(text("façade of the café")),
    "a book by its title": lambda library, text: [library.book(text("Café Façade"))],
    "passages of a book": lambda library, text: library.chunks(text("façade")),
}


@by_pairs(("kind", list(KINDS)), ("found", FOUND))
def test_it_is_found(library: Library, found: Callable[..., Sequence[object]], kind: str) -> None:
    assert found(library, KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_of_it_is_said_to_be_in_no_passage(library: Library, kind: str) -> None:
    results = library.search(KINDS[kind]("the naïve façade"))
    assert results.remarks == library.search("the naïve façade").remarks
    assert (
        "No passage contains “xylograph”; notes, contents, index and other matter left out apart."
        in library.search("naïve xylograph").remarks
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_in_a_question_leads_to_the_books(library: Library, kind: str) -> None:
    assert library.search(KINDS[kind]("what did Señor Naïve say of the tide")).named == ("Señor Naïve",)


@pytest.mark.parametrize("kind", KINDS)
def test_every_door_reads_it(library: Library, kind: str) -> None:
    text = KINDS[kind]
    done = alexandria(
        "search", text("naïve façade"), "--book", text("café"), "--store", library.store, "--json"
    )
    assert json.loads(done.stdout)["hits"]
    done = alexandria("list", "--author", text("Naïve"), "--store", library.store, "--json")
    assert [book["title"] for book in json.loads(done.stdout)] == ["Café Façade"]
    done = alexandria("find", text("façade of the café"), "--store", library.store, "--json")
    assert json.loads(done.stdout)
    assert "naïve façade" in run_tool(library, "search", {"query": text("naïve façade")}).text
    assert "façade" in run_tool(library, "find_quote", {"text": text("naïve façade of")}).text
    site = Site(library, "token", 1)
    page = site.respond(
        Request("GET", f"/token/search?q={quote(text('naïve façade'))}", {"host": "127.0.0.1:1"})
    )
    assert "naïve façade of the café" in page.body.decode()
    assert "Café" in run_tool(library, "books", {"filter": text("naïve")}).text


def test_an_edit_stores_what_books_have(library: Library) -> None:
    record = library.edit("other", author=decomposed("José Núñez"))
    assert record.author == unicodedata.normalize("NFC", record.author)
    assert library.search("cabbage", author="José Núñez").hits


def test_letters_are_composed_and_what_nobody_sees_is_left_out() -> None:
    cases = [
        ("plain", "plain"),
        ("na\xadïve", "naïve"),
        ("cafe\u0301", "café"),
        ("\ufeffword\u2060", "word"),
        ("emoji \ud83d", "emoji \ufffd"),
        # What joins letters, or keeps them apart, is part of the word in some scripts; spaces are spaces.
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u00a0b  c", "a\u00a0b  c"),
        ("½ ﬁ Å", "½ ﬁ Å"),
    ]
    for typed, expected in cases:
        assert entered_text(typed) == expected
        assert Filters(book=typed).book == expected
