"""The links that cite notes and those that lead back from them.

EPUB 3 declares both (`epub:type`, `role`); other books only link a number or a sign to a paragraph, which
often links back. Which of two such links cites is seen from where they are: a mark that cites follows a word;
the mark of a note begins its line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from alexandria.extract.markup.elements import BLOCKS, link_text
from alexandria.extract.markup.marks import (
    adheres,
    begins_line,
    begins_with,
    is_back_sign,
    is_declared_back,
    is_declared_cite,
    is_mark,
    is_noted,
    is_printed_as_mark,
    is_raised,
    label_of,
)
from alexandria.extract.markup.tree import (
    Document,
    Element,
    body_of,
    fold,
    has_text,
    identifier,
    linked_elements,
    local_name,
    named_elements,
    resolve,
    text_of,
)

_REACH = 5
"""Blocks around a link in which its partner's target may be: a list item or a row of a table around it."""
_MOST_CANDIDATES = 200
"""Links in the block that a link leads to; one with more is no note and no paragraph, but a page."""


class Role(Enum):
    """What a link is to a note."""

    CITES = 1
    LEADS_BACK = 2
    NEITHER = 3


@dataclass(frozen=True, slots=True)
class Link:
    """A link that may be a note's mark, or lead back from one."""

    document: Document
    element: Element
    text: str
    key: str
    target: Element | None
    number: int
    """Its place among the links of the book."""

    @property
    def label(self) -> str:
        """The mark without its brackets."""
        return label_of(self.text)


def targets_of(documents: Sequence[Document]) -> dict[tuple[str, str], Element]:
    """Return the elements that links can lead to, by folded path and id."""
    targets: dict[tuple[str, str], Element] = {}
    for document in documents:
        path = fold(document.path)
        for element in named_elements(document.root):
            if id := identifier(element):
                targets.setdefault((path, id), element)
    return targets


def links_of(documents: Sequence[Document], targets: dict[tuple[str, str], Element]) -> Iterator[Link]:
    """Yield the links that can be marks of notes or lead back from them."""
    number = 0
    for document in documents:
        for element in linked_elements(body_of(document.root)):
            if not (href := element.get("href")) or local_name(element) != "a":
                continue
            text = link_text(element)
            if not (is_mark(text) or is_back_sign(text) or _is_declared(element)):
                continue
            place = resolve(document.path, href)
            number += 1
            if place is None or not place[1]:
                if _is_declared(element):
                    yield Link(document, element, text, "", None, number)
                continue
            target = targets.get((fold(place[0]), place[1]))
            if target is not None or is_back_sign(text) or _is_declared(element):
                yield Link(document, element, text, f"{place[0]}#{place[1]}", target, number)


def _is_declared(link: Element) -> bool:
    return is_declared_cite(link) or is_declared_back(link)


def roles_of(links: Sequence[Link]) -> dict[Element, Role]:
    """Return what each link is, by the link and by those that lead back to it."""
    under: dict[Element, list[Link]] = {}
    for link in links:
        for block in _blocks_around(link.element):
            under.setdefault(block, []).append(link)
    return {link.element: _role(link, under) for link in links}


def _role(link: Link, under: dict[Element, list[Link]]) -> Role:
    declared = is_declared_cite(link.element)
    if is_declared_back(link.element) or (is_back_sign(link.text) and not declared):
        return Role.LEADS_BACK
    if link.target is None:
        return Role.CITES if declared else Role.NEITHER
    partner = _partner(link, under)
    if declared and (partner is None or not is_declared_cite(partner.element)):
        return Role.CITES
    return _role_of_one(link, link.target) if partner is None else _role_of_two(link, partner)


def _partner(link: Link, under: dict[Element, list[Link]]) -> Link | None:
    """Return the link near this one's target that leads back to where this one is."""
    block = note_block(link.target) if link.target is not None else None
    if block is None or len(candidates := under.get(block, ())) > _MOST_CANDIDATES:
        return None
    around = set(_blocks_around(link.element))
    for other in candidates:
        if other.element is link.element or other.target is None or block in around:
            continue
        alike = other.label == link.label or is_back_sign(other.text) or is_declared_back(other.element)
        if alike and block_of(other.target) in around:
            return other
    return None


def _role_of_two(link: Link, partner: Link) -> Role:
    """Return the role of a link whose target links back to it."""
    here, there = is_among_notes(link.element), is_among_notes(partner.element)
    if (
        link.text[:1].isalpha()
        and not link.label.isdigit()
        and not (here or there or is_printed_as_mark(link.element))
    ):
        return Role.NEITHER  # a letter above an index
    if is_declared_back(partner.element) or is_back_sign(partner.text):
        return Role.CITES
    if here != there:
        return Role.CITES if there else Role.LEADS_BACK
    first, second = begins_line(link.element), begins_line(partner.element)
    if first != second:
        return Role.CITES if second else Role.LEADS_BACK
    if first and not there and not is_raised(link.element):
        return Role.NEITHER  # the number of a chapter, in the contents and above its text
    return Role.CITES if link.number < partner.number else Role.LEADS_BACK


def _role_of_one(link: Link, target: Element) -> Role:
    """Return the role of a link to which nothing leads back."""
    block = note_block(target)
    if block is None:
        return Role.NEITHER
    here, there = is_among_notes(link.element), is_among_notes(block)
    if here and not there:
        return Role.LEADS_BACK
    if there and not here:
        return Role.CITES
    if target is not block and is_mark(text_of(target)) and not begins_line(target):
        return Role.LEADS_BACK  # to a mark that is no link
    numbered = adheres(link.element) and begins_with(text_of(block), link.label)
    if begins_line(link.element) or not (is_printed_as_mark(link.element) or numbered):
        return Role.NEITHER
    if target is not block and not begins_line(target):
        return Role.LEADS_BACK  # to the place in a sentence that cites this note
    follows = link.document.root is not target.getroottree().getroot() or _comes_first(link.element, block)
    return Role.CITES if follows or begins_with(text_of(block), link.label) else Role.LEADS_BACK


def _comes_first(element: Element, other: Element) -> bool:
    """Return whether an element precedes another of its document, or is inside it."""
    ours, theirs = _path_to(element), _path_to(other)
    for a, b in zip(ours, theirs, strict=False):
        if a is not b:
            parent = a.getparent()
            return parent is not None and parent.index(a) < parent.index(b)
    return len(ours) >= len(theirs)


def _path_to(element: Element) -> list[Element]:
    return [*reversed([*element.iterancestors()]), element]


def block_of(element: Element) -> Element | None:
    """Return the innermost block that holds the element; itself, if it is one."""
    while local_name(element) not in BLOCKS:
        parent = element.getparent()
        if parent is None:
            return None
        element = parent
    return element


def note_block(target: Element) -> Element | None:
    """Return the innermost block that holds a link's target, or the next if that holds only an id."""
    block = block_of(target)
    if block is not None and block is not target and (note := _numbered_after(target)) is not None:
        return note
    if block is None or has_text(block):
        return block
    following = block.getnext()
    is_next = following is not None and local_name(following) in BLOCKS and has_text(following)
    return following if is_next and not (block.tail or "").strip() else block


def _numbered_after(anchor: Element) -> Element | None:
    """Return the block right after an empty element that stands between blocks, if it begins with a mark."""
    following = anchor.getnext()
    if following is None or (anchor.tail or "").strip() or local_name(following) not in BLOCKS:
        return None
    words = text_of(following).split(maxsplit=1)
    return following if words and is_mark(words[0]) and not has_text(anchor) else None


def _blocks_around(element: Element) -> list[Element]:
    """Return the blocks that hold the element, innermost first, without large divisions of the text."""
    blocks: list[Element] = []
    for outer in element.iterancestors():
        if local_name(outer) in ("body", "html") or len(blocks) == _REACH:
            break
        if local_name(outer) in BLOCKS:
            blocks.append(outer)
    return blocks


def is_among_notes(element: Element) -> bool:
    """Return whether the element is in a block that is declared to be a note, or to hold notes."""
    blocks = [element, *_blocks_around(element)] if local_name(element) in BLOCKS else _blocks_around(element)
    return any(map(is_noted, blocks))
