"""Asks PDFium for the characters of a page, which it numbers: their text, places, sizes and fonts."""

import re
from collections.abc import Iterable
from ctypes import c_double, c_ushort, c_void_p, cast, create_string_buffer, string_at
from math import sqrt
from struct import Struct
from sys import maxunicode
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.columns import Boxes

FILLER = "\ufdd2"  # follows each character beyond the BMP, as PDFium counts offsets in UTF-16 units
# Not allowed in text; this module and later stages use them as placeholders.
_NONCHARACTER = re.compile("[\ufdd0-\ufdef]")
_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")
_BUFFER = 4096  # characters per buffer: a full page has 2,000 to 4,000
_MAX_NAME_BYTES = 128  # most bytes of a font's name, with the zero at its end
_FOUR_DOUBLES, _SIX_FLOATS = Struct("4d"), Struct("6f")  # a box and a matrix as PDFium writes them


class Characters:
    """The characters of one page, by their numbers."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        """Open the text of a page; `page.close()` closes it."""
        self.page = page.get_textpage()
        self.handle: Any = self.page.raw
        self.count: int = raw.FPDFText_CountChars(self.handle)
        # PDFium writes its results here; they are reused for all calls.
        self._matrix = raw.FS_MATRIX()
        self._name = create_string_buffer(_MAX_NAME_BYTES)
        self._sides = bytearray(_FOUR_DOUBLES.size)
        left, bottom, right, top = (c_double.from_buffer(self._sides, 8 * i) for i in range(4))
        # In the order of FPDFText_GetRect; `byref` would double the time of a call.
        self._side_pointers = left, top, right, bottom
        self._measures: dict[int, tuple[float, float, float]] = {}

    def text(self) -> str:
        """Return the text of the page, filled up so that its offsets are PDFium's, which count UTF-16 units.

        A filler follows each character beyond the BMP, which has two units. Spaces replace noncharacters.
        """
        # ctypes creates a type for each length of an array, which is slow: lengths are rounded up to a few.
        n_units = max(self.count, 0) // _BUFFER * _BUFFER + _BUFFER
        buffer = (c_ushort * n_units)()
        n_written = raw.FPDFText_GetText(self.handle, 0, self.count, buffer) if self.count > 0 else 0
        n_read = max(n_written - 1, 0)  # without the NUL at the end
        units = string_at(buffer, 2 * n_read)
        text = units.decode("utf-16-le", "replace")
        if b"\xfd" in units:  # the high byte of U+FDD0 to U+FDEF: a quick test for what hardly any text has
            text = _NONCHARACTER.sub(" ", text)
        has_pairs = len(text) < n_read
        return self._with_dropped(_BEYOND_BMP.sub(rf"\g<0>{FILLER}", text) if has_pairs else text)

    def _with_dropped(self, text: str) -> str:
        """Return the text with the characters beyond the BMP that glyph names give."""
        # PDFium counts them, each as one, but leaves them out.
        if self.number_of(len(text)) < 0:  # the usual case
            return text
        for number in range(self.count):
            letter = raw.FPDFText_GetUnicode(self.handle, number)
            if 0xFFFF < letter <= maxunicode:
                at = self.offset_of(number)
                text = text[:at] + chr(letter) + text[at:]
        return text

    def number_of(self, offset: int) -> int:
        """Return the number of the character at an offset in the text as PDFium gives it."""
        return int(raw.FPDFText_GetCharIndexFromTextIndex(self.handle, offset))

    def offset_of(self, number: int) -> int:
        """Return the offset of a character in the text as PDFium gives it."""
        return int(raw.FPDFText_GetTextIndexFromCharIndex(self.handle, number))

    def number_at(self, x: float, y: float, height: float) -> int:
        """Return the number of the character at a point, or of a thin one near; below 0 if there is none."""
        return int(raw.FPDFText_GetCharIndexAtPos(self.handle, x, y, 0.1 * height, height))

    def direction(self, number: int) -> tuple[float, float]:
        """Return how far a character's baseline runs across and up the page."""
        raw.FPDFText_GetMatrix(self.handle, number, self._matrix)
        return self._matrix.a, self._matrix.b

    def measure(self, number: int) -> tuple[float, float, float]:
        """Return the size of a character's type in points, and the x and y of its origin."""
        measures = self._measures.get(number)
        if measures is None:  # a third of the calls ask for the same character again, as near a mark
            raw.FPDFText_GetMatrix(self.handle, number, self._matrix)
            a, b, c, d, x, y = _SIX_FLOATS.unpack(self._matrix)
            size: float = raw.FPDFText_GetFontSize(self.handle, number)
            measures = self._measures[number] = size * sqrt(abs(a * d - b * c)), x, y
        return measures

    def left_of(self, number: int) -> float:
        """Return the left edge of a character, with the room around it."""
        box = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self.handle, number, box)
        return float(box.left)

    def gaps_before(self, numbers: Iterable[int]) -> list[float]:
        """Return the distance of each of these characters from the one before it; 0 for the first."""
        box, gaps, right = raw.FS_RECTF(), [], None
        for number in numbers:
            raw.FPDFText_GetLooseCharBox(self.handle, number, box)
            gaps.append(0.0 if right is None else box.left - right)
            right = box.right
        return gaps

    def piece_of(self, number: int) -> int | None:
        """Return what identifies the piece of the page that a character is part of."""
        return cast(raw.FPDFText_GetTextObject(self.handle, number), c_void_p).value

    def boxes(self, first: int, count: int) -> Boxes:
        """Return the box of each run of type among so many characters from the first on."""
        handle, sides, (left, top, right, bottom) = self.handle, self._sides, self._side_pointers
        boxes: Boxes = []
        for i in range(raw.FPDFText_CountRects(handle, first, count)):
            raw.FPDFText_GetRect(handle, i, left, top, right, bottom)
            boxes.append(_FOUR_DOUBLES.unpack(sides))
        return boxes

    def font_name(self, number: int) -> bytes:
        """Return the name of a character's font, which alone shows the weight of LaTeX's fonts."""
        n: int = raw.FPDFText_GetFontInfo(self.handle, number, self._name, _MAX_NAME_BYTES, None)
        return self._name.value if 0 < n <= _MAX_NAME_BYTES else b""
