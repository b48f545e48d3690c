"""Where a chunk is in its file, as payloads have it: pages, anchors, and a Locator as Readium defines it."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from alexandria.anchors import BLOCK_SEPARATOR, cfi_at, shift_anchors
from alexandria.book import Book, Chunk
from alexandria.passage import make_locator, quote_between

_MAX_QUOTE = 120
"""Characters of the beginning of a chunk that are quoted, to find it in another edition of the file."""


def pack_pages(chunk: Chunk) -> str:
    """Return the pages that begin in a chunk as one string.

    One line per page: its offset in the text, its number in the file or `-`, and its printed label.
    """
    lines = []
    for page in chunk.page_starts:
        number = "-" if page.page is None else page.page
        label = " ".join((page.label or "").split())  # without line breaks: each page is one line
        lines.append(f"{page.start} {number} {label}")
    return "\n".join(lines)


def pack_hrefs(chunk: Chunk) -> str:
    """Return the documents that a chunk is from as one string, if there are several.

    One line per document: the offset in the book's text at which it begins in the chunk, and the href there.
    """
    return "\n".join(f"{start} {href}" for start, href in chunk.hrefs) if len(chunk.hrefs) > 1 else ""


def locator_of(book: Book, chunk: Chunk, source: str) -> dict[str, Any]:
    """Return where a chunk begins, as a Readium Locator.

    Args:
        book: the book.
        chunk: one of its chunks.
        source: the path of its file, relative to the folder that was ingested.
    """
    end_of_block = chunk.text.find(BLOCK_SEPARATOR)  # what the file has between two blocks is not known
    length = min(_end_of_quote(chunk.text), end_of_block if end_of_block > 0 else len(chunk.text))
    anchors = shift_anchors(chunk.anchors, -chunk.start)
    return make_locator(
        format=book.format,
        source=source,
        href=chunk.href,
        cfi=cfi_at(chunk.anchors, chunk.start),
        page=chunk.page_start,
        title=chunk.headings[-1] if chunk.headings else "",
        locations={"totalProgression": round(chunk.start / max(1, len(book.text)), 6)},
        text=quote_between(anchors, chunk.text, 0, length),
    )


def with_source(payload: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return the payload of a chunk whose file has another path; that of an EPUB is not in its locator."""
    moved = {**payload, "source": source}
    if payload.get("format") != "epub" and "hrefs" in payload:  # otherwise it is of an earlier schema
        moved["locator"] = {**payload["locator"], "href": quote(source)}
    return moved


def _end_of_quote(text: str) -> int:
    """Return the offset at which the quoted beginning of a chunk ends: of the chunk, or of a whole word."""
    if len(text) <= _MAX_QUOTE:
        return len(text)
    last_space = text.rfind(" ", 0, _MAX_QUOTE)  # -1 if there is none
    return max(last_space, 1)  # never an empty quote
