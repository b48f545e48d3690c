"""What paper and habits of publishers add: numbers of pleading paper, odd soft hyphens, numbers of verses."""

from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract import extract
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line
from tests.extract.typeset import FONT, LEFT, LONG, SIZE, TOP, Drawn, break_lines, read, texts


@pytest.mark.parametrize("leading", [24, 22.5])
def test_the_numbers_of_pleading_paper_are_no_text(tmp_path: Path, leading: float) -> None:
    """The paper counts at 24 points; the rows of the text may be anywhere."""
    lines = [line for paragraph in LONG[:9] for line in break_lines(paragraph, 280)]
    pages: list[list[Drawn]] = []
    for start in range(0, len(lines), 13):
        number = len(pages) + 1
        page: list[Drawn] = [
            (30, 560, 8, f"Case 7:24-cv-011 Filed 03/04/24 Page {number} of 4 ID #:{200 + number}")
        ]
        page += [(50 - 5 * (n > 9), 530 - 24 * n, 10, str(n)) for n in range(1, 22)]
        rows = lines[start : start + 13]
        page += [(80 + indent, 520 - leading * i, SIZE, text) for i, (indent, text) in enumerate(rows)]
        pages.append(page)
    book = read(tmp_path, pages)
    assert texts(book) == LONG[:9]
    assert [line.text for line in book.left_out_lines if line.kind == "line_numbers"][:21] == [
        str(n) for n in range(1, 22)
    ]


def test_the_numbers_of_a_list_stay(tmp_path: Path) -> None:
    page: list[Drawn] = [(LEFT, TOP - 20 * n, SIZE, str(n)) for n in range(1, 16)]
    page += [
        (LEFT + 30, TOP - 20 * n, SIZE, f"The {thing} of a house") for n, thing in enumerate(LONG[:15], 1)
    ]
    page = [(x, y, size, text[:40]) for x, y, size, text in page]
    assert "15" in " ".join(texts(read(tmp_path, [page])))


def vocabulary(*lines: str) -> Vocabulary:
    return Vocabulary([Line(line, 0, 0.0, 1.0, 0.0, 10.0) for line in lines], "en")


def test_a_single_other_hyphen_decides_nothing() -> None:
    broken = [line for i in range(12) for line in (f"the gen{i}-", "eration of a half-finished plan")]
    book = vocabulary(*broken, "the broken pendu\u00ad", "lum")
    assert book.end_line("the mea-", "surement of it") == "the mea"
    assert book.end_line("the broken pendu\u00ad", "lum") == "the broken pendu"


def test_two_hyphens_that_are_both_used_tell_words_from_compounds() -> None:
    broken = [line for _ in range(5) for line in ("the gen‐", "eration of a half-finished plan")]
    book = vocabulary(*broken, "a well-", "known one")
    assert book.end_line("a well-", "known one") == "a well-"


def write_verses(path: Path, numbers: list[int]) -> Path:
    """Draw a page on which raised numbers begin verses, without a space."""
    canvas = Canvas(str(path), pagesize=A4)
    for i, number in enumerate(numbers):
        text = canvas.beginText(60, 780 - 14 * i)
        text.setFont(FONT, 6)
        text.setRise(4)
        text.textOut(str(number))
        text.setRise(0)
        text.setFont(FONT, 10)
        text.textOut(
            f"The keeper of the harbour lit lamp {'abcdefghijklmnopqrst'[i]} before the tide came in."
        )
        canvas.drawText(text)
    canvas.save()
    return path


def test_a_space_follows_the_raised_number_of_a_verse(tmp_path: Path) -> None:
    text = extract(write_verses(tmp_path / "psalm.pdf", [*range(1, 16)])).text
    assert "1 The keeper" in text
    assert "15 The keeper" in text


def test_raised_numbers_that_count_nothing_stay_as_they_are(tmp_path: Path) -> None:
    text = extract(
        write_verses(tmp_path / "isotopes.pdf", [14, 3, 235, 99, 14, 14, 3, 235, 60, 14, 3, 99])
    ).text
    assert "14The keeper" in text
