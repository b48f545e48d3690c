"""A page and its lines of type, with places and sizes."""

from dataclasses import dataclass

OVERHANG = 0.3
"""Times the size: how far an italic letter or a hyphen may reach over the edge of its column."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A raised sign in a line that may cite a note; `text[start:end]` is the mark as printed."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of type; coordinates are points from the lower left corner of the page."""

    text: str
    """Not yet cleaned; a hyphen at the end is kept."""
    page: int
    """0-based."""
    x0: float
    x1: float
    y: float
    """The baseline."""
    size: float
    bold: bool = False
    marks: tuple[Mark, ...] = ()

    @property
    def character_width(self) -> float:
        """The mean width of a character in points."""
        return (self.x1 - self.x0) / max(len(self.text), 1)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the file, with its lines in the order in which they are drawn."""

    index: int
    """0-based."""
    label: str | None
    """The page number as printed, if the file gives it."""
    height: float
    lines: tuple[Line, ...]
    unread: bool = False
    """True for a page with content but no text: an image, or a page that could not be loaded."""
    hidden: tuple[Line, ...] = ()
    """The lines outside its CropBox."""
    pictured: bool = False
    """True for a first page with a picture."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of the file's outline."""

    title: str
    level: int
    """1 for the outermost."""
    page: int
    """0-based."""
    y: float | None
    """The height on the page to which it points; None if it names only the page."""
