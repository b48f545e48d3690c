"""Typesets words into justified lines, and lines with their footnotes into columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]  # ships no types

MARK_SCALE = 0.7
"""Size of a superscript relative to the type it follows."""

_FEWEST_LETTERS = 3  # on either side of a hyphen, as printers do
# A list, because English hyphenation follows etymology rather than rules.
_PARTED = {
    word.replace("-", ""): word.split("-")
    for word in (Path(__file__).parent / "text" / "hyphens.txt").read_text(encoding="utf-8").split()
}


@dataclass(frozen=True, slots=True)
class Style:
    """A font; sizes are in points."""

    font: str
    size: float
    leading: float

    def width(self, text: str) -> float:
        """Return the width of the text in points."""
        return float(stringWidth(text, self.font, self.size))


@dataclass(frozen=True, slots=True)
class Word:
    """A word and the note mark that follows it."""

    text: str
    mark: str = ""

    def width(self, style: Style) -> float:
        """Return the width in points, including the mark."""
        return style.width(self.text) + style.width(self.mark) * MARK_SCALE


@dataclass(frozen=True, slots=True)
class Line:
    """Words side by side; a line of a note has no notes itself."""

    words: tuple[Word, ...]
    style: Style
    indent: float = 0
    spacing: float = 0
    """Points added to each space to fill the line."""
    above: float = 0
    """Points of white space above, except at the top of a column."""
    keep: int = 0
    """Lines that must fit below it, so that a heading does not end a column."""
    notes: tuple["Line", ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """The contents of one column: text from the top, notes at the foot."""

    lines: tuple[Line, ...]
    notes: tuple[Line, ...]


def words_of(text: str) -> list[Word]:
    """Return the words of a paragraph; `word[^2]` is a word with the mark 2."""
    return [Word(word, mark.removesuffix("]")) for word, _, mark in (w.partition("[^") for w in text.split())]


def set_lines(words: Sequence[Word], style: Style, measure: float, *, indent: float = 0) -> Iterator[Line]:
    """Yield lines of the given width, all full except the last; words are hyphenated to fill them."""
    space = style.width(" ")
    line: list[Word] = []
    used = indent
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        gap = space if line else 0
        if not line or used + gap + word.width(style) <= measure:  # a line contains at least one word
            line.append(word)
            used += gap + word.width(style)
            continue
        head, tail = _hyphenated(word, style, measure - used - gap)
        waiting.append(tail)
        if head:
            line.append(head)
            used += gap + head.width(style)
        yield Line(tuple(line), style, indent, (measure - used) / max(len(line) - 1, 1))
        line, used, indent = [], 0, 0
    yield Line(tuple(line), style, indent)


def _hyphenated(word: Word, style: Style, room: float) -> tuple[Word | None, Word]:
    """Return as much of the word as fits with a hyphen, and the rest; None if it cannot be split."""
    bare = word.text.rstrip(",.;:?”")
    parts = _PARTED.get(bare.lower(), ())
    for end in sorted(accumulate(map(len, parts)), reverse=True):
        head, tail = word.text[:end], word.text[end:]
        if min(end, len(bare) - end) >= _FEWEST_LETTERS and style.width(f"{head}-") <= room:
            return Word(f"{head}-"), Word(tail, word.mark)
    return None, word


def fill_columns(lines: Iterable[Line], heights: Iterator[float]) -> list[Column]:
    """Return the lines in columns of these heights, each note at the foot of the column that cites it."""
    columns: list[Column] = []
    held: list[Line] = []
    room = next(heights)
    for line in lines:
        need = line.above + line.style.leading * (1 + line.keep) + _height(line.notes)
        if held and need > room:
            columns.append(_column(held))
            held, room = [], next(heights)
        held.append(line)
        room -= (line.above if len(held) > 1 else 0) + line.style.leading + _height(line.notes)
    return [*columns, _column(held)]


def _height(notes: Sequence[Line]) -> float:
    # One extra line for the space above the notes; counted for each citing line, which is slightly too much.
    return (len(notes) + 1) * notes[0].style.leading if notes else 0


def _column(lines: Sequence[Line]) -> Column:
    return Column(tuple(lines), tuple(note for line in lines for note in line.notes))
