"""Reading order: columns from left to right, between the lines that span them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from alexandria.extract.pdf.lines import OVERHANG, Line, Page

_LINES = 3
"""Fewest lines of a column; with fewer, cells of tables would be columns."""
_SPANNING = 0.25
"""Largest share of lines that cross a gutter: headings and notes do, text does not."""
_NARROWEST = 0.15
"""Smallest share of the type area for a column: less is the numbers of a list or marginal notes."""
_APART = 0.8
"""Times the size: baselines nearer to each other are those of lines side by side."""
_SAME_SIZE = 0.05
"""Share of the body size by which text may differ from it."""
_FREQUENT = 0.02
"""Smallest share of lines at a left margin: fewer are centred lines."""


@dataclass(frozen=True, slots=True)
class Column:
    """Lines from top to bottom between two margins."""

    lines: tuple[Line, ...]
    left: float
    right: float


def columns_of(lines: Iterable[Line]) -> list[list[Line]]:
    """Return the lines of one page in reading order, divided into its columns."""
    return _split(list(lines), frozenset())


def read_columns(pages: Sequence[Page], body: float) -> list[Column]:
    """Return the book's columns in reading order, with the margins of their lines."""
    gutters = (_gutter(page.lines) for page in pages if _side_by_side(page.lines, 2))
    known = frozenset(gutter for gutter in gutters if gutter is not None)
    pieces = [(page.index % 2, piece) for page in pages for piece in _split(list(page.lines), known)]
    bodies = [[line for line in piece if _is_body(line, body)] for _, piece in pieces]
    lefts: dict[int, Counter[int]] = defaultdict(Counter)
    for (parity, _), own in zip(pieces, bodies, strict=True):
        lefts[parity].update([round(line.x0) for line in own])
    margins = {
        parity: [x for x, n in counter.items() if n >= max(_LINES, _FREQUENT * counter.total())]
        for parity, counter in lefts.items()
    }
    # Notes may begin further left than the text.
    placed = [
        (parity, _left(own or piece, margins.get(parity, []), body), piece)
        for (parity, piece), own in zip(pieces, bodies, strict=True)
    ]
    ends: dict[tuple[int, int], list[float]] = defaultdict(list)
    for (parity, left, _), own in zip(placed, bodies, strict=True):
        ends[parity, left].extend([line.x1 for line in own])
    # The ninth decile: a hyphen or a formula may reach over the margin.
    rights = {key: sorted(xs)[len(xs) * 9 // 10] for key, xs in ends.items() if xs}
    return [
        Column(tuple(piece), left, rights.get((parity, left), max(line.x1 for line in piece)))
        for parity, left, piece in placed
    ]


def _left(lines: Sequence[Line], margins: Iterable[int], body: float) -> int:
    """Return the leftmost margin within an indent of the lines, all of which may be indented."""
    first = round(min([line.x0 for line in lines]))
    return min([first, *(x for x in margins if first - 3 * body <= x <= first)])


def _split(lines: list[Line], known: frozenset[float]) -> list[list[Line]]:
    """Divide a page's lines into columns, recursively; gutters already `known` need fewer lines."""
    if not lines:
        return []
    if _are_apart(lines):
        return [lines]
    drawn, lines = lines, _downwards(lines)
    if not _side_by_side(lines, 1 if known else 2):
        return [lines]
    if bounds := _band(drawn):
        inner = [drawn[start:end] for start, end in pairwise(bounds)]
        return [*_split(drawn[: bounds[0]], known), *inner, *_split(drawn[bounds[-1] :], known)]
    gutter = _gutter(lines)
    if gutter is None:
        gutter = next((x for x in known if _divides(lines, x)), None)
    if gutter is None:
        return [lines]
    pieces: list[list[Line]] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in sorted(lines, key=lambda line: -line.y):
        match _side(line, gutter):
            case -1:
                left.append(line)
            case 1:
                right.append(line)
            case _:
                pieces += [*_split(left, known), *_split(right, known)]
                left, right = [], []
                if pieces and _side(pieces[-1][-1], gutter) == 0:
                    pieces[-1].append(line)
                else:
                    pieces.append([line])
    return [*pieces, *_split(left, known), *_split(right, known)]


def _band(drawn: Sequence[Line]) -> list[int]:
    """Return where the columns of the first band of columns begin in the drawn order, and the band ends.

    Each column is drawn downwards after the whole one on its left, from about the same height: the cells of
    a table are drawn row by row. All other lines are above the band or below it. Empty if there is no such
    band.
    """
    tops = [i for i in range(1, len(drawn)) if not _is_below(drawn[i], drawn[i - 1])]
    for n, first in enumerate(tops):
        start = _start_of_column(drawn, first)
        if first - start < _LINES:
            continue
        bounds = [start, first]
        edge = _right_edge(drawn[start:first])
        for top in [*tops[n + 1 :], len(drawn)]:
            end = next((i for i in range(bounds[-1], top) if _side(drawn[i], edge) <= 0), top)
            if end < top or top == len(drawn):
                break
            bounds.append(top)
            edge = _right_edge(drawn[bounds[-2] : top])
        floor = min(drawn[i - 1].y for i in bounds[1:]) - drawn[first].size
        end = next((i for i in range(bounds[-1], end) if drawn[i].y < floor), end)
        bounds.append(end)
        if _are_columns(drawn, bounds):
            return bounds
    return []


def _start_of_column(drawn: Sequence[Line], top: int) -> int:
    """Return the index of the first line of the column left of the one that begins at the index `top`."""
    start, first = top, drawn[top]
    while start and drawn[start - 1].y < first.y + first.size and _side(drawn[start - 1], first.x0) < 0:
        start -= 1
        if start and not _is_below(drawn[start], drawn[start - 1]):
            break
    return start


def _right_edge(lines: Sequence[Line]) -> float:
    return max(line.x1 for line in lines)


def _are_columns(drawn: Sequence[Line], bounds: Sequence[int]) -> bool:
    """Return whether runs of lines are as wide and long as columns, and no other line is beside them."""
    columns = [drawn[start:end] for start, end in pairwise(bounds)]
    narrowest = _NARROWEST * (_right_edge(drawn) - min(line.x0 for line in drawn))
    for column in columns:
        if len(column) < _LINES or not _runs_down(column):
            return False
        if _right_edge(column) - min(line.x0 for line in column) < narrowest:
            return False
    top = max(column[0].y for column in columns)
    floor = min(column[-1].y for column in columns)
    return all(line.y > top for line in drawn[: bounds[0]]) and all(
        line.y < floor for line in drawn[bounds[-1] :]
    )


def _downwards(lines: list[Line]) -> list[Line]:
    """Return the lines as drawn if they run down the page, otherwise sorted."""
    return lines if _runs_down(lines) else sorted(lines, key=lambda line: (-line.y, line.x0))


def _runs_down(lines: Sequence[Line]) -> bool:
    return all(after.y < before.y + before.size for before, after in pairwise(lines))


def _is_below(after: Line, before: Line) -> bool:
    """Return whether a line is drawn below another or beside it, as a piece of a formula is."""
    return after.y < before.y + before.size


def _are_apart(lines: Sequence[Line]) -> bool:
    """Return whether each line is below the one before, as on most pages."""
    return all(above.y - below.y >= _APART * above.size for above, below in pairwise(lines))


def _side_by_side(lines: Sequence[Line], least: int) -> bool:
    if _are_apart(lines):
        return False
    ordered = sorted(lines, key=lambda line: -line.y)
    beside = 0
    for a, b in pairwise(ordered):
        if a.y - b.y < _APART * a.size and (a.x1 <= b.x0 or b.x1 <= a.x0):
            beside += 1
            if beside == least:
                return True
    return False


def _side(line: Line, gutter: float) -> int:
    """Return on which side of a gutter a line is: -1 left, 1 right, 0 if it crosses the gutter."""
    if line.x0 >= gutter - OVERHANG * line.size:
        return 1
    return -1 if line.x1 <= gutter else 0


def _is_body(line: Line, body: float) -> bool:
    return abs(line.size - body) < _SAME_SIZE * body


def _divides(lines: Sequence[Line], x: float) -> bool:
    """Return whether no line crosses a gutter, and both sides have lines."""
    return {_side(line, x) for line in lines} == {-1, 1}


def _gutter(lines: Sequence[Line]) -> float | None:
    """Return an x that divides the lines into columns: the left edge of the right one."""
    x0, x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
    narrowest = _NARROWEST * (x1 - x0)
    starts = Counter(round(line.x0) for line in lines)
    best: tuple[int, float] | None = None
    for x, n in starts.most_common():
        if n < _LINES or not x0 + narrowest < x < x1 - narrowest:
            continue
        sides = [_side(line, x) for line in lines]
        n_across = sides.count(0)
        left = [line for line, side in zip(lines, sides, strict=True) if side < 0]
        if len(left) < _LINES or sides.count(1) < _LINES or n_across > _SPANNING * len(lines):
            continue
        wide = max(line.x1 for line in left) - min(line.x0 for line in left) >= narrowest
        # The left edge of a list in the right column is crossed by the column's other lines.
        if wide and (best is None or n_across < best[0]):
            best = n_across, x
    return best[1] if best else None
