"""What a page holds: lines of type with their place and size."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A raised sign in a line that may cite a note: `text[start:end]` is the mark as printed."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of type; points, from the lower left corner of the page."""

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
        """Mean width of a character."""
        return (self.x1 - self.x0) / max(len(self.text), 1)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as the file holds it: lines in the order in which they were drawn."""

    index: int
    """0-based."""
    label: str | None
    """The number as printed, where the file tells it."""
    width: float
    height: float
    lines: tuple[Line, ...]
    unread: bool = False
    """True where something is on the page that is no text: an image, or what could not be loaded."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A line of the file's outline."""

    title: str
    level: int
    """1 for the outermost."""
    page: int
    """0-based."""
    y: float | None
    """How high on the page it points; None where it says only the page."""
