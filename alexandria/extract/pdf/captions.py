"""Sets captions, with the tables below them, apart from the text that goes on around them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from statistics import median

from alexandria.book.model import BlockKind
from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.paragraphs import Paragraph, paragraphs_of
from alexandria.extract.pdf.typography import Typography

_CAPTION = re.compile(
    r"(?:fig(?:ur[ea]?)?|illustration|abb(?:ildung)?|tab(?:le|elle|leau|la|ella)?|plate|exhibit|chart|"
    r"рис(?:унок)?|табл?(?:ица)?|εικόνα|πίνακας)\.? ?(?:[A-Z]?\d|[IVX]+\b)|[图圖図表] ?\d",
    re.I,
)
_MAX_SIZE = 0.95
"""Times the body size: the type of captions is smaller."""
_MAX_WORDS = 40
"""Characters of most lines of words in a figure; those of text in small type have more."""
_TAIL = 8
"""Characters at the end of a line, by which lines at one height are told apart."""
_MAX_GAP = 2.5
"""Times the size: the rows below a caption are closer to each other."""


def paragraphs_around_captions(
    columns: Iterable[Column], typography: Typography, vocabulary: Vocabulary
) -> list[Paragraph]:
    """Return the paragraphs in reading order, each caption after the paragraph that it interrupts."""
    text: list[Column] = []
    captions: dict[tuple[int, float, str] | None, list[Column]] = {}  # by the line before
    last: tuple[int, float, str] | None = None
    for column in columns:
        for part, is_caption in _parts_of(column, typography.body_size):
            if is_caption:
                captions.setdefault(last, []).append(part)
            else:
                text.append(part)
                last = _key(part.lines[-1])
    result = _captions_of(captions.get(None, ()), typography, vocabulary)
    for paragraph in paragraphs_of(text, typography, vocabulary):
        result.append(paragraph)
        for line in paragraph.lines if captions else ():
            result += _captions_of(captions.get(_key(line), ()), typography, vocabulary)
    return result


def _key(line: Line) -> tuple[int, float, str]:
    """Return what is the same after a drop cap has been joined to a line."""
    return line.page, line.y, line.text[-_TAIL:]


def _parts_of(column: Column, body_size: float) -> list[tuple[Column, bool]]:
    """Return a column divided at its captions: each part, and whether it is one, or words of a figure."""
    parts: list[tuple[list[Line], bool]] = []
    for line in column.lines:
        is_small = line.size <= _MAX_SIZE * body_size
        last, in_caption = parts[-1] if parts else ([], False)
        goes_on = in_caption and is_small and last[-1].y - line.y < _MAX_GAP * line.size
        begins = is_small and not goes_on and _CAPTION.match(line.text) is not None
        if begins or not parts or in_caption is not goes_on:
            words = _words_of_figure(last, body_size) if begins and not in_caption else []
            del last[len(last) - len(words) :]
            parts += [(words, True), ([line], begins)]
        else:
            last.append(line)
    return [(replace(column, lines=tuple(lines)), is_caption) for lines, is_caption in parts if lines]


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
