"""Captions and listings: set apart from the paragraphs around them, and kept as they are printed."""

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import BlockKind, Book
from alexandria.extract import extract
from tests.extract.typeset import (
    FONT,
    HEIGHT,
    LEADING,
    LEFT,
    LONG,
    MEASURE,
    SIZE,
    TOP,
    WIDTH,
    Drawn,
    break_lines,
    read,
)
from tests.pairs import by_pairs

CAPTION = "Figure 2.1: The tower of Kelso, seen from the ford."


def pages_with_caption(at: int, words: str, rows: tuple[str, ...] = ()) -> list[list[Drawn]]:
    """Return pages of 20 lines, with a caption and rows of a table in small type before line `at`."""
    lines = [line for paragraph in LONG[:10] for line in break_lines(paragraph, MEASURE)]
    pages: list[list[Drawn]] = []
    for start in range(0, len(lines), 20):
        page: list[Drawn] = [(WIDTH / 2, 30, 8, str(len(pages) + 1))]
        y = TOP
        for i, (indent, text) in enumerate(lines[start : start + 20], start):
            if i == at:
                for small in (words, *rows):
                    y -= 12
                    page.append((LEFT + 10, y, 8, small))
                y -= 24
            page.append((LEFT + indent, y, SIZE, text))
            y -= LEADING
        pages.append(page)
    return pages


def test_the_paragraph_around_a_figure_with_words_is_whole(tmp_path: Path) -> None:
    for at in [23, 27, 33]:
        words = ("Keeper", "Ford of Kelso", "North")
        book = read(tmp_path, pages_with_caption(at, words[0], (*words[1:], CAPTION)))
        assert [block.text for block in book.blocks if len(block.text) > 100] == LONG[:10]
        assert [block.text for block in book.blocks if block.kind is BlockKind.CAPTION] == [CAPTION]
        assert all(word in book.text for word in words)


def test_text_in_small_type_above_a_caption_is_text(tmp_path: Path) -> None:
    small = "The letter, which the keeper wrote in the year of the flood, goes on beside the tower."
    book = read(tmp_path, pages_with_caption(27, small, (small, CAPTION)))
    assert book.text.index(small) < book.text.index(LONG[9])
    assert [block.text for block in book.blocks if block.kind is BlockKind.CAPTION] == [CAPTION]


@by_pairs(
    ("at", [20, 27, 33]),
    ("words", [CAPTION, "Table 3. Boats and lamps", "Fig. 4. The tower", "Abb. 5: Der Turm"]),
)
def test_the_paragraph_around_a_caption_is_whole(tmp_path: Path, at: int, words: str) -> None:
    rows = ("Port Boats", "Wick 12", "Perth 40") if words.startswith("Table") else ()
    book = read(tmp_path, pages_with_caption(at, words, rows))
    assert [block.text for block in book.blocks if len(block.text) > 100] == LONG[:10]
    assert [block.text for block in book.blocks if block.kind is BlockKind.CAPTION] == [words]
    assert all(row in book.text for row in rows)


def test_a_sentence_that_begins_with_a_figure_is_text(tmp_path: Path) -> None:
    text = f"Figure 3 shows what the keeper saw. {LONG[0]}"
    page = [
        (LEFT + indent, TOP - LEADING * i, SIZE, line)
        for i, (indent, line) in enumerate(break_lines(text, MEASURE))
    ]
    assert [block.kind for block in read(tmp_path, [page]).blocks] == [BlockKind.PARAGRAPH]


def typed(path: Path, lines: list[str], *, prose: list[str], size: float = 9) -> Book:
    """Write and read a page with lines in Courier between paragraphs."""
    canvas = Canvas(str(path))
    y = HEIGHT
    for part, font in ((prose[:1], FONT), (lines, "Courier"), (prose[1:], FONT)):
        y -= 10
        for text in part:
            for indent, line in break_lines(text, MEASURE) if font == FONT else [(0.0, text)]:
                canvas.setFont(font, SIZE if font == FONT else size)
                n_spaces = len(line) - len(line.lstrip())
                canvas.drawString(LEFT + indent + 0.6 * size * n_spaces, y, line.lstrip())
                y -= 12
    canvas.save()
    return extract(path)


CODE = ["def light(lamp):", "    if lamp.oil > 0:", "        lamp.burn()", "    return lamp"]


@pytest.mark.parametrize("size", [9, 10])
def test_a_listing_is_one_block_with_its_indents(tmp_path: Path, size: float) -> None:
    book = typed(tmp_path / "manual.pdf", CODE, prose=LONG[:2], size=size)
    assert [(block.kind, block.text) for block in book.blocks] == [
        (BlockKind.PARAGRAPH, LONG[0]),
        (BlockKind.CODE, "\n".join(CODE)),
        (BlockKind.PARAGRAPH, LONG[1]),
    ]


def test_typed_prose_is_no_listing(tmp_path: Path) -> None:
    letter = [
        "The keeper wrote that the lamp was out",
        "of oil, and that nobody had come since",
        "the first days of a long winter.",
    ]
    book = typed(tmp_path / "letter.pdf", letter, prose=LONG[:2])
    assert BlockKind.CODE not in {block.kind for block in book.blocks}


def test_a_typescript_has_no_listings(tmp_path: Path) -> None:
    book = typed(tmp_path / "typescript.pdf", [*CODE, "(see the lamp);"] * 3, prose=[])
    assert BlockKind.CODE not in {block.kind for block in book.blocks}
