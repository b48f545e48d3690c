"""No message says that something is not there when it could not look."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from alexandria import Library
from alexandria.doors.mcp.tools import run_tool
from alexandria.errors import AlexandriaError, ConfigError, NoMatchError, StoreError
from alexandria.library.check.report import CheckedLibrary, CheckedQuotation, CheckReport, Verdict
from alexandria.library.read.stored import passages_of_page
from alexandria.library.search import unmatched
from alexandria.store.passage import Passage

BOOK = """# Chapter One. The Landing

The ferry crossed at noon, and nobody paid the toll.

# Chapter Two. Tables and Pictures

The quernstone was sold for nine shillings at the market of the old town.
"""
FRENCH = "Les chevaux du marchand passaient la rivière chaque matin, et le batelier les comptait.\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("denials")
    (folder / "salt.md").write_text(f"---\nauthor: Weiß, Käthe\nlang: en\n---\n\n{BOOK}")
    (folder / "marchand.md").write_text(f"---\nlang: fr\n---\n\n{FRENCH}")
    with Library(folder / "library") as opened:
        opened.ingest([folder / "salt.md", folder / "marchand.md"])
        yield opened


def test_an_author_is_found_however_the_file_writes_the_name(library: Library) -> None:
    assert {hit.author for hit in library.search("ferry", author="Käthe Weiß")} == {"Käthe Weiß"}


def test_a_list_of_authors_is_read_as_a_list_and_a_missing_one_is_said_to_be(tmp_path: Path) -> None:
    names = """["Harrow, J. R.", 'Annette von Droste zu Hülsdorf', Seán O'Brien]"""
    (tmp_path / "coast.md").write_text(f"---\nauthor: {names}\n---\n\n{BOOK}")
    (tmp_path / "letters.md").write_text(f"---\nauthor: Anonymous\n---\n\n# Letters\n\n{FRENCH}")
    with Library(tmp_path / "library") as opened:
        opened.ingest([tmp_path / "coast.md", tmp_path / "letters.md"], options={"model": "hashing"})
        assert opened.book("landing").author == "J. R. Harrow, Annette von Droste zu Hülsdorf, Seán O'Brien"
        with pytest.raises(NoMatchError, match="2 books, 1 of them with no known author"):
            opened.search("ferry", author="Anonymous")
        with pytest.raises(NoMatchError, match="did you mean Annette von Droste"):
            opened.search("ferry", author="Droste zu Huelsdorf")


@pytest.mark.model
def test_a_word_that_filters_leave_out_is_not_denied_nor_replaced_by_itself(library: Library) -> None:
    remarks = library.search("chevaux", language="en").remarks
    assert any(remark.startswith("No passage that the filters admit contains") for remark in remarks)
    assert not any("instead of" in remark for remark in remarks)


@pytest.mark.model
@pytest.mark.parametrize(("query", "named"), [("Динозавр", "Cyrillic"), ("ไดโนเสาร์", "Thai")])
def test_what_the_model_cannot_read_is_a_guess_and_not_strong(
    library: Library, query: str, named: str
) -> None:
    results = library.search(query, language="en")
    assert results.remarks[0].startswith(f"This model does not know {named}, so these passages are a guess.")
    assert results.verdict is None


def test_of_a_long_quotation_each_part_may_have_slips(library: Library) -> None:
    places = library.find("The wind fell and the mill stood still for a week. " * 40)
    assert places.summary.startswith("Not in the 2 books (")
    assert ", with up to 3 slips in each part, each within 400 letters" in places.summary


def test_what_stands_in_a_lost_chunk_is_not_denied(tmp_path: Path) -> None:
    (tmp_path / "salt.md").write_text(BOOK)
    with Library(f"local:{tmp_path / 'library'}") as library:
        library.ingest(tmp_path / "salt.md", options={"model": "hashing"})
        catalog = library._opened.for_writing()
        catalog.store.delete({"chunk_id": [1]})
        for read in (
            lambda: library.read("landing", chapter="Tables and Pictures"),
            lambda: library.read("landing", page=1),
            lambda: library.contents("landing"),
            lambda: library.chunks("landing"),
        ):
            with pytest.raises(StoreError, match="1 of its chunks is missing"):
                read()


POEMS = """# Poems

## The Weir

The heron stands at the weir, and counts the barges of the morning.

## A Live-Oak

It stood alone.
"""


def test_a_chapter_inside_a_passage_is_read_and_is_not_denied(tmp_path: Path) -> None:
    (tmp_path / "poems.md").write_text(POEMS)
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "poems.md", options={"model": "hashing"})
        assert library.book("poems").sections == ("Poems", "The Weir")
        [chunk] = library.read("poems", chapter="a live oak")
        assert chunk.text == "A Live-Oak\n\nIt stood alone."
        with pytest.raises(NoMatchError, match="is part of a passage of “Poems”") as error:
            library.search("alone", chapter="a live oak")
        assert error.value.fix.endswith("--chapter 'a live oak'")
        with pytest.raises(NoMatchError, match="no chapter is called 'elm'"):
            library.search("alone", chapter="elm")


ROAD = """---
title: The Road
---

# Book I

## Chapter 1: The Pans

Sea water stood in the pans until the sun had taken it

## Chapter 2: The Tax, and the Scales

The king's men weighed every sack, and the abbot weighed it again.

## 1.2 The duck-rabbit

What do I see when I see the herons?
"""


@pytest.mark.parametrize(
    ("typed", "begins"),
    [
        *(("The Tax", "Chapter 2"), ("chapter 2", "Chapter 2"), ("Chapter Two", "Chapter 2")),
        *(("book 1, chapter 2", "Chapter 2"), ("the tax and the scales", "Chapter 2")),
        *(("1.2", "1.2 The duck"), ("1.2 the duck rabbit", "1.2 The duck"), ("Book I", "Book I")),
    ],
)
def test_a_heading_inside_a_passage_is_meant_as_a_listed_one_is(
    tmp_path: Path, typed: str, begins: str
) -> None:
    (tmp_path / "road.md").write_text(ROAD)
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "road.md", options={"model": "hashing"})
        assert library.book("road").sections == ("Book I: Chapter 1: The Pans",)
        assert library.read("road", chapter=typed)[0].text.startswith(begins)
        with pytest.raises(ConfigError, match="has no chapter 'abbot'"):
            library.read("road", chapter="abbot")
        if begins != "Book I":
            with pytest.raises(NoMatchError, match="is part of a passage of"):
                library.search("sack", chapter=typed)


def test_of_many_chunks_those_with_the_letters_of_a_heading_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unmatched, "_MAX_READ", 0)
    (tmp_path / "road.md").write_text(ROAD)
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "road.md", options={"model": "hashing"})
        with pytest.raises(NoMatchError, match="is part of a passage of"):
            library.search("sack", chapter="the tax")
        with pytest.raises(NoMatchError, match="inside passages none is as typed"):
            library.search("sack", chapter="chapter two")


INN = """# The Inn

The inn-keeper counted 10,000 eggs.[^1] The moon stood over the harbour of the old town.
The U.S. Army camped in 3½ feet of snow.

[^1]: The hens of the abbess laid them in one summer.

# The Bridge

To be or not to be, said the miller. %s The undiscovered country lay beyond.
""" % ("The toll was paid, and nobody knew the ferryman. " * 12)


@pytest.fixture(scope="module")
def inn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("inn")
    (folder / "inn.md").write_text(INN)
    with Library(folder / "library") as opened:
        opened.ingest(folder / "inn.md", options={"model": "hashing"})
        yield opened


@pytest.mark.parametrize(
    ("word", "written"),
    [
        *(("innkeeper", "as “inn-keeper”"), ("10000", "as “10,000”"), ("abbess", "in notes")),
        *(("keepercounted", "as “keeper counted”"), ("US", "as “U.S”"), ("keen", ""), ("usa", "")),
    ],
)
def test_a_word_in_notes_or_with_other_spaces_or_signs_is_not_denied(
    inn: Library, word: str, written: str
) -> None:
    remarks = inn.search(word, exact=True).remarks
    assert any(remark.startswith("No passage contains") for remark in remarks) != bool(written)
    said = f"The books have “{word}” {written}: put it in quotes."
    assert (said in remarks) == bool(written)


def test_a_word_inside_longer_words_is_said_to_be_there(inn: Library) -> None:
    for word in ("keep", "3"):
        assert inn.search(word, exact=True).remarks[-1:] == (
            f"No passage contains “{word}” by itself; longer words have it.",
        )


@pytest.fixture(scope="module")
def tongues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("tongues")
    texts = {
        "en": "The king made war, and no man was free of it.",
        "de": "Der Hund schlief im Garten.",
        "ko": "우리는 감자를 구워 먹었다.",
        "he": "הילדים רצו אל הבית שעל הגבעה.",
        "fa": "او نامه‌ای نوشت و به خانه‌ی همسایه برد.",
        "hi": "लड़का किताबें पढ़ता था।",
    }
    for language, text in texts.items():
        (folder / f"{language}.md").write_text(f"---\nlang: {language}\n---\n\n# {language}\n\n{text}\n")
    with Library(folder / "library") as opened:
        opened.ingest([*folder.glob("*.md")], options={"model": "hashing"})
        yield opened


@pytest.mark.parametrize("query", ["man and war", "is man free", "the man was in war"])
def test_a_stop_word_of_a_searched_language_is_not_denied(tongues: Library, query: str) -> None:
    results = tongues.search(query)
    assert not any(remark.startswith("No passage contains") for remark in results.remarks)
    assert results.hits[0].title == "en"


def test_words_that_the_index_leaves_out_are_not_denied_with_the_others(tongues: Library) -> None:
    [remark] = (one for one in tongues.search("the vaccination").remarks if one.startswith("No passage"))
    assert remark.startswith("No passage contains “vaccination”;")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        *(("감자", "with endings"), ("בית", "by itself; longer words have it")),
        *(("خانه", "by itself; longer words have it"), ("किताब", "by itself; longer words have it")),
    ],
)
def test_a_word_that_no_rule_inflects_is_not_denied(tongues: Library, word: str, said: str) -> None:
    remarks = tongues.search(word).remarks
    assert not any(remark.startswith("No passage") for remark in remarks if "by itself" not in remark)
    assert any(said in remark for remark in remarks)


def test_quoted_words_that_are_not_together_are_not_denied_one_by_one(inn: Library) -> None:
    assert (
        "No passage contains the quoted words; find allows for slips." in inn.search('"to be paid"').remarks
    )
    [remark, *_] = inn.search('"moon stood over" "not to be, said"').remarks
    assert remark == "No passage contains all of the quoted words together; find allows for slips."


def test_what_ends_inside_a_word_is_not_word_for_word(inn: Library) -> None:
    [place] = inn.find("the moon stood over the har")
    assert (place.near, place.differences, place.words) == (
        True,
        ("ends inside a word",),
        "The moon stood over the harbour",
    )
    assert place.nearness < 0.9


def test_words_of_a_note_are_said_to_be_in_a_note(inn: Library) -> None:
    [place] = inn.find("the hens of the abbess")
    assert place.place == "The Inn, in a note"
    assert inn.find("the moon stood over the harbour")[0].place == "The Inn"


def test_how_far_parts_may_be_apart_is_said(inn: Library) -> None:
    summary = inn.find("To be or not to be … The undiscovered country lay").summary
    assert (
        "each within 400 letters after the one before; all parts stand in “The Inn”, but further" in summary
    )
    assert "all parts" not in inn.find("To be or not to be … The undiscovered abbot lay").summary


def test_a_page_is_denied_with_what_was_not_read_and_never_another(inn: Library) -> None:
    pages = "0 1 \n4 2 4\n8 3 5"
    payload = {"text": "one two six", "start": 0, "end": 11, "page_starts": pages, "verse_starts": None}
    book = [Passage(id="1", payload={**payload, "page_label": None, "page_start": 1, "page_end": 3})]
    record = replace(inn.books()[0], warnings=("pages 4-6 not read: no text layer",))
    assert [passages_of_page(book, page, record)[0].text for page in ("1", "4", "p. 5")] == [
        "one",
        "two",
        "six",
    ]
    for typed, text in {
        "pp. 4–5": "two six",
        "page 2 of the file": "two",
        "pages 1-2 of the file": "one two",
    }.items():
        assert passages_of_page(book, typed, record)[0].text == text
    with pytest.raises(ConfigError, match="no page 5-4 among"):
        passages_of_page(book, "pp. 5-4", record)
    with pytest.raises(ConfigError, match="no page 2 among those that were read") as error:
        passages_of_page(book, "2", record)
    assert error.value.why == (
        "these are 4 to 5 and 1 of the file; of the file, pages 4-6 not read: no text layer;"
        " contents, index and other matter left out apart"
    )
    assert error.value.fix == "page 2 of the file is --page 4"


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        ("vii 1 2 4", "these are vii, 1 to 2 and 4"),
        ("i ii iii 5 6", "these are i to iii and 5 to 6"),
        ("1 3 5 7 9 11", "these are 1, 3, 5, 7 and others up to 11"),
    ],
)
def test_pages_with_gaps_are_not_called_a_range(inn: Library, labels: str, named: str) -> None:
    starts = "\n".join(f"{4 * i} {i + 1} {label}" for i, label in enumerate(labels.split()))
    payload = {"text": "word " * 9, "start": 0, "end": 45, "page_starts": starts, "verse_starts": None}
    book = [Passage(id="1", payload={**payload, "page_label": None, "page_start": 1, "page_end": 6})]
    with pytest.raises(ConfigError, match="no page 99") as error:
        passages_of_page(book, "99", inn.books()[0])
    assert str(error.value.why).startswith(f"{named};")


def test_denials_of_a_chapter_and_a_page_name_what_was_not_read(tmp_path: Path) -> None:
    (tmp_path / "salt.md").write_text(BOOK)
    with Library(f"local:{tmp_path / 'library'}") as library:
        library.ingest(tmp_path / "salt.md", options={"model": "hashing"})
        catalog = library._opened.for_writing()
        catalog.update(replace(catalog.find("landing"), warnings=("c2.xhtml was not read",)))
        for deny in (
            lambda: library.read("landing", chapter="The Herons"),
            lambda: library.read("landing", page=9),
            lambda: library.search("ferry", chapter="The Herons"),
            lambda: library.find("the ferry crossed at noon", chapter="The Herons"),
        ):
            with pytest.raises(AlexandriaError, match=r"c2\.xhtml was not read"):
                deny()
        reply = run_tool(library, "contents", {"book": "landing"})
        assert reply.text.partition("\n")[0].endswith("; c2.xhtml was not read")
        assert reply.data["warnings"] == ["c2.xhtml was not read"]


def test_a_check_says_which_books_were_not_looked_at() -> None:
    library = CheckedLibrary(n_books=2, n_words=9, not_looked_at=("Draft",))
    item = CheckedQuotation(
        file="a.md", ordinal=1, start=0, end=9, text="the hens", where="line 1", verdict=Verdict.NOT_FOUND
    )
    report = CheckReport(library=library, items=(item,))
    assert str(report) == "1 quotation: 1 not in your books; not looked at, or read with warnings: “Draft”"


def test_the_place_that_is_printed_can_be_typed_as_a_chapter(tmp_path: Path) -> None:
    scene = "The ferryman of act {} tells scene {} how the herons came over the marsh in a flood. "
    (tmp_path / "play.md").write_text(
        "# The Ferry\n\n"
        + "".join(
            f"## Act {act}\n\n" + "".join(f"### Scene {n}\n\n{scene.format(act, n) * 6}\n\n" for n in "12")
            for act in ("I", "II")
        )
    )
    with Library(tmp_path / "library") as opened:
        opened.ingest(tmp_path / "play.md", options={"model": "hashing", "min_words": 30, "max_words": 120})
        chapter = "Act II › Scene 1"
        for typed in (chapter, "act 2, scene 1"):
            hits = opened.search("herons over the marsh", chapter=typed).hits
            assert hits
            assert {hit.section[-2:] for hit in hits} == {("Act II", "Scene 1")}
        found = opened.find("tells scene 1 how the herons came over the marsh", chapter=chapter)
        assert {place.section[-2:] for place in found} == {("Act II", "Scene 1")}
        with pytest.raises(NoMatchError, match="no chapter is called 'Act III › Scene 1'"):
            opened.search("herons", chapter="Act III › Scene 1")


@pytest.mark.parametrize("sign", ["'", "’", "ʼ"])
def test_every_apostrophe_is_the_same(sign: str, tmp_path: Path) -> None:
    (tmp_path / "uk.md").write_text(
        "---\nlang: uk\n---\n\nНа столі лежало п’ять груш, а під столом спав кіт.\n"
    )
    with Library(tmp_path / "library") as library:
        library.ingest(tmp_path / "uk.md", options={"model": "hashing"})
        results = library.search(f"п{sign}ять")
        assert len(results) == 1
        assert not [remark for remark in results.remarks if "п" in remark]
