"""Puts signs after the letters that they are drawn over or under: Hebrew points, vowels of Thai and Hindi.

PDFium orders what is drawn by where it begins. A sign that is drawn by itself begins at the end of its
letter, and so comes after the next one, with spaces and line breaks where there are none; and it takes the
second glyph of a syllable for the syllable again.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from ctypes import byref, c_double, c_void_p, cast
from dataclasses import dataclass
from itertools import groupby, zip_longest
from operator import attrgetter
from typing import Any

import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.words import ALL_MARKS
from alexandria.extract.pdf.columns import Box

_BRAHMIC = "\u0900-\u109f\u1780-\u17ff\u1950-\u1aaf\u1b00-\u1c4f\ua840-\ua87f\ua8e0-\ua9ff\uaa00-\uaaff"
BRAHMIC = re.compile(f"[{_BRAHMIC}]")
_TWICE = re.compile(rf"(?=([{_BRAHMIC}]{{2,5}})[^\r\n]{{0,5}}?(\1))")
"""A syllable that returns at once; the letter drawn between its glyphs comes first."""
_SIGN = re.compile(f"[{''.join(mark for mark in sorted(ALL_MARKS) if unicodedata.category(mark) == 'Mn')}]")
_FROM_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_MIN_ASTRAY = 3  # fewest signs of a page after another letter than theirs if they are to be put in place
_NEAR = 6  # glyphs before and after a sign among which its letter is
_MAX_OUTSIDE = 0.15  # times the size: how far the middle of a sign may be from its letter
_FAR = 1000.0
_SAME_ROW = 0.5  # times the size: baselines of one line differ by less
_MIN_SPACE = 0.12  # times the size: spaces between words are wider
_MIN_OWN_SPACE = 0.18  # the same where PDFium has none


@dataclass(slots=True)
class _Glyph:
    """What is drawn at once: a letter, a sign, or several that a font has as one."""

    numbers: list[int]  # of its characters, as PDFium counts
    text: str
    x0: float
    x1: float
    y: float  # of its baseline
    size: float
    middle: float  # of its ink, from left to right
    foot: float  # of its ink


def with_signs_in_place(
    handle: Any, text: str, measure: Callable[[int], tuple[float, float]], pieces: Sequence[Box]
) -> tuple[str, list[int]] | None:
    """Return the text of a page with its signs in place, and PDFium's number of each character.

    Letters of Brahmic scripts have no spaces but those on the page, and syllables are there once.

    Args:
        handle: of a page whose offsets are PDFium's numbers.
        measure: returns the size of a character and its baseline.
        pieces: the boxes of all that is drawn, from left to right, also of glyphs without text of their own.

    Returns:
        None if the signs are in place, or have no places of their own.
    """
    is_brahmic = BRAHMIC.search(text) is not None
    if not is_brahmic and not _SIGN.search(text):
        return None
    glyphs = [*_glyphs(handle, text, measure)]
    letters = [glyph for glyph in glyphs if not _is_sign(glyph)]
    if not letters:
        return None
    signs_of: dict[int, list[_Glyph]] = {}
    n_astray = n_letters = 0
    for glyph in glyphs:
        if not _is_sign(glyph):
            n_letters += 1
            continue
        near = range(max(n_letters - _NEAR, 0), min(n_letters + _NEAR, len(letters)))
        own = min(near, key=lambda i: _distance(glyph, letters[i]))
        last = max(n_letters - 1, 0)
        if _distance(glyph, letters[own])[0] > _MAX_OUTSIDE * glyph.size:
            own, glyph.foot = last, 0.0  # it has a place of its own
            letters[own].x0, letters[own].x1 = min(letters[own].x0, glyph.x0), max(letters[own].x1, glyph.x1)
        n_astray += own != last
        signs_of.setdefault(own, []).append(glyph)
    if n_astray < _MIN_ASTRAY and not is_brahmic:
        return None
    for i, signs in signs_of.items():
        for sign in sorted(signs, key=lambda sign: sign.foot):
            letters[i].numbers += sign.numbers
            letters[i].text += sign.text
    ordered, is_from_right = [*_in_reading_order(letters)], _FROM_RIGHT.search(text) is not None
    parts, numbers = [], []
    for glyph, after in zip_longest(ordered, ordered[1:]):
        between = _between(text, glyph, after, pieces, is_from_right) if after else ""
        parts.append(glyph.text + between)
        numbers += [*glyph.numbers, *[glyph.numbers[-1]] * len(between)]
    return "".join(parts), numbers


def _glyphs(handle: Any, text: str, measure: Callable[[int], tuple[float, float]]) -> Iterator[_Glyph]:
    """Yield what is drawn, in PDFium's order; characters that one glyph has are at one origin."""
    left, right, bottom, top, x, unused = (c_double() for _ in range(6))
    box, found = raw.FS_RECTF(), dict[tuple[int | None, float], _Glyph]()
    repeated = {*_repeated(handle, text)}
    for number, character in enumerate(text):
        piece = cast(raw.FPDFText_GetTextObject(handle, number), c_void_p).value
        if piece is None or number in repeated:  # a space or a line break of PDFium's
            continue
        raw.FPDFText_GetCharOrigin(handle, number, byref(x), byref(unused))
        raw.FPDFText_GetCharBox(handle, number, byref(left), byref(right), byref(bottom), byref(top))
        raw.FPDFText_GetLooseCharBox(handle, number, box)
        size, y = measure(number)
        x0, middle = min(box.left, x.value), (left.value + right.value) / 2
        glyph = _Glyph([number], character, x0, box.right, y, size, middle, bottom.value)
        known = found.setdefault((piece, x.value), glyph)
        if known is not glyph:
            known.numbers.append(number)
            known.text += character
            known.x0, known.x1 = min(known.x0, glyph.x0), max(known.x1, glyph.x1)
    yield from found.values()


def _is_sign(glyph: _Glyph) -> bool:
    return all(map(_SIGN.match, glyph.text))


def _distance(sign: _Glyph, letter: _Glyph) -> tuple[float, float]:
    """Return how far the middle of a sign is outside a letter, and from its middle; lines are far apart."""
    rows = round(abs(sign.y - letter.y) / sign.size)
    outside = max(letter.x0 - sign.middle, sign.middle - letter.x1, 0.0) + _FAR * rows
    return outside, abs(sign.middle - (letter.x0 + letter.x1) / 2)


def _in_reading_order(letters: Sequence[_Glyph]) -> Iterator[_Glyph]:
    """Yield letters in order: those from right to left are in the order of their places."""

    def row_of(letter: _Glyph) -> tuple[bool, int]:
        return bool(_FROM_RIGHT.match(letter.text)), round(letter.y / letter.size)

    for (is_from_right, _), row in groupby(letters, row_of):
        run = [*row]
        yield from sorted(run, key=attrgetter("x1"), reverse=True) if is_from_right else run


def _between(text: str, glyph: _Glyph, after: _Glyph, pieces: Sequence[Box], is_from_right: bool) -> str:
    """Return what is between two letters of a page, of text from right to left or not: at most a space."""
    gap_start, gap_end = sorted((glyph, after), key=lambda one: one.x0)
    gap = gap_end.x0 - gap_start.x1
    first, last = sorted((glyph.numbers[0], after.numbers[0]))
    if "\n" in text[first:last] and (abs(glyph.y - after.y) > _SAME_ROW * glyph.size or gap > glyph.size):
        return "\r\n"
    if glyph.text.isspace() or after.text.isspace():
        return ""
    is_spaced = " " in text[first:last]
    if is_from_right and not all(_FROM_RIGHT.match(one.text) for one in (glyph, after)):
        return " " if is_spaced else ""  # between two directions
    limit = (_MIN_SPACE if is_spaced else _MIN_OWN_SPACE) * glyph.size
    middle = (gap_end.x0 + gap_end.x1) / 2
    ends = (bisect(pieces, (gap_start.x0,)), bisect(pieces, (gap_end.x0,))) if gap > limit else (0, 0)
    for _, bottom, right, top in pieces[slice(*ends)]:
        if bottom < glyph.y + glyph.size / 4 < top and right < middle:
            gap = min(gap, gap_end.x0 - right)
    return " " if gap > limit else ""


def _repeated(handle: Any, text: str) -> Iterator[int]:
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
