"""What is printed in the margins of PDFs: the numbers of lines, and side notes."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from alexandria.book.model import Book
from tests.extract.typeset import LEADING, LEFT, LONG, MEASURE, SIZE, TOP, Drawn, foot, read, texts, typeset
from tests.pairs import by_pairs

Pages = list[list[Drawn]]


def left_out(book: Book) -> dict[str, int]:
    return {part.kind: part.words for part in book.left_out if part.kind in ("line_numbers", "side_note")}


def numbered(step: int, x: float, *, joined: bool = False, form: str = "{}") -> Pages:
    """Return pages with a number at every `step`th line, counted from 1 on each page."""
    pages = []
    for page in typeset(LONG):
        lines: list[Drawn] = []
        for i, (at, y, size, text) in enumerate(page[2:], 1):
            if i % step:
                lines.append((at, y, size, text))
            elif joined:
                lines.append((LEFT - 14, y, size, f"{i} {text}"))
            else:
                lines += [(x, y, size - 2, form.format(i)), (at, y, size, text)]
        pages.append([*page[:2], *lines])
    return pages


@by_pairs(
    ("x", {"left": LEFT - 25, "right": LEFT + MEASURE + 20}),
    ("form", ["{}", "[{}]"]),
    ("step", [1, 2, 3, 5, 10]),
)
def test_numbers_of_lines_are_left_out_and_counted(tmp_path: Path, step: int, x: float, form: str) -> None:
    book = read(tmp_path, numbered(step, x, form=form))
    assert " ".join(texts(book)).split() == " ".join(LONG).split()
    assert left_out(book) == {"line_numbers": sum(len(page[2:]) // step for page in typeset(LONG))}


@pytest.mark.parametrize("space", [16, 40])
def test_the_text_beside_numbers_of_all_lines_keeps_its_indents(tmp_path: Path, space: float) -> None:
    pages = [
        [
            drawn
            for i, (at, y, size, text) in enumerate(page[2:], 1)
            for drawn in ((LEFT - space - 6 * (i > 9), y, size, str(i)), (at, y, size, text))
        ]
        for page in typeset(LONG)
    ]
    assert texts(read(tmp_path, pages)) == LONG


@pytest.mark.parametrize("step", [1, 5])
def test_numbers_that_are_drawn_with_their_lines_are_left_out(tmp_path: Path, step: int) -> None:
    book = read(tmp_path, numbered(step, 0, joined=True))
    assert book.text.split() == " ".join(LONG).split()


@pytest.mark.parametrize(("step", "n_left_out"), [(5, 6), (10, 3)])
def test_numbers_between_two_columns_are_left_out(tmp_path: Path, step: int, n_left_out: int) -> None:
    pages = typeset(LONG, columns=2)[:-1]
    numbers: list[Drawn] = [
        (LEFT + MEASURE / 2 - 4, TOP - LEADING * i, 5, str(i + 1)) for i in range(step - 1, 30, step)
    ]
    book = read(tmp_path, [[*page, *numbers] for page in pages])
    assert left_out(book) == {"line_numbers": n_left_out * len(pages)}
    assert not any(character.isdigit() for character in book.text)


def test_numbers_in_the_middle_of_a_table_are_text(tmp_path: Path) -> None:
    rows: list[Drawn] = [
        drawn
        for i, cost in enumerate((7, 12, 9, 31, 25, 14, 8))
        for drawn in (
            (LEFT, TOP - LEADING * i, SIZE, "Salt"),
            (LEFT + 100, TOP - LEADING * i, SIZE, str(cost)),
            (LEFT + 200, TOP - LEADING * i, SIZE, "a barrel"),
        )
    ]
    assert left_out(read(tmp_path, [rows, *typeset(LONG)])) == {}


@pytest.mark.parametrize("first", [0, 2], ids=["below a page number", "alone"])
def test_two_numbers_on_each_page_are_enough(tmp_path: Path, first: int) -> None:
    pages = [page[first:26] for page in numbered(10, LEFT - 25)]
    n_numbers = sum(text in ("10", "20") for page in pages for *_, text in page)
    assert left_out(read(tmp_path, pages)) == {"line_numbers": n_numbers}


def test_a_number_that_follows_those_of_the_page_before_is_one(tmp_path: Path) -> None:
    pages, count = [], 0
    for page in [*typeset(LONG), typeset(LONG[:1])[0]]:
        lines: list[Drawn] = []
        for x, y, size, text in page[2:]:
            count += 1
            lines += [(x, y, size, text), *([(10.0, y, 7.0, str(count))] if count % 10 == 0 else ())]
        pages.append(lines)
    book = read(tmp_path, pages)
    assert left_out(book) == {"line_numbers": count // 10}
    assert not any(character.isdigit() for character in book.text)


def test_numbers_below_the_last_line_of_text_are_left_out(tmp_path: Path) -> None:
    pages = [page[2:] for page in typeset(LONG, depth=28)]
    numbers: list[Drawn] = [(20, TOP - LEADING * i, 9, str(i + 1)) for i in range(28)]
    book = read(tmp_path, [[*page, *numbers] for page in [*pages[:3], pages[3][:4]]])
    assert left_out(book) == {"line_numbers": 4 * 28}


def test_a_page_number_may_be_beside_the_text(tmp_path: Path) -> None:
    cases = [(20, True), (LEFT + MEASURE + 30, True), (LEFT + 20, False)]
    for x, is_number in cases:
        pages = [
            [*page[2:], (x, TOP - 14.5 * LEADING, 11, str(i + 21))] for i, page in enumerate(typeset(LONG))
        ]
        book = read(tmp_path, pages)
        assert ([start.label for start in book.page_starts] == ["21", "22", "23", "24"]) is is_number


def test_two_numbers_on_a_single_page_are_text(tmp_path: Path) -> None:
    assert not left_out(read(tmp_path, [numbered(10, LEFT - 25)[0][:26]]))


def items(*starts: str) -> Pages:
    """Return pages of single lines that begin with these words."""
    return [[(LEFT, TOP - LEADING * i, SIZE, start) for i, start in enumerate(starts)]]


def test_other_numbers_at_the_left_are_text(tmp_path: Path) -> None:
    cases = {
        "list": items(*(f"{i} The {i}th rule of the house is short" for i in range(1, 13))),
        "table": items(*(f"{i} salt sold" for i in range(1, 20))),
        "two": items(*(f"{i} salt and rope and" if i in (4, 8) else "salt" for i in range(1, 20))),
        "years": items(*(f"{1900 + 7 * i} the harbour was quiet and so on" for i in range(12))),
    }
    for pages in cases.values():
        book = read(tmp_path, pages)
        assert not left_out(book)
        assert len(book.text.split()) == sum(len(text.split()) for _, _, _, text in pages[0])


def beside(text: str) -> Callable[[Sequence[Drawn]], list[Drawn]]:
    """Return a function that sets small type beside the fourth line of a page."""
    return lambda page: [*page, (LEFT + MEASURE + 20, page[5][1], 7, text)]


def test_side_notes_are_left_out_and_divide_no_sentence(tmp_path: Path) -> None:
    book = read(tmp_path, [beside(f"Of glass {i}")(page) for i, page in enumerate(typeset(LONG))])
    assert texts(book) == LONG
    assert left_out(book) == {"side_note": 3 * len(typeset(LONG))}


@pytest.mark.parametrize("row", [3, 5])
def test_side_notes_left_of_the_text_are_left_out(tmp_path: Path, row: int) -> None:
    pages = [
        [*page[: row + 1], (10, page[row][1], 7, "Of glass"), *page[row + 1 :]] for page in typeset(LONG)
    ]
    book = read(tmp_path, pages)
    assert texts(book) == LONG
    assert left_out(book) == {"side_note": 2 * len(pages)}


def test_a_letter_beside_a_drawing_is_no_side_note(tmp_path: Path) -> None:
    assert not left_out(read(tmp_path, [beside("b")(page) for page in typeset(LONG)]))


@pytest.mark.parametrize("mark", ["*", "(*)", "*)", "(1)", " (1)", "(a)"])
def test_a_sign_or_a_label_in_brackets_after_a_word_cites_the_note_below(tmp_path: Path, mark: str) -> None:
    page = typeset(LONG[:4])[0][2:]
    x, y, size, text = page[3]
    pages = [
        foot(
            [*page[:3], (x, y, size, f"{text}{mark}"), *page[4:]], f"{mark.strip()} See the log, where it is."
        )
    ]
    book = read(tmp_path, pages)
    assert texts(book) == LONG[:4]
    label = mark.strip(" ()")
    assert [(note.label, note.text) for note in book.notes] == [(label, "See the log, where it is.")]


def test_a_label_in_brackets_without_a_note_below_is_text(tmp_path: Path) -> None:
    cases = {
        "no note below": ("either (1) salt or (2) wool", ""),
        "another label": ("of f(1) and g(1)", "3 See the log."),
        "not at the beginning": ("either (a) salt or (b) wool", "A (a) See the log."),
        "small type": ("of the law (1) and the rule (2)", "The law (1) is the first."),
    }
    for text, below in cases.values():
        page = typeset(LONG[:4])[0][2:]
        x, y, size, _ = page[3]
        page = [*page[:3], (x, y, size, text), *page[4:]]
        book = read(tmp_path, [foot(page, below) if below else page])
        assert text in book.text
        assert not book.notes
