"""Separates footnotes and endnotes from the text, and links them to their marks.

A note begins with its label; the mark that cites it, in the text, reads the same.

`labels` finds the marks and the first lines of notes, and `lists` lists of notes. This module finds the
notes at the foot of pages, and determines over which lines each note extends.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile, zip_longest

from alexandria.extract.notes import labels
from alexandria.extract.notes.lists import NoteList, find_bibliographies, find_lists, match_lists
from alexandria.extract.notes.pairing import AT_FOOT
from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.lines import NOTE_SIZE, Line, Mark

_SAME_SIZE = 0.03  # share of the size by which the lines of one note may differ
_MAX_STEP = 4  # largest step between labels on two pages: with more than 1, some were not recognised
_MAX_EXPONENT = 3  # exponents are rarely higher: the first note of an extract may have a higher number
_MAX_MARKS_PER_NOTE = 1.25  # most marks in brackets per note: a bibliography is cited more often than that
_SENTENCE_END = re.compile(r"[.!?…:;)\]]['\"”’»)\]]*\s*$")


@dataclass(slots=True)
class FoundNote:
    """A note and the mark that cites it, if one was found; its lines may be on several pages."""

    key: str
    label: str
    citation: labels.CitedMark | None
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class TextAndNotes:
    """The text without its notes, the notes in order, and the headings above them."""

    columns: list[Column]
    notes: list[FoundNote]
    headings: list[Line]


@dataclass(frozen=True, slots=True)
class _FootnoteArea:
    """The small type at the foot of a column, which may be footnotes: a range of lines in reading order."""

    page: int
    start: int
    stop: int
    has_text: bool  # whether larger type is on its page


@dataclass(frozen=True, slots=True)
class _Candidates:
    """What may be notes and marks in a book."""

    citations: list[labels.CitedMark]
    lists: list[NoteList]
    areas: list[_FootnoteArea]


def separate_notes(columns: Sequence[Column], body_size: float) -> TextAndNotes:
    """Return the columns without notes, and the notes in order.

    A note at the foot of a page is set in small type and begins with the label of a mark on that page; labels
    count up from page to page or begin again at 1. The labels of a list of notes count up as well, and its
    pieces belong to the chapters before them, in order. A mark follows a word: exponents stay in the text,
    and so does small type that no mark cites.
    """
    columns = _with_notes_apart(columns, NOTE_SIZE * body_size)
    lines = [line for column in columns for line in column.lines]
    citations = [*labels.read_citations(lines, NOTE_SIZE * body_size)]
    if not citations:
        return TextAndNotes(list(columns), [], [])
    candidates = _find_candidates(columns, lines, citations, body_size)
    # Footnotes are paired with marks first; endnotes, with the marks that are left.
    footnotes: labels.NotesByLine = {}
    for sequence in _footnote_sequences(lines, candidates.areas, candidates.citations):
        footnotes |= sequence.by_line
    unused = _unused(candidates.citations, footnotes)
    endnotes, headings = match_lists(lines, candidates.lists, unused, footnotes, body_size)
    notes = footnotes | endnotes
    first_lines = _assign_lines(lines, notes, candidates.areas)
    return TextAndNotes(
        columns=[*_drop_lines(columns, first_lines.keys() | headings)],
        notes=[*_make_notes(lines, notes, first_lines)],
        headings=[lines[line_index] for line_index in sorted(headings)],
    )


def _find_candidates(
    columns: Sequence[Column], lines: Sequence[Line], citations: Sequence[labels.CitedMark], body_size: float
) -> _Candidates:
    """Return what may be notes, lists and areas of small type, and the marks that may cite them."""
    # Bibliographies are neither, and at the beginning of a line in a list, a mark is a label.
    bibliographies = find_bibliographies(lines, body_size)
    lists = find_lists(lines, NOTE_SIZE * body_size, bibliographies)
    titled = [note_list for note_list in lists if note_list.heading is not None]
    under_heading = {i for note_list in titled for piece in note_list.pieces for i in range(*piece)}
    listed_lines = bibliographies | under_heading
    return _Candidates(
        citations=[c for c in citations if c.mark.start or c.line_index not in listed_lines],
        lists=lists,
        areas=[
            area
            for area in _find_footnote_areas(columns, NOTE_SIZE * body_size)
            if area.start not in under_heading
            and (area.start not in bibliographies or _has_raised_label(lines, area))
        ],
    )


def _unused(citations: Iterable[labels.CitedMark], footnotes: labels.NotesByLine) -> list[labels.CitedMark]:
    """Return the marks that cite no footnote; in a list, "(1)" is a condition or an equation as often."""
    used = {citation for _, citation in footnotes.values()}
    return [c for c in citations if c not in used and not c.mark.label.startswith("(")]


def _with_notes_apart(columns: Sequence[Column], max_note_size: float) -> list[Column]:
    """Return the columns, with lines of notes cut where another note begins in the middle of the line."""
    # The raised label of that note must follow the end of a sentence and the previous label of its page, and
    # be cited on the page.
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
    """Return the offsets of labels at which a line is cut, and the last label on the page up to its end."""
    # `last_label`: the last label on the page before this line; empty if there is none.
    # `cited`: the labels of marks in the text of the page.
    cuts: list[int] = []
    for mark in line.marks:
        if mark.start == 0:
            last_label = mark.label
        elif (
            last_label
            and mark.label in cited
            and labels.follows(mark.label, last_label)
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


def _make_notes(
    lines: Sequence[Line], notes: labels.NotesByLine, first_lines: Mapping[int, int]
) -> Iterator[FoundNote]:
    """Yield the notes in reading order."""
    # `first_lines`: the index of the note's first line, by the index of each line of a note, in order.
    note_lines: dict[int, list[Line]] = defaultdict(list)
    for line_index, first in first_lines.items():
        note_lines[first].append(lines[line_index])
    for number, (first, (start, citation)) in enumerate(sorted(notes.items()), start=1):
        yield FoundNote(f"note-{number}", start.label, citation, note_lines[first])


def find_note_text_start(line: Line) -> int:
    """Return the offset after the label of a note's first line."""
    label = labels.read_label(line)
    return label.end if label else 0


def note_keys(notes: Iterable[FoundNote]) -> Iterator[tuple[tuple[Line, Mark], str]]:
    """Yield the line and the mark that cite a note, and the note's key, for each note that is cited."""
    for note in notes:
        if note.citation:
            yield (note.citation.line, note.citation.mark), note.key


def _find_footnote_areas(columns: Sequence[Column], max_note_size: float) -> Iterator[_FootnoteArea]:
    """Yield the small type at the foot of each column, unless larger type is below it on the page."""
    # By page: each column with larger type, and the height of the lowest line of that type.
    larger_type: dict[int, list[tuple[Column, float]]] = defaultdict(list)
    for column in columns:
        heights = [line.y for line in column.lines if line.size > max_note_size]
        if heights:
            larger_type[column.lines[0].page].append((column, min(heights)))
    stop = 0  # the index after the column's last line, in the book
    for column in columns:
        stop += len(column.lines)
        small_lines = list(takewhile(lambda line: line.size <= max_note_size, reversed(column.lines)))
        if not small_lines:
            continue
        first = small_lines[-1]  # the uppermost
        columns_below = (c for c, lowest in larger_type[first.page] if lowest < first.y and c is not column)
        if not any(c.left < first.x1 and first.x0 < c.right for c in columns_below):
            yield _FootnoteArea(first.page, stop - len(small_lines), stop, bool(larger_type[first.page]))


def _has_raised_label(lines: Sequence[Line], area: _FootnoteArea) -> bool:
    """Return whether an area begins with a raised label, directly below larger type, as footnotes do."""
    return labels.begins_raised(lines[area.start]) and _is_below_larger(lines, area.start)


def _is_below_larger(lines: Sequence[Line], line_index: int) -> bool:
    if line_index == 0:
        return False
    above, line = lines[line_index - 1], lines[line_index]
    return above.page == line.page and above.y > line.y and above.size > line.size


def _footnote_sequences(
    lines: Sequence[Line], areas: Sequence[_FootnoteArea], citations: Sequence[labels.CitedMark]
) -> Iterator[labels.NoteSequence]:
    """Yield the sequences of notes at the feet of pages, whose labels also count up from page to page."""
    sequences = _sequences_by_page(lines, areas, citations)
    if _bracketed_marks_cite_works(sequences, citations):
        sequences = [sequence for sequence in sequences if not sequence.has_bracketed_marks]
    last_number = 0  # of the sequence before
    for sequence, next_sequence in zip_longest(sequences, sequences[1:]):
        if _counts_up(sequence, last_number, next_sequence):
            last_number = sequence.last_number or last_number
            yield sequence


def _sequences_by_page(
    lines: Sequence[Line], areas: Sequence[_FootnoteArea], citations: Sequence[labels.CitedMark]
) -> list[labels.NoteSequence]:
    """Return the sequences of notes at the foot of each page, cited on the page or on the one before."""
    citations_by_page: dict[int, list[labels.CitedMark]] = defaultdict(list)
    for citation in citations:
        citations_by_page[citation.line.page].append(citation)
    starts_by_page: dict[int, list[labels.NoteStart]] = defaultdict(list)
    for area in areas:
        starts = labels.find_note_starts(lines, area.start, area.stop)
        # On a page without text, small type is a table or a list, unless its labels are raised.
        starts_by_page[area.page] += [start for start in starts if start.is_raised or area.has_text]
    sequences: list[labels.NoteSequence] = []
    used: set[labels.CitedMark | None] = set()
    for page, starts in sorted(starts_by_page.items()):
        first = starts[0].line_index if starts else 0
        # A note that did not fit on the page of its mark is on the next page.
        before = [c for c in citations_by_page[page - 1] if c.weight == labels.CERTAIN and c not in used]
        # Below the first label, a mark at the beginning of a line is itself a label.
        on_page = [c for c in citations_by_page[page] if c.line_index < first or c.mark.start > 0]
        label_lines = {start.line_index for start in starts}
        candidates = [c for c in (*before, *on_page) if c.line_index not in label_lines]
        citation_of = labels.find_citations(starts, candidates, AT_FOOT)
        page_sequences = labels.find_note_sequences(starts, citation_of, backwards=False)
        used.update(citation for sequence in page_sequences for _, citation in sequence.notes)
        sequences += page_sequences
    return sequences


def _bracketed_marks_cite_works(
    sequences: Sequence[labels.NoteSequence], citations: Sequence[labels.CitedMark]
) -> bool:
    """Return whether the marks in brackets cite the works of a bibliography rather than footnotes."""
    # A footnote is cited once, a work often: there are then many more such marks than notes that they cite.
    n_bracketed_marks = sum(citation.mark.label.startswith("[") for citation in citations)
    n_notes_cited = sum(sequence.n_cited for sequence in sequences if sequence.has_bracketed_marks)
    return n_bracketed_marks > _MAX_MARKS_PER_NOTE * n_notes_cited


def _counts_up(
    sequence: labels.NoteSequence, last_number: int, next_sequence: labels.NoteSequence | None
) -> bool:
    """Return whether the labels of a sequence count up as those of notes do, and not by chance."""
    # They continue the sequence before it, begin at 1, or are continued by the sequence after it.
    # `last_number`: that of the sequence before; 0 if there was none.
    if sequence.first_number is None or sequence.last_number is None:
        return True  # signs, which are never exponents
    if sequence.first_number in (1, last_number + 1):
        may_be_exponent = sequence.first_number == 1 and not sequence.notes[0][0].brackets
        min_weight = labels.CERTAIN if may_be_exponent else labels.DOUBTFUL
        # A raised label at the foot of a page is not part of a formula, whatever its mark follows.
        return sequence.is_raised or sequence.weight >= min_weight
    if sequence.weight < labels.CERTAIN:
        return False
    is_continued = next_sequence is not None and next_sequence.first_number == sequence.last_number + 1
    step = sequence.first_number - last_number
    is_near = 0 < step <= _MAX_STEP if last_number else sequence.first_number > _MAX_EXPONENT
    return is_near or sequence.n_cited > 1 or is_continued


def _assign_lines(
    lines: Sequence[Line], notes: labels.NotesByLine, areas: Sequence[_FootnoteArea]
) -> dict[int, int]:
    """Return, for each line of a note in order, the index of the note's first line."""
    # A note extends to the next note, or to the end of its area or list. It may continue in the next area.

    def lines_before_note(start: int, stop: int) -> Iterator[int]:
        return takewhile(lambda i: i not in notes, range(start, stop))

    first_lines: dict[int, int] = {}
    for first, (start, _) in sorted(notes.items()):
        first_lines[first] = first
        first_lines.update((i, first) for i in lines_before_note(first + 1, start.stop))
    for area in areas:
        if area.start in first_lines:
            continue
        last_above = max((line_index for line_index in first_lines if line_index < area.start), default=None)
        if last_above is None:
            continue
        line = lines[area.start]
        has_notes = any(line_index in notes for line_index in range(area.start, area.stop))
        is_above_labels = has_notes and _is_below_larger(lines, area.start) and not labels.read_label(line)
        if _continues_note(lines[last_above], line, is_above_labels=is_above_labels):
            first = first_lines[last_above]
            first_lines.update((i, first) for i in lines_before_note(area.start, area.stop))
    return dict(sorted(first_lines.items()))


def _continues_note(last_line: Line, line: Line, *, is_above_labels: bool) -> bool:
    """Return whether the small type that begins with `line` continues the note that ends with `last_line`."""
    # If `last_line` ends a sentence, the note continues only if the line is above the labels of other notes.
    is_same_size = abs(line.size - last_line.size) < _SAME_SIZE * last_line.size
    if not is_same_size or line.page > last_line.page + 1:
        return False
    return is_above_labels or not _SENTENCE_END.search(last_line.text)


def _drop_lines(columns: Iterable[Column], removed: set[int]) -> Iterator[Column]:
    """Yield the columns without the lines that have these indices in the book; drop empty columns."""
    line_index = 0
    for column in columns:
        lines = tuple(line for i, line in enumerate(column.lines, line_index) if i not in removed)
        line_index += len(column.lines)
        if lines:
            yield replace(column, lines=lines)
