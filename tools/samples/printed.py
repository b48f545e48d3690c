"""Writes the two PDFs: a one-column book with everything a printed book has, and a two-column paper."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path

from manuscript import Chapter, Manuscript
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # ships no types
from setting import MARK_SCALE, Column, Line, Style, Word, fill_columns, set_lines, words_of

# The standard fonts need no embedding, which keeps the files small and free of font licences.
_ROMAN, _BOLD, _ITALIC = "Times-Roman", "Times-Bold", "Times-Italic"


@dataclass(frozen=True, slots=True)
class Layout:
    """A page, in points from its lower left corner."""

    width: float
    height: float
    margin: float
    n_columns: int
    gutter: float
    foot: float
    """Height of the lowest line."""
    top: float
    """Height of the first line."""
    body: Style
    heading: Style
    note: Style
    indent: float

    @property
    def measure(self) -> float:
        """Width of a column."""
        return (self.width - 2 * self.margin - (self.n_columns - 1) * self.gutter) / self.n_columns

    @property
    def depth(self) -> float:
        """Height of a column."""
        return self.top - self.foot + self.body.leading


# A pocket book: about thirty lines of eight words.
BOOK = Layout(
    width=306, height=468, margin=38, n_columns=1, gutter=0, foot=42, top=412, indent=12,
    body=Style(_ROMAN, 10.5, 13), heading=Style(_BOLD, 17, 30), note=Style(_ROMAN, 8, 9.5),
)  # fmt: skip
# A paper: six words per line, which stretches the spaces most.
PAPER = Layout(
    width=368, height=520, margin=34, n_columns=2, gutter=16, foot=50, top=468, indent=9,
    body=Style(_ROMAN, 9, 11), heading=Style(_BOLD, 11, 15), note=Style(_ROMAN, 7, 8.5),
)  # fmt: skip
_RUNNING = Style(_ITALIC, 8.5, 11)
_IMPRINT = "Written as a sample for Alexandria and given to everyone under CC0 1.0."


def write_book(book: Manuscript, path: Path) -> None:
    """Write the book: roman front matter, contents, chapters on right-hand pages, outline, page labels."""
    canvas = _canvas(book, path, BOOK)
    pages = _pages(book)
    canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
    n_front = _draw_front(canvas, book, pages)
    canvas.addPageLabel(n_front, style="ARABIC", start=1)
    for number, page in enumerate(pages, 1):
        if page.opens:
            _outline(canvas, page.chapter)
        if page.column:
            _draw_column(canvas, page.column, BOOK, BOOK.margin, BOOK.top)
            _draw_head(canvas, page, number, book.author)
        canvas.showPage()
    canvas.save()


def write_paper(book: Manuscript, path: Path) -> None:
    """Write the manuscript in two columns below a title across both, page numbers at the foot."""
    canvas = _canvas(book, path, PAPER)
    below_title = 60.0  # points that title and author take from the first page
    heights = chain(repeat(PAPER.depth - below_title, PAPER.n_columns), repeat(PAPER.depth))
    lines = chain.from_iterable(_chapter_lines(chapter, book, PAPER) for chapter in book.chapters)
    columns = fill_columns(lines, heights)
    canvas.setFont(_BOLD, 20)
    canvas.drawCentredString(PAPER.width / 2, PAPER.top - 6, book.title)
    canvas.setFont(_ITALIC, 11)
    canvas.drawCentredString(PAPER.width / 2, PAPER.top - 26, book.author)
    for i, column in enumerate(columns):
        number, side = i // PAPER.n_columns + 1, i % PAPER.n_columns
        if side == 0 and i:
            canvas.showPage()
        if side == 0:
            _draw_paper_edges(canvas, book, number)
        for line in column.lines:
            if line.style == PAPER.heading:
                _outline(canvas, " ".join(word.text for word in line.words))
        top = PAPER.top - (below_title if number == 1 else 0)
        _draw_column(canvas, column, PAPER, PAPER.margin + side * (PAPER.measure + PAPER.gutter), top)
    canvas.showPage()
    canvas.save()


@dataclass(frozen=True, slots=True)
class _Page:
    chapter: str
    column: Column | None
    """None for the blank page before a chapter that begins on the right."""
    opens: bool = False


def _pages(book: Manuscript) -> list[_Page]:
    pages: list[_Page] = []
    for chapter in book.chapters:
        if len(pages) % 2:
            pages.append(_Page(chapter.title, None))
        columns = fill_columns(_chapter_lines(chapter, book, BOOK), repeat(BOOK.depth))
        pages.extend(_Page(chapter.title, column, opens=not i) for i, column in enumerate(columns))
    return pages


def _chapter_lines(chapter: Chapter, book: Manuscript, layout: Layout) -> Iterator[Line]:
    # A heading is followed by at least two lines of text in its column.
    yield Line((Word(chapter.title),), layout.heading, above=layout.body.leading, keep=2)
    for i, passage in enumerate(chapter.passages):
        indent = layout.indent if i else 0  # none for a first paragraph, as is usual in English
        for line in set_lines(words_of(passage.text), layout.body, layout.measure, indent=indent):
            notes = (_note_lines(word.mark, book, layout) for word in line.words if word.mark)
            yield replace(line, notes=tuple(chain.from_iterable(notes)))


def _note_lines(mark: str, book: Manuscript, layout: Layout) -> Iterator[Line]:
    return set_lines([Word("", mark), *words_of(book.notes[mark])], layout.note, layout.measure)


def _canvas(book: Manuscript, path: Path, layout: Layout) -> Canvas:
    # `invariant` avoids timestamps and random ids. Compressed, the bytes would depend on the version of zlib.
    canvas = Canvas(
        str(path), pagesize=(layout.width, layout.height), invariant=1, pageCompression=0, lang="en"
    )
    canvas.setTitle(book.title)
    canvas.setAuthor(book.author)
    return canvas


def _outline(canvas: Canvas, title: str) -> None:
    canvas.bookmarkPage(title)
    canvas.addOutlineEntry(title, title, level=0)


def _draw_front(canvas: Canvas, book: Manuscript, pages: list[_Page]) -> int:
    """Draw title page, copyright page, contents and a blank page; return their number."""
    middle = BOOK.width / 2
    canvas.setFont(_BOLD, 24)
    canvas.drawCentredString(middle, 310, book.title)
    canvas.setFont(_ITALIC, 13)
    canvas.drawCentredString(middle, 280, book.author)
    canvas.showPage()
    canvas.setFont(_ROMAN, 8)
    canvas.drawString(BOOK.margin, 80, _IMPRINT)
    canvas.showPage()
    canvas.setFont(_BOLD, BOOK.heading.size)
    canvas.drawString(BOOK.margin, BOOK.top, "Contents")
    canvas.setFont(_ROMAN, BOOK.body.size)
    openings = [(page.chapter, number) for number, page in enumerate(pages, 1) if page.opens]
    for i, (title, number) in enumerate(openings):
        y = BOOK.top - BOOK.heading.leading - i * 18
        dots = " ." * int((BOOK.measure - BOOK.body.width(title) - 24) / BOOK.body.width(" ."))
        canvas.drawString(BOOK.margin, y, title + dots)
        canvas.drawRightString(BOOK.width - BOOK.margin, y, str(number))
    canvas.showPage()
    canvas.showPage()
    return 4


def _draw_head(canvas: Canvas, page: _Page, number: int, author: str) -> None:
    """Draw author and number on a left-hand page, chapter and number on a right-hand page.

    The first page of a chapter has its number at the foot and no running head.
    """
    left, right, y = BOOK.margin, BOOK.width - BOOK.margin, BOOK.top + 24
    canvas.setFont(_RUNNING.font, _RUNNING.size)
    if page.opens:
        canvas.drawCentredString(BOOK.width / 2, BOOK.foot - 22, str(number))
    elif number % 2:
        canvas.drawString(left, y, page.chapter)
        canvas.drawRightString(right, y, str(number))
    else:
        canvas.drawString(left, y, str(number))
        canvas.drawRightString(right, y, author)


def _draw_paper_edges(canvas: Canvas, book: Manuscript, number: int) -> None:
    canvas.setFont(_RUNNING.font, _RUNNING.size)
    canvas.drawCentredString(PAPER.width / 2, PAPER.foot - 22, str(number))
    if number > 1:
        canvas.drawCentredString(PAPER.width / 2, PAPER.top + 22, book.title)


def _draw_column(canvas: Canvas, column: Column, layout: Layout, x: float, top: float) -> None:
    y = top
    for i, line in enumerate(column.lines):
        y -= (line.style.leading if i else 0) + (line.above if i else 0)
        _draw_line(canvas, line, x, y)
        if line.style == layout.heading:
            y -= line.style.leading - layout.body.leading
    for i, line in enumerate(reversed(column.notes)):
        _draw_line(canvas, line, x, layout.foot + i * line.style.leading)


def _draw_line(canvas: Canvas, line: Line, x: float, y: float) -> None:
    text = canvas.beginText(x + line.indent, y)
    text.setWordSpace(line.spacing)
    text.setFont(line.style.font, line.style.size)
    for i, word in enumerate(line.words):
        text.textOut(f" {word.text}" if i else word.text)
        if word.mark:
            text.setFont(line.style.font, line.style.size * MARK_SCALE)
            text.setRise(line.style.size / 3)  # high enough for a superscript to clear the lower-case letters
            text.textOut(word.mark)
            text.setRise(0)
            text.setFont(line.style.font, line.style.size)
    canvas.drawText(text)
