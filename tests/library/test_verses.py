"""Verses whose book and chapter are known: each door cites them in place of a page."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from alexandria import Library
from alexandria.doors.mcp.paging import citation_line, passage_lines
from tests.command import alexandria

BOOK = (
    "<html lang='en'><head><title>The Book of Lamps</title></head><body><h1>Genesis</h1><h2>Chapter 3</h2>"
    "<p><sup>1</sup>In those days the keeper went up from the shore. <sup>2</sup>And the lamp was brought "
    "before him, and he counted the oil. <sup>3</sup>Then the men of the harbour asked him a sign; "
    "<sup>4</sup>and he answered them not.</p></body></html>"
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verses")
    (folder / "lamps.html").write_text(BOOK)
    (folder / "tides.txt").write_text(
        "The tide turns twice a day, and the boats of the harbour turn with it."
    )
    alexandria("ingest", folder / "lamps.html", folder / "tides.txt", "--store", folder / "lib")
    return folder / "lib"


@pytest.fixture
def library(store: Path) -> Iterator[Library]:
    with Library(store) as opened:
        yield opened


def test_a_hit_is_cited_by_the_verses_of_its_sentence(library: Library) -> None:
    (oil,) = library.find("he counted the oil")
    assert (oil.verse, oil.citation) == ("3:2", "The Book of Lamps, Genesis 3:2")
    (sign,) = library.find("asked him a sign and he answered them not")
    assert (sign.verse, sign.cited_verse, sign.place) == ("3:3–4", "Genesis 3:3–4", "Genesis 3:3–4")
    assert sign.locator["locations"]["verse"] == "3:3–4"
    assert "Genesis 3:2 " in citation_line(oil)
    whole, cited = passage_lines(oil).split("\n")
    assert "Genesis 3:1–4" in whole
    assert cited.endswith("“he counted the oil”, Genesis 3:2")


def test_json_has_a_verse_only_where_there_is_one(store: Path) -> None:
    hits = json.loads(alexandria("search", "men of the harbour", "--store", store, "--json").stdout)["hits"]
    verses = {(hit["book_title"], hit.get("verse"), hit["locator"]["locations"].get("verse")) for hit in hits}
    assert verses == {("The Book of Lamps", "3:3–4", "3:3–4"), ("tides", None, None)}
    assert "Genesis 3:3–4" in alexandria("search", "men of the harbour", "--store", store).stdout


def test_a_book_without_verses_is_stored_as_before(library: Library) -> None:
    payloads = {hit.title: hit.payload for hit in library.search("harbour")}
    assert {title: "verse_starts" in payload for title, payload in payloads.items()} == {
        "The Book of Lamps": True,
        "tides": False,
    }
