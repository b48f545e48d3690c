"""Options of extraction."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from alexandria.extract.scans import ScannedPage

OCR_OFF, OCR_AUTO = "off", "auto"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a file is read; the same for every format."""

    keep_matter: bool = False
    """Keep the cover, contents, imprint, index… in the text instead of leaving them out."""
    password: str | None = field(default=None, repr=False)
    """For encrypted PDFs."""
    inline_notes: bool = False
    """Put each note after the block that cites it instead of apart from the text."""
    ocr: str = OCR_OFF
    """How pictures of pages are read: `off`, `auto` (in the language of the book), or languages as tesseract
    names them: `eng`, `deu+lat`."""
    as_manuscript: bool = False
    """Read LaTeX as such, not as plain text; for `check`."""
    scanned: Mapping[str, ScannedPage] | None = field(default=None, repr=False)
    """The words on pictures of pages, by the keys of `Scan`; None before they are recognised."""

    @property
    def rereads(self) -> bool:
        """Whether pages with a poor text are recognised again: a language is named."""
        return self.ocr not in (OCR_OFF, OCR_AUTO)
