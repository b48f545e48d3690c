"""A hit as a reader cites it."""

from typing import Any

from alexandria.store.passage import Hit

PAYLOAD: dict[str, Any] = {
    "text": "The tide turns. It turns twice a day.",
    "book_title": "Sea Book",
    "author": "Ida Marlow",
    "section": ["Part One", "On Tides"],
    "page_label": "xii",
    "page_start": 12,
    "page_end": 13,
    "book_id": "ab" * 32,
    "chunk_id": 4,
    "start": 100,
    "end": 137,
    "domain": "technical",
    "language": "en-GB",
    "source": "/shelf/sea.txt",
    "href": "tides.xhtml#two",
}


def hit(**changed: object) -> Hit:
    return Hit(id="7", payload=PAYLOAD | changed, score=0.5, best=(116, 137))


def test_every_attribute_is_what_was_stored() -> None:
    one = hit()
    assert (one.id, one.score, one.text, one.title, one.author) == (
        "7",
        0.5,
        PAYLOAD["text"],
        "Sea Book",
        "Ida Marlow",
    )
    assert (one.section, one.page, one.page_label) == (("Part One", "On Tides"), "xii", "xii")
    assert (one.page_start, one.page_end, one.start, one.end, one.chunk_id) == (12, 13, 100, 137, 4)
    assert (one.domain, one.language, one.source) == ("technical", "en-GB", "/shelf/sea.txt")
    assert (one.book_id, one.href) == ("ab" * 32, "tides.xhtml#two")
    assert one.payload["page_end"] == 13


def test_the_best_sentence_is_a_slice_of_the_text() -> None:
    assert hit().sentence == "It turns twice a day."
    assert Hit(id="7", payload=PAYLOAD, score=1).sentence is None


VERSES = "100 - 2 Tim: 3:16\n116 - 2 Tim: 3:17\n130 - 2 Tim: 3:18"


def test_a_verse_is_cited_in_place_of_the_page() -> None:
    cases: dict[str, tuple[str, list[str], str | None, str]] = {
        "one verse": ("100 - Genesis 3:16", ["Genesis", "Chapter 3"], "3:16", "Genesis 3:16"),
        "some": (VERSES, ["Letters", "2 Tim: 3"], "3:17–18", "Letters, 2 Tim: 3:17–18"),
        "of two": ("90 - Genesis 3:24\n120 - Genesis 4:1", ["Genesis 3"], "3:24–4:1", "Genesis 3:24–4:1"),
        "of two books": (
            "90 - Genesis 50:26\n120 - Exodus 1:1",
            ["Genesis"],
            "50:26–Exodus 1:1",
            "Genesis 50:26–Exodus 1:1",
        ),
        "after the verses": ("90 - Genesis 3:24\n110 - ", ["Index"], None, "Index, p. xii"),
        "it begins inside": ("120 - Genesis 3:1", ["The Law"], "3:1", "The Law, Genesis 3:1"),
        "before the verses": ("137 - Genesis 3:1", ["Genesis"], None, "Genesis, p. xii"),
    }
    for starts, section, verse, place in cases.values():
        cited = hit(verse_starts=starts, section=section, format="txt", notes=[])
        assert (cited.verse, cited.place) == (verse, place)
        assert cited.citation == f"Ida Marlow, Sea Book, {place}"
        assert cited.locator["locations"].get("verse") == verse


def test_a_citation_names_what_is_known() -> None:
    cases: dict[str, tuple[dict[str, object], str | None, str]] = {
        "printed page": ({}, "xii", "Ida Marlow, Sea Book, Part One › On Tides, p. xii"),
        "page of the file": (
            {"page_label": None},
            "12",
            "Ida Marlow, Sea Book, Part One › On Tides, page 12 of the file",
        ),
        "neither page nor section nor author": (
            {"page_label": None, "page_start": None, "section": [], "author": ""},
            None,
            "Sea Book",
        ),
    }
    for changed, page, citation in cases.values():
        assert (hit(**changed).page, hit(**changed).citation) == (page, citation)
        assert citation.removeprefix("Ida Marlow, ") == ", ".join(
            filter(None, ("Sea Book", hit(**changed).place))
        )
