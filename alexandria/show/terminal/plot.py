"""The curve of what decides, similarities or costs of a cut, in braille: two by four dots per character."""

from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from rich.console import Group
from rich.text import Text

from alexandria.book.model import Reason
from alexandria.library.inspect.inspection import Inspection
from alexandria.show.terminal.console import out

REASON_STYLES = {
    Reason.TOPIC: "magenta",
    Reason.BREAK: "bold magenta",
    Reason.SECTION: "bold",
    Reason.MAX_SIZE: "red",
}
MARKS = {Reason.TOPIC: "^", Reason.BREAK: "*", Reason.SECTION: "│", Reason.MAX_SIZE: "#"}
_HEIGHT = 6  # lines: 24 dots, about .04 each
_AXIS = 6  # characters of the scale, "-0.25 "
_MARGIN = 0.05  # added above and below the curve, so that the scale of a flat curve has an extent too

# Unicode's braille patterns: the bit of each dot, rows from the top, columns from the left.
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_BLANK = "\u2800"  # the pattern without dots


def curve(inspection: Inspection, start: int, stop: int, *, width: int | None = None) -> Group:
    """Return what decides at the gaps from `start` to `stop`, with the cuts below.

    Where costs are known, these are the costs of the places that may be cut; otherwise the similarities, with
    the threshold.

    Args:
        start: the first gap.
        stop: the gap after the last one.
        width: in columns, that of the terminal by default.
    """
    has_costs = any(cost is not None for cost in inspection.costs[start:stop])
    # As floats, in which None is NaN.
    values = np.array((inspection.costs if has_costs else inspection.similarities)[start:stop], np.float64)
    if not len(values):
        return Group(Text("no curve: there are no gaps", "dim"))
    threshold = inspection.figures.line
    width = max((width or out.width) - _AXIS - 1, 10)
    per_dot = max(1, round(len(values) / (2 * width)))
    values = lowest_by_column(values, 2 * width) if has_costs else means_by_column(values, 2 * width)
    drawn = [*values[~np.isnan(values)], *([] if threshold is None else [threshold])]
    low, high = min(drawn) - _MARGIN, max(drawn) + _MARGIN
    threshold_row = None if threshold is None else round((high - threshold) / (high - low) * (_HEIGHT - 1))
    lines = []
    for row, line in enumerate(braille(values, low=low, high=high, height=_HEIGHT, joined=not has_costs)):
        level = low + (high - low) * (1 - row / (_HEIGHT - 1))
        lines.append(_curve_line(line, level=level, threshold=threshold if row == threshold_row else None))
    caption, which = "similarity of neighbouring sentences", "mean"
    if has_costs:
        caption, which = "cost of a cut, at the places that may be cut", "lowest"
    if per_dot > 1:
        caption += f", each dot the {which} of about {per_dot:,} gaps"
    if threshold is not None:
        caption += f"; ╌ threshold {threshold:.2f}"
    return Group(
        Text(caption, "dim"),
        *lines,
        _cut_marks(inspection, start, stop, width),
        Text(_make_legend(inspection), "dim"),
    )


def _make_legend(inspection: Inspection) -> str:
    """Return what the marks mean; few books have breaks of their author."""
    breaks = any(boundary.reason is Reason.BREAK for boundary in inspection.boundaries)
    return "cuts: ^ topic   " + ("* author's break   " if breaks else "") + "│ section   # forced by size"


def _curve_line(line: str, *, level: float, threshold: float | None) -> Text:
    """Return one line of the curve after its value on the scale; the threshold fills the blanks."""
    # `threshold`: the threshold if it lies on this line; otherwise None.
    if threshold is None:
        dots = line.replace(_BLANK, " ").rstrip()
        return Text.assemble((f"{level:z5.2f}", "dim"), f" {dots}" if dots else "")
    text = Text.assemble((f"{threshold:5.2f} ", "magenta"))
    for is_blank, characters in groupby(line, key=lambda character: character == _BLANK):
        part = "".join(characters)
        text.append("╌" * len(part) if is_blank else part, "magenta" if is_blank else "")
    return text


def _cut_marks(inspection: Inspection, start: int, stop: int, width: int) -> Text:
    """Return a line with a mark below each cut; of several in one column, the least usual is shown."""
    marks: dict[int, Reason] = {}
    usual_first = (Reason.TOPIC, Reason.BREAK, Reason.SECTION, Reason.MAX_SIZE)
    for boundary in inspection.boundaries:
        if start <= boundary.gap < stop:
            column = column_of(boundary.gap - start, stop - start, width)
            marks[column] = max(marks.get(column, Reason.TOPIC), boundary.reason, key=usual_first.index)
    text = Text(" " * _AXIS)
    for column in range(max(marks, default=-1) + 1):
        reason = marks.get(column)
        text.append(MARKS[reason] if reason else " ", REASON_STYLES[reason] if reason else "")
    return text


def braille(
    values: NDArray[np.float64], *, low: float, high: float, height: int, joined: bool = True
) -> list[str]:
    """Return the curve as `height` lines of characters.

    Args:
        values: one for each column of dots, two to a character; where it is NaN, there is no dot.
        low: the value at the lower edge.
        high: the value at the upper edge, above `low`.
        joined: whether neighbouring dots are joined.
    """
    width, n_rows = len(values) // 2, 4 * height
    levels = np.nan_to_num(values, nan=high)
    rows = np.rint((high - levels) / (high - low) * (n_rows - 1)).clip(0, n_rows - 1).astype(int)
    grid = np.zeros((n_rows, 2 * width), np.bool_)
    for column in np.flatnonzero(~np.isnan(values)):
        row = rows[column]
        before = rows[max(int(column) - 1, 0)] if joined else row
        # Fill the rows between the last dot and this one: steep parts of the curve are then joined.
        if row <= before:
            top, bottom = row, max(row, before - 1)
        else:
            top, bottom = before + 1, row
        grid[top : bottom + 1, column] = True
    cells = grid.reshape(height, 4, width, 2)  # each character: four rows of two dots
    codes = ord(_BLANK) + np.einsum("hdwc,dc->hw", cells.astype(int), _DOTS)  # (height, width)
    return ["".join(map(chr, line)) for line in codes.tolist()]


def column_of(index: int, n_values: int, width: int) -> int:
    """Return the column of the character in which the curve of `braille` shows a value.

    Args:
        n_values: how many values the curve has.
    """
    return int(_columns_of(n_values, 2 * width)[index]) // 2  # a character has two columns of dots


def _columns_of(n_values: int, n_columns: int) -> NDArray[np.intp]:
    """Return the column of dots of each value, (n_values,), from the left edge to the right one."""
    # If there are more values than columns, each column has about as many.
    values = np.arange(n_values)
    if n_values > n_columns:
        return values * n_columns // n_values
    return np.rint(values * (n_columns - 1) / max(n_values - 1, 1)).astype(np.intp)


def lowest_by_column(values: NDArray[np.float64], n_columns: int) -> NDArray[np.float64]:
    """Return the lowest value in each column of dots, (n_columns,), NaN where there is none."""
    lowest = np.full(n_columns, np.nan)
    np.fmin.at(lowest, _columns_of(len(values), n_columns), values)
    return lowest


def means_by_column(values: NDArray[np.float64], n_columns: int) -> NDArray[np.float64]:
    """Return a value per column of dots: interpolated if there are fewer values, averaged if more."""
    n = len(values)
    if n <= n_columns:
        return np.interp(np.linspace(0, n - 1, n_columns), np.arange(n), values)
    column_of_value = _columns_of(n, n_columns)
    means: NDArray[np.float64] = np.bincount(column_of_value, weights=values) / np.bincount(column_of_value)
    return means
