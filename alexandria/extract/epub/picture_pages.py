"""The recognised words on the pictures of an EPUB as the text of the book."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from alexandria.book import Metadata
from alexandria.extract.draft import Draft, DraftBlock, DraftSection
from alexandria.extract.epub.pictures import PagePlace
from alexandria.extract.markup.toc import Toc
from alexandria.extract.markup.tree import Document
from alexandria.extract.options import ReadOptions
from alexandria.extract.pdf.compose import compose_draft
from alexandria.extract.pdf.lines import OutlineEntry, Page
from alexandria.extract.pdf.scanned import scanned_lines
from alexandria.extract.scans import LEAST_CONFIDENCE, ScannedPage

_WIDTH = 432.0
"""Points of a picture of usual width, six inches: pictures do not state the size of their paper."""
_ENTRIES = 2
"""Fewest entries of contents that divide a book: a single one leads to its beginning."""
_LISTED = 3
"""Pictures that a warning names."""


def draft_of_pictures(
    pictures: Sequence[PagePlace],
    scanned: Mapping[str, ScannedPage],
    toc: Toc,
    metadata: Metadata,
    options: ReadOptions,
) -> Draft:
    """Return the draft of recognised pictures, read like the pages of a PDF.

    Args:
        pictures: the pages, in order.
        scanned: the words on them, by their members.
        toc: sections begin where its lines lead.
        metadata: of the book.
        options: what to keep.
    """
    pages = list(_pages(pictures, scanned))
    first = {place.href: at for at, place in reversed(list(enumerate(pictures)))}
    outline = [
        OutlineEntry(line.title, line.depth, first[line.target[0]], None)
        for line in toc.lines
        if line.target and line.target[0] in first
    ]
    draft = compose_draft(pages, outline if len(outline) >= _ENTRIES else (), metadata, options)
    return replace(
        draft,
        sections=tuple(_with_hrefs(draft.sections, pictures)),
        warnings=tuple(_warnings(pictures, scanned)),
    )


def _pages(pictures: Sequence[PagePlace], scanned: Mapping[str, ScannedPage]) -> Iterator[Page]:
    """Yield the pages with the lines on them, all in one scale."""
    widths = [scanned[place.member].width for place in pictures if place.member in scanned]
    scale = _WIDTH / max(median(widths), 1) if widths else 1.0
    scaled = {
        at: replace(scanned[place.member], points_per_pixel=scale)
        for at, place in enumerate(pictures)
        if place.member in scanned
    }
    lines = scanned_lines(scaled)
    for at in range(len(pictures)):
        page = scaled.get(at)
        yield Page(
            at,
            None,
            page.height * scale if page else 0.0,
            lines.get(at, ()),
            confidence=page.confidence if page else None,
        )


def _with_hrefs(sections: Iterable[DraftSection], pictures: Sequence[PagePlace]) -> Iterator[DraftSection]:
    """Yield the sections with the documents of their pages for their numbers, which an EPUB does not have."""
    at = 0
    for section in sections:
        blocks: list[DraftBlock] = []
        for block in section.blocks:
            for mark in block.pages:
                if mark.offset == 0 and mark.page is not None:
                    at = mark.page - 1
            blocks.append(replace(block, href=pictures[at].href, pages=(), source=""))
            at = max((mark.page - 1 for mark in block.pages if mark.page is not None), default=at)
        yield replace(section, href=blocks[0].href, blocks=tuple(blocks))


def _warnings(pictures: Sequence[PagePlace], scanned: Mapping[str, ScannedPage]) -> Iterator[str]:
    members = list(dict.fromkeys(place.member for place in pictures))
    if unread := [member for member in members if member not in scanned]:
        yield f"{_names(unread)} not read"
    if doubtful := [
        member for member in members if member in scanned and scanned[member].confidence < LEAST_CONFIDENCE
    ]:
        yield f"{_names(doubtful)} read only in part: the OCR is uncertain of most words"


def _names(members: Sequence[str]) -> str:
    n_more = len(members) - _LISTED
    return ", ".join(members[:_LISTED]) + (f" and {n_more} more pictures" if n_more > 0 else "")


def in_order(sections: Iterable[DraftSection], documents: Sequence[Document]) -> tuple[DraftSection, ...]:
    """Return the sections in the order of the documents in which they begin."""
    places = {document.path: at for at, document in enumerate(documents)}

    def place(section: DraftSection) -> int:
        href = next((block.href for block in section.blocks if block.href), section.href) or ""
        return places.get(href.partition("#")[0], len(places))

    return tuple(sorted(sections, key=place))
