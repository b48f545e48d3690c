"""Finds the elements of one note: the one that holds it, and those after it in which it continues.

A mark is the link in the text that cites a note; a label is the number or sign printed before the note.
"""

import re
from collections.abc import Mapping, Set
from itertools import takewhile

from alexandria.extract.markup.elements import BLOCKS, HEADINGS
from alexandria.extract.markup.tree import Element, has_text, identifier, local_name, text_of, types
from alexandria.extract.notes import marks
from alexandria.extract.notes.links import Link, find_note_block

_NOTE_STYLE = re.compile(r"mso-element\s*:\s*(?:foot|end)note\s*(?:;|$)")  # Word's style of a single note
_MAX_PARAGRAPHS = 8  # paragraphs of one note, where nothing declares them to be notes
_HOLDERS = frozenset(["li", "aside", "dd", "tr"])
"""Elements that can hold a whole note. Of others, only the block that the mark leads to is the note."""


def element_of_note(link: Link, cited_targets: Set[Element]) -> Element | None:
    """Return the element that holds the whole note a link leads to, or None if its target is not a note.

    Climbs from the target's block as long as the parent holds only this note.
    """
    element = find_note_block(link.target) if link.target is not None else None
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
    """Return whether a block is a note's label alone, and links to the mark from there or below it."""
    mark_id = identifier(link.element)
    if not mark_id or not _is_label(text_of(block), link.label):
        return False
    below = takewhile(lambda e: local_name(e) not in HEADINGS, block.itersiblings())
    hrefs = (e.get("href") or "" for part in (block, *below) for e in part.iter("{*}a"))
    return any(href.rpartition("#")[2] == mark_id for href in hrefs)


def _is_label(text: str, label: str) -> bool:
    """Return whether a text is a note's label and nothing else: `3`, `[3]`, `Note 3`."""
    return marks.label_of(text) == label or (
        bool(label) and re.fullmatch(marks.label_pattern(label), text) is not None
    )


def _is_division(element: Element, link: Link) -> bool:
    """Return whether the element that a link leads to is a part of the book rather than a note."""
    name = local_name(element)
    if name not in ("section", "article", "div") or _is_note(element):
        return False
    if any(local_name(e) in HEADINGS for e in element.iterdescendants()):
        return True
    if name == "div":
        return False
    # A note has one block, or its label in a block above the others.
    n_blocks = sum(local_name(e) in BLOCKS for e in element)
    return n_blocks > 1 and not _is_label_of_note(element[0], link)


def _is_note(element: Element) -> bool:
    return bool(types(element) & marks.NOTE_TYPES) or bool(_NOTE_STYLE.search(element.get("style") or ""))


def _holds_one_note(parent: Element, child: Element, cited_targets: Set[Element]) -> bool:
    """Return whether the note to which a mark leads is the whole parent, rather than this child alone."""
    name = local_name(parent)
    if name == "div" and _is_one_of_note_divisions(parent, child, cited_targets):
        return True
    is_declared = name in ("div", "tr", "table") and marks.is_declared_notes(parent)
    may_hold_note = name in _HOLDERS or _is_note(parent) or (is_declared and not _is_among_others(child))
    targets_inside = (e for e in parent.iter() if e in cited_targets and e is not parent)
    return may_hold_note and all(_is_inside(target, child) for target in targets_inside)


def _is_one_of_note_divisions(parent: Element, child: Element, cited_targets: Set[Element]) -> bool:
    """Return whether a division and its neighbour are one note each: marks lead to their first paragraphs."""
    # In `<div><p id="n1">1. See…</p><p>He…</p></div><div><p id="n2">2. See…</p></div>`, both are.
    if parent[0] is not child or len(parent) > _MAX_PARAGRAPHS or local_name(child) != "p":
        return False
    for neighbour in (parent.getprevious(), parent.getnext()):
        if neighbour is None or local_name(neighbour) != "div" or not len(neighbour):
            continue
        first = neighbour[0]
        if local_name(first) == "p" and _holds_target(first, cited_targets):
            n_targets = sum(e in cited_targets for e in (*parent.iter(), *neighbour.iter()))
            return n_targets <= 2  # one in each
    return False


def _is_among_others(note: Element) -> bool:
    """Return whether its parent has text before a note, or another declared note after it."""
    has_text_before = any(has_text(e) for e in note.itersiblings(preceding=True))
    return has_text_before or any(marks.is_declared_notes(e) for e in note.itersiblings())


def _is_inside(element: Element, outer: Element) -> bool:
    return element is outer or any(e is outer for e in element.iterancestors())


def further_elements(
    element: Element, label: str, keys: Mapping[Element, str], cited_targets: Set[Element]
) -> list[Element]:
    """Return the elements after the one that holds a note or its beginning, in which the note continues.

    Args:
        label: the label of the note; empty if it has none.
    """
    name = local_name(element)
    if name == "dt":
        return _find_definitions(element, keys)
    is_label_alone = bool(label) and _is_label(text_of(element), label)
    if name in HEADINGS:
        return _blocks_below_heading(element, cited_targets) if is_label_alone else []
    if name != "p":
        return []
    if marks.is_declared_notes(element):
        paragraphs = _declared_paragraphs(element, cited_targets)
    else:
        paragraphs = _paragraphs_until_next_note(element, cited_targets)
    return paragraphs or (_block_below(element, cited_targets) if is_label_alone else [])


def _find_definitions(term: Element, keys: Mapping[Element, str]) -> list[Element]:
    """Return the `dd` elements after a `dt` to which a mark leads: they are the note itself."""
    return [*takewhile(lambda e: local_name(e) == "dd" and e not in keys, term.itersiblings())]


def _declared_paragraphs(note: Element, cited_targets: Set[Element]) -> list[Element]:
    """Return the paragraphs after a note that are declared to be notes too, and that no mark cites."""
    paragraphs: list[Element] = []
    for following in note.itersiblings():
        if local_name(following) != "p" or not marks.is_declared_notes(following):
            break
        begins_with_mark = any(marks.is_raised(e) and marks.begins_line(e) for e in following)
        has_label = begins_with_mark or not text_of(following)[:1].isalpha()
        if has_label or _holds_target(following, cited_targets):
            break  # a note of its own: "2. See…"
        paragraphs.append(following)
    return paragraphs


def _paragraphs_until_next_note(note: Element, cited_targets: Set[Element]) -> list[Element]:
    """Return the paragraphs between a note and the next one to which a mark leads."""
    # Nothing declares them to be notes. If they may be text, none are returned: if there are many, if one of
    # them may hold a mark, or if no other note follows.
    paragraphs: list[Element] = []
    for following in note.itersiblings():
        if local_name(following) != "p" or len(paragraphs) > _MAX_PARAGRAPHS:
            return []
        if _holds_target(following, cited_targets):
            return paragraphs
        # A number begins a note that nothing cites; a link or a superscript may be a mark in text.
        may_hold_mark = any(local_name(e) in ("a", "sup") for e in following.iter())
        if not text_of(following)[:1].isalpha() or may_hold_mark:
            return []
        paragraphs.append(following)
    return []


def _blocks_below_heading(heading: Element, cited_targets: Set[Element]) -> list[Element]:
    """Return the blocks between a heading and the next note or heading."""
    below = takewhile(
        lambda e: local_name(e) not in HEADINGS and not _holds_target(e, cited_targets),
        heading.itersiblings(),
    )
    return [e for e in below if local_name(e) in BLOCKS]


def _block_below(paragraph: Element, cited_targets: Set[Element]) -> list[Element]:
    """Return the block right after a paragraph, unless it is a heading or belongs to another note."""
    following = paragraph.getnext()
    if following is None or local_name(following) not in BLOCKS or local_name(following) in HEADINGS:
        return []
    return [] if _holds_target(following, cited_targets) else [following]


def _holds_target(element: Element, cited_targets: Set[Element]) -> bool:
    return any(e in cited_targets for e in element.iter())
