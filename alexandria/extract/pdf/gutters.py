"""Gaps in lines that PDFium reads across columns: at the same place in several lines, a gutter."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from statistics import mean

WIDEST_SPACE = 1.0
"""Times the size: the widest space in a justified line; the gap between columns is wider."""
_LINES = 3
"""Fewest lines that continue at one x to make a column."""
_NARROWEST = 0.2
"""Smallest share of the type's width for a column: numbers of lists or contents are narrower."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
Boxes = list[Box]
"""The runs of type in a line."""


def is_gap(before: Box, after: Box) -> bool:
    """Return whether the gap between two runs is wider than any word space: the height of the type."""
    gap = after[0] - before[2]
    return gap > WIDEST_SPACE * (before[3] - before[1]) and gap > WIDEST_SPACE * (after[3] - after[1])


def gutters_of(lines: Iterable[Boxes]) -> frozenset[int]:
    """Return the x, in whole points, at which several lines continue after a gap: columns begin there."""
    lines = [boxes for boxes in lines if boxes]
    widths: dict[int, list[float]] = defaultdict(list)
    for boxes in lines:
        for before, after in pairwise(boxes):
            # One of its two comparisons first: there is hardly ever a gap.
            if after[0] - before[2] > before[3] - before[1] and is_gap(before, after):
                widths[round(after[0])].append(before[2] - before[0])
    if not widths:
        return frozenset()
    narrowest = _NARROWEST * (max(boxes[-1][2] for boxes in lines) - min(boxes[0][0] for boxes in lines))
    return frozenset(
        x
        for x in widths
        if sum(len(widths.get(x + d, ())) for d in (-1, 0, 1)) >= _LINES and mean(widths[x]) >= narrowest
    )
