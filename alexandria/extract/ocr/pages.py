"""Recognises the words on a page of a file: in the requested languages, or by the page's script."""

from pathlib import Path

from alexandria.errors import BookError, Code
from alexandria.extract.ocr import tesseract
from alexandria.extract.ocr.languages import code_of_script, how_to_install
from alexandria.extract.ocr.tesseract import RecognitionError
from alexandria.extract.pdf.picture import scan_picture
from alexandria.extract.probe import HEAD_BYTES
from alexandria.extract.recogniser import missing_languages, missing_languages_error
from alexandria.extract.scans import Picture, ScannedPage
from alexandria.extract.sniff import sniff


def read_page(path: Path, key: str, languages: str, password: str | None, seconds: float) -> ScannedPage:
    """Return the words on a picture of a file.

    Args:
        key: the key of the picture in a `Scan`: the number of a PDF's page, or the name of an EPUB's picture.
        languages: as tesseract names them; if empty, the language is chosen by the script on the picture.
        seconds: processor time that the program may take.

    Raises:
        BookError: `no_text` if the program or a language is missing; `damaged` if it cannot read the picture.
    """
    installed = tesseract.installed()
    if installed is None:
        raise BookError(
            f"cannot read page {key} of {path}",
            why=f"it is a scan, and {tesseract.PROGRAM} is not installed",
            fix=how_to_install(),
            code=Code.NO_TEXT,
        )
    picture = _load_picture(path, key, password)
    try:
        if not languages:
            languages = code_of_script(
                tesseract.recognise_script(picture.data, dpi=picture.dpi, seconds=seconds)
            )
        if missing_names := missing_languages(languages, installed[1]):
            raise missing_languages_error(path, missing_names)
        return tesseract.recognise(picture.data, languages=languages, dpi=picture.dpi, seconds=seconds)
    except RecognitionError as error:
        raise BookError(
            f"cannot read page {key} of {path}",
            why=str(error),
            fix="allow more with ALEXANDRIA_OCR_SECONDS, or leave it out with --ocr off",
            code=Code.DAMAGED,
        ) from error


def _load_picture(path: Path, key: str, password: str | None) -> Picture:
    """Return the picture of a PDF's page, by its number, or the picture of an EPUB, by its name."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if sniff(path, head).name == "epub":
        from alexandria.extract.epub.pictures import read_picture  # which few files need

        return read_picture(path, key)
    return scan_picture(path, int(key), password)
