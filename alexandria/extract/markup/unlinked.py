"""Finds notes to which no link leads: the note only links back to its mark, or has the same label as it.

A mark is the number or sign in the text that cites a note; a label is the same number or sign before the
note.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.links import UNNAMED, Link, Role, block_of, is_among_notes
from alexandria.extract.markup.marks import (
    begins_line,
    is_declared_cite,
    is_declared_notes,
    is_mark,
    is_raised,
    label_of,
)
from alexandria.extract.markup.tree import Document, Element, body_of, local_name, text_of
from alexandria.extract.notes import AMONG_TEXT, PlacedMark, PlacedNote, is_notes_title, pair

_MAX_PRINTED_MARK = 5
"""Characters of a raised mark with its brackets."""
_LABEL = re.compile(r"\d{1,3}|[*†‡§‖¶]{1,3}")
_LABEL_AND_TEXT = re.compile(r"[\[({]?(\d{1,3}|[*†‡§‖¶]{1,3})[\])}]?[.:]?\s+\S")
_NOTE_BLOCKS = frozenset(["p", "li", "dd", "td", "aside", "div", "details"])
"""Elements that can be a note without a link; apart from `details`, only if no other block is inside."""


def links_from_backlinks(
    links: Sequence[Link], roles: Mapping[Element, Role], citing: Sequence[Link]
) -> list[Link]:
    """Return links from marks that are not links themselves, but to which a link leads back from a note.

    Each leads from such a mark to the link back, which is in the note.

    Args:
        links: all links of the book that may belong to notes.
        roles: the role of each.
        citing: the links that cite notes; their marks and notes are not considered again.
    """
    citing_marks = {link.element for link in citing}
    cited_blocks = {block_of(link.target) for link in citing if link.target is not None}
    links_by_mark: dict[Element, Link] = {}
    for backlink in links:
        mark = backlink.target
        if roles[backlink.element] is not Role.LEADS_BACK or mark is None or mark in links_by_mark:
            continue
        text = text_of(mark)
        if local_name(mark) in BLOCKS or not is_mark(text) or begins_line(mark):
            continue
        if block_of(backlink.element) in cited_blocks:
            continue
        if any(local_name(e) == "a" or e in citing_marks for e in _inline_relatives(mark)):
            continue
        links_by_mark[mark] = Link(
            document=backlink.document,
            element=mark,
            text=text,
            key=f"{backlink.document.path}{UNNAMED}{backlink.number}",
            target=backlink.element,
            number=backlink.number,
        )
    return list(links_by_mark.values())


def _inline_relatives(mark: Element) -> Iterator[Element]:
    """Yield a mark, the elements inside it, and the inline elements around it up to its block."""
    yield from mark.iter()
    for outer in mark.iterancestors():
        if local_name(outer) in BLOCKS:
            return
        yield outer


def links_from_labels(documents: Sequence[Document], citing: Sequence[Link]) -> list[Link]:
    """Return links from raised marks to the notes that begin with the same label.

    Args:
        documents: the documents of the book, in reading order.
        citing: the links that cite notes; their marks and notes are not considered again.
    """
    citing_marks = {link.element for link in citing}
    mark_elements = {
        element
        for document in documents
        for element in body_of(document.root).iter("{*}sup", "{*}span")
        if _is_unlinked_mark(element, citing_marks) and not begins_line(element)
    }
    if not mark_elements:  # the usual case, in which the paragraphs need not be searched
        return []
    cited = {e for link in citing if link.target is not None for e in _with_ancestors(link.target)}
    marks: list[PlacedMark] = []
    notes: list[PlacedNote] = []
    above: dict[Element | None, Element | None] = {}
    element_at: dict[int, tuple[Document, Element]] = {}
    elements = ((document, element) for document in documents for element in body_of(document.root).iter())
    for place, (document, element) in enumerate(elements, 1):
        # Documents are told apart by `id`: to hash one takes longer.
        if element in mark_elements:
            label = label_of(text_of(element))
            marks.append(PlacedMark(label, place, id(document), blocks=element.iterancestors()))
        elif (
            local_name(element) in _NOTE_BLOCKS
            and element not in cited
            and (label := _find_note_label(element))
        ):
            previous = element.getprevious()
            above[element] = above.get(previous, previous)
            notes.append(PlacedNote(label, place, id(document), above=above[element]))
        else:
            continue
        element_at[place] = document, element
    links = []
    for i, j in pair(marks, notes, AMONG_TEXT).items():
        document, mark = element_at[marks[j].place]
        note_document, note = element_at[notes[i].place]
        links.append(
            Link(
                document=document,
                element=mark,
                text=text_of(mark),
                key=f"{note_document.path}{UNNAMED}{notes[i].place}",
                target=note,
                number=marks[j].place,
            )
        )
    return links


def _with_ancestors(element: Element) -> Iterator[Element]:
    yield element
    yield from element.iterancestors()


def _is_unlinked_mark(element: Element, citing_marks: set[Element]) -> bool:
    """Return whether an element is printed as a mark, and is not part of a link or of another mark."""
    if len(element) > 1 or not _is_set_as_mark(element):
        return False
    text = text_of(element)
    if len(text) > _MAX_PRINTED_MARK or not is_mark(text) or not _LABEL.fullmatch(label_of(text)):
        return False
    if element in citing_marks:
        return False
    others = (e for e in _inline_relatives(element) if e is not element)
    return not any(local_name(e) in ("a", "sup") or e in citing_marks for e in others)


def _is_set_as_mark(element: Element) -> bool:
    """Return whether an element is raised or, as a `span` without a style, declared to be a mark."""
    if local_name(element) == "span" and not element.get("style"):
        return element.get("class") is not None and is_declared_cite(element)
    return is_raised(element)


def _find_note_label(block: Element) -> str:
    """Return the label of a block that seems to be a note; otherwise an empty string.

    Such a block is, tried in this order: a `details` element whose summary is a mark; a block that begins
    with a raised mark; a block among notes whose text begins with a label; an item of a numbered list of
    notes, whose label is its number.
    """
    if local_name(block) == "details":
        return label_of(text_of(block[0])) if _has_mark_as_summary(block) else ""
    if any(local_name(e) in BLOCKS for e in block):
        return ""
    first = _first_mark(block)
    if first is not None:
        mark = text_of(first)
        is_mark_alone = text_of(block) == mark  # without a note
        if _LABEL.fullmatch(label_of(mark)) and not is_mark_alone:
            return label_of(mark)
    match = _LABEL_AND_TEXT.match(text_of(block)) if is_among_notes(block) else None
    return match[1] if match else _number_in_notes_list(block)


def _has_mark_as_summary(details: Element) -> bool:
    """Return whether a `details` element shows a mark and nothing else until a reader opens it."""
    if not len(details) or local_name(details[0]) != "summary":
        return False
    text = text_of(details[0])
    return is_mark(text) and _LABEL.fullmatch(label_of(text)) is not None


def _first_mark(block: Element) -> Element | None:
    """Return the raised mark with which a block begins, inside any inline elements; None if it has none."""
    element = block
    while len(element) and not (element.text or "").strip():
        element = element[0]
        if is_mark(text_of(element)):
            return element if is_raised(element) else None
    return None


def _number_in_notes_list(item: Element) -> str:
    """Return an item's number if its list is a list of notes, by its class or the heading above it.

    For any other element, return an empty string; also if the list has a `start`: its items are not counted
    from 1.
    """
    parent = item.getparent()
    if local_name(item) != "li" or parent is None or local_name(parent) != "ol" or parent.get("start"):
        return ""
    above = parent.getprevious()
    is_titled = above is not None and local_name(above) in HEADINGS and is_notes_title(text_of(above))
    if not is_titled and not is_declared_notes(parent):
        return ""
    return str(1 + sum(local_name(e) == "li" for e in item.itersiblings(preceding=True)))
