"""Finds gutters by gaps at the same place in several lines, which PDFium reads across columns."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import mean

MAX_SPACE = 1.0
"""Times the size: the widest space in a justified line; the gap between columns is wider."""
_MIN_LINES = 3
"""Fewest lines that must continue at one x for a column to begin there."""
_MIN_WIDTH = 0.2
"""Smallest width of a column, as a share of the type's: the numbers of lists or contents are narrower."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
Boxes = list[Box]
"""The runs of type in a line."""


def is_gap(before: Box, after: Box) -> bool:
    """Return whether the gap between two runs is wider than any space between words."""
    _, bottom, right, top = before
    left, bottom_after, _, top_after = after
    gap = left - right
    return gap > MAX_SPACE * (top - bottom) and gap > MAX_SPACE * (top_after - bottom_after)


def is_broken(boxes: Boxes) -> bool:
    """Return whether a line may have a gap, or a part below the rest: few lines do."""
    for before, after in pairwise(boxes):  # left, bottom, right, top
        if after[0] - before[2] > MAX_SPACE * (before[3] - before[1]) or after[3] < before[1]:
            return True
    return False


def gutters_of(broken: Iterable[Boxes], lines: Sequence[Boxes]) -> frozenset[int]:
    """Return the x, in whole points, at which several lines continue after a gap: columns begin there.

    Args:
        broken: the lines that may have gaps.
        lines: all lines of the page.
    """
    widths: dict[int, list[float]] = defaultdict(list)  # of the runs before gaps, by the x after the gap
    for boxes in broken:
        for before, after in pairwise(boxes):
            if after[0] - before[2] > before[3] - before[1] and is_gap(before, after):
                widths[round(after[0])].append(before[2] - before[0])
    if not widths:
        return frozenset()
    min_width = _MIN_WIDTH * (max(boxes[-1][2] for boxes in lines) - min(boxes[0][0] for boxes in lines))
    return frozenset(
        x
        for x in widths
        if sum(len(widths.get(near, ())) for near in (x - 1, x, x + 1)) >= _MIN_LINES
        and mean(widths[x]) >= min_width
    )
