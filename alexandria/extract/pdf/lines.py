"""A page and its lines of type, with positions and sizes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

OVERHANG = 0.3  # times the size: how far an italic letter or a hyphen may reach over the edge of its column

HEIGHT = 0.75  # times the size: how far letters reach above the baseline
DEPTH = 0.22  # times the size: how far letters reach below the baseline

_MIN_SIDEWAYS, _MAX_SIDEWAYS = 8, 1.5  # of a line that runs up the page: fewest characters; width in sizes

NOTE_SIZE = 0.92  # times the body size, at most: notes are at 75–90 %, while a quotation may be at 95 %

MIRRORED = 4  # in place of the quarter turns of a line


# A book has tens of thousands: named tuples are made and changed in a third of the time of data classes.
class Mark(NamedTuple):
    """A raised or bracketed sign that may cite a note; `text[start:end]` is the mark as printed."""

    start: int
    end: int
    label: str  # without brackets if it is raised: `1`; with them if it is not: `[1]`, `(1)`

    @property
    def is_raised(self) -> bool:
        """False for a mark in brackets on the baseline, as bibliographies are cited."""
        return not self.label.startswith(("[", "("))

    def moved(self, by: int) -> "Mark":
        """Return the mark in a text that begins `by` characters further to the left."""
        return Mark(self.start + by, self.end + by, self.label)


class Line(NamedTuple):
    """A line of type; coordinates are points from the lower left corner of the page."""

    text: str  # not yet cleaned; a hyphen at the end is kept
    page: int  # 0-based
    x0: float
    x1: float
    y: float  # the baseline
    size: float
    bold: bool = False
    marks: tuple[Mark, ...] = ()
    turn: int = 0
    """Quarter turns anticlockwise of the page's type; coordinates are measured after turning it back.

    `MIRRORED` for type from right to left, whose coordinates are those in a mirror: it begins at the left.
    """
    confidence: float | None = None  # 0 to 100, of a line that was recognised on a picture
    is_reading: bool = False  # whether it is ruby: small type beside a column that gives its reading
    ink: tuple[float, float] | None = (
        None  # bottom and top of type that hangs, as TeX's large sums; else None
    )
    fixed: bool = False  # whether all its characters have one width, as code has
    place: tuple[float, float, float, float] | None = None
    """Left, bottom, right and top on a page of the file that was deskewed for reading."""

    @property
    def is_sideways(self) -> bool:
        """Whether it runs up or down the page, as stamps in its margin do."""
        is_narrow = self.x1 - self.x0 < _MAX_SIDEWAYS * self.size
        return is_narrow and len(self.text) >= _MIN_SIDEWAYS and not self.place  # layers have any width

    @property
    def extent(self) -> tuple[float, float]:
        """Bottom and top of the type."""
        return self.ink or (self.y - DEPTH * self.size, self.y + HEIGHT * self.size)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top in the coordinates of the file: the page is not turned back."""
        if self.place:
            return self.place
        left, right = self.x0, self.x1
        bottom, top = self.extent
        match self.turn:
            case 1:
                return -top, left, -bottom, right
            case 2:
                return -right, -top, -left, -bottom
            case 3:
                return bottom, -right, top, -left
            case 4:  # `MIRRORED`
                return -right, bottom, -left, top
        return left, bottom, right, top

    @property
    def character_width(self) -> float:
        """The mean width of a character in points."""
        return (self.x1 - self.x0) / max(len(self.text), 1)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the file, with its lines in the order in which they are drawn."""

    index: int  # 0-based
    label: str | None  # the page number as printed, if the file gives it
    height: float
    lines: tuple[Line, ...]
    unread: bool = False  # True for a page with content but no text: an image, or one that failed to load
    wordless: bool = False  # True for an unread page that is a picture without type, or the book's cover
    loses_columns: bool = False  # True if PDFium gives no text for some of its columns
    loses_letters: bool = False  # True if some of its letters give no text
    hidden: tuple[Line, ...] = ()  # the lines outside its CropBox
    n_switched_off: int = 0  # words in layers that are switched off; they are in no line
    comments: Sequence[str] = ()  # what is laid over the page, and is no part of its text
    pictured: bool = False  # True for a first page with a picture
    confidence: float | None = None  # 0 to 100, of a page whose lines were recognised on a picture
    text_layer: bool = False  # whether its text is a layer over or under its picture, as OCR programs make it
    is_poor: bool = False  # whether that layer is worse than none
    sides: tuple[float, float] = (0.0, 0.0)  # the x of its left and right edges
    sheet: int | None = None  # the index in the file, 0-based, of the page of which it is a half

    @property
    def number(self) -> int:
        """The number of its page in the file, 1-based."""
        return (self.index if self.sheet is None else self.sheet) + 1


BULLETS = "•▪◦‣●■○►▶➢➤❖✓✔⁃"
_BULLET = re.compile(rf"([{BULLETS}\uf020-\uf0ff])\s*(?=[\w\"“‘(«])")
"""A bullet, of which fonts of symbols only have a number, before a word."""


def with_bullet(line: Line) -> Line:
    """Return a line with a space after the bullet that it begins with, which may be too wide to leave one."""
    match = _BULLET.match(line.text)
    if match is None:
        return line
    bullet = match[1] if match[1] in BULLETS else BULLETS[0]
    marks = tuple(mark.moved(2 - match.end()) for mark in line.marks)
    return line._replace(text=f"{bullet} {line.text[match.end() :]}", marks=marks)


_MARKER = re.compile(r"[\[(](?:\d{1,3}|[a-z]{1,4})[\])]|(?:\d{1,2}|[a-z])[.)]")
"""What numbers the items of a list."""
_MAX_MARKER_GAP = 3  # times the size: the distance of a marker from its item, at most
_SAME_HEIGHT = 0.1  # times the size: the baselines of lines side by side differ by less


def with_markers(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines, with each marker of an item that is a line of its own joined to the line beside it."""
    last: Line | None = None
    for line in lines:
        if last and _is_beside(last, line) and _MARKER.fullmatch(last.text):
            shift = len(last.text) + 1
            marks = tuple(mark.moved(shift) for mark in line.marks)
            line = line._replace(text=f"{last.text} {line.text}", x0=last.x0, marks=marks)
        elif last:
            yield last
        last = line
    if last:
        yield last


def _is_beside(marker: Line, line: Line) -> bool:
    is_level = abs(marker.y - line.y) < _SAME_HEIGHT * line.size
    return is_level and 0 < line.x0 - marker.x1 < _MAX_MARKER_GAP * line.size


def without_lines(page: Page, removed: Iterable[Line]) -> Page:
    """Return a page without these lines of it, which are compared by identity: a line may be drawn twice."""
    removed_ids = set(map(id, removed))
    return replace(page, lines=tuple(line for line in page.lines if id(line) not in removed_ids))


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of the file's outline."""

    title: str
    level: int  # 1 for the outermost
    page: int  # 0-based
    y: float | None  # the height on the page to which it points; None if it names only the page
