"""Scans with a text layer: hidden words in sizes of any kind are read as print has them."""

import random
from collections.abc import Sequence
from io import BytesIO
from itertools import zip_longest
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import RectangleObject
from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import Book
from alexandria.extract import ReadOptions, extract
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
    break_lines,
    texts,
)

Row = tuple[float, float, float, str]
"""x, y, the width of the line as printed, text."""


def page_rows(paragraphs: Sequence[str], measure: float, x: float = LEFT, top: float = TOP) -> list[Row]:
    """Return the rows of paragraphs in one column, justified but for the last line of each."""
    rows: list[Row] = []
    for paragraph in paragraphs:
        lines = break_lines(paragraph, measure)
        for i, (indent, text) in enumerate(lines):
            width = measure - indent if i + 1 < len(lines) else stringWidth(text, FONT, SIZE)
            rows.append((x + indent, top - LEADING * len(rows), width, text))
    return rows


def write_layer(
    path: Path,
    pages: Sequence[Sequence[Row]],
    *,
    mode: int = 3,
    picture_last: bool = False,
    size: tuple[float, float] = (WIDTH, HEIGHT),
    noise: float = 0.1,
    stamp: Sequence[Row] = (),
) -> Book:
    """Write and read a file whose words lie over or under the picture of their page, in noisy sizes.

    The words of a stamp are drawn last.
    """
    dice = random.Random(7)
    picture = BytesIO()
    Image.new("L", (40, 60), 255).save(picture, "PNG")
    canvas = Canvas(str(path), pagesize=size)
    for rows in pages:
        if not picture_last:
            canvas.drawImage(ImageReader(picture), 0, 0, *size)
        for x, y, width, text in rows:
            at = SIZE * dice.uniform(1 - noise, 1 + noise)
            words = canvas.beginText(x, y + 6 * dice.uniform(-noise, noise))
            words.setTextRenderMode(mode)
            words.setFont(FONT, at)
            if noise:
                words.setHorizScale(100 * width / stringWidth(text, FONT, at))
            words.textOut(text)
            canvas.drawText(words)
        if picture_last:
            canvas.drawImage(ImageReader(picture), 0, 0, *size)
        canvas.setFont(FONT, SIZE / 2)
        for x, y, _, text in stamp:
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return extract(path, ReadOptions(ocr="off"))


def test_paragraphs_of_a_text_layer_are_whole(tmp_path: Path) -> None:
    cases = [(3, False), (3, True), (0, True)]
    for mode, picture_last in cases:
        pages = [page_rows(LONG[i : i + 3], MEASURE) for i in range(0, 12, 3)]
        book = write_layer(tmp_path / "scan.pdf", pages, mode=mode, picture_last=picture_last)
        assert texts(book) == LONG[:12]
        assert {block.text_layer for block in book.blocks} == {True}
        assert {block.ocr_confidence for block in book.blocks} == {None}


def test_text_over_a_picture_is_no_layer(tmp_path: Path) -> None:
    book = write_layer(tmp_path / "poster.pdf", [page_rows(LONG[:2], MEASURE)], mode=0, noise=0)
    assert {block.text_layer for block in book.blocks} == {False}


def test_a_row_of_a_layer_that_runs_across_two_columns_is_cut(tmp_path: Path) -> None:
    measure, gutter = (MEASURE - 14) / 2, 14
    left, right = page_rows(LONG[:3], measure), page_rows(LONG[3:6], measure, LEFT + measure + gutter)
    book = write_layer(
        tmp_path / "scan.pdf", [[row for pair in zip(left, right, strict=False) for row in pair]]
    )
    assert LONG[0] in texts(book)
    assert LONG[3] in texts(book)


def test_the_notes_of_a_layer_are_notes(tmp_path: Path) -> None:
    pages = []
    for i in range(4):
        rows = page_rows([f"{LONG[2 * i]}{2 * i + 1}", f"{LONG[2 * i + 1]}{2 * i + 2}"], MEASURE)
        y = rows[-1][1] - 60
        for k in (1, 2):
            note = f"{2 * i + k} See the register of the year {1700 + 2 * i + k}, at its end."
            rows.append((LEFT, y - 9 * k, stringWidth(note, FONT, 7.5), note))
        pages.append(rows)
    book = write_layer(tmp_path / "scan.pdf", pages)
    assert [note.label for note in book.notes] == [str(n) for n in range(1, 9)]
    assert all(note.cited_at is not None for note in book.notes)


@pytest.mark.parametrize("mode", [0, 3])
def test_two_printed_pages_on_one_are_read_one_after_the_other(tmp_path: Path, mode: int) -> None:
    size = (2 * WIDTH, HEIGHT)
    pages = []
    for i in range(4):
        rows: list[Row] = []
        for half in (0, 1):
            number = 40 + 2 * i + half
            head = f"{number} THE SALT ROAD" if half == 0 else f"A Chapter on Clay {number}"
            x = LEFT + half * WIDTH
            rows.append((x, HEIGHT - 40, stringWidth(head, FONT, SIZE), head))
            rows += page_rows(LONG[4 * i + 2 * half : 4 * i + 2 * half + 2], MEASURE, x)
        pages.append(rows)
    book = write_layer(
        tmp_path / "spreads.pdf", pages, mode=mode, picture_last=mode == 3, size=size, noise=mode / 30
    )
    assert texts(book) == LONG[:16]
    assert [(b.location.page, b.location.page_label) for b in book.blocks[::2]] == [
        (1 + i // 2, str(40 + i)) for i in range(8)
    ]
    assert book.n_pages == 4


def test_a_wide_page_in_two_columns_is_one_page(tmp_path: Path) -> None:
    size = (2 * WIDTH, HEIGHT)
    pages = [
        [
            *page_rows(LONG[4 * i : 4 * i + 2], MEASURE),
            *page_rows(LONG[4 * i + 2 : 4 * i + 4], MEASURE, LEFT + WIDTH),
        ]
        for i in range(4)
    ]
    book = write_layer(tmp_path / "wide.pdf", pages, size=size)
    assert texts(book) == LONG[:16]
    assert {b.location.page_label for b in book.blocks} == {None}


def test_the_words_of_a_line_in_a_font_wider_than_the_page_are_text(tmp_path: Path) -> None:
    wide = [(x, y, 1.5 * width, text) for x, y, width, text in page_rows(LONG[:3], MEASURE)]
    outside = (WIDTH + 30, TOP, 120, "proof of the printer")
    book = write_layer(tmp_path / "scan.pdf", [[*wide, outside]])
    assert texts(book) == LONG[:3]
    assert [(entry.kind, entry.words) for entry in book.left_out] == [("hidden", 4)]


def test_the_other_half_of_a_spread_is_no_part_of_the_lines_of_a_cropped_layer(tmp_path: Path) -> None:
    halves = [page_rows(LONG[3 * i : 3 * i + 3], MEASURE, LEFT + i * WIDTH) for i in (0, 1)]
    rows = [row for pair in zip(*halves, strict=False) for row in pair]
    write_layer(tmp_path / "spread.pdf", [rows], size=(2 * WIDTH, HEIGHT), noise=0.02)
    for left, expected in ((0, LONG[:3]), (WIDTH, LONG[3:6])):
        writer = PdfWriter(clone_from=tmp_path / "spread.pdf")
        writer.pages[0].cropbox = RectangleObject((left, 0, left + WIDTH, HEIGHT))
        writer.write(tmp_path / "half.pdf")
        assert texts(extract(tmp_path / "half.pdf", ReadOptions(ocr="off"))) == expected


@pytest.mark.parametrize("share", [1.1, 1.35])
def test_a_line_of_a_column_in_a_wider_font_is_not_across(tmp_path: Path, share: float) -> None:
    measure, gutter = (MEASURE - 14) / 2, 14
    left, right = page_rows(LONG[:3], measure), page_rows(LONG[3:5], measure, LEFT + measure + gutter)
    below = len(right) + 2  # beside which there is nothing
    left[below] = (*left[below][:2], share * measure, left[below][3])
    book = write_layer(tmp_path / "scan.pdf", [[*left, *right]], noise=0.02)
    assert texts(book) == LONG[:5]


def test_words_under_a_picture_are_a_layer_though_a_stamp_is_drawn_over_it(tmp_path: Path) -> None:
    stamp = [(LEFT + 150 * (i > 1), 20 + 9 * (i % 2), 0.0, f"Published by an archive {i}") for i in range(3)]
    pages = [page_rows(LONG[i : i + 3], MEASURE) for i in range(0, 9, 3)]
    book = write_layer(tmp_path / "scan.pdf", pages, mode=0, picture_last=True, stamp=stamp)
    assert texts(book) == LONG[:9]
    assert {block.text_layer for block in book.blocks} == {True}


def test_a_column_whose_lines_begin_at_slightly_other_places_is_a_column(tmp_path: Path) -> None:
    measure, gutter = (MEASURE - 14) / 2, 14
    left, right = page_rows(LONG[:3], measure), page_rows(LONG[3:4], measure, LEFT + measure + gutter)
    right = [(x - 3 + i % 7, y - 3, width, text) for i, (x, y, width, text) in enumerate(right)]
    rows = [row for pair in zip_longest(left, right) for row in pair if row]
    book = write_layer(tmp_path / "scan.pdf", [rows], noise=0)
    assert texts(book)[:3] == LONG[:3]
