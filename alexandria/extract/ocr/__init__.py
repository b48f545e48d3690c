"""Pictures of pages to words: the `tesseract` program, its languages, and what it prints. A `Recogniser`.

`tesseract` runs the program within limits, `languages` chooses what it reads, `hocr` parses its output.
"""

from typing import Any

from alexandria.extract.ocr.languages import code_of, how_to_install
from alexandria.extract.ocr.tesseract import PROGRAM, installed
from alexandria.extract.scans import ScannedPage

__all__ = ["PROGRAM", "code_of", "how_to_install", "installed", "recognise_page"]


def recognise_page(*request: Any) -> ScannedPage:
    """Return the words on a picture of a file; the arguments are those of `pages.read_page`."""
    from alexandria.extract.ocr.pages import read_page  # few files need it

    return read_page(*request)
