"""Words of scripts with vowel signs, with points and without spaces are found, and absent ones are not."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import pytest

from alexandria import Library
from alexandria.doors.mcp.tools import run_tool
from alexandria.doors.web.requests import Request
from alexandria.doors.web.routes import Site
from tests.command import alexandria
from tests.scripts import SCRIPTS, Script
from tests.store.fake_server import FakeServer

STORES = ("edge", "local", "server")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shelf")
    for script in SCRIPTS:
        (folder / f"{script.language}.html").write_text(
            f"<html lang='{script.language}'><title>{script.language}</title><p>{script.text}</p></html>"
        )
    (folder / "en.txt").write_text("The keeper lit the lamp before the tide, and nobody knew who built it.\n")
    return folder


@pytest.fixture(scope="module")
def libraries(shelf: Path) -> Iterator[dict[str, Library]]:
    """A library of all these books in each store."""
    with ExitStack() as stack:
        places: dict[str, Path | str] = {
            "edge": shelf / "edge",
            "local": f"local:{shelf / 'local'}",
            "server": stack.enter_context(FakeServer()).url,
        }
        opened = {name: stack.enter_context(Library(place)) for name, place in places.items()}
        for library in opened.values():
            library.ingest(shelf, options={"model": "none", "strategy": "recursive"})
        yield opened


def ids(script: Script) -> str:
    return script.language


@pytest.mark.parametrize("script", SCRIPTS, ids=ids)
def test_a_word_of_a_book_is_found(libraries: dict[str, Library], script: Script) -> None:
    for word in script.present:
        plain, quoted = (libraries["edge"].search(text) for text in (word, f'"{word}"'))
        assert plain.hits[0].language == script.language, word
        assert not any("No passage" in remark for remark in plain.remarks), word
        assert [hit.language for hit in quoted.hits] == [script.language], word


@pytest.mark.parametrize("script", SCRIPTS, ids=ids)
def test_a_word_that_no_book_has_is_said_to_be_absent(libraries: dict[str, Library], script: Script) -> None:
    for word in script.absent:
        plain, quoted = (libraries["edge"].search(text) for text in (word, f'"{word}"'))
        assert any("No passage contains" in remark for remark in plain.remarks), word
        assert quoted.hits == (), word


@pytest.mark.parametrize("script", SCRIPTS, ids=ids)
def test_a_stretch_is_found_word_for_word(libraries: dict[str, Library], script: Script) -> None:
    place, *others = libraries["edge"].find(script.stretch)
    assert (place.language, place.nearness, others) == (script.language, 1, [])
    assert libraries["edge"].search(f'"{script.stretch}"').hits[0].language == script.language


def by_terminal(library: Library, text: str) -> str:
    done = alexandria("search", text, "--store", library.store, "--json")
    return " ".join(hit["text"] for hit in json.loads(done.stdout)["hits"])


def by_mcp(library: Library, text: str) -> str:
    return run_tool(library, "search", {"query": text}).text


def by_browser(library: Library, text: str) -> str:
    request = Request("GET", f"/token/search?q={quote(text)}", {"host": "127.0.0.1:1"})
    return Site(library, "token", 1).respond(request).body.decode()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("door", [by_terminal, by_mcp, by_browser])
def test_every_door_finds_it_in_every_store(
    libraries: dict[str, Library], store: str, door: Callable[[Library, str], str]
) -> None:
    for script in SCRIPTS:
        sentence = script.text.split(" ")[0].rstrip("।.។")
        found = door(libraries[store], f'"{script.present[-1]}"')
        assert sentence in found, script.language
        assert sentence not in door(libraries[store], f'"{script.absent[0]}"'), script.language


@pytest.mark.parametrize(
    ("language", "title", "author", "asked"),
    [
        ("he", "הַמְּנוֹרָה", "אַבְרָהָם", ("המנורה", "אברהם")),
        ("ar", "كِتَابُ المَدِّ", "أَحْمَد", ("کتاب المد", "احمد")),
        ("hi", "किताब और दीपक", "मीरा", ("किताब", "मीरा")),
    ],
)
@pytest.mark.parametrize("store", STORES)
def test_a_filter_asks_without_points(
    libraries: dict[str, Library], store: str, language: str, title: str, author: str, asked: tuple[str, str]
) -> None:
    library = libraries[store]
    [book] = [record for record in library.books() if record.language == language]
    record = library.edit(book.book_id[:12], title=title, author=author)
    for hits in (library.search(title, book=asked[0]).hits, library.search(title, author=asked[1]).hits):
        assert {hit.book_id for hit in hits} == {record.book_id}
    assert library.book(asked[0]).book_id == record.book_id
    assert library.verify().findings == ()
