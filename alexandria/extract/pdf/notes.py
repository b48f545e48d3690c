"""Separates footnotes and endnotes from the text, and links them to their marks.

`citations` finds the marks, `labels` the first lines of notes, and `endnotes` lists of notes. This module
finds the notes at the foot of pages, and determines over which lines each note extends.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from alexandria.extract.pdf.citations import (
    CERTAIN,
    DOUBTFUL,
    Citation,
    match_citations,
    read_citations,
)
from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.endnotes import find_bibliographies, find_lists, match_lists
from alexandria.extract.pdf.labels import NoteRun, NoteStart, note_runs, note_starts, read_label
from alexandria.extract.pdf.lines import Line, Mark
from alexandria.extract.pdf.run_in import with_notes_apart

_SMALL = 0.92
"""Times the body size: notes are at 75–90 %, while a quotation may be at 95 %."""
_SAME_SIZE = 0.03
"""Share of the size by which the lines of one note may differ."""
_MAX_STEP = 4
"""Largest step between labels on two pages: with more than 1, marks or notes were not recognised."""
_MAX_EXPONENT = 3
"""Exponents are rarely higher: the first note of an extract may have a higher number."""
_MAX_MARKS_PER_NOTE = 1.25
"""Most marks in brackets per note: more are those of a bibliography, whose entries are cited repeatedly."""
_SENTENCE_END = re.compile(r"[.!?…:;)\]]['\"”’»)\]]*\s*$")


@dataclass(slots=True)
class FoundNote:
    """A note and the mark that cites it, if one was found; its lines may be on several pages."""

    key: str
    label: str
    citation: Citation | None
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class TextAndNotes:
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
class _NoteSpan:
    """A note's label, its mark, and the index of the line before which it must end."""

    label: str
    citation: Citation | None
    stop: int


def separate_notes(columns: Sequence[Column], body: float) -> TextAndNotes:
    """Return the columns without notes, and the notes in order.

    A note at the foot of a page is set in small type and begins with the label of a mark on that page; labels
    count up from page to page or begin again at 1. The labels of a list of notes count up as well, and its
    pieces belong to the chapters before them, in order. A mark follows a word: exponents stay in the text,
    and so does small type that no mark cites.
    """
    small = _SMALL * body
    columns = with_notes_apart(columns, small)
    lines = [line for column in columns for line in column.lines]
    citations = list(read_citations(lines, small))
    if not citations:
        return TextAndNotes(list(columns), [], [])
    bibliographies = find_bibliographies(lines, body)
    lists = find_lists(lines, small, bibliographies)
    pieces = [piece for note_list in lists if note_list.heading is not None for piece in note_list.pieces]
    under_heading = {at for piece in pieces for at in range(*piece)}  # indices of lines
    # At the beginning of a line in a list, a mark is a label.
    citations = [c for c in citations if c.mark.start or c.at not in bibliographies | under_heading]
    feet = [
        foot
        for foot in _find_feet(columns, small)
        if foot.start not in under_heading
        and (foot.start not in bibliographies or _has_raised_label(lines, foot))
    ]
    spans = _footnote_spans(lines, feet, citations)
    # By identity: the hash of a citation is that of its whole line.
    used = {id(span.citation) for span in spans.values()}
    remaining = [citation for citation in citations if id(citation) not in used]
    headings: set[int] = set()
    for listed_run in match_lists(lines, lists, remaining, spans, body):
        headings.update(listed_run.headings)
        for start, citation in listed_run.run.notes:
            spans[start.at] = _NoteSpan(start.label, citation, listed_run.stop)
    first_lines = _assign_lines(lines, spans, feet)
    note_lines: dict[int, list[Line]] = defaultdict(list)
    for at, first in first_lines.items():
        note_lines[first].append(lines[at])
    return TextAndNotes(
        list(_without_lines(columns, first_lines.keys() | headings)),
        [
            FoundNote(f"note-{i}", span.label, span.citation, note_lines[at])
            for i, (at, span) in enumerate(sorted(spans.items()), 1)
        ],
        [lines[at] for at in sorted(headings)],
    )


def note_text_start(line: Line) -> int:
    """Return the offset after the label of a note's first line."""
    label = read_label(line)
    return label.end if label else 0


def note_keys(notes: Iterable[FoundNote]) -> Iterator[tuple[tuple[Line, Mark], str]]:
    """Yield the line and the mark that cite a note, and the note's key, for each note that is cited."""
    for note in notes:
        if note.citation:
            yield (note.citation.line, note.citation.mark), note.key


def _find_feet(columns: Sequence[Column], small: float) -> Iterator[_Foot]:
    """Yield the small type at the foot of each column, unless larger type is below it on the page."""
    # By page: each column with larger type, and the height of the lowest line of that type.
    lowest_larger: dict[int, list[tuple[float, Column]]] = defaultdict(list)
    for column in columns:
        ys = [line.y for line in column.lines if line.size > small]
        if ys:
            lowest_larger[column.lines[0].page].append((min(ys), column))
    stop = 0  # the index after the column's last line, in the book
    for column in columns:
        stop += len(column.lines)
        start = stop
        while start > stop - len(column.lines) and column.lines[start - stop - 1].size <= small:
            start -= 1
        if start == stop:
            continue
        first = column.lines[start - stop]
        lower = (c for y, c in lowest_larger[first.page] if y < first.y and c is not column)
        if not any(c.left < first.x1 and first.x0 < c.right for c in lower):
            yield _Foot(first.page, start, stop)


def _has_raised_label(lines: Sequence[Line], foot: _Foot) -> bool:
    """Return whether small type below larger type, such as a bibliography, begins with a raised label."""
    first = lines[foot.start]
    has_label = bool(first.marks) and first.marks[0].start == 0 and first.marks[0].is_raised
    return has_label and _is_below_larger(lines, foot.start)


def _is_below_larger(lines: Sequence[Line], at: int) -> bool:
    """Return whether a line is directly below a line of larger type."""
    above, line = lines[at - 1], lines[at]
    return at > 0 and above.page == line.page and above.y > line.y and above.size > line.size


def _footnote_spans(
    lines: Sequence[Line], feet: Sequence[_Foot], citations: Sequence[Citation]
) -> dict[int, _NoteSpan]:
    """Return the notes at the feet of pages, by the indices of their first lines."""
    stops = {at: foot.stop for foot in feet for at in range(foot.start, foot.stop)}
    return {
        start.at: _NoteSpan(start.label, citation, stops[start.at])
        for run in _footnote_runs(lines, feet, citations)
        for start, citation in run.notes
    }


def _footnote_runs(
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
        # A note that did not fit on the page of its mark is on the next page.
        before = [c for c in by_page[page - 1] if c.weight == CERTAIN and id(c) not in used]
        marks = [*before, *(c for c in by_page[page] if c.at < first or c.mark.start > 0)]
        label_lines = {start.at for start in candidates}
        cited = _cited_latest(candidates, [mark for mark in marks if mark.at not in label_lines])
        page_runs = note_runs(candidates, cited, backwards=False)
        used.update(id(citation) for run in page_runs for _, citation in run.notes)
        runs += page_runs
    if _cite_bibliography(runs, citations):
        runs = [run for run in runs if not run.is_flat]
    last = 0
    for i, run in enumerate(runs):
        if _counts_up(run, last, runs[i + 1] if i + 1 < len(runs) else None):
            last = run.last or last
            yield run


def _cite_bibliography(runs: Sequence[NoteRun], citations: Sequence[Citation]) -> bool:
    """Return whether marks in brackets cite entries of a bibliography: more often than once each."""
    n_marks = sum(not citation.mark.is_raised for citation in citations)
    return n_marks > _MAX_MARKS_PER_NOTE * sum(run.n_cited for run in runs if run.is_flat)


def _cited_latest(starts: Sequence[NoteStart], citations: Sequence[Citation]) -> dict[NoteStart, Citation]:
    """Return the citation of each note that has one, in order.

    Where several marks read the same, the one nearest to the foot of the page counts. `match_citations`
    prefers the earliest marks, so both sequences are reversed.
    """
    backwards = [(start.at, start.printed) for start in reversed(starts)]
    pairs = match_citations(backwards, citations[::-1], before=False)
    return {starts[len(starts) - 1 - i]: citation for i, citation in pairs.items()}


def _counts_up(run: NoteRun, last: int, after: NoteRun | None) -> bool:
    """Return whether the labels of a run count up as those of notes do, and not by chance.

    They continue the run before it, begin at 1, or are continued by the run after it.

    Args:
        run: what may be notes at the foot of a page.
        last: the last number of the run before; 0 if there was none.
        after: the next run, if there is one.
    """
    if run.first is None or run.last is None:
        return True  # signs, which are never exponents
    if run.first in (1, last + 1):
        min_weight = CERTAIN if run.first == 1 else DOUBTFUL
        # A raised label at the foot of a page is not part of a formula, whatever its mark follows.
        return run.is_raised or run.weight >= min_weight
    if run.weight < CERTAIN:
        return False
    is_continued = after is not None and after.first == run.last + 1
    is_near = last < run.first <= last + _MAX_STEP if last else run.first > _MAX_EXPONENT
    return is_near or run.n_cited > 1 or is_continued


def _assign_lines(
    lines: Sequence[Line], spans: dict[int, _NoteSpan], feet: Sequence[_Foot]
) -> dict[int, int]:
    """Return, for each line of a note in order, the index of the note's first line.

    A note extends to the next note or to the end of its foot or list; it may continue at the next foot.
    """
    first_lines: dict[int, int] = {}
    for at, span in sorted(spans.items()):
        first_lines[at] = at
        for i in range(at + 1, span.stop):
            if i in spans:
                break
            first_lines[i] = at
    for foot in feet:
        if foot.start in first_lines or not first_lines:
            continue
        before = max((at for at in first_lines if at < foot.start), default=None)
        if before is None:
            continue
        line = lines[foot.start]
        has_notes = any(at in spans for at in range(foot.start, foot.stop))
        is_above_labels = has_notes and _is_below_larger(lines, foot.start) and not read_label(line)
        if not _continues_note(lines[before], line, is_above_labels=is_above_labels):
            continue
        for i in range(foot.start, foot.stop):
            if i in spans:
                break
            first_lines[i] = first_lines[before]
    return dict(sorted(first_lines.items()))


def _continues_note(last: Line, line: Line, *, is_above_labels: bool) -> bool:
    """Return whether the small type that begins with `line` continues the note whose last line was `last`.

    If `last` ends a sentence, the note continues only if the line is above the labels of other notes.
    """
    is_same_size = abs(line.size - last.size) < _SAME_SIZE * last.size
    if not is_same_size or line.page > last.page + 1:
        return False
    return is_above_labels or not _SENTENCE_END.search(last.text)


def _without_lines(columns: Iterable[Column], removed: set[int]) -> Iterator[Column]:
    """Yield the columns without the lines that have these indices in the book, if others remain."""
    at = 0
    for column in columns:
        lines = tuple(line for i, line in enumerate(column.lines, at) if i not in removed)
        at += len(column.lines)
        if lines:
            yield replace(column, lines=lines)
