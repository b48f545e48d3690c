"""Small books typeset for the tests of the PDF reader."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A5  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]  # has no stubs
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import Book
from alexandria.extract import extract

WIDTH, HEIGHT = A5
LEFT, TOP, MEASURE, SIZE, LEADING = 60, HEIGHT - 70, 280, 10, 12
FONT = "Times-Roman"

Drawn = tuple[float, float, float, str]
"""x, y of the baseline, size, text."""


def write(
    path: Path,
    pages: Sequence[Sequence[Drawn]],
    outline: Sequence[tuple[str, int, int]] = (),
    *,
    title: str | None = None,
) -> Path:
    """Draw the pages; an outline entry is a title, a level from 0, and a page from 0."""
    canvas = Canvas(str(path), pagesize=A5)
    if title:
        canvas.setTitle(title)
    for index, page in enumerate(pages):
        for title, level, at in outline:
            if at == index:
                canvas.bookmarkPage(f"{title}-{at}")
                canvas.addOutlineEntry(title, f"{title}-{at}", level)
        for x, y, size, text in page:
            canvas.setFont(FONT, size)
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return path


def break_lines(paragraph: str, measure: float, indent: float = SIZE) -> list[tuple[float, str]]:
    """Set a paragraph ragged right: each line's indent and text."""
    lines: list[tuple[float, str]] = []
    line, at = "", indent
    for word in paragraph.split():
        longer = f"{line} {word}" if line else word
        if line and at + stringWidth(longer, FONT, SIZE) > measure:
            lines.append((at, line))
            line, at = word, 0.0
        else:
            line = longer
    return [*lines, (at, line)]


def typeset(paragraphs: Sequence[str], *, columns: int = 1, depth: int = 30) -> list[list[Drawn]]:
    """Set paragraphs with an indent, in columns of `depth` lines, under a running head."""
    gutter = 20
    measure = (MEASURE - gutter * (columns - 1)) / columns
    lines = [line for paragraph in paragraphs for line in break_lines(paragraph, measure)]
    pages: list[list[Drawn]] = []
    for start in range(0, len(lines), depth * columns):
        number = len(pages) + 1
        page: list[Drawn] = [(LEFT, HEIGHT - 40, 8, "A Book of Trials"), (WIDTH / 2, 30, 8, str(number))]
        for i, (indent, text) in enumerate(lines[start : start + depth * columns]):
            x = LEFT + (measure + gutter) * (i // depth) + indent
            page.append((x, TOP - LEADING * (i % depth), SIZE, text))
        pages.append(page)
    return pages


def read(
    tmp_path: Path, pages: Sequence[Sequence[Drawn]], outline: Sequence[tuple[str, int, int]] = ()
) -> Book:
    return extract(write(tmp_path / "book.pdf", pages, outline))


def texts(book: Book) -> list[str]:
    return [block.text for block in book.blocks]


SENTENCE = "The reader who turns a page expects that nothing is lost between the lines of it. "
THINGS = ["clay", "glass", "iron", "paper", "salt", "wool", "amber", "copper", "linen", "marble", "silver"]
VERBS = ["carries", "breaks", "follows", "warms", "answers", "measures", "forgets", "mends", "praises"]
LONG = [
    " ".join(
        f"The {THINGS[(i + j) % 11]} {VERBS[(i * j) % 9]} what the {THINGS[(i * 3 + j * j) % 11]} of a house "
        f"{VERBS[(i + 2 * j) % 9]}."
        for j in range(6)
    )
    for i in range(20)
]
"""Twenty paragraphs of six sentences, no two alike: what repeats at a page's edge is taken for furniture."""


def foot(page: list[Drawn], *notes: str) -> list[Drawn]:
    """Add small type at the foot of a page, below its last line."""
    y = min(y for _, y, size, _ in page if size == SIZE) - 20
    return [*page, *((LEFT, y - 9 * i, 7.5, note) for i, note in enumerate(notes))]


def with_mark(page: list[Drawn], line: int, mark: str) -> list[Drawn]:
    """Add a raised mark after a line of a page, counted without head and number."""
    x, y, size, text = page[line + 2]
    return [*page[: line + 3], (x + stringWidth(text, FONT, size), y + 4, 6, mark), *page[line + 3 :]]


SCRIPT = re.compile(r"([\^_])\{([^}]*)\}")


def with_scripts(pages: Sequence[Sequence[Drawn]]) -> list[list[Drawn]]:
    """Set what is written as ^{2} raised and what is written as _{1} lowered, as LaTeX does."""
    return [[piece for drawn in page for piece in _scripts(drawn)] for page in pages]


def _scripts(drawn: Drawn) -> Iterator[Drawn]:
    x, y, size, text = drawn
    for part in re.split(r"([\^_]\{[^}]*\})", text):
        script = SCRIPT.fullmatch(part)
        shift, scale = (0.0, 1.0) if not script else (0.36 if script[1] == "^" else -0.15, 0.7)
        shown = script[2] if script else part
        if shown:
            yield x, y + shift * size, scale * size, shown
        x += stringWidth(shown, FONT, scale * size)
