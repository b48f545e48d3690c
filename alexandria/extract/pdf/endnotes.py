"""Finds lists of notes at the end of chapters or of the book, and pairs them with the marks before them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from alexandria.extract.pdf.citations import CERTAIN, SYMBOL, Citation, match_citations
from alexandria.extract.pdf.labels import NoteRun, NoteStart, note_runs, note_starts, read_label
from alexandria.extract.pdf.lines import Line

_HEADINGS = frozenset(
    {
        "notes", "note", "endnotes", "footnotes", "notes and references", "anmerkungen", "fußnoten",
        "endnoten", "notas", "notizen", "noten", "bilješke", "napomene", "przypisy", "poznámky",
        "примечания",
    }
)  # fmt: skip
_BIBLIOGRAPHIES = frozenset(
    {
        "references", "bibliography", "works cited", "literature", "literature cited", "sources",
        "literatur", "literaturverzeichnis", "quellen", "bibliographie", "références", "bibliografía",
        "referencias", "bibliografia", "riferimenti", "literatuur", "literatura", "popis literature",
        "список литературы", "литература",
    }
)  # fmt: skip
_MAX_LEAD = 4
"""How many lines below a heading the first note begins, at most; subheadings may precede it."""
_SAME_SIZE = 0.03
"""Share of the size by which the lines of one list may differ."""
_MAX_SIZE = 1.1
"""Times the body size: larger type is a heading or a list of authors."""
_MAX_HEADING = 100
"""Most characters of a heading."""
_MIN_CITED = 0.6
"""Smallest share of a list's notes that marks cite: formulas and tables meet fewer by chance."""


@dataclass(frozen=True, slots=True)
class NoteList:
    """A list of notes: pieces between subheadings."""

    pieces: tuple[tuple[int, int], ...]
    """The indices of the first line of each piece, and after its last, in reading order."""
    heading: int | None
    """Index of its heading; None for a list in small type without one."""


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run of notes in a piece of a list."""

    run: NoteRun
    stop: int
    """Index after the piece."""
    headings: tuple[int, ...]
    """Indices of the headings above the piece."""


def _is_notes_heading(line: Line) -> bool:
    """Return whether a line is the heading of notes."""
    return len(line.text) < _MAX_HEADING and line.text.strip(" .:").casefold() in _HEADINGS


def find_bibliographies(lines: Sequence[Line], body: float) -> frozenset[int]:
    """Return the indices of the lines in bibliographies: they may be numbered, but are not notes."""
    inside: list[int] = []
    heading: Line | None = None
    for at, line in enumerate(lines):
        text = line.text.lstrip(" .:0123456789").rstrip(" .:").casefold()
        if len(line.text) < _MAX_HEADING and text in _BIBLIOGRAPHIES:
            heading = line
        elif heading and _is_heading_like(line, heading, body):
            heading = None
        if heading:
            inside.append(at)
    return frozenset(inside)


def _is_heading_like(line: Line, heading: Line, body: float) -> bool:
    """Return whether a line looks like a heading of the same level as `heading`, or of a higher one."""
    if line.size <= body and not line.bold:
        return False
    return line.size >= (1 - _SAME_SIZE) * heading.size and line.bold >= heading.bold


def find_lists(lines: Sequence[Line], small: float, excluded: Collection[int]) -> list[NoteList]:
    """Return what may be lists of notes, in reading order: lines below a heading of notes, or in small type.

    Args:
        lines: of the book, in reading order.
        small: the largest size of notes without a heading.
        excluded: indices of lines with which no list begins.
    """
    lists: list[NoteList] = []
    at = 0
    while at < len(lines):
        note_list = None
        if at not in excluded:
            if _is_notes_heading(lines[at]):
                note_list = _list_under_heading(lines, at)
            elif lines[at].size <= small:
                note_list = _list_in_small_type(lines, at, small)
        if note_list:
            lists.append(note_list)
        at = note_list.pieces[-1][1] if note_list else at + 1
    return lists


def _list_under_heading(lines: Sequence[Line], heading: int) -> NoteList | None:
    """Return the list below the heading with this index, across subheadings; None if no note follows it."""
    pieces: list[tuple[int, int]] = []
    at = heading + 1
    while True:
        first = next((i for i in range(at, min(at + _MAX_LEAD, len(lines))) if read_label(lines[i])), None)
        if first is None or (pieces and not _continues_list(lines, pieces[-1], first)):
            break
        at = first + 1
        while at < len(lines) and _is_in_list(lines[at], lines[first]):
            at += 1
        pieces.append((first, at))
    return NoteList(tuple(pieces), heading) if pieces else None


def _continues_list(lines: Sequence[Line], last_piece: tuple[int, int], first: int) -> bool:
    """Return whether the line `first`, below a subheading, goes on with a list of notes.

    Its label is 1, where each chapter counts from 1 again, or the number after a label of the last piece.
    """
    if abs(lines[first].size - lines[last_piece[0]].size) > _SAME_SIZE * lines[first].size:
        return False
    label = read_label(lines[first])
    if label is None:
        return False
    labels = {start.label for start in note_starts(lines, *last_piece)}
    return label.text == "1" or (label.text.isdecimal() and str(int(label.text) - 1) in labels)


def _is_in_list(line: Line, first: Line) -> bool:
    """Return whether a line may belong to the piece of a list that begins with the line `first`."""
    if line.bold and not first.bold:
        return False
    return line.size <= (1 + _SAME_SIZE) * first.size and not _is_notes_heading(line)


def _list_in_small_type(lines: Sequence[Line], start: int, small: float) -> NoteList | None:
    """Return the list in the small type that begins at `start`, from its first label on; None without one."""
    stop = start
    while stop < len(lines) and lines[stop].size <= small:
        stop += 1
    starts = note_starts(lines, start, stop)
    return NoteList(((starts[0].at, stop),), None) if starts else None


def match_lists(
    lines: Sequence[Line],
    lists: Sequence[NoteList],
    citations: Sequence[Citation],
    note_starts_elsewhere: Collection[int],
    body: float,
) -> Iterator[ListedRun]:
    """Yield the runs of notes in these lists that are cited by marks before them, in order.

    Args:
        lines: in reading order.
        lists: what may be lists of notes, as `find_lists` returns it.
        citations: the marks that cite no other notes.
        note_starts_elsewhere: indices of lines that begin other notes.
        body: the size of the text; marks in larger type, such as those of authors' names, are ignored.
    """
    citations = [c for c in citations if c.line.size <= _MAX_SIZE * body and c.weight > SYMBOL]
    pieces = [(note_list, piece) for note_list in lists for piece in note_list.pieces]
    starts_by_piece = [
        [start for start in note_starts(lines, *piece) if start.at not in note_starts_elsewhere]
        for _, piece in pieces
    ]
    starts = [start for piece_starts in starts_by_piece for start in piece_starts]
    pairs = match_citations([(start.at, start.printed) for start in starts], citations, before=True)
    cited = {starts[i]: citation for i, citation in pairs.items()}
    last = 0
    for (note_list, piece), piece_starts in zip(pieces, starts_by_piece, strict=True):
        has_heading = note_list.heading is not None
        for run in _accept_runs(piece_starts, cited, has_heading=has_heading, last=last):
            last = run.last or last
            yield ListedRun(run, piece[1], tuple(_headings_above(note_list, piece)))


def _accept_runs(
    starts: Sequence[NoteStart], cited: dict[NoteStart, Citation], *, has_heading: bool, last: int
) -> Iterator[NoteRun]:
    """Yield the runs in a piece of a list if most of their notes are cited.

    Without a heading, a run must also begin at 1, or after the `last` number of the run before.
    """
    for run in note_runs(starts, cited, backwards=True):
        if run.n_cited < _MIN_CITED * len(run.notes) or run.weight < CERTAIN:
            continue
        if has_heading or (run.first in (1, last + 1) and len(run.notes) > 1 and not run.is_flat):
            yield run


def _headings_above(note_list: NoteList, piece: tuple[int, int]) -> Iterator[int]:
    """Yield the heading of a list, and the subheadings between one of its pieces and what precedes it."""
    if note_list.heading is None:
        return
    before = [stop for _, stop in note_list.pieces if stop <= piece[0]]
    yield note_list.heading
    yield from range(before[-1] if before else note_list.heading + 1, piece[0])
