"""The second reader, for files that PDFium cannot open: pypdf, slower and without the widths of lines."""

import logging
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdf
from pypdf.errors import DependencyError, PyPdfError

from alexandria.extract.pdf.lines import Line, Page

_WIDTH = 0.5
"""Times the size: the mean width of letters."""
# Besides its own errors, pypdf is known to raise these on damaged files.
_FAILURES = (
    PyPdfError,
    DependencyError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
    zlib.error,
)


class UnreadableError(Exception):
    """pypdf cannot read the file either."""


def read_pages_slowly(path: Path, password: str | None) -> tuple[list[Page], dict[str, str]]:
    """Return the pages and the Info dictionary as pypdf reads them; an unreadable dictionary is empty.

    Raises:
        UnreadableError: no page could be read.
    """
    # pypdf logs each repair; users cannot act on that.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(path, password=password)
        pages = [_page(page, index) for index, page in enumerate(reader.pages)]
    except _FAILURES as error:
        raise UnreadableError(str(error)) from error
    if not any(page.lines for page in pages):
        raise UnreadableError("no page has text")
    return pages, _info(reader)


def _info(reader: pypdf.PdfReader) -> dict[str, str]:
    try:
        return {str(key).lstrip("/"): str(value) for key, value in (reader.metadata or {}).items()}
    except _FAILURES:
        return {}  # the text is complete without it


def _page(page: pypdf.PageObject, index: int) -> Page:
    box = page.cropbox
    try:
        lines = tuple(_lines(page, index))
    except _FAILURES:
        lines = ()  # reported as a page without text
    return Page(index, None, float(box.width), float(box.height), lines, not lines)


def _lines(page: pypdf.PageObject, index: int) -> Iterator[Line]:
    pieces: list[tuple[str, float, float, float]] = []

    def collect(text: str, cm: list[float], tm: list[float], _font: Any, size: float) -> None:
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        pieces.append((text, x, y, size * abs(tm[3] * cm[3]) or size))

    page.extract_text(visitor_text=collect)
    text, start = "", None
    for piece, x, y, size in pieces:
        for part in piece.splitlines(keepends=True):
            if start is None and part.strip():
                start = (x, y, max(round(size, 1), 0.1))  # distances are divided by it
            text += part
            if text.endswith("\n"):
                yield from _line(text, start, index)
                text, start = "", None
    yield from _line(text, start, index)


def _line(text: str, start: tuple[float, float, float] | None, index: int) -> Iterator[Line]:
    text = text.strip()
    if text and start:
        x, y, size = start
        yield Line(text, index, x, x + _WIDTH * size * len(text), y, size)
