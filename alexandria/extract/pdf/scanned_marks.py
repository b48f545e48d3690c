"""The marks of notes on scanned pages: raised figures are too small to read, but their height shows them.

The labels of the notes at the foot of a page are larger, and count up; the raised signs above them are taken
in order for those labels.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from alexandria.extract.pdf.hyphens import HYPHENS
from alexandria.extract.pdf.lines import Line, Mark

_SMALL = 0.92
"""Times the body size: notes are smaller."""
_LABEL = re.compile(r"(\d{1,3})([.,:;)\]]?)\s+(?=\S)")
_MOST_SKIPPED = 3
"""Labels between two that were read."""
_LONGEST = 4
"""Characters that a mark of three figures may be read as."""
_MOST_PAIRS = 2_000_000
"""Of signs and labels: with more, quotation marks are left out, of which a book may have thousands."""
_QUOTES = "'\"’”‘“"
_NEAR = 400
"""Characters before a closing quotation mark in which its opening one is looked for."""
_SAME, _OTHER, _QUOTE = 3.0, 1.0, 0.4
"""What it is worth to take a raised sign for a label: read as it, as another sign, as a quotation mark."""
_ONE_PAGE = 0.3
"""What is added where the label is on the same page, as at its foot: it makes no mark of a quotation mark."""


@dataclass(frozen=True, slots=True)
class Raised:
    """The raised end of a word in a line."""

    page: int
    line: int
    """Index on the page."""
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Label:
    """The number with which a line in small type begins."""

    page: int
    line: int
    number: int


def with_marks(
    pages: Mapping[int, Sequence[Line]], raised: Iterable[Raised], body: float
) -> dict[int, tuple[Line, ...]]:
    """Return the lines with the marks of notes, and the labels of these notes as they are printed.

    Args:
        pages: their lines in the order of reading, by index.
        raised: what is raised in them, in the same order.
        body: the size of the text.
    """
    labels = [label for page, lines in pages.items() for label in _labels(page, lines, body)]
    at_label = {(label.page, label.line) for label in labels}
    signs = [
        sign
        for sign in raised
        if (sign.page, sign.line) not in at_label and labels and _may_cite(pages[sign.page], sign, body)
    ]
    if len(signs) * len(labels) > _MOST_PAIRS:
        signs = [sign for sign in signs if sign.text.strip(_QUOTES)]
    result = {page: [*lines] for page, lines in pages.items()}
    pairs = _aligned(signs, labels)
    for sign, label in (*pairs, *_unsigned(pages, labels, [label for _, label in pairs], body)):
        line = result[sign.page][sign.line]
        mark = Mark(sign.start, sign.end, str(label.number))
        result[sign.page][sign.line] = replace(line, marks=(*line.marks, mark))
        line = result[label.page][label.line]
        text = f"{label.number}. {line.text[_end_of_label(line.text) :]}"
        result[label.page][label.line] = replace(line, text=text)
    return {page: tuple(lines) for page, lines in result.items()}


def _unsigned(
    pages: Mapping[int, Sequence[Line]], labels: Sequence[_Label], marked: Sequence[_Label], body: float
) -> Iterator[tuple[Raised, _Label]]:
    """Yield a place for the mark of each note between two others whose own mark is too faint to be seen.

    That is the end of the last line of text above the note on its page.
    """
    for before, label, after in zip(labels, labels[1:], labels[2:], strict=False):
        counts = before.number + 1 == label.number == after.number - 1
        if label in marked or before not in marked or after not in marked or not counts:
            continue
        lines = pages[label.page]
        for at in range(label.line - 1, -1, -1):
            text = lines[at].text
            if lines[at].size > _SMALL * body and not text.endswith(HYPHENS):
                yield Raised(label.page, at, len(text), len(text), ""), label
                break


def _may_cite(lines: Sequence[Line], sign: Raised, body: float) -> bool:
    """Return whether a raised sign may cite a note: it follows a word, and closes no quotation."""
    line = lines[sign.line]
    if line.size <= _SMALL * body or len(sign.text) > _LONGEST or line.text[sign.start - 1].isdigit():
        return False
    return bool(sign.text.strip(_QUOTES)) or not _is_closing(lines, sign)


def _labels(page: int, lines: Sequence[Line], body: float) -> Iterator[_Label]:
    """Yield the lines in small type that begin with a number; on a page, these count up."""
    last = 0
    for at, line in enumerate(lines):
        match = _LABEL.match(line.text)
        if line.size > _SMALL * body or not match:
            continue
        number = int(match[1])
        if not last or last < number <= last + _MOST_SKIPPED:
            yield _Label(page, at, number)
            last = number


def _end_of_label(text: str) -> int:
    match = _LABEL.match(text)
    return match.end() if match else 0


def _is_closing(lines: Sequence[Line], sign: Raised) -> bool:
    """Return whether a raised quotation mark closes a quotation: one was opened a little before it."""
    before = " ".join(line.text for line in lines[max(0, sign.line - 8) : sign.line])
    before = f"{before} {lines[sign.line].text[: sign.start]}"[-_NEAR:]
    quote = sign.text[0]
    opened = len(re.findall(rf"(?<!\S){re.escape(quote)}", before))
    return opened > len(re.findall(rf"(?<=\S){re.escape(quote)}(?!\w)", before))


def _aligned(signs: Sequence[Raised], labels: Sequence[_Label]) -> list[tuple[Raised, _Label]]:
    """Return the pairs of signs and labels, both in order, that are worth most together."""
    best = [[0.0] * (len(labels) + 1) for _ in range(len(signs) + 1)]
    for i, sign in enumerate(signs):
        for j, label in enumerate(labels):
            pair = best[i][j] + _worth(sign, label) if sign.page <= label.page else 0.0
            best[i + 1][j + 1] = max(best[i][j + 1], best[i + 1][j], pair)
    pairs: list[tuple[Raised, _Label]] = []
    i, j = len(signs), len(labels)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((signs[i], labels[j]))
    return pairs[::-1]


def _worth(sign: Raised, label: _Label) -> float:
    near = _ONE_PAGE if sign.page == label.page else 0.0
    if sign.text.strip(_QUOTES + ".,") == str(label.number):
        return near + _SAME
    if not sign.text.strip(_QUOTES):
        return near + _QUOTE
    # A sign is as a rule read for each figure.
    return near + _OTHER - 0.1 * abs(len(sign.text) - len(str(label.number)))
