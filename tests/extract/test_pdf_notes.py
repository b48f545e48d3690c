"""Notes of PDFs: which small type is a note, and where it is cited."""

from pathlib import Path

import pytest

from tests.extract.typeset import LONG, foot, read, texts, typeset, with_mark


@pytest.mark.parametrize(("mark", "label"), [("1", "1. "), ("12", "12 "), ("*", "* "), ("†", "† ")])
def test_a_foot_note_leaves_the_text_and_keeps_its_place(tmp_path: Path, mark: str, label: str) -> None:
    pages = typeset(LONG, depth=25)
    cited = pages[1][7][3]
    pages[1] = foot(with_mark(pages[1], 5, mark), f"{label}See the first edition, which is", "better.")
    book = read(tmp_path, pages)
    assert texts(book) == LONG
    (note,) = book.notes
    assert (note.label, note.text) == (mark, "See the first edition, which is better.")
    assert note.cited_at is not None
    assert book.text[: note.cited_at].endswith(cited.split()[-1])


def test_a_note_goes_on_at_the_foot_of_the_next_page(tmp_path: Path) -> None:
    pages = typeset(LONG, depth=25)
    pages[0] = foot(with_mark(pages[0], 3, "1"), "1. A note that is too long for its page and")
    pages[1] = foot(pages[1], "ends on the next.")
    book = read(tmp_path, pages)
    assert [note.text for note in book.notes] == [
        "A note that is too long for its page and ends on the next."
    ]
    assert texts(book) == LONG


def test_small_type_that_nothing_cites_stays_in_the_text(tmp_path: Path) -> None:
    pages = typeset(LONG, depth=25)
    pages[1] = foot(pages[1], "1. Not a note: no mark names it.")
    book = read(tmp_path, pages)
    assert not book.notes
    assert "1. Not a note: no mark names it." in book.text


def test_an_exponent_stays_in_the_text(tmp_path: Path) -> None:
    pages = typeset(LONG)
    pages[0] = with_mark(pages[0], 2, "2")
    assert f"{pages[0][4][3].split()[-1]}2" in read(tmp_path, pages).text
