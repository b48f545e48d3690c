"""Reads pages of vertical Chinese and Japanese: columns from right to left, each from top to bottom."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from ctypes import byref, c_double
from statistics import median
from typing import Any, NamedTuple

import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.lines import DEPTH, HEIGHT, Line

_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}")
_N_PAIRS = 40
"""Pairs of neighbours that are looked at to find the direction of writing."""
_MIN_SHARE = 0.7
"""Share of these pairs that are below each other on a vertical page."""
_VERTICAL_FORM = re.compile("[\ufe10-\ufe19\ufe30-\ufe48]")
_SAME_COLUMN = 0.5
"""Times the size: how far the middle of a character is from that of its column, at most."""
_RUBY_SIZE = 0.65
"""Times the usual size: the largest type of readings beside a column."""


class _Glyph(NamedTuple):
    text: str
    x: float
    """Of its middle."""
    top: float
    bottom: float
    size: float


def is_vertical(handle: Any, text: str) -> bool:
    """Return whether most neighbours of a page, whose offsets are PDFium's numbers, are below each other."""
    n_pairs = n_below = 0
    for match in _PAIR.finditer(text):
        (x0, y0), (x1, y1) = (_origin(handle, match.start() + i) for i in (0, 1))
        n_pairs += 1
        n_below += y0 - y1 > 2 * abs(x1 - x0)
        if n_pairs == _N_PAIRS:
            break
    return n_pairs > 1 and n_below >= _MIN_SHARE * n_pairs


def vertical_lines(handle: Any, text: str, index: int) -> Iterator[Line]:
    """Yield the columns of a page as lines of a page turned by three quarters, and then the readings."""
    glyphs = [*_glyphs(handle, text)]
    if not glyphs:
        return
    usual = median(glyph.size for glyph in glyphs)
    for is_reading in (False, True):
        part = [glyph for glyph in glyphs if (glyph.size <= _RUBY_SIZE * usual) is is_reading]
        for column in _columns(part):
            size = median(glyph.size for glyph in column)
            middle = median(glyph.x for glyph in column)
            yield Line(
                text="".join(glyph.text for glyph in column),
                page=index,
                x0=-column[0].top,
                x1=-column[-1].bottom,
                y=middle - (HEIGHT - DEPTH) / 2 * size,
                size=max(round(size, 1), 0.1),
                turn=3,
                is_reading=is_reading,
            )


def _columns(glyphs: Sequence[_Glyph]) -> Iterator[list[_Glyph]]:
    """Yield the glyphs of each column from top to bottom, the columns from right to left."""
    columns: list[list[_Glyph]] = []
    for glyph in sorted(glyphs, key=lambda glyph: -glyph.x):
        if columns and columns[-1][0].x - glyph.x < _SAME_COLUMN * glyph.size:
            columns[-1].append(glyph)
        else:
            columns.append([glyph])
    for column in columns:
        yield sorted(column, key=lambda glyph: -glyph.top)


def _glyphs(handle: Any, text: str) -> Iterator[_Glyph]:
    left, right, bottom, top = (c_double() for _ in range(4))
    for i, character in enumerate(text):
        if character.isspace() or not raw.FPDFText_GetCharBox(
            handle, i, byref(left), byref(right), byref(bottom), byref(top)
        ):
            continue
        if _VERTICAL_FORM.match(character):  # the form of a bracket or a stop in vertical type
            character = unicodedata.normalize("NFKC", character)
        size = float(raw.FPDFText_GetFontSize(handle, i))
        matrix = raw.FS_MATRIX()
        if raw.FPDFText_GetMatrix(handle, i, byref(matrix)):
            size *= max(abs(matrix.d), abs(matrix.b)) or 1
        x, y = _origin(handle, i)
        # Stops are drawn in a corner of their square: the origin says which column and place they have.
        yield _Glyph(character, x, y + size, y, size)


def _origin(handle: Any, number: int) -> tuple[float, float]:
    x, y = c_double(), c_double()
    raw.FPDFText_GetCharOrigin(handle, number, byref(x), byref(y))
    return x.value, y.value
