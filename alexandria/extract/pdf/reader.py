"""PDFium's text layer as lines with place and size."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from ctypes import byref, c_double, c_ushort, string_at
from dataclasses import replace
from itertools import pairwise
from math import sqrt
from statistics import mean, median, mode
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.lines import Line, Mark, OutlineEntry, Page

# PDFium marks a line-end U+002D as U+FFFE and then leaves out the line break.
_LINE = re.compile("[^\r\n\ufffe]*[^\\s\ufffe][^\r\n\ufffe]*\ufffe?")
# No text may hold them; later stages use them as marks of their own.
_NONCHARACTER = re.compile("[\ufdd0-\ufdef]")
_LETTER = re.compile(r"[^\W\d_]")
_ALNUM = re.compile(r"\w")
# What may cite a note, if its end turns out to be raised: a number or a reference sign.
_MARK = re.compile(r"\d+|[*†‡§¶]{1,3}|[¹²³⁰⁴-⁹]+")
_MARK_CHARACTER = re.compile("[\\d*†‡§¶¹²³⁰⁴-⁹]")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LONGEST_MARK = 3
"""Digits: no chapter has a thousand notes."""
_RAISED = 0.85
"""A mark is set at 50-80 % of the line's size; figures in old style or small caps come to 90 %."""
_BOLD = 600
"""CSS and OpenType call 600 semi-bold."""
_BUFFER = 4096
"""Characters: a full page has 2,000 to 4,000."""
_DASHES = ("—", "⸺", "⸻")
_INITIAL = 1.6
"""Times the size beside it: a drop cap, not a letter with a raised sign."""
_WORD_SPACE = 0.2
"""Times the size: kerning and side bearings leave less between letters, spaces are wider."""
_WIDEST_SPACE = 1.0
"""Times the size: the widest space in a justified line; the gap between columns is wider."""
_LINES = 3
"""So many lines that go on at one x are a column, not chance."""
_NARROWEST = 0.2
"""Share of the type's width that a column takes at least: numbers of a list or of contents are narrower."""
_SMALLEST = 2.0
"""Points: Type 3 fonts hide the size in their glyph matrix; below this the number is no size."""


def read_pages(document: pdfium.PdfDocument) -> Iterator[Page]:
    """Yield the pages in order; a page that cannot be loaded comes without lines."""
    for index in range(len(document)):
        label = document.get_page_label(index) or None
        try:
            page = document[index]
        except pdfium.PdfiumError:
            yield Page(index, label, 0.0, 0.0, (), unread=True)
            continue
        reader = _PageReader(page, index)
        left, bottom, right, top = reader.upright(page.get_cropbox())
        lines = tuple(
            line
            for line in _rejoined(reader.lines())
            # Type outside the CropBox is printers' marks, or the neighbour page of a spread.
            if left <= (line.x0 + line.x1) / 2 <= right and bottom <= line.y <= top
        )
        unread = not lines and any(page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=2))
        yield Page(index, label, right - left, top - bottom, lines, unread)
        page.close()


def _rejoined(lines: Iterable[Line]) -> Iterator[Line]:
    """Put together what PDFium takes for two lines because a raised or lowered sign stands between."""
    last: Line | None = None
    for line in lines:
        if last and _same_line(last, line):
            last = _joined(last, line)
            continue
        if last:
            yield last
        last = line
    if last:
        yield last


def _same_line(before: Line, after: Line) -> bool:
    size = max(before.size, after.size)
    if len(before.text) <= 2 and before.size > _INITIAL * after.size:
        return False
    gap = after.x0 - before.x1
    return abs(before.y - after.y) < 0.5 * size and -0.2 * size < gap < _WIDEST_SPACE * size


def _joined(before: Line, after: Line) -> Line:
    size = max(before.size, after.size)
    apart = after.x0 - before.x1 > _WORD_SPACE * size and not after.text.startswith(_DASHES)
    space = " " if apart else ""
    shift = len(before.text) + len(space)
    marks = [replace(mark, start=mark.start + shift, end=mark.end + shift) for mark in after.marks]
    if _MARK.fullmatch(after.text) and after.size < _RAISED * before.size and after.y > before.y:
        marks = [Mark(shift, shift + len(after.text), after.text)]
    main = before if before.size >= after.size else after
    return replace(
        main,
        text=before.text + space + after.text,
        x0=min(before.x0, after.x0),
        x1=max(before.x1, after.x1),
        marks=(*before.marks, *marks),
    )


def read_outline(document: pdfium.PdfDocument) -> tuple[OutlineEntry, ...]:
    """Return the outline's entries that point at a page, in order."""
    entries = []
    for bookmark in document.get_toc(max_depth=8):
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        title = " ".join(bookmark.get_title().split())
        if target is None or page is None or not title:
            continue
        mode, view = target.get_view()
        y = view[1] if mode == raw.PDFDEST_VIEW_XYZ and len(view) > 1 else None
        entries.append(OutlineEntry(title, bookmark.level + 1, page, y or None))
    return tuple(entries)


_Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
_Boxes = list[_Box]
_Span = tuple[int, int, _Boxes]
"""Where a line begins and ends in the page's text, and its runs of type."""


def _is_gap(before: _Box, after: _Box) -> bool:
    """Whether more than the widest word space lies between two runs: a height of type."""
    return after[0] - before[2] > _WIDEST_SPACE * max(before[3] - before[1], after[3] - after[1])


def _gutters(lines: Iterable[_Boxes]) -> frozenset[int]:
    """Return the x, in whole points, at which several lines go on behind a gap: there a column begins."""
    lines = [boxes for boxes in lines if boxes]
    widths: dict[int, list[float]] = defaultdict(list)
    for before, after in (pair for boxes in lines for pair in pairwise(boxes)):
        if _is_gap(before, after):
            widths[round(after[0])].append(before[2] - before[0])
    if not widths:
        return frozenset()
    narrowest = _NARROWEST * (max(boxes[-1][2] for boxes in lines) - min(boxes[0][0] for boxes in lines))
    return frozenset(
        x
        for x in widths
        if sum(len(widths.get(x + d, ())) for d in (-1, 0, 1)) >= _LINES and mean(widths[x]) >= narrowest
    )


class _PageReader:
    """One page's text, and the questions asked about its characters."""

    def __init__(self, page: pdfium.PdfPage, index: int) -> None:
        self.index = index
        self.page = page.get_textpage()
        self.handle: Any = self.page.raw
        # PDFium writes its answers here; one set serves all questions.
        self.matrix = raw.FS_MATRIX()
        self.matrix_pointer = byref(self.matrix)
        self.sides = (c_double(), c_double(), c_double(), c_double())
        self.side_pointers = tuple(byref(side) for side in self.sides)
        count = raw.FPDFText_CountChars(self.handle)
        # ctypes makes a type for each length, which takes longer than the text: rounded up there are few.
        buffer = (c_ushort * (max(count, 0) // _BUFFER * _BUFFER + _BUFFER))()
        written = raw.FPDFText_GetText(self.handle, 0, count, buffer) if count > 0 else 0
        text = string_at(buffer, 2 * max(written - 1, 0)).decode("utf-16-le", "replace")
        # One for one: offsets must stay.
        self.text = _NONCHARACTER.sub(" ", text)
        self.one_to_one = len(self.text) == count
        self.turn = self.quarter_turns()

    def quarter_turns(self) -> int:
        """How most of the page's type is turned, in quarters of a circle to the left; by three samples."""
        n = len(self.text)
        turns = []
        for sample in filter(None, (_LETTER.search(self.text, n * i // 4) for i in (1, 2, 3))):
            self.size(self.character(sample.start()))
            across, up = self.matrix.a, self.matrix.b
            turns.append((1 if up > 0 else 3) if abs(up) > abs(across) else (2 if across < 0 else 0))
        return mode(turns) if turns else 0

    def upright(self, box: _Box) -> _Box:
        """The box as it stands when the page is turned so that its type runs from left to right."""
        left, bottom, right, top = box
        match self.turn:
            case 1:
                return bottom, -right, top, -left
            case 2:
                return -right, -top, -left, -bottom
            case 3:
                return -top, left, -bottom, right
        return box

    def lines(self) -> Iterator[Line]:
        spans = [self.span(*match.span()) for match in _LINE.finditer(self.text)]
        # A turned page is a table or a plate: its columns are not cut, only ordered.
        gutters = _gutters(boxes for _, _, boxes in spans) if not self.turn else frozenset()
        for start, end, boxes in spans:
            for part in self.cut(start, end, boxes, gutters):
                yield self.line(*part)
        self.page.close()

    def span(self, start: int, end: int) -> _Span:
        """The offsets of a line without white space at its ends, and its boxes."""
        text = self.text[start:end]
        start, end = end - len(text.lstrip()), start + len(text.rstrip())
        return start, end, self.boxes(start, end - 1)

    def cut(self, start: int, end: int, boxes: _Boxes, gutters: frozenset[int]) -> Iterator[_Span]:
        """Yield the parts of what PDFium takes for one line because it was drawn across the columns."""
        for i in range(1, len(boxes)):
            before, after = boxes[i - 1], boxes[i]
            # The right line may be indented: the column begins within the gap.
            if _is_gap(before, after) and any(before[2] < x <= after[0] + 1 for x in gutters):
                at = self.offset_at(boxes[i])
                if start < at < end:
                    yield self.span(start, at)
                    yield from self.cut(*self.span(at, end), gutters)
                    return
        if boxes:
            yield start, end, boxes

    def line(self, start: int, end: int, boxes: _Boxes) -> Line:
        text = self.text[start:end]
        # The middle of the line: its first letter may be a drop or a small capital.
        sample = _LETTER.search(text, len(text) // 2) or _LETTER.search(text) or _ALNUM.search(text)
        at = self.character(start + (sample.start() if sample else 0))
        size = self.size(at)
        baseline: float = self.matrix.f  # asked for with the size
        if self.turn:
            _, baseline, _, _ = self.upright((self.matrix.e, self.matrix.f, self.matrix.e, self.matrix.f))
        if size < _SMALLEST:
            size = median(top - bottom for _, bottom, _, top in boxes)
        return Line(
            text=text.replace("\ufffe", "-"),
            page=self.index,
            x0=min(boxes)[0],
            x1=max([box[2] for box in boxes]),
            y=baseline,
            size=max(round(size, 1), 0.1),  # damaged glyphs have no height, and distances are divided by it
            bold=len(text) < 80 and raw.FPDFText_GetFontWeight(self.handle, at) >= _BOLD,
            marks=tuple(self.marks(text, start, size)) if _MARK_CHARACTER.search(text) else (),
        )

    def character(self, offset: int) -> int:
        """The page's character behind an offset of its text; they part where glyphs map to nothing."""
        if self.one_to_one:
            return offset
        return int(raw.FPDFText_GetCharIndexFromTextIndex(self.handle, offset))

    def offset_at(self, box: _Box) -> int:
        """The offset of a box's first character; -1 where PDFium finds none."""
        left, bottom, _, top = box
        # A point into the letter; a point around it is tolerance for thin ones.
        at = int(
            raw.FPDFText_GetCharIndexAtPos(self.handle, left + 0.5, (bottom + top) / 2, 1.0, top - bottom)
        )
        if at < 0 or self.one_to_one:
            return at
        return int(raw.FPDFText_GetTextIndexFromCharIndex(self.handle, at))

    def boxes(self, first: int, last: int) -> _Boxes:
        """Left, bottom, right, top of each run of type between two offsets, both included."""
        begin, end = self.character(first), self.character(last)
        count = raw.FPDFText_CountRects(self.handle, begin, end - begin + 1)
        left, top, right, bottom = self.sides
        boxes = []
        for i in range(count):
            raw.FPDFText_GetRect(self.handle, i, *self.side_pointers)
            boxes.append((left.value, bottom.value, right.value, top.value))
        return [self.upright(box) for box in boxes] if self.turn else boxes

    def size(self, character: int) -> float:
        m = self.matrix
        raw.FPDFText_GetMatrix(self.handle, character, self.matrix_pointer)
        size: float = raw.FPDFText_GetFontSize(self.handle, character)
        return size * sqrt(abs(m.a * m.d - m.b * m.c))

    def marks(self, text: str, start: int, size: float) -> Iterator[Mark]:
        """The raised numbers and signs of a line: "1845" may end in a raised 5."""
        for match in _MARK.finditer(text):
            label, first = match.group(), match.end()
            if label.translate(_SUPERSCRIPTS) != label:
                yield Mark(match.start(), match.end(), label.translate(_SUPERSCRIPTS))
                continue
            while first > match.start() and self.size(self.character(start + first - 1)) < _RAISED * size:
                first -= 1
            if match.end() - _LONGEST_MARK <= first < match.end():
                yield Mark(first, match.end(), text[first : match.end()])
