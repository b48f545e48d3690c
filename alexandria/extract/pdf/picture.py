"""The picture of a page, drawn by PDFium."""

import ctypes
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs
from numpy.typing import NDArray

from alexandria.book import PagePicture
from alexandria.errors import BookError, Code
from alexandria.extract.ocr.picture import Picture

_MOST_PIXELS = 6_000_000
"""A page of any shape; at 1,000 pixels in width, the longest paper has three million."""

_DPI = 150
"""At which scans are read: at 300, no fewer words are wrong, and each takes twice as long."""
_MOST_SCANNED = 24_000_000
"""Pixels of a scan: a sheet of A2 at 150 dpi has nine million."""

_FINE = 1_000_000
"""PDFium places points in whole units: so many to a side."""
_FAR = 100.0  # points
_MOST_LETTERS = 50_000
"""Characters of a page whose places are asked for; a full page has some 4,000, a newspaper's 20,000."""


def draw_page(path: Path, number: int, width: int, password: str | None = None) -> PagePicture:
    """Return the picture of a page.

    Args:
        path: a PDF.
        number: of the page in the file, from 1.
        width: pixels of the picture; fewer if the page is so long that it would have too many in all.
        password: of an encrypted file.

    Raises:
        BookError: the file or the page cannot be read.
    """
    try:
        page = _open(path, number, password)
        across, down = page.get_size()
        scale = min(width / across, (_MOST_PIXELS / (across * down)) ** 0.5)
        bitmap = page.render(scale=scale, rev_byteorder=True)
        rows = np.asarray(bitmap.to_numpy())[:, :, :3]  # (height, width, 3)
        transform = _transform(page)
        letters, boxes = _letters(page)
    except pdfium.PdfiumError as error:
        raise _error(path, number, str(error).lower()) from error
    height, width, _ = rows.shape
    return PagePicture(
        width=width,
        height=height,
        pixels=rows.tobytes(),
        transform=transform,
        letters=letters,
        boxes=boxes.tobytes(),
    )


def scan_picture(path: Path, number: int, password: str | None = None) -> Picture:
    """Return the picture of a page as it is recognised: in grey, as a PGM file; errors as `draw_page`."""
    try:
        page = _open(path, number, password)
        across, down = page.get_size()
        scale = min(_DPI / 72, (_MOST_SCANNED / (across * down)) ** 0.5)
        rows = np.asarray(page.render(scale=scale, grayscale=True).to_numpy())
    except pdfium.PdfiumError as error:
        raise _error(path, number, str(error).lower()) from error
    height, width = rows.shape[:2]
    return Picture(b"P5 %d %d 255\n" % (width, height) + rows.tobytes(), scale * 72)


def _open(path: Path, number: int, password: str | None) -> pdfium.PdfPage:
    """Return a page with a size."""
    document = pdfium.PdfDocument(path, password=password)
    if not 1 <= number <= len(document):
        raise _error(path, number, f"it has {len(document)} pages")
    page = document[number - 1]
    if min(page.get_size()) <= 0:
        raise _error(path, number, "the page has no size")
    return page


def _transform(page: pdfium.PdfPage) -> tuple[float, float, float, float, float, float]:
    """Return how points of the page are placed in its picture: it may be cropped, and turned."""

    def placed(x: float, y: float) -> tuple[float, float]:
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, _FINE, _FINE, 0, x, y, across, down)
        return across.value / _FINE, down.value / _FINE

    e, f = placed(0, 0)
    (ax, bx), (cy, dy) = placed(_FAR, 0), placed(0, _FAR)
    return (ax - e) / _FAR, (bx - f) / _FAR, (cy - e) / _FAR, (dy - f) / _FAR, e, f


def _letters(page: pdfium.PdfPage) -> tuple[str, NDArray[np.float32]]:
    """Return the letters and digits of a page, and the box of each, (n, 4)."""
    text = page.get_textpage()
    sides = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = (ctypes.byref(side) for side in sides)
    letters, boxes = [], []
    for i in range(min(text.count_chars(), _MOST_LETTERS)):
        letter = chr(raw.FPDFText_GetUnicode(text, i))
        if letter.isalnum() and raw.FPDFText_GetCharBox(text, i, left, right, bottom, top):
            letters.append(letter)
            boxes.append((sides[0].value, sides[2].value, sides[1].value, sides[3].value))
    text.close()
    return "".join(letters), np.array(boxes, np.float32).reshape(-1, 4)


def _error(path: Path, number: int, why: str) -> BookError:
    return BookError(
        f"cannot draw page {number} of {path}", why=why, fix="open the file in a reader", code=Code.DAMAGED
    )
