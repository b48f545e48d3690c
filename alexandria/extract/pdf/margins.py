"""Separates what is printed in the margins from the text: the numbers of lines, and side notes."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd
from statistics import median
from typing import NamedTuple

from alexandria.extract.pdf.lines import Line, Page, without_lines

_LEFT = re.compile(r"[\[(]?(\d{1,4})[\])]?(?:\s+|\Z)")
_RIGHT = re.compile(r"(?:\A|\s+)[\[(]?(\d{1,4})[\])]?\Z")
_BETWEEN = re.compile(r"(\d{1,4})\Z")
"""Between two columns, as in patents."""
_EDGES = frozenset("0123456789[()]")
_SAME_ROW = 0.5
"""Times the size: lines closer to each other in height are one row."""
_MIN_EACH = 8
"""Fewest numbers of a page on which each line has one; a list may have a few items of one line."""
_MIN_EVERY = 3
"""Fewest numbers of a page, or pages with two, where every second, fifth or tenth line has one."""
_MIN_SHARE = 0.6
"""Share of the rows that have a number where each line has one, or every second, third or fourth."""
_MIN_IN_SENTENCE = 0.3
"""Share of the numbered lines that begin with a small letter: the items of a list begin with capitals."""
_MIN_LENGTH = 35
"""Characters of a usual line of prose; the rows of a table are shorter."""
_STEP = 5
"""Usual number of lines from number to number, where not each line has one; or twice as many."""
_MAX_NOTE_SIZE = 0.85
"""Times the body size: the largest type of a side note."""
_MIN_NOTE_PAGES = 3
"""Fewest pages with side notes; on fewer, small type beside the text may be a caption or a table."""
_MIN_TEXT_LINES = 5
"""Fewest lines of text on a page with side notes."""
_WORDS = re.compile(r"[^\W\d_]{3}|\d{4}")
"""What a side note has: the letters beside a drawing are no notes."""
_MARGIN = 0.5
"""Times the body size: a side note is at least as far from the text."""
_EDGE_SHARE = 0.9
"""Share of the lines of text that are inside their edges; a heading may be wider."""


@dataclass(frozen=True, slots=True)
class Margins:
    """The pages without what is in their margins, and that."""

    pages: list[Page]
    line_numbers: list[Line]
    side_notes: list[Line]


class _Known(NamedTuple):
    """How the lines of a page are numbered."""

    side: re.Pattern[str]
    step: int
    distance: int
    """From a row to its number."""
    following: int
    """The number after the last."""


class _Numbered(NamedTuple):
    row: int
    number: int
    line: Line
    rest: str


def separate_margins(pages: Sequence[Page], body_size: float) -> Margins:
    """Return the pages without numbers of lines and side notes.

    Numbers of lines count the rows of a page, each or every fifth. Side notes are small type beside the text.
    """
    numbers: list[Line] = []
    result: list[Page] = []
    known: _Known | None = None  # of the pages before
    every: list[int] = []  # how many numbers each page has where not each line has one
    for page in pages:
        for pattern in (_LEFT, _RIGHT, _BETWEEN):
            if found := _find_line_numbers(page, pattern, known):
                page, step = _without_numbers(page, found[1]), found[0]
                every += [len(found[1])] * (step > 1)
                numbers += [each.line._replace(text=str(each.number), marks=()) for each in found[1]]
                *before, last = (each.number for each in found[1])
                following = 2 * last - before[-1] if before else last + step
                known = _Known(pattern, step, found[1][0].number - found[1][0].row, following)
                break
        result.append(page)
    if every and max(*every, len(every)) < _MIN_EVERY:
        result, numbers = [*pages], []
    side_notes = [[*_side_notes(page, body_size)] for page in result]
    if sum(map(bool, side_notes)) < _MIN_NOTE_PAGES:
        return Margins(result, numbers, [])
    remaining = [without_lines(page, notes) for page, notes in zip(result, side_notes, strict=True)]
    return Margins(remaining, numbers, [line for notes in side_notes for line in notes])


# --- numbers of lines -----------------------------------------------------------------------------


def _find_line_numbers(
    page: Page, pattern: re.Pattern[str], known: _Known | None
) -> tuple[int, list[_Numbered]] | None:
    """Return the step of a page's numbers of lines, and the numbers; None if it has none on this side."""
    edge = slice(-1, None) if pattern is _RIGHT else slice(1)
    if sum([line.text[edge] in _EDGES for line in page.lines]) < (1 if known else 2):
        return None  # the usual case, which takes no time
    rows = _rows(page)
    candidates = [*_numbered(rows, pattern)]
    if not candidates:
        return None
    # From line to line, the number rises as the row does.
    distance, _ = Counter(each.number - each.row for each in candidates).most_common(1)[0]
    counted = [each for each in candidates if each.number - each.row == distance]
    step = gcd(*(each.number for each in counted))
    is_usual = step % _STEP == 0
    step = _STEP if is_usual else step
    is_next = known is not None and known.side is pattern and counted[0].number == known.following
    is_known = is_next or (known is not None and known[:3] == (pattern, step, distance))
    is_every = is_usual or (step > 1 and step * len(counted) >= _MIN_SHARE * len(rows))
    if is_every and (len(counted) > 1 or is_known):
        return step, counted
    rests = [each.rest for each in counted if each.rest] or [""]
    n_small = sum(rest[:1].islower() for rest in rests)
    is_prose = n_small >= _MIN_IN_SENTENCE * len(rests) and median(map(len, rests)) >= _MIN_LENGTH
    is_each = is_prose and len(counted) >= _MIN_SHARE * len(rows)
    if is_each and (len(counted) >= _MIN_EACH or is_known):
        return step, counted
    return None


def _rows(page: Page) -> list[list[Line]]:
    """Return the lines of a page by their height, from the top."""
    rows: list[list[Line]] = []
    for line in sorted(page.lines, key=lambda line: (-line.y, line.x0)):
        if rows and rows[-1][0].y - line.y < _SAME_ROW * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _numbered(rows: Sequence[Sequence[Line]], pattern: re.Pattern[str]) -> Iterator[_Numbered]:
    """Yield the rows that have a number at their left or right edge, or are one."""
    for i, row in enumerate(rows):
        in_order = sorted(row, key=lambda line: line.x0)
        if pattern is _BETWEEN:
            in_order = [line for line in in_order[1:-1] if line.text.isdecimal()] or in_order[:1]
        line = max(row, key=lambda line: line.x1) if pattern is _RIGHT else in_order[0]
        match = pattern.search(line.text.rstrip()) if pattern is _RIGHT else pattern.match(line.text)
        if not match:
            continue
        rest = line.text[match.end() :] if pattern is _LEFT else line.text[: match.start()]
        beside = rest or next((other.text for other in row if other is not line), "")
        yield _Numbered(i, int(match[1]), line, beside.strip() and beside)


def _without_numbers(page: Page, numbered: Sequence[_Numbered]) -> Page:
    """Return a page whose lines lack their numbers; the lines then begin where the others do."""
    by_id = {id(each.line): each for each in numbered}
    others = [line.x0 for line in page.lines if id(line) not in by_id]
    edge = Counter(map(round, others)).most_common(1)[0][0] if others else 0
    lines = []
    for line in page.lines:
        each = by_id.get(id(line))
        if each is None:
            lines.append(line)
        elif not line.text.strip("[( )]").isdecimal():
            lines.append(_without_number(line, each.rest, edge))
    return replace(page, lines=tuple(lines))


def _without_number(line: Line, rest: str, edge: float) -> Line:
    if not line.text.endswith(rest):  # the number was at the end
        return line._replace(text=rest, x1=line.x1 - line.character_width * (len(line.text) - len(rest)))
    n_removed = len(line.text) - len(rest)
    right_of_number = line.x0 + line.character_width * n_removed
    x0 = edge if edge > line.x0 else max(right_of_number, edge)
    marks = tuple(mark.moved(-n_removed) for mark in line.marks if mark.start >= n_removed)
    return line._replace(text=rest, x0=x0, marks=marks)


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
