"""Breaks of the author in a PDF: ornaments and wide gaps."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from alexandria.book.model import BlockKind, Book
from tests.extract.typeset import (
    HEIGHT,
    LEADING,
    LEFT,
    LONG,
    MEASURE,
    SIZE,
    TOP,
    Drawn,
    break_lines,
    read,
    texts,
    typeset,
)

BOTTOM = 60


def pages_with(
    *, gaps: Mapping[int, float] | None = None, ornaments: Mapping[int, str] | None = None, spacing: float = 0
) -> list[list[Drawn]]:
    """Set `LONG`; before some paragraphs with a gap in points, or an ornament on a line of its own."""
    pages: list[list[Drawn]] = [[]]
    y = float(TOP)
    for i, paragraph in enumerate(LONG):
        y -= (gaps or {}).get(i, spacing)
        if sign := (ornaments or {}).get(i):
            pages[-1].append((LEFT + MEASURE / 2, y, SIZE, sign))
            y -= LEADING
        for indent, text in break_lines(paragraph, MEASURE):
            if y < BOTTOM:
                pages.append([])
                y = TOP
            pages[-1].append((LEFT + indent, y, SIZE, text))
            y -= LEADING
    return pages


def after_breaks(book: Book) -> list[int]:
    """Return the numbers of the paragraphs after a break."""
    return [LONG.index(block.text) for block in book.blocks if block.break_before]


def test_an_ornament_is_a_break_and_no_text(tmp_path: Path) -> None:
    for sign in ["* * *", "***", "~ ~ ~"]:
        book = read(tmp_path, pages_with(ornaments={2: sign, 9: sign}))
        assert texts(book) == LONG
        assert after_breaks(book) == [2, 9]
        assert {left.kind: left.words for left in book.left_out} == {"ornament": 2 * len(sign.split())}


def test_other_signs_stay_in_the_text(tmp_path: Path) -> None:
    for sign in ["*", "-----", "…", "+", "—"]:
        book = read(tmp_path, pages_with(ornaments={2: sign}))
        assert after_breaks(book) == []
        assert book.text.count(sign) >= 1


@pytest.mark.parametrize("spacing", [0, 6])
def test_a_wide_gap_between_paragraphs_is_a_break(tmp_path: Path, spacing: float) -> None:
    book = read(tmp_path, pages_with(gaps={3: spacing + LEADING}, spacing=spacing))
    assert texts(book) == LONG
    assert after_breaks(book) == [3]


def test_other_gaps_are_no_breaks(tmp_path: Path) -> None:
    cases: dict[str, dict[int, float]] = {
        "a little wider": {3: 5},
        "room for a figure": {3: 90},
        "often": dict.fromkeys(range(0, 20, 3), LEADING),
        "everywhere": dict.fromkeys(range(20), LEADING),
    }
    for gaps in cases.values():
        assert after_breaks(read(tmp_path, pages_with(gaps=gaps))) == []


def test_a_gap_around_a_quotation_is_no_break(tmp_path: Path) -> None:
    pages = pages_with(gaps={3: LEADING, 4: LEADING})
    quoted = {text for _, text in break_lines(LONG[3], MEASURE)}
    pages = [
        [(x + 40 if text in quoted else x, y, size, text) for x, y, size, text in page] for page in pages
    ]
    assert after_breaks(read(tmp_path, pages)) == []


def test_a_gap_below_a_heading_is_no_break(tmp_path: Path) -> None:
    first, *others = pages_with(gaps={0: 3 * LEADING})
    heading: Drawn = (LEFT, HEIGHT - 70, 18, "On Salt")
    assert after_breaks(read(tmp_path, [[heading, *first], *others])) == []


def test_text_larger_than_most_type_is_in_paragraphs(tmp_path: Path) -> None:
    """Of a short article, most type may be that of its references."""
    text = [page[2:] for page in typeset(LONG[:4], columns=2, depth=22)]
    references = [(LEFT, TOP - 9 * i, 7, f"{i + 1}. {LONG[i % 20][:80]}") for i in range(60)]
    book = read(tmp_path, [*text, references, references[::-1]])
    assert texts(book)[:4] == LONG[:4]


def test_the_items_of_a_slide_are_items(tmp_path: Path) -> None:
    items = ["Weigh the salt", "Sweep the two floors of the house", "Count the lamps", "Lock both doors"]
    slide = [(LEFT, 300 - 26 * i, 20, f"\u2022 {item}") for i, item in enumerate(items)]
    book = read(tmp_path, [*typeset(LONG[:6]), slide])
    assert [block.text for block in book.blocks if block.kind is BlockKind.LIST_ITEM] == [
        f"\u2022 {item}" for item in items
    ]
