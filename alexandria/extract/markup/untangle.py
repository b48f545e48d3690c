"""Brings unusual markup of notes into the usual form, before notes are looked for.

A link around a word and its mark becomes a link around the mark; notes in one paragraph, separated only by
line breaks, become paragraphs of their own. A mark that names its note in an attribute, for a script or the
browser to open it, becomes a link. A note inside the sentence that cites it moves to the end of its document:
LaTeXML, Tufte CSS and some EPUBs show such notes in the margin or in a pop-up.
"""

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import BLOCKS
from alexandria.extract.markup.links import targets_of
from alexandria.extract.markup.marks import FOOTNOTE_TYPES, begins_line, is_mark, is_raised
from alexandria.extract.markup.tree import Document, Element

_SEPARATORS = frozenset({",", ";", "–", "-"})
_ATTRIBUTES = ("popovertarget", "data-target", "data-bs-target", "data-footnote", "aria-details")
"""Attributes with the id of the element that is opened, with or without `#`."""
_OPENERS = etree.XPath(f"descendant::*[{' or '.join(f'@{name}' for name in _ATTRIBUTES)}]")
_ID = re.compile(r"#?([\w:.-]+)")
_OPENER_NAMES = frozenset(["a", "button", "label", "span", "sup"])
_NOTE_CLASSES = frozenset(
    ["ltx_note", "sidenote", "marginnote", "footnote", "endnote", "inline-note", "margin-note"]
)
_MARK_CLASSES = frozenset(["ltx_note_mark", "ltx_tag_note", "sidenote-number"])
_DISTILL_NOTE = "d-footnote"
"""The element that Distill, a format of web articles, has for notes."""
_INLINE_ELEMENTS = ("{*}span", "{*}small", "{*}font", f"{{*}}{_DISTILL_NOTE}")
_FLOATING = re.compile(r"float\s*:\s*footnote")
"""In a style, what declares a footnote in CSS for print."""


def untangle(documents: Sequence[Document]) -> None:
    """Regularise the markup of notes in place; no text is added or lost."""
    for document in documents:
        for sup in [*tree.body_of(document.root).iter("{*}sup")]:
            _narrow_link_to_mark(sup)
            _lower_separator(sup)
    breaks = [
        (document, line_break) for document in documents for line_break in _breaks_before_notes(document)
    ]
    if not breaks:  # the usual case
        return
    targets = targets_of(documents)
    for document, line_break in reversed(breaks):  # the last first: a split moves all that follows the break
        link = _link_after(line_break)
        if link is not None and _is_linked_back(document, link, targets):
            _split_paragraph(line_break)


def _narrow_link_to_mark(sup: Element) -> None:
    """Turn a link around a word and its raised mark into a link around the mark alone, in place.

    `<a href="#n">word<sup>1</sup></a>` becomes `<span>word<a href="#n"><sup>1</sup></a></span>`.
    """
    link = sup.getparent()
    if link is None or tree.local_name(link) != "a" or "#" not in (link.get("href") or ""):
        return
    ends_link = link[-1] is sup and not (sup.tail or "").strip()
    if not ends_link or not is_mark(tree.text_of(sup)) or tree.text_of(link) == tree.text_of(sup):
        return
    mark_link = link.makeelement(link.tag)
    mark_link.set("href", tree.without_illegal(str(link.attrib.pop("href"))))
    mark_link.tail, sup.tail = tree.without_illegal(str(sup.tail or "")), None
    link.replace(sup, mark_link)
    mark_link.append(sup)
    link.tag = str(link.tag)[:-1] + "span"  # `a` is the last letter of the tag, after any namespace


def _lower_separator(sup: Element) -> None:
    """Turn a superscript that holds only the separator of two marks (¹,²) into plain text, in place.

    In `<sup><a>1</a></sup><sup>,</sup><sup><a>2</a></sup>`, the second `sup` becomes `,`.
    """
    before, after, parent = sup.getprevious(), sup.getnext(), sup.getparent()
    if parent is None or before is None or after is None:
        return
    if len(sup) or sup.tail or before.tail:  # with other elements in it, or text around it
        return
    if (sup.text or "").strip() in _SEPARATORS and _is_raised_link(before) and _is_raised_link(after):
        before.tail = tree.without_illegal(sup.text or "")
        parent.remove(sup)


def _is_raised_link(element: Element) -> bool:
    return tree.local_name(element) == "sup" and len(element) == 1 and tree.local_name(element[0]) == "a"


def _breaks_before_notes(document: Document) -> Iterator[Element]:
    """Yield the line breaks that are followed by a link which may lead back from a note."""
    for line_break in tree.body_of(document.root).iter("{*}br"):
        link = _link_after(line_break)
        if link is not None and link.get("href") and tree.identifier(link) and is_mark(tree.text_of(link)):
            yield line_break


def _link_after(line_break: Element) -> Element | None:
    """Return the link right after a line break, raised or not, or None if something else follows."""
    following = line_break.getnext()
    if following is None or (line_break.tail or "").strip():
        return None
    if tree.local_name(following) == "a":
        return following
    has_link_alone = len(following) == 1 and tree.local_name(following[0]) == "a"
    if not has_link_alone or (following.text or "").strip():
        return None
    return following[0] if is_raised(following) else None


def _is_linked_back(document: Document, link: Element, targets: dict[tuple[str, str], Element]) -> bool:
    """Return whether a link leads to a link in a sentence, and that link leads back.

    Args:
        document: the document of the link.
        link: a link with an id.
        targets: the elements that links can lead to, by path and id.
    """
    place = tree.resolve(document.path, link.get("href") or "")
    if place is None:
        return False
    path, id = place
    mark = targets.get((tree.fold(path), id))
    if mark is None or tree.local_name(mark) != "a" or begins_line(mark):
        return False
    cited_id = (mark.get("href") or "").rpartition("#")[2]
    return bool(cited_id) and cited_id == tree.identifier(link)


def _split_paragraph(line_break: Element) -> None:
    """Split a paragraph at a line break, in place; the break is removed, and the first part keeps the id."""
    paragraph = line_break.getparent()
    if paragraph is None or tree.local_name(paragraph) != "p":
        return
    following = [*line_break.itersiblings()]
    rest = paragraph.makeelement(paragraph.tag)
    rest.attrib.update(
        {
            str(name): tree.without_illegal(str(value))
            for name, value in paragraph.attrib.items()
            if name != "id"
        }
    )
    rest.set(tree.MADE, "")
    rest.text, rest.tail = (
        tree.without_illegal(line_break.tail or ""),
        tree.without_illegal(paragraph.tail or ""),
    )
    paragraph.tail = None
    paragraph.remove(line_break)
    rest.extend(following)
    paragraph.addnext(rest)


def link_popups(documents: Sequence[Document]) -> None:
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
    """Return the id that the first of `_ATTRIBUTES` names, or an empty string if none of them names an id."""
    for name in _ATTRIBUTES:
        if match := _ID.fullmatch(element.get(name) or ""):
            return match[1]
    return ""


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
    """Turn the marks in a note into links back, in place; `anchors` gives them their targets later.

    The text of the first mark moves to `link`, which takes the note's place in the sentence; a note that
    repeats its mark keeps the others.
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
