"""Finds notes to which no link leads: a note only links back, has the label of a mark, or quotes the text.

A mark is the number or sign in the text that cites a note; a label is the same number or sign before the
note.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from alexandria.extract.markup.elements import BLOCKS, HEADINGS, page_label
from alexandria.extract.markup.tree import (
    Document,
    Element,
    body_of,
    fold,
    has_text,
    local_name,
    resolve,
    text_of,
)
from alexandria.extract.notes import marks
from alexandria.extract.notes.links import UNNAMED, Link, Role, block_of, is_among_notes, targets_of
from alexandria.extract.notes.pairing import AMONG_TEXT, PlacedMark, PlacedNote, is_notes_title, pair

_MAX_PRINTED_MARK = 5  # characters of a raised mark with its brackets
_LABEL = re.compile(r"\d{1,3}|[*†‡§‖¶]{1,3}")
_LABEL_AND_TEXT = re.compile(r"[\[({]?(\d{1,3}|[*†‡§‖¶]{1,3})[\])}]?[.:]?\s+\S")
_NOTE_BLOCKS = frozenset(["p", "li", "dd", "td", "aside", "div", "details"])
"""Elements that can be a note without a link; apart from `details`, only if no other block is inside."""
_MIN_QUOTING = 2  # notes that quote the text in a list; one paragraph that begins with a link may be anything


def links_from_backlinks(
    links: Sequence[Link], roles: Mapping[Element, Role], citing: Sequence[Link]
) -> list[Link]:
    """Return links for marks that are not links themselves, but to which a link leads back from a note.

    Each leads from the mark to the link back, which is in the note.

    Args:
        citing: the links that cite notes; their marks and notes are not considered again.
    """
    citing_marks = {link.element for link in citing}
    cited_blocks = {block_of(link.target) for link in citing if link.target is not None}
    links_by_mark: dict[Element, Link] = {}
    for backlink in links:
        mark = backlink.target
        if roles[backlink.element] is not Role.LEADS_BACK or mark is None or mark in links_by_mark:
            continue
        is_inline_mark = local_name(mark) not in BLOCKS and marks.is_mark(text_of(mark))
        if not is_inline_mark or marks.begins_line(mark) or block_of(backlink.element) in cited_blocks:
            continue
        if any(local_name(e) == "a" or e in citing_marks for e in _inline_relatives(mark)):
            continue
        document, number = backlink.document, backlink.number
        key = f"{document.path}{UNNAMED}{number}"
        links_by_mark[mark] = _link(document, mark=mark, note=backlink.element, key=key, number=number)
    return list(links_by_mark.values())


def _link(document: Document, *, mark: Element, note: Element, key: str, number: int) -> Link:
    """Return a mark and its note as a link, as if the book itself had linked them."""
    return Link(document=document, element=mark, text=text_of(mark), key=key, target=note, number=number)


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
        citing: the links that cite notes; their marks and notes are not considered again.
    """
    citing_marks = {link.element for link in citing}
    mark_elements = {
        element
        for document in documents
        for element in body_of(document.root).iter("{*}sup", "{*}span")
        if _is_unlinked_mark(element, citing_marks) and not marks.begins_line(element)
    }
    if not mark_elements:  # the usual case, in which the paragraphs need not be searched
        return []
    cited = {e for link in citing if link.target is not None for e in _with_ancestors(link.target)}
    placed_marks: list[PlacedMark] = []
    placed_notes: list[PlacedNote] = []
    above: dict[Element | None, Element | None] = {}  # the element above a note and the notes before it
    element_at: dict[int, tuple[Document, Element]] = {}  # by place
    elements = ((document, element) for document in documents for element in body_of(document.root).iter())
    for place, (document, element) in enumerate(elements, 1):
        # Documents are told apart by `id`: to hash one takes longer.
        if element in mark_elements:
            label = marks.label_of(text_of(element))
            placed_marks.append(PlacedMark(label, place, id(document), blocks=element.iterancestors()))
            element_at[place] = document, element
        elif element not in cited and (label := _find_note_label(element)):
            previous = element.getprevious()
            above[element] = above.get(previous, previous)
            placed_notes.append(PlacedNote(label, place, id(document), above=above[element]))
            element_at[place] = document, element
    links = []
    for i, j in pair(placed_marks, placed_notes, AMONG_TEXT).items():
        document, mark = element_at[placed_marks[j].place]
        note_document, note = element_at[placed_notes[i].place]
        key = f"{note_document.path}{UNNAMED}{placed_notes[i].place}"
        links.append(_link(document, mark=mark, note=note, key=key, number=placed_marks[j].place))
    return links


def _with_ancestors(element: Element) -> Iterator[Element]:
    yield element
    yield from element.iterancestors()


def _is_unlinked_mark(element: Element, citing_marks: set[Element]) -> bool:
    """Return whether an element is printed as a mark, and is not part of a link or of another mark."""
    if len(element) > 1 or not _is_set_as_mark(element):
        return False
    text = text_of(element)
    if len(text) > _MAX_PRINTED_MARK or not marks.is_mark(text) or not _LABEL.fullmatch(marks.label_of(text)):
        return False
    if element in citing_marks:
        return False
    others = (e for e in _inline_relatives(element) if e is not element)
    return not any(local_name(e) in ("a", "sup") or e in citing_marks for e in others)


def _is_set_as_mark(element: Element) -> bool:
    """Return whether an element is raised or, as a `span` without a style, declared to be a mark."""
    if local_name(element) == "span" and not element.get("style"):
        return element.get("class") is not None and marks.is_declared_cite(element)
    return marks.is_raised(element)


def _find_note_label(block: Element) -> str:
    """Return the label of an element that seems to be a note; otherwise an empty string."""
    # Such a block is, tried in this order: a `details` element whose summary is a mark; a block that begins
    # with a raised mark; a block among notes whose text begins with a label; an item of a numbered list of
    # notes, whose label is its number.
    if local_name(block) not in _NOTE_BLOCKS:
        return ""
    if local_name(block) == "details":
        return marks.label_of(text_of(block[0])) if _has_mark_as_summary(block) else ""
    if any(local_name(e) in BLOCKS for e in block):
        return ""
    first = _first_mark(block)
    if first is not None:
        mark = text_of(first)
        is_mark_alone = text_of(block) == mark  # without a note
        if _LABEL.fullmatch(marks.label_of(mark)) and not is_mark_alone:
            return marks.label_of(mark)
    match = _LABEL_AND_TEXT.match(text_of(block)) if is_among_notes(block) else None
    return match[1] if match else _number_in_notes_list(block)


def _has_mark_as_summary(details: Element) -> bool:
    """Return whether a `details` element shows a mark and nothing else until a reader opens it."""
    if not len(details) or local_name(details[0]) != "summary":
        return False
    text = text_of(details[0])
    return marks.is_mark(text) and _LABEL.fullmatch(marks.label_of(text)) is not None


def _first_mark(block: Element) -> Element | None:
    """Return the raised mark with which a block begins, inside any inline elements; None if it has none."""
    element = block
    while len(element) and not (element.text or "").strip():
        element = element[0]
        if marks.is_mark(text_of(element)):
            return element if marks.is_raised(element) else None
    return None


def _number_in_notes_list(item: Element) -> str:
    """Return an item's number if its list is a list of notes, by its class or the heading above it."""
    # For any other element, return an empty string; also if the list has a `start`: its items are not counted
    # from 1.
    parent = item.getparent()
    if local_name(item) != "li" or parent is None or local_name(parent) != "ol" or parent.get("start"):
        return ""
    above = parent.getprevious()
    is_titled = above is not None and local_name(above) in HEADINGS and is_notes_title(text_of(above))
    if not is_titled and not marks.is_declared_notes(parent):
        return ""
    return str(1 + sum(local_name(e) == "li" for e in item.itersiblings(preceding=True)))


def links_from_quoted_words(documents: Sequence[Document]) -> list[Link]:
    """Return a link from each empty anchor in the text to the note that begins with a link to that anchor.

    Trade books have such notes, not marks: `<p><a href="1.xhtml#p7">a cold morning</a> See his diary.</p>`,
    below a heading "Notes". Of the paragraphs below a heading, all or none are notes.
    """
    lists = [
        (document, paragraphs)
        for document in documents
        for heading in body_of(document.root).iter(*(f"{{*}}{name}" for name in HEADINGS))
        if is_notes_title(text_of(heading)) and (paragraphs := _linked_paragraphs_below(heading))
    ]
    if not lists:  # the usual case
        return []
    targets = targets_of(documents)
    by_path = {fold(document.path): document for document in documents}
    links: list[Link] = []
    for document, paragraphs in lists:
        anchor_of = {
            paragraph: anchor
            for paragraph in paragraphs
            if (anchor := _quoted_anchor(document, paragraph, targets)) is not None
        }
        are_all_notes = len({*anchor_of.values()}) == len(paragraphs)
        if not are_all_notes or len(paragraphs) < _MIN_QUOTING:
            continue
        for paragraph, (path, id) in anchor_of.items():
            key = f"{document.path}{UNNAMED}{path}#{id}"
            links.append(
                _link(by_path[path], mark=targets[path, id], note=paragraph, key=key, number=len(links))
            )
    return links


def _linked_paragraphs_below(heading: Element) -> list[Element]:
    """Return the paragraphs between a heading and the next one that begin with linked words."""
    below = takewhile(lambda e: local_name(e) not in HEADINGS, heading.itersiblings())
    return [e for e in below if local_name(e) == "p" and _first_link(e) is not None]


def _first_link(paragraph: Element) -> Element | None:
    """Return the link with which a paragraph begins, or None."""
    # A link on a mark is not meant, and neither is a link on the whole paragraph.
    element = paragraph
    while not (element.text or "").strip() and len(element):
        element = element[0]
        if local_name(element) == "a":
            words = text_of(element)
            if not words or not element.get("href") or words == text_of(paragraph):
                return None
            return None if marks.is_mark(words) or marks.is_back_sign(words) else element
    return None


def _quoted_anchor(
    document: Document, paragraph: Element, targets: Mapping[tuple[str, str], Element]
) -> tuple[str, str] | None:
    """Return the path and id of the empty anchor in the text to which a paragraph links first, or None."""
    # The anchor must not label a page, and must be in another block with text that is not a heading.
    link = _first_link(paragraph)
    place = resolve(document.path, link.get("href") or "") if link is not None else None
    if place is None:
        return None
    path, id = fold(place[0]), place[1]
    target = targets.get((path, id))
    if target is None:
        return None
    block = block_of(target)
    if block is None or block in (target, paragraph) or local_name(block) in HEADINGS:
        return None
    is_empty = not has_text(target) and page_label(target) is None
    return (path, id) if is_empty and has_text(block) else None
