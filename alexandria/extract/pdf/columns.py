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


def read_columns(pages: Sequence[Page], body: float) -> list[Column]:
    """Return the book's columns in reading order, with the margins of their lines."""
    gutters = (_gutter(page.lines) for page in pages if _side_by_side(page.lines, 2))
    known = frozenset(gutter for gutter in gutters if gutter is not None)
    pieces = [(page.index, piece) for page in pages for piece in _split(list(page.lines), known)]
    lefts: dict[int, Counter[int]] = defaultdict(Counter)
    for page, piece in pieces:
        lefts[page % 2].update(round(line.x0) for line in piece if _is_body(line, body))
    margins = {
        parity: [x for x, n in counter.items() if n >= max(_LINES, _FREQUENT * counter.total())]
        for parity, counter in lefts.items()
    }
    placed = [(page % 2, _left(piece, margins.get(page % 2, []), body), piece) for page, piece in pieces]
    ends: dict[tuple[int, int], list[float]] = defaultdict(list)
    for parity, left, piece in placed:
        ends[parity, left].extend(line.x1 for line in piece if _is_body(line, body))
    # The ninth decile: a hyphen or a formula may reach over the margin.
    rights = {key: sorted(xs)[len(xs) * 9 // 10] for key, xs in ends.items() if xs}
    return [
        Column(tuple(piece), left, rights.get((parity, left), max(line.x1 for line in piece)))
        for parity, left, piece in placed
    ]


def _left(lines: Sequence[Line], margins: Iterable[int], body: float) -> int:
    """Return the leftmost margin within an indent of the lines, all of which may be indented."""
    # Notes may begin further left than the text.
    own = [line for line in lines if _is_body(line, body)] or lines
    first = round(min(line.x0 for line in own))
    return min([first, *(x for x in margins if first - 3 * body <= x <= first)])


def _split(lines: list[Line], known: frozenset[float]) -> list[list[Line]]:
    """Divide a page's lines into columns, recursively; gutters already `known` need fewer lines."""
    if not lines:
        return []
    lines = _downwards(lines)
    if not _side_by_side(lines, 1 if known else 2):
        return [lines]
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


def _downwards(lines: list[Line]) -> list[Line]:
    """Return the lines as drawn if they run down the page, otherwise sorted."""
    if all(after.y < before.y + before.size for before, after in pairwise(lines)):
        return lines
    return sorted(lines, key=lambda line: (-line.y, line.x0))


def _side_by_side(lines: Sequence[Line], least: int) -> bool:
    ordered = sorted(lines, key=lambda line: -line.y)
    beside = sum(
        1 for a, b in pairwise(ordered) if a.y - b.y < 0.8 * a.size and (a.x1 <= b.x0 or b.x1 <= a.x0)
    )
    return beside >= least


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
    for x, n in starts.most_common():
        if n < _LINES or not x0 + narrowest < x < x1 - narrowest:
            continue
        sides = [_side(line, x) for line in lines]
        left = [line for line, side in zip(lines, sides, strict=True) if side < 0]
        if len(left) < _LINES or sides.count(1) < _LINES or sides.count(0) > _SPANNING * len(lines):
            continue
        if max(line.x1 for line in left) - min(line.x0 for line in left) >= narrowest:
            return x
    return None
