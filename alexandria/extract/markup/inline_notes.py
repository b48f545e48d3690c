"""Moves notes that are written inside the sentence that cites them to the end of the document.

LaTeXML, Tufte CSS and some EPUBs write notes in this way, and show them in the margin or in a pop-up. Each
leaves a link to itself, so that the rest of the package need not know of such notes.
"""

import re
from collections.abc import Sequence

from lxml import etree

from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import BLOCKS
from alexandria.extract.markup.marks import FOOTNOTE_TYPES, is_mark, is_raised
from alexandria.extract.markup.tree import Document, Element

_NOTE_CLASSES = frozenset(
    ["ltx_note", "sidenote", "marginnote", "footnote", "endnote", "inline-note", "margin-note"]
)
_MARK_CLASSES = frozenset(["ltx_note_mark", "ltx_tag_note", "sidenote-number"])
_DISTILL_NOTE = "d-footnote"
"""The element that Distill, a format of web articles, has for notes."""
_INLINE_ELEMENTS = ("{*}span", "{*}small", "{*}font", f"{{*}}{_DISTILL_NOTE}")
_FLOATING = re.compile(r"float\s*:\s*footnote")
"""In a style, what declares a footnote in CSS for print."""


def lift_inline_notes(documents: Sequence[Document]) -> None:
    """Move the notes inside sentences to the end of their document, in place, each leaving a link to it."""
    number = 0
    for document in documents:
        body = tree.body_of(document.root)
        for element in [e for e in body.iter(*_INLINE_ELEMENTS) if _is_inline_note(e)]:
            number += 1
            _lift_note(element, body, number)


def _is_inline_note(element: Element) -> bool:
    """Return whether an element is a note inside a sentence.

    A mark, a part of another note, or a note that has its block to itself is not one.
    """
    if not element.keys() and tree.local_name(element) != _DISTILL_NOTE:
        return False  # most elements: nothing declares anything
    if not _is_declared_note(element) or is_mark(tree.text_of(element)):
        return False
    for outer in element.iterancestors():
        if (
            tree.local_name(outer) == "a"
            or tree.classes(outer) & _NOTE_CLASSES
            or tree.types(outer) & FOOTNOTE_TYPES
        ):
            return False  # a mark, or a part of a note
        if tree.local_name(outer) in BLOCKS:
            return tree.local_name(outer) != "body" and tree.text_of(outer) != tree.text_of(element)
    return False


def _is_declared_note(element: Element) -> bool:
    """Return whether an element is declared to be a note, by its class, type, name or style."""
    if (
        tree.classes(element) & _NOTE_CLASSES
        or tree.types(element) & FOOTNOTE_TYPES
        or tree.local_name(element) == _DISTILL_NOTE
    ):
        return True
    return _FLOATING.search(element.get("style") or "") is not None


def _lift_note(element: Element, body: Element, number: int) -> None:
    """Replace a note with a link, and move it to an `aside` at the end of the body, in place.

    The link shows the mark that is in the note or, if there is none, the mark before the note.

    Args:
        element: the note.
        body: the body of its document.
        number: the note's number among those of the book, for its id if it has none.
    """
    parent, before = element.getparent(), _previous_element(element)
    if parent is None:
        return
    id = tree.without_illegal(element.get("id") or "") or f"inline-note-{number}"
    element.attrib.pop("id", "")  # the `aside` gets it
    link = etree.Element("a", {"role": "doc-noteref", "href": f"#{id}"})
    link.tail, element.tail = tree.without_illegal(element.tail or ""), None
    parent.replace(element, link)
    _turn_marks_into_links(element, link)
    if before is not None and not link.text and _is_mark_of_next(before):
        link.text, before.text = tree.without_illegal(tree.text_of(before)), None
        for child in [*before]:
            before.remove(child)
    note = etree.SubElement(body, "aside", {"role": "doc-footnote", "id": id})
    note.append(element)


def _previous_element(note: Element) -> Element | None:
    """Return the element before a note, or before the checkbox that shows and hides it; None after text."""
    previous = note.getprevious()
    if previous is not None and tree.local_name(previous) == "input":
        return None if (previous.tail or "").strip() else previous.getprevious()
    return previous


def _turn_marks_into_links(note: Element, link: Element) -> None:
    """Turn the marks in a note into links back, in place.

    The text of the first moves to `link`, which takes the note's place in the sentence.
    """
    for element in note.iter():
        if tree.classes(element) & _MARK_CLASSES:
            if not link.text:
                link.text, element.text = tree.without_illegal(tree.text_of(element)), None
            element.tag = "a"
            element.set("role", "doc-backlink")


def _is_mark_of_next(element: Element) -> bool:
    """Return whether an element is a mark without a link, with no text between it and the next element."""
    if (element.tail or "").strip() or any(tree.local_name(e) == "a" for e in element.iter()):
        return False
    if tree.local_name(element) == "label" and "margin-toggle" in tree.classes(element):
        return True
    return is_raised(element) and is_mark(tree.text_of(element))
