"""Finds lists of notes at the end of chapters or of the book, and pairs them with the marks before them.

A note begins with its label; the mark that cites it, in the text, reads the same.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from alexandria.extract.notes import labels
from alexandria.extract.notes.pairing import IN_LISTS
from alexandria.extract.pdf.lines import Line
from alexandria.extract.words import read_words

_WORDS = read_words("endnotes")
_HEADINGS = frozenset(_WORDS["headings"].split("|"))
_BIBLIOGRAPHIES = frozenset(_WORDS["bibliographies"].split("|"))
_MAX_LEAD = 4  # how many lines below a heading the first note begins, at most; subheadings may precede it
_SAME_SIZE = 0.03  # share of the size by which the lines of one list may differ
_MAX_SIZE = 1.1  # times the body size: larger type is a heading or a list of authors
_MAX_HEADING = 100  # most characters of a heading
_MIN_CITED = 0.6  # smallest share of a list's notes that marks cite: formulas and tables meet fewer by chance


@dataclass(frozen=True, slots=True)
class NoteList:
    """A list of notes, which subheadings may divide into pieces."""

    pieces: tuple[tuple[int, int], ...]  # of each piece, the first line and the one after its last, in order
    heading: int | None  # index of its heading; None for a list in small type without one


def _is_notes_heading(line: Line) -> bool:
    return len(line.text) < _MAX_HEADING and line.text.strip(" .:").casefold() in _HEADINGS


def find_bibliographies(lines: Sequence[Line], body_size: float) -> frozenset[int]:
    """Return the indices of the lines in bibliographies: they may be numbered, but are not notes.

    A bibliography reaches from its heading to the next heading of the same level or a higher one.
    """
    inside: list[int] = []
    heading: Line | None = None
    for line_index, line in enumerate(lines):
        text = line.text if len(line.text) < _MAX_HEADING else ""
        if text.lstrip(" .:0123456789").rstrip(" .:").casefold() in _BIBLIOGRAPHIES:
            heading = line
        elif heading and _is_heading_like(line, heading, body_size):
            heading = None
        if heading:
            inside.append(line_index)
    return frozenset(inside)


def _is_heading_like(line: Line, heading: Line, body_size: float) -> bool:
    """Return whether a line looks like a heading of the same level as `heading`, or of a higher one."""
    if line.size <= body_size and not line.bold:
        return False
    return line.size >= (1 - _SAME_SIZE) * heading.size and line.bold >= heading.bold


def find_lists(lines: Sequence[Line], max_note_size: float, excluded: Collection[int]) -> list[NoteList]:
    """Return what may be lists of notes, in reading order: lines below a heading of notes, or in small type.

    Args:
        max_note_size: the largest size of notes without a heading.
        excluded: indices of lines with which no list begins.
    """
    lists: list[NoteList] = []
    line_index = 0
    while line_index < len(lines):
        note_list = None if line_index in excluded else _list_at(lines, line_index, max_note_size)
        if note_list:
            lists.append(note_list)
            line_index = note_list.pieces[-1][1]
        else:
            line_index += 1
    return lists


def _list_at(lines: Sequence[Line], line_index: int, max_note_size: float) -> NoteList | None:
    """Return the list that begins at a line, its heading or the first line in small type; otherwise None."""
    if _is_notes_heading(lines[line_index]):
        return _list_under_heading(lines, line_index)
    if lines[line_index].size > max_note_size:
        return None
    return _list_in_small_type(lines, line_index, max_note_size)


def _list_under_heading(lines: Sequence[Line], heading: int) -> NoteList | None:
    """Return the list below the heading with this index, across subheadings; None if no note follows it."""
    pieces: list[tuple[int, int]] = []
    stop = heading + 1
    while (first := _find_label(lines, stop)) is not None:
        if pieces and not _continues_list(lines, pieces[-1], first):
            break
        stop = first + 1
        while stop < len(lines) and _is_in_list(lines[stop], lines[first]):
            stop += 1
        pieces.append((first, stop))
    return NoteList(tuple(pieces), heading) if pieces else None


def _find_label(lines: Sequence[Line], start: int) -> int | None:
    """Return the index of the first line with a label, at or just below `start`, or None if there is none."""
    stop = min(start + _MAX_LEAD, len(lines))
    return next((i for i in range(start, stop) if labels.read_label(lines[i])), None)


def _continues_list(lines: Sequence[Line], last_piece: tuple[int, int], first: int) -> bool:
    """Return whether the line `first`, below a subheading, goes on with a list of notes."""
    # Its label is 1, where each chapter counts from 1 again, or the number after a label of the last piece.
    if abs(lines[first].size - lines[last_piece[0]].size) > _SAME_SIZE * lines[first].size:
        return False
    label = labels.read_label(lines[first])
    if label is None:
        return False
    last_labels = {start.label for start in labels.find_note_starts(lines, *last_piece)}
    return label.text == "1" or (label.text.isdecimal() and str(int(label.text) - 1) in last_labels)


def _is_in_list(line: Line, first: Line) -> bool:
    """Return whether a line may belong to the piece of a list that begins with the line `first`."""
    if line.bold and not first.bold:
        return False  # a heading
    return line.size <= (1 + _SAME_SIZE) * first.size and not _is_notes_heading(line)


def _list_in_small_type(lines: Sequence[Line], start: int, max_note_size: float) -> NoteList | None:
    """Return the list in the small type that begins at `start`, from its first label on; None without one."""
    stop = start
    while stop < len(lines) and lines[stop].size <= max_note_size:
        stop += 1
    starts = labels.find_note_starts(lines, start, stop)
    return NoteList(((starts[0].line_index, stop),), None) if starts else None


def match_lists(
    lines: Sequence[Line],
    lists: Sequence[NoteList],
    citations: Sequence[labels.CitedMark],
    note_starts_elsewhere: Collection[int],
    body_size: float,
) -> tuple[labels.NotesByLine, set[int]]:
    """Return the notes in these lists that are cited by marks before them, and the lines above the notes.

    The notes are by the indices of their first lines; the lines are the indices of headings.

    Args:
        citations: the marks that cite no other notes.
        note_starts_elsewhere: indices of lines that begin other notes.
        body_size: the size of the body text; marks in larger type, such as those of authors' names, are
        ignored.
    """
    citations = [c for c in citations if c.line.size <= _MAX_SIZE * body_size and c.weight > labels.SYMBOL]
    starts_by_piece = {
        piece: [
            start
            for start in labels.find_note_starts(lines, *piece)
            if start.line_index not in note_starts_elsewhere
        ]
        for note_list in lists
        for piece in note_list.pieces
    }
    starts = [start for piece_starts in starts_by_piece.values() for start in piece_starts]
    citation_of = labels.find_citations(starts, citations, IN_LISTS)
    notes: labels.NotesByLine = {}
    headings: set[int] = set()
    last_number = 0  # of the sequence before
    for note_list in lists:
        has_heading = note_list.heading is not None
        for piece in note_list.pieces:
            piece_starts = starts_by_piece[piece]
            for sequence in _accept_sequences(
                piece_starts, citation_of, has_heading=has_heading, last_number=last_number
            ):
                last_number = sequence.last_number or last_number
                headings.update(_headings_above(note_list, piece))
                notes |= sequence.by_line
    return notes, headings


def _accept_sequences(
    starts: Sequence[labels.NoteStart],
    citation_of: dict[labels.NoteStart, labels.CitedMark],
    *,
    has_heading: bool,
    last_number: int,
) -> Iterator[labels.NoteSequence]:
    """Yield the sequences that are accepted: marks cite most of the notes, at least one of them certainly."""
    # Without a heading, a sequence must have two notes or more, be cited by raised marks only, and begin at 1
    # or after the last number of the piece before.
    # `last_number`: that of the pieces before; 0 if there were none.
    for sequence in labels.find_note_sequences(starts, citation_of, backwards=True):
        if sequence.n_cited < _MIN_CITED * len(sequence.notes) or sequence.weight < labels.CERTAIN:
            continue
        counts_on = sequence.first_number in (1, last_number + 1)
        if has_heading or (counts_on and len(sequence.notes) > 1 and not sequence.has_bracketed_marks):
            yield sequence


def _headings_above(note_list: NoteList, piece: tuple[int, int]) -> Iterator[int]:
    """Yield the indices of a list's heading, and of the lines between a piece and the piece before it."""
    # The lines between two pieces are subheadings. A list without a heading has none.
    if note_list.heading is None:
        return
    earlier_stops = [stop for _, stop in note_list.pieces if stop <= piece[0]]
    stop_before = earlier_stops[-1] if earlier_stops else note_list.heading + 1
    yield note_list.heading
    yield from range(stop_before, piece[0])
