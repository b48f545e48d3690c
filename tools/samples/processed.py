"""Writes a Word file as a word processor does: styles, a table of contents, footnotes, a header, changes."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from manuscript import Manuscript, Passage

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_STYLES = (
    ("Title", "Title", ""),
    ("Author", "Author", ""),
    ("Heading1", "heading 1", '<w:pPr><w:keepNext/><w:outlineLvl w:val="0"/></w:pPr>'),
    ("TOC1", "toc 1", ""),
    ("TOCHeading", "TOC Heading", '<w:basedOn w:val="Heading1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
    ("Header", "header", ""),
    ("FootnoteText", "footnote text", ""),
    ("CommentText", "annotation text", ""),
)
_BEFORE_CHANGE, _CHANGED, _CHANGE = "It is the reason why the same ", "little", "small"
_COMMENT = "Is there a photograph of both hands?"
_COMMENTED = "it shows both of them today"


def write_docx(book: Manuscript, path: Path) -> None:
    """Write the book with one heading per chapter; the same bytes every time."""
    parts = {
        "document": ("document.main", f"<w:body>{''.join(_body(book))}</w:body>"),
        "styles": ("styles", "".join(map(_style, _STYLES))),
        "footnotes": ("footnotes", "".join(_footnotes(book))),
        "header1": ("header", _paragraph("Header", _run(f"{book.author}: {book.title}"))),
        "comments": (
            "comments",
            f'<w:comment w:id="0" w:author="R. P.">{_paragraph("CommentText", _run(_COMMENT))}</w:comment>',
        ),
    }
    roots = {"header1": "hdr"}
    members = {
        "[Content_Types].xml": _content_types(parts),
        "_rels/.rels": _relationships(
            ("officeDocument", _OFFICE, "word/document.xml"),
            ("metadata/core-properties", f"{_PACKAGE}/relationships", "docProps/core.xml"),
        ),
        "docProps/core.xml": _core(book),
        "word/_rels/document.xml.rels": _relationships(
            *((name.rstrip("1"), _OFFICE, f"{name}.xml") for name in parts if name != "document")
        ),
    }
    for name, (_, content) in parts.items():
        root = roots.get(name, name)
        members[f"word/{name}.xml"] = f'<w:{root} {_WORD} xmlns:r="{_OFFICE}">{content}</w:{root}>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            member.create_system = 3  # Unix; by default the value depends on the operating system
            archive.writestr(member, _DECLARATION + content)


def _body(book: Manuscript) -> Iterator[str]:
    yield _paragraph("Title", _run(book.title))
    yield _paragraph("Author", _run(book.author))
    yield _paragraph("TOCHeading", _run("Contents"))
    for i, chapter in enumerate(book.chapters):
        entry = _run(chapter.title) + "<w:r><w:tab/></w:r>" + _run(str(i + 2))
        begin = _mark("begin") + "<w:r><w:instrText>TOC \\o 1-1</w:instrText></w:r>" + _mark("separate")
        last = i == len(book.chapters) - 1
        yield _paragraph("TOC1", (begin if not i else "") + entry + (_mark("end") if last else ""))
    for chapter in book.chapters:
        yield _paragraph("Heading1", _run(chapter.title))
        for passage in chapter.passages:
            yield _paragraph("", "".join(_runs(passage)))
    yield '<w:sectPr><w:headerReference w:type="default" r:id="r2"/></w:sectPr>'


def _runs(passage: Passage) -> Iterator[str]:
    """Yield the runs of a paragraph: notes are cited, one word is changed, and one clause has a comment."""
    before, mark, rest = passage.text.partition("[^")
    if mark:
        number, _, after = rest.partition("]")
        yield from _runs(Passage(before))
        yield f'<w:r><w:footnoteReference w:id="{number}"/></w:r>'
        yield from _runs(Passage(after))
    elif _COMMENTED in before:
        at = before.index(_COMMENTED) + len(_COMMENTED)
        yield _run(before[:at]) + '<w:r><w:commentReference w:id="0"/></w:r>' + _run(before[at:])
    elif _BEFORE_CHANGE in before:
        at = before.index(_BEFORE_CHANGE) + len(_BEFORE_CHANGE)
        author = 'w:author="R. P." w:date="2026-01-01T00:00:00Z"'
        yield _run(before[:at])
        yield f'<w:del w:id="8" {author}><w:r><w:delText>{_CHANGED}</w:delText></w:r></w:del>'
        yield f'<w:ins w:id="9" {author}>{_run(_CHANGE)}</w:ins>'
        yield _run(before[at:].removeprefix(_CHANGE))
    elif before:
        yield _run(before)


def _footnotes(book: Manuscript) -> Iterator[str]:
    yield '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    for number, text in book.notes.items():
        runs = "<w:r><w:footnoteRef/></w:r>" + _run(f" {text}")
        yield f'<w:footnote w:id="{number}">{_paragraph("FootnoteText", runs)}</w:footnote>'


def _style(style: tuple[str, str, str]) -> str:
    id, name, more = style
    return f'<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/>{more}</w:style>'


def _paragraph(style: str, runs: str) -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{runs}</w:p>"


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def _mark(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def _relationships(*links: tuple[str, str, str]) -> str:
    elements = (
        f'<Relationship Id="r{i}" Type="{base}/{kind}" Target="{target}"/>'
        for i, (kind, base, target) in enumerate(links)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(elements)}</Relationships>'


def _content_types(parts: dict[str, tuple[str, str]]) -> str:
    overrides = (
        f'<Override PartName="/word/{name}.xml" ContentType="{_TYPE}.{kind}+xml"/>'
        for name, (kind, _) in parts.items()
    )
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    core = "application/vnd.openxmlformats-package.core-properties+xml"
    return (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="{rels}"/>'
        f'<Override PartName="/docProps/core.xml" ContentType="{core}"/>{"".join(overrides)}</Types>'
    )


def _core(book: Manuscript) -> str:
    return (
        f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(book.title)}</dc:title><dc:creator>{escape(book.author)}</dc:creator>"
        "<dc:language>en</dc:language>"
        '<dcterms:created xsi:type="dcterms:W3CDTF">2026-01-01T00:00:00Z</dcterms:created>'
        "</cp:coreProperties>"
    )
