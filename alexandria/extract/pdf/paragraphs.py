"""Lines to paragraphs: by indent, short last line, gap and size; across columns and pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from alexandria.book import BlockKind
from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.hyphens import HYPHENS, Vocabulary
from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.typography import Typography

_INDENT = 0.6
"""Times the body size: typesetters indent by one em or more; side bearings are below a tenth."""
_SAME_EDGE = 0.15
"""Times the size: lines at one edge differ by the side bearings of their first letters."""
_OTHER_SIZE = 0.04
"""Share of the size: a larger difference is intended, such as 10 and 10.5 points."""
_GAP = 1.12
"""Times the leading: a gap after the end of a sentence; less may be a page stretched to full height."""
_WIDE_GAP = 1.45
"""Times the leading: a gap even in mid-sentence."""
_GAP_IN_SENTENCE = 2.3
"""Times the leading: less continues a full line in mid-sentence, below a formula or a taller font."""
_DROP_CAP = 1.8
"""Times the body size: drop caps are at least two lines high."""
_CAP_HEIGHT = 0.75
"""Times its size: a capital's height, and no line above it."""
_ENDED = re.compile(r"[.!?…:;]['\"”’»›)\]*†‡\d]*$|[-—–*_]{3,}$")
_SENTENCE_ENDED = re.compile(r"[.!?…:]['\"”’»›)\]*†‡\d]*$")
_TAIL = 12
"""Characters examined at the end of a line: more closing marks never occur."""
_FIRST_WORD = re.compile(r"\s*[^\s\-—–‐/]+")
_BULLET = re.compile(r"[•▪◦‣●■–]\s")


@dataclass(slots=True)
class Paragraph:
    """Lines that form one paragraph, with its margins and kind."""

    lines: list[Line]
    right: float
    left: float
    kind: BlockKind = BlockKind.PARAGRAPH
    break_before: bool = False
    """True if the author set a break before it."""


def paragraphs_of(
    columns: Sequence[Column], typography: Typography, vocabulary: Vocabulary
) -> list[Paragraph]:
    """Return the paragraphs in reading order; lines of verse are one block."""
    paragraphs: list[Paragraph] = []
    for column in columns:
        lines, begun = with_drop_caps(column.lines, typography.body, vocabulary)
        edges = _right_edges(lines, column, typography)
        for i, line in enumerate(lines):
            if not paragraphs or id(line) in begun:
                begins = True
            elif i == 0:
                begins = not _continues(paragraphs[-1], line, edges[0], column, typography)
            else:
                begins = _begins(lines[i - 1], line, edges[i - 1], edges[i], column, typography)
            if begins:
                paragraphs.append(Paragraph([line], edges[i], column.left, _kind(line)))
            else:
                paragraphs[-1].lines.append(line)
                paragraphs[-1].right, paragraphs[-1].left = edges[i], column.left
    return _verses(paragraphs, typography)


def _kind(line: Line) -> BlockKind:
    return BlockKind.LIST_ITEM if _BULLET.match(line.text) else BlockKind.PARAGRAPH


def _begins(
    above: Line, line: Line, right_above: float, right: float, column: Column, typography: Typography
) -> bool:
    """Return whether a line begins a paragraph, given the line above it in the same column."""
    if abs(line.size - above.size) > _OTHER_SIZE * above.size:
        return True
    if above.text.endswith(HYPHENS) and line.text[:1].islower():
        return False
    distance = (above.y - line.y) / typography.leading(line.size)
    short = _short(above, line, right_above)
    goes_on = line.text[:1].islower() and not ended(above)
    if goes_on and not short and distance < _GAP_IN_SENTENCE:
        return False
    if distance > _WIDE_GAP or (distance > _GAP and (short or ended(above))):
        return True
    if line.size > 1.1 * typography.body and abs(distance) < _GAP:
        return False  # a heading of several lines, centred or ragged
    if _BULLET.match(line.text):
        return True
    if right_above < column.right and above.x0 - line.x0 > _INDENT * typography.body:
        return True  # back to the margin after a quotation
    indented = line.x0 - column.left > _INDENT * typography.body
    if indented and not (_same_edge(above, line) and right != column.right):
        return not (goes_on and _same_edge(above, line))
    return short and not goes_on


def _continues(
    paragraph: Paragraph, line: Line, right: float, column: Column, typography: Typography
) -> bool:
    """Return whether a column's first line continues the last paragraph of the previous column."""
    above = paragraph.lines[-1]
    if abs(line.size - above.size) > _OTHER_SIZE * above.size or line.size > 1.1 * typography.body:
        return False
    if above.text.endswith(HYPHENS):
        return True
    if line.bold and not above.bold and not line.text[:1].islower():
        return False  # a heading in the size of the text
    indent, indent_above = line.x0 - column.left, above.x0 - paragraph.left
    if indent > _INDENT * typography.body and abs(indent - indent_above) > _SAME_EDGE * line.size:
        return False
    short = _short(above, line, paragraph.right)
    quoted = right < column.right
    if indent > _INDENT * typography.body and not quoted and (ended(above) or short):
        return False
    return not short or (not ended(above) and line.text[:1].islower())


def ended(line: Line) -> bool:
    """Return whether a line ends like a sentence."""
    return bool(_ENDED.search(line.text.rstrip()[-_TAIL:]))


def _short(above: Line, line: Line, right: float) -> bool:
    """Return whether the line's first word would have fitted on the line above: a paragraph ends there."""
    room, width = right - above.x1, line.character_width
    # A space, and a letter in case the word's letters are wide.
    if room <= (1 + 2) * width:  # as below most lines
        return False
    match = _FIRST_WORD.match(line.text)
    return room > ((len(match.group()) if match else 1) + 2) * width


def _same_edge(above: Line, line: Line) -> bool:
    return abs(line.x0 - above.x0) < _SAME_EDGE * line.size


def _right_edges(lines: Sequence[Line], column: Column, typography: Typography) -> list[float]:
    """Return the right edge of each line: the margin or, for an indented quotation, its own."""
    edges = [column.right] * len(lines)
    start = 0
    for i in range(1, len(lines) + 1):
        if i < len(lines) and _same_edge(lines[start], lines[i]) and lines[i].size == lines[start].size:
            continue
        run = lines[start:i]
        if len(run) >= 3 and run[0].x0 - column.left > _INDENT * typography.body:  # indented
            widest = max(line.x1 for line in run)
            full = sum(1 for line in run[:-1] if widest - line.x1 < 0.5 * typography.body)
            # Two thirds of the lines reach one edge: a quotation. Consecutive speeches end anywhere.
            if full >= 2 / 3 * (len(run) - 1):
                edges[start:i] = [min(widest, column.right - 0.01)] * len(run)
        start = i
    return edges


def with_drop_caps(
    lines: Sequence[Line], body: float, vocabulary: Vocabulary
) -> tuple[list[Line], frozenset[int]]:
    """Return the lines with drop caps joined to theirs, and the lines next to them moved to the margin.

    Also return the `id` of each line that a drop cap begins.
    """
    result = list(lines)
    begun: set[int] = set()
    caps = [line for line in lines if _is_drop_cap(line, body)]
    # From right to left and upwards: the letter next to the word is joined first.
    for cap in sorted(caps, key=lambda line: (-line.x0, line.y)):
        beside = [
            line
            for line in result
            if not _is_drop_cap(line, body)
            and cap.y - body / 2 <= line.y <= cap.y + _CAP_HEIGHT * cap.size
            and line.x0 >= cap.x0 - body / 2
            and line.size < cap.size
            and line.x0 < cap.x1 + 2 * body
        ]
        if not beside:
            continue
        first = max(beside, key=lambda line: line.y)
        result.remove(cap)
        # No paragraph is shorter than its drop cap: every line next to it but the last is full.
        right = max(line.x1 for line in beside)
        for line in beside:
            begins = line is first
            moved = replace(_initial(cap, line, vocabulary), x1=right) if begins else replace(line, x0=cap.x0)
            result[result.index(line)] = moved
            # In "Dr" of two initials, the second replaces the line of the first.
            begun = (begun - {id(line)}) | ({id(moved)} if begins else set())
        result.sort(key=lambda line: -line.y)
    return result, frozenset(begun)


def _is_drop_cap(line: Line, body: float) -> bool:
    return line.size > _DROP_CAP * body and len(line.text) <= 2


def _initial(cap: Line, line: Line, vocabulary: Vocabulary) -> Line:
    head = vocabulary.end_initial(cap.text, line.text)
    marks = tuple(
        replace(mark, start=mark.start + len(head), end=mark.end + len(head)) for mark in line.marks
    )
    return replace(line, text=head + line.text, x0=cap.x0, marks=marks)


def _verses(paragraphs: list[Paragraph], typography: Typography) -> list[Paragraph]:
    """Return the paragraphs; runs of short lines that end in mid-sentence (verse, addresses) are joined."""
    result: list[Paragraph] = []
    run: list[Paragraph] = []
    for paragraph in paragraphs:
        if run and not _same_stanza(run[-1], paragraph, typography):
            result += _stanza(run)
            run = []
        run.append(paragraph)
    return result + _stanza(run)


def _same_stanza(above: Paragraph, below: Paragraph, typography: Typography) -> bool:
    a, b = above.lines[-1], below.lines[0]
    distance = (a.y - b.y) / typography.leading(a.size)
    return (
        len(above.lines) == len(below.lines) == 1
        and a.size == b.size <= 1.1 * typography.body
        and a.page == b.page
        and 0.5 < distance <= _GAP
        and a.bold == b.bold
        and above.kind == below.kind == BlockKind.PARAGRAPH
    )


def _stanza(run: list[Paragraph]) -> list[Paragraph]:
    breaks = [
        bool(_SENTENCE_ENDED.search(above.lines[-1].text.rstrip()[-_TAIL:])) for above, _ in pairwise(run)
    ]
    if not breaks or sum(breaks) >= len(breaks) / 2:
        return run
    lines = [line for paragraph in run for line in paragraph.lines]
    return [Paragraph(lines, run[-1].right, run[-1].left, BlockKind.VERSE, run[0].break_before)]
