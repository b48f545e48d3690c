"""Notes to which no link leads: from the note back to its mark alone, or numbered alike without any link."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.links import Link, Role, block_of, is_among_notes
from alexandria.extract.markup.marks import (
    begins_line,
    is_declared_cite,
    is_declared_notes,
    is_mark,
    is_raised,
    label_of,
)
from alexandria.extract.markup.tree import Document, Element, body_of, local_name, text_of
from alexandria.extract.notes_title import is_notes_title

UNNAMED = "#~"
"""In the keys of notes without an id that a link could name."""

_SIGNS = re.compile(r"\d{1,3}|[*†‡§‖¶]{1,3}")
_LABELLED = re.compile(r"[\[({]?(\d{1,3}|[*†‡§‖¶]{1,3})[\])}]?[.:]?\s+\S")
_LEAVES = frozenset(["p", "li", "dd", "td", "aside", "div", "details"])


def cited_back(links: Sequence[Link], roles: Mapping[Element, Role], citing: Sequence[Link]) -> list[Link]:
    """Return, for each link from a note to a mark that is no link itself, the link that the mark would be."""
    linked = {link.element for link in citing}
    blocks = {block_of(link.target) for link in citing if link.target is not None}
    found: dict[Element, Link] = {}
    for link in links:
        mark = link.target
        if roles[link.element] is not Role.LEADS_BACK or mark is None or mark in found:
            continue
        text = text_of(mark)
        if local_name(mark) in BLOCKS or not is_mark(text) or begins_line(mark):
            continue
        if block_of(link.element) in blocks or any(local_name(e) == "a" or e in linked for e in _near(mark)):
            continue
        key = f"{link.document.path}{UNNAMED}{link.number}"
        found[mark] = Link(link.document, mark, text, key, link.element, link.number)
    return list(found.values())


def _near(mark: Element) -> Iterator[Element]:
    yield from mark.iter()
    for outer in mark.iterancestors():
        if local_name(outer) in BLOCKS:
            return
        yield outer


@dataclass(frozen=True, slots=True)
class _Place:
    """A raised mark in a sentence, or a block that begins with one."""

    document: Document
    element: Element
    label: str
    number: int


def unlinked(documents: Sequence[Document], citing: Sequence[Link]) -> list[Link]:
    """Return links from raised marks to the notes that begin with the same marks, if these pair up.

    A mark counts only if it is cited as often as it is explained, each time before its explanation, in the
    book or in its document; the first citation then belongs to the first explanation, and so on.
    """
    taken = {link.element for link in citing}
    marks = {
        element
        for document in documents
        for element in body_of(document.root).iter("{*}sup", "{*}span")
        if _is_unlinked_mark(element, taken) and not begins_line(element)
    }
    if not marks:  # the usual case, in which no paragraph need be looked at
        return []
    noted = {block for link in citing if link.target is not None for block in _with_outer(link.target)}
    cited: list[_Place] = []
    explained: list[_Place] = []
    number = 0
    for document in documents:
        for element in body_of(document.root).iter():
            number += 1
            if element in marks:
                cited.append(_Place(document, element, label_of(text_of(element)), number))
            elif local_name(element) in _LEAVES and element not in noted and (label := _explained(element)):
                explained.append(_Place(document, element, label, number))
    return [_as_link(mark, note) for mark, note in _pairs(cited, explained)]


def _with_outer(element: Element) -> Iterator[Element]:
    yield element
    yield from element.iterancestors()


def _is_unlinked_mark(element: Element, taken: set[Element]) -> bool:
    if len(element) > 1 or not _is_printed_apart(element):
        return False
    text = text_of(element)
    if not (len(text) <= 5 and is_mark(text) and _SIGNS.fullmatch(label_of(text))):
        return False
    return not any((local_name(e) in ("a", "sup") and e is not element) or e in taken for e in _near(element))


def _is_printed_apart(element: Element) -> bool:
    """Return whether an element is raised, or declared to be a mark."""
    if local_name(element) == "span" and not element.get("style"):
        return element.get("class") is not None and is_declared_cite(element)
    return is_raised(element)


def _explained(block: Element) -> str:
    """Return the label with which a block begins that seems to be a note, or nothing."""
    if local_name(block) == "details":
        return label_of(text_of(block[0])) if _opens_by_mark(block) else ""
    if any(local_name(e) in BLOCKS for e in block):
        return ""
    if (first := _first_mark(block)) is not None:
        text = text_of(first)
        if _SIGNS.fullmatch(label_of(text)) and text_of(block) != text:
            return label_of(text)
    match = _LABELLED.match(text_of(block)) if is_among_notes(block) else None
    return match[1] if match else _place_in_list(block)


def _opens_by_mark(details: Element) -> bool:
    """Return whether what is always shown of an element that opens is a mark and nothing else."""
    if not len(details) or local_name(details[0]) != "summary":
        return False
    text = text_of(details[0])
    return is_mark(text) and _SIGNS.fullmatch(label_of(text)) is not None


def _first_mark(block: Element) -> Element | None:
    """Return the raised mark with which a block begins, whatever is around both."""
    element = block
    while len(element) and not (element.text or "").strip():
        element = element[0]
        if is_mark(text_of(element)):
            return element if is_raised(element) else None
    return None


def _place_in_list(item: Element) -> str:
    """Return the number of an item in a numbered list of notes, by its class or its heading, or nothing."""
    notes = item.getparent()
    if local_name(item) != "li" or notes is None or local_name(notes) != "ol" or notes.get("start"):
        return ""
    heading = notes.getprevious()
    titled = heading is not None and local_name(heading) in HEADINGS and is_notes_title(text_of(heading))
    if not titled and not is_declared_notes(notes):
        return ""
    return str(1 + sum(local_name(e) == "li" for e in item.itersiblings(preceding=True)))


def _pairs(cited: Sequence[_Place], explained: Sequence[_Place]) -> Iterator[tuple[_Place, _Place]]:
    for label in dict.fromkeys(place.label for place in explained):
        marks = [place for place in cited if place.label == label]
        notes = [place for place in explained if place.label == label]
        if _pair_up(marks, notes):
            yield from zip(marks, notes, strict=True)
            continue
        for document in dict.fromkeys(id(place.document) for place in notes):
            here = [place for place in marks if id(place.document) == document]
            there = [place for place in notes if id(place.document) == document]
            if _pair_up(here, there):
                yield from zip(here, there, strict=True)


def _pair_up(marks: Sequence[_Place], notes: Sequence[_Place]) -> bool:
    pairs = zip(marks, notes, strict=False)
    return len(marks) == len(notes) and all(mark.number < note.number for mark, note in pairs)


def _as_link(mark: _Place, note: _Place) -> Link:
    key = f"{note.document.path}{UNNAMED}{note.number}"
    return Link(mark.document, mark.element, text_of(mark.element), key, note.element, mark.number)
