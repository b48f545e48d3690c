"""Turns the words recognised on the pictures of an EPUB into the text of the book."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from alexandria.book.model import Metadata
from alexandria.extract.draft import Draft, DraftBlock, DraftSection
from alexandria.extract.epub.pictures import EpubPicture
from alexandria.extract.markup.toc import Toc
from alexandria.extract.markup.tree import Document
from alexandria.extract.options import ReadOptions
from alexandria.extract.pdf.compose import compose_draft
from alexandria.extract.pdf.lines import OutlineEntry, Page
from alexandria.extract.pdf.scanned import make_scanned_lines
from alexandria.extract.scans import MIN_CONFIDENCE, ScannedPage

_USUAL_WIDTH = 432.0  # of a picture of median width, in points (six inches): pictures state no paper size
_MIN_ENTRIES = 2  # entries of contents that divide a book; a single entry only leads to its beginning
_MAX_NAMED_PICTURES = 3  # pictures that a warning names


def draft_of_pictures(
    pictures: Sequence[EpubPicture],
    scanned: Mapping[str, ScannedPage],
    toc: Toc,
    metadata: Metadata,
    options: ReadOptions,
) -> Draft:
    """Return the draft of recognised pictures, read like the pages of a PDF.

    Args:
        scanned: the words on each picture, by its name in the archive.
        toc: the contents of the book; sections begin where its lines lead.
    """
    pages = list(_make_pages(pictures, scanned))
    # The first page of each document, by its path; reversed, as the last of equal keys wins.
    first_page = {picture.href: i for i, picture in reversed(list(enumerate(pictures)))}
    outline = [
        OutlineEntry(title=line.title, level=line.depth, page=first_page[line.target[0]], y=None)
        for line in toc.lines
        if line.target and line.target[0] in first_page
    ]
    if len(outline) < _MIN_ENTRIES:
        outline = []
    draft = compose_draft(pages, outline, metadata, options)
    return replace(
        draft,
        sections=tuple(_with_hrefs(draft.sections, pictures)),
        warnings=tuple(_make_warnings(pictures, scanned)),
    )


def _make_pages(pictures: Sequence[EpubPicture], scanned: Mapping[str, ScannedPage]) -> Iterator[Page]:
    """Yield the pages with the lines on them, all in one scale; a picture that was not read has no lines."""
    widths = [scanned[picture.member].width for picture in pictures if picture.member in scanned]
    points_per_pixel = _USUAL_WIDTH / max(median(widths), 1) if widths else 1.0
    scaled = {
        i: replace(scanned[picture.member], points_per_pixel=points_per_pixel)
        for i, picture in enumerate(pictures)
        if picture.member in scanned
    }
    lines = make_scanned_lines(scaled)
    for i in range(len(pictures)):
        page = scaled.get(i)
        yield Page(
            index=i,
            label=None,
            height=page.height * points_per_pixel if page else 0.0,
            lines=lines.get(i, ()),
            confidence=page.confidence if page else None,
        )


def _with_hrefs(sections: Iterable[DraftSection], pictures: Sequence[EpubPicture]) -> Iterator[DraftSection]:
    """Yield the sections; each block gets the document of its page as its `href`, and loses its page marks.

    An EPUB has no page numbers: the numbers in the marks count its pictures, from 1.
    """
    page = 1  # on which the block begins
    for section in sections:
        blocks: list[DraftBlock] = []
        for block in section.blocks:
            for mark in block.pages:
                if mark.offset == 0 and mark.page is not None:
                    page = mark.page
            blocks.append(replace(block, href=pictures[page - 1].href, pages=(), source=""))
            # The next block begins on the last page that begins in this one.
            page = max((mark.page for mark in block.pages if mark.page is not None), default=page)
        yield replace(section, href=blocks[0].href, blocks=tuple(blocks))


def _make_warnings(pictures: Sequence[EpubPicture], scanned: Mapping[str, ScannedPage]) -> Iterator[str]:
    """Yield a warning that names the pictures not read, and one that names the pictures read only in part."""
    members = list(dict.fromkeys(picture.member for picture in pictures))
    if unread := [member for member in members if member not in scanned]:
        yield f"{_name_pictures(unread)} not read"
    read = [member for member in members if member in scanned]
    if doubtful := [member for member in read if scanned[member].confidence < MIN_CONFIDENCE]:
        yield f"{_name_pictures(doubtful)} read only in part: the OCR is uncertain of most words"


def _name_pictures(members: Sequence[str]) -> str:
    """Return the names of the first pictures, and how many more there are."""
    n_more = len(members) - _MAX_NAMED_PICTURES
    return ", ".join(members[:_MAX_NAMED_PICTURES]) + (f" and {n_more} more pictures" if n_more > 0 else "")


def sort_by_document(
    sections: Iterable[DraftSection], documents: Sequence[Document]
) -> tuple[DraftSection, ...]:
    """Return the sections in the order of the documents in which they begin."""
    index_by_path = {document.path: i for i, document in enumerate(documents)}

    def document_index(section: DraftSection) -> int:
        href = next((block.href for block in section.blocks if block.href), section.href) or ""
        return index_by_path.get(href.partition("#")[0], len(index_by_path))

    return tuple(sorted(sections, key=document_index))
