"""Reads pages of vertical Chinese and Japanese: columns from right to left, each from top to bottom."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, c_double, c_float
from math import inf
from statistics import median
from typing import Any, NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.lines import DEPTH, HEIGHT, Line
from alexandria.extract.runs import group_runs

# PDFium may take each character of a column for a line.
_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u9fff](?:\r\n)?[\u3040-\u30ff\u3400-\u9fff]")
_N_PAIRS = 40  # pairs of neighbours that are looked at to find the direction of writing
_MIN_SHARE = 0.7  # share of these pairs that are below each other on a vertical page
_VERTICAL_FORM = re.compile("[\ufe10-\ufe19\ufe30-\ufe48]")
_SAME_COLUMN = 0.5  # times the size: how far the middle of a character is from that of its column, at most
_SAME_ROW = 0.2  # times the size: how far apart the baselines of characters side by side are, at most
_BESIDE = 1.5  # times the size: how far from each other the middles of such characters are, at most
_NO_WIDTH = 0.01  # points: PDFium gives no text for narrower pieces, whose glyphs it does not have
_MIN_TIER_GAP = 1.0  # times the size: the blank between tiers of columns; between characters it is lower
_HEAD_SIZE = 0.85  # times the usual size: the largest type of heads and page numbers; what is larger is text
_BEYOND = 0.6  # times the usual size: how far heads are from the ends of columns; readings are closer
_RUBY_SIZE = 0.65  # times the usual size: the largest type of readings beside a column


class Glyph(NamedTuple):
    """A character, or figures side by side, on a page with columns."""

    text: str
    x: float  # of its middle
    top: float
    bottom: float
    size: float


def is_vertical(handle: Any, text: str) -> bool:
    """Return whether most neighbours in the text of a page are below each other; its offsets are PDFium's."""
    n_pairs = n_below = 0
    for match in _PAIR.finditer(text):
        (x0, y0), (x1, y1) = (_origin(handle, at) for at in (match.start(), match.end() - 1))
        n_pairs += 1
        n_below += y0 - y1 > 2 * abs(x1 - x0)
        if n_pairs == _N_PAIRS:
            break
    return n_pairs > 1 and n_below >= _MIN_SHARE * n_pairs


def loses_columns(pieces: Iterable[pdfium.PdfObject]) -> bool:
    """Return whether some of these pieces of text have no width, and are in a font that runs downwards."""
    width = c_float()
    for piece in pieces:
        left, _, right, _ = piece.get_bounds()
        if right - left < _NO_WIDTH:
            raw.FPDFFont_GetGlyphWidth(raw.FPDFTextObj_GetFont(piece.raw), ord("一"), 1.0, byref(width))
            if width.value < 0:  # that of a vertical font
                return True
    return False


def vertical_lines(glyphs: Sequence[Glyph], index: int) -> Iterator[Line]:
    """Yield the columns of a page as lines of a page turned by three quarters, and then the readings.

    Last are the lines above or below all columns that run from left to right: heads and page numbers.
    """
    if not glyphs:
        return
    usual_size = median(glyph.size for glyph in glyphs)
    rows = _rows(glyphs)
    heads = _rows_beyond_columns(rows, usual_size)
    column_glyphs = [_side_by_side(row) for row in rows if row not in heads]
    for is_reading in (False, True):
        part = [glyph for glyph in column_glyphs if (glyph.size <= _RUBY_SIZE * usual_size) is is_reading]
        for column in (column for tier in _tiers(part) for column in _columns(tier)):
            yield _column_line(column, index)._replace(is_reading=is_reading)
    # A head may run down as well.
    downwards = [row[0] for row in heads if len(row) == 1 and not row[0].text.isascii()]
    for row in [*_columns(downwards), *(row for row in heads if row[0] not in downwards)]:
        yield _head_line(row, index)


def _rows_beyond_columns(rows: Sequence[list[Glyph]], usual_size: float) -> list[list[Glyph]]:
    """Return the rows above or below all columns, which are large type in rows of one glyph each."""
    in_columns = [
        row[0]
        for row in rows
        if len(row) == 1 and row[0].size > _HEAD_SIZE * usual_size and not row[0].text.isascii()
    ]
    top = max((glyph.bottom for glyph in in_columns), default=0) + _BEYOND * usual_size
    bottom = min((glyph.bottom for glyph in in_columns), default=0) - _BEYOND * usual_size
    return [row for row in rows if row[0].bottom > top or row[0].top < bottom]


def _side_by_side(row: Sequence[Glyph]) -> Glyph:
    """Return the glyphs of a row in a column, such as figures, as one."""
    return row[0]._replace(text=_text_of(row), x=(row[0].x + row[-1].x) / 2)


def _column_line(column: Sequence[Glyph], index: int) -> Line:
    size = median(glyph.size for glyph in column)
    middle = median(glyph.x for glyph in column)
    baseline = middle - (HEIGHT - DEPTH) / 2 * size
    text, x0, x1 = _text_of(column), -column[0].top, -column[-1].bottom
    return Line(text, index, x0, x1, baseline, _line_size(size), turn=3)


def _head_line(row: Sequence[Glyph], index: int) -> Line:
    size = row[0].size
    x0, x1 = row[0].x - size / 2, row[-1].x + size / 2
    return Line(_text_of(row), index, x0, x1, row[-1].bottom, _line_size(size))


def _text_of(glyphs: Iterable[Glyph]) -> str:
    return "".join(glyph.text for glyph in glyphs)


def _line_size(size: float) -> float:
    return max(round(size, 1), 0.1)


def _rows(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """Return the glyphs, in the order in which they are drawn, by rows of those that are side by side."""

    def is_beside(row: Sequence[Glyph], glyph: Glyph) -> bool:
        is_level = abs(glyph.bottom - row[-1].bottom) < _SAME_ROW * glyph.size
        return is_level and 0 < glyph.x - row[-1].x < _BESIDE * glyph.size

    return group_runs(glyphs, is_beside)


def _tiers(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """Return the glyphs of each tier of columns, from the top; between tiers, a row of the page is blank."""
    tiers: list[list[Glyph]] = []
    floor = inf  # the bottom of the last tier
    for glyph in sorted(glyphs, key=lambda glyph: -glyph.top):
        if not tiers or glyph.top < floor - _MIN_TIER_GAP * glyph.size:
            tiers.append([])
        tiers[-1].append(glyph)
        floor = min(floor, glyph.bottom)
    return tiers


def _columns(glyphs: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """Yield the glyphs of each column from top to bottom, the columns from right to left."""
    from_right = sorted(glyphs, key=lambda glyph: -glyph.x)
    for column in group_runs(
        from_right, lambda column, glyph: column[0].x - glyph.x < _SAME_COLUMN * glyph.size
    ):
        yield sorted(column, key=lambda glyph: -glyph.top)


def glyphs_of(handle: Any, text: str) -> Iterator[Glyph]:
    """Yield the glyphs of a page, whose offsets are PDFium's numbers, in the order of drawing."""
    for i, character in enumerate(text):
        if character.isspace():
            continue
        if _VERTICAL_FORM.match(character):  # the form of a bracket or a stop in vertical type
            character = unicodedata.normalize("NFKC", character)
        size = float(raw.FPDFText_GetFontSize(handle, i))
        matrix = raw.FS_MATRIX()
        if raw.FPDFText_GetMatrix(handle, i, byref(matrix)):
            size *= max(abs(matrix.d), abs(matrix.b)) or 1
        x, y = _origin(handle, i)
        # Stops are drawn in a corner of their square: the origin says which column and place they have.
        yield Glyph(character, x, y + size, y, size)


def _origin(handle: Any, number: int) -> tuple[float, float]:
    x, y = c_double(), c_double()
    raw.FPDFText_GetCharOrigin(handle, number, byref(x), byref(y))
    return x.value, y.value
