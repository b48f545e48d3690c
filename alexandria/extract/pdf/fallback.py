"""The second reader, for files that PDFium cannot open: pypdf, slower and without the widths of lines."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdf

from alexandria.extract.pdf.lines import Line, Page

_WIDTH = 0.5
"""Times the size: the mean width of letters."""


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
    except MemoryError:
        raise  # the reader's process knows what to do
    except Exception as error:  # on damaged files pypdf raises whatever its own code runs into
        raise UnreadableError(f"{type(error).__name__}: {error}") from error
    if not any(page.lines for page in pages):
        raise UnreadableError("no page has text")
    return pages, _info(reader)


def _info(reader: pypdf.PdfReader) -> dict[str, str]:
    try:
        return {str(key).lstrip("/"): str(value) for key, value in (reader.metadata or {}).items()}
    except MemoryError:
        raise
    except Exception:
        return {}  # the text is complete without it


def _page(page: pypdf.PageObject, index: int) -> Page:
    try:
        height = abs(float(page.cropbox.height))  # its corners may be swapped
        lines = tuple(_lines(page, index))
    except MemoryError:
        raise
    except Exception:
        return Page(index, None, 0.0, (), unread=True)  # reported as a page without text
    return Page(index, None, height, lines, unread=not lines)


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
