"""Divides pages into columns, in reading order: from left to right, between the lines that span them.

A gutter is the x at which a column begins that has another one on its left.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from alexandria.extract.pdf.lines import OVERHANG, Line, Page

_MIN_LINES = 3
"""Fewest lines of a column: with fewer, the cells of tables would be columns."""
_MIN_PAIRS = 2
"""Fewest pairs of lines side by side on a page of columns; one pair, at a gutter of another page."""
_MAX_CROSSING = 0.25
"""Largest share of the lines that may cross a gutter, as headings and notes do."""
_MIN_WIDTH = 0.15
"""Smallest width of a column, as a share of the type area: numbers of lists and marginal notes have less."""
_MIN_LEADING = 0.8
"""Times the size: lines whose baselines are closer than this are side by side."""
_SAME_SIZE = 0.05
"""Share of the body size by which text may differ from it."""
_MAX_INDENT = 3
"""Times the body size: the widest indent of a column's lines."""
_MIN_MARGIN_SHARE = 0.02
"""Smallest share of the book's lines that begin at a left margin; fewer centred lines share an edge."""


@dataclass(frozen=True, slots=True)
class Column:
    """Lines from top to bottom between two margins."""

    lines: tuple[Line, ...]
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class _Piece:
    """The lines of one column of a page, or lines that span its columns."""

    parity: int
    """0 or 1: left-hand and right-hand pages have different margins."""
    lines: list[Line]
    body_lines: list[Line]
    """Those in the size of the text."""


def columns_of(lines: Iterable[Line]) -> list[list[Line]]:
    """Return the lines of one page in reading order, divided into its columns."""
    return _split_columns(list(lines), frozenset())


def read_columns(pages: Sequence[Page], body_size: float) -> list[Column]:
    """Return the book's columns in reading order, with the margins of their lines."""
    pieces = _pieces_of(pages, body_size)
    # Of the text, if the piece has any: notes may begin further left.
    outer_lines = [piece.body_lines or piece.lines for piece in pieces]
    margins = {parity: _find_usual_left_edges(pieces, parity) for parity in (0, 1)}
    lefts = [
        _left_margin(lines, margins[piece.parity], body_size)
        for piece, lines in zip(pieces, outer_lines, strict=True)
    ]
    right_edges: dict[tuple[int, int], list[float]] = defaultdict(list)  # by parity and left margin
    for piece, left in zip(pieces, lefts, strict=True):
        right_edges[piece.parity, left] += [line.x1 for line in piece.body_lines]
    # The ninth decile: a hyphen or a formula may reach over the margin.
    rights = {key: sorted(edges)[len(edges) * 9 // 10] for key, edges in right_edges.items() if edges}
    return [
        Column(tuple(piece.lines), left, rights.get((piece.parity, left), _right_edge(piece.lines)))
        for piece, left in zip(pieces, lefts, strict=True)
    ]


def _pieces_of(pages: Sequence[Page], body_size: float) -> list[_Piece]:
    """Return the pieces of all pages in reading order: columns, and the lines that span them."""
    gutters = (_find_gutter(page.lines) for page in pages if _has_side_by_side(page.lines, _MIN_PAIRS))
    known_gutters = frozenset(gutter for gutter in gutters if gutter is not None)
    return [
        _Piece(page.index % 2, lines, [line for line in lines if _is_body(line, body_size)])
        for page in pages
        for lines in _split_columns(list(page.lines), known_gutters)
    ]


def _find_usual_left_edges(pieces: Iterable[_Piece], parity: int) -> list[int]:
    """Return the left edges, in whole points, at which enough lines of text begin on pages of this parity."""
    n_lines = Counter(
        [round(line.x0) for piece in pieces if piece.parity == parity for line in piece.body_lines]
    )
    min_lines = max(_MIN_LINES, _MIN_MARGIN_SHARE * n_lines.total())
    return [x for x, n in n_lines.items() if n >= min_lines]


def _left_margin(lines: Sequence[Line], margins: Iterable[int], body_size: float) -> int:
    """Return the left margin of a column: the leftmost of `margins` that is at most an indent from its lines.

    All lines of a column may be indented; if no margin is near, the lines' own left edge is returned.
    """
    edge = round(min([line.x0 for line in lines]))
    return min([edge, *(x for x in margins if edge - _MAX_INDENT * body_size <= x <= edge)])


def _split_columns(drawn_lines: list[Line], known_gutters: frozenset[float]) -> list[list[Line]]:
    """Return a page's lines divided into columns, in reading order.

    Lines that span the columns are a piece of their own; the lines between two such pieces are divided again.

    Args:
        drawn_lines: the lines in the order in which they are drawn.
        known_gutters: gutters of other pages, which are tried where too few lines show a gutter.
    """
    if not drawn_lines:
        return []
    if _are_stacked(drawn_lines):
        return [drawn_lines]
    lines = _sort_downwards(drawn_lines)
    min_pairs = 1 if known_gutters else _MIN_PAIRS
    if not _has_side_by_side(lines, min_pairs):
        return [lines]
    # Columns that are drawn one after the other show by their order; other columns, by a gutter.
    if bounds := _find_band(drawn_lines):
        inner = [drawn_lines[start:end] for start, end in pairwise(bounds)]
        return [
            *_split_columns(drawn_lines[: bounds[0]], known_gutters),
            *inner,
            *_split_columns(drawn_lines[bounds[-1] :], known_gutters),
        ]
    gutter = _find_gutter(lines)
    if gutter is None:
        gutter = next((x for x in known_gutters if _is_between(lines, x)), None)
    if gutter is None:
        return [lines]
    return _split_at_gutter(lines, gutter, known_gutters)


def _split_at_gutter(
    lines: Sequence[Line], gutter: float, known_gutters: frozenset[float]
) -> list[list[Line]]:
    """Return lines divided at a gutter: above, between and below the lines across it, left before right."""
    pieces: list[list[Line]] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in sorted(lines, key=lambda line: -line.y):  # from the top: y grows upwards
        match _side_of_gutter(line, gutter):
            case -1:
                left.append(line)
            case 1:
                right.append(line)
            case _:  # the line is across both columns: they end above it
                pieces += [*_split_columns(left, known_gutters), *_split_columns(right, known_gutters)]
                left, right = [], []
                if pieces and _side_of_gutter(pieces[-1][-1], gutter) == 0:  # so was the line before
                    pieces[-1].append(line)
                else:
                    pieces.append([line])
    return [*pieces, *_split_columns(left, known_gutters), *_split_columns(right, known_gutters)]


def _find_band(lines: Sequence[Line]) -> list[int]:
    """Return the indices of the lines at which the columns of a band begin, and the index at which it ends.

    A band is a group of columns side by side, each drawn downwards after the whole one on its left, from
    about the same height; the cells of a table, in contrast, are drawn row by row. All other lines are above
    the first band, which is returned, or below it. Empty if there is no band.

    The lines are in the order in which they are drawn, as in all functions called here.
    """
    # All columns but the first begin with a line that is drawn higher up than the one before it.
    jumps_up = [i for i in range(1, len(lines)) if not _continues_downwards(lines[i], lines[i - 1])]
    for n, second in enumerate(jumps_up):  # the second column may begin at any of them
        first = _start_of_column_left_of(lines, second)
        if second - first < _MIN_LINES:
            continue
        starts = _column_starts(lines, first, jumps_up[n:])
        bounds = [*starts, _end_of_last_column(lines, starts, jumps_up)]
        if _are_columns(lines, bounds):
            return bounds
    return []


def _start_of_column_left_of(lines: Sequence[Line], second: int) -> int:
    """Return the index of the first line of the column that is left of the one that begins at `second`."""
    start, right = second, lines[second]
    while (
        start
        and lines[start - 1].y < right.y + right.size
        and _side_of_gutter(lines[start - 1], right.x0) < 0
    ):
        start -= 1
        if start and not _continues_downwards(lines[start], lines[start - 1]):
            break
    return start


def _column_starts(lines: Sequence[Line], first: int, jumps_up: Sequence[int]) -> list[int]:
    """Return the indices of the lines at which the columns of a band begin.

    Args:
        lines: the lines of the page in the order in which they are drawn.
        first: the index at which the first column begins.
        jumps_up: the indices at which another column may begin; at the first of them, the second does.
    """
    starts = [first, jumps_up[0]]
    for jump in jumps_up[1:]:
        edge = _right_edge(lines[starts[-2] : starts[-1]])
        # A line that is not right of the column before ends the band.
        if any(_side_of_gutter(line, edge) <= 0 for line in lines[starts[-1] : jump]):
            break
        starts.append(jump)
    return starts


def _end_of_last_column(lines: Sequence[Line], starts: Sequence[int], jumps_up: Sequence[int]) -> int:
    """Return the index after the last column of a band.

    The column ends before a line that is not right of the column before, or that is below the other columns:
    such a line is text below the band. At the latest, the column ends where the next would begin.
    """
    stop = next((jump for jump in jumps_up if jump > starts[-1]), len(lines))
    edge = _right_edge(lines[starts[-2] : starts[-1]])
    last_lines = [lines[start - 1] for start in starts[1:]]  # of the other columns
    floor = min(line.y for line in last_lines) - lines[starts[1]].size
    for i in range(starts[-1], stop):
        if _side_of_gutter(lines[i], edge) <= 0 or lines[i].y < floor:
            return i
    return stop


def _right_edge(lines: Sequence[Line]) -> float:
    return max(line.x1 for line in lines)


def _are_columns(lines: Sequence[Line], bounds: Sequence[int]) -> bool:
    """Return whether the columns between `bounds` are wide and long enough, with no other lines beside them.

    Args:
        lines: the lines of the page, in the order in which they are drawn.
        bounds: as `_find_band` returns them.
    """
    columns = [lines[start:end] for start, end in pairwise(bounds)]
    min_width = _MIN_WIDTH * (_right_edge(lines) - min(line.x0 for line in lines))
    for column in columns:
        if len(column) < _MIN_LINES or not _is_drawn_downwards(column):
            return False
        if _right_edge(column) - min(line.x0 for line in column) < min_width:
            return False
    top = max(column[0].y for column in columns)
    floor = min(column[-1].y for column in columns)
    lines_before, lines_after = lines[: bounds[0]], lines[bounds[-1] :]
    return all(line.y > top for line in lines_before) and all(line.y < floor for line in lines_after)


def _sort_downwards(lines: list[Line]) -> list[Line]:
    """Return the lines as drawn if they run down the page, otherwise sorted."""
    return lines if _is_drawn_downwards(lines) else sorted(lines, key=lambda line: (-line.y, line.x0))


def _is_drawn_downwards(lines: Sequence[Line]) -> bool:
    """Return whether no line is drawn higher up than the one before it, except within its height."""
    return all(after.y < before.y + before.size for before, after in pairwise(lines))


def _continues_downwards(after: Line, before: Line) -> bool:
    """Return whether a line is below the one drawn before it, or next to it, as a piece of a formula is."""
    return after.y < before.y + before.size


def _are_stacked(lines: Sequence[Line]) -> bool:
    """Return whether each line is clearly below the one before, as on most pages."""
    return all(above.y - below.y >= _MIN_LEADING * above.size for above, below in pairwise(lines))


def _has_side_by_side(lines: Sequence[Line], min_pairs: int) -> bool:
    """Return whether at least `min_pairs` pairs of lines are side by side."""
    if _are_stacked(lines):
        return False
    from_top = sorted(lines, key=lambda line: -line.y)
    n_pairs = 0
    for line, following in pairwise(from_top):
        is_level = line.y - following.y < _MIN_LEADING * line.size
        if is_level and (line.x1 <= following.x0 or following.x1 <= line.x0):
            n_pairs += 1
            if n_pairs == min_pairs:
                return True
    return False


def _side_of_gutter(line: Line, gutter: float) -> int:
    """Return on which side of a gutter a line is: -1 left, 1 right, 0 if it crosses the gutter."""
    if line.x0 >= gutter - OVERHANG * line.size:
        return 1
    return -1 if line.x1 <= gutter else 0


def _is_between(lines: Sequence[Line], gutter: float) -> bool:
    """Return whether no line crosses a gutter, and both sides have lines."""
    is_crossed = any(_side_of_gutter(line, gutter) == 0 for line in lines)  # by one of the first, usually
    return not is_crossed and len({_side_of_gutter(line, gutter) for line in lines}) > 1


def _is_body(line: Line, body_size: float) -> bool:
    return abs(line.size - body_size) < _SAME_SIZE * body_size


def _find_gutter(lines: Sequence[Line]) -> float | None:
    """Return the x that divides the lines into two columns and is crossed by the fewest lines, or None.

    The gutter is the left edge of the right column. The left edge of a list in that column is not chosen: the
    column's other lines cross it.
    """
    x0, x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
    min_width = _MIN_WIDTH * (x1 - x0)
    n_lines = Counter(round(line.x0) for line in lines)  # by left edge
    gutter: float | None = None
    fewest_across = len(lines) + 1
    for x, n in n_lines.most_common():
        if n < _MIN_LINES or not x0 + min_width < x < x1 - min_width:
            continue
        sides = [_side_of_gutter(line, x) for line in lines]
        n_across = sides.count(0)
        left = [line for line, side in zip(lines, sides, strict=True) if side < 0]
        if len(left) < _MIN_LINES or sides.count(1) < _MIN_LINES or n_across > _MAX_CROSSING * len(lines):
            continue
        is_wide = _right_edge(left) - min(line.x0 for line in left) >= min_width
        if is_wide and n_across < fewest_across:
            gutter, fewest_across = x, n_across
    return gutter
