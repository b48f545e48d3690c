"""Reads files that PDFium cannot open with pypdf, which is slower and does not report the widths of lines."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pypdf

from alexandria.extract.pdf.lines import Line, Page
from alexandria.extract.pdf.vertical import Glyph, vertical_lines

_LETTER_WIDTH = 0.5  # times the size: the mean width of letters, from which the widths of lines are estimated
_MIN_SIZE = 0.1  # points: damaged files have letters of size 0, by which later steps would divide distances


class _Piece(NamedTuple):
    """A piece of text as pypdf yields it, in points from the lower left corner of the page."""

    text: str
    x: float
    y: float
    size: float
    is_vertical: bool


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
        pages = [_read_page(page, index) for index, page in enumerate(reader.pages)]
    except MemoryError:
        raise  # handled by the process that reads the book
    except Exception as error:  # on damaged files pypdf raises whatever its own code runs into
        raise UnreadableError(f"{type(error).__name__}: {error}") from error
    if not any(page.lines for page in pages):
        raise UnreadableError("no page has text")
    return pages, _read_info(reader)


def with_columns(path: Path, pages: Sequence[Page], password: str | None) -> list[Page]:
    """Return the pages; where PDFium lost columns and pypdf reads more letters, the lines are pypdf's."""
    try:
        pypdf_pages = pypdf.PdfReader(path, password=password).pages
        return [  # pypdf reads the text of all layers
            _with_columns(page, pypdf_pages[page.index])
            if page.loses_columns and not page.n_switched_off
            else page
            for page in pages
        ]
    except MemoryError:
        raise
    except Exception:
        return [*pages]  # reported as read in part


def _with_columns(page: Page, pypdf_page: pypdf.PageObject) -> Page:
    glyphs = [glyph for piece in _pieces_of(pypdf_page) for glyph in _glyphs_of(piece)]
    lines = tuple(vertical_lines(glyphs, page.index))
    has_more_letters = _count_letters(lines) > _count_letters(page.lines)
    # pypdf may take several columns for one, which would end far below the page.
    is_on_page = all(glyph.bottom > -glyph.size for glyph in glyphs)
    if not (is_on_page and has_more_letters):
        return page
    return replace(page, lines=lines, unread=False, loses_columns=False)


def _count_letters(lines: Iterable[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _glyphs_of(piece: _Piece) -> Iterator[Glyph]:
    """Yield the characters of a piece, each below or beside the one before."""
    for i, character in enumerate(piece.text.strip(" \r\n\t")):
        if character.isspace():
            continue  # an indent, or within a head
        if piece.is_vertical:
            top = piece.y - i * piece.size
            yield Glyph(character, piece.x, top, top - piece.size, piece.size)
        else:
            x = piece.x + (i + 0.5) * _LETTER_WIDTH * piece.size
            yield Glyph(character, x, piece.y + piece.size, piece.y, piece.size)


def _read_info(reader: pypdf.PdfReader) -> dict[str, str]:
    """Return the Info dictionary of a file, or an empty dict if pypdf cannot read it."""
    try:
        return {str(key).lstrip("/"): str(value) for key, value in (reader.metadata or {}).items()}
    except MemoryError:
        raise
    except Exception:
        return {}  # the text is complete without it


def _read_page(page: pypdf.PageObject, index: int) -> Page:
    """Return a page; one that pypdf cannot read has no lines."""
    try:
        height = abs(float(page.cropbox.height))  # its corners may be swapped
        lines = tuple(_lines_of(page, index))
    except MemoryError:
        raise
    except Exception:
        return Page(index, None, 0.0, (), unread=True)  # reported as a page without text
    return Page(index, None, height, lines, unread=not lines)


def _lines_of(page: pypdf.PageObject, index: int) -> Iterator[Line]:
    """Yield the lines of a page; each has the position and size of its first piece."""
    text = ""  # of the open line
    first_piece: _Piece | None = None  # of the open line, blank ones aside
    for piece in _pieces_of(page):
        for part in piece.text.splitlines(keepends=True):
            if first_piece is None and part.strip():
                first_piece = piece
            text += part
            if text.endswith("\n"):
                yield from _line_unless_blank(text, first_piece, index)
                text, first_piece = "", None
    yield from _line_unless_blank(text, first_piece, index)


def _pieces_of(page: pypdf.PageObject) -> list[_Piece]:
    """Return the pieces of text of a page, with the line breaks that pypdf puts in them."""
    # pypdf calls `collect` with each piece of text and its matrices.
    pieces: list[_Piece] = []

    def collect(text: str, cm: list[float], tm: list[float], font: Any, size: float) -> None:
        """Add a piece of text with its position and size; pypdf calls this for each piece it reads."""
        # The origin of the text matrix, in the coordinates of the page.
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        scaled_size = size * abs(tm[3] * cm[3])  # 0 for type turned by 90 degrees
        is_vertical = bool(font) and str(font.get("/Encoding")).endswith("-V")
        pieces.append(_Piece(text, x, y, scaled_size or size, is_vertical))

    page.extract_text(visitor_text=collect)
    return pieces


def _line_unless_blank(text: str, first_piece: _Piece | None, page_index: int) -> Iterator[Line]:
    """Yield the line that begins with this piece, or nothing if it is blank."""
    text = text.strip()
    if text and first_piece:
        size = max(round(first_piece.size, 1), _MIN_SIZE)
        x0, x1 = first_piece.x, first_piece.x + _LETTER_WIDTH * size * len(text)
        yield Line(text, page=page_index, x0=x0, x1=x1, y=first_piece.y, size=size)
