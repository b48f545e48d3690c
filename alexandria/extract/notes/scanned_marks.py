"""Finds the marks of notes on scanned pages: they are too small to be read, but known to be raised.

The labels of notes at the foot of a page are larger, and count up. The raised signs in the text are paired
with these labels in order; each sign then is the mark of its label, however it was read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from alexandria.extract.notes.pairing import pair_in_order
from alexandria.extract.pdf.hyphens import HYPHENS
from alexandria.extract.pdf.lines import NOTE_SIZE, Line, Mark

_LABEL = re.compile(r"(\d{1,3})([.,:;)\]]?)\s+(?=\S)")
_MAX_STEP = 3  # largest step between labels that were read: with more than 1, some were missed
_MAX_MARK = 4  # most characters of a mark as it is read; a mark of three figures may be read as four
_MAX_PAIRS = 2_000_000
"""Most pairs of a sign and a label that are compared. If there are more, quotation marks are ignored: a book
may have thousands of them."""
_QUOTES = "'\"’”‘“"
_QUOTE_REACH = 400  # characters before a closing quotation mark in which its opening one is looked for
_QUOTE_LINES = 8  # lines that have as many characters
_READ_AS_LABEL = 3.0  # score for pairing a label with a raised sign that was read as the label
_READ_AS_OTHER = 1.0  # score for pairing a label with a raised sign that was read as something else
_READ_AS_QUOTE = 0.4  # score for pairing a label with a raised sign that was read as a quotation mark
_SAME_PAGE = 0.3  # added if the label is on the sign's page; it does not outweigh another sign
_EXTRA_FIGURE = 0.1  # subtracted for each character by which the lengths of sign and label differ


@dataclass(frozen=True, slots=True)
class RaisedEnd:
    """The raised end of a word in a line."""

    page: int
    line: int  # index on the page
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Label:
    """The number with which a line in small type begins."""

    page: int
    line: int
    number: int
    end: int  # the offset after it


def with_marks(
    pages: Mapping[int, Sequence[Line]], raised_ends: Iterable[RaisedEnd], body_size: float
) -> dict[int, tuple[Line, ...]]:
    """Return the lines with the marks of notes; the labels of these notes get one form: `1) ` becomes `1. `.

    Args:
        pages: the lines of each page in reading order, by the page's index.
        raised_ends: the raised ends of words in these lines, in the same order.
    """
    labels = [label for page, lines in pages.items() for label in _labels_of(page, lines, body_size)]
    labelled_lines = {(label.page, label.line) for label in labels}
    in_text = (end for end in raised_ends if (end.page, end.line) not in labelled_lines) if labels else ()
    signs = [sign for sign in in_text if _is_possible_mark(pages[sign.page], sign, body_size)]
    if len(signs) * len(labels) > _MAX_PAIRS:
        signs = [sign for sign in signs if sign.text.strip(_QUOTES)]
    sign_of_label = pair_in_order(
        # A note is on the page of its mark or after it.
        (j, [(i, _pair_score(sign, label)) for i, sign in enumerate(signs) if sign.page <= label.page])
        for j, label in enumerate(labels)
    )
    pairs = [(signs[i], labels[j]) for j, i in sign_of_label.items()]
    inferred = _infer_marks(pages, labels, [label for _, label in pairs], body_size)
    result = {page: [*lines] for page, lines in pages.items()}
    for sign, label in (*pairs, *inferred):
        citing = result[sign.page][sign.line]
        mark = Mark(sign.start, sign.end, str(label.number))
        result[sign.page][sign.line] = citing._replace(marks=(*citing.marks, mark))
        note = result[label.page][label.line]
        text = f"{label.number}. {note.text[label.end :]}"
        result[label.page][label.line] = note._replace(text=text)
    return {page: tuple(lines) for page, lines in result.items()}


def _infer_marks(
    pages: Mapping[int, Sequence[Line]], labels: Sequence[_Label], marked: Sequence[_Label], body_size: float
) -> Iterator[tuple[RaisedEnd, _Label]]:
    """Yield the place of each missing mark, with its label, if the notes before and after have their marks.

    The mark was too faint to be recognised. Its place is the end of the last line of text above the note.

    Args:
        labels: the labels of all notes, in order.
        marked: the labels that are paired with a mark.
    """
    for before, label, after in zip(labels, labels[1:], labels[2:], strict=False):
        counts_up = before.number + 1 == label.number == after.number - 1
        if label in marked or before not in marked or after not in marked or not counts_up:
            continue
        lines = pages[label.page]
        for line_index in reversed(range(label.line)):
            line = lines[line_index]
            if line.size > NOTE_SIZE * body_size and not line.text.endswith(HYPHENS):
                end = len(line.text)
                yield RaisedEnd(label.page, line_index, start=end, end=end, text=""), label
                break


def _is_possible_mark(lines: Sequence[Line], sign: RaisedEnd, body_size: float) -> bool:
    """Return whether a raised sign may cite a note: in the text, and not an exponent or closing quote."""
    line = lines[sign.line]
    if line.size <= NOTE_SIZE * body_size or len(sign.text) > _MAX_MARK:
        return False
    if line.text[sign.start - 1].isdigit():  # an exponent
        return False
    is_quotation_mark = not sign.text.strip(_QUOTES)
    return not (is_quotation_mark and _closes_quotation(lines, sign))


def _labels_of(page: int, lines: Sequence[Line], body_size: float) -> Iterator[_Label]:
    """Yield the labels of a page: numbers that count up at the beginnings of lines in small type."""
    last_number = 0  # of the label before
    for line_index, line in enumerate(lines):
        match = _LABEL.match(line.text)
        if line.size > NOTE_SIZE * body_size or not match:
            continue
        number = int(match[1])
        if not last_number or 0 < number - last_number <= _MAX_STEP:
            yield _Label(page, line_index, number, match.end())
            last_number = number


def _closes_quotation(lines: Sequence[Line], sign: RaisedEnd) -> bool:
    """Return whether a quotation mark closes a quotation: shortly before it, more were opened than closed."""
    # An opening mark follows a space; a closing one follows a word or a stop, and no letter follows it.
    above = " ".join(line.text for line in lines[max(0, sign.line - _QUOTE_LINES) : sign.line])
    before = f"{above} {lines[sign.line].text[: sign.start]}"[-_QUOTE_REACH:]
    quote = re.escape(sign.text[0])
    n_opened = len(re.findall(rf"(?<!\S){quote}", before))
    n_closed = len(re.findall(rf"(?<=\S){quote}(?!\w)", before))
    return n_opened > n_closed


def _pair_score(sign: RaisedEnd, label: _Label) -> float:
    """Return how well a raised sign fits a label, the higher the better."""
    score = _SAME_PAGE if sign.page == label.page else 0.0
    if sign.text.strip(_QUOTES + ".,") == str(label.number):
        return score + _READ_AS_LABEL
    if not sign.text.strip(_QUOTES):
        return score + _READ_AS_QUOTE
    # Each figure is usually read as one character.
    return score + _READ_AS_OTHER - _EXTRA_FIGURE * abs(len(sign.text) - len(str(label.number)))
