"""Readium Locators: where a chunk or a passage is in its file, with the words that are there."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from alexandria.book.places import BLOCK_SEPARATOR, text_in_file

_QUOTE_CONTEXT = 32  # characters of context before and after the words of a quote
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


def make_locator(
    *,
    format: str,
    source: str,
    href: str | None,
    cfi: str | None,
    page: int | None,
    title: str,
    locations: dict[str, Any],
    text: Mapping[str, str],
) -> dict[str, Any]:
    """Return a place in a book as a Readium Locator, whose `href` is the document without a fragment.

    Args:
        source: the path of the file, which is the document unless it is an EPUB.
        href: `document#fragment` inside the book.
        cfi: the place as an EPUB CFI.
        page: the page, counted from 1.
        title: the heading above the place.
        text: the quoted words, and the text before and after them.
    """
    document, _, fragment = (href or "").partition("#")
    path = document if format == "epub" and document else source
    where: dict[str, Any] = {}
    if page is not None:
        where |= {"position": page, "fragments": [f"page={page}"]}
    elif fragment:
        where["fragments"] = [fragment]
    if cfi:
        where["partialCfi"] = cfi.partition("!")[2].removesuffix(")")
    return {
        "href": quote(path),
        "type": _MEDIA_TYPES.get(format, "application/octet-stream"),
        "title": title,
        "locations": where | locations,
        "text": text,
    }


def quote_between(anchors: str, text: str, start: int, end: int) -> dict[str, str]:
    """Return the words between two offsets as the file has them, with what is before and after them.

    Args:
        start: where the words begin in it.
    """
    # What the file has between two blocks is not known: the context ends with the block.
    before = text[max(0, start - _QUOTE_CONTEXT) : start].rpartition(BLOCK_SEPARATOR)[2]
    after = text[end : end + _QUOTE_CONTEXT].partition(BLOCK_SEPARATOR)[0]
    words = text_in_file(anchors, text, start, end)
    return {
        "before": text_in_file(anchors, text, start - len(before), end).removesuffix(words),
        "highlight": words,
        "after": text_in_file(anchors, text, start, end + len(after)).removeprefix(words),
    }
