"""Sets captions, with the tables below them, and feet apart from the text that goes on around them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile, zip_longest
from statistics import median

from alexandria.book.model import BlockKind
from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.paragraphs import Paragraph, ends_sentence, paragraphs_of
from alexandria.extract.pdf.typography import Typography

_CAPTION = re.compile(
    r"(?:fig(?:ur[ea]?)?|illustration|abb(?:ildung)?|tab(?:le|elle|leau|la|ella)?|plate|exhibit|chart|"
    r"рис(?:унок)?|табл?(?:ица)?|εικόνα|πίνακας)\.? ?(?:[A-Z]?\d+(?!\w*\))|[IVX]+\b)|[图圖図表] ?\d",
    re.I,
)
_MAX_SIZE = 0.95  # times the body size: the type of captions is smaller
_MAX_WORDS = 40  # characters of most lines of words in a figure; those of text in small type have more
_TAIL = 8  # characters at the end of a line, by which lines at one height are told apart
_MAX_GAP = 2.5  # times the size: the rows below a caption are closer to each other
_MAX_LEADING = 1.2  # times the leading: the lines of a paragraph are closer to each other
_SAME_SIZE = 0.04  # share of the size by which the lines of a paragraph may differ in it
_NOTE = re.compile(r"[*∗†‡§¶] ?\w")
_WORD = re.compile(r"[^\W\d_]{3}|[\u2e80-\uffff]|[-–—_]{3}")  # what a foot has; what is below a sum has none
_MAX_ROOM = 2  # times the size: the room at the end of a full line
_MAX_FOOT = 6  # lines of a note in the size of the text that are looked for at the foot of a column


def paragraphs_around_captions(
    columns: Sequence[Column], typography: Typography, vocabulary: Vocabulary
) -> list[Paragraph]:
    """Return the paragraphs in reading order, each caption or foot after the paragraph that it interrupts."""
    text: list[Column] = []
    captions: dict[tuple[int, float, str] | None, list[Column]] = {}  # by the line before
    last: tuple[int, float, str] | None = None
    for column, following in zip_longest(columns, columns[1:]):
        for part, is_caption in _parts_of(column, following, typography):
            if is_caption:
                captions.setdefault(last, []).append(part)
            else:
                text.append(part)
                last = _key(part.lines[-1])
    result = _captions_of(captions.pop(None, ()), typography, vocabulary)
    for paragraph in paragraphs_of(text, typography, vocabulary):
        result.append(paragraph)
        for line in paragraph.lines if captions else ():
            result += _captions_of(captions.pop(_key(line), ()), typography, vocabulary)  # a key may be twice
    return result


def _key(line: Line) -> tuple[int, float, str]:
    """Return what is the same after a drop cap has been joined to a line."""
    return line.page, line.y, line.text[-_TAIL:]


def _parts_of(column: Column, following: Column | None, typography: Typography) -> list[tuple[Column, bool]]:
    """Return a column divided at its captions: each part, and whether it is apart from the text."""
    # Words of a figure are, and what is below text that goes on in the following column.
    parts: list[tuple[list[Line], bool]] = []
    n_text = _find_foot(column, following.lines[0], typography) if following else len(column.lines)
    for line in column.lines[:n_text]:
        is_small = line.size <= _MAX_SIZE * typography.body_size
        last, in_caption = parts[-1] if parts else ([], False)
        goes_on = in_caption and is_small and last[-1].y - line.y < _MAX_GAP * line.size
        begins = is_small and not goes_on and _CAPTION.match(line.text) is not None
        if begins and last and not in_caption and len(last[-1].text) > _MAX_WORDS:
            begins = not _continues(last[-1], line, typography) or ends_sentence(last[-1])
        if begins or not parts or in_caption is not goes_on:
            words = _words_of_figure(last, typography.body_size) if begins and not in_caption else []
            del last[len(last) - len(words) :]
            parts += [(words, True), ([line], begins)]
        else:
            last.append(line)
    parts.append(([*column.lines[n_text:]], True))
    return [(replace(column, lines=tuple(lines)), is_caption) for lines, is_caption in parts if lines]


def _find_foot(column: Column, following: Line, typography: Typography) -> int:
    """Return the index of the first line of a column's foot, above which a full line is in mid-sentence."""
    # A foot is small type or begins with the sign of a note; a stamp that runs up the page is one by itself.
    # Without one, the result is the number of lines.
    lines = column.lines
    if lines[0].is_sideways:
        return 0
    small = [*takewhile(lambda line: line.size <= _MAX_SIZE * typography.body_size, reversed(lines))]
    starts = [
        i
        for i, (above, line) in enumerate(pairwise(lines), 1)
        if _NOTE.match(line.text) and i >= len(lines) - _MAX_FOOT and not _are_close(above, line, typography)
    ]
    start = min([len(lines) - len(small), *starts])
    if start < 2:
        return len(lines)
    before, above = lines[start - 2 : start]
    is_full = column.right - above.x1 < _MAX_ROOM * above.size
    goes_on = is_full and _continues(before, above, typography) and _have_same_size(above, following)
    has_words = any(_WORD.search(line.text) for line in lines[start:])
    return start if goes_on and has_words and not ends_sentence(above) else len(lines)


def _continues(above: Line, line: Line, typography: Typography) -> bool:
    """Return whether a line goes on below the one above, in one type."""
    return _have_same_size(above, line) and _are_close(above, line, typography)


def _have_same_size(above: Line, line: Line) -> bool:
    return abs(above.size - line.size) <= _SAME_SIZE * above.size


def _are_close(above: Line, line: Line, typography: Typography) -> bool:
    return above.y - line.y < _MAX_LEADING * typography.leading(line.size)


def _words_of_figure(lines: Sequence[Line], body_size: float) -> list[Line]:
    """Return the last of the lines above a caption that are small, unless they are text in small type."""
    words = [*takewhile(lambda line: line.size <= _MAX_SIZE * body_size, reversed(lines))][::-1]
    return words if words and median(len(line.text) for line in words) <= _MAX_WORDS else []


def _captions_of(
    captions: Sequence[Column], typography: Typography, vocabulary: Vocabulary
) -> list[Paragraph]:
    """Return the paragraphs of captions and of what is below them."""
    result: list[Paragraph] = []
    for paragraph in (p for part in captions for p in paragraphs_of([part], typography, vocabulary)):
        is_caption = _CAPTION.match(paragraph.lines[0].text) is not None
        # Rows, like lines of verse, end anywhere; the caption above them is no part of the stanza.
        n_own = 1 if is_caption and paragraph.kind is BlockKind.VERSE else len(paragraph.lines) * is_caption
        if n_own:
            result.append(replace(paragraph, lines=paragraph.lines[:n_own], kind=BlockKind.CAPTION))
        if rows := paragraph.lines[n_own:]:
            result.append(replace(paragraph, lines=rows))
    return result
