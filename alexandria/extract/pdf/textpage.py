"""The text of one page as PDFium holds it, cut into lines with places and sizes."""

import re
from collections.abc import Iterator
from ctypes import c_double, c_ushort, create_string_buffer, string_at
from dataclasses import replace
from functools import lru_cache
from math import sqrt
from statistics import median, mode
from struct import Struct
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.gutters import Box, Boxes, gutters_of, is_gap
from alexandria.extract.pdf.lines import DEPTH, HEIGHT, OVERHANG, Line, Mark

# PDFium replaces a hyphen (U+002D) at a line end by U+FFFE, and then leaves out the line break.
_LINE = re.compile("[^\r\n\ufffe]+\ufffe?")
_BLANK = "", "\ufffe"
"""What a line without text is, stripped."""
# Not allowed in text; this module and later stages use them as placeholders.
_NONCHARACTER = re.compile("[\ufdd0-\ufdef]")
_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")
_FILLER = "\ufdd2"
"""Follows each character beyond the BMP, so that offsets count UTF-16 units, as PDFium does."""
_LETTER = re.compile(r"[^\W\d_]")
_ALNUM = re.compile(r"\w")
# May cite a note if its end is raised: a number or a reference sign.
_MARK = re.compile(r"\d+|([*∗†‡§¶‖])\1{0,2}|\|\||[¹²³⁰⁴-⁹]+")
_MARK_CHARACTER = re.compile("[\\d*∗†‡§¶‖|¹²³⁰⁴-⁹]")
_OPERATORS = "+-−–=/·×∗"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LONGEST_MARK = 3
"""Most digits of a mark: no chapter has a thousand notes."""
SMALL = 0.85
"""Times the line's size: marks are at 50–80 %, old-style figures and small caps at 90 %."""
_RAISED = 0.1
"""Times the line's size: marks are raised by a third of it, subscripts are lowered."""
_BOLD = 600
"""Weight: semi-bold in CSS and OpenType."""
_BOLD_NAME = re.compile(rb"bold|cmbx|sfbx|cmssbx|-medi\b|black|heavy|demi", re.IGNORECASE)
_LONGEST_NAME = 128
"""Bytes of a font's name, with the zero at its end."""
_LONGEST_BOLD = 80
"""Characters of a line that may be a heading."""
_STOPS = (".", ",", ";", "-", "\ufffe")
_BUFFER = 4096
"""Characters per buffer: a full page has 2,000 to 4,000."""
_SMALLEST = 2.0
"""Smallest size in points: Type 3 fonts keep the real size in their glyph matrix."""

_FOUR_DOUBLES, _SIX_FLOATS = Struct("4d"), Struct("6f")
"""A box and a matrix as PDFium writes them: unpacked in one call."""

_Span = tuple[int, int, Boxes]
"""The start and end of a line in the page's text, and its runs of type."""


def _quarter_turn(across: float, up: float) -> int:
    """Return the quarter turns anticlockwise of type whose baseline runs in the direction (across, up)."""
    if abs(up) > abs(across):
        return 1 if up > 0 else 3
    return 2 if across < 0 else 0


class TextPage:
    """Reads the text of one page, and the places and sizes of its characters."""

    def __init__(self, page: pdfium.PdfPage, index: int) -> None:
        self.index = index
        self.page = page.get_textpage()
        self.handle: Any = self.page.raw
        # PDFium writes its results here; they are reused for all calls.
        self.matrix = raw.FS_MATRIX()
        self.sides = bytearray(_FOUR_DOUBLES.size)
        left, bottom, right, top = (c_double.from_buffer(self.sides, 8 * i) for i in range(4))
        self.places = left, top, right, bottom
        """Where FPDFText_GetRect writes the sides, in its order; `byref` would double the time of a call."""
        self.name = create_string_buffer(_LONGEST_NAME)
        self.bold_above = False
        self.types: dict[int, tuple[float, float]] = {}
        """Size and baseline by character."""
        count = raw.FPDFText_CountChars(self.handle)
        # ctypes creates a type for each length, which is slow; rounded up, there are few lengths.
        buffer = (c_ushort * (max(count, 0) // _BUFFER * _BUFFER + _BUFFER))()
        written = raw.FPDFText_GetText(self.handle, 0, count, buffer) if count > 0 else 0
        units = string_at(buffer, 2 * max(written - 1, 0))
        text = units.decode("utf-16-le", "replace")
        if b"\xfd" in units:  # as in all noncharacters
            text = _NONCHARACTER.sub(" ", text)
        # Unit for unit: offsets must not change.
        pairs = len(text) < written - 1
        self.text = _BEYOND_BMP.sub(rf"\g<0>{_FILLER}", text) if pairs else text
        self.one_to_one = len(self.text) == count
        self.turn = self.quarter_turns()

    def quarter_turns(self) -> int:
        """Return how many quarter turns anticlockwise the page's text is rotated, from three sample letters.

        Without a majority, the first of them decides; a page without letters is upright.
        """
        turns = []
        for quarter in (1, 2, 3):
            if letter := _LETTER.search(self.text, len(self.text) * quarter // 4):
                raw.FPDFText_GetMatrix(self.handle, self.character(letter.start()), self.matrix)
                turns.append(_quarter_turn(self.matrix.a, self.matrix.b))
        return mode(turns) if turns else 0

    def upright(self, box: Box) -> Box:
        """Return the box once the page is turned clockwise by `turn` quarters: its text runs to the right.

        It is turned about its origin, so that coordinates may be negative.
        """
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
        """Yield the lines in the order in which they are drawn, and close the text page."""
        spans = [
            self.span(*match.span())
            for match in _LINE.finditer(self.text)
            if match.group().strip() not in _BLANK
        ]
        # A turned page is a table or a plate: its columns are only ordered, not cut.
        gutters = gutters_of(boxes for _, _, boxes in spans) if not self.turn else frozenset()
        for start, end, boxes in spans:
            if len(boxes) == 1:
                yield self.line(start, end, boxes)
                continue
            for part in self.cut(start, end, boxes, gutters):
                yield self.line(*part)
        self.page.close()

    def span(self, start: int, end: int) -> _Span:
        """Return the offsets of a line without white space at its ends, and its boxes."""
        text = self.text[start:end]
        start, end = end - len(text.lstrip()), start + len(text.rstrip())
        return start, end, self.boxes(start, end - 1)

    def cut(self, start: int, end: int, boxes: Boxes, gutters: frozenset[int]) -> Iterator[_Span]:
        """Yield the parts of a line that PDFium did not split: across columns, or before a long dash."""
        for i in range(1, len(boxes)):
            before, after = boxes[i - 1], boxes[i]
            if after[3] < before[1] and (at := self.next_line(before, after)) and start < at < end:
                # The space that PDFium puts where it sees no end of a line remains in the text.
                yield start, at, boxes[:i]
                yield from self.cut(*self.span(at, end), gutters)
                return
            if not gutters or not is_gap(before, after):
                continue
            edge = after[0] + OVERHANG * (after[3] - after[1])
            # The right part may be indented: the column begins within the gap.
            if any(before[2] < x <= edge for x in gutters):
                at = self.offset_at(boxes[i])
                if start < at < end:
                    yield self.span(start, at)
                    yield from self.cut(*self.span(at, end), gutters)
                    return
        if boxes:
            yield start, end, boxes

    def next_line(self, before: Box, after: Box) -> int:
        """Return the offset of a run that is below another if it begins the next line, otherwise 0.

        PDFium compares a move down with the width of the letters: a glyph of two ems hides the end of a line.
        """
        if self.turn or after[0] >= before[2] - (before[3] - before[1]):
            return 0
        above, below = self.offset_at(before), self.offset_at(after)
        if min(above, below) < 0:
            return 0
        size, baseline = self.type_at(self.character(above))
        # Limits of sums, labels of arrows and parts of signs are nearer to each other than lines.
        return below if baseline - self.type_at(self.character(below))[1] >= size else 0

    def line(self, start: int, end: int, boxes: Boxes) -> Line:
        """Return the line between two offsets."""
        text = self.text[start:end]
        at = self.typical(text, start, len(boxes) > 1)
        size, baseline = self.type_at(at)
        marks = tuple(self.marks(text, start, size, baseline)) if _MARK_CHARACTER.search(text) else ()
        if size < _SMALLEST:
            size = median(top - bottom for _, bottom, _, top in boxes)
        x0, bottom, x1, top = _union(boxes)
        return Line(
            text=text.replace("\ufffe", "-").replace(_FILLER, ""),
            page=self.index,
            x0=x0,
            x1=x1,
            y=baseline,
            size=_tenths(size),
            bold=len(text) < _LONGEST_BOLD and self.is_bold(text, at),
            marks=tuple(_without_fillers(mark, text) for mark in marks) if _FILLER in text else marks,
            turn=self.turn,
            ink=_hanging(bottom, top, baseline, size),
        )

    def is_bold(self, text: str, character: int) -> bool:
        """Return whether a short line of text is bold, by the weight of a character's font or by its name."""
        self.bold_above = raw.FPDFText_GetFontWeight(self.handle, character) >= _BOLD or (
            # Asked of lines that may be headings alone: names take time.
            (self.bold_above or not text[0].islower())
            and not text.endswith(_STOPS)
            and _is_bold_name(self.font_name(character))
        )
        return self.bold_above

    def font_name(self, character: int) -> bytes:
        """Return the name of a character's font: those of LaTeX have no other sign of their weight."""
        n: int = raw.FPDFText_GetFontInfo(self.handle, character, self.name, _LONGEST_NAME, None)
        return self.name.value if 0 < n <= _LONGEST_NAME else b""

    def typical(self, text: str, start: int, is_mixed: bool) -> int:
        """Return a character of the line's own size, in type of one size or mixed."""
        # From the middle of the line: its first letter may be a drop cap or a small capital.
        middle = self.letter(text, start, 2)
        if not is_mixed:
            return middle
        later = self.letter(text, start, 3)
        if (size := self.type_at(middle)[0]) == (other := self.type_at(later)[0]):
            return middle
        # The middle may be in "2nd" with raised letters: of three letters, the one between.
        first = self.letter(text, start, 1)
        return sorted([(size, middle), (other, later), (self.type_at(first)[0], first)])[1][1]

    def letter(self, text: str, start: int, quarter: int) -> int:
        """Return the first letter of the line after this many quarters of it."""
        middle = len(text) * quarter // 4
        if text[middle : middle + 1].isalpha():  # as most are
            return self.character(start + middle)
        sample = _LETTER.search(text, middle) or _LETTER.search(text) or _ALNUM.search(text)
        return self.character(start + (sample.start() if sample else 0))

    def character(self, offset: int) -> int:
        """Return the page's character at an offset of its text; they differ if glyphs map to nothing."""
        if self.one_to_one:
            return offset
        return int(raw.FPDFText_GetCharIndexFromTextIndex(self.handle, offset))

    def offset_at(self, box: Box) -> int:
        """Return the offset of a box's first character; -1 if PDFium finds none."""
        left, bottom, _, top = box
        height = top - bottom
        # A little into the letter, with a tolerance for thin ones.
        x, y = left + 0.05 * height, (bottom + top) / 2
        at = int(raw.FPDFText_GetCharIndexAtPos(self.handle, x, y, 0.1 * height, height))
        if at < 0 or self.one_to_one:
            return at
        return int(raw.FPDFText_GetTextIndexFromCharIndex(self.handle, at))

    def boxes(self, first: int, last: int) -> Boxes:
        """Return the box of each run of type between two offsets, both included."""
        begin, end = self.character(first), self.character(last)
        count = raw.FPDFText_CountRects(self.handle, begin, end - begin + 1)
        handle, sides, (left, top, right, bottom) = self.handle, self.sides, self.places
        boxes: Boxes = []
        for i in range(count):
            raw.FPDFText_GetRect(handle, i, left, top, right, bottom)
            boxes.append(_FOUR_DOUBLES.unpack(sides))
        return [self.upright(box) for box in boxes] if self.turn else boxes

    def type_at(self, character: int) -> tuple[float, float]:
        """Return the size of a character's type in points, and its baseline."""
        known = self.types.get(character)
        if known is None:  # a third are asked for again, as near a mark
            handle, matrix = self.handle, self.matrix
            raw.FPDFText_GetMatrix(handle, character, matrix)
            a, b, c, d, x, y = _SIX_FLOATS.unpack(matrix)
            size: float = raw.FPDFText_GetFontSize(handle, character)
            baseline = self.upright((x, y, x, y))[1] if self.turn else y
            known = self.types[character] = size * sqrt(abs(a * d - b * c)), baseline
        return known

    def marks(self, text: str, start: int, size: float, baseline: float) -> Iterator[Mark]:
        """Yield the raised numbers and signs of a line: "1845" may end in a raised 5."""
        for match in _MARK.finditer(text):
            label, (begin, end) = match.group(), match.span()
            if ord(label[0]) in _SUPERSCRIPTS:
                yield Mark(begin, end, label.translate(_SUPERSCRIPTS))
                continue
            first = end
            while first > begin and self.is_raised(start + first - 1, size, baseline):
                first -= 1
            if begin == 0 and first == end:
                # "11845" may be the label of a note and its first word.
                while begin < end and self.is_raised(start + begin, size, baseline):
                    begin += 1
                first, end = 0, begin
            if end - _LONGEST_MARK <= first < end and not self.is_exponent(
                text, first, end, start, size, baseline
            ):
                yield self.bracketed(text, first, end, start, size, baseline)
            elif (
                first == end <= begin + _LONGEST_MARK
                and text[begin - 1 : begin] + text[end : end + 1] == "[]"
            ):
                yield Mark(begin - 1, end + 1, f"[{sign(label)}]")

    def bracketed(self, text: str, first: int, end: int, start: int, size: float, baseline: float) -> Mark:
        """Return the raised mark between two offsets, with the brackets around it if these are raised."""
        label = sign(text[first:end])
        if text[first - 1 : first] + text[end : end + 1] == "[]" and self.is_raised(
            start + first - 1, size, baseline
        ):
            first, end = first - 1, end + 1
        return Mark(first, end, label)

    def is_exponent(self, text: str, first: int, end: int, start: int, size: float, baseline: float) -> bool:
        """Return whether raised figures are only a part of what is raised: those of n−1 or 2k."""
        before, after = text[first - 1 : first], text[end : end + 1]
        return any(
            sign.isalpha() or sign in _OPERATORS
            for at, sign in ((first - 1, before), (end, after))
            if sign and self.is_raised(start + at, size, baseline)
        )

    def is_raised(self, offset: int, size: float, baseline: float) -> bool:
        """Return whether a character is smaller than its line and above its baseline."""
        own_size, own_baseline = self.type_at(self.character(offset))
        return own_size < SMALL * size and own_baseline - baseline > _RAISED * size


@lru_cache(maxsize=256)
def _is_bold_name(font: bytes) -> bool:
    return bool(_BOLD_NAME.search(font))


@lru_cache(maxsize=1024)
def _tenths(size: float) -> float:
    """Return a size to a tenth of a point; not 0, as damaged glyphs have: distances are divided by it."""
    return max(round(size, 1), 0.1)


def _union(boxes: Boxes) -> Box:
    """Return the smallest box around others."""
    if len(boxes) == 1:
        return boxes[0]
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


def _hanging(bottom: float, top: float, baseline: float, size: float) -> tuple[float, float] | None:
    """Return bottom and top of type if their middle is not where letters are; None of letters."""
    is_usual = baseline - DEPTH * size <= (bottom + top) / 2 <= baseline + HEIGHT * size
    return None if is_usual or bottom >= top else (bottom, top)


def sign(text: str) -> str:
    """Return a mark's label: "||" and the asterisk of formulas are what some fonts have for ‖ and *."""
    return text.replace("∗", "*").replace("||", "‖")


def _without_fillers(mark: Mark, text: str) -> Mark:
    n = text.count(_FILLER, 0, mark.start)
    return replace(mark, start=mark.start - n, end=mark.end - n)
