"""Headings of PDFs without an outline, and their levels."""

from pathlib import Path

import pytest

from alexandria.extract import extract
from alexandria.extract.pdf.chapters import Style, find_starts, levels_of
from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.paragraphs import Paragraph
from tests.extract.typeset import LEADING, LEFT, LONG, SIZE, TOP, Drawn, read, typeset

LATEX = Path(__file__).parent / "latex"
HUGE, LARGE, BOLD = Style(20, True), Style(14, True), Style(0, True)


def test_levels_follow_numbers_and_then_type() -> None:
    cases: dict[str, tuple[list[tuple[str, Style]], list[int]]] = {
        "numbers": (
            [("Chapter 1 Clay", HUGE), ("1.1 Cups", LARGE), ("1.1.1 Old", BOLD), ("Chapter 2 Iron", HUGE)],
            [1, 2, 3, 1],
        ),
        "numbers in one type": (
            [("1 Clay", BOLD), ("1.1 Cups", BOLD), ("1.1.1 Old ones", BOLD), ("2 Iron", BOLD)],
            [1, 2, 3, 1],
        ),
        "type alone": ([("Clay", HUGE), ("Cups", LARGE), ("Old", BOLD), ("Iron", HUGE)], [1, 2, 3, 1]),
        "a preface before the first part": (
            [
                ("Preface", HUGE),
                ("Part I", HUGE),
                ("Chapter 1", HUGE),
                ("Part II", HUGE),
                ("Chapter 2", HUGE),
            ],
            [1, 1, 2, 1, 2],
        ),
        "plain numbers in smaller type below chapters": (
            [
                ("Chapter I", HUGE),
                ("1. Cups", LARGE),
                ("2. Jugs", LARGE),
                ("Chapter II", HUGE),
                ("1. Nails", LARGE),
            ],
            [1, 2, 2, 1, 2],
        ),
        "without a number, as those of its type": (
            [("1 Clay", LARGE), ("1.1 Cups", BOLD), ("2 Iron", LARGE), ("Thanks", LARGE)],
            [1, 2, 1, 1],
        ),
        "the title of the book is no level of its own": (
            [("A Book", Style(17, False)), *((f"{n} Clay", LARGE) for n in (1, 2, 3)), ("3.1 Cups", BOLD)],
            [1, 1, 1, 1, 2],
        ),
    }
    for headings, levels in cases.values():
        assert levels_of(headings) == levels


@pytest.mark.parametrize("name", ["parts-and-chapters", "numbered-sections"])
def test_a_book_set_by_latex_has_the_levels_of_its_outline_without_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> list[tuple[int, str]]:
        """The level and the last words of each heading: outlines leave "Chapter 1" out."""
        sections = extract(LATEX / f"{name}.pdf").sections
        return [(section.level, section.headings[-1][-16:]) for section in sections if section.headings]

    wanted = found()
    monkeypatch.setattr("alexandria.extract.pdf.document.read_outline", lambda document: ())
    assert len(wanted) > 20
    assert found()[2:] == wanted  # after the title and the author


def test_a_number_and_the_title_below_it_are_one_heading(tmp_path: Path) -> None:
    page = [(LEFT, TOP + 40, 20, "CHAPTER IV"), (LEFT, TOP + 20, 14, "Of Clay"), *typeset(LONG[:3])[0][2:]]
    book = read(tmp_path, [page, [(LEFT, TOP + 20, 14, "Of Glass"), *typeset(LONG[3:6])[0][2:]]])
    assert book.sections[0].headings == ("CHAPTER IV Of Clay",)


def counted(
    numbers: list[str], space: float = 30, x: float = LEFT + 130, size: float = SIZE
) -> list[list[Drawn]]:
    """Return pages, each but every second with a number above its text, in the type of the text."""
    pages = [typeset(LONG[3 * i : 3 * i + 3])[0][2:] for i in range(2 * len(numbers))]
    for number, page in zip(numbers, pages[::2], strict=True):
        page.insert(0, (x, TOP + space, size, number))
    return [[*page, (LEFT + 130, 30, 8, str(i + 21))] for i, page in enumerate(pages)]


def test_bare_numbers_that_count_are_chapters(tmp_path: Path) -> None:
    cases = [["1", "2", "3"], ["I", "II", "III"], ["ONE", "TWO", "THREE"], ["— 1 —", "— 2 —", "— 3 —"]]
    for numbers in cases:
        book = read(tmp_path, counted(numbers))
        assert [section.headings for section in book.sections] == [(number,) for number in numbers]


def test_large_numbers_that_count_are_chapters(tmp_path: Path) -> None:
    book = read(tmp_path, counted(["1", "2", "3"], size=18))
    assert [section.headings for section in book.sections] == [("1",), ("2",), ("3",)]


def test_other_numbers_are_no_chapters(tmp_path: Path) -> None:
    cases: dict[str, list[list[Drawn]]] = {
        "numbers that do not count": counted(["3", "7", "2"]),
        "numbers of formulas": counted(["(1)", "(2)", "(3)"]),
        "items": counted(["1. of clay", "2. of salt", "3. of wool"]),
        "close to the text": counted(["1", "2", "3"], space=LEADING),
    }
    for pages in cases.values():
        book = read(tmp_path, pages)
        assert [section.headings for section in book.sections] == [()]
        assert all(page[0][3] in book.text for page in pages)


def test_a_title_of_the_printed_contents_is_a_heading_in_the_size_of_the_text(tmp_path: Path) -> None:
    titles = ["Of Clay and Cups", "Of Glass and Sand", "Of Iron and Nails"]
    contents = [(LEFT, TOP, 10, "Contents")] + [
        (LEFT, TOP - 20 - 14 * i, 10, f"{title} . . . . . . . . . {i + 2}") for i, title in enumerate(titles)
    ]
    pages = [
        [(LEFT + 80, TOP + 30, 10, title), *typeset(LONG[6 * i : 6 * i + 6])[0][2:]]
        for i, title in enumerate(titles)
    ]
    book = read(tmp_path, [contents, *pages])
    assert [section.headings for section in book.sections] == [(title,) for title in titles]
    assert {entry.kind for entry in book.left_out} >= {"contents"}


def test_large_letters_of_a_figure_are_no_heading(tmp_path: Path) -> None:
    for text in ["b g a", "s2 s3 s1", "1 2"]:
        page = [(LEFT, TOP + 40, 20, "Of Clay"), *typeset(LONG[:3])[0][2:], (LEFT, 60, 16, text)]
        assert [section.headings for section in read(tmp_path, [page]).sections] == [("Of Clay",)]


def test_bold_labels_of_statements_and_figures_are_no_headings() -> None:
    cases = [
        ("Of Clay and Cups", True),
        ("Definition 12", False),
        ("Theorem 1.2 (of clay)", False),
        ("Theorems of clay", True),
        ("Abbildung 3:", False),
    ]
    for text, is_heading in cases:
        line = Line(text, 0, 60, 200, 500, 10, bold=True)
        assert bool(find_starts([Paragraph([line], 340, 60)], (), 10)) is is_heading
