"""Footnotes and chapter endnotes, set apart from the text and linked to their marks."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.lines import Line, Mark

_SMALL = 0.92
"""Times the body size: notes are at 75–90 %, while a quotation may be at 95 %."""
_LABEL = re.compile(r"\s*[\[(]?(\d{1,3}|[*†‡§¶]{1,3})[\])]?[.:]?(?=\s|[^\W\d_]|[“\"‘'«])")
_ENDED = re.compile(r"[.!?…:;)\]]['\"”’»)\]]*\s*$")
_HEADINGS = frozenset(
    (
        "notes",
        "note",
        "endnotes",
        "footnotes",
        "anmerkungen",
        "fußnoten",
        "notas",
        "notizen",
        "noten",
        "bilješke",
    )
)


@dataclass(slots=True)
class FoundNote:
    """A note and the mark that cites it; its lines may be on several pages."""

    key: str
    label: str
    cited_in: Line
    mark: Mark
    lines: list[Line]


@dataclass(slots=True)
class _Search:
    """The state of the search: marks whose notes have not been found yet, and the notes found."""

    small: float
    open_marks: list[tuple[Line, Mark]] = field(default_factory=list)
    notes: list[FoundNote] = field(default_factory=list)

    def begin_note(self, line: Line) -> FoundNote | None:
        """Return the new note that begins with a line; None if nothing cites its label."""
        label = note_label(line)
        cited = [pair for pair in self.open_marks if pair[1].label == label]
        if label is None or not cited:
            return None
        # The first mark on this page, otherwise the latest before it: signs are used again on every page.
        pair = next((pair for pair in cited if pair[0].page == line.page), cited[-1])
        self.open_marks.remove(pair)
        note = FoundNote(f"note-{len(self.notes) + 1}", label, *pair, [line])
        self.notes.append(note)
        return note

    def is_small(self, line: Line) -> bool:
        return line.size <= self.small


def note_label(line: Line) -> str | None:
    """Return the number or sign at the start of a note's first line, or None."""
    if line.marks and line.marks[0].start == 0:
        return line.marks[0].label
    match = _LABEL.match(line.text)
    return match.group(1) if match else None


def note_text_start(line: Line) -> int:
    """Return the offset after the label of a note's first line."""
    if line.marks and line.marks[0].start == 0:
        return line.marks[0].end
    match = _LABEL.match(line.text)
    return match.end() if match else 0


def take_notes(columns: Iterable[Column], body: float) -> tuple[list[Column], list[FoundNote]]:
    """Return the columns without notes, and the notes in order.

    A note is set in small type and begins with the label of an earlier raised mark. It extends over the small
    type that follows, also at the foot of the next page.
    """
    search = _Search(_SMALL * body)
    remaining: list[Column] = []
    running: FoundNote | None = None
    for column in columns:
        lines, running = _column(column.lines, search, running)
        if lines:
            remaining.append(replace(column, lines=tuple(lines)))
        elif remaining and column.lines:
            remaining = _without_heading(remaining)
    return remaining, search.notes


def _column(
    lines: tuple[Line, ...], search: _Search, running: FoundNote | None
) -> tuple[list[Line], FoundNote | None]:
    """Return the lines of a column that are not notes, and the note that is open at its end."""
    remaining: list[Line] = []
    foot = _foot(lines, search)
    note = running if running and lines and _continues(running, lines[0], search) else None
    for i, line in enumerate(lines):
        if search.is_small(line):
            if i == foot and note is None and running and _continues(running, line, search):
                note = running
            begun = search.begin_note(line)
            if begun:
                if note is None and remaining and _is_heading(remaining[-1]):
                    remaining.pop()
                note = begun
                continue
            if note:
                note.lines.append(line)
                continue
        note = None
        search.open_marks += [(line, mark) for mark in line.marks]
        remaining.append(line)
    return remaining, note


def _continues(note: FoundNote, line: Line, search: _Search) -> bool:
    """Return whether small type continues the note of the previous page, which ended in mid-sentence."""
    same_size = abs(line.size - note.lines[-1].size) < 0.2
    return search.is_small(line) and same_size and not _ENDED.search(note.lines[-1].text)


def _foot(lines: tuple[Line, ...], search: _Search) -> int:
    """Return the index of the first line of small type at the end of a column; its length without any."""
    first = len(lines)
    while first and search.is_small(lines[first - 1]):
        first -= 1
    return first


def _is_heading(line: Line) -> bool:
    return line.text.strip(" .:").casefold() in _HEADINGS


def _without_heading(columns: list[Column]) -> list[Column]:
    """Drop a heading "Notes" at the end of a column whose notes are in the next one."""
    last = columns[-1]
    if not _is_heading(last.lines[-1]):
        return columns
    return [*columns[:-1], *([replace(last, lines=last.lines[:-1])] if last.lines[1:] else [])]


def note_keys(notes: Iterable[FoundNote]) -> Iterator[tuple[tuple[Line, Mark], str]]:
    """Yield each cited mark and the key of its note."""
    for note in notes:
        yield (note.cited_in, note.mark), note.key
