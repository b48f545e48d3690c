"""Numbers of printed pages in the text are pages; what only looks like them stays."""

from pathlib import Path

import pytest

from alexandria.book.model import Book
from alexandria.extract import extract
from tests.pairs import by_pairs

LAMP = "The keeper lit the lamp before the tide turned,"
BOATS = "and the boats came home in a long line."
MANY = " ".join(["In spring the fishermen painted their doors blue."] * 20)


def read(folder: Path, name: str, *paragraphs: str) -> Book:
    path = folder / name
    if name.endswith(".txt"):
        path.write_text("\n\n".join(("THE LAMP", *paragraphs)), encoding="utf-8")
    else:
        path.write_text("<h1>The Lamp</h1>" + "".join(f"<p>{p}</p>" for p in paragraphs), encoding="utf-8")
    return extract(path)


MARKS = [("{%d}", BOATS), ("[Pg %d]", BOATS), ("[page %d]", BOATS), ("[S. %d]", BOATS), ("[%d]", MANY)]


@by_pairs(("name", ["a.txt", "a.html"]), ("mark, between", MARKS))
def test_a_number_of_a_page_in_the_text_is_a_page(tmp_path: Path, name: str, mark: str, between: str) -> None:
    book = read(tmp_path, name, *(f"{LAMP} {mark % n} {between}" for n in range(11, 15)), BOATS)
    assert {block.text for block in book.blocks[1:-1]} == {f"{LAMP} {between}"}
    assert [(page.label, book.text[page.start : page.start + 3]) for page in book.page_starts] == [
        (str(n), between[:3]) for n in range(11, 15)
    ]
    assert [block.location.page_label for block in book.blocks] == [None, None, "11", "12", "13", "14"]
    assert [(left.kind, left.words) for left in book.left_out] == [("page_number", 4)]


@pytest.mark.parametrize("name", ["a.txt", "a.html"])
def test_a_number_of_a_page_may_have_its_line_to_itself(tmp_path: Path, name: str) -> None:
    lines = [part for n in (11, 12, 13) for part in (f"{{{n}}}", f"{LAMP} {BOATS}")]
    book = read(tmp_path, name, *lines)
    assert [block.location.page_label for block in book.blocks[1:]] == ["11", "12", "13"]


OTHERS = {
    "references": [f"{LAMP} [{n}] {BOATS}" for n in (3, 1, 2, 3)],
    "references that count up": [f"{LAMP} [{n}] {BOATS}" for n in (11, 12, 13)],
    "marks of missing notes": [f"{LAMP} {{{n}}} {BOATS}" for n in (1, 2, 3)],
    "years": [f"{LAMP} {{{n}}} {BOATS}" for n in (1850, 1862, 1871)],
    "two": [f"{LAMP} {{{n}}} {BOATS}" for n in (11, 12)],
}


def test_other_numbers_in_brackets_stay(tmp_path: Path) -> None:
    for paragraphs in OTHERS.values():
        book = read(tmp_path, "a.html", *paragraphs)
        assert [block.text for block in book.blocks[1:]] == paragraphs
        assert not book.page_starts
