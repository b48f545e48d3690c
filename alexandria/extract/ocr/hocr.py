"""Parses the output of the recognition program, hOCR with a box for each character, into words."""

import re
from collections.abc import Iterator
from statistics import median

from lxml import etree

from alexandria.extract.scans import ScannedPage, ScannedWord

# Times the size, in typefaces of books: heights of x and of d and capitals, depths of p and of a comma.
_X_HEIGHT = 0.45
_ASCENT = 0.68
_DESCENT = 0.21
_COMMA = 0.13
_HEIGHTS = {
    **dict.fromkeys("acemnorsuvwxz", _X_HEIGHT),
    **dict.fromkeys("bdhklABCDEFGHIKLMNOPRSTUVWXYZ0123456789", _ASCENT),
    **dict.fromkeys("gpqy", _X_HEIGHT + _DESCENT),
}
"""Heights of characters from bottom to top, in times the size."""
_ASCENTS = {
    **dict.fromkeys("acemnorsuvwxzgpqy.,:;-", _X_HEIGHT),
    **dict.fromkeys("bdfhiklABCDEFGHIKLMNOPRSTUVWXYZ0123456789'\"‘’“”", _ASCENT),
}
_DESCENTS = {**dict.fromkeys("gpqy", _DESCENT), **dict.fromkeys(",;", _COMMA)}
"""How far characters reach above and below the line; t, j, Q and brackets differ between typefaces."""
_ON_BASELINE = re.compile(r"[^\W_gjpqyQ]")
_MIN_RISE = 0.17
"""Times the size: how far the foot of a raised figure is above the baseline, at least; a third is usual."""
_ABOVE_BASELINE = frozenset("-‐–—~=+<>·•")
"""Signs that are above the baseline without being raised."""
_MAX_DEVIATION = 0.3
"""Share of the size: a box that deviates by more is wrong, as it holds a part of its neighbour."""
_MAX_DIFFERENCE = 0.15
"""Share of the size that the word's box shows: where the letters' differ by more, their boxes are wrong."""
_NONCHARACTERS = dict.fromkeys(range(0xFDD0, 0xFDF0))
"""Removes noncharacters, which later steps use as placeholders."""
_MAX_SIDE = 100_000
"""Pixels of a side of a page; the program reads no picture with more than 32,767."""
_MAX_DIGITS = 6
"""Digits of a coordinate."""
_BOX = re.compile(r"x?_?bbox(?:es)? (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
_BASELINE = re.compile(r"baseline (-?[\d.]+) (-?[\d.]+)")
_SIZE = re.compile(r"x_size ([\d.]+)")
_CONFIDENCE = re.compile(r"x_wconf (\d+)")
_LINE_CLASSES = frozenset({"ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"})

_Box = tuple[int, int, int, int]


class UnreadableOutputError(Exception):
    """What the program printed is not hOCR of one page."""


def read_hocr(output: bytes, dpi: float | None) -> ScannedPage:
    """Return the words of a page in the order of reading.

    Args:
        output: what the program printed.
        dpi: pixels of the picture per inch; if it is not known, a pixel counts as a point.

    Raises:
        UnreadableOutputError: the output is not hOCR of a page.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(output, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableOutputError(str(error)) from error
    page = next((element for element in root.iter() if element.get("class") == "ocr_page"), None)
    box = None if page is None else _box(page)
    if page is None or box is None or not 0 < box[2] <= _MAX_SIDE or not 0 < box[3] <= _MAX_SIDE:
        raise UnreadableOutputError("no page in it")
    lines = (element for element in page.iter() if element.get("class") in _LINE_CLASSES)
    words = tuple(word for number, line in enumerate(lines) for word in _words(line, number))
    return ScannedPage(box[2], box[3], 72 / dpi if dpi else 1.0, words)


def _words(line: etree._Element, number: int) -> Iterator[ScannedWord]:
    """Yield the words of a line; `number` is the index of the line on the page."""
    for element in line.iter():
        if element.get("class") != "ocrx_word":
            continue
        box = _box(element)
        characters = _characters(element, box) if box else []
        if not characters or box is None:
            continue
        n_on_line = len(characters) - _count_raised(characters, line)
        on_line, raised = characters[:n_on_line], characters[n_on_line:]
        confidence = _CONFIDENCE.search(element.get("title") or "")
        yield ScannedWord(
            "".join(text for text, _ in characters),
            *box,
            size=_size_of(on_line, box),
            foot=_foot_of(on_line),
            n_raised=sum(len(text) for text, _ in raised),
            confidence=float(confidence[1]) if confidence else 0.0,
            line=number,
        )


def _characters(word: etree._Element, word_box: _Box) -> list[tuple[str, _Box]]:
    """Return the characters of a word with their boxes; one without a valid box has the box of the word."""
    characters = []
    for element in word.iter():
        if element.get("class") == "ocrx_cinfo":
            text = (element.text or "").translate(_NONCHARACTERS).strip()
            if text:
                characters.append((text, _box(element) or word_box))
    return characters


def _count_raised(characters: list[tuple[str, _Box]], line: etree._Element) -> int:
    """Return how many characters at the end of a word are raised: not letters, and well above the baseline.

    0 if the program states no baseline or size of the line.
    """
    title = line.get("title") or ""
    line_box, baseline, size = _box(line), _BASELINE.search(title), _SIZE.search(title)
    if not line_box or not baseline or not size:
        return 0
    # In hOCR, the baseline is given by its slope, and by its offset from the lower left corner of the box.
    slope, offset = float(baseline[1]), float(baseline[2])
    min_rise = _MIN_RISE * float(size[1])
    n_raised = 0
    for text, (left, _, right, bottom) in reversed(characters):
        baseline_y = line_box[3] + offset + slope * ((left + right) / 2 - line_box[0])
        if text in _ABOVE_BASELINE or text.isalpha() or baseline_y - bottom < min_rise:
            break
        n_raised += 1
    return n_raised


def _size_of(characters: list[tuple[str, _Box]], word: _Box) -> float:
    """Return the size of a word's type in pixels; 0 if its letters do not show it.

    The boxes of the letters show the size best, but the program may give letters the boxes of their
    neighbours. The box of the word is then still right, and is used instead.
    """
    letters_size, height = _size_of_letters(characters), _height_of("".join(text for text, _ in characters))
    if not letters_size or not height:
        return letters_size
    word_size = (word[3] - word[1]) / height
    return word_size if abs(letters_size - word_size) > _MAX_DIFFERENCE * word_size else letters_size


def _height_of(text: str) -> float:
    """Return the height of a word, in times its size; 0 if it depends on letters of unknown height."""
    if not all(letter in _ASCENTS for letter in text.replace("t", "")):
        return 0.0
    rise = max((_ASCENTS[letter] for letter in text if letter != "t"), default=0.0)
    if rise < _ASCENT and "t" in text:  # the t is the highest letter
        return 0.0
    return rise + max((_DESCENTS.get(letter, 0.0) for letter in text), default=0.0)


def _size_of_letters(characters: list[tuple[str, _Box]]) -> float:
    """Return the size that the letters of a word show: their mean, without odd ones; 0 if none shows it.

    Each letter is measured in whole pixels, so the mean is more exact than the median.
    """
    measured = [(box[3] - box[1], _HEIGHTS[text]) for text, box in characters if text in _HEIGHTS]
    if not measured:
        return 0.0
    usual = median(height / share for height, share in measured)
    sound = [
        (height, share) for height, share in measured if abs(height / share - usual) < _MAX_DEVIATION * usual
    ]
    return sum(height for height, _ in sound) / sum(share for _, share in sound) if sound else usual


def _foot_of(characters: list[tuple[str, _Box]]) -> int | None:
    """Return the y of a word's baseline; None if no letter is on the baseline."""
    feet = [box[3] for text, box in characters if _ON_BASELINE.match(text)]
    return round(median(feet)) if feet else None


def _box(element: etree._Element) -> _Box | None:
    """Return the box of an element: left, top, right, bottom; None if it has no valid one."""
    match = _BOX.search(element.get("title") or "")
    if not match:
        return None
    if any(len(number) > _MAX_DIGITS for number in match.groups()):
        return None
    left, top, right, bottom = map(int, match.groups())
    return (
        (left, top, right, bottom)
        if 0 <= left < right <= _MAX_SIDE and 0 <= top < bottom <= _MAX_SIDE
        else None
    )
