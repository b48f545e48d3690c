"""Cuts lines at the foot of a page in which one note follows another: then each note begins a line."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.labels import follows
from alexandria.extract.pdf.lines import Line

_SENTENCE_END = re.compile(r"[.!?…:;)\]]['\"”’»)\]]*\s*$")


def with_notes_apart(columns: Sequence[Column], max_note_size: float) -> list[Column]:
    """Return the columns, with lines of notes cut where another note begins in the middle of the line.

    The raised label of that note must follow the end of a sentence and the previous label of its page, and be
    cited on the page.
    """
    cited: dict[int, set[str]] = defaultdict(set)  # labels by page
    for line in (line for column in columns for line in column.lines):
        if line.marks and line.size > max_note_size:
            cited[line.page].update(mark.label for mark in line.marks)
    cut_columns: list[Column] = []
    page, last_label = -1, ""
    for column in columns:
        lines: list[Line] = []
        for line in column.lines:
            if line.size > max_note_size or not line.marks:
                lines.append(line)
                continue
            if line.page != page:
                page, last_label = line.page, ""
            cuts, last_label = _find_cuts(line, last_label, cited[page])
            lines += _cut_line(line, cuts) if cuts else [line]
        is_cut = len(lines) > len(column.lines)
        cut_columns.append(replace(column, lines=tuple(lines)) if is_cut else column)
    return cut_columns


def _find_cuts(line: Line, last_label: str, cited: set[str]) -> tuple[list[int], str]:
    """Return the offsets of labels at which a line is cut, and the last label on the page up to its end.

    Args:
        line: a line in small type.
        last_label: the last label on the page before this line; empty if there is none.
        cited: the labels of marks in the text of the page.
    """
    cuts: list[int] = []
    for mark in line.marks:
        if mark.start == 0:
            last_label = mark.label
        elif (
            last_label
            and mark.label in cited
            and follows(mark.label, last_label)
            and _SENTENCE_END.search(line.text[: mark.start])
        ):
            cuts.append(mark.start)
            last_label = mark.label
    return cuts, last_label


def _cut_line(line: Line, cuts: Sequence[int]) -> Iterator[Line]:
    """Yield the pieces of a line; their edges are estimated from the mean width of a character."""
    for start, end in pairwise((0, *cuts, len(line.text))):
        yield line._replace(
            text=line.text[start:end].rstrip(),
            x0=line.x0 + start * line.character_width,
            x1=line.x0 + end * line.character_width,
            marks=tuple(mark.moved(-start) for mark in line.marks if start <= mark.start < end),
        )
