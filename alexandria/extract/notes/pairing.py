"""Pairs the marks that cite notes with the notes: formats only find out where marks and notes are.

A mark is the number or sign in the text that cites a note; the note begins with the same one, its label.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_NOTES_TITLE = re.compile(
    r"(?:foot|end)?notes?[.:]?|(?:fu(?:ß|ss)|end)noten[.:]?|anmerkungen[.:]?|notas?(?: al pie)?[.:]?"
    r"|notes de bas de page|references[.:]?|noten[.:]?|bilješke[.:]?|примечания[.:]?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PlacedMark:
    """A mark, and where it is."""

    label: str
    place: int  # its place in reading order, on the scale of the notes' places
    document: Hashable = None  # the part of the book that may number its own notes; None if there is none
    blocks: Iterable[Hashable] = ()  # the blocks that it is in, innermost first
    weight: float = 1  # how certainly it is a mark


@dataclass(frozen=True, slots=True)
class PlacedNote:
    """A block or a line that may be a note, and where it is."""

    label: str
    place: int
    document: Hashable = None
    above: Hashable = None  # the block above it and above the notes right before it


_Marks = dict[int, PlacedMark]  # marks in reading order, by their indices
_Notes = dict[int, PlacedNote]  # notes in reading order, by their indices
_Pairs = Iterable[tuple[int, int]]  # the index of each note and of its mark
Rules = Sequence[Callable[[_Marks, _Notes], _Pairs]]


def is_notes_title(text: str) -> bool:
    """Return whether a text is a heading of notes, such as "Endnotes"."""
    return bool(_NOTES_TITLE.fullmatch(text.strip()))


def pair(marks: Sequence[PlacedMark], notes: Sequence[PlacedNote], rules: Rules) -> dict[int, int]:
    """Return the index of the mark of each note, by the index of the note, for all that can be paired.

    Args:
        rules: `AMONG_TEXT`, `AT_FOOT` or `IN_LISTS`; they apply in order, each to what those before it have
            left.
    """
    mark_of: dict[int, int] = {}
    for rule in rules:
        used = {*mark_of.values()}
        marks_left = {i: mark for i, mark in enumerate(marks) if i not in used}
        notes_left = {i: note for i, note in enumerate(notes) if i not in mark_of}
        mark_of |= rule(marks_left, notes_left)
    return mark_of


def _as_many_in_book(marks: _Marks, notes: _Notes) -> _Pairs:
    """Pair marks and notes of a label that the book has as many marks as notes of."""
    return _pair_as_many(marks, notes, lambda placed: placed.label)


def _as_many_in_document(marks: _Marks, notes: _Notes) -> _Pairs:
    """Pair marks and notes of a label that a document has as many marks as notes of."""
    return _pair_as_many(marks, notes, lambda placed: (placed.label, placed.document))


def _pair_as_many(
    marks: _Marks, notes: _Notes, group_of: Callable[[PlacedMark | PlacedNote], Hashable]
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of each group with as many marks as notes, in which each mark is before its note."""
    # A note right below the block of a mark belongs to that mark: footnotes and endnotes may have the same
    # labels. Of the others, the first mark cites the first note, the second mark the second note, and so on.
    marks_by_group: dict[Hashable, _Marks] = defaultdict(dict)
    for i, mark in marks.items():
        marks_by_group[group_of(mark)][i] = mark
    notes_by_group: dict[Hashable, _Notes] = defaultdict(dict)
    for j, note in notes.items():
        notes_by_group[group_of(note)][j] = note
    for group, marks_alike in marks_by_group.items():
        notes_alike = notes_by_group.get(group, {})
        pairs = zip(marks_alike.values(), notes_alike.values(), strict=False)
        if len(marks_alike) == len(notes_alike) and all(mark.place < note.place for mark, note in pairs):
            below = dict(_pair_right_below(marks_alike, notes_alike))
            used = {*below.values()}
            other_marks = (i for i in marks_alike if i not in used)
            yield from below.items()
            yield from zip((j for j in notes_alike if j not in below), other_marks, strict=True)


def _pair_right_below(marks: _Marks, notes: _Notes) -> _Pairs:
    """Yield the only mark in each block, with the only note below that block."""
    marks_in: dict[Hashable, list[int]] = {}
    for i, mark in marks.items():
        for block in mark.blocks:
            marks_inside = marks_in.setdefault(block, [])
            if len(marks_inside) == 2:  # one too many, as in all blocks around it
                break
            marks_inside.append(i)
    n_below = Counter(note.above for note in notes.values())
    for j, note in notes.items():
        marks_above = marks_in.get(note.above, ())
        if len(marks_above) == n_below[note.above] == 1:  # others may be of several chapters
            yield j, marks_above[0]


def _earliest_before(marks: _Marks, notes: _Notes) -> _Pairs:
    """Pair endnotes in the order of their marks, which are before them; of marks alike, the first counts."""
    return pair_in_order(
        (i, [(j, marks[j].weight) for j in alike if marks[j].place < notes[i].place])
        for i, alike in _marks_alike(marks, notes)
    ).items()


def _nearest_to_foot(marks: _Marks, notes: _Notes) -> _Pairs:
    """Pair footnotes in the order of their marks; of marks alike, the nearest to the foot counts."""
    backwards = reversed([*_marks_alike(marks, notes)])
    pairs = pair_in_order((i, [(-j, marks[j].weight) for j in alike]) for i, alike in backwards)
    return ((i, -j) for i, j in pairs.items())


def _marks_alike(marks: _Marks, notes: _Notes) -> Iterator[tuple[int, set[int]]]:
    """Yield each note with the marks that read like its label, or lack the brackets around it."""
    by_label: dict[str, set[int]] = defaultdict(set)
    for j, mark in marks.items():
        by_label[mark.label].add(j)
    for i, note in notes.items():
        yield i, by_label[note.label] | by_label[note.label.strip("[()]")]


AMONG_TEXT: Rules = (_as_many_in_book, _as_many_in_document)
"""For notes below a paragraph, a chapter or the book, of which all marks and labels have been read."""
AT_FOOT: Rules = (_nearest_to_foot,)
"""For notes at the foot of a page, of which marks and labels may be missing, or be something else."""
IN_LISTS: Rules = (_earliest_before,)
"""For notes in lists after chapters or the book, of which marks and labels may be missing too."""


def pair_in_order(candidates: Iterable[tuple[int, Iterable[tuple[int, float]]]]) -> dict[int, int]:
    """Return the mark of each note that has one, in order, such that no two pairs cross.

    Of all such pairings, it is the one with the greatest sum of weights and, among those of equal weight, the
    one with the earliest marks. The algorithm is by Hunt and Szymanski (1977), extended to weights.

    Args:
        candidates: each note in order, with the marks that may cite it and the positive weights of the pairs.
    """
    # Entry k: the heaviest chain of pairs whose last mark is ends[k] or earlier is chains[k], and it weighs
    # weights[k]. Ends and weights ascend strictly, as in the search for the longest increasing subsequence;
    # but since weights differ, a new chain may replace several entries.
    ends: list[int] = []
    weights: list[float] = []
    chains: list[_Link | None] = []
    for note, marks in candidates:
        # Backwards: a note must not extend a chain that already ends in the same note.
        for mark, weight in sorted(marks, reverse=True):
            k = bisect_right(ends, mark - 1)
            total = (weights[k - 1] if k else 0) + weight
            if k < len(ends) and ends[k] == mark and weights[k] >= total:
                continue  # a chain as heavy ends in the same mark
            # The new chain replaces the chains that end later, but are no heavier.
            stop = k
            while stop < len(ends) and weights[stop] <= total:
                stop += 1
            link = _Link(note, mark, chains[k - 1] if k else None)
            ends[k:stop], weights[k:stop], chains[k:stop] = [mark], [total], [link]
    pairs = []
    chain = chains[-1] if chains else None
    while chain:
        pairs.append((chain.note, chain.mark))
        chain = chain.before
    return dict(reversed(pairs))


class _Link(NamedTuple):  # made in a third of the time of a data class
    """A note and its mark, by their indices, and the chain of pairs before them."""

    note: int
    mark: int
    before: "_Link | None"
