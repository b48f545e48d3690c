"""Finds the links that are marks of notes, and the elements that are the notes they lead to.

EPUB 3 declares both (`epub:type`, `role`); older books only link a raised or bracketed number to a paragraph.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.tree import (
    Document,
    Element,
    body_of,
    classes,
    fold,
    has_text,
    identifier,
    local_name,
    resolve,
    text_of,
    types,
)

_MARK_TYPES = frozenset({"noteref"})
_MARK_CLASSES = frozenset(
    ["noteref", "footnoteref", "footnote-ref", "fnref", "fnanchor", "footnote-reference"]
)
_NOTE_TYPES = frozenset(["footnote", "endnote", "rearnote", "note"])
_NOTES_TYPES = frozenset(["footnotes", "endnotes", "rearnotes"])
_BACK_TYPES = frozenset({"backlink", "referrer"})
_BACK_CLASSES = frozenset(["backlink", "footnote-back", "footnote-backref", "reversefootnote"])
# A printed mark: a number, a letter, up to three reference signs, with or without brackets.
_MARK = re.compile(r"[\[(]?\s*(\d{1,4}|[a-z]|[ivxl]{1,6}|[*†‡§‖¶]{1,3})\s*[\])]?\.?", re.IGNORECASE)
_BACK = re.compile(r"[\s↩↑⏎↵⤴⮌^←\ufe0e\ufe0f\[\]]+|(?:back|return|zurück|retour)", re.IGNORECASE)
_RAISED = frozenset({"sup"})
# Elements that can hold a whole note; any other block that a mark leads to is the note by itself.
_HOLDERS = frozenset(["li", "aside", "dd"])


@dataclass(frozen=True, slots=True)
class NoteElements:
    """A note: its elements, and the label of the first mark that cites it."""

    key: str
    label: str
    path: str
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """The notes of a book, the links that cite them (with an empty key: no such note), and the links back."""

    notes: tuple[NoteElements, ...] = ()
    cites: dict[Element, str] = field(default_factory=dict)
    backlinks: frozenset[Element] = frozenset()


@dataclass(frozen=True, slots=True)
class _Link:
    """A link that may be a note's mark."""

    document: Document
    element: Element
    key: str
    target: Element | None


def find_notes(documents: Sequence[Document]) -> NoteLinks:
    """Return the notes of a book in reading order, cited or not."""
    targets = _targets(documents)
    links = [link for document in documents for link in _marks(document, targets)]
    keys: dict[Element, str] = {}
    labels: dict[str, str] = {}
    cites: dict[Element, str] = {}
    targeted = {link.target for link in links if link.target is not None}
    for link in links:
        holder = _holder(link, targeted)
        if holder is None:
            if _is_noteref(link.element):
                cites[link.element] = ""
            continue
        key = keys.setdefault(holder, link.key)
        cites[link.element] = key
        labels.setdefault(key, _label(link.element))
    for document in documents:
        for element in _uncited(document, keys):
            keys[element] = f"{document.path}#{identifier(element) or f'note-{len(keys) + 1}'}"
    notes = tuple(_notes_in_reading_order(documents, keys, labels))
    return NoteLinks(notes, cites, frozenset(_backlinks(notes, cites, targets)))


def _targets(documents: Sequence[Document]) -> dict[tuple[str, str], Element]:
    targets: dict[tuple[str, str], Element] = {}
    for document in documents:
        path = fold(document.path)
        for element in document.root.iter():
            if isinstance(element.tag, str) and (id := identifier(element)):
                targets.setdefault((path, id), element)
    return targets


def _marks(document: Document, targets: dict[tuple[str, str], Element]) -> list[_Link]:
    links = []
    for element in body_of(document.root).iter():
        if local_name(element) != "a" or not (href := element.get("href")):
            continue
        place = resolve(document.path, href)
        if place is None or not place[1]:
            if _is_noteref(element):
                links.append(_Link(document, element, "", None))
            continue
        path, fragment = place
        target = targets.get((fold(path), fragment))
        if _is_noteref(element) or (target is not None and _looks_like_mark(element)):
            links.append(_Link(document, element, f"{path}#{fragment}", target))
    return links


def _is_noteref(element: Element) -> bool:
    return bool(types(element) & _MARK_TYPES or classes(element) & _MARK_CLASSES)


def _looks_like_mark(element: Element) -> bool:
    """Return whether a link is a raised or bracketed number inside a line.

    At the start of a block such a number is the label of a note.
    """
    text = text_of(element)
    if not _MARK.fullmatch(text) or types(element) & _BACK_TYPES:
        return False
    parent = element.getparent()
    raised = any(local_name(e) in _RAISED for e in element) or (
        parent is not None and local_name(parent) in _RAISED
    )
    return (raised or _is_bracketed(element) or not text[0].isalnum()) and _follows_text(element)


def _is_bracketed(element: Element) -> bool:
    text, after = text_of(element), (element.tail or "").lstrip()
    if text[0] in "[(":
        return True
    parent, before = element.getparent(), element.getprevious()
    ahead = before.tail if before is not None else (parent.text if parent is not None else "")
    return ((ahead or "").rstrip()[-1:], after[:1]) in {("[", "]"), ("(", ")")}


def _follows_text(element: Element) -> bool:
    while True:
        earlier = element.itersiblings(preceding=True)
        if any((e.tail or "").strip() or has_text(e) for e in earlier):
            return True
        parent = element.getparent()
        if parent is None:
            return False
        if (parent.text or "").strip():
            return True
        if local_name(parent) in BLOCKS:
            return False
        element = parent


def _holder(link: _Link, targeted: set[Element]) -> Element | None:
    """Return the element that is the note, or None if the link leads to something else."""
    element = link.target
    if element is None:
        return None
    while local_name(element) not in BLOCKS:
        parent = element.getparent()
        if parent is None:
            return None
        element = parent
    while (parent := element.getparent()) is not None and _holds_one(parent, element, targeted):
        element = parent
    name = local_name(element)
    too_large = name in ("body", "html", "section", "article", "div") and not _is_note(element)
    if too_large and (name in ("body", "html") or (_n_blocks(element) > 1 and name != "div")):
        return None
    cites_itself = element is link.element or any(e is element for e in link.element.iterancestors())
    return None if name in HEADINGS or cites_itself else element


def _is_note(element: Element) -> bool:
    return bool(types(element) & _NOTE_TYPES)


def _holds_one(parent: Element, child: Element, targeted: set[Element]) -> bool:
    if not (local_name(parent) in _HOLDERS or _is_note(parent)):
        return False
    return not any(e in targeted and e is not parent and not _inside(e, child) for e in parent.iter())


def _inside(element: Element, outer: Element) -> bool:
    return element is outer or any(e is outer for e in element.iterancestors())


def _n_blocks(element: Element) -> int:
    return sum(local_name(e) in BLOCKS for e in element)


def _uncited(document: Document, keys: dict[Element, str]) -> list[Element]:
    # Two passes over the document instead of a search from each element: markup may be deep.
    elements = list(body_of(document.root).iter())
    above: set[Element | None] = set()
    for element in reversed(elements):
        if element in keys or element in above:
            above.add(element.getparent())
    uncited: list[Element] = []
    inside: set[Element | None] = set()
    for element in elements:
        if element in keys or element.getparent() in inside:
            inside.add(element)
        elif element not in above and _is_declared_note(element):
            inside.add(element)
            uncited.append(element)
    return uncited


def _is_declared_note(element: Element) -> bool:
    if local_name(element) not in BLOCKS:
        return False
    parent = element.getparent()
    in_list = local_name(element) == "li" and parent is not None and _lists_notes(parent)
    return in_list or bool(types(element) & (_NOTE_TYPES - {"note"}))


def _lists_notes(element: Element) -> bool:
    parent = element.getparent()
    return bool(types(element) & _NOTES_TYPES) or (
        local_name(element) in ("ol", "ul") and parent is not None and bool(types(parent) & _NOTES_TYPES)
    )


def _notes_in_reading_order(
    documents: Sequence[Document], keys: dict[Element, str], labels: dict[str, str]
) -> list[NoteElements]:
    """Return the notes as they follow each other in the documents.

    A note that no mark labels has the number of its item in a numbered list, if it is one.

    Args:
        documents: in reading order.
        keys: of each element that is a note.
        labels: of the marks that cite a note, by its key.
    """
    notes = []
    list_numbers = _numbers(element for element, key in keys.items() if not labels.get(key))
    for document in documents:
        for element in document.root.iter():
            key = keys.get(element)
            if key is not None:
                label = labels.get(key) or list_numbers.get(element, "")
                elements = (element, *_definitions(element, keys))
                notes.append(NoteElements(key, label, document.path, elements))
    return notes


def _definitions(element: Element, keys: dict[Element, str]) -> list[Element]:
    """Return the `dd` that define a `dt`: the note itself, if the link leads to its term."""
    if local_name(element) != "dt":
        return []
    definitions = []
    for following in element.itersiblings():
        if local_name(following) != "dd" or following in keys:
            break
        definitions.append(following)
    return definitions


def _label(mark: Element) -> str:
    match = _MARK.fullmatch(text_of(mark))
    return match[1] if match else text_of(mark).strip("[]() ")


def _numbers(notes: Iterable[Element]) -> dict[Element, str]:
    """Return the number printed before each item of the numbered lists that contain notes."""
    numbers: dict[Element, str] = {}
    for parent in {note.getparent() for note in notes}:
        if parent is None or local_name(parent) != "ol":
            continue
        start = re.fullmatch(r"\d{1,9}", parent.get("start", ""))  # no book counts further
        items = (e for e in parent if local_name(e) == "li")
        numbers.update((e, str(i)) for i, e in enumerate(items, int(start[0]) if start else 1))
    return numbers


def _backlinks(
    notes: Sequence[NoteElements], cites: dict[Element, str], targets: dict[tuple[str, str], Element]
) -> list[Element]:
    return [
        element
        for note in notes
        for holder in note.elements
        for element in holder.iter()
        if local_name(element) == "a" and element not in cites and _leads_back(element, note, targets)
    ]


def _leads_back(element: Element, note: NoteElements, targets: dict[tuple[str, str], Element]) -> bool:
    text = text_of(element)
    if types(element) & _BACK_TYPES or classes(element) & _BACK_CLASSES:
        return True
    place = resolve(note.path, element.get("href") or "")
    if not element.get("href") or place is None or not (_BACK.fullmatch(text) or _MARK.fullmatch(text)):
        return False
    target = targets.get((fold(place[0]), place[1]))
    return bool(_BACK.fullmatch(text)) or (target is not None and _label(element) == note.label)
