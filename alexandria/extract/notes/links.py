"""Finds the links that may belong to notes, and decides which cite a note and which lead back from one.

EPUB 3 declares both (`epub:type`, `role`). Other books only link a number or a sign to a paragraph, which
often links back. Which of two such links cites the note then follows from their positions: a mark that cites
comes after a word; the mark of a note begins its line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from alexandria.extract.markup import tree
from alexandria.extract.markup.elements import BLOCKS, link_text
from alexandria.extract.markup.tree import Document, Element
from alexandria.extract.notes import marks

UNNAMED = "#~"  # what follows the path in the keys of notes that have no id

_MAX_BLOCKS_AROUND = 5  # blocks around a link to which a link back may lead: paragraph, item, row of a table
_MAX_CANDIDATES = 200  # links in the block that a link leads to; a block with more is a whole page


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
    key: str  # the path and id of the target, which also identify the note; empty without an id
    target: Element | None
    number: int  # the link's position among the links of the book

    @property
    def label(self) -> str:
        """The mark without its brackets."""
        return marks.label_of(self.text)


def targets_of(documents: Sequence[Document]) -> dict[tuple[str, str], Element]:
    """Return the elements that links can lead to, by path (see `fold`) and id."""
    targets: dict[tuple[str, str], Element] = {}
    for document in documents:
        path = tree.fold(document.path)
        for element in tree.named_elements(document.root):
            if id := tree.identifier(element):
                targets.setdefault((path, id), element)
    return targets


def links_of(documents: Sequence[Document], targets: dict[tuple[str, str], Element]) -> Iterator[Link]:
    """Yield the links that can be marks of notes or lead back from them, in reading order.

    A link whose target is missing is yielded only if it is declared, or is an arrow with an id in its href.
    """
    number = 0
    for document in documents:
        for element in tree.linked_elements(tree.body_of(document.root)):
            href = element.get("href")
            if not href or tree.local_name(element) != "a":
                continue
            text = link_text(element)
            if not (marks.is_mark(text) or marks.is_back_sign(text) or _is_declared(element)):
                continue
            number += 1
            path, id = tree.resolve(document.path, href) or ("", "")
            target = targets.get((tree.fold(path), id)) if id else None
            is_arrow = bool(id) and marks.is_back_sign(text)
            if target is not None or is_arrow or _is_declared(element):
                key = f"{path}#{id}" if id else ""
                yield Link(
                    document=document, element=element, text=text, key=key, target=target, number=number
                )


def _is_declared(link: Element) -> bool:
    return marks.is_declared_cite(link) or marks.is_declared_back(link)


def roles_of(links: Sequence[Link]) -> dict[Element, Role]:
    """Return the role of each link, decided from the link itself and from the links that lead back to it."""
    links_by_block: dict[Element, list[Link]] = {}
    for link in links:
        # A link counts for each block around it: its paragraph, list item, row of a table…
        for block in _blocks_around(link.element):
            links_by_block.setdefault(block, []).append(link)
    return {link.element: _decide_role(link, links_by_block) for link in links}


def _decide_role(link: Link, links_by_block: dict[Element, list[Link]]) -> Role:
    """Return the role of a link: its attributes or its text declare it, otherwise its position decides."""
    declared = marks.is_declared_cite(link.element)
    if marks.is_declared_back(link.element) or (marks.is_back_sign(link.text) and not declared):
        return Role.LEADS_BACK
    if link.target is None:
        return Role.CITES if declared else Role.NEITHER
    partner = _find_partner(link, links_by_block)
    if declared and (partner is None or not marks.is_declared_cite(partner.element)):
        return Role.CITES
    return _role_of_single(link, link.target) if partner is None else _role_in_pair(link, partner)


def _find_partner(link: Link, links_by_block: dict[Element, list[Link]]) -> Link | None:
    """Return the link in the block of this link's target that leads back to this link, or None."""
    block = find_note_block(link.target) if link.target is not None else None
    blocks_around = set(_blocks_around(link.element))
    if block is None or block in blocks_around:
        return None
    candidates = links_by_block.get(block, ())
    if len(candidates) > _MAX_CANDIDATES:
        return None
    for other in candidates:
        if other.element is link.element or other.target is None:
            continue
        may_lead_back = (
            other.label == link.label
            or marks.is_back_sign(other.text)
            or marks.is_declared_back(other.element)
        )
        if may_lead_back and block_of(other.target) in blocks_around:
            return other
    return None


def _role_in_pair(link: Link, partner: Link) -> Role:
    """Return the role of a link whose partner leads back to it."""
    in_notes, partner_in_notes = is_among_notes(link.element), is_among_notes(partner.element)
    is_letter = link.text[:1].isalpha() and not link.label.isdigit()
    seems_mark = in_notes or partner_in_notes or marks.is_printed_as_mark(link.element)
    if is_letter and not seems_mark:
        return Role.NEITHER  # a letter of the alphabet above an index
    if marks.is_declared_back(partner.element) or marks.is_back_sign(partner.text):
        return Role.CITES
    if in_notes != partner_in_notes:
        return Role.CITES if partner_in_notes else Role.LEADS_BACK
    begins, partner_begins = marks.begins_line(link.element), marks.begins_line(partner.element)
    if begins != partner_begins:
        return Role.CITES if partner_begins else Role.LEADS_BACK
    if begins and not partner_in_notes and not marks.is_raised(link.element):
        return Role.NEITHER  # the number of a chapter, in the contents and above its text
    is_first_in_book = link.number < partner.number
    return Role.CITES if is_first_in_book else Role.LEADS_BACK


def _role_of_single(link: Link, target: Element) -> Role:
    """Return the role of a link to which no link leads back."""
    block = find_note_block(target)
    if block is None:
        return Role.NEITHER
    in_notes, target_in_notes = is_among_notes(link.element), is_among_notes(block)
    if in_notes and not target_in_notes:
        return Role.LEADS_BACK
    if target_in_notes and not in_notes:
        return Role.CITES
    if target is not block and marks.is_mark(tree.text_of(target)) and not marks.begins_line(target):
        return Role.LEADS_BACK  # to a mark that is not a link itself
    # The text of a block can be long: it is only compared if the link is attached to a word.
    cites_label = marks.is_attached(link.element) and marks.begins_with_label(tree.text_of(block), link.label)
    if marks.begins_line(link.element) or not (marks.is_printed_as_mark(link.element) or cites_label):
        return Role.NEITHER
    if target is not block and not marks.begins_line(target):
        return Role.LEADS_BACK  # to the place in a sentence that cites this note
    in_other_document = link.document.root is not target.getroottree().getroot()
    note_follows = in_other_document or _precedes(link.element, block)
    return (
        Role.CITES
        if note_follows or marks.begins_with_label(tree.text_of(block), link.label)
        else Role.LEADS_BACK
    )


def _precedes(element: Element, other: Element) -> bool:
    """Return whether an element comes before another one in the same document, or is inside it."""
    path, other_path = _path_to(element), _path_to(other)
    for outer, other_outer in zip(path, other_path, strict=False):
        if outer is not other_outer:  # the first place at which the paths from the root differ
            parent = outer.getparent()
            return parent is not None and parent.index(outer) < parent.index(other_outer)
    return len(path) >= len(other_path)  # one path continues the other: one element is inside the other


def _path_to(element: Element) -> list[Element]:
    return [*reversed([*element.iterancestors()]), element]


def block_of(element: Element) -> Element | None:
    """Return the innermost block that holds the element, or the element itself if it is a block."""
    while tree.local_name(element) not in BLOCKS:
        parent = element.getparent()
        if parent is None:
            return None
        element = parent
    return element


def find_note_block(target: Element) -> Element | None:
    """Return the block of a note to which a link leads, or None if no block holds the link's target.

    The block of a note is the innermost block that holds the target. There are two exceptions. If the target
    is an empty element right before a block that begins with a mark, that next block is the note's. If the
    innermost block is empty, the block after it is the note's.
    """
    block = block_of(target)
    if block is None:
        return None
    marked_block = _marked_block_after(target) if block is not target else None
    if marked_block is not None:
        return marked_block
    if tree.has_text(block) or (block.tail or "").strip():
        return block
    following = block.getnext()
    is_note = following is not None and tree.local_name(following) in BLOCKS and tree.has_text(following)
    return following if is_note else block


def _marked_block_after(anchor: Element) -> Element | None:
    """Return the block right after an empty element if it begins with a mark; otherwise None."""
    # Some books put the anchor of a note between the blocks, before the note itself.
    if tree.has_text(anchor) or (anchor.tail or "").strip():
        return None
    following = anchor.getnext()
    if following is None or tree.local_name(following) not in BLOCKS:
        return None
    words = tree.text_of(following).split(maxsplit=1)
    return following if words and marks.is_mark(words[0]) else None


def _blocks_around(element: Element) -> list[Element]:
    """Return up to `_MAX_BLOCKS_AROUND` blocks around the element, innermost first, without the body."""
    blocks: list[Element] = []
    for outer in element.iterancestors():
        if tree.local_name(outer) in ("body", "html") or len(blocks) == _MAX_BLOCKS_AROUND:
            break
        if tree.local_name(outer) in BLOCKS:
            blocks.append(outer)
    return blocks


def is_among_notes(element: Element) -> bool:
    """Return whether the element is, or is in, a block that is declared to be a note or a list of notes."""
    blocks = (
        [element, *_blocks_around(element)] if tree.local_name(element) in BLOCKS else _blocks_around(element)
    )
    return any(map(marks.is_declared_notes, blocks))
