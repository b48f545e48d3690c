"""Citations as their styles print them."""

import json
from typing import Any

import pytest

from alexandria.errors import ConfigError
from alexandria.modes import CitationStyle
from alexandria.passage import Passage
from alexandria.passages.citations import cite, csl_items, names_of

FULL: dict[str, Any] = {
    "text": "The tide turns. It turns twice a day.",
    "book_title": "The Sea & Its Moons",
    "author": "Ida B. Marlow, Jan van der Meer",
    "section": ["Part One", "On Tides"],
    "page_starts": "100 12 xii\n116 13 xiii",
    "page_label": "xii",
    "page_start": 12,
    "page_end": 13,
    "book_id": "ab" * 32,
    "chunk_id": 4,
    "start": 100,
    "end": 137,
    "language": "en-GB",
    "publisher": "Harbour Press",
    "date": "1923-05-01",
    "translators": ["Ann Reed"],
    "identifiers": ["urn:isbn:978-0-306-40615-7"],
}


def passage(**changed: object) -> Passage:
    return Passage(id="7", payload=FULL | changed, best=(116, 137))


@pytest.mark.parametrize(
    ("style", "citation"),
    [
        (
            "chicago",
            "Ida B. Marlow and Jan van der Meer, The Sea & Its Moons, trans. Ann Reed (Harbour Press, 1923),"
            " xiii.",
        ),
        (
            "apa",
            "Marlow, I. B., & van der Meer, J. (1923). The Sea & Its Moons (A. Reed, Trans.) [p. xiii]."
            " Harbour Press.",
        ),
        (
            "mla",
            "Marlow, Ida B., and Jan van der Meer. The Sea & Its Moons. Translated by Ann Reed, Harbour"
            " Press, 1923, p. xiii.",
        ),
        (
            "bibtex",
            "@book{marlow1923moons,\n  author = {Marlow, Ida B. and van der Meer, Jan},\n"
            "  title = {The Sea \\& Its Moons},\n  translator = {Reed, Ann},\n"
            "  publisher = {Harbour Press},\n  year = {1923},\n  isbn = {9780306406157},\n"
            "  pages = {xiii},\n}",
        ),
        (
            "markdown",
            "> It turns twice a day.\n>\n> — Ida B. Marlow and Jan van der Meer, *The Sea & Its Moons*,"
            " trans. Ann Reed (Harbour Press, 1923), xiii.",
        ),
    ],
)
def test_all_that_is_known_is_cited(style: str, citation: str) -> None:
    assert cite(passage(), style) == citation


@pytest.mark.parametrize(
    ("translators", "names"),
    [
        (["Ann Reed", "Paul Weir"], "A. Reed & P. Weir"),
        (["Ann Reed", "Paul Weir", "Eva Lind"], "A. Reed, P. Weir, & E. Lind"),
    ],
)
def test_apa_sets_no_comma_between_two_translators(translators: list[str], names: str) -> None:
    assert f"({names}, Trans.)" in cite(passage(translators=translators), "apa")


def test_bibtex_escapes_what_tex_would_read_as_a_command() -> None:
    citation = cite(passage(book_title=r"a^b ~ {100%} \ c_d"), "bibtex")
    escaped = r"a\textasciicircum{}b \textasciitilde{} \{100\%\} \textbackslash{} c\_d"
    assert f"  title = {{{escaped}}},\n" in citation


def test_markdown_marks_the_title_and_not_the_same_words_in_the_name_of_the_author() -> None:
    citation = cite(passage(**BARE | {"author": "Edgar Allan Poe", "book_title": "Poe"}), "markdown")
    assert citation.endswith("> — Edgar Allan Poe, *Poe*, “On Tides”.")


def test_an_item_for_zotero_has_names_in_parts_and_the_page_as_its_locator() -> None:
    assert json.loads(cite(passage(), "csl-json")) == [
        {
            "id": "marlow1923moons",
            "type": "book",
            "title": "The Sea & Its Moons",
            "author": [{"family": "Marlow", "given": "Ida B."}, {"family": "van der Meer", "given": "Jan"}],
            "translator": [{"family": "Reed", "given": "Ann"}],
            "publisher": "Harbour Press",
            "ISBN": "9780306406157",
            "language": "en-GB",
            "issued": {"date-parts": [[1923]]},
            "locator": "xiii",
            "label": "page",
        }
    ]


def test_items_that_are_equal_are_listed_once_and_ids_that_are_equal_are_numbered() -> None:
    same_page = passage(chunk_id=5, text="The moon rises. It turns twice a day.")
    other_page = passage(page_starts="100 14 xiv")
    items = csl_items([passage(), same_page, other_page])
    assert [(item["id"], item["locator"]) for item in items] == [
        ("marlow1923moons", "xiii"),
        ("marlow1923moons-2", "xiv"),
    ]


BARE: dict[str, Any] = {
    "author": "",
    "publisher": "",
    "date": "",
    "translators": [],
    "identifiers": [],
    "page_starts": "",
    "page_label": None,
    "page_start": None,
}


@pytest.mark.parametrize(
    ("style", "citation"),
    [
        ("chicago", "The Sea & Its Moons, “On Tides”."),
        ("apa", "The Sea & Its Moons [“On Tides”]. (n.d.)."),
        ("mla", "The Sea & Its Moons. “On Tides”."),
    ],
)
def test_a_book_that_states_nothing_is_cited_by_title_and_section(style: str, citation: str) -> None:
    assert cite(passage(**BARE), style) == citation


@pytest.mark.parametrize(
    ("stated", "ending"),
    [
        pytest.param({}, "Moons. P. xiii.", id="nothing"),
        pytest.param(
            {"page_starts": "100 12 \n116 13 ", "page_label": None},
            "Moons. Page of the file 13.",
            id="no labels",
        ),
        pytest.param({"date": "1923"}, "Moons. 1923, p. xiii.", id="year"),
        pytest.param({"publisher": "de Gruyter"}, "Moons. de Gruyter, p. xiii.", id="publisher"),
    ],
)
def test_mla_has_a_capital_after_the_full_stop_of_the_title(stated: dict[str, Any], ending: str) -> None:
    bare = {"publisher": "", "date": "", "translators": []}
    assert cite(passage(**(bare | stated)), "mla").endswith(ending)


@pytest.mark.parametrize("style", list(CitationStyle))
def test_a_page_that_is_not_printed_is_not_cited_as_if_it_were(style: str) -> None:
    assert "the file 13" in cite(passage(page_starts="100 13 "), style) or style == "csl-json"


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown style 'harvard'"):
        cite(passage(), "harvard")


@pytest.mark.parametrize(
    ("text", "inverted"),
    [
        ("Mary Shelley", ["Shelley, Mary"]),
        ("Shelley, Mary", ["Shelley, Mary"]),
        ("Plato", ["Plato"]),
        ("Ludwig van Beethoven", ["van Beethoven, Ludwig"]),
        ("Martin Luther King, Jr.", ["King Jr., Martin Luther"]),
        ("Ann Reed, Bo Lind, Cy Moss", ["Reed, Ann", "Lind, Bo", "Moss, Cy"]),
        ("Reed, Ann; Lind, Bo", ["Reed, Ann", "Lind, Bo"]),
        ("", []),
    ],
)
def test_names_are_taken_apart(text: str, inverted: list[str]) -> None:
    assert [name.inverted for name in names_of(text)] == inverted
