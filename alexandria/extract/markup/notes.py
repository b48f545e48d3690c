"""Finds the notes of a book: the elements that marks lead to, with the marks and the links back.

`links` decides which links cite notes; here, the whole note is found around the target of each.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import takewhile

from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.keyed import links_from_quoted_words
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
    begins_with_label,
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
from alexandria.extract.markup.unlinked import UNNAMED, links_from_backlinks, links_from_labels

__all__ = ["UNNAMED", "NoteElements", "NoteLinks", "find_notes"]

_NOTE_STYLE = re.compile(r"mso-element\s*:\s*(?:foot|end)note\s*(?:;|$)")
"""Word's style of a single note."""
_MAX_PARAGRAPHS = 8
"""Paragraphs of one note, where nothing declares them to be notes."""
_LETTER = re.compile("[a-z]")
_HOLDERS = frozenset(["li", "aside", "dd", "tr"])
"""Elements that can hold a whole note. Of others, only the block that the mark leads to is the note."""


@dataclass(frozen=True, slots=True)
class NoteElements:
    """A note: its elements, and the label of the first mark that cites it."""

    key: str
    label: str
    path: str
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """The notes of a book, the marks that cite them, and the links that lead back from them."""

    notes: tuple[NoteElements, ...] = ()
    cites: dict[Element, str] = field(default_factory=dict)
    """The key of the note that each mark cites; empty for a mark that is declared but leads to no note."""
    backlinks: frozenset[Element] = frozenset()

    def without(self, keys: Set[str]) -> "NoteLinks":
        """Return the links without some notes, which become text; their labels become text too."""
        dropped = [note for note in self.notes if note.key in keys]
        in_dropped = {e for note in dropped for root in note.elements for e in root.iter()}
        return NoteLinks(
            notes=tuple(note for note in self.notes if note.key not in keys),
            cites={element: key for element, key in self.cites.items() if key not in keys},
            backlinks=frozenset(e for e in self.backlinks if e not in in_dropped or is_back_sign(text_of(e))),
        )


def find_notes(documents: Sequence[Document]) -> NoteLinks:
    """Return the notes of a book that are cited, in reading order."""
    targets = targets_of(documents)
    links = list(links_of(documents, targets))
    roles = roles_of(links)
    citing = [link for link in links if roles[link.element] is Role.CITES]
    citing += links_from_backlinks(links, roles, citing)
    citing += links_from_labels(documents, citing)
    citing += links_from_quoted_words(documents)
    cited_targets = {link.target for link in citing if link.target is not None}
    holders = {
        link.element: holder
        for link in citing
        if (holder := _element_of_note(link, cited_targets)) is not None
    }
    text_holders = _text_holders(citing, holders)
    keys: dict[Element, str] = {}
    labels: dict[str, str] = {}
    cites: dict[Element, str] = {}
    for link in sorted(citing, key=lambda link: link.number):
        holder = holders.get(link.element)
        if holder is None or holder in text_holders:
            if is_declared_cite(link.element):
                cites[link.element] = ""
            continue
        key = keys.setdefault(holder, link.key)
        cites[link.element] = key
        labels.setdefault(key, link.label)
    notes = tuple(_notes_in_reading_order(documents, keys, labels, cited_targets))
    backlinks = {*_backlinks(notes, cites, roles, targets)}
    # Also the arrows in notes that nothing cites.
    arrows = (link.element for link in links if is_back_sign(link.text) and link.element not in cites)
    backlinks |= {element for element in arrows if element not in backlinks and is_among_notes(element)}
    return NoteLinks(notes, cites, frozenset(backlinks))


def _element_of_note(link: Link, cited_targets: set[Element]) -> Element | None:
    """Return the element that holds the whole note a link leads to, or None if its target is not a note.

    Climbs from the target's block as long as the parent holds only this note.

    Args:
        link: a link that seems to cite a note.
        cited_targets: the targets of all such links.
    """
    element = note_block(link.target) if link.target is not None else None
    if element is None:
        return None
    while (parent := element.getparent()) is not None and _holds_one_note(parent, element, cited_targets):
        element = parent
    name = local_name(element)
    if name in HEADINGS:
        return element if _is_label_of_note(element, link) else None
    if name in ("body", "html") or _is_division(element, link):
        return None
    # A block that also holds the mark is the text that cites the note.
    return None if _is_inside(link.element, element) else element


def _is_label_of_note(block: Element, link: Link) -> bool:
    """Return whether a block holds only a note's label, and it or what is below it links back to `link`."""
    if not _is_label(text_of(block), link.label):
        return False
    id = identifier(link.element) or ""
    below = takewhile(lambda e: local_name(e) not in HEADINGS, block.itersiblings())
    links = (e for part in (block, *below) for e in part.iter("{*}a"))
    return bool(id) and any((e.get("href") or "").rpartition("#")[2] == id for e in links)


def _is_label(text: str, label: str) -> bool:
    """Return whether a text is a note's label and nothing else: `3`, `[3]`, `Note 3`."""
    return label_of(text) == label or (bool(label) and re.fullmatch(label_pattern(label), text) is not None)


def _is_division(element: Element, link: Link) -> bool:
    """Return whether an element is a part of the book rather than a note."""
    name = local_name(element)
    if name not in ("section", "article", "div") or _is_note(element):
        return False
    if any(local_name(e) in HEADINGS for e in element.iterdescendants()):
        return True
    if name == "div":
        return False
    n_blocks = sum(local_name(e) in BLOCKS for e in element)
    return n_blocks > 1 and not _is_label_of_note(element[0], link)


def _is_note(element: Element) -> bool:
    """Return whether an element is declared to be one note."""
    return bool(types(element) & NOTE_TYPES) or bool(_NOTE_STYLE.search(element.get("style") or ""))


def _holds_one_note(parent: Element, child: Element, cited_targets: set[Element]) -> bool:
    """Return whether a note is not only the child that a mark leads to, but the whole parent."""
    name = local_name(parent)
    if name == "div" and _is_one_of_note_divisions(parent, child, cited_targets):
        return True
    is_one_note = name in _HOLDERS or _is_note(parent)
    if not is_one_note and not (name in ("div", "tr", "table") and is_declared_notes(parent)):
        return False
    if not is_one_note and _is_among_others(child):
        return False
    return not any(e in cited_targets and e is not parent and not _is_inside(e, child) for e in parent.iter())


def _is_one_of_note_divisions(parent: Element, child: Element, cited_targets: set[Element]) -> bool:
    """Return whether a division and its neighbour are one note each: marks lead to their first paragraphs."""
    if parent.index(child) or len(parent) > _MAX_PARAGRAPHS or local_name(child) != "p":
        return False
    for neighbour in (parent.getprevious(), parent.getnext()):
        if neighbour is None or local_name(neighbour) != "div" or not len(neighbour):
            continue
        if local_name(neighbour[0]) == "p" and cited_targets & {*neighbour[0].iter()}:
            n_targets = sum(e in cited_targets for e in (*parent.iter(), *neighbour.iter()))
            return n_targets <= 2  # one in each
    return False


def _is_among_others(note: Element) -> bool:
    """Return whether there is text before a note, or another declared note after it, in the same parent."""
    has_text_before = any(has_text(e) for e in note.itersiblings(preceding=True))
    return has_text_before or any(is_declared_notes(e) for e in note.itersiblings())


def _is_inside(element: Element, outer: Element) -> bool:
    return element is outer or any(e is outer for e in element.iterancestors())


def _text_holders(citing: Sequence[Link], holders: dict[Element, Element]) -> set[Element]:
    """Return the holders that are text rather than notes.

    They cite more often than they are cited, and neither a declaration nor a label makes them notes.
    """
    links_to: dict[Element, list[Link]] = {}
    for link in citing:
        if (holder := holders.get(link.element)) is not None:
            links_to.setdefault(holder, []).append(link)
    n_inside: dict[Element, int] = {}
    for link in citing:
        for outer in link.element.iterancestors():
            if outer in links_to:
                n_inside[outer] = n_inside.get(outer, 0) + 1
                break
    return {
        holder
        for holder, n in n_inside.items()
        if n > len(links_to[holder])
        and not is_among_notes(holder)
        and not begins_with_label(text_of(holder), links_to[holder][0].label)
    }


def _notes_in_reading_order(
    documents: Sequence[Document],
    keys: dict[Element, str],
    labels: dict[str, str],
    cited_targets: set[Element],
) -> list[NoteElements]:
    """Return the notes in the order of the documents, each with the blocks in which it continues.

    A note whose marks have no label gets the number of its item, if it is in a numbered list.

    Args:
        documents: in reading order.
        keys: the key of each element that holds a note.
        labels: the label of the first mark that cites each note, by the note's key.
        cited_targets: the elements to which marks lead.
    """
    notes = []
    item_numbers = _item_numbers(element for element, key in keys.items() if not labels.get(key))
    roots_with_notes = {element.getroottree().getroot() for element in keys}  # the others are not walked
    for document in documents:
        if document.root.getroottree().getroot() not in roots_with_notes:
            continue
        for element in document.root.iter():
            key = keys.get(element)
            if key is None:
                continue
            label = labels.get(key) or item_numbers.get(element, "")
            elements = (
                element,
                *_definitions(element, keys),
                *_further_paragraphs(element, cited_targets),
                *_blocks_below_label(element, label, cited_targets),
            )
            notes.append(NoteElements(key, label, document.path, elements))
    return notes


def _definitions(element: Element, keys: dict[Element, str]) -> list[Element]:
    """Return the `dd` elements after a `dt` to which a mark leads: they are the note itself."""
    if local_name(element) != "dt":
        return []
    definitions = []
    for following in element.itersiblings():
        if local_name(following) != "dd" or following in keys:
            break
        definitions.append(following)
    return definitions


def _further_paragraphs(element: Element, cited_targets: set[Element]) -> list[Element]:
    """Return the paragraphs on which a note continues that is a paragraph itself."""
    paragraphs: list[Element] = []
    if local_name(element) != "p":
        return paragraphs
    if not is_declared_notes(element):
        return _until_next_note(element, cited_targets)
    for following in element.itersiblings():
        if (
            local_name(following) != "p"
            or not is_declared_notes(following)
            or cited_targets & {*following.iter()}
        ):
            break
        text = text_of(following)
        if not text[:1].isalpha() or any(is_raised(e) and begins_line(e) for e in following):
            break  # a note of its own: "2. See…"
        paragraphs.append(following)
    return paragraphs


def _until_next_note(element: Element, cited_targets: set[Element]) -> list[Element]:
    """Return the paragraphs between a note and the next one, if they can only continue the first.

    Nothing declares them to be notes, so that they are refused if there are many or one of them cites a note.
    """
    paragraphs: list[Element] = []
    for following in element.itersiblings():
        if local_name(following) != "p" or len(paragraphs) > _MAX_PARAGRAPHS:
            return []
        inside = {*following.iter()}
        if cited_targets & inside:
            return paragraphs
        # A number begins a note that nothing cites; a link or a superscript may be a mark in text.
        if not text_of(following)[:1].isalpha() or any(local_name(e) in ("a", "sup") for e in inside):
            return []
        paragraphs.append(following)
    return []


def _blocks_below_label(element: Element, label: str, cited_targets: set[Element]) -> list[Element]:
    """Return the blocks of a note that are below a block with only its label; none for any other block.

    Below a paragraph, this is one block; below a heading, all blocks up to the next note or heading.
    """
    following = element.getnext()
    if following is None or not label or not _is_label(text_of(element), label):
        return []
    if local_name(element) in HEADINGS:
        below = takewhile(lambda e: not _ends_note(e, cited_targets), element.itersiblings())
        return [e for e in below if local_name(e) in BLOCKS]
    if local_name(element) != "p":
        return []
    name = local_name(following)
    if name not in BLOCKS or name in HEADINGS or cited_targets & {*following.iter()}:
        return []
    return [following]


def _ends_note(element: Element, cited_targets: set[Element]) -> bool:
    """Return whether an element after a note belongs to the next note or section."""
    return local_name(element) in HEADINGS or bool(cited_targets & {*element.iter()})


def _item_numbers(notes: Iterable[Element]) -> dict[Element, str]:
    """Return the number that is shown before each item of the numbered lists that contain these notes."""
    numbers: dict[Element, str] = {}
    for parent in {note.getparent() for note in notes}:
        if parent is None or local_name(parent) != "ol":
            continue
        start = re.fullmatch(r"\d{1,9}", parent.get("start", ""))  # longer numbers cannot be real
        first_number = int(start[0]) if start else 1
        items = (e for e in parent if local_name(e) == "li")
        numbers.update((item, str(number)) for number, item in enumerate(items, first_number))
    return numbers


def _backlinks(
    notes: Sequence[NoteElements],
    cites: dict[Element, str],
    roles: dict[Element, Role],
    targets: dict[tuple[str, str], Element],
) -> Iterator[Element]:
    """Yield the elements in notes that are not their text: links back, and labels in superscript.

    Args:
        notes: the notes.
        cites: the marks, which may also be in notes; they are not links back.
        roles: of all links.
        targets: the elements that links can lead to, by path and id.
    """
    for note in notes:
        previous: Element | None = None
        for element in (e for holder in note.elements for e in holder.iter()):
            if element in cites:
                continue
            if previous is not None and _is_further_backlink(element, previous):
                previous = element
                yield element
                continue
            if local_name(element) != "a":
                if local_name(element) == "sup" and _is_raised_label(element, note):
                    yield element
                continue
            text = text_of(element)
            # A number needs more than its role: it may be that of the line which the note explains.
            by_role = roles.get(element) is Role.LEADS_BACK and not label_of(text).isdigit()
            if by_role or _leads_back(element, text, note, targets):
                previous = element
                yield element


def _is_further_backlink(link: Element, previous: Element) -> bool:
    """Return whether a link is a letter right after another link back, as in MediaWiki's "^ a b"."""
    if local_name(link) != "a" or not _LETTER.fullmatch(text_of(link)) or not link.get("href"):
        return False
    for element in link, *link.iterancestors():
        earlier = element.getprevious()
        if earlier is not None:
            return not (earlier.tail or "").strip() and any(e is previous for e in earlier.iter())
        parent = element.getparent()
        if parent is None or local_name(element) in BLOCKS or (parent.text or "").strip():
            return False
    return False


def _is_raised_label(raised: Element, note: NoteElements) -> bool:
    """Return whether a superscript without a link is the label at the beginning of a note's text."""
    if any(local_name(e) == "a" for e in raised.iter()) or label_of(text_of(raised)) != note.label:
        return False
    return begins_line(raised) and text_of(note.elements[0]).startswith(text_of(raised))


def _leads_back(
    element: Element, text: str, note: NoteElements, targets: dict[tuple[str, str], Element]
) -> bool:
    """Return whether a link in a note leads back, by declaration, by an arrow, or by the note's own label."""
    if is_declared_back(element):
        return True
    href = element.get("href")
    if not href or not (is_back_sign(text) or is_mark(text)) or (place := resolve(note.path, href)) is None:
        return False
    path, id = place
    return is_back_sign(text) or ((fold(path), id) in targets and label_of(text) == note.label)
