"""Inspections for tests: a book cut by a strategy, with the encoder that needs no model."""

import json
from html import escape
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from alexandria.chunking.domains import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.extract import extract
from alexandria.library.ingest.one_book import read_options
from alexandria.library.inspect.comparison import Comparison, from_book
from alexandria.library.inspect.inspection import Inspection
from alexandria.show.json.inspection import inspection_document

ENCODER = HashingEncoder()
SCRIPT = "<script>document.title = 'taken over'</script><img src=x onerror=alert(1)>"
TURNED = "\u202edesrever\u2066"
LONG = "w" * 10_000


def compared(path: Path, *strategies: str, **options: object) -> Comparison:
    """Return a book cut by strategies; by the default one if none is named."""
    domains = [
        load_domain(options={"strategy": name, "model": "hashing", **options}, environ={})
        for name in strategies or ("optimal",)
    ]
    return from_book(extract(path, read_options(domains[0])), domains, ENCODER)


def inspected(path: Path, strategy: str = "optimal", **options: object) -> Inspection:
    """Return a book cut by one strategy."""
    return compared(path, strategy, **options).inspections[0]


def document_of(inspection: Inspection) -> Any:
    """Return the document of `inspect` as a reader of the JSON has it."""
    return json.loads(json.dumps(inspection_document(inspection)))


def mid_thought(quality: dict[str, Any]) -> str:
    """Return how the views show the cuts in mid-thought of a document."""
    return f"{quality['n_mid_thought']:,} ({quality['share_mid_thought']:.0%})"


def without_blocks(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document of `inspect` without what only the file reveals: by its blocks, or its vectors."""
    summary = document["summary"]
    unknown = ("n_dialogue", "n_stanza", "n_turns", "first_to_last", "n_two_topics")
    quality = {**summary["quality"], **dict.fromkeys(unknown)}
    return {**document, "summary": {**summary, "quality": quality}}


def hostile_book(folder: Path) -> Path:
    """Write an EPUB whose every part tries to be code, to turn round what follows, or to overrun the page."""
    path = folder / "hostile.epub"
    first = f"First {SCRIPT} one. Second </script>{SCRIPT}. {LONG}. {{{{ 7 * 7 }}}}."
    second = f"{TURNED} round. " + "A plain sentence follows. " * 100 + TURNED
    names = {"title": f"</title>{SCRIPT}{TURNED}", "author": SCRIPT + LONG}
    with ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr("META-INF/container.xml", _CONTAINER)
        book.writestr("book.opf", _PACKAGE.format_map({key: escape(name) for key, name in names.items()}))
        for number, (heading, text) in enumerate(((f"{TURNED}</style>{SCRIPT}", first), (LONG, second)), 1):
            book.writestr(f"{number}.xhtml", _CHAPTER.format(heading=escape(heading), text=escape(text)))
    return path


_CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
_PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">hostile</dc:identifier>
<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator>
<dc:language>en" onload="alert(1)</dc:language></metadata>
<manifest><item id="a" href="1.xhtml" media-type="application/xhtml+xml"/>
<item id="b" href="2.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
_CHAPTER = """<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>
<h1>{heading}</h1><p>{text}</p></body></html>"""
