"""Footnotes and endnotes, set apart from the text and linked to their marks.

`citations` finds the marks and `labels` the notes' first lines; `endnotes` finds lists of notes, this module
the notes at the foot of pages, and the lines that each note extends over.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from alexandria.extract.pdf.citations import (
    CERTAIN,
    DOUBTFUL,
    SYMBOL,
    Citation,
    match_citations,
    read_citations,
)
from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.endnotes import find_lists, match_lists, sources
from alexandria.extract.pdf.labels import NoteRun, NoteStart, note_runs, note_starts, read_label
from alexandria.extract.pdf.lines import Line, Mark
from alexandria.extract.pdf.run_in import with_notes_apart

_SMALL = 0.92
"""Times the body size: notes are at 75–90 %, while a quotation may be at 95 %."""
_SAME_SIZE = 0.03
"""Share of the size by which the lines of one note differ."""
_SKIPPED = 4
"""Most labels that are missing between two pages: marks or notes that were not recognised."""
_EXPONENT = 3
"""Exponents are rarely higher: the first note of an extract may have a higher number."""
_OFTEN = 1.25
"""Marks in brackets per note: more cite a bibliography, each entry of which may be cited again."""
_ENDED = re.compile(r"[.!?…:;)\]]['\"”’»)\]]*\s*$")


@dataclass(slots=True)
class FoundNote:
    """A note and the mark that cites it, if one was found; its lines may be on several pages."""

    key: str
    label: str
    citation: Citation | None
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class TakenNotes:
    """The text without its notes, the notes in order, and the headings above them."""

    columns: list[Column]
    notes: list[FoundNote]
    headings: list[Line]


@dataclass(frozen=True, slots=True)
class _Foot:
    """The small type at the foot of a column: a range of lines in reading order."""

    page: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Place:
    """A note's label, its mark, and the index of the line up to which it may extend."""

    label: str
    citation: Citation | None
    stop: int


def take_page_notes(columns: Sequence[Column], body: float) -> TakenNotes:
    """Return the columns without notes, and the notes in order.

    A note at the foot of a page is set in small type and begins with the label of a mark on that page; labels
    count up from page to page or begin again at 1. The labels of a list count up as well, and its sections
    meet the chapters before them in order. A mark follows a word: exponents stay in the text, and so does
    small type that no mark cites.
    """
    small = _SMALL * body
    columns = with_notes_apart(columns, small)
    lines = [line for column in columns for line in column.lines]
    citations = list(read_citations(lines, small))
    if not citations:
        return TakenNotes(list(columns), [], [])
    excluded = sources(lines, body)
    lists = find_lists(lines, small, excluded)
    listed = {  # under a heading
        at for each in lists if each.heading is not None for piece in each.pieces for at in range(*piece)
    }
    citations = [c for c in citations if c.mark.start or c.at not in excluded | listed]
    feet = [
        foot
        for foot in _feet(columns, small)
        if foot.start not in listed and (foot.start not in excluded or _has_raised_label(lines, foot))
    ]
    stops = {at: foot.stop for foot in feet for at in range(foot.start, foot.stop)}
    places: dict[int, _Place] = {}
    used: set[int] = set()
    for run in _footnotes(lines, feet, citations):
        for start, citation in run.notes:
            places[start.at] = _Place(start.label, citation, stops[start.at])
            used.add(id(citation))
    remaining = [citation for citation in citations if id(citation) not in used]
    headings: set[int] = set()
    for listed_run in match_lists(lines, lists, remaining, places, body):
        headings.update(listed_run.headings)
        for start, citation in listed_run.run.notes:
            places[start.at] = _Place(start.label, citation, listed_run.stop)
    owners = _owners(lines, places, feet)
    note_lines: dict[int, list[Line]] = defaultdict(list)
    for at, first in owners.items():
        note_lines[first].append(lines[at])
    return TakenNotes(
        list(_without(columns, owners.keys() | headings)),
        [
            FoundNote(f"note-{i}", place.label, place.citation, note_lines[at])
            for i, (at, place) in enumerate(sorted(places.items()), 1)
        ],
        [lines[at] for at in sorted(headings)],
    )


def note_text_start(line: Line) -> int:
    """Return the offset after the label of a note's first line."""
    label = read_label(line)
    return label[1] if label else 0


def note_keys(notes: Iterable[FoundNote]) -> Iterator[tuple[tuple[Line, Mark], str]]:
    """Yield each cited mark and the key of its note."""
    for note in notes:
        if note.citation:
            yield (note.citation.line, note.citation.mark), note.key


def _feet(columns: Sequence[Column], small: float) -> Iterator[_Foot]:
    """Yield the small type at the foot of each column below which the page has no text."""
    lowest: dict[int, list[tuple[float, Column]]] = defaultdict(list)
    for column in columns:
        ys = [line.y for line in column.lines if line.size > small]
        if ys:
            lowest[column.lines[0].page].append((min(ys), column))
    stop = 0
    for column in columns:
        stop += len(column.lines)
        start = stop
        while start > stop - len(column.lines) and column.lines[start - stop - 1].size <= small:
            start -= 1
        if start == stop:
            continue
        first = column.lines[start - stop]
        below = (c for y, c in lowest[first.page] if y < first.y and c is not column)
        if not any(c.left < first.x1 and first.x0 < c.right for c in below):
            yield _Foot(first.page, start, stop)


def _has_raised_label(lines: Sequence[Line], foot: _Foot) -> bool:
    """Return whether small type below larger type, such as a bibliography, begins with a raised label."""
    first = lines[foot.start]
    has_label = bool(first.marks) and first.marks[0].start == 0 and first.marks[0].is_raised
    return has_label and _is_below_larger(lines, foot.start)


def _is_below_larger(lines: Sequence[Line], at: int) -> bool:
    above, line = lines[at - 1], lines[at]
    return at > 0 and above.page == line.page and above.y > line.y and above.size > line.size


def _footnotes(
    lines: Sequence[Line], feet: Sequence[_Foot], citations: Sequence[Citation]
) -> Iterator[NoteRun]:
    """Yield the runs of notes at the feet of pages, whose labels also count up from page to page."""
    by_page: dict[int, list[Citation]] = defaultdict(list)
    for citation in citations:
        by_page[citation.line.page].append(citation)
    starts: dict[int, list[NoteStart]] = defaultdict(list)
    for foot in feet:
        starts[foot.page] += note_starts(lines, foot.start, foot.stop)
    runs: list[NoteRun] = []
    used: set[int] = set()
    for page, candidates in sorted(starts.items()):
        first = candidates[0].at if candidates else 0
        # The mark of a note that did not fit below its own page is on the page before.
        before = [c for c in by_page[page - 1] if c.weight == CERTAIN and id(c) not in used]
        marks = [*before, *(c for c in by_page[page] if c.at < first or c.mark.start > 0)]
        own = {start.at for start in candidates}
        cited = _latest(candidates, [mark for mark in marks if mark.at not in own])
        found = note_runs(candidates, cited, backwards=False)
        used.update(id(citation) for run in found for _, citation in run.notes)
        runs += found
    if _are_sources(runs, citations):
        runs = [run for run in runs if not run.is_flat]
    last = 0
    for i, run in enumerate(runs):
        if _counts_up(run, last, runs[i + 1] if i + 1 < len(runs) else None):
            last = run.last or last
            yield run


def _are_sources(runs: Sequence[NoteRun], citations: Sequence[Citation]) -> bool:
    """Return whether marks in brackets cite entries of a bibliography: more often than once each."""
    n_marks = sum(not citation.mark.is_raised for citation in citations)
    return n_marks > _OFTEN * sum(run.n_cited for run in runs if run.is_flat)


def _latest(starts: Sequence[NoteStart], citations: Sequence[Citation]) -> dict[NoteStart, Citation]:
    """Return the citations of notes, in order; of equals the ones nearest to the foot of the page."""
    backwards = [(start.at, start.printed) for start in reversed(starts)]
    pairs = match_citations(backwards, citations[::-1], before=False)
    return {starts[len(starts) - 1 - i]: citation for i, citation in pairs.items()}


def _counts_up(run: NoteRun, last: int, after: NoteRun | None) -> bool:
    """Return whether a run goes on where the previous one ended, begins at 1, or is gone on with itself."""
    if run.first is None or run.last is None:
        return True  # signs are no exponents
    if run.first in (1, last + 1):
        # A raised label at the foot of a page is no formula, whatever its mark follows.
        return run.is_raised or run.weight > (DOUBTFUL if run.first == 1 else SYMBOL)
    if run.weight < CERTAIN:
        return False
    goes_on = after is not None and after.first == run.last + 1
    near = last < run.first <= last + _SKIPPED if last else run.first > _EXPONENT
    return near or run.n_cited > 1 or goes_on


def _owners(lines: Sequence[Line], places: dict[int, _Place], feet: Sequence[_Foot]) -> dict[int, int]:
    """Return, for each line of a note in order, the index of the note's first line."""
    owners: dict[int, int] = {}
    for at, place in sorted(places.items()):
        owners[at] = at
        for i in range(at + 1, place.stop):
            if i in places:
                break
            owners[i] = at
    for foot in feet:
        if foot.start in owners or not owners:
            continue
        before = max((at for at in owners if at < foot.start), default=None)
        is_first = any(at in places for at in range(foot.start, foot.stop))
        is_first = is_first and _is_below_larger(lines, foot.start) and not read_label(lines[foot.start])
        if before is None or not _goes_on(lines[before], lines[foot.start], is_first=is_first):
            continue
        for i in range(foot.start, foot.stop):
            if i in places:
                break
            owners[i] = owners[before]
    return dict(sorted(owners.items()))


def _goes_on(last: Line, line: Line, *, is_first: bool) -> bool:
    """Return whether small type continues the note of the previous column, which ended in `last`.

    If that ended a sentence, it goes on only above the labels of other notes (`is_first`).
    """
    same_size = abs(line.size - last.size) < _SAME_SIZE * last.size
    return same_size and line.page <= last.page + 1 and (is_first or not _ENDED.search(last.text))


def _without(columns: Iterable[Column], removed: set[int]) -> Iterator[Column]:
    at = 0
    for column in columns:
        lines = tuple(line for i, line in enumerate(column.lines, at) if i not in removed)
        at += len(column.lines)
        if lines:
            yield replace(column, lines=lines)
