"""Draws the picture of a page with PDFium: to be shown, or to be recognised."""

import ctypes
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs
from numpy.typing import NDArray

from alexandria.book.model import PagePicture
from alexandria.errors import BookError, Code
from alexandria.extract.pdf.start import start_pdfium
from alexandria.extract.scans import Picture

_MAX_PIXELS = 6_000_000  # pixels of a picture that is shown; the longest paper has three million

_DPI = 150  # resolution of recognised scans: at 300, as many words are wrong, in twice the time
_MAX_SCAN_PIXELS = 24_000_000  # most pixels of a scan: a sheet of A2 at 150 dpi has nine million

_UNITS = 1_000_000  # PDFium returns whole pixels: the picture is taken to have this many on each side
_STEP = 100.0  # points: the distance over which the scale of a picture is measured
_MAX_CHARACTERS = 50_000  # characters whose boxes are returned; a full page has 4,000, of newspapers 20,000


def draw_page(path: Path, number: int, width: int, password: str | None = None) -> PagePicture:
    """Return the picture of a page, with the letters on it and their boxes, by which a passage is marked.

    Args:
        number: the number of the page in the file, from 1.
        width: pixels of the picture; fewer if the page is so long that it would have too many in all.

    Raises:
        BookError: the file or the page cannot be read.
    """
    with _opened_page(path, number, password) as page:
        across, down = page.get_size()
        scale = min(width / across, (_MAX_PIXELS / (across * down)) ** 0.5)
        bitmap = page.render(scale=scale, rev_byteorder=True)  # red first, as in PNG; PDFium draws blue first
        pixels = np.asarray(bitmap.to_numpy())[:, :, :3]  # (height, width, 3), without transparency
        transform = _make_transform(page)
        letters, boxes = _read_letters(page)
    return PagePicture(
        width=pixels.shape[1],
        height=pixels.shape[0],
        pixels=pixels.tobytes(),
        transform=transform,
        letters=letters,
        boxes=boxes.tobytes(),
    )


def scan_picture(path: Path, number: int, password: str | None = None) -> Picture:
    """Return the picture of a page to be recognised: a PGM file in shades of grey.

    Raises:
        BookError: the file or the page cannot be read.
    """
    with _opened_page(path, number, password) as page:
        across, down = page.get_size()
        scale = min(_DPI / 72, (_MAX_SCAN_PIXELS / (across * down)) ** 0.5)
        pixels = np.asarray(page.render(scale=scale, grayscale=True).to_numpy())
    height, width = pixels.shape[:2]
    return Picture(b"P5 %d %d 255\n" % (width, height) + pixels.tobytes(), scale * 72)


@contextmanager
def _opened_page(path: Path, number: int, password: str | None) -> Iterator[pdfium.PdfPage]:
    """Open a page of a file.

    Raises:
        BookError: the file or the page cannot be read, there is no such page, or it has no size.
    """
    start_pdfium(fonts=True)
    try:
        with closing(pdfium.PdfDocument(path, password=password)) as document:
            n_pages = len(document)
            if not 1 <= number <= n_pages:
                raise _draw_error(path, number, f"it has {n_pages} page{'s' if n_pages != 1 else ''}")
            page = document[number - 1]
            if min(page.get_size()) <= 0:
                raise _draw_error(path, number, "the page has no size")
            yield page
    except pdfium.PdfiumError as error:
        raise _draw_error(path, number, str(error).lower()) from error


def _make_transform(page: pdfium.PdfPage) -> tuple[float, float, float, float, float, float]:
    """Return the matrix (a, b, c, d, e, f) that maps points of the page to fractions of the picture's sides.

    A point (x, y) is at (a x + c y + e, b x + d y + f) from the upper left corner. The matrix is measured by
    mapping three points, since the page may be cropped and turned.
    """

    def to_picture(x: float, y: float) -> tuple[float, float]:
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, _UNITS, _UNITS, 0, x, y, across, down)
        return across.value / _UNITS, down.value / _UNITS

    e, f = to_picture(0, 0)
    right_x, right_y = to_picture(_STEP, 0)
    up_x, up_y = to_picture(0, _STEP)
    a, b = (right_x - e) / _STEP, (right_y - f) / _STEP
    c, d = (up_x - e) / _STEP, (up_y - f) / _STEP
    return a, b, c, d, e, f


def _read_letters(page: pdfium.PdfPage) -> tuple[str, NDArray[np.float32]]:
    """Return the letters and digits of a page, and the box of each, (n, 4)."""
    text = page.get_textpage()
    sides = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = (ctypes.byref(side) for side in sides)
    letters, boxes = [], []
    for i in range(min(text.count_chars(), _MAX_CHARACTERS)):
        letter = chr(raw.FPDFText_GetUnicode(text, i))
        if letter.isalnum() and raw.FPDFText_GetCharBox(text, i, left, right, bottom, top):
            letters.append(letter)
            # Left, bottom, right, top; PDFium has the right side second.
            boxes.append((sides[0].value, sides[2].value, sides[1].value, sides[3].value))
    text.close()
    return "".join(letters), np.array(boxes, np.float32).reshape(-1, 4)


def _draw_error(path: Path, number: int, why: str) -> BookError:
    return BookError(
        f"cannot draw page {number} of {path}", why=why, fix="open the file in a reader", code=Code.DAMAGED
    )
