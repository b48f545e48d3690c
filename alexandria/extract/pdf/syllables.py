"""Joins the syllables of Brahmic scripts: Devanagari, Tamil, Thai, Khmer and their kin.

Their vowel signs are drawn over, below and around letters. PDFium takes the places of such glyphs for spaces,
and the second glyph of a syllable for the syllable again.
"""

import re
from collections.abc import Iterator, Sequence
from ctypes import byref, c_double
from typing import Any

import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.extract.pdf.columns import Box

_LETTERS = "\u0900-\u109f\u1780-\u17ff\u1950-\u1aaf\u1b00-\u1c4f\ua840-\ua87f\ua8e0-\ua9ff\uaa00-\uaaff"
BRAHMIC = re.compile(f"[{_LETTERS}]")
_SPACE = re.compile(rf"(?<=[{_LETTERS}]) (?=\S)|(?<=\S) (?=[{_LETTERS}])")
_TWICE = re.compile(rf"(?=([{_LETTERS}]{{2,5}})[^\r\n]{{0,5}}?(\1))")
"""A syllable that returns at once; the letter drawn between its glyphs comes first."""
_MIN_SPACE = 0.12
"""Times the size: blanks beside a glyph without text of its own are narrower, spaces are wider."""
_SAME_EDGE = 0.01
"""Points: edges closer to each other are one."""


def false_spaces(handle: Any, text: str, size: float, pieces: Sequence[Box]) -> Iterator[int]:
    """Yield the offsets of the spaces inside words: PDFium added them where no space is on the page.

    Args:
        handle: of a page whose offsets are PDFium's numbers.
        text: of the page.
        size: of its type.
        pieces: the boxes of all that is drawn, also of glyphs without text of their own.
    """
    for space in _SPACE.finditer(text):
        at = space.start()
        if not raw.FPDFText_IsGenerated(handle, at):
            continue
        word_start = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
        word_boxes = [_box(handle, number) for number in range(word_start, at)]
        left, bottom, right, top = _box(handle, at + 1)  # of the letter after the space
        x, y = c_double(), c_double()
        raw.FPDFText_GetCharOrigin(handle, at + 1, byref(x), byref(y))
        # A vowel sign ends before the letter that it belongs to, and its second part may have no text.
        right_edges = [box[2] for box in word_boxes]
        right_edges += [
            piece_right
            for piece_left, piece_bottom, piece_right, piece_top in pieces
            if word_boxes[0][0] + _SAME_EDGE < piece_left < left - _SAME_EDGE
            and piece_bottom < (bottom + top) / 2 < piece_top
            and piece_right < (left + right) / 2
        ]
        if min(left, x.value) - max(right_edges) < _MIN_SPACE * size:
            yield at


def repeated_syllables(handle: Any, text: str) -> Iterator[int]:
    """Yield the offsets of the characters of syllables that PDFium reads twice: both are at one place."""
    for match in _TWICE.finditer(text):
        (start, end), (copy_start, copy_end) = match.span(1), match.span(2)
        left, right = _box(handle, start)[0], _box(handle, end - 1)[2]
        middle_of_copy = (_box(handle, copy_start)[0] + _box(handle, copy_end - 1)[2]) / 2
        if left < middle_of_copy < right:
            yield from range(copy_start, copy_end)


def _box(handle: Any, number: int) -> Box:
    box = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(handle, number, box)
    return box.left, box.bottom, box.right, box.top
