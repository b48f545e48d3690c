"""Finds the pictures in EPUBs whose chapters are pictures of pages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from alexandria.book.model import count_words
from alexandria.errors import BookError, Code
from alexandria.extract.container import Container, MemberError
from alexandria.extract.draft import Draft
from alexandria.extract.markup.tree import Document, Element, local_name, resolve
from alexandria.extract.scans import Picture

_MIN_WORDS_PER_PICTURE = 50  # words of text per picture of a book with no pictures but cover and plates
_NOT_SHOWN = frozenset({"title", "desc", "style", "script", "metadata"})  # elements whose text is not shown
_DRAWINGS = (".svg", ".svgz")  # of vector drawings, as title pages of Standard Ebooks; scans are never SVG
_SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")
"""The first bytes of the pictures that EPUB allows, except WebP, whose signature has two parts."""


@dataclass(frozen=True, slots=True)
class EpubPicture:
    """A picture that is a page of the book."""

    href: str  # the document that shows it
    member: str  # the picture's name in the archive


def find_pictures(container: Container, documents: Iterable[Document]) -> tuple[EpubPicture, ...]:
    """Return the pictures in documents without text, in order."""
    return tuple(
        EpubPicture(document.path, member)
        for document in documents
        if not _shows_text(document)
        for element in document.elements
        if (member := _picture_shown_by(container, document.path, element))
    )


def is_text_in_pictures(draft: Draft, pictures: Sequence[EpubPicture]) -> bool:
    """Return whether a book's text is in its pictures: its draft has few words per picture, or none."""
    n_words = sum(count_words(block.text) for section in draft.sections for block in section.blocks)
    return n_words < _MIN_WORDS_PER_PICTURE * len(pictures)


def _shows_text(document: Document) -> bool:
    """Return whether a document shows any letter or digit as text."""
    for element in document.elements:
        is_shown = isinstance(element.tag, str) and local_name(element) not in _NOT_SHOWN
        text = (element.text or "") if is_shown else ""
        text_after = element.tail or ""  # shown even if the element is not
        if any(map(str.isalnum, text + text_after)):
            return True
    return False


def _picture_shown_by(container: Container, path: str, element: Element) -> str | None:
    """Return the name in the archive of the picture that an element shows."""
    # None if the element shows no picture, the archive does not have the picture, or it is a vector drawing.
    match local_name(element):
        case "img":
            reference = element.get("src")
        case "image":
            reference = element.get("href") or element.get("{http://www.w3.org/1999/xlink}href")
        case _:
            return None
    target = resolve(path, reference) if reference else None
    member = container.find(target[0]) if target else None
    return None if member is None or member.lower().endswith(_DRAWINGS) else member


def read_picture(path: Path, member: str) -> Picture:
    """Return a picture of an EPUB as it is stored, not decoded.

    Raises:
        BookError: `damaged`; the member is missing, damaged or not a picture. Also as `Container.open` and
            `Container.read` do.
    """
    with Container.open(path) as container:
        try:
            data = container.read(member)
        except MemberError as error:
            raise _unreadable_error(path, member, str(error)) from error
    # Never hand over other data: tesseract would take it for a list of files to open.
    is_webp = (data[:4], data[8:12]) == (b"RIFF", b"WEBP")
    if not data.startswith(_SIGNATURES) and not is_webp:
        raise _unreadable_error(path, member, "it is not a JPEG, PNG, GIF or WebP picture")
    return Picture(data, None)


def _unreadable_error(path: Path, member: str, why: str) -> BookError:
    return BookError(
        f"cannot read {member} of {path}", why=why, fix="open the file in a reader", code=Code.DAMAGED
    )
