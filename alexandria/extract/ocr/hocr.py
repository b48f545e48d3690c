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
}  # heights of characters from bottom to top, in times the size
_ASCENTS = {
    **dict.fromkeys("acemnorsuvwxzgpqy.,:;-", _X_HEIGHT),
    **dict.fromkeys("bdfhiklABCDEFGHIKLMNOPRSTUVWXYZ0123456789'\"‘’“”", _ASCENT),
}
_DESCENTS = {**dict.fromkeys("gpqy", _DESCENT), **dict.fromkeys(",;", _COMMA)}
"""How far characters reach above and below the line; t, j, Q and brackets differ between typefaces."""
_ON_BASELINE = re.compile(r"[^\W_gjpqyQ]")
_MIN_RISE = 0.17  # how far a raised figure is above the baseline, in times the size; a third is usual
_ABOVE_BASELINE = frozenset("-‐–—~=+<>·•")  # signs that are above the baseline without being raised
_MAX_DEVIATION = 0.3  # share of the size: a box that deviates by more holds a part of its neighbour
_MAX_DIFFERENCE = 0.15
"""How far the size by the letters may differ from the size by the word's box, as a share of the latter. If it
differs by more, the boxes of the letters are wrong."""
_NONCHARACTERS = dict.fromkeys(range(0xFDD0, 0xFDF0))  # removes noncharacters, which are placeholders later
_MAX_SIDE = 100_000  # pixels of a side of a page; the program reads no picture with more than 32,767
_MAX_DIGITS = 6  # digits of a coordinate
_BOX = re.compile(r"x?_?bbox(?:es)? (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
_BASELINE = re.compile(r"baseline (-?[\d.]+) (-?[\d.]+)")
_SIZE = re.compile(r"x_size ([\d.]+)")
_CONFIDENCE = re.compile(r"x_wconf (\d+)")
_LINE_CLASSES = frozenset({"ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"})

_Box = tuple[int, int, int, int]


class UnreadableOutputError(Exception):
    """What the program printed is not hOCR of one page."""


def read_hocr(output: bytes, dpi: float | None) -> ScannedPage:
    """Return the words of a page in reading order.

    Args:
        dpi: pixels of the picture per inch; if None, a pixel counts as a point.

    Raises:
        UnreadableOutputError: the output is not hOCR of a page.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(output, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableOutputError(str(error)) from error
    page = next((element for element in root.iter() if element.get("class") == "ocr_page"), None)
    page_box = None if page is None else _parse_box(page)
    if page is None or page_box is None:
        raise UnreadableOutputError("no page in it")
    _, _, width, height = page_box
    lines = (element for element in page.iter() if element.get("class") in _LINE_CLASSES)
    words = tuple(word for number, line in enumerate(lines) for word in _parse_words(line, number))
    return ScannedPage(width, height, points_per_pixel=72 / dpi if dpi else 1.0, words=words)


def _parse_words(line: etree._Element, number: int) -> Iterator[ScannedWord]:
    """Yield the words of a line; `number` is the index of the line on the page."""
    for element in line.iter():
        if element.get("class") != "ocrx_word" or (box := _parse_box(element)) is None:
            continue
        characters = _parse_characters(element, box)
        if not characters:
            continue
        n_on_line = len(characters) - _count_raised(characters, line)
        on_line, raised = characters[:n_on_line], characters[n_on_line:]
        confidence = _CONFIDENCE.search(element.get("title") or "")
        left, top, right, bottom = box
        yield ScannedWord(
            text="".join(text for text, _ in characters),
            left=left,
            top=top,
            right=right,
            bottom=bottom,
            size=_size_of(on_line, box),
            baseline=_baseline_of(on_line),
            n_raised=sum(len(text) for text, _ in raised),
            confidence=float(confidence[1]) if confidence else 0.0,
            line=number,
        )


def _parse_characters(word: etree._Element, word_box: _Box) -> list[tuple[str, _Box]]:
    """Return the characters of a word with their boxes; a character without a valid box gets the word's."""
    characters = []
    for element in word.iter():
        if element.get("class") == "ocrx_cinfo":
            text = (element.text or "").translate(_NONCHARACTERS).strip()
            if text:
                characters.append((text, _parse_box(element) or word_box))
    return characters


def _count_raised(characters: list[tuple[str, _Box]], line: etree._Element) -> int:
    """Return how many characters at the end of a word are raised: not letters, and well above the baseline.

    It is 0 if the program states no baseline or no size of type for the line.
    """
    title = line.get("title") or ""
    line_box, baseline, size = _parse_box(line), _BASELINE.search(title), _SIZE.search(title)
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
    """Return the size of a word's type in pixels, or 0 if its letters do not show it."""
    # The boxes of the letters show the size best, but the program may give letters the boxes of their
    # neighbours. The box of the word is then still right, and is used instead.
    size_by_letters = _size_of_letters(characters)
    height_in_sizes = _height_of("".join(text for text, _ in characters))
    if not size_by_letters or not height_in_sizes:
        return size_by_letters
    _, top, _, bottom = word
    size_by_word = (bottom - top) / height_in_sizes
    are_letters_wrong = abs(size_by_letters - size_by_word) > _MAX_DIFFERENCE * size_by_word
    return size_by_word if are_letters_wrong else size_by_letters


def _height_of(text: str) -> float:
    """Return the height of a word, in times its size, or 0 if it depends on letters of unknown height."""
    # A t, whose height is unknown, is ignored next to higher letters. If it is the highest, the result is 0.
    if not all(letter in _ASCENTS for letter in text.replace("t", "")):
        return 0.0
    ascent = max((_ASCENTS[letter] for letter in text if letter != "t"), default=0.0)
    if ascent < _ASCENT and "t" in text:  # the t is the highest letter
        return 0.0
    descent = max((_DESCENTS.get(letter, 0.0) for letter in text), default=0.0)
    return ascent + descent


def _size_of_letters(characters: list[tuple[str, _Box]]) -> float:
    """Return the size that the letters of a word show, or 0 if no letter shows it."""
    # The size is the mean over the letters, without letters that deviate. Each letter is measured in whole
    # pixels, so the mean is more exact than the median.
    # The height of each letter in pixels, and as a share of the size.
    heights = [(bottom - top, _HEIGHTS[text]) for text, (_, top, _, bottom) in characters if text in _HEIGHTS]
    if not heights:
        return 0.0
    usual = median(pixels / share for pixels, share in heights)
    max_deviation = _MAX_DEVIATION * usual
    regular = [(pixels, share) for pixels, share in heights if abs(pixels / share - usual) < max_deviation]
    if not regular:
        return usual
    return sum(pixels for pixels, _ in regular) / sum(share for _, share in regular)


def _baseline_of(characters: list[tuple[str, _Box]]) -> int | None:
    """Return the y of a word's baseline, the median bottom of the letters on it, or None if no letter is."""
    bottoms = [bottom for text, (_, _, _, bottom) in characters if _ON_BASELINE.match(text)]
    return round(median(bottoms)) if bottoms else None


def _parse_box(element: etree._Element) -> _Box | None:
    """Return the box of an element (left, top, right, bottom), or None if it has no valid one."""
    match = _BOX.search(element.get("title") or "")
    if match is None or any(len(number) > _MAX_DIGITS for number in match.groups()):
        return None
    left, top, right, bottom = map(int, match.groups())
    is_valid = 0 <= left < right <= _MAX_SIDE and 0 <= top < bottom <= _MAX_SIDE
    return (left, top, right, bottom) if is_valid else None
