"""Divides pages into columns, in reading order: from left to right, between the lines that span them.

A gutter is the x at which a column begins that has another one on its left. It shows by the lines that end
before it and begin at it or, where PDFium reads lines across columns, by gaps at one place in several lines.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, median

from alexandria.extract.pdf.lines import OVERHANG, Line, Page
from alexandria.extract.runs import group_runs

_MIN_LINES = 3  # fewest lines of a column: with fewer, the cells of tables would be columns
_MIN_PAIRS = 2  # fewest pairs of lines side by side on a page of columns; or one, at a known gutter
_MAX_CROSSING = 0.25  # largest share of the lines that may cross a gutter, as headings and notes do
_MAX_BESIDE = 0.1  # largest share of lines across a gutter, if those with text beside them are of one column
_MIN_WIDTH = 0.15  # smallest width of a column, as a share of the type area; marginal notes have less
_MIN_LEADING = 0.8  # times the size: lines whose baselines are closer than this are side by side
_SAME_SIZE = 0.05  # share of the body size by which text may differ from it
_MAX_INDENT = 3  # times the body size: the widest indent of a column's lines
_MIN_MARGIN_SHARE = 0.02  # smallest share of the lines that begin at a left margin; centred lines do not
MAX_SPACE = 1.0  # times the size: the widest space in a justified line; the gap between columns is wider
_MIN_GAP = 2.0  # times the size: the space between two grids, or around what is between them
_MIN_GRID = 5  # fewest lines on each side of the gutter of a grid
_MAX_HEADINGS = 5  # times the lines across a grid, which are headings: the fewest lines on each of its sides
_MIN_PROSE = 25  # characters of its lines, on average: cells of tables have fewer
_MIN_GAPS = 3  # fewest lines that must continue at one x for a column to begin there
_MIN_STARTS = 10  # fewest lines that begin where a column does, even if a single line has a gap
_MIN_SHARE_OF_WIDTH = 0.2  # smallest width of a column, as a share of the type's: numbers are narrower

Box = tuple[float, float, float, float]  # left, bottom, right, top
Boxes = list[Box]  # the runs of type in a line


@dataclass(frozen=True, slots=True)
class Column:
    """Lines from top to bottom between two margins."""

    lines: tuple[Line, ...]
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class _Piece:
    """The lines of one column of a page, or lines that span its columns."""

    parity: int  # 0 or 1: left-hand and right-hand pages have different margins
    lines: list[Line]
    body_lines: list[Line]  # those in the size of the text


def columns_of(lines: Iterable[Line]) -> list[list[Line]]:
    """Return the lines of one page in reading order, divided into its columns."""
    return _split_columns(list(lines), frozenset())


def read_columns(pages: Sequence[Page], body_size: float) -> list[Column]:
    """Return the book's columns in reading order, with the margins of their lines."""
    pieces = _pieces_of(pages, body_size)
    usual_edges = {parity: _find_usual_left_edges(pieces, parity) for parity in (0, 1)}
    left_margins = [
        # By the lines of text, if the piece has any: notes may begin further left.
        _left_margin(piece.body_lines or piece.lines, usual_edges[piece.parity], body_size)
        for piece in pieces
    ]
    right_edges: dict[tuple[int, int], list[float]] = defaultdict(list)  # by parity and left margin
    for piece, left in zip(pieces, left_margins, strict=True):
        right_edges[piece.parity, left] += [line.x1 for line in piece.body_lines]
    # The ninth decile: a hyphen or a formula may reach over the margin.
    right_margins = {key: sorted(edges)[len(edges) * 9 // 10] for key, edges in right_edges.items() if edges}
    return [
        Column(tuple(piece.lines), left, right_margins.get((piece.parity, left), _right_edge(piece.lines)))
        for piece, left in zip(pieces, left_margins, strict=True)
    ]


def _pieces_of(pages: Sequence[Page], body_size: float) -> list[_Piece]:
    """Return the pieces of all pages in reading order: columns, and the lines that span them."""
    gutters = (_find_gutter(page.lines) for page in pages if _has_side_by_side(page.lines, _MIN_PAIRS))
    known_gutters = frozenset(gutter for gutter in gutters if gutter is not None)
    return [
        _Piece(page.index % 2, lines, [line for line in lines if _is_body(line, body_size)])
        for page in pages
        for upright in [[line for line in page.lines if not line.is_sideways]]
        for lines in (
            *_split_columns(upright, known_gutters),
            *([line] for line in page.lines if line.is_sideways),
        )
    ]


def _find_usual_left_edges(pieces: Iterable[_Piece], parity: int) -> list[int]:
    """Return the left edges, in whole points, at which enough lines of text begin on pages of this parity."""
    n_lines = Counter(
        [round(line.x0) for piece in pieces if piece.parity == parity for line in piece.body_lines]
    )
    min_lines = max(_MIN_LINES, _MIN_MARGIN_SHARE * n_lines.total())
    return [x for x, n in n_lines.items() if n >= min_lines]


def _left_margin(lines: Sequence[Line], usual_edges: Iterable[int], body_size: float) -> int:
    """Return the left margin of a column: the leftmost usual edge at most an indent left of its lines."""
    # All lines of a column may be indented. If no usual edge is near, the lines' own left edge is returned.
    own_edge = round(min([line.x0 for line in lines]))
    max_indent = _MAX_INDENT * body_size
    return min([own_edge, *(edge for edge in usual_edges if own_edge - max_indent <= edge <= own_edge)])


def _split_columns(drawn_lines: list[Line], known_gutters: frozenset[float]) -> list[list[Line]]:
    """Return a page's lines divided into columns, in reading order."""
    # Lines that span the columns are a piece of their own; the lines between two such pieces are divided
    # again.
    # `known_gutters`: gutters of other pages, which are tried where too few lines show a gutter.
    if not drawn_lines:
        return []
    if _are_stacked(drawn_lines):
        return [drawn_lines]
    lines = _sort_downwards(drawn_lines)
    min_pairs = 1 if known_gutters else _MIN_PAIRS
    if not _has_side_by_side(lines, min_pairs):
        return [lines]
    if grids := _find_grids(drawn_lines, known_gutters):
        return [column for grid in grids for column in _split_columns(grid, known_gutters)]
    # Columns that are drawn one after the other show by their order; other columns, by a gutter.
    if bounds := _find_band(drawn_lines):
        return [
            *_split_columns(drawn_lines[: bounds[0]], known_gutters),
            *(drawn_lines[start:end] for start, end in pairwise(bounds)),
            *_split_columns(drawn_lines[bounds[-1] :], known_gutters),
        ]
    gutter = _find_gutter(lines)
    if gutter is None:
        gutter = next((x for x in known_gutters if _is_between(lines, x)), None)
    if gutter is None:
        parts = _find_grids(drawn_lines, known_gutters, min_grids=1) or [lines]
        return (
            [column for part in parts for column in _split_columns(part, known_gutters)]
            if parts[1:]
            else parts
        )
    return _split_at_gutter(lines, gutter, known_gutters)


def _find_grids(
    drawn_lines: Sequence[Line], known_gutters: frozenset[float], min_grids: int = 2
) -> list[list[Line]]:
    """Return the parts of a page, from the top, if gaps divide it into some with gutters at other places."""
    # So magazines print the end of one article above the next. The order of drawing does not matter.
    # `drawn_lines`: the lines in the order in which they are drawn, which those of each part keep.
    # `min_grids`: 1 if the page as a whole has no gutter, as with columns below a wide table.
    parts = group_runs(
        sorted(drawn_lines, key=lambda line: (-line.y, line.x0)),
        lambda part, line: part[-1].y - line.y < _MIN_GAP * max(line.size, part[-1].size),
    )
    known = [
        gutter for part in parts if (gutter := _find_gutter(part)) and _are_prose(part, gutter, known_gutters)
    ]
    if len(parts) == 1 or not known:
        return []
    order = {id(line): i for i, line in enumerate(drawn_lines)}
    if max(known) - min(known) < _MAX_INDENT * drawn_lines[0].size:
        parts = _merge_grids(parts, known[0]) if min_grids > 1 else parts
    return [sorted(part, key=lambda line: order[id(line)]) for part in parts] if parts[1:] else []


def _merge_grids(parts: Sequence[list[Line]], gutter: float) -> list[list[Line]]:
    """Return the parts of a page with one gutter: tables across it, in small type, and what is between."""
    text_size = median(line.size for part in parts for line in part if _side_of_gutter(line, gutter))
    merged: list[tuple[list[Line], bool]] = []
    for part in parts:
        is_small = all(line.size < (1 - _SAME_SIZE) * text_size for line in part)
        is_across = any(not (_side_of_gutter(line, gutter) or _side_beside(line, part)) for line in part)
        is_table = is_small and is_across
        if merged and not is_table and not merged[-1][1]:
            merged[-1] = [*merged[-1][0], *part], False
        else:
            merged.append((part, is_table))
    return [part for part, _ in merged]


def _are_prose(lines: Sequence[Line], gutter: float, known_gutters: frozenset[float]) -> bool:
    """Return whether lines are columns of prose on both sides of a gutter, and no table or formula."""
    # Fewer lines are enough at the gutter of another page.
    sides = Counter(_side_of_gutter(line, gutter) for line in lines)
    is_long = mean(len(line.text) for line in lines) >= _MIN_PROSE
    is_known = any(abs(gutter - known) <= 1 for known in known_gutters)
    min_lines = _MIN_LINES if is_known else _MIN_GRID
    return is_long and min(sides[-1], sides[1]) >= max(min_lines, _MAX_HEADINGS * sides[0])


def _split_at_gutter(
    lines: Sequence[Line], gutter: float, known_gutters: frozenset[float]
) -> list[list[Line]]:
    """Return lines divided at a gutter: above, between and below the lines across it, left before right."""
    pieces: list[list[Line]] = []
    left: list[Line] = []
    right: list[Line] = []
    min_width = _MIN_WIDTH * (_right_edge(lines) - min(line.x0 for line in lines))
    n_across = sum(_side_of_gutter(line, gutter) == 0 for line in lines)
    is_prose = mean(len(line.text) for line in lines) >= _MIN_PROSE
    is_sure = is_prose and n_across <= _MAX_BESIDE * len(lines)
    wide = [line for line in lines if is_sure and line.x1 - line.x0 >= min_width]
    for line in sorted(lines, key=lambda line: -line.y):  # from the top: y grows upwards
        match _side_of_gutter(line, gutter) or _side_beside(line, wide):
            case -1:
                left.append(line)
            case 1:
                right.append(line)
            case _:  # the line is across both columns: they end above it
                pieces += [*_split_columns(left, known_gutters), *_split_columns(right, known_gutters)]
                left, right = [], []
                follows_line_across = pieces and _side_of_gutter(pieces[-1][-1], gutter) == 0
                if follows_line_across:
                    pieces[-1].append(line)
                else:
                    pieces.append([line])
    return [*pieces, *_split_columns(left, known_gutters), *_split_columns(right, known_gutters)]


def _side_beside(line: Line, others: Sequence[Line]) -> int:
    """Return the side on which a line across a gutter is if text is beside it; 0 if it is across."""
    # So text is narrow beside a figure that is wider than its column. The line, or another one that begins as
    # it does, reaches the edge of the type.
    beside = [
        other for other in others if abs(other.y - line.y) < _MIN_LEADING * line.size and other is not line
    ]
    if not beside:
        return 0
    alike = [line, *(other for other in others if abs(other.x0 - line.x0) < line.size)]
    is_right = _right_edge(alike) > _right_edge(others) - line.size
    if is_right and all(other.x1 <= line.x0 for other in beside):
        return 1
    is_left = line.x0 < min(other.x0 for other in others) + line.size
    return -1 if is_left and all(other.x0 >= line.x1 for other in beside) else 0


def _find_band(lines: Sequence[Line]) -> list[int]:
    """Return the bounds of the first band: the indices of its columns' first lines, and the index after it.

    A band is a group of columns side by side. Each is drawn from top to bottom before the next one on its
    right, and all begin at about the same height; the cells of a table, in contrast, are drawn row by row.
    All other lines must be above or below the band. The result is empty if there is no band.

    The lines are in the order in which they are drawn, as in all functions called here.
    """
    # All columns but the first begin with a line that is drawn higher up than the one before it.
    jumps_up = [i for i in range(1, len(lines)) if not _continues_downwards(lines[i], lines[i - 1])]
    for n_above, second_start in enumerate(jumps_up):  # the second column may begin at any of them
        first_start = _start_of_column_left_of(lines, second_start)
        if second_start - first_start < _MIN_LINES:
            continue
        starts = _column_starts(lines, first_start, jumps_up[n_above:])
        bounds = [*starts, _end_of_last_column(lines, starts, jumps_up)]
        if _are_columns(lines, bounds):
            return bounds
    return []


def _start_of_column_left_of(lines: Sequence[Line], right_start: int) -> int:
    """Return the index of the first line of the column left of the one that begins at `right_start`."""
    start, top_right = right_start, lines[right_start]
    while (
        start
        and lines[start - 1].y < top_right.y + top_right.size
        and _side_of_gutter(lines[start - 1], top_right.x0) < 0
    ):
        start -= 1
        if start and not _continues_downwards(lines[start], lines[start - 1]):
            break
    return start


def _column_starts(lines: Sequence[Line], first: int, jumps_up: Sequence[int]) -> list[int]:
    """Return the indices of the lines at which the columns of a band begin."""
    # `first`: the index at which the first column begins.
    # `jumps_up`: the indices at which another column may begin; the first of them is the second column's.
    starts = [first, jumps_up[0]]
    for jump in jumps_up[1:]:
        left_column, right_column = lines[starts[-2] : starts[-1]], lines[starts[-1] : jump]
        edge = _right_edge(left_column)
        if any(_side_of_gutter(line, edge) <= 0 for line in right_column):
            break  # a line is left of the gutter or across it: the columns ended above
        starts.append(jump)
    return starts


def _end_of_last_column(lines: Sequence[Line], starts: Sequence[int], jumps_up: Sequence[int]) -> int:
    """Return the index after the last column of a band."""
    # The column ends before the text below the band: a line that is not right of the column before, or that
    # is below the other columns. At the latest, it ends where another column would begin.
    next_jump = next((jump for jump in jumps_up if jump > starts[-1]), len(lines))
    left_edge = _right_edge(lines[starts[-2] : starts[-1]])
    last_lines_of_others = [lines[start - 1] for start in starts[1:]]
    floor = min(line.y for line in last_lines_of_others) - lines[starts[1]].size
    for i in range(starts[-1], next_jump):
        if _side_of_gutter(lines[i], left_edge) <= 0 or lines[i].y < floor:
            return i
    return next_jump


def _right_edge(lines: Sequence[Line]) -> float:
    return max(line.x1 for line in lines)


def _are_columns(lines: Sequence[Line], bounds: Sequence[int]) -> bool:
    """Return whether the columns between `bounds` are wide and long enough, with nothing beside them."""
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
    return all(_continues_downwards(after, before) for before, after in pairwise(lines))


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
    """Return the x that divides the lines into two columns and is crossed by the fewest lines, or None."""
    # The gutter is the left edge of the right column. The left edge of a list in that column is not chosen:
    # the column's other lines cross it.
    x0, x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
    min_width = _MIN_WIDTH * (x1 - x0)
    n_lines_at = Counter(round(line.x0) for line in lines)  # by left edge
    gutter: float | None = None
    fewest_across = len(lines) + 1
    for x, n in n_lines_at.most_common():
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


def is_gap(before: Box, after: Box) -> bool:
    """Return whether the gap between two runs is wider than any space between words."""
    _, bottom, right, top = before
    left, bottom_after, _, top_after = after
    gap = left - right
    return gap > MAX_SPACE * (top - bottom) and gap > MAX_SPACE * (top_after - bottom_after)


def is_broken(boxes: Boxes) -> bool:
    """Return whether a line may have a gap, or a part below the rest: few lines do."""
    for (_, bottom, right, top), (next_left, _, _, next_top) in pairwise(boxes):
        if next_left - right > MAX_SPACE * (top - bottom) or next_top < bottom:
            return True
    return False


def gutters_of(
    broken_lines: Iterable[Boxes], lines: Sequence[Boxes], *, from_right: bool = False
) -> frozenset[int]:
    """Return the x, in whole points, at which several lines continue after a gap: columns begin there."""
    widths_before: dict[int, list[float]] = defaultdict(list)  # of runs before a gap, by the x after it
    for boxes in broken_lines:
        for before, after in pairwise(boxes):
            (left, bottom, right, top), next_left = before, after[0]
            if next_left - right > top - bottom and is_gap(before, after):
                widths_before[round(next_left)].append(right - left)
    if not widths_before:
        return frozenset()
    width_of_type = max(boxes[-1][2] for boxes in lines) - min(boxes[0][0] for boxes in lines)

    n_starts = Counter(round(boxes[0][0]) for boxes in lines if not from_right)

    def begins_column(x: int) -> bool:
        near = (x - 1, x, x + 1)
        n_gaps = sum(len(widths_before.get(at, ())) for at in near)
        return n_gaps >= _MIN_GAPS or sum(n_starts[at] for at in near) >= _MIN_STARTS

    return frozenset(
        x
        for x, widths in widths_before.items()
        if mean(widths) >= _MIN_SHARE_OF_WIDTH * width_of_type and begins_column(x)
    )
