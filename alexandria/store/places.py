"""Where a chunk is in its file, as payloads have it: pages, anchors, and a Locator as Readium defines it."""

from typing import Any

from alexandria.anchors import cfi_at
from alexandria.book import Book, Chunk

_CONTEXT = 32
"""Characters before and after the quoted text, enough to tell it from the same words elsewhere."""
_MAX_QUOTE = 120
"""Characters of the beginning of a chunk that are quoted, to find it in another edition of the file."""
_MEDIA_TYPES = {
    "epub": "application/xhtml+xml",
    "mobi": "application/x-mobipocket-ebook",
    "pdf": "application/pdf",
    "html": "text/html",
    "fb2": "application/x-fictionbook+xml",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "odt": "application/vnd.oasis.opendocument.text",
    "markdown": "text/markdown",
    "txt": "text/plain",
}


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


def locator_of(book: Book, chunk: Chunk) -> dict[str, Any]:
    """Return where a chunk begins, as a Readium Locator."""
    locations: dict[str, Any] = {"totalProgression": round(chunk.start / max(1, len(book.text)), 6)}
    if cfi := cfi_at(chunk.anchors, chunk.start):
        locations["cfi"] = cfi
    if chunk.page_start is not None:
        locations |= {"position": chunk.page_start, "fragments": [f"page={chunk.page_start}"]}
    quote_end = _end_of_quote(book.text, chunk)
    return {
        "href": chunk.href or "",
        "type": _MEDIA_TYPES.get(book.format, "application/octet-stream"),
        "title": chunk.headings[-1] if chunk.headings else "",
        "locations": locations,
        "text": {
            "before": book.text[max(0, chunk.start - _CONTEXT) : chunk.start],
            "highlight": book.text[chunk.start : quote_end],
            "after": book.text[quote_end : quote_end + _CONTEXT],
        },
    }


def _end_of_quote(text: str, chunk: Chunk) -> int:
    """Return the offset at which the quoted beginning of a chunk ends: of the chunk, or of a whole word."""
    end = chunk.start + _MAX_QUOTE
    if end >= chunk.end:
        return chunk.end
    last_space = text.rfind(" ", chunk.start, end)  # -1 if there is none
    return max(last_space, chunk.start + 1)  # never an empty quote
