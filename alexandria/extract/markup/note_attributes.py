"""Notes whose text is an attribute of their mark, for a pop-up: those of Chinese EPUBs, and tooltips.

WeRead and its like have a picture in the sentence whose `alt` is the note; others a mark with a `title`. Each
becomes a link to a note at the end of its document, which `notes` then finds like any other.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from lxml import etree

from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import BLOCKS
from alexandria.extract.markup.links import targets_of
from alexandria.extract.markup.marks import NOTE_WORD, is_mark, is_raised
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.words import read_words

_WORDS = read_words("note_attributes")
_MARKED = etree.XPath("descendant::*[@alt or @title or @*[contains(name(), '-')]]")
_NAMES = frozenset(_WORDS["elements"].split("|"))
_NOTE_ATTRIBUTE = re.compile(_WORDS["attributes of notes"])
"""An attribute that says that its value is a note, whatever the element shows."""
_TOOLTIP = re.compile(_WORDS["tooltips"])
"""An attribute whose value is a note if the element shows a mark."""
_NOTE_CLASS = re.compile(_WORDS["classes of notes"])
_TOOLTIP_CLASSES = frozenset(_WORDS["classes of tooltips"].split("|"))
_NO_NOTE = re.compile(rf"(?i)\W*(?:(?:{_WORDS['verbs']})\s+)?(?:{NOTE_WORD}|{_WORDS['labels']})?\W*\w?\d*\W*")
"""What only names the note: "See footnote 3"."""
_MAX_MARK = 20
_ID = re.compile(r"[!-~]+")
"""A value without a space or a letter beyond ASCII: an id, an address, or a number."""


def note_attributes(documents: Sequence[Document]) -> None:
    """Turn marks that hold their note in an attribute into links to it, in place."""
    found = [
        (document, element, text)
        for document in documents
        for element in tree.find_elements(_MARKED, tree.body_of(document.root))
        if (text := _note_of(element))
    ]
    targets = targets_of(documents) if found else {}
    for number, (document, element, text) in enumerate(found, start=1):
        if not _leads_elsewhere(element, document, targets):
            _move_note(element, text, tree.body_of(document.root), f"attribute-note-{number}")


def _note_of(element: Element) -> str:
    """Return the note in the attributes of an element inside a sentence; empty if there is none."""
    if tree.local_name(element) not in _NAMES:
        return ""
    values = [(str(name), " ".join(str(value).split())) for name, value in element.attrib.items()]
    notes = [value for name, value in values if _NOTE_ATTRIBUTE.fullmatch(name) and not _ID.fullmatch(value)]
    if not notes and _may_have_tooltip(element):
        notes = [value for name, value in values if _TOOLTIP.fullmatch(name)]
    note = next((value for value in notes if not _NO_NOTE.fullmatch(value)), "")
    return note if note and _is_in_sentence(element) else ""


def _may_have_tooltip(element: Element) -> bool:
    """Return whether an element is declared or shown to be a mark, so that a tooltip is its note."""
    names = {*tree.classes(element), PurePath(element.get("src") or "").stem.lower()}
    if any(map(_NOTE_CLASS.fullmatch, names)):
        return True
    shown = tree.short_text_of(element, _MAX_MARK)
    return bool(shown) and is_mark(shown or "") and (is_raised(element) or bool(names & _TOOLTIP_CLASSES))


def _is_in_sentence(element: Element) -> bool:
    """Return whether the block around an element has more text than the element."""
    block = next((e for e in element.iterancestors() if tree.local_name(e) in BLOCKS), None)
    shown = tree.text_of(element)
    return block is not None and tree.short_text_of(block, len(shown)) != shown


def _leads_elsewhere(
    element: Element, document: Document, targets: Mapping[tuple[str, str], Element]
) -> bool:
    """Return whether an element is a link to something: to the note itself, or to another page."""
    for link in (element, *element.iterancestors("{*}a", "a")):
        href = (link.get("href") or "").strip()
        if href.strip("#") and not href.lower().startswith("javascript:"):
            path, id = tree.resolve(document.path, href) or ("", "")
            return not id or (tree.fold(path), id) in targets
    return False


def _move_note(element: Element, text: str, body: Element, id: str) -> None:
    """Put a link to a note in place of its mark, or after the words to which it belongs, in place."""
    parent = element.getparent()
    if parent is None:
        return
    shown = tree.text_of(element)
    link = etree.Element("a", {"role": "doc-noteref", "href": f"#{id}"})
    link.tail, element.tail = tree.without_illegal(element.tail or ""), None
    if not shown or is_mark(shown):
        link.text = tree.without_illegal(shown)
        parent.replace(element, link)
    else:
        link.set(tree.MADE, "")
        element.addnext(link)
        element.attrib.pop("class", "")  # that of a note: the words of the sentence are none
    note = etree.SubElement(body, "aside", {"role": "doc-footnote", "id": id})
    note.text = tree.without_illegal(text)
