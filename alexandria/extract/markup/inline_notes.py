"""Notes written where they are cited, inside the sentence: they are moved to the end, and leave a mark.

LaTeXML, Tufte CSS and some EPUBs write them so; the margin or a pop-up shows them.
"""

import re
from collections.abc import Sequence

from lxml import etree

from alexandria.extract.markup.elements import BLOCKS
from alexandria.extract.markup.marks import FOOTNOTE_TYPES, is_mark, is_raised
from alexandria.extract.markup.tree import (
    Document,
    Element,
    body_of,
    classes,
    legal,
    local_name,
    text_of,
    types,
)

_CLASSES = frozenset(
    ["ltx_note", "sidenote", "marginnote", "footnote", "endnote", "inline-note", "margin-note"]
)
_MARK_CLASSES = frozenset(["ltx_note_mark", "ltx_tag_note", "sidenote-number"])
_NAMES = ("{*}span", "{*}small", "{*}font", "{*}d-footnote")
_ELEMENT = "d-footnote"
"""Of Distill."""
_FLOATING = re.compile(r"float\s*:\s*footnote")
"""In a style, as printers of CSS read it."""


def lift_inline_notes(documents: Sequence[Document]) -> None:
    """Move the notes inside sentences to the end of their document, in place, each leaving a link to it."""
    number = 0
    for document in documents:
        body = body_of(document.root)
        for element in [e for e in body.iter(*_NAMES) if _is_inline_note(e)]:
            number += 1
            _lift(element, body, number)


def _is_inline_note(element: Element) -> bool:
    if not element.keys() and local_name(element) != _ELEMENT:
        return False
    if not _is_declared(element) or is_mark(text_of(element)):
        return False
    for outer in element.iterancestors():
        if local_name(outer) == "a" or classes(outer) & _CLASSES or types(outer) & FOOTNOTE_TYPES:
            return False  # a mark, or a part of a note
        if local_name(outer) in BLOCKS:
            return local_name(outer) != "body" and text_of(outer) != text_of(element)
    return False


def _is_declared(element: Element) -> bool:
    if classes(element) & _CLASSES or types(element) & FOOTNOTE_TYPES or local_name(element) == _ELEMENT:
        return True
    return _FLOATING.search(element.get("style") or "") is not None


def _lift(element: Element, body: Element, number: int) -> None:
    parent, before = element.getparent(), element.getprevious()
    if before is not None and local_name(before) == "input":  # the switch of a note in the margin
        before = None if (before.tail or "").strip() else before.getprevious()
    if parent is None:
        return
    id = legal(element.get("id") or "") or f"inline-note-{number}"
    link = etree.Element("a", {"role": "doc-noteref", "href": f"#{id}"})
    link.tail, element.tail = legal(element.tail or ""), None
    parent.replace(element, link)
    for each in element.iter():
        if classes(each) & _MARK_CLASSES:
            # The first is printed in the sentence; the others before the note.
            if not link.text:
                link.text, each.text = legal(text_of(each)), None
            each.tag = "a"
            each.set("role", "doc-backlink")
    if before is not None and not link.text and _is_mark_of_next(before):
        link.text, before.text = legal(text_of(before)), None
        for child in [*before]:
            before.remove(child)
    element.attrib.pop("id", "")
    note = etree.SubElement(body, "aside", {"role": "doc-footnote", "id": id})
    note.append(element)


def _is_mark_of_next(element: Element) -> bool:
    """Return whether an element is a raised mark, without a link, right before what follows it."""
    if (element.tail or "").strip() or any(local_name(e) == "a" for e in element.iter()):
        return False
    if local_name(element) == "label" and "margin-toggle" in classes(element):
        return True
    return is_raised(element) and is_mark(text_of(element))
