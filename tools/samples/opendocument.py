"""Writes an OpenDocument text as LibreOffice does: styles, a table of contents, footnotes, quotations."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from manuscript import Manuscript

_MIMETYPE = "application/vnd.oasis.opendocument.text"
_NAMESPACES = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "style", "meta", "manifest")
)
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_HEADING = "Heading_20_1"
_STYLES = ("Title", "Subtitle", "Text_20_body", "Quotations", "Footnote", "Contents_20_1")


def write_odt(book: Manuscript, path: Path) -> None:
    """Write the book with one heading per chapter, and with its verse and quotations as quotations."""
    styles = "".join(_style(name) for name in (*_STYLES, _HEADING))
    members = {
        "mimetype": _MIMETYPE,  # first and not compressed, as the format requires
        "META-INF/manifest.xml": _manifest(),
        "content.xml": _part(
            "document-content",
            f"<office:body><office:text>{''.join(_body(book))}</office:text></office:body>",
        ),
        "styles.xml": _part("document-styles", f"<office:styles>{styles}</office:styles>"),
        "meta.xml": _part("document-meta", f"<office:meta>{_metadata(book)}</office:meta>"),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            member.create_system = 3  # Unix; by default the value depends on the operating system
            archive.writestr(member, content)


def _body(book: Manuscript) -> Iterator[str]:
    yield _paragraph("Title", escape(book.title))
    yield _paragraph("Subtitle", escape(book.author))
    entries = "".join(
        _paragraph("Contents_20_1", f"{escape(chapter.title)}<text:tab/>{number}")
        for number, chapter in enumerate(book.chapters, start=2)
    )
    yield (
        '<text:table-of-content text:name="Contents1"><text:index-body>'
        f"{entries}</text:index-body></text:table-of-content>"
    )
    for chapter in book.chapters:
        yield f'<text:h text:style-name="{_HEADING}" text:outline-level="1">{escape(chapter.title)}</text:h>'
        for passage in chapter.passages:
            style = "Quotations" if passage.verse else "Text_20_body"
            yield _paragraph(style, _with_notes(passage.text, book.notes))


def _with_notes(text: str, notes: Mapping[str, str]) -> str:
    """Return the text with each note in the place where it is cited."""
    return re.sub(r"\[\^(\d+)\]", lambda mark: _note(mark[1], notes[mark[1]]), escape(text))


def _note(number: str, text: str) -> str:
    return (
        f'<text:note text:id="ftn{number}" text:note-class="footnote">'
        f"<text:note-citation>{number}</text:note-citation>"
        f"<text:note-body>{_paragraph('Footnote', escape(text))}</text:note-body></text:note>"
    )


def _paragraph(style: str, content: str) -> str:
    return f'<text:p text:style-name="{style}">{content}</text:p>'


def _style(name: str) -> str:
    shown = name.replace("_20_", " ")
    return f'<style:style style:name="{name}" style:display-name="{shown}" style:family="paragraph"/>'


def _metadata(book: Manuscript) -> str:
    return (
        f"<dc:title>{escape(book.title)}</dc:title>"
        f"<meta:initial-creator>{escape(book.author)}</meta:initial-creator>"
        f"<dc:creator>{escape(book.author)}</dc:creator><dc:language>en</dc:language>"
        "<meta:creation-date>2026-01-01T00:00:00</meta:creation-date>"
    )


def _part(name: str, content: str) -> str:
    dublin_core = ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
    root = f"office:{name}"
    return f'{_DECLARATION}<{root}{_NAMESPACES}{dublin_core} office:version="1.3">{content}</{root}>'


def _manifest() -> str:
    entries = {"/": _MIMETYPE, "content.xml": "text/xml", "styles.xml": "text/xml", "meta.xml": "text/xml"}
    elements = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{kind}"/>'
        for name, kind in entries.items()
    )
    return (
        f'{_DECLARATION}<manifest:manifest{_NAMESPACES} manifest:version="1.3">{elements}</manifest:manifest>'
    )
