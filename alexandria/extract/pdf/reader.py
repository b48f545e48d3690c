"""PDFium's text layer as lines with place and size."""

import re
from collections.abc import Iterable, Iterator
from ctypes import byref, c_double, c_ushort
from dataclasses import replace
from math import sqrt
from statistics import median
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.lines import Entry, Line, Mark, Page

# PDFium marks a line-end U+002D as U+FFFE and then leaves out the line break.
_LINE = re.compile("[^\r\n\ufffe]*[^\\s\ufffe][^\r\n\ufffe]*\ufffe?")
_LETTER = re.compile(r"[^\W\d_]")
_ALNUM = re.compile(r"\w")
# What may cite a note, if its end turns out to be raised: a number or a reference sign.
_MARK = re.compile(r"\d+|[*†‡§¶]{1,3}|[¹²³⁰⁴-⁹]+")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LONGEST_MARK = 3
"""Digits: no chapter has a thousand notes."""
_RAISED = 0.85
"""A mark is set at 50-80 % of the line's size; figures in old style or small caps come to 90 %."""
_BOLD = 600
"""CSS and OpenType call 600 semi-bold."""
_DASHES = ("—", "⸺", "⸻")
_WORD_SPACE = 0.2
"""Times the size: kerning and side bearings leave less between letters, spaces are wider."""
_WIDEST_SPACE = 1.0
"""Times the size: the widest space in a justified line; the gap between columns is wider."""
_SMALLEST = 2.0
"""Points: Type 3 fonts hide the size in their glyph matrix; below this the number is no size."""


def read_pages(document: pdfium.PdfDocument) -> Iterator[Page]:
    """Yield the pages in order; a page that cannot be loaded comes without lines."""
    for index in range(len(document)):
        label = document.get_page_label(index) or None
        try:
            page = document[index]
        except pdfium.PdfiumError:
            yield Page(index, label, 0.0, 0.0, ())
            continue
        left, bottom, right, top = page.get_cropbox()
        lines = tuple(
            line
            for line in _rejoined(_PageReader(page, index).lines())
            # Type outside the CropBox is printers' marks, or the neighbour page of a spread.
            if left <= (line.x0 + line.x1) / 2 <= right and bottom <= line.y <= top
        )
        image = not lines and any(page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=2))
        yield Page(index, label, right - left, top - bottom, lines, image)
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


def read_outline(document: pdfium.PdfDocument) -> tuple[Entry, ...]:
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
        entries.append(Entry(title, bookmark.level + 1, page, y or None))
    return tuple(entries)


class _PageReader:
    """One page's text, and the questions asked about its characters."""

    def __init__(self, page: pdfium.PdfPage, index: int) -> None:
        self.index = index
        self.page = page.get_textpage()
        self.handle: Any = self.page.raw
        self.matrix = raw.FS_MATRIX()
        count = raw.FPDFText_CountChars(self.handle)
        buffer = (c_ushort * (count + 1))()
        written = raw.FPDFText_GetText(self.handle, 0, count, buffer) if count > 0 else 0
        self.text = bytes(buffer)[: 2 * max(written - 1, 0)].decode("utf-16-le", "replace")
        self.one_to_one = len(self.text) == count

    def lines(self) -> Iterator[Line]:
        for match in _LINE.finditer(self.text):
            text = match.group()
            stripped = text.rstrip()
            start = match.start() + len(text) - len(text.lstrip())
            line = self.line(stripped.lstrip(), start)
            if line:
                yield line
        self.page.close()

    def line(self, text: str, start: int) -> Line | None:
        boxes = self.boxes(start, start + len(text) - 1)
        if not boxes:
            return None
        # The middle of the line: its first letter may be a drop or a small capital.
        sample = _LETTER.search(text, len(text) // 2) or _LETTER.search(text) or _ALNUM.search(text)
        at = self.character(start + (sample.start() if sample else 0))
        size = self.size(at)
        if size < _SMALLEST:
            size = median(top - bottom for _, bottom, _, top in boxes)
        x, y = c_double(), c_double()
        raw.FPDFText_GetCharOrigin(self.handle, at, byref(x), byref(y))
        return Line(
            text=text.replace("\ufffe", "-"),
            page=self.index,
            x0=min(box[0] for box in boxes),
            x1=max(box[2] for box in boxes),
            y=y.value,
            size=round(size, 1),
            bold=len(text) < 80 and raw.FPDFText_GetFontWeight(self.handle, at) >= _BOLD,
            marks=tuple(self.marks(text, start, size)),
        )

    def character(self, offset: int) -> int:
        """The page's character behind an offset of its text; they part where glyphs map to nothing."""
        if self.one_to_one:
            return offset
        return int(raw.FPDFText_GetCharIndexFromTextIndex(self.handle, offset))

    def boxes(self, first: int, last: int) -> list[tuple[float, float, float, float]]:
        """Left, bottom, right, top of each run of type between two offsets, both included."""
        begin, end = self.character(first), self.character(last)
        count = raw.FPDFText_CountRects(self.handle, begin, end - begin + 1)
        left, top, right, bottom = c_double(), c_double(), c_double(), c_double()
        boxes = []
        for i in range(count):
            raw.FPDFText_GetRect(self.handle, i, byref(left), byref(top), byref(right), byref(bottom))
            boxes.append((left.value, bottom.value, right.value, top.value))
        return boxes

    def size(self, character: int) -> float:
        m = self.matrix
        raw.FPDFText_GetMatrix(self.handle, character, byref(m))
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
