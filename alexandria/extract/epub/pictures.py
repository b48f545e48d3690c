"""EPUBs whose chapters are pictures: which they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from alexandria.book import count_words
from alexandria.errors import BookError, Code
from alexandria.extract.container import Container, MemberError
from alexandria.extract.draft import Draft
from alexandria.extract.markup.tree import Document, Element, local_name, resolve
from alexandria.extract.ocr.picture import Picture

_FEW = 50
"""Words per picture: a book with fewer is in its pictures, one with more has a cover and plates."""
_UNSEEN = frozenset({"title", "desc", "style", "script", "metadata"})
_DRAWINGS = (".svg", ".svgz")
"""Vector drawings, such as the title pages of Standard Ebooks: no page was scanned into them."""
_SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")
"""Of the pictures that EPUB allows; WebP is told apart by eight bytes."""


@dataclass(frozen=True, slots=True)
class PagePlace:
    """A picture that is a page of the book."""

    href: str
    """The document that shows it."""
    member: str
    """Its name in the archive."""


def find_pictures(container: Container, documents: Iterable[Document]) -> tuple[PagePlace, ...]:
    """Return the pictures in documents without text, in order."""
    return tuple(
        PagePlace(document.path, member)
        for document in documents
        if not _has_text(document)
        for element in document.elements
        if (member := _shown(container, document.path, element))
    )


def is_in_pictures(draft: Draft, pictures: Sequence[PagePlace]) -> bool:
    """Return whether pictures hold what a book says: its documents with text have few words, if any."""
    n_words = sum(count_words(block.text) for section in draft.sections for block in section.blocks)
    return n_words < _FEW * len(pictures)


def _has_text(document: Document) -> bool:
    texts = (
        text
        for element in document.elements
        for text in (None if local_name(element) in _UNSEEN else element.text, element.tail)
        if isinstance(element.tag, str) or text is element.tail
    )
    return any(character.isalnum() for text in texts if text for character in text)


def _shown(container: Container, path: str, element: Element) -> str | None:
    """Return the member that an element shows as a picture, if it is in the archive."""
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
    """Return a picture of an EPUB as it is stored; it is decoded only where it is recognised.

    Raises:
        BookError: `damaged` if it is missing, damaged or no picture; and as `Container.open` and `read`.
    """
    with Container.open(path) as container:
        try:
            data = container.read(member)
        except MemberError as error:
            raise _unread(path, member, str(error)) from error
    # tesseract takes data that is no picture for a list of files to open.
    if not data.startswith(_SIGNATURES) and (data[:4], data[8:12]) != (b"RIFF", b"WEBP"):
        raise _unread(path, member, "it is no JPEG, PNG, GIF or WebP picture")
    return Picture(data, None)


def _unread(path: Path, member: str, why: str) -> BookError:
    return BookError(
        f"cannot read {member} of {path}", why=why, fix="open the file in a reader", code=Code.DAMAGED
    )
