"""Notes that follow each other within a line at the foot of a page, made lines of their own."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.labels import follows
from alexandria.extract.pdf.lines import Line

_ENDED = re.compile(r"[.!?…:;)\]]['\"”’»)\]]*\s*$")


def with_notes_apart(columns: Sequence[Column], small: float) -> list[Column]:
    """Return the columns, in which lines of small type are cut before a raised label of the next note.

    The label must follow the end of a sentence and the previous label of its page, and be cited on the page.
    """
    marks: dict[int, set[str]] = defaultdict(set)
    for line in (line for column in columns for line in column.lines if line.marks and line.size > small):
        marks[line.page].update(mark.label for mark in line.marks)
    apart: list[Column] = []
    page, last = -1, ""
    for column in columns:
        lines: list[Line] = []
        for line in column.lines:
            if line.size > small or not line.marks:
                lines.append(line)
                continue
            if line.page != page:
                page, last = line.page, ""
            cuts, last = _cuts(line, last, marks[page])
            lines += _pieces(line, cuts) if cuts else [line]
        apart.append(replace(column, lines=tuple(lines)) if len(lines) > len(column.lines) else column)
    return apart


def _cuts(line: Line, last: str, cited: set[str]) -> tuple[list[int], str]:
    """Return the offsets of labels in the line, and the last label on the page so far."""
    cuts: list[int] = []
    for mark in line.marks:
        if mark.start == 0:
            last = mark.label
        elif (
            last
            and mark.label in cited
            and follows(mark.label, last)
            and _ENDED.search(line.text[: mark.start])
        ):
            cuts.append(mark.start)
            last = mark.label
    return cuts, last


def _pieces(line: Line, cuts: Sequence[int]) -> Iterator[Line]:
    for start, end in pairwise((0, *cuts, len(line.text))):
        yield replace(
            line,
            text=line.text[start:end].rstrip(),
            x0=line.x0 + start * line.character_width,
            x1=line.x0 + end * line.character_width,
            marks=tuple(
                replace(mark, start=mark.start - start, end=mark.end - start)
                for mark in line.marks
                if start <= mark.start < end
            ),
        )
