"""Running heads: what looks like one at its place, but is text, stays."""

from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.constants import PageLabelStyle

from alexandria.book.model import Book
from alexandria.extract import extract
from tests.extract.typeset import (
    HEIGHT,
    LEADING,
    LEFT,
    LONG,
    SIZE,
    TOP,
    WIDTH,
    Drawn,
    read,
    texts,
    typeset,
    write,
)


def heads_left_out(book: Book) -> list[str]:
    return [line.text for line in book.left_out_lines if line.kind == "running_head"]


def test_numbers_at_the_height_of_the_last_line_take_no_line_with_them(tmp_path: Path) -> None:
    pages = typeset(LONG, depth=24)
    last = TOP - 23 * LEADING
    for number, page in enumerate(pages, 1):  # the first pages of four chapters have their number there
        if number % 3 == 1:
            page[:] = [drawn for drawn in page if drawn[1] > last]
            page.append((WIDTH / 2, last, SIZE, str(number)))
    kept = [text for page in pages for _, _, size, text in page if size == SIZE and len(text) > 3]
    book = read(tmp_path, pages)
    whole = " ".join(texts(book))
    assert [text for text in kept if text not in whole] == []
    assert set(heads_left_out(book)) == {"A Book of Trials"}


def test_a_repeated_word_at_the_top_of_the_text_is_text(tmp_path: Path) -> None:
    pages = typeset(LONG, depth=12)
    top = max(drawn[1] for drawn in pages[0] if drawn[2] == SIZE)
    for page in pages[::3]:
        page[:] = [drawn for drawn in page if drawn[1] < top or drawn[2] != SIZE]
        page.append((LEFT, top, SIZE, "Answer"))
    assert " ".join(texts(read(tmp_path, pages))).count("Answer") == len(pages[::3]) >= 3


@pytest.mark.parametrize("is_lone", [True, False])
def test_heads_with_many_words_of_their_own_are_kept_with_a_warning(tmp_path: Path, is_lone: bool) -> None:
    """A recipe's first line in small type may be at the place of heads: nothing else has its words."""
    pages: list[list[Drawn]] = typeset(LONG, depth=8)
    words = ["abcdefghijklmnopqrstuvwxyz"[i % 26] * 2 + "lorem"[j % 5] for i in range(30) for j in range(5)]
    for i, page in enumerate(pages):
        page[0] = (
            LEFT,
            HEIGHT - 40,
            8,
            f"{' '.join(words[5 * i : 5 * i + 5]) if is_lone else 'Salt'} {i + 1}",
        )
    book = read(tmp_path, pages)
    assert any("lines like running heads were left in" in warning for warning in book.warnings) is is_lone
    assert bool(heads_left_out(book)) is not is_lone


@pytest.mark.parametrize(("every", "is_head"), [(1, True), (2, True), (4, False)])
def test_a_line_repeated_below_the_heads_is_one_if_it_is_on_many_pages(
    tmp_path: Path, every: int, is_head: bool
) -> None:
    line = "Each of the carriers does as follows"
    pages = typeset([*LONG, *LONG[:12]], depth=20)[:12]
    for i, page in enumerate(pages):
        page[0] = (LEFT, HEIGHT - 30, 8, f"A Book of Trials {i + 1}")
        if i % every == 0:
            page.insert(1, (LEFT, HEIGHT - 50, 8, line))
    book = read(tmp_path, pages)
    assert (line in heads_left_out(book)) is is_head
    assert (line in book.text) is not is_head
    assert "A Book of Trials" not in book.text


@pytest.mark.parametrize(("every", "is_head"), [(1, True), (3, False)])
def test_a_third_row_of_heads_is_on_as_many_pages_as_the_others(
    tmp_path: Path, every: int, is_head: bool
) -> None:
    pages = typeset([*LONG, *LONG[:12]], depth=20)[:12]
    for i, page in enumerate(pages):
        rows = ["Ida Weir", f"A Book of Trials {i + 1}", *(["Tutorial"] if i % every == 0 else [])]
        page[:1] = [(WIDTH - 120, HEIGHT - 22 - 11 * j, 8, row) for j, row in enumerate(rows)]
    book = read(tmp_path, pages)
    assert ("Tutorial" in heads_left_out(book)) is is_head
    assert ("Tutorial" in book.text) is not is_head
    assert "Ida Weir" not in book.text


@pytest.mark.parametrize(("title", "is_heading"), [("image 2", False), ("Of Salt", True)])
def test_the_label_of_a_page_is_no_heading(tmp_path: Path, title: str, is_heading: bool) -> None:
    path = write(tmp_path / "labels.pdf", typeset(LONG, depth=20), [("image 1", 0, 0), (title, 0, 1)])
    writer = PdfWriter(clone_from=path)
    writer.set_page_label(0, len(writer.pages) - 1, PageLabelStyle.DECIMAL, prefix="image ")
    writer.write(path)
    assert (
        title in [section.headings[-1] for section in extract(path).sections if section.headings]
    ) is is_heading
