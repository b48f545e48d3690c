"""Project Gutenberg's licence is left out of every format by the same rules."""

from dataclasses import replace
from pathlib import Path

import pytest

from alexandria.book.model import BlockKind, Book, LeftOut, Metadata
from alexandria.book.people import divide
from alexandria.extract import extract
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, NoteMark, PageMark, bind
from alexandria.extract.gutenberg import without_licence

FIRST_LINE = "The Project Gutenberg eBook of Salt, by Ida Marlow"
HEADER = f"{FIRST_LINE}\n\nTitle: Salt\n\nAuthor: Ida Marlow\n\nLanguage: English"
START = "*** START OF THE PROJECT GUTENBERG EBOOK SALT ***"
END = "*** END OF THE PROJECT GUTENBERG EBOOK SALT ***"
FOOTER = "Updated editions will replace the previous one."


def draft(*texts: str) -> Draft:
    """One section of paragraphs, each on a page of its own, with a note at its end."""
    blocks = tuple(
        DraftBlock(
            BlockKind.PARAGRAPH, text, notes=(NoteMark(len(text), str(i)),), pages=(PageMark(0, i + 1),)
        )
        for i, text in enumerate(texts)
    )
    return Draft(Metadata(title="salt.qxd", language="en-GB"), (DraftSection((), 0, None, blocks),))


def texts(draft: Draft) -> list[str]:
    return [block.text for section in draft.sections for block in section.blocks]


def bound(draft: Draft) -> Book:
    return bind(draft, id="", source="", format="")


def test_licence_is_counted_and_its_header_says_whose_book_it_is() -> None:
    found = without_licence(draft(*HEADER.split("\n\n"), START, "Produced by Nobody", "Salt.", END, FOOTER))
    assert texts(found) == ["Salt."]
    assert (found.metadata.title, found.metadata.authors) == ("Salt", ("Ida Marlow",))
    assert found.metadata.language == "en-GB"  # the file's own is finer
    assert [(left.kind, left.words) for left in found.left_out] == [("licence", 28), ("licence", 16)]


def test_the_header_names_translators_that_the_file_does_not() -> None:
    header = [*HEADER.split("\n\n"), "Translator: Ruth Penhale and Ben Groom"]
    whole = draft(*header, START, "Salt.", END, FOOTER)
    assert without_licence(whole).metadata.translators == ("Ruth Penhale", "Ben Groom")
    stated = replace(whole, metadata=replace(whole.metadata, translators=("Ann Bee",)))
    assert without_licence(stated).metadata.translators == ("Ann Bee",)


@pytest.mark.parametrize(("name", "kept"), [("Ida Marlow", True), ("Chuck", False)])
def test_who_is_named_with_a_role_is_kept_if_the_header_names_the_same(name: str, *, kept: bool) -> None:
    whole = draft(*HEADER.split("\n\n"), START, "Salt.", END, FOOTER)
    stated = replace(whole.metadata, authors=(name,), people=(divide(name),))
    found = without_licence(replace(whole, metadata=stated)).metadata
    assert found.authors == ("Ida Marlow",)
    assert found.people == (stated.people if kept else ())


def test_every_book_of_several_put_together_is_read(tmp_path: Path) -> None:
    books = [
        [HEADER, START, "Produced by Nobody", f"{name} is a stone.", END, FOOTER]
        for name in ("Salt", "Flint")
    ]
    parts = [*books[0], *books[1]]
    n_words_of_text = 8
    n_words = len(" ".join(parts).split())
    separated = without_licence(draft(*parts))
    assert texts(separated) == ["Salt is a stone.", "Flint is a stone."]
    marks = [mark.key for section in separated.sections for block in section.blocks for mark in block.notes]
    assert marks == ["3", "9"]
    path = tmp_path / "salt.txt"
    path.write_text("\n\n".join(parts), encoding="utf-8")
    book = extract(path)
    assert book.text == "Salt is a stone.\n\nFlint is a stone."
    assert {left.kind for left in book.left_out} == {"licence"}
    assert sum(left.words for left in book.left_out) == n_words - n_words_of_text


def test_text_beside_a_marker_stays_with_its_notes_and_page() -> None:
    found = without_licence(draft(HEADER, f"{START}\nSalt is a stone.", f"It is eaten.\n{END}", FOOTER))
    assert texts(found) == ["Salt is a stone.", "It is eaten."]
    book = bound(found)
    assert [block.location.page for block in book.blocks] == [2, 3]
    marks = [[note.offset for note in block.notes] for block in found.sections[0].blocks]
    assert marks == [[len("Salt is a stone.")], []]


def test_a_page_that_begins_in_the_header_continues_after_it() -> None:
    whole = draft(HEADER, START, "Salt.")
    section = whole.sections[0]
    blocks = (*section.blocks[:2], replace(section.blocks[2], pages=()))
    found = without_licence(replace(whole, sections=(replace(section, blocks=blocks),)))
    assert [block.location.page for block in bound(found).blocks] == [2]


def test_a_draft_stays_as_it_is() -> None:
    cases = {
        "another book": draft("Salt.", "It is eaten."),
        "a book about it": draft("A history of Project Gutenberg", "It began in 1971."),
        "nothing but the licence": draft(HEADER, START, END),
    }
    for kept in cases.values():
        assert without_licence(kept) == kept


def test_html_loses_its_licence(tmp_path: Path) -> None:
    path = tmp_path / "salt.html"
    path.write_text(
        f"<html><body><section id='pg-header'><h2>{FIRST_LINE}</h2><p>Title: Salt</p>"
        f"<div>{START}</div></section><h1>Salt</h1><p>Salt is a stone.</p>"
        f"<section id='pg-footer'><div>{END}</div><p>{FOOTER}</p></section></body></html>"
    )
    book = extract(path)
    assert [block.text for block in book.blocks] == ["Salt", "Salt is a stone."]
    assert [left.kind for left in book.left_out] == ["licence", "licence"]


@pytest.mark.shared
def test_a_pdf_of_project_gutenberg_is_the_book_alone(shared_data: Path) -> None:
    book = extract(shared_data / "pdf" / "carroll-alice-pg.pdf")
    assert book.blocks[0].text == "ALICE'S ADVENTURES IN WONDERLAND"
    assert book.blocks[-1].text == "THE END"
    assert "Gutenberg" not in book.text
    assert (book.title, book.author) == ("Alice's Adventures in Wonderland", "Lewis Carroll")
    assert LeftOut("licence", "Project Gutenberg's footer", 2925) in book.left_out
