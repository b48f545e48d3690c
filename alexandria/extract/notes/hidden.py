"""Links the notes that a reader sees only on opening them, or in the margin, to their marks.

A mark may name the element that it opens in an attribute, for a script or the browser. A note may be inside
the sentence that cites it: LaTeXML, Tufte CSS and some EPUBs show such notes in the margin or in a pop-up. Or
its text is an attribute of its mark: WeRead and its like have a picture in the sentence whose `alt` is the
note, others a mark with a `title`. Each becomes a link to a note, the latter two at the end of the document,
which `in_markup` then finds like any other.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from lxml import etree

from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import BLOCKS
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.notes.links import targets_of
from alexandria.extract.notes.marks import FOOTNOTE_TYPES, NOTE_WORD, is_mark, is_raised
from alexandria.extract.words import read_words

_WORDS = read_words("note_attributes")
_MARKED = etree.XPath("descendant::*[@alt or @title or @*[contains(name(), '-')]]")
_NAMES = frozenset(_WORDS["elements"].split("|"))
_NOTE_ATTRIBUTE = re.compile(_WORDS["attributes of notes"])  # its value is a note, whatever the element shows
_TOOLTIP = re.compile(_WORDS["tooltips"])  # an attribute whose value is a note if the element shows a mark
_NOTE_CLASS = re.compile(_WORDS["classes of notes"])
_TOOLTIP_CLASSES = frozenset(_WORDS["classes of tooltips"].split("|"))
_NO_NOTE = re.compile(rf"(?i)\W*(?:(?:{_WORDS['verbs']})\s+)?(?:{NOTE_WORD}|{_WORDS['labels']})?\W*\w?\d*\W*")
"""What only names the note: "See footnote 3"."""
_MAX_MARK = 20
_ID = re.compile(r"[!-~]+")  # a value of ASCII without spaces: an id, an address, or a number
_OPENING = ("popovertarget", "data-target", "data-bs-target", "data-footnote", "aria-details")
"""Attributes with the id of the element that is opened, with or without `#`."""
_OPENERS = etree.XPath(f"descendant::*[{' or '.join(f'@{name}' for name in _OPENING)}]")
_TARGET = re.compile(r"#?([\w:.-]+)")
_OPENER_NAMES = frozenset(["a", "button", "label", "span", "sup"])
_INLINE_CLASSES = frozenset(
    ["ltx_note", "sidenote", "marginnote", "footnote", "endnote", "inline-note", "margin-note"]
)
_MARK_CLASSES = frozenset(["ltx_note_mark", "ltx_tag_note", "sidenote-number"])
_DISTILL_NOTE = "d-footnote"  # the element that Distill, a format of web articles, has for notes
_MAY_BE_INLINE = ("{*}span", "{*}small", "{*}font", f"{{*}}{_DISTILL_NOTE}")
_FLOATING = re.compile(r"float\s*:\s*footnote")  # in a style, what declares a footnote in CSS for print


def link_hidden_notes(documents: Sequence[Document]) -> None:
    """Turn the marks of notes that no link leads to, since a reader only opens them, into links, in place."""
    _link_popups(documents)
    _link_attributes(documents)
    _lift_inline_notes(documents)


def _link_popups(documents: Sequence[Document]) -> None:
    """Turn marks that open a note into links to it, in place."""
    for document in documents:
        openers = tree.find_elements(_OPENERS, tree.body_of(document.root))
        marks = [element for element in openers if _opens_note(element)]
        targets = targets_of([document]) if marks else {}
        for element in marks:
            id = _popup_id(element)
            note = targets.get((tree.fold(document.path), id))
            if note is None or note is element or is_mark(tree.text_of(note)):
                continue
            namespace, brace, _ = str(element.tag).rpartition("}")  # both empty without a namespace
            element.tag = f"{namespace}{brace}a"
            element.set("href", f"#{tree.without_illegal(id)}")
            element.set("role", "doc-noteref")


def _opens_note(element: Element) -> bool:
    """Return whether an element is a mark that names its note in an attribute, and not in a link as well."""
    if tree.local_name(element) not in _OPENER_NAMES or not is_mark(tree.text_of(element)):
        return False
    hrefs = (e.get("href") or "" for e in element.iter("{*}a"))
    is_linked = any(href.rpartition("#")[2] for href in hrefs if "#" in href)
    return not is_linked and _popup_id(element) != ""


def _popup_id(element: Element) -> str:
    """Return the id that the first of `_OPENING` names, or an empty string if none of them names an id."""
    for name in _OPENING:
        if match := _TARGET.fullmatch(element.get(name) or ""):
            return match[1]
    return ""


def _lift_inline_notes(documents: Sequence[Document]) -> None:
    """Move the notes inside sentences to the end of their document, in place, each leaving a link to it."""
    number = 0
    for document in documents:
        body = tree.body_of(document.root)
        for element in [e for e in body.iter(*_MAY_BE_INLINE) if _is_inline_note(e)]:
            number += 1
            _lift_note(element, body, number)


def _is_inline_note(element: Element) -> bool:
    """Return whether an element is a note inside a sentence."""
    # A mark, a part of another note, or a note that has its block to itself is not one.
    if not element.keys() and tree.local_name(element) != _DISTILL_NOTE:
        return False  # most elements: nothing declares anything
    if not _is_declared_note(element) or is_mark(tree.text_of(element)):
        return False
    for outer in element.iterancestors():
        if (
            tree.local_name(outer) == "a"
            or tree.classes(outer) & _INLINE_CLASSES
            or tree.types(outer) & FOOTNOTE_TYPES
        ):
            return False  # a mark, or a part of a note
        if tree.local_name(outer) in BLOCKS:
            return tree.local_name(outer) != "body" and tree.text_of(outer) != tree.text_of(element)
    return False


def _is_declared_note(element: Element) -> bool:
    """Return whether an element is declared to be a note, by its class, type, name or style."""
    if (
        tree.classes(element) & _INLINE_CLASSES
        or tree.types(element) & FOOTNOTE_TYPES
        or tree.local_name(element) == _DISTILL_NOTE
    ):
        return True
    return _FLOATING.search(element.get("style") or "") is not None


def _lift_note(element: Element, body: Element, number: int) -> None:
    """Replace a note with a link, and move it to an `aside` at the end of the body, in place."""
    # The link shows the mark that is in the note or, if there is none, the mark before the note.
    # `number`: the note's number among those of the book, for its id if it has none.
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
    """Turn the marks in a note into links back, in place, which lead nowhere yet."""
    # The text of the first mark moves to `link`, which takes the note's place in the sentence; a note that
    # repeats its mark keeps the others.
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


def _link_attributes(documents: Sequence[Document]) -> None:
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
