"""What is read from the pictures of scanned pages: words with their boxes."""

from dataclasses import dataclass
from math import isfinite

LEAST_CONFIDENCE = 60
"""Below it, a page counts as read in part: on pages of print in the right language, it is above 85."""


@dataclass(frozen=True, slots=True)
class ScannedWord:
    """A word on a picture; coordinates are pixels from the upper left corner."""

    text: str
    left: int
    top: int
    right: int
    bottom: int
    size: float
    """Of its type in pixels, as far as its letters show it; 0 if they do not."""
    foot: int | None
    """Where its letters stand; None if all of them reach below the line, or none does stand."""
    n_raised: int
    """Characters at its end that are raised, quotation marks among them."""
    confidence: float
    """0 to 100, as the program judges it."""
    line: int
    """Counts the lines of the page, in the order in which the program reads them."""


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """The words on the picture of a page."""

    width: int
    height: int
    points_per_pixel: float
    words: tuple[ScannedWord, ...]
    languages: str = ""
    """In which it was read, as tesseract names them."""
    seconds: float = 0.0
    """That it took to recognise."""

    @property
    def confidence(self) -> float:
        """The mean confidence of its letters, 0 to 100; 100 without words, where nothing can be wrong."""
        n_letters = sum(len(word.text) for word in self.words)
        if not n_letters:
            return 100.0
        return sum(word.confidence * len(word.text) for word in self.words) / n_letters

    @property
    def is_sound(self) -> bool:
        """Whether its numbers and texts are what they should be: it may come from a reader taken over."""
        numbers = (self.width, self.height, self.points_per_pixel, self.seconds)
        return (
            all(map(_is_number, numbers)) and type(self.languages) is str and all(map(_is_sound, self.words))
        )


@dataclass(frozen=True, slots=True)
class Scan:
    """A file with pages that must be recognised before it can be read as a book."""

    pages: tuple[str, ...]
    """Their keys, in order: in a PDF the page's number, in an EPUB the name of the picture's member."""
    n_pages: int
    """Of the whole file."""
    language: str | None
    """As the file states it; a BCP 47 tag."""


class UnrecognisedError(Exception):
    """Raised by an extractor that needs the words on pictures before it can go on."""

    def __init__(self, scan: Scan) -> None:
        super().__init__(scan)
        self.scan = scan


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and isfinite(value)  # type: ignore[arg-type]  # it is one of them


def _is_sound(word: object) -> bool:
    if type(word) is not ScannedWord or type(word.text) is not str:
        return False
    box = (word.left, word.top, word.right, word.bottom)
    numbers = (*box, word.size, word.foot or 0, word.n_raised, word.confidence, word.line)
    return all(map(_is_number, numbers))
