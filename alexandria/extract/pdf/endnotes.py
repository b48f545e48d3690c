"""Lists of notes at the end of chapters or of the book, and the chapters they belong to."""

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
_SOURCES = frozenset(
    {
        "references", "bibliography", "works cited", "literature", "literature cited", "sources",
        "literatur", "literaturverzeichnis", "quellen", "bibliographie", "références", "bibliografía",
        "referencias", "bibliografia", "riferimenti", "literatuur", "literatura", "popis literature",
        "список литературы", "литература",
    }
)  # fmt: skip
_LEAD = 4
"""Most lines between a heading and its first note: a subheading with the chapter's number and title."""
_SAME_SIZE = 0.03
"""Share of the size by which the lines of one list differ."""
_LARGEST = 1.1
"""Times the body size: larger type is a heading or a list of authors."""
_TITLE = 100
"""Most characters of a heading."""
_CITED = 0.6
"""Smallest share of a list's notes that marks cite: formulas and tables meet fewer by chance."""


@dataclass(frozen=True, slots=True)
class NoteList:
    """A list of notes: ranges of lines in reading order, apart from each other by subheadings."""

    pieces: tuple[tuple[int, int], ...]
    heading: int | None
    """Index of its heading; None for small type without one."""


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run of notes in a piece of a list."""

    run: NoteRun
    stop: int
    """Index after the piece."""
    headings: tuple[int, ...]
    """Indices of the headings above the piece."""


def is_heading(line: Line) -> bool:
    """Return whether a line is the heading of notes."""
    return len(line.text) < _TITLE and line.text.strip(" .:").casefold() in _HEADINGS


def sources(lines: Sequence[Line], body: float) -> frozenset[int]:
    """Return the indices of the lines in bibliographies: they may be numbered, but are no notes."""
    inside: list[int] = []
    heading: Line | None = None
    for at, line in enumerate(lines):
        text = line.text.lstrip(" .:0123456789").rstrip(" .:").casefold()
        if len(line.text) < _TITLE and text in _SOURCES:
            heading = line
        elif heading and _is_heading_like(line, heading, body):
            heading = None
        if heading:
            inside.append(at)
    return frozenset(inside)


def _is_heading_like(line: Line, heading: Line, body: float) -> bool:
    if line.size <= body and not line.bold:
        return False
    return line.size >= (1 - _SAME_SIZE) * heading.size and line.bold >= heading.bold


def find_lists(lines: Sequence[Line], small: float, excluded: Collection[int]) -> list[NoteList]:
    """Return what may be lists of notes, in reading order: under their headings, or set in small type."""
    lists: list[NoteList] = []
    at = 0
    while at < len(lines):
        found = None
        if at not in excluded:
            if is_heading(lines[at]):
                found = _under_heading(lines, at)
            elif lines[at].size <= small:
                found = _in_small_type(lines, at, small)
        if found:
            lists.append(found)
        at = found.pieces[-1][1] if found else at + 1
    return lists


def _under_heading(lines: Sequence[Line], heading: int) -> NoteList | None:
    pieces: list[tuple[int, int]] = []
    at = heading + 1
    while True:
        first = next((i for i in range(at, min(at + _LEAD, len(lines))) if read_label(lines[i])), None)
        if first is None or (pieces and not _begins_again(lines, pieces[-1], first)):
            break
        at = first + 1
        while at < len(lines) and _belongs(lines[at], lines[first]):
            at += 1
        pieces.append((first, at))
    return NoteList(tuple(pieces), heading) if pieces else None


def _begins_again(lines: Sequence[Line], piece: tuple[int, int], first: int) -> bool:
    """Return whether a line after a subheading goes on with the list: at 1, or with the next number."""
    label = read_label(lines[first])
    labels = {start.label for start in note_starts(lines, *piece)}
    same_size = abs(lines[first].size - lines[piece[0]].size) <= _SAME_SIZE * lines[first].size
    follows = label and (label[0] == "1" or (label[0].isdecimal() and str(int(label[0]) - 1) in labels))
    return same_size and bool(follows)


def _belongs(line: Line, first: Line) -> bool:
    if line.bold and not first.bold:
        return False
    return line.size <= (1 + _SAME_SIZE) * first.size and not is_heading(line)


def _in_small_type(lines: Sequence[Line], start: int, small: float) -> NoteList | None:
    stop = start
    while stop < len(lines) and lines[stop].size <= small:
        stop += 1
    first = next((each.at for each in note_starts(lines, start, stop)), None)
    return NoteList(((first, stop),), None) if first is not None else None


def match_lists(
    lines: Sequence[Line],
    lists: Sequence[NoteList],
    citations: Sequence[Citation],
    taken: Collection[int],
    body: float,
) -> Iterator[ListedRun]:
    """Yield the runs of notes in these lists that meet the marks before them, in order.

    Args:
        lines: in reading order.
        lists: of them.
        citations: the marks that no other note has.
        taken: indices of lines that begin other notes.
        body: the size of the text; the marks of authors, in larger type, lead to their addresses.
    """
    citations = [c for c in citations if c.line.size <= _LARGEST * body and c.weight > SYMBOL]
    starts = [
        [start for start in note_starts(lines, *piece) if start.at not in taken]
        for each in lists
        for piece in each.pieces
    ]
    flat = [start for piece in starts for start in piece]
    pairs = match_citations([(start.at, start.printed) for start in flat], citations, before=True)
    cited = {flat[i]: citation for i, citation in pairs.items()}
    last = 0
    pieces = ((each, piece) for each in lists for piece in each.pieces)
    for (each, piece), candidates in zip(pieces, starts, strict=True):
        for run in _accepted(candidates, cited, has_heading=each.heading is not None, last=last):
            last = run.last or last
            yield ListedRun(run, piece[1], tuple(_headings(each, piece)))


def _accepted(
    starts: Sequence[NoteStart], cited: dict[NoteStart, Citation], *, has_heading: bool, last: int
) -> Iterator[NoteRun]:
    for run in note_runs(starts, cited, backwards=True):
        if run.n_cited < _CITED * len(run.notes) or run.weight < CERTAIN:
            continue
        if has_heading or (run.first in (1, last + 1) and len(run.notes) > 1 and not run.is_flat):
            yield run


def _headings(each: NoteList, piece: tuple[int, int]) -> Iterator[int]:
    """Yield the lines between a piece and the one before it, or the heading of the list."""
    before = [stop for _, stop in each.pieces if stop <= piece[0]]
    if each.heading is None:
        return
    yield each.heading
    yield from range(before[-1] if before else each.heading + 1, piece[0])
