"""Which headings a text means: the value of `--chapter`, wherever it is taken."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import alexandria
from alexandria import Library
from alexandria.book.filters import Filters
from alexandria.book.headings import headings_meant, is_under, levels_meant
from alexandria.errors import NoMatchError

REPUBLIC = tuple(f"Book {number}: Of {number}" for number in ("I", "II", "III", "IV", "V", "VI", "IX", "X"))
CRUSOE = (
    *("CHAPTER I. The Sea", "CHAPTER II The Reef", "Chapter 12. Truth", "Chapter 13. Truth and Falsehood"),
    *("Preface", "Preface: To the reader", "The Untruths", "I Am a Cat", "What I Believe", "Élan Vital"),
)
MANUAL = (
    *(
        "1 What a Backup Is",
        "2.1 A Single Archive",
        "2.1.1 Naming It",
        "12 Restoring",
        "C",
        "C++",
        "第3章 海",
    ),
)


NAMED = (
    *("Chapter Two: Sundials", "Zweites Kapitel", "Chapitre premier", "İkinci Bölüm", "第二章 鱼"),
    *("Chapter Twenty-Two", "الفصل الثاني", "Chapter the Third", "দ্বিতীয় অধ্যায়", "अध्याय २ बाज़ार"),
    "இரண்டாம் அதிகாரம்",
)
SIGNS = (
    *("A REVIEW, AND CONCLUSION", "1. Seeing-as", "1.1 The duck-rabbit", "C", "Letter the First"),
    "3 May 1911",
)
MIXED = ("IV. Verse and Notes", "Two Gentlemen", "Book V: On Tides", "Scene I. Elsinore", "One Man Band")


@pytest.mark.parametrize(
    ("text", "headings", "meant"),
    [
        (
            "2",
            NAMED,
            {"Chapter Two: Sundials", "Zweites Kapitel", "İkinci Bölüm", "第二章 鱼", NAMED[6], *NAMED[8:]},
        ),
        ("二", NAMED[4:6], {"第二章 鱼"}),
        ("الفصل 2", NAMED, {"الفصل الثاني"}),
        ("অধ্যায় ২", NAMED, {"দ্বিতীয় অধ্যায়"}),
        ("अध्याय 2", NAMED, {"अध्याय २ बाज़ार"}),
        ("அதிகாரம் 2", NAMED, {"இரண்டாம் அதிகாரம்"}),
        ("Chapter 3", NAMED, {"Chapter the Third"}),
        ("§1", ("§ 1 Das Watt", "§ 12 Der Turm"), {"§ 1 Das Watt"}),
        ("chapter ii", NAMED, {"Chapter Two: Sundials"}),
        ("Kapitel zwei", NAMED, {"Zweites Kapitel"}),
        ("2. Kapitel", NAMED, {"Zweites Kapitel"}),
        ("chapitre 1", NAMED, {"Chapitre premier"}),
        ("bölüm 2", NAMED, {"İkinci Bölüm"}),
        ("第2章", NAMED, {"第二章 鱼"}),
        ("Chapter 22", NAMED, {"Chapter Twenty-Two"}),
        pytest.param("4", NAMED, set(), id="no such number in words"),
        pytest.param("chapter four", MIXED, {"IV. Verse and Notes"}, id="a number alone is a chapter"),
        pytest.param("chapter 5", MIXED, set(), id="but a book is none"),
        pytest.param("2", MIXED, set(), id="a number word without a word for a chapter is a word"),
        pytest.param("1", MIXED, {"Scene I. Elsinore"}, id="also at the beginning"),
        ("Book V", REPUBLIC, {"Book V: Of V"}),
        ("book i", REPUBLIC, {"Book I: Of I"}),
        ("Book 9", REPUBLIC, {"Book IX: Of IX"}),
        ("Book V:", REPUBLIC, {"Book V: Of V"}),
        ("X", REPUBLIC, {"Book X: Of X"}),
        ("4", REPUBLIC, {"Book IV: Of IV"}),
        ("book iv: of iv", REPUBLIC, {"Book IV: Of IV"}),
        pytest.param("Book XI", REPUBLIC, set(), id="not there: not a part of another number"),
        pytest.param("11", REPUBLIC, set(), id="nor is a number alone"),
        pytest.param("of", REPUBLIC, {*REPUBLIC}, id="a whole word, in all"),
        pytest.param("boo", REPUBLIC, {*REPUBLIC}, id="a part of a word, in all"),
        ("chapter 1", CRUSOE, {"CHAPTER I. The Sea"}),
        ("1", CRUSOE, {"CHAPTER I. The Sea"}),
        pytest.param("2", CRUSOE, {"CHAPTER II The Reef"}, id="no mark after the number"),
        ("chapter ii", CRUSOE, {"CHAPTER II The Reef"}),
        ("12", CRUSOE, {"Chapter 12. Truth"}),
        ("XII", CRUSOE, {"Chapter 12. Truth"}),
        pytest.param("truth", CRUSOE, {"Chapter 12. Truth", "Chapter 13. Truth and Falsehood"}, id="words"),
        pytest.param("ruth", CRUSOE, {*CRUSOE[2:4], "The Untruths"}, id="a part of words"),
        pytest.param("preface", CRUSOE, {"Preface", "Preface: To the reader"}, id="before the colon"),
        pytest.param("to the", CRUSOE, {"Preface: To the reader"}, id="after the colon"),
        ("I am a cat", CRUSOE, {"I Am a Cat"}),
        ("elan", CRUSOE, {"Élan Vital"}),
        ("what i", CRUSOE, {"What I Believe"}),
        pytest.param("zebra", CRUSOE, set(), id="nothing"),
        pytest.param("", CRUSOE, {*CRUSOE}, id="empty"),
        ("1", MANUAL, {"1 What a Backup Is"}),
        pytest.param("2", MANUAL, {"2.1 A Single Archive", "2.1.1 Naming It"}, id="the number of sections"),
        pytest.param("2.1", MANUAL, {"2.1 A Single Archive"}, id="not those below it"),
        ("2.1 a", MANUAL, {"2.1 A Single Archive"}),
        ("C", MANUAL, {"C"}),
        ("c++", MANUAL, {"C++"}),
        ("3", MANUAL, {"第3章 海"}),
        ("a review and conclusion", SIGNS, {"A REVIEW, AND CONCLUSION"}),
        ("1.1 the duck rabbit", SIGNS, {"1.1 The duck-rabbit"}),
        ("seeing as", SIGNS, {"1. Seeing-as"}),
        pytest.param("c++", SIGNS, set(), id="but signs alone tell short words apart"),
        pytest.param("Letter 3", SIGNS, set(), id="a date is no letter"),
        pytest.param("3", SIGNS, {"3 May 1911"}, id="but its number is in it"),
        ("章", MANUAL, {"第3章 海"}),
    ],
)
def test_a_text_means_the_headings_that_it_names_best(
    text: str, headings: tuple[str, ...], meant: set[str]
) -> None:
    assert headings_meant(text, headings) == meant


BOOKS = {
    "Republic": ("Book V: The Guardians", "Book VI: The Ship", "Book VIII: The Decline"),
    "Laws": ("Book V", "Book VII: Dances"),
    "Almanac": ("Book VIII of the tides", "V: Concerning the Way to Govern Cities Which Were Annexed"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("shelf")
    for title, headings in BOOKS.items():
        parts = "\n\n".join(f"# {heading}\n\nThe harbour lies still in {heading}." for heading in headings)
        (folder / f"{title}.md").write_text(f"---\ntitle: {title}\n---\n\n{parts}\n", encoding="utf-8")
    with alexandria.open(folder / "library") as opened:
        opened.ingest(folder, options={"model": "hashing"})
        yield opened


def test_a_chapter_is_the_same_wherever_it_is_asked_for(library: Library, tmp_path: Path) -> None:
    """The books are taken together: those without a Book V give no part of another number."""
    meant = {("Book V: The Guardians",), ("Book V",)}
    assert {hit.section for hit in library.search("harbour", chapter="book v", limit=50)} == meant
    assert {place.section for place in library.find("the harbour lies still", chapter="Book 5")} == meant
    assert {record.title for record in library.books(Filters(chapter="Book V"))} == {"Republic", "Laws"}
    library.export(tmp_path / "books.jsonl", filters=Filters(chapter="Book V"), vectors=False)
    lines = (tmp_path / "books.jsonl").read_text(encoding="utf-8").splitlines()
    assert {tuple(json.loads(line)["payload"]["section"]) for line in lines} == meant
    assert [chunk.section for chunk in library.read("republic", chapter="Book V")] == [BOOKS["Republic"][:1]]
    assert [chunk.section for chunk in library.read("republic", chapter="8")] == [BOOKS["Republic"][2:]]


def test_a_part_of_a_heading_still_finds_it(library: Library) -> None:
    assert {hit.section for hit in library.search("harbour", chapter="danc")} == {BOOKS["Laws"][1:]}


@pytest.mark.parametrize(
    ("chapter", "fix"),
    [
        ("nowhere", "alexandria show BOOK lists a book's chapters"),
        ("goverm", f"did you mean {BOOKS['Almanac'][1]}?"),
        ("The Guardian Book", "alexandria show BOOK"),
        ("Danses", "did you mean Book VII: Dances?"),
    ],
)
@pytest.mark.parametrize("ask", ["search", "find"])
def test_a_missing_chapter_is_an_error_with_a_near_heading_or_none(
    library: Library, ask: str, chapter: str, fix: str
) -> None:
    with pytest.raises(NoMatchError, match=f"no chapter is called '{chapter}'") as error:
        getattr(library, ask)("the harbour lies still", chapter=chapter)
    assert fix in error.value.fix


PLAY = ["Act I", "Act II", "Scene I", "Scene II", "Truth, Beauty: An Essay"]


def test_a_path_means_a_heading_of_each_level() -> None:
    cases: list[tuple[str, list[set[str]]]] = [
        ("Act II › Scene I", [{"Act II"}, {"Scene I"}]),  # as a place is printed
        ("Act II, Scene I", [{"Act II"}, {"Scene I"}]),  # as it is cited
        ("act 2 > scene 1", [{"Act II"}, {"Scene I"}]),
        ("Act 2 Scene I", [{"Act II"}, {"Scene I"}]),
        ("Act II scene one", [{"Act II"}, {"Scene I"}]),
        ("Act 5 Scene I", []),
        ("I.ii", [{"Act I"}, {"Scene II"}]),  # not of Act II, Scene I
        ("2.1", [{"Act II"}, {"Scene I"}]),
        ("II, i, 12–20", [{"Act II"}, {"Scene I"}]),
        ("Act 1.2", [{"Act I"}, {"Scene II"}]),
        ("5.1", []),
        ("1.5", []),
        ("Truth, Beauty", [{"Truth, Beauty: An Essay"}]),  # one heading
        ("Scene II", [{"Scene II"}]),
        ("Act II › Scene I, p. 51", [{"Act II"}, {"Scene I"}]),
        ("Scene II, pp. 51–52", [{"Scene II"}]),
        ("Scene II, page 3 of the file, in a note", [{"Scene II"}]),
        ("p. 51", []),
        ("Act IV › Scene I", []),
        ("Act II › Prologue", []),
    ]
    for text, levels in cases:
        assert levels_meant(text, iter(PLAY)) == levels


def test_a_section_is_under_one_heading_of_each_level() -> None:
    levels = [{"Act II", "Act IV"}, {"Scene I"}]
    assert is_under(("Act II", "Scene I"), levels)
    assert not is_under(("Act I", "Scene I"), levels)
    assert not is_under(("Act II", "Scene III"), levels)
    assert is_under((), [])


SONGS = ("Song of Myself", "Song of the Open Road", "1", "2", "11", "Chapter I", "Chapter II", "4")


def test_a_section_is_meant_by_its_number_after_the_heading_above_it() -> None:
    cases = ["Song of Myself 11", "Song of Myself. 11", "song of myself, section 11", "Song of Myself § 11"]
    for text in cases:
        assert levels_meant(text, SONGS) == [{"Song of Myself"}, {"11"}]


def test_a_number_after_other_words_is_no_section() -> None:
    for text in ["Song of Myself 12", "Song 2", "Chapter 5", "Chapter 44"]:
        assert levels_meant(text, SONGS) == []


LECTURES = (
    *("Lectures IV and V: Health", "Lectures XI, XII and XIII", "Lecture II", "Chapters 6–8"),
    "Aet. 43–58, 1512–27",
)


def test_a_heading_of_several_numbers_is_each_of_them() -> None:
    cases = [
        ("Lecture 5", "Lectures IV and V: Health"),
        ("Lecture V", "Lectures IV and V: Health"),
        ("lecture xii", "Lectures XI, XII and XIII"),
        ("Lectures 13", "Lectures XI, XII and XIII"),
        ("Chapter 7", "Chapters 6–8"),
        ("7", "Chapters 6–8"),
        ("Lecture 6", None),
        ("Chapter 9", None),
        ("27", None),
        ("50", None),
    ]
    for text, heading in cases:
        assert headings_meant(text, LECTURES) == ({heading} if heading else set())
