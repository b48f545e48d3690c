"""Reads text layers: words that an OCR program has laid, unseen, over or under the picture of a page.

Their places are those of words on the picture, in a font of any width: sizes and right edges are noise, and a
row may run across columns. `scanned`, which is for recognised words, makes lines of type of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import linear_regression, median, mode
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.columns import Box, columns_of
from alexandria.extract.pdf.lines import Line, Mark, with_markers
from alexandria.extract.pdf.scanned import Segment, segments_of, snap_left_edges, to_line
from alexandria.extract.pdf.textpage import LINE, TextPage
from alexandria.extract.runs import group_runs
from alexandria.extract.scans import ScannedPage, ScannedWord

_WORD = re.compile("[^\\s\ufffe]+\ufffe?")
_LETTER = re.compile(r"\w")
_SIGN = re.compile(r"[^\W\d_][.,;:!?'\"”’)\]]*(\d{1,3}|[*†‡§]{1,2})")
"""A word, and what may be the mark of a note at its end."""
_MIN_HIDDEN = 1 / 3  # share of the page that a picture over hidden text covers, without its margins
_MIN_COVERED = 0.6  # share of the page that a picture drawn over visible text covers
_N_LAST = 12  # pictures that cover the text are drawn last, but for the words of a stamp
_SURE = 100.0  # what stands for a confidence that nobody measured: all words are text
_POINTS = 0.01  # points per unit of the page, as if it were a picture
_MIN_GAP = 0.5  # times the size: the least distance between columns
_MIN_ROWS = 5  # fewest rows that have their widest gap at one place if this is the gutter of two columns
_MIN_SIDE = 0.2  # smallest width of a column, as a share of the type's
_SAME_LEFT = 3  # times the size: lines whose left edges differ by less are of one column
_SAME_RIGHT = 0.15  # times the size: the right edges of full lines differ by less
_MIN_FULL = 0.2  # share of a column's lines that end at its right edge
_MIN_RUN = 3  # fewest lines of which an even distance is known
_UNEVEN = 0.25  # share of the distance of lines by which a layer may misplace it; a gap is wider
_ODD_SIZE = 0.35  # share of its size by which a layer may mismeasure a line
_MAX_OVERSHOOT = 0.2  # share of its column's width, or characters, by which a line may exceed it


def has_layer(page: pdfium.PdfPage, text: TextPage) -> bool:
    """Return whether the text of a page is a layer over or under its picture, and upright.

    It is invisible, and there is a picture, or a picture covers it.
    """
    if text.turn or text.is_vertical or text.is_right_to_left:
        return False
    letters = (_LETTER.search(text.text, len(text.text) * quarter // 4) for quarter in (0, 1, 3))
    numbers = [text.character(letter.start()) for letter in letters if letter]
    if not numbers:
        return False
    handle: Any = text.characters.handle
    modes = [raw.FPDFTextObj_GetTextRenderMode(raw.FPDFText_GetTextObject(handle, n)) for n in numbers]
    if mode(modes) == raw.FPDF_TEXTRENDERMODE_INVISIBLE:
        pictures = page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=3)
        # It may be cut into strips.
        return sum(_share(picture.get_bounds(), page.get_bbox()) for picture in pictures) > _MIN_HIDDEN
    n_objects = raw.FPDFPage_CountObjects(page)
    last = (
        raw.FPDFPage_GetObject(page, i) for i in range(max(n_objects - _N_LAST, n_objects // 2), n_objects)
    )
    return any(
        _share(pdfium.PdfObject(picture, page=page).get_bounds(), page.get_bbox()) > _MIN_COVERED
        for picture in last
        if raw.FPDFPageObj_GetType(picture) == raw.FPDF_PAGEOBJ_IMAGE
        and not raw.FPDFPageObj_HasTransparency(picture)
    )


def _share(box: Box, page_box: Box) -> float:
    """Return the share of the page that a box takes up."""
    (left, bottom, right, top), (page_left, page_bottom, page_right, page_top) = box, page_box
    return (right - left) * (top - bottom) / max((page_right - page_left) * (page_top - page_bottom), 1.0)


def layer_lines(text: TextPage, box: Box) -> tuple[Line, ...]:
    """Return the lines of a page's text layer, cut between columns, and close the text page."""
    rows = [row for match in LINE.finditer(text.text) for row in _rows_of(_words_in(text, match.span(), box))]
    text.characters.page.close()
    parts = [part for row in rows for part in _cut_at_edges(row, box)]
    rows = [words for words, is_visible in parts if is_visible]
    while gutter := _find_gutter(rows):
        rows = [part for row in rows for part in _cut(row, gutter)]
    hidden = _segments_of([words for words, is_visible in parts if not is_visible], box)
    segments = snap_left_edges(_segments_of(rows, box))
    lines = [
        to_line(replace(segment, x1=_right_edge(segment, segments)), text.index)._replace(
            confidence=None,
            marks=tuple(Mark(start, end, segment.text[start:end]) for start, end in segment.raised),
        )
        for segment in segments
    ]
    visible = (line for column in columns_of(with_markers(lines)) for line in _even(column))
    return *visible, *(to_line(segment, text.index) for segment in hidden)


def _segments_of(rows: Sequence[Sequence[ScannedWord]], box: Box) -> tuple[Segment, ...]:
    words = [replace(word, line=number) for number, row in enumerate(rows) for word in row]
    return segments_of(ScannedPage(round(box[2] / _POINTS), round(box[3] / _POINTS), _POINTS, tuple(words)))


def layer_segments(lines: Iterable[Line]) -> tuple[Segment, ...]:
    """Return the segments from which `layer_lines` has made lines."""
    return tuple(
        Segment(
            text=line.text,
            raised=tuple((mark.start, mark.end) for mark in line.marks),
            confidence=None,
            place=line.box,
            x0=line.x0,
            x1=line.x1,
            y=line.y,
            size=line.size,
            n_letters=len(line.text),
        )
        for line in lines
    )


def _words_in(text: TextPage, span: tuple[int, int], box: Box) -> Iterator[ScannedWord]:
    """Yield the words of a line, in hundredths of a point from the upper left corner of the page."""
    edges = raw.FS_RECTF(), raw.FS_RECTF()
    for match in _WORD.finditer(text.text, *span):
        word = match[0].replace("\ufffe", "-")
        for at, edge in zip((match.start(), match.end() - 1), edges, strict=True):
            raw.FPDFText_GetLooseCharBox(text.characters.handle, text.character(at), edge)
        first, last = edges
        letter = _LETTER.search(match[0])
        at = match.start() + (letter.start() if letter else 0)
        size, baseline = text.size_and_baseline_at(text.character(at))
        sign = _SIGN.search(word)
        yield ScannedWord(
            text=word,
            left=round(first.left / _POINTS),
            top=round((box[3] - first.top) / _POINTS),
            right=round(max(first.right, last.right) / _POINTS),
            bottom=round((box[3] - first.bottom) / _POINTS),
            size=size / _POINTS if letter else 0.0,
            baseline=round((box[3] - baseline) / _POINTS),
            n_raised=len(sign[1]) if sign and sign.end() == len(word) else 0,
            confidence=_SURE,
            line=0,
        )


def _rows_of(words: Iterable[ScannedWord]) -> list[Sequence[ScannedWord]]:
    """Return the words of a line in rows: in small type, PDFium overlooks where the next row begins."""

    def is_in_row(row: Sequence[ScannedWord], word: ScannedWord) -> bool:
        last = row[-1]
        return word.left > last.left and abs(word.bottom - last.bottom) < (last.bottom - last.top) / 2

    return [*group_runs(words, is_in_row)]


def _cut_at_edges(row: Sequence[ScannedWord], box: Box) -> Iterator[tuple[list[ScannedWord], bool]]:
    """Yield the parts of a row, and whether each begins on the visible page."""
    # It is then on the page as a whole: the font of the layer may be wider than the print. What follows a gap
    # beyond the edge is the other half of a spread.
    left, right, height = box[0] / _POINTS, box[2] / _POINTS, (box[3] - box[1]) / _POINTS
    visible: list[bool] = []
    for before, word in zip([None, *row], row, strict=False):
        is_visible = left <= word.left <= right and 0 <= (word.baseline or 0) <= height
        if before and visible[-1] and word.left > right:
            is_visible = word.left - before.right < word.bottom - word.top
        visible.append(is_visible)
    for is_visible, part in groupby(zip(visible, row, strict=True), key=itemgetter(0)):
        words = [word for _, word in part]
        edge = round(right if is_visible else words[-1].right)
        yield (
            [replace(word, left=min(word.left, edge), right=min(word.right, edge)) for word in words],
            is_visible,
        )


def _find_gutter(rows: Sequence[Sequence[ScannedWord]]) -> int:
    """Return the x at which most of the rows that cross it have their widest gap; 0 if there is none."""
    if not rows:
        return 0
    left, right = min(row[0].left for row in rows), max(row[-1].right for row in rows)
    widest = [max(gaps, key=lambda gap: gap[1] - gap[0]) for row in rows if (gaps := [*_gaps_in(row)])]
    n_rows = Counter((start + end) // 2 for start, end in widest)
    votes = {x: sum(start < x < end for start, end in widest) for x in n_rows}
    for x in sorted(votes, key=lambda x: -votes[x]):
        n_crossing = sum(row[0].left < x < row[-1].right for row in rows)
        is_inside = left + _MIN_SIDE * (right - left) < x < right - _MIN_SIDE * (right - left)
        if is_inside and votes[x] >= max(_MIN_ROWS, n_crossing / 2):
            return x
    return 0


def _gaps_in(row: Sequence[ScannedWord]) -> Iterator[tuple[int, int]]:
    """Yield the gaps of a row that may be between columns: from the end of a word to the next word."""
    for word, following in pairwise(row):
        if following.left - word.right > _MIN_GAP * word.size:
            yield word.right, following.left


def _cut(row: Sequence[ScannedWord], gutter: int) -> list[Sequence[ScannedWord]]:
    """Return a row in two parts if it has a gap at the gutter, otherwise in one."""
    for i, (start, end) in enumerate(pairwise(row), 1):
        if start.right <= gutter <= end.left:
            return [row[:i], row[i:]]
    return [row]


def _even(column: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines of a column; those that follow one another evenly get one size and equal distances."""
    distances = [above.y - below.y for above, below in pairwise(column) if _are_stacked(above, below)]
    leading = median(distances) if distances else 0.0

    def goes_on(run: Sequence[Line], line: Line) -> bool:
        return (
            _are_stacked(run[-1], line)
            and abs(run[-1].y - line.y - leading) <= _UNEVEN * leading
            and abs(run[0].size - line.size) <= _ODD_SIZE * run[0].size
        )

    for run in group_runs(column, goes_on):
        yield from _evened(run)


def _are_stacked(above: Line, below: Line) -> bool:
    """Return whether a line is below another one, and begins at about the same place."""
    return above.y > below.y and abs(above.x0 - below.x0) < _SAME_LEFT * above.size


def _evened(run: Sequence[Line]) -> Sequence[Line]:
    """Return lines in their median size, with baselines at equal distances if there are enough of them."""
    if len(run) < _MIN_RUN:
        return run
    size = median(size for line in run for size in [line.size] * len(line.text))
    slope, first = linear_regression(range(len(run)), [line.y for line in run])
    return [line._replace(size=size, y=first + slope * i) for i, line in enumerate(run)]


def _right_edge(segment: Segment, segments: Iterable[Segment]) -> float:
    """Return the right edge of a segment: at most that of most lines of its column, or where one begins."""
    x0, x1, size = segment.x0, segment.x1, segment.size
    column = [other for other in segments if abs(other.x0 - x0) < _SAME_LEFT * size]
    edges = [other.x1 for other in column]
    n_near = {edge: sum(abs(other - edge) < _SAME_RIGHT * size for other in edges) for edge in edges}
    usual = max(edges, key=lambda edge: n_near[edge])
    full = [_length(other) for other in column if abs(other.x1 - usual) < _SAME_RIGHT * size]
    is_usual = len(full) >= max(_MIN_ROWS, _MIN_FULL * len(edges))
    beside = [
        other.x0 - size / 2  # there is a space between columns
        for other in segments
        if x0 + size < other.x0 < x1 + size / 2 and abs(other.y - segment.y) < size / 2
    ]
    is_wide = x1 >= usual + _MAX_OVERSHOOT * (usual - x0)
    is_long = _length(segment) > (1 + _MAX_OVERSHOOT) * median(full)
    is_inside = beside or not (is_wide and is_long)
    return min([x1, *beside, *([usual] if is_usual and is_inside else [])])


def _length(segment: Segment) -> float:
    """Return how long a segment is as printed: by its height, since the size of a wider font is larger."""
    _, bottom, _, top = segment.place
    return len(segment.text) * (top - bottom)
