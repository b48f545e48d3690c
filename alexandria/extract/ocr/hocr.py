"""The output of the recognition program, hOCR with a box for each character, to words."""

import re
from collections.abc import Iterator
from statistics import median

from lxml import etree

from alexandria.extract.scans import ScannedPage, ScannedWord

_X_HEIGHT, _ASCENT, _DESCENT, _COMMA = 0.45, 0.68, 0.21, 0.13
"""Times the size: heights of x and of d or capitals, depths of p and of a comma, in the faces of books."""
_HEIGHTS = {
    **dict.fromkeys("acemnorsuvwxz", _X_HEIGHT),
    **dict.fromkeys("bdhklABCDEFGHIKLMNOPRSTUVWXYZ0123456789", _ASCENT),
    **dict.fromkeys("gpqy", _X_HEIGHT + _DESCENT),
}
_RISE = {
    **dict.fromkeys("acemnorsuvwxzgpqy.,:;-", _X_HEIGHT),
    **dict.fromkeys("bdfhiklABCDEFGHIKLMNOPRSTUVWXYZ0123456789'\"‘’“”", _ASCENT),
}
_DROP = {**dict.fromkeys("gpqy", _DESCENT), **dict.fromkeys(",;", _COMMA)}
"""How far characters reach above and below the line; t, j, Q and brackets differ between faces."""
_STANDING = re.compile(r"[^\W_gjpqyQ]")
_RAISED = 0.17
"""Times the size of the line, above its baseline: a raised figure's foot is a third of it above."""
_FLOATING = frozenset("-‐–—~=+<>·•")
"""Signs that stand above the line in any case."""
_ODD = 0.3
"""Share of the size by which a box is wrong: it holds a part of its neighbour."""
_SHIFTED = 0.15
"""Share of the size that its word shows: letters show another one only where their boxes are wrong."""
_NONE = dict.fromkeys(range(0xFDD0, 0xFDF0))
"""Noncharacters, with which texts are marked later."""
_LONGEST, _DIGITS = 100_000, 6
"""Pixels of a side of a page, and their digits: the program reads none with more than 32,767."""
_BOX = re.compile(r"x?_?bbox(?:es)? (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
_BASELINE = re.compile(r"baseline (-?[\d.]+) (-?[\d.]+)")
_SIZE = re.compile(r"x_size ([\d.]+)")
_CONFIDENCE = re.compile(r"x_wconf (\d+)")
_LINES = frozenset({"ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"})

_Box = tuple[int, int, int, int]


class UnreadableOutputError(Exception):
    """What the program printed is not hOCR of one page."""


def read_hocr(output: bytes, dpi: float | None) -> ScannedPage:
    """Return the words of a page in the order of reading.

    Args:
        output: what the program printed.
        dpi: the pixels of the picture in an inch; if it is not known, a pixel counts as a point.

    Raises:
        UnreadableOutputError: it is something else.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(output, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableOutputError(str(error)) from error
    page = next((element for element in root.iter() if element.get("class") == "ocr_page"), None)
    box = None if page is None else _box(page)
    if page is None or box is None or not 0 < box[2] <= _LONGEST or not 0 < box[3] <= _LONGEST:
        raise UnreadableOutputError("no page in it")
    lines = (element for element in page.iter() if element.get("class") in _LINES)
    words = tuple(word for number, line in enumerate(lines) for word in _words(line, number))
    return ScannedPage(box[2], box[3], 72 / dpi if dpi else 1.0, words)


def _words(line: etree._Element, number: int) -> Iterator[ScannedWord]:
    title = line.get("title") or ""
    box, baseline, size = _box(line), _BASELINE.search(title), _SIZE.search(title)
    for element in line.iter():
        if element.get("class") != "ocrx_word":
            continue
        own = _box(element)
        characters = [
            (text, place)
            for character in element.iter()
            if own
            and character.get("class") == "ocrx_cinfo"
            and (text := (character.text or "").translate(_NONE).strip())
            and (place := _box(character) or own)
        ]
        if not characters or own is None:
            continue
        raised = 0
        if box and baseline and size:
            slope, offset = float(baseline[1]), float(baseline[2])
            limit = _RAISED * float(size[1])
            for text, (left, _, right, bottom) in reversed(characters):
                if (
                    text in _FLOATING
                    or text.isalpha()
                    or box[3] + offset + slope * ((left + right) / 2 - box[0]) - bottom < limit
                ):
                    break
                raised += 1
        certainty = _CONFIDENCE.search(element.get("title") or "")
        standing = characters[: len(characters) - raised]
        yield ScannedWord(
            "".join(text for text, _ in characters),
            *own,
            size=_size_of(standing, own),
            foot=_foot_of(standing),
            n_raised=sum(len(text) for text, _ in characters[len(standing) :]),
            confidence=float(certainty[1]) if certainty else 0.0,
            line=number,
        )


def _size_of(characters: list[tuple[str, _Box]], word: _Box) -> float:
    """Return the size of a word's type in pixels, 0 if it does not show.

    The boxes of its letters show it best, but the program may give each letter that of its neighbour. The
    box of the word, which stands apart, is not wrong then.
    """
    size, height = _size_of_letters(characters), _height_of("".join(text for text, _ in characters))
    if not size or not height:
        return size
    own = (word[3] - word[1]) / height
    return own if abs(size - own) > _SHIFTED * own else size


def _height_of(text: str) -> float:
    """Return the height of a word in sizes of its type; 0 if it has letters whose heights are not known."""
    if not all(letter in _RISE for letter in text.replace("t", "")):
        return 0.0
    rise = max((_RISE[letter] for letter in text if letter != "t"), default=0.0)
    if rise < _ASCENT and "t" in text:
        return 0.0
    return rise + max((_DROP.get(letter, 0.0) for letter in text), default=0.0)


def _size_of_letters(characters: list[tuple[str, _Box]]) -> float:
    """Return the mean size that letters show, since each is measured in whole pixels; 0 if none shows it."""
    measured = [(box[3] - box[1], _HEIGHTS[text]) for text, box in characters if text in _HEIGHTS]
    if not measured:
        return 0.0
    usual = median(height / share for height, share in measured)
    sound = [(height, share) for height, share in measured if abs(height / share - usual) < _ODD * usual]
    return sum(height for height, _ in sound) / sum(share for _, share in sound) if sound else usual


def _foot_of(characters: list[tuple[str, _Box]]) -> int | None:
    feet = [box[3] for text, box in characters if _STANDING.match(text)]
    return round(median(feet)) if feet else None


def _box(element: etree._Element) -> _Box | None:
    match = _BOX.search(element.get("title") or "")
    if not match:
        return None
    if any(len(number) > _DIGITS for number in match.groups()):
        return None
    left, top, right, bottom = map(int, match.groups())
    return (
        (left, top, right, bottom)
        if 0 <= left < right <= _LONGEST and 0 <= top < bottom <= _LONGEST
        else None
    )
