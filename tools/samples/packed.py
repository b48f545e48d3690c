"""Packs the EPUB: finished XHTML files in reading order, with an EPUB 2 table of contents as well."""

import zipfile
from datetime import datetime
from pathlib import Path

from ebooklib import epub  # type: ignore[import-untyped]  # ships no types
from lxml import etree

_WRITTEN = datetime(2026, 1, 1)
_SPINE = (
    "cover.xhtml",
    "titlepage.xhtml",
    "imprint.xhtml",
    "nav.xhtml",
    "part-1.xhtml",
    "1-morning.xhtml",
    "2-instruments.xhtml",
    "3-mill.xhtml",
    "part-2.xhtml",
    "4-signals.xhtml",
    "5-night.xhtml",
    "endnotes.xhtml",
)


def write_epub(source: Path, path: Path) -> None:
    """Write the files of the folder `source` as an EPUB 3."""
    book = epub.EpubBook()
    book.metadata.clear()  # removes the generator with its version, and the random identifier
    book.set_identifier("urn:uuid:7b1d0a52-5e0c-4f52-9a52-3f6f1d2c8e01")
    book.set_title("The Quiet Trades")
    book.set_language("en")
    book.add_author("Ida Marlow", file_as="Marlow, Ida")
    for name, value in (("publisher", "Alexandria"), ("date", "2026-01-01"), ("subject", "Handicraft")):
        book.add_metadata("DC", name, value)
    book.set_cover("cover.svg", (source / "cover.svg").read_bytes(), create_page=False)
    for name in _SPINE:
        # EpubHtml would rebuild the document and lose every epub:type.
        item = epub.EpubItem(
            f"file-{Path(name).stem}", name, "application/xhtml+xml", (source / name).read_bytes()
        )
        item.properties = ["nav"] if name == "nav.xhtml" else []
        book.add_item(item)
        book.spine.append(item)
    book.add_item(epub.EpubNcx())
    book.toc = _contents(source / "nav.xhtml")
    epub.write_epub(path, book, {"mtime": _WRITTEN, "play_order": {"enabled": True, "start_from": 1}})
    _freeze(path)


def _contents(nav: Path) -> list[object]:
    """Return the table of contents as EbookLib expects it, so that both tables agree."""
    html = "{http://www.w3.org/1999/xhtml}"

    def entries(parent: etree._Element) -> list[object]:
        items: list[object] = []
        for item in parent.iterfind(f"{html}ol/{html}li"):
            link = item.find(f"{html}a")
            assert link is not None  # our own file
            href = link.get("href", "")
            below = entries(item)
            uid = "to-" + href.replace("#", "-")
            items.append((epub.Section(link.text, href), below) if below else epub.Link(href, link.text, uid))
        return items

    toc = etree.parse(nav).find(f".//{html}nav")  # the first one
    assert toc is not None
    return entries(toc)


def _freeze(path: Path) -> None:
    """Rewrite the archive with a fixed date and no compression: neither clock nor zlib affects its bytes."""
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            member = zipfile.ZipInfo(name, (_WRITTEN.year, _WRITTEN.month, _WRITTEN.day, 0, 0, 0))
            member.create_system = 3  # Unix; by default the value depends on the operating system
            archive.writestr(member, content)
