"""Signs that are drawn by themselves come after the letters that they are drawn over, and part no words."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line, Mark, with_bullet
from alexandria.extract.pdf.typography import typography_of
from tests.extract.glyphs import WIDTH, glyph, read


def spelled(
    letters: str, signs: Sequence[tuple[int, str]], *, from_right: bool = False, y: float = 500
) -> str:
    """Draw letters side by side, a space for a space, and each sign over or under the letter of its number.

    A sign begins at the end of its letter, as the programs of browsers have it.
    """
    lefts = [50 + WIDTH * (len(letters) - 1 - i if from_right else i) for i in range(len(letters))]
    drawn = [glyph(left, letter, y) for left, letter in zip(lefts, letters, strict=True) if letter != " "]
    return "".join(drawn + [glyph(lefts[at] + WIDTH, sign, y) for at, sign in signs])


def test_a_sign_comes_after_the_letter_that_it_is_drawn_over(tmp_path: Path) -> None:
    cases: dict[str, tuple[str, Sequence[tuple[int, str]], str]] = {
        "Hindi": ("कत नक", [(0, "े"), (1, "े"), (3, "े")], "केते नेक"),
        "Thai": ("ขงขง", [(0, "ึ"), (0, "้"), (2, "้")], "ขึ้งข้ง"),
        "no signs": ("कतन", [], "कतन"),
    }
    for letters, signs, line in cases.values():
        assert read(tmp_path / "signs.pdf", spelled(letters, signs)) == [line]


def test_points_of_hebrew_are_under_their_letters_and_words_are_whole(tmp_path: Path) -> None:
    points = [(0, "ָ"), (1, "ָ"), (4, "ָ"), (5, "ָ")]
    (line,) = read(tmp_path / "points.pdf", spelled("שלם שלם", points, from_right=True))
    assert line == "שָלָם שָלָם"


def test_a_bullet_is_apart_from_its_item() -> None:
    cases = [
        ("■The tide", "■ The tide"),
        ("● The tide", "● The tide"),
        ("\uf0b7The tide", "• The tide"),
        ("\uf0d8 “The tide", "• “The tide"),
        ("•• The tide", "•• The tide"),
        ("\uf761The tide", "\uf761The tide"),  # a small capital
        ("1• The tide", "1• The tide"),
    ]
    for text, bulleted in cases:
        mark = Mark(len(text) - 1, len(text), "1")
        line = with_bullet(Line(text, 0, 0, 300, 500, 10, marks=(mark,)))
        assert line.text == bulleted
        assert line.marks[0].end == len(bulleted)


KOREAN = "정부는 바이러스 감염증을 재해로 보았다. 바이러스 감염증의 재해 여부는 감염증을 보아 정한다."


def test_a_line_may_end_inside_a_word_without_a_hyphen() -> None:
    cases: dict[str, tuple[str, str, str, str]] = {
        "inside a word": (
            f"{KOREAN}\n바이\n러스 감염\n증을 재\n해로",
            "그 감염",
            "증의 여부",
            "그 감염증의 여부",
        ),
        "between words": (
            f"{KOREAN}\n바이\n러스 감염\n증을 재\n해로",
            "그 바이러스",
            "감염증을",
            "그 바이러스 감염증을",
        ),
        "at spaces": (
            f"{KOREAN}\n바이러스\n감염증을\n재해로",
            "그 바이러스",
            "감염증을",
            "그 바이러스 감염증을",
        ),
        "only at spaces": (
            f"{KOREAN}\n바이러스\n감염증을\n재해로",
            "그 감염",
            "증의 여부",
            "그 감염 증의 여부",
        ),
        "Thai": ("", "บทสวด", "มนต์นี้", "บทสวดมนต์นี้"),
    }
    for text, line, following, joined in cases.values():
        lines = [Line(part, 0, 0, 300, 500, 10) for part in text.split("\n")]
        assert Vocabulary(lines, "ko").end_line(line, following) + following == joined


@pytest.mark.parametrize(
    ("stop", "leading"), [(".", 14.5), ("", 26.5)], ids=["paragraphs of one line", "widely set lines"]
)
def test_the_distance_of_paragraphs_of_one_line_is_not_that_of_lines(stop: str, leading: float) -> None:
    """Of ten paragraphs, four have a second line: 26.5 points are more common than 14.5."""
    lines, y = [], 800.0
    for i in range(10):
        lines.append(Line(f"The tide is high{stop if i % 5 > 1 else ''}", 0, 0, 300, y, 11))
        if i % 5 <= 1:
            y -= 14.5
            lines.append(Line(f"and low{stop}", 0, 0, 300, y, 11))
        y -= 26.5
    assert typography_of([tuple(lines)], 11).leading(11) == leading
