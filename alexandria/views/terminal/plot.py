"""The curve of similarities, as wide as the terminal, in braille: two by four dots per character."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from rich.console import Group
from rich.text import Text

from alexandria.book import Reason
from alexandria.inspection.inspection import Inspection
from alexandria.views.terminal.console import out

REASON_STYLES = {
    Reason.TOPIC: "magenta",
    Reason.BREAK: "bold magenta",
    Reason.SECTION: "bold",
    Reason.MAX_SIZE: "red",
}
MARKS = {Reason.TOPIC: "^", Reason.BREAK: "*", Reason.SECTION: "│", Reason.MAX_SIZE: "#"}
_HEIGHT = 6  # lines: 24 dots, about .04 each
_AXIS = 6  # characters of the scale, "-0.25 "
_MARGIN = 0.05
"""Added above and below the curve, so that the scale of a flat curve has an extent too."""

# Unicode's braille patterns: the bit of each dot, rows from the top, columns from the left.
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_BLANK = "\u2800"  # the pattern without dots


def curve(inspection: Inspection, threshold: float | None, start: int, stop: int) -> Group:
    """Return a curve of the similarities at the gaps from `start` to `stop`, with threshold and cuts.

    Args:
        inspection: the book.
        threshold: that all cuts share; None if there is none.
        start: the first gap.
        stop: the gap after the last one.
    """
    values = inspection.similarities[start:stop]
    if not values:
        return Group(Text("no curve: there are no gaps", "dim"))
    width = max(out.width - _AXIS - 1, 10)
    drawn = values if threshold is None else [*values, threshold]
    low, high = min(drawn) - _MARGIN, max(drawn) + _MARGIN
    threshold_row = None if threshold is None else round((high - threshold) / (high - low) * (_HEIGHT - 1))
    lines = []
    for row, line in enumerate(braille(values, low=low, high=high, width=width, height=_HEIGHT)):
        level = low + (high - low) * (1 - row / (_HEIGHT - 1))
        lines.append(_curve_line(line, level=level, threshold=threshold if row == threshold_row else None))
    per_dot = max(1, round(len(values) / (2 * width)))
    caption = "similarity of neighbouring sentences"
    if per_dot > 1:
        caption += f", each dot the mean of about {per_dot:,} gaps"
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
    """Return one line of the curve after its value on the scale; the threshold fills the blanks.

    Args:
        line: the braille characters of the line.
        level: the value of this line.
        threshold: the threshold if it lies on this line; otherwise None.
    """
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


def braille(values: Sequence[float], *, low: float, high: float, width: int, height: int) -> list[str]:
    """Return the curve as `height` lines of `width` characters.

    If there are more values than dots, a dot shows the mean of its values; if there are fewer, straight
    lines join them.

    Args:
        values: at least one.
        low: the value at the lower edge.
        high: the value at the upper edge, above `low`.
        width: the width of the curve, in characters.
        height: the height of the curve, in lines.
    """
    levels = _resample(np.asarray(values, np.float64), 2 * width)
    n_rows = 4 * height
    rows = np.rint((high - levels) / (high - low) * (n_rows - 1)).clip(0, n_rows - 1).astype(int)
    grid = np.zeros((n_rows, 2 * width), np.bool_)
    for column, row in enumerate(rows):
        before = rows[max(column - 1, 0)]
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
        index: the index of the value.
        n_values: how many values the curve has.
        width: the width of the curve, in characters.
    """
    if n_values <= 1:
        return 0
    # A character has two columns of dots.
    if n_values > 2 * width:  # each dot is the mean of several values
        return index * 2 * width // n_values // 2
    # The first value is at the left edge, and the last one at the right.
    return round(index * (2 * width - 1) / (n_values - 1)) // 2


def _resample(values: NDArray[np.float64], n_columns: int) -> NDArray[np.float64]:
    """Return a value per column of dots: interpolated if there are fewer values, averaged if more."""
    n = len(values)
    if n <= n_columns:
        return np.interp(np.linspace(0, n - 1, n_columns), np.arange(n), values)
    column_of_value = np.arange(n) * n_columns // n
    means: NDArray[np.float64] = np.bincount(column_of_value, weights=values) / np.bincount(column_of_value)
    return means
