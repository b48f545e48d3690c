"""What every format must preserve, checked with the same small book in each.

A new record in `FORMATS` needs a maker here, and no tests of its own for what follows.
"""

import re
import textwrap
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import LEFT_OUT_KINDS, Book
from alexandria.errors import BookError, Code
from alexandria.extract import FORMATS, ReadOptions, extract
from tests.conftest import marks_of
from tests.extract.office import notes, p, run, write_docx, write_odt
from tests.mobi import Line, Options, kf8

CHAPTERS: Mapping[str, tuple[str, ...]] = {
    "On Salt": (
        "Salt is the only stone that we eat, and nobody has ever been praised for a soup without it. "
        "Roman roads were laid for its carts, and a town that could not buy it did not keep its meat.",
        "Where the sun is strong it is taken from the sea@, which is let into shallow basins and left alone. "
        "What the wind does not drink stays behind, first grey, then white.",
    ),
    "On Glass": (
        "Glass begins as sand, and a pane holds more of the beach than any bottle of its water does. "
        "It is not quite a liquid and not quite a stone, whatever guides say in front of old windows.",
        "The first glass was made by lightning. The second was made by somebody who had lit a fire on a "
        "beach and who looked twice at the ashes in the morning.",
    ),
    "On Soot": (
        "Soot is what a flame could not finish. Ink was made of it for four thousand years, so that most of "
        "what was ever written down was written with the remains of a lamp that somebody read by.",
    ),
}
"""Paragraphs by chapter; the note is cited at the `@`."""
NUMBERED = [f"CHAPTER {number}. {title}" for number, title in zip(("I", "II", "III"), CHAPTERS, strict=True)]
"""How plain text prints the titles."""
NOTE = "The Dead Sea holds nine times as much salt as any ocean."
TEXT = " ".join(" ".join((title, *paragraphs)) for title, paragraphs in CHAPTERS.items()).replace("@", "")
CONTENTS = ("Contents", *CHAPTERS)

Maker = Callable[[Path], None]


def xhtml(note: str, cite: str) -> str:
    """Return the chapters as markup, followed by the note."""
    parts = [f"<h1>{title}</h1>" + "".join(f"<p>{p}</p>" for p in ps) for title, ps in CHAPTERS.items()]
    body = "".join(parts).replace("@", cite)
    return f'<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><body>{body}{note}</body></html>'


CITE = '<a role="doc-noteref" href="#n1">1</a>'
ASIDE = f'<aside role="doc-footnote" id="n1"><p>{NOTE}</p></aside>'
NAV = f"<nav><h2>{CONTENTS[0]}</h2><ol>{''.join(f'<li>{title}</li>' for title in CHAPTERS)}</ol></nav>"


def make_html(path: Path) -> None:
    path.write_text(xhtml(ASIDE, CITE).replace("<body>", f"<body>{NAV}"))


def make_epub(path: Path) -> None:
    contents = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{NAV}</body></html>'
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>'
        '<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="n"/><itemref idref="c"/></spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("p.opf", package)
        archive.writestr("n.xhtml", contents)
        archive.writestr("c.xhtml", xhtml(ASIDE, CITE))


def make_mobi(path: Path) -> None:
    nav = NAV.replace("<nav>", '<div id="toc">').replace("</nav>", "</div>")
    contents = f"<html><body>{nav}</body></html>"
    lines = tuple(Line(title, f"c{i}") for i, title in enumerate(CHAPTERS))
    chapters = xhtml(ASIDE, CITE)
    for line in lines:
        chapters = chapters.replace(f"<h1>{line.title}", f'<h1 id="{line.name}">{line.title}')
    path.write_bytes(kf8([contents, chapters], Options(contents=lines, guide=(("toc", "toc"),))))


def make_fb2(path: Path) -> None:
    sections = "".join(
        f"<section><title><p>{title}</p></title>{''.join(f'<p>{p}</p>' for p in paragraphs)}</section>"
        for title, paragraphs in CHAPTERS.items()
    ).replace("@", '<a l:href="#n1" type="note">1</a>')
    note = f'<section id="n1"><title><p>1</p></title><p>{NOTE}</p></section>'
    path.write_text(
        '<?xml version="1.0" encoding="utf-8"?>'
        '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">'
        f"<body><title><p>{' '.join(CONTENTS)}</p></title>{sections}</body>"
        f'<body name="notes">{note}</body></FictionBook>'
    )


def make_markdown(path: Path) -> None:
    parts = [f"# {title}\n\n" + "\n\n".join(paragraphs) for title, paragraphs in CHAPTERS.items()]
    path.write_text("\n\n".join(parts).replace("@", "[^1]") + f"\n\n[^1]: {NOTE}\n")


def make_txt(path: Path) -> None:
    parts = [
        "\n\n".join((title, *(textwrap.fill(paragraph, 70) for paragraph in paragraphs)))
        for title, paragraphs in zip(NUMBERED, CHAPTERS.values(), strict=True)
    ]
    text = "\n\n\n\n".join(("\n".join((CONTENTS[0], "", *NUMBERED)), *parts))
    path.write_text(f"{text.replace('@', '[1]')}\n\n\n\n[1] {NOTE}\n")


def make_pdf(path: Path) -> None:
    canvas = Canvas(str(path), pagesize=(420, 595))

    def draw(x: float, y: float, size: float, text: str) -> None:
        canvas.setFont("Courier", size)
        canvas.drawString(x, y, text)

    for i, line in enumerate(CONTENTS):
        draw(60, 500 - 14 * i, 10, line)
    canvas.showPage()
    for title, paragraphs in CHAPTERS.items():
        canvas.bookmarkPage(title)
        canvas.addOutlineEntry(title, title, 0)
        draw(60, 520, 16, title)
        y = 490.0
        for paragraph in paragraphs:
            for line in textwrap.wrap(paragraph, 48, initial_indent="  "):
                before, mark, after = line.partition("@")
                draw(60, y, 10, before)
                if mark:
                    draw(60 + 6 * len(before), y + 4, 6, "1")
                    draw(60 + 6 * len(before) + 4, y, 10, after)
                y -= 12
            if "@" in paragraph:
                for i, line in enumerate(textwrap.wrap(f"1 {NOTE}", 68)):
                    draw(60, 70 - 9 * i, 7, line)
        canvas.showPage()
    canvas.save()


def make_docx(path: Path) -> None:
    cite = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    body = "".join(p(line, "Inhalt" if line == CONTENTS[0] else "V1") for line in CONTENTS)
    for title, paragraphs in CHAPTERS.items():
        body += p(title, "berschrift1")
        body += "".join(p(cite.join(map(run, paragraph.split("@")))) for paragraph in paragraphs)
    write_docx(path, body, footnotes=notes("footnote", n1=p(NOTE)))


def make_odt(path: Path) -> None:
    cite = (
        "<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        f"<text:p>{NOTE}</text:p></text:note-body></text:note>"
    )
    lines = "".join(f"<text:p>{line}</text:p>" for line in CONTENTS)
    body = f"<text:table-of-content><text:index-body>{lines}</text:index-body></text:table-of-content>"
    for title, paragraphs in CHAPTERS.items():
        body += f'<text:h text:outline-level="1">{title}</text:h>'
        body += "".join(f"<text:p>{paragraph}</text:p>" for paragraph in paragraphs).replace("@", cite)
    write_odt(path, body)


MAKERS: Mapping[str, Maker] = {
    "docx": make_docx,
    "epub": make_epub,
    "fb2": make_fb2,
    "html": make_html,
    "markdown": make_markdown,
    "mobi": make_mobi,
    "odt": make_odt,
    "pdf": make_pdf,
    "txt": make_txt,
}
"""A maker writes the book; besides `TEXT` and `NOTE` it prints `CONTENTS`, or `NUMBERED` in plain text."""

each_format = pytest.mark.parametrize(
    "format", [pytest.param(name, marks=marks_of(name)) for name in FORMATS]
)


@pytest.fixture
def book_file(format: str, tmp_path: Path) -> Path:
    if format not in MAKERS:
        pytest.fail(f"no maker for {format}: add a function to MAKERS that writes CHAPTERS and NOTE in it")
    path = tmp_path / ("book.md" if format == "markdown" else "book.file")
    MAKERS[format](path)
    return path


def words(book: Book) -> Counter[str]:
    return Counter(book.text.split())


@each_format
def test_all_words_are_read_in_order(format: str, book_file: Path) -> None:
    book = extract(book_file)
    assert book.format == format
    assert re.sub(r"CHAPTER \w+\. ", "", book.text).split() == TEXT.split()
    assert [section.headings[-1].split(". ")[-1] for section in book.sections] == list(CHAPTERS)


@each_format
def test_what_is_left_out_is_counted_under_a_known_name(format: str, book_file: Path) -> None:
    left_out = extract(book_file).left_out
    assert {left.kind for left in left_out} <= LEFT_OUT_KINDS.keys()
    printed = {"markdown": (), "txt": (CONTENTS[0], *NUMBERED)}.get(format, CONTENTS)
    words = {kind: sum(left.words for left in left_out if left.kind == kind) for kind in LEFT_OUT_KINDS}
    marks = words.pop("note_mark")
    assert sum(words.values()) == len(" ".join(printed).split())
    assert format == "pdf" or marks == {"fb2": 2, "txt": 2}.get(format, 1)  # with the note's printed label


@each_format
def test_blocks_are_slices_without_white_space_around_them(format: str, book_file: Path) -> None:
    book = extract(book_file)
    assert book.blocks
    assert all(block.text and block.text == block.text.strip() for block in book.blocks)
    assert all(book.text[block.start : block.end] == block.text for block in book.blocks)


@each_format
def test_a_section_has_one_heading_path(format: str, book_file: Path) -> None:
    for section in extract(book_file).sections:
        assert {block.location.headings for block in section.blocks} == {section.headings}
        assert section.level == len(section.headings)


@each_format
def test_a_note_is_set_apart_and_cited_inside_the_text(format: str, book_file: Path) -> None:
    book = extract(book_file)
    (note,) = book.notes
    assert note.text == NOTE
    assert note.cited_at is not None
    assert book.text[: note.cited_at].endswith("from the sea")


@each_format
def test_the_same_file_gives_the_same_book(format: str, book_file: Path) -> None:
    assert extract(book_file) == extract(book_file)


@each_format
def test_keeping_matter_loses_no_word(format: str, book_file: Path) -> None:
    kept = extract(book_file, ReadOptions(keep_matter=True))
    assert words(extract(book_file)) <= words(kept)
    if format != "markdown":  # its maker writes no matter
        assert kept.text.lower().startswith("contents")


@each_format
def test_inline_notes_follow_the_block_that_cites_them(format: str, book_file: Path) -> None:
    book = extract(book_file, ReadOptions(inline_notes=True))
    texts = [block.text for block in book.blocks]
    assert "from the sea, which" in texts[texts.index(NOTE) - 1]
    assert book.notes == ()


@pytest.mark.parametrize(
    ("start", "largest"), [("plain", 64), ("<!DOCTYPE html><html>", 256), ("# Title", 64)]
)
def test_a_file_too_large_to_be_read_whole_is_refused(start: str, largest: int, tmp_path: Path) -> None:
    path = tmp_path / ("book.md" if start.startswith("#") else "book.txt")
    with path.open("wb") as file:
        file.write(start.encode().ljust(1 << 16))
        file.truncate((largest << 20) + 1)
    with pytest.raises(BookError, match=f"{largest + 1} MiB; .* up to {largest} MiB") as caught:
        extract(path)
    assert caught.value.code is Code.TOO_LARGE
