"""Finds the notes of a book: the elements that marks lead to, with the marks and the links back.

A mark is the link in the text that cites a note; a label is the number or sign printed before the note.

`links` and `unlinked` find the links that cite notes; `extent` finds the elements of a note.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from alexandria.extract.markup.elements import BLOCKS
from alexandria.extract.markup.tree import Document, Element, fold, local_name, resolve, text_of
from alexandria.extract.notes import marks
from alexandria.extract.notes.extent import element_of_note, further_elements
from alexandria.extract.notes.links import Link, Role, is_among_notes, links_of, roles_of, targets_of
from alexandria.extract.notes.unlinked import (
    links_from_backlinks,
    links_from_labels,
    links_from_quoted_words,
)

_LETTER = re.compile("[a-z]")


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
        """Return the links without the notes of these keys, which become text, as do their labels.

        Arrows in these notes still count as links back: they are no text.
        """
        dropped = [note for note in self.notes if note.key in keys]
        in_dropped = {e for note in dropped for outer in note.elements for e in outer.iter()}
        return NoteLinks(
            notes=tuple(note for note in self.notes if note.key not in keys),
            cites={mark: key for mark, key in self.cites.items() if key not in keys},
            backlinks=frozenset(
                e for e in self.backlinks if e not in in_dropped or marks.is_back_sign(text_of(e))
            ),
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
    note_of_mark = _notes_of_marks(citing, cited_targets)
    keys: dict[Element, str] = {}  # by the element that holds the note
    labels: dict[str, str] = {}
    cites: dict[Element, str] = {}
    for link in sorted(citing, key=lambda link: link.number):
        note = note_of_mark.get(link.element)
        if note is not None:
            # The first mark that cites a note gives it its key and label.
            key = keys.setdefault(note, link.key)
            labels.setdefault(key, link.label)
            cites[link.element] = key
        elif marks.is_declared_cite(link.element):
            cites[link.element] = ""
    notes = tuple(_notes_in_reading_order(documents, keys, labels, cited_targets))
    backlinks = {*_find_backlinks(notes, cites, roles, targets)}
    # Also the arrows in notes that nothing cites.
    arrows = (link.element for link in links if marks.is_back_sign(link.text) and link.element not in cites)
    backlinks |= {element for element in arrows if element not in backlinks and is_among_notes(element)}
    return NoteLinks(notes, cites, frozenset(backlinks))


def _notes_of_marks(citing_links: Sequence[Link], cited_targets: Set[Element]) -> dict[Element, Element]:
    """Return, for each mark, the element that holds the note which it cites."""
    # A mark is left out if its target is no note, or proves to be text, which cites more than it is cited.
    note_of_mark: dict[Element, Element] = {}
    for link in citing_links:
        note = element_of_note(link, cited_targets)
        if note is not None:
            note_of_mark[link.element] = note
    text_elements = _text_among_notes(citing_links, note_of_mark)
    return {mark: note for mark, note in note_of_mark.items() if note not in text_elements}


def _text_among_notes(citing: Sequence[Link], note_of_mark: Mapping[Element, Element]) -> set[Element]:
    """Return the elements among the cited ones that are text rather than notes."""
    # They cite more often than they are cited, and neither a declaration nor a label makes them notes.
    links_to: dict[Element, list[Link]] = {}
    for link in citing:
        note = note_of_mark.get(link.element)
        if note is not None:
            links_to.setdefault(note, []).append(link)
    n_marks_inside: Counter[Element] = Counter()
    for link in citing:
        innermost = next((outer for outer in link.element.iterancestors() if outer in links_to), None)
        if innermost is not None:
            n_marks_inside[innermost] += 1
    return {
        element
        for element, n_marks in n_marks_inside.items()
        if n_marks > len(links_to[element])
        and not is_among_notes(element)
        and not marks.begins_with_label(text_of(element), links_to[element][0].label)
    }


def _notes_in_reading_order(
    documents: Sequence[Document],
    keys: Mapping[Element, str],
    labels: Mapping[str, str],
    cited_targets: Set[Element],
) -> Iterator[NoteElements]:
    """Yield the notes in the order of the documents, each with the elements in which it continues."""
    # A note whose marks have no label gets the number of its item, if it is in a numbered list.
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
            further = further_elements(element, label, keys, cited_targets)
            yield NoteElements(key=key, label=label, path=document.path, elements=(element, *further))


def _item_numbers(notes: Iterable[Element]) -> dict[Element, str]:
    """Return the number that is shown before each item of the numbered lists that contain these notes."""
    numbers: dict[Element, str] = {}
    for parent in {note.getparent() for note in notes}:
        if parent is None or local_name(parent) != "ol":
            continue
        stated_start = re.fullmatch(r"\d{1,9}", parent.get("start", ""))  # longer numbers cannot be real
        first_number = int(stated_start[0]) if stated_start else 1
        items = (e for e in parent if local_name(e) == "li")
        numbers.update((item, str(number)) for number, item in enumerate(items, first_number))
    return numbers


def _find_backlinks(
    notes: Sequence[NoteElements],
    cites: Mapping[Element, str],
    roles: Mapping[Element, Role],
    targets: Mapping[tuple[str, str], Element],
) -> Iterator[Element]:
    """Yield the elements in notes that are not their text: links back, and labels in superscript."""
    # `cites`: the marks, which may also be in notes; they are not links back.
    for note in notes:
        previous: Element | None = None  # the last link back in this note
        for element in (e for outer in note.elements for e in outer.iter()):
            if element in cites:
                continue
            if local_name(element) == "sup":
                if _is_raised_label(element, note):
                    yield element
            elif local_name(element) == "a":
                is_further = previous is not None and _is_further_backlink(element, previous)
                if is_further or _leads_back(element, note, roles, targets):
                    previous = element
                    yield element


def _is_further_backlink(link: Element, previous: Element) -> bool:
    """Return whether a link is a letter right after another link back, as in MediaWiki's "^ a b"."""
    if not link.get("href") or not _LETTER.fullmatch(text_of(link)):
        return False
    for element in (link, *link.iterancestors()):
        earlier = element.getprevious()
        if earlier is not None:
            return not (earlier.tail or "").strip() and any(e is previous for e in earlier.iter())
        parent = element.getparent()
        if parent is None or local_name(element) in BLOCKS or (parent.text or "").strip():
            return False
    return False


def _is_raised_label(raised: Element, note: NoteElements) -> bool:
    """Return whether a superscript without a link is the label at the beginning of a note's text."""
    if any(local_name(e) == "a" for e in raised.iter()) or marks.label_of(text_of(raised)) != note.label:
        return False
    return marks.begins_line(raised) and text_of(note.elements[0]).startswith(text_of(raised))


def _leads_back(
    link: Element,
    note: NoteElements,
    roles: Mapping[Element, Role],
    targets: Mapping[tuple[str, str], Element],
) -> bool:
    """Return whether a link in a note leads back: by role, declaration, arrow, or the note's label."""
    text = text_of(link)
    # A number needs more than its role: it may be the number of the line that the note explains.
    if roles.get(link) is Role.LEADS_BACK and not marks.label_of(text).isdigit():
        return True
    if marks.is_declared_back(link):
        return True
    href = link.get("href")
    place = resolve(note.path, href) if href and (marks.is_back_sign(text) or marks.is_mark(text)) else None
    if place is None:
        return False
    path, id = place
    is_own_label = (fold(path), id) in targets and marks.label_of(text) == note.label
    return marks.is_back_sign(text) or is_own_label
