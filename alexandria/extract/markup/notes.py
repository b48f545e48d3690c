"""The notes of a book: the elements that marks lead to, with the marks and the links back.

What a link is to a note, `links` decides; here the whole note is found around its target.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import takewhile

from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.keyed import keyed
from alexandria.extract.markup.links import (
    Link,
    Role,
    is_among_notes,
    links_of,
    note_block,
    roles_of,
    targets_of,
)
from alexandria.extract.markup.marks import (
    NOTE_TYPES,
    begins_line,
    begins_with,
    is_back_sign,
    is_declared_back,
    is_declared_cite,
    is_declared_notes,
    is_mark,
    is_raised,
    label_of,
    label_pattern,
)
from alexandria.extract.markup.tree import (
    Document,
    Element,
    fold,
    has_text,
    identifier,
    local_name,
    resolve,
    text_of,
    types,
)
from alexandria.extract.markup.unlinked import UNNAMED, cited_back, unlinked

__all__ = ["UNNAMED", "NoteElements", "NoteLinks", "find_notes"]

# Elements that can hold a whole note; any other block that a mark leads to is the note by itself.
_WORDS_NOTE = re.compile(r"mso-element\s*:\s*(?:foot|end)note\s*(?:;|$)")
_MOST_PARAGRAPHS = 8
"""Of one note, in paragraphs that nothing declares to be notes."""
_LETTER = re.compile("[a-z]")
_HOLDERS = frozenset(["li", "aside", "dd", "tr"])


@dataclass(frozen=True, slots=True)
class NoteElements:
    """A note: its elements, and the label of the first mark that cites it."""

    key: str
    label: str
    path: str
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """The notes of a book, the marks that cite them (with an empty key: no such note), and the links back."""

    notes: tuple[NoteElements, ...] = ()
    cites: dict[Element, str] = field(default_factory=dict)
    backlinks: frozenset[Element] = frozenset()

    def without(self, keys: Set[str]) -> "NoteLinks":
        """Return the links without some notes, which are text then, with their labels."""
        text = {e for note in self.notes if note.key in keys for root in note.elements for e in root.iter()}
        return NoteLinks(
            notes=tuple(note for note in self.notes if note.key not in keys),
            cites={element: key for element, key in self.cites.items() if key not in keys},
            backlinks=frozenset(e for e in self.backlinks if e not in text or is_back_sign(text_of(e))),
        )


def find_notes(documents: Sequence[Document]) -> NoteLinks:
    """Return the notes of a book that are cited, in reading order."""
    targets = targets_of(documents)
    links = list(links_of(documents, targets))
    roles = roles_of(links)
    citing = [link for link in links if roles[link.element] is Role.CITES]
    citing += cited_back(links, roles, citing)
    citing += unlinked(documents, citing)
    citing += keyed(documents)
    targeted = {link.target for link in citing if link.target is not None}
    holders = {link.element: holder for link in citing if (holder := _holder(link, targeted)) is not None}
    refused = _rather_text(citing, holders)
    keys: dict[Element, str] = {}
    labels: dict[str, str] = {}
    cites: dict[Element, str] = {}
    for link in sorted(citing, key=lambda link: link.number):
        holder = holders.get(link.element)
        if holder is None or holder in refused:
            if is_declared_cite(link.element):
                cites[link.element] = ""
            continue
        key = keys.setdefault(holder, link.key)
        cites[link.element] = key
        labels.setdefault(key, link.label)
    notes = tuple(_notes_in_reading_order(documents, keys, labels, targeted))
    backlinks = {*_backlinks(notes, cites, roles, targets)}
    # An arrow in a note that nothing cites leads nowhere either.
    arrows = (link.element for link in links if is_back_sign(link.text) and link.element not in cites)
    backlinks |= {element for element in arrows if element not in backlinks and is_among_notes(element)}
    return NoteLinks(notes, cites, frozenset(backlinks))


def _holder(link: Link, targeted: set[Element]) -> Element | None:
    """Return the element that is the note, or None if the link leads to something else."""
    element = note_block(link.target) if link.target is not None else None
    if element is None:
        return None
    while (parent := element.getparent()) is not None and _holds_one(parent, element, targeted):
        element = parent
    name = local_name(element)
    if name in HEADINGS and _is_label_of(element, link):
        return element
    if name in HEADINGS or name in ("body", "html") or _is_division(element, link):
        return None
    return None if _inside(link.element, element) else element


def _is_label_of(heading: Element, link: Link) -> bool:
    """Return whether a block holds only the label of a note that is below it, and one of them leads back."""
    if not _is_label_text(text_of(heading), link.label):
        return False
    place = identifier(link.element) or ""
    below = takewhile(lambda e: local_name(e) not in HEADINGS, heading.itersiblings())
    links = (e for block in (heading, *below) for e in block.iter("{*}a"))
    return bool(place) and any((e.get("href") or "").rpartition("#")[2] == place for e in links)


def _is_label_text(text: str, label: str) -> bool:
    """Return whether a text is a note's label: `3`, `[3]`, `Note 3`."""
    return label_of(text) == label or (bool(label) and re.fullmatch(label_pattern(label), text) is not None)


def _is_division(element: Element, link: Link) -> bool:
    """Return whether an element is a part of the book rather than a note."""
    name = local_name(element)
    if name not in ("section", "article", "div") or _is_note(element):
        return False
    if any(local_name(e) in HEADINGS for e in element.iterdescendants()):
        return True
    n_blocks = 0 if name == "div" else sum(local_name(e) in BLOCKS for e in element)
    return n_blocks > 1 and not _is_label_of(element[0], link)


def _is_note(element: Element) -> bool:
    return bool(types(element) & NOTE_TYPES) or bool(_WORDS_NOTE.search(element.get("style") or ""))


def _holds_one(parent: Element, child: Element, targeted: set[Element]) -> bool:
    name = local_name(parent)
    if name == "div" and _is_one_of_divisions(parent, child, targeted):
        return True
    if not (
        name in _HOLDERS or _is_note(parent) or (name in ("div", "tr", "table") and is_declared_notes(parent))
    ):
        return False
    if name not in _HOLDERS and not _is_note(parent) and _lists(parent, child):
        return False
    return not any(e in targeted and e is not parent and not _inside(e, child) for e in parent.iter())


def _is_one_of_divisions(parent: Element, child: Element, targeted: set[Element]) -> bool:
    """Return whether a division is one of several, side by side, that each begin with the paragraph cited."""
    if parent.index(child) or len(parent) > _MOST_PARAGRAPHS or local_name(child) != "p":
        return False
    for beside in (parent.getprevious(), parent.getnext()):
        if beside is not None and local_name(beside) == "div" and len(beside):
            first = {*beside[0].iter()}
            if targeted & first and local_name(beside[0]) == "p":
                inside = sum(element in targeted for e in (parent, beside) for element in e.iter())
                return inside <= 2
    return False


def _lists(parent: Element, child: Element) -> bool:
    """Return whether an element of a note's class holds more than the note: a list of notes."""
    return any(has_text(e) for e in child.itersiblings(preceding=True)) or any(
        is_declared_notes(e) for e in child.itersiblings()
    )


def _inside(element: Element, outer: Element) -> bool:
    return element is outer or any(e is outer for e in element.iterancestors())


def _rather_text(citing: Sequence[Link], holders: dict[Element, Element]) -> set[Element]:
    """Return the holders that cite more than they are cited, and that nothing but a link makes a note."""
    cited: dict[Element, list[Link]] = {}
    for link in citing:
        if (holder := holders.get(link.element)) is not None:
            cited.setdefault(holder, []).append(link)
    n_inside: dict[Element, int] = {}
    for link in citing:
        for outer in link.element.iterancestors():
            if outer in cited:
                n_inside[outer] = n_inside.get(outer, 0) + 1
                break
    return {
        holder
        for holder, n in n_inside.items()
        if n > len(cited[holder])
        and not is_among_notes(holder)
        and not begins_with(text_of(holder), cited[holder][0].label)
    }


def _notes_in_reading_order(
    documents: Sequence[Document], keys: dict[Element, str], labels: dict[str, str], targeted: set[Element]
) -> list[NoteElements]:
    """Return the notes as they follow each other in the documents.

    A note that no mark labels has the number of its item in a numbered list, if it is one.

    Args:
        documents: in reading order.
        keys: of each element that is a note.
        labels: of the marks that cite a note, by its key.
        targeted: the elements to which marks lead.
    """
    notes = []
    list_numbers = _numbers(element for element, key in keys.items() if not labels.get(key))
    roots = {element.getroottree().getroot() for element in keys}
    for document in documents:
        for element in document.root.iter() if document.root.getroottree().getroot() in roots else ():
            key = keys.get(element)
            if key is not None:
                label = labels.get(key) or list_numbers.get(element, "")
                after = (
                    *_definitions(element, keys),
                    *_continued(element, targeted),
                    *_labelled(element, label, targeted),
                )
                elements = (element, *after)
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


def _continued(element: Element, targeted: set[Element]) -> list[Element]:
    """Return the further paragraphs of a note that is a paragraph of a note's class."""
    paragraphs: list[Element] = []
    if local_name(element) != "p":
        return paragraphs
    if not is_declared_notes(element):
        return _until_next_note(element, targeted)
    for following in element.itersiblings():
        if local_name(following) != "p" or not is_declared_notes(following) or targeted & {*following.iter()}:
            break
        text = text_of(following)
        if not text[:1].isalpha() or any(is_raised(e) and begins_line(e) for e in following):
            break  # a note of its own: "2. See…"
        paragraphs.append(following)
    return paragraphs


def _until_next_note(element: Element, targeted: set[Element]) -> list[Element]:
    """Return the paragraphs between two notes, if none of them cites a note: they go on with the first."""
    paragraphs: list[Element] = []
    for following in element.itersiblings():
        if local_name(following) != "p" or len(paragraphs) > _MOST_PARAGRAPHS:
            return []
        inside = {*following.iter()}
        if targeted & inside:
            return paragraphs
        # A note that nothing cites begins with its number; a paragraph of text may cite.
        if not text_of(following)[:1].isalpha() or any(local_name(e) in ("a", "sup") for e in inside):
            return []
        paragraphs.append(following)
    return []


def _labelled(element: Element, label: str, targeted: set[Element]) -> list[Element]:
    """Return what follows a block that holds only the label of a note: the note itself.

    After a paragraph, that is one block; after a heading, all to the next note or heading.
    """
    following = element.getnext()
    if following is None or not label or not _is_label_text(text_of(element), label):
        return []
    if local_name(element) in HEADINGS:
        below = takewhile(lambda e: not _begins_other(e, targeted), element.itersiblings())
        return [e for e in below if local_name(e) in BLOCKS]
    if local_name(element) != "p":
        return []
    name = local_name(following)
    if name not in BLOCKS or name in HEADINGS or targeted & {*following.iter()}:
        return []
    return [following]


def _begins_other(element: Element, targeted: set[Element]) -> bool:
    return local_name(element) in HEADINGS or bool(targeted & {*element.iter()})


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
    notes: Sequence[NoteElements],
    cites: dict[Element, str],
    roles: dict[Element, Role],
    targets: dict[tuple[str, str], Element],
) -> Iterator[Element]:
    for note in notes:
        before: Element | None = None
        for element in (e for holder in note.elements for e in holder.iter()):
            if element in cites:
                continue
            if before is not None and _goes_on(element, before):
                before = element
                yield element
                continue
            if local_name(element) != "a":
                if local_name(element) == "sup" and _is_label(element, note):
                    yield element
                continue
            # A number that is not the note's is a part of it: that of the line it explains.
            text = text_of(element)
            by_role = roles.get(element) is Role.LEADS_BACK and not label_of(text).isdigit()
            if by_role or _leads_back(element, text, note, targets):
                before = element
                yield element


def _goes_on(link: Element, before: Element) -> bool:
    """Return whether a link is a letter with nothing between it and a link back: "^ a b", as in MediaWiki."""
    if local_name(link) != "a" or not _LETTER.fullmatch(text_of(link)) or not link.get("href"):
        return False
    for element in link, *link.iterancestors():
        earlier = element.getprevious()
        if earlier is not None:
            return not (earlier.tail or "").strip() and any(e is before for e in earlier.iter())
        parent = element.getparent()
        if parent is None or local_name(element) in BLOCKS or (parent.text or "").strip():
            return False
    return False


def _is_label(raised: Element, note: NoteElements) -> bool:
    """Return whether a raised number or sign is the label of a note, with which its text begins."""
    if any(local_name(e) == "a" for e in raised.iter()) or label_of(text_of(raised)) != note.label:
        return False
    return begins_line(raised) and text_of(note.elements[0]).startswith(text_of(raised))


def _leads_back(
    element: Element, text: str, note: NoteElements, targets: dict[tuple[str, str], Element]
) -> bool:
    if is_declared_back(element):
        return True
    href = element.get("href")
    if not href or not (is_back_sign(text) or is_mark(text)) or (place := resolve(note.path, href)) is None:
        return False
    return is_back_sign(text) or ((fold(place[0]), place[1]) in targets and label_of(text) == note.label)
