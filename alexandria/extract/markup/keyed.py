"""Finds notes without marks, as in trade books: each quotes words of the text, and links to their place."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import HEADINGS, page_label
from alexandria.extract.markup.links import UNNAMED, Link, block_of, targets_of
from alexandria.extract.markup.marks import is_back_sign, is_mark
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.notes import is_notes_title

_MIN_NOTES = 2
"""Notes in a list; a single paragraph that begins with a link may be anything."""


def links_from_quoted_words(documents: Sequence[Document]) -> list[Link]:
    """Return a link from each empty anchor in the text to the note that begins with a link to that anchor.

    Such a note is `<p><a href="1.xhtml#p7">a cold morning</a> See his diary.</p>`, below a heading "Notes".
    Of the paragraphs below a heading, all or none are notes.
    """
    lists = [
        (document, paragraphs)
        for document in documents
        for heading in tree.body_of(document.root).iter(*(f"{{*}}{name}" for name in HEADINGS))
        if is_notes_title(tree.text_of(heading)) and (paragraphs := _linked_paragraphs_below(heading))
    ]
    if not lists:  # the usual case
        return []
    targets = targets_of(documents)
    by_path = {tree.fold(document.path): document for document in documents}
    links: list[Link] = []
    for document, paragraphs in lists:
        anchor_of = {
            paragraph: anchor
            for paragraph in paragraphs
            if (anchor := _quoted_anchor(document, paragraph, targets)) is not None
        }
        are_all_notes = len({*anchor_of.values()}) == len(paragraphs)
        if not are_all_notes or len(paragraphs) < _MIN_NOTES:
            continue
        for paragraph, (path, id) in anchor_of.items():
            links.append(
                Link(
                    document=by_path[path],
                    element=targets[path, id],
                    text="",
                    key=f"{document.path}{UNNAMED}{path}#{id}",
                    target=paragraph,
                    number=len(links),
                )
            )
    return links


def _linked_paragraphs_below(heading: Element) -> list[Element]:
    """Return the paragraphs between a heading and the next one that begin with linked words."""
    below = takewhile(lambda e: tree.local_name(e) not in HEADINGS, heading.itersiblings())
    return [e for e in below if tree.local_name(e) == "p" and _first_link(e) is not None]


def _first_link(paragraph: Element) -> Element | None:
    """Return the link with which a paragraph begins, or None.

    A link on a mark is not meant, and neither is a link on the whole paragraph.
    """
    element = paragraph
    while not (element.text or "").strip() and len(element):
        element = element[0]
        if tree.local_name(element) == "a":
            words = tree.text_of(element)
            if not words or not element.get("href") or words == tree.text_of(paragraph):
                return None
            return None if is_mark(words) or is_back_sign(words) else element
    return None


def _quoted_anchor(
    document: Document, paragraph: Element, targets: Mapping[tuple[str, str], Element]
) -> tuple[str, str] | None:
    """Return the path and id of the empty anchor in the text to which a paragraph links first, or None.

    The anchor must not label a page, and must be in another block with text that is not a heading.
    """
    link = _first_link(paragraph)
    place = tree.resolve(document.path, link.get("href") or "") if link is not None else None
    if place is None:
        return None
    path, id = tree.fold(place[0]), place[1]
    target = targets.get((path, id))
    if target is None:
        return None
    block = block_of(target)
    if block is None or block in (target, paragraph) or tree.local_name(block) in HEADINGS:
        return None
    is_empty = not tree.has_text(target) and page_label(target) is None
    return (path, id) if is_empty and tree.has_text(block) else None
