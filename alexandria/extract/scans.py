"""What is recognised on pictures of pages: words with their boxes."""

from dataclasses import dataclass
from math import isfinite

MIN_CONFIDENCE = 60  # a page with less is reported as read in part; those in the right language have more


@dataclass(frozen=True, slots=True)
class ScannedWord:
    """A word on a picture; coordinates are pixels from the upper left corner."""

    text: str
    left: int
    top: int
    right: int
    bottom: int
    size: float  # the size of its type in pixels; 0 if its letters do not show it
    baseline: int | None  # the y of its baseline; None if no letter shows the baseline
    n_raised: int  # number of characters at its end that are raised, including quotation marks
    confidence: float  # 0 to 100, as the recognition program estimates it
    line: int  # index of its line on the page, in the order in which the program reads the lines


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """The words on the picture of a page."""

    width: int
    height: int
    points_per_pixel: float
    words: tuple[ScannedWord, ...]
    languages: str = ""  # the languages in which it was read, as tesseract names them
    seconds: float = 0.0  # how long its recognition took

    @property
    def confidence(self) -> float:
        """The mean confidence of its letters, 0 to 100; 100 without words, as none can be wrong."""
        n_letters = sum(len(word.text) for word in self.words)
        if not n_letters:
            return 100.0
        return sum(word.confidence * len(word.text) for word in self.words) / n_letters

    @property
    def is_sound(self) -> bool:
        """Whether its values all have the right types: an attacker may control the process that read it."""
        numbers = (self.width, self.height, self.points_per_pixel, self.seconds)
        return (
            all(map(is_finite, numbers))
            and type(self.languages) is str
            and all(map(_is_sound_word, self.words))
        )


@dataclass(frozen=True, slots=True)
class Scan:
    """A file with pages that must be recognised before it can be read as a book."""

    pages: tuple[str, ...]  # the keys of the pages, in order: numbers in a PDF, names of pictures in an EPUB
    n_pages: int  # number of pages of the whole file
    language: str | None  # the BCP 47 tag that the file states
    is_optional: bool = False  # whether nothing is lost without it: covers and plates of a book with text


class UnrecognisedError(Exception):
    """Raised by an extractor that needs the words on pictures before it can go on."""

    def __init__(self, scan: Scan) -> None:
        super().__init__(scan)
        self.scan = scan


def is_finite(value: object) -> bool:
    """Return whether a value is a number that is finite as a float."""
    try:
        return type(value) in (int, float) and isfinite(value)  # type: ignore[arg-type]  # narrowed by type()
    except OverflowError:  # an integer too large for a float
        return False


def _is_sound_word(word: object) -> bool:
    """Return whether a word and all of its values are of the right types."""
    if type(word) is not ScannedWord or type(word.text) is not str:
        return False
    box = (word.left, word.top, word.right, word.bottom)
    baseline = () if word.baseline is None else (word.baseline,)
    return all(map(is_finite, (*box, word.size, *baseline, word.n_raised, word.confidence, word.line)))


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file with the picture of a page."""

    data: bytes
    dpi: float | None  # pixels per inch of the page; None if the file does not say
