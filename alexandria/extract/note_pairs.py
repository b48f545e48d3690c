"""Pairs the marks that cite notes with notes of the same label: footnotes and endnotes may share labels."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

_Block = TypeVar("_Block", bound=Hashable)


def find_blocks_above(notes: Iterable[tuple[_Block, _Block]]) -> dict[_Block, _Block]:
    """Return, for each note, the block above it and the notes right before it.

    Args:
        notes: the block of each note and the block before that, in reading order.
    """
    blocks_above: dict[_Block, _Block] = {}
    for note, previous in notes:
        blocks_above[note] = blocks_above.get(previous, previous)
    return blocks_above


def pair_notes(blocks_of_marks: Sequence[Iterable[_Block]], blocks_above: Sequence[_Block]) -> list[int]:
    """Return, for each mark, the number of its note, from 0 on.

    A note right below the block of a mark belongs to that mark. Of the others, the first mark cites the first
    note, the second mark the second note, and so on.

    Args:
        blocks_of_marks: for each mark with one label, in reading order, the blocks that it is in, innermost
            first.
        blocks_above: for each of as many notes with this label, in reading order, its block above.
    """
    marks_by_block: dict[_Block, list[int]] = {}
    for mark, blocks in enumerate(blocks_of_marks):
        for block in blocks:
            marks_inside = marks_by_block.setdefault(block, [])
            if len(marks_inside) == 2:  # one too many, as in all blocks around it
                break
            marks_inside.append(mark)
    n_below = Counter(blocks_above)
    note_by_mark: dict[int, int] = {}
    for note, above in enumerate(blocks_above):
        marks_above = marks_by_block.get(above, [])
        if len(marks_above) == n_below[above] == 1:  # otherwise, these may be the notes of several chapters
            note_by_mark[marks_above[0]] = note
    others = iter(sorted(set(range(len(blocks_above))) - set(note_by_mark.values())))
    return [note_by_mark[mark] if mark in note_by_mark else next(others) for mark in range(len(blocks_above))]
