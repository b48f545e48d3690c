"""Separates what is printed in the margins from the text: the numbers of lines, and side notes."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import gcd
from statistics import median
from typing import NamedTuple

from alexandria.extract.pdf.lines import Line, Page, without_lines
from alexandria.extract.runs import group_runs

_LEFT = re.compile(r"[\[(]?(\d{1,4})[\])]?(?:\s+|\Z)")
_RIGHT = re.compile(r"(?:\A|\s+)[\[(]?(\d{1,4})[\])]?\Z")
_BETWEEN = re.compile(r"(\d{1,4})\Z")  # between two columns, as in patents
_EDGES = frozenset("0123456789[()]")
_SAME_ROW = 0.5  # times the size: lines closer to each other in height are one row
_MAX_FIGURES = 2  # figures of a number on ruled paper
_MIN_EACH = 8  # fewest numbers of a page on which each line has one; a list may have a few items of one line
_MIN_EVERY = 3  # fewest numbers of a page, or pages with two, where every second, fifth or tenth line has one
_MIN_SHARE = 0.6  # share of the rows that have a number where each line has one, or every nth line
_MIN_IN_SENTENCE = 0.3  # share of numbered lines that begin with a small letter: items begin with capitals
_MIN_LENGTH = 35  # characters of a usual line of prose; the rows of a table are shorter
_STEP = 5  # usual number of lines from number to number, where not each line has one; or twice as many
_EVEN = 0.1  # share of the distance of numbers on ruled paper by which it may vary
_MAX_NOTE_SIZE = 0.85  # times the body size: the largest type of a side note
_MIN_NOTE_PAGES = 3  # fewest pages with side notes; on fewer, they may be captions or tables
_MIN_TEXT_LINES = 5  # fewest lines of text on a page with side notes
_WORDS = re.compile(r"[^\W\d_]{3}|\d{4}")  # what a side note has: the letters beside a drawing are no notes
_MARGIN = 0.5  # times the body size: a side note is at least as far from the text
_EDGE_SHARE = 0.9  # share of the lines of text that are inside their edges; a heading may be wider


@dataclass(frozen=True, slots=True)
class Margins:
    """The pages without what is in their margins, and that."""

    pages: list[Page]
    line_numbers: list[Line]
    side_notes: list[Line]


class _LineNumber(NamedTuple):
    """A number at the edge of a row."""

    row: int  # index of the row on its page, from the top
    value: int
    line: Line  # the line that holds it, perhaps with text
    text: str  # the text beside it, in its line or in another one of the row


class _Numbering(NamedTuple):
    """How the lines of a page are numbered."""

    side: re.Pattern[str]
    step: int  # 1 if each line has a number, 5 if every fifth has one
    offset: int  # from the index of a row to its number
    numbers: Sequence[_LineNumber]

    @property
    def next_value(self) -> int:
        """The number after the last."""
        *before, last = (number.value for number in self.numbers)
        return 2 * last - before[-1] if before else last + self.step

    def goes_on(self, before: "_Numbering") -> bool:
        """Return whether the numbers count on from those of the page before, or are in the same rows."""
        counts_on = before.side is self.side and self.numbers[0].value == before.next_value
        return counts_on or before[:3] == self[:3]


def separate_margins(pages: Sequence[Page], body_size: float) -> Margins:
    """Return the pages without numbers of lines and side notes.

    Numbers of lines count the rows of a page, each or every fifth. Side notes are small type beside the text.
    """
    unruled, rulings = _separate_rulings(pages)
    unnumbered, line_numbers = _separate_line_numbers(unruled)
    side_notes = [[*_side_notes(page, body_size)] for page in unnumbered]
    if sum(map(bool, side_notes)) < _MIN_NOTE_PAGES:
        return Margins(unnumbered, rulings + line_numbers, [])
    remaining = [without_lines(page, notes) for page, notes in zip(unnumbered, side_notes, strict=True)]
    return Margins(remaining, rulings + line_numbers, [line for notes in side_notes for line in notes])


# --- numbers of lines -----------------------------------------------------------------------------


def _separate_rulings(pages: Sequence[Page]) -> tuple[list[Page], list[Line]]:
    """Return the pages without the numbers printed on their paper, and these, if any such page is prose."""
    rulings = [_find_ruling(page) for page in pages]
    unruled = [without_lines(page, ruling) for page, ruling in zip(pages, rulings, strict=True)]
    is_prose = any(
        ruling and _is_prose([line.text for line in page.lines])
        for page, ruling in zip(unruled, rulings, strict=True)
    )
    return (unruled, [line for ruling in rulings for line in ruling]) if is_prose else ([*pages], [])


def _find_ruling(page: Page) -> list[Line]:
    """Return the numbers that are printed on paper, as that of courts has them, whatever its rows are."""
    # They count at equal distances, left of all text but a stamp.
    figures = [line for line in page.lines if line.text.isdecimal() and len(line.text) <= _MAX_FIGURES]
    if len(figures) < _MIN_EACH:
        return []
    edge = median(line.x1 for line in figures)
    column = sorted((line for line in figures if abs(line.x1 - edge) < line.size), key=lambda line: -line.y)
    steps = [(int(below.text) - int(above.text), above.y - below.y) for above, below in pairwise(column)]
    is_even = steps and all(
        step == 1 and abs(distance - steps[0][1]) <= _EVEN * steps[0][1] for step, distance in steps
    )
    n_left = sum(line.x0 < edge for line in page.lines) - len(column)
    return column if is_even and len(column) >= _MIN_EACH and n_left <= 1 else []


def _separate_line_numbers(pages: Sequence[Page]) -> tuple[list[Page], list[Line]]:
    """Return the pages without the numbers of their lines, and these; few on few pages are chance."""
    unnumbered: list[Page] = []
    line_numbers: list[Line] = []
    numbers_per_page: list[int] = []  # of the pages on which not each line has one
    before: _Numbering | None = None  # of the last page with numbers
    for page in pages:
        numberings = (_find_numbering(page, side, before) for side in (_LEFT, _RIGHT, _BETWEEN))
        if numbering := next(filter(None, numberings), None):
            page = _without_numbers(page, numbering.numbers)
            line_numbers += [n.line._replace(text=str(n.value), marks=()) for n in numbering.numbers]
            if numbering.step > 1:
                numbers_per_page.append(len(numbering.numbers))
            before = numbering
        unnumbered.append(page)
    by_chance = 0 < max(numbers_per_page, default=0) < _MIN_EVERY and len(numbers_per_page) < _MIN_EVERY
    return ([*pages], []) if by_chance else (unnumbered, line_numbers)


def _is_prose(lines: Sequence[str]) -> bool:
    """Return whether lines are those of paragraphs: long, and many begin in mid-sentence."""
    n_small = sum(line[:1].islower() for line in lines)
    return n_small >= _MIN_IN_SENTENCE * len(lines) and median(map(len, lines or [""])) >= _MIN_LENGTH


def _find_numbering(page: Page, side: re.Pattern[str], before: _Numbering | None) -> _Numbering | None:
    """Return the numbers of a page's lines; None if it has none on this side."""
    # Fewer are needed if they go on as on the page `before`.
    edge = slice(-1, None) if side is _RIGHT else slice(1)
    if sum([line.text[edge] in _EDGES for line in page.lines]) < (1 if before else 2):
        return None  # the usual case, which takes no time
    rows = _rows(page)
    numbering = _most_usual([*_numbers_in(rows, side)], side)
    if numbering is None:
        return None
    goes_on = before is not None and numbering.goes_on(before)
    return numbering if _counts_lines(numbering, len(rows), goes_on=goes_on) else None


def _most_usual(numbers: Sequence[_LineNumber], side: re.Pattern[str]) -> _Numbering | None:
    """Return the most of these numbers that rise from line to line as the row does; None without any."""
    if not numbers:
        return None
    offset, _ = Counter(number.value - number.row for number in numbers).most_common(1)[0]
    numbers = [number for number in numbers if number.value - number.row == offset]
    step = gcd(*(number.value for number in numbers))
    return _Numbering(side, _STEP if step % _STEP == 0 else step, offset, numbers)


def _counts_lines(numbering: _Numbering, n_rows: int, *, goes_on: bool) -> bool:
    """Return whether every nth row has a number, or each row of prose; one that goes on may be alone."""
    n, step = len(numbering.numbers), numbering.step
    is_every_nth = step == _STEP or (step > 1 and step * n >= _MIN_SHARE * n_rows)
    if is_every_nth and (n > 1 or goes_on):
        return True
    is_each = n >= _MIN_SHARE * n_rows and (n >= _MIN_EACH or goes_on)
    return is_each and _is_prose([number.text for number in numbering.numbers if number.text])


def _rows(page: Page) -> list[list[Line]]:
    """Return the lines of a page by their height, from the top."""
    downwards = sorted(page.lines, key=lambda line: (-line.y, line.x0))
    return group_runs(downwards, lambda row, line: row[0].y - line.y < _SAME_ROW * line.size)


def _numbers_in(rows: Sequence[Sequence[Line]], side: re.Pattern[str]) -> Iterator[_LineNumber]:
    """Yield the numbers on one side of the rows that have one."""
    for i, row in enumerate(rows):
        in_order = sorted(row, key=lambda line: line.x0)
        if side is _BETWEEN:
            in_order = [line for line in in_order[1:-1] if line.text.isdecimal()] or in_order[:1]
        line = max(row, key=lambda line: line.x1) if side is _RIGHT else in_order[0]
        match = side.search(line.text.rstrip()) if side is _RIGHT else side.match(line.text)
        if not match:
            continue
        own_text = line.text[match.end() :] if side is _LEFT else line.text[: match.start()]
        text = own_text or next((other.text for other in row if other is not line), "")
        yield _LineNumber(i, int(match[1]), line, text.strip() and text)


def _without_numbers(page: Page, numbers: Sequence[_LineNumber]) -> Page:
    """Return a page whose lines lack their numbers; the lines then begin where the others do."""
    number_of_line = {id(number.line): number for number in numbers}
    left_edges = [line.x0 for line in page.lines if id(line) not in number_of_line]
    # Where almost each line has a number, the others are heads and page numbers.
    has_others = 4 * len(left_edges) > 3 * len(numbers)
    usual_edge = Counter(map(round, left_edges)).most_common(1)[0][0] if has_others else 0
    lines = []
    for line in page.lines:
        number = number_of_line.get(id(line))
        if number is None:
            lines.append(line)
        elif not line.text.strip("[( )]").isdecimal():
            lines.append(_without_number(line, number.text, usual_edge))
    return replace(page, lines=tuple(lines))


def _without_number(line: Line, text: str, usual_edge: float) -> Line:
    """Return a line with this text only, which was after its number, or before it."""
    n_removed = len(line.text) - len(text)
    width_removed = line.character_width * n_removed
    if not line.text.endswith(text):  # the number was at the end
        return line._replace(text=text, x1=line.x1 - width_removed)
    x0 = usual_edge if usual_edge > line.x0 else max(line.x0 + width_removed, usual_edge)
    marks = tuple(mark.moved(-n_removed) for mark in line.marks if mark.start >= n_removed)
    return line._replace(text=text, x0=x0, marks=marks)


# --- side notes -----------------------------------------------------------------------------------


def _side_notes(page: Page, body_size: float) -> Iterator[Line]:
    """Yield the lines of small type beside the text, within its height."""
    text = [line for line in page.lines if line.size > _MAX_NOTE_SIZE * body_size]
    small = [line for line in page.lines if line.size <= _MAX_NOTE_SIZE * body_size]
    if len(text) < _MIN_TEXT_LINES or not small:
        return
    n_inside = int(_EDGE_SHARE * (len(text) - 1))
    right = sorted(line.x1 for line in text)[n_inside] + _MARGIN * body_size
    left = sorted((line.x0 for line in text), reverse=True)[n_inside] - _MARGIN * body_size
    top, bottom = max(line.y for line in text), min(line.y for line in text)
    for line in small:
        is_beside = line.x0 > right or line.x1 < left
        if is_beside and bottom <= line.y <= top and _WORDS.search(line.text):
            yield line
