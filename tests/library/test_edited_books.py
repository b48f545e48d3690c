"""Books that others edited: a chapter is found by its author, and cited as theirs, at every door."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from alexandria import Library
from alexandria.errors import NoMatchError
from tests.command import alexandria
from tests.extract.markup.test_bylines import AUTHORED, EDITED, chapters_with, contributions

BYLINE = "{heading}<p class='author'>{name}</p>"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edited")
    (folder / "a").mkdir()
    contributions(folder / "a", chapters_with(BYLINE), EDITED)
    (folder / "wren.txt").write_text("The bread of Hull was made of acorns, and a woman sold it at the pump.")
    alexandria("ingest", folder / "a", folder / "wren.txt", "--store", folder / "lib")
    alexandria("edit", "wren", "--author", "Ada Wren", "--store", folder / "lib")
    return folder / "lib"


@pytest.fixture
def library(store: Path) -> Iterator[Library]:
    with Library(store) as opened:
        yield opened


def test_an_author_of_a_chapter_finds_that_chapter_and_their_own_books(library: Library) -> None:
    found = {(hit.title, hit.chapter_author) for hit in library.search("lamp bread war", author="wren")}
    assert found == {("Harbours", "Ada Wren"), ("wren", None)}
    assert {hit.chapter_author for hit in library.search("lamp bread", author="Marsh, Ida")} == {"Ida Marsh"}
    editor = {hit.chapter_author for hit in library.search("lamp bread", author="field")}
    assert editor == {"Ida Marsh", "Ada Wren"}
    with pytest.raises(NoMatchError, match="no book has the author"):
        library.search("lamp", author="Hale")


@pytest.mark.parametrize("filters", [{"chapter": "Bread and War"}, {"book": "Harbours"}])
def test_it_combines_with_other_filters(filters: dict[str, str], library: Library) -> None:
    hits = library.search("lamp bread war", author="Wren", **filters)  # type: ignore[arg-type]  # all are strings
    assert {hit.section for hit in hits} == {("Bread and War",)}


def test_a_quotation_is_looked_for_in_the_chapter_alone(library: Library) -> None:
    assert library.find("the boats came home in a long line", author="Marsh")
    assert not library.find("the boats came home in a long line", author="Wren")


def test_json_and_locators_name_the_author_of_the_chapter(store: Path, library: Library) -> None:
    hits = json.loads(alexandria("search", "bread war", "--store", store, "--json").stdout)["hits"]
    named = {(hit["book_title"], hit.get("chapter_author"), hit.get("chapter_title")) for hit in hits}
    assert {("Harbours", "Ada Wren", "Bread and War"), ("wren", None, None)} <= named
    hit = library.search("bread war", author="wren", book="Harbours")[0]
    assert hit.locator["chapter_author"] == "Ada Wren"
    assert hit.chapter_title == "Bread and War"
    assert (hit.as_volume.full_title, library.book("Harbours").as_volume.number) == ("Harbours", "")
    assert hit.citation.startswith("Ada Wren, Harbours, ")
    books = json.loads(alexandria("list", "--store", store, "--json").stdout)
    assert [book["chapter_authors"] for book in books] == [["Ida Marsh", "Ada Wren"], []]


@pytest.mark.parametrize(
    ("style", "reference", "in_text"),
    [
        ("apa", "Wren, A. (n.d.). Bread and war. In R. Field (Ed.), Harbours.", "(Wren, n.d.)"),
        ("mla", "Wren, Ada. “Bread and War.” Harbours, edited by Rosa Field", "(Wren)"),
        (
            "chicago-notes",
            "Wren, Ada. “Bread and War.” In Harbours, edited by Rosa Field.",
            "Ada Wren, “Bread",
        ),
        ("chicago-author-date", "Wren, Ada. n.d. “Bread and War.” In Harbours, edited by Rosa", "(Wren"),
        ("harvard", "Wren, A. (no date) ‘Bread and war’, in R. Field (ed.) Harbours.", "(Wren, no date)"),
        ("iso690", "WREN, Ada, [n.d.]. Bread and War. In: Rosa FIELD, ed. Harbours.", "(Wren [n.d.])"),
    ],
)
def test_the_chapter_is_cited(style: str, reference: str, in_text: str, library: Library) -> None:
    hit = library.search("bread war", author="wren", book="Harbours")[0]
    citation = library.cite(hit, style)
    assert citation.reference.startswith(reference)
    assert citation.in_text.startswith(in_text)
    assert library.cite("Harbours", style).reference.upper().startswith("FIELD, R")


@pytest.mark.parametrize(
    ("format", "fields"),
    [
        (
            "bibtex",
            ("@incollection{wrenbread,", "title = {Bread and War}", "booktitle = {Harbours}", "editor"),
        ),
        (
            "ris",
            ("TY  - CHAP", "TI  - Bread and War", "T2  - Harbours", "AU  - Wren, Ada", "ED  - Field, Rosa"),
        ),
        ("csl-json", ('"type": "chapter"', '"container-title": "Harbours"', '"editor": [')),
        ("csl-citation", ('"type": "chapter"', '"container-title": "Harbours"', '"editor": [')),
    ],
)
def test_other_programs_get_the_chapter(format: str, fields: Any, store: Path, library: Library) -> None:
    hit = library.search("bread war", author="wren", book="Harbours")[0]
    entry = alexandria("cite", hit.short_id, "--format", format, "--store", store).stdout
    assert all(field in entry for field in fields), entry


def test_the_creator_of_a_book_of_chapters_by_others_is_its_editor(tmp_path: Path) -> None:
    contributions(tmp_path, chapters_with(BYLINE), AUTHORED)
    alexandria("ingest", tmp_path / "book.epub", "--store", tmp_path / "lib")
    with Library(tmp_path / "lib") as library:
        hit = library.search("bread war")[0]
        assert library.cite(hit, "apa").reference.startswith(
            "Wren, A. (n.d.). Bread and war. In R. Field (Ed.)"
        )
        library.edit("Harbours", author="Ada Wren")
        hit = library.search("bread war")[0]
        assert library.cite(hit, "apa").reference.startswith("Wren, A. (n.d.). Harbours")
