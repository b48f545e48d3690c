"""The state that the walk keeps for each open block element: its kind of block, and the rank of a heading."""

from typing import NamedTuple

from alexandria.book.model import BlockKind
from alexandria.extract.markup.blocks import Region
from alexandria.extract.markup.elements import HEADINGS, holds_data, is_play, is_set_apart, is_verse
from alexandria.extract.markup.tree import Element, local_name, types

_TITLE_TYPES = frozenset(
    ["title", "subtitle", "ordinal", "label", "z3998:ordinal", "se:ordinal", "se:label", "fulltitle"]
)
_KINDS = {
    **{"pre": BlockKind.CODE, "blockquote": BlockKind.QUOTE},
    **dict.fromkeys(("figcaption", "caption", "title", "desc"), BlockKind.CAPTION),
    **dict.fromkeys(("li", "dt", "dd"), BlockKind.LIST_ITEM),
}


class Frame(NamedTuple):
    """The state inside an open block element. A tuple and not a dataclass: a book has 10,000."""

    element: Element | None = None
    kind: BlockKind = BlockKind.PARAGRAPH
    rank: int = 0  # 1 to 6 inside a heading; otherwise 0
    group: int = 0  # the number of the `hgroup` or `header` around it; 0 outside of them
    sections: tuple[int, ...] = ()  # the numbers of the sections around it, outermost first
    in_table: bool = False  # True inside a table of data, and inside a row of a table that holds a play
    in_play: bool = (
        False  # True inside a table that holds a play, also between its rows: each row is a speech
    )
    in_stanza: bool = False  # True inside a stanza whose lines are paragraphs of their own
    in_verse: bool = False  # True inside an element that is declared to be verse
    opens_sections: bool = True  # False in quotations, lists, figures and tables: headings open no sections
    region: Region | None = None  # the part of the document that is not running text; None in running text


def kind_of(element: Element, name: str, own_types: frozenset[str], parent: Frame) -> BlockKind:
    """Return the kind of block that an element opens."""
    in_header = parent.element is not None and local_name(parent.element) in ("header", "hgroup")
    if name in HEADINGS or name == "hgroup" or parent.kind is BlockKind.HEADING:
        return BlockKind.HEADING
    if in_header and name == "p" and own_types & _TITLE_TYPES:
        return BlockKind.HEADING
    if name == "table" and holds_data(element):
        return BlockKind.PARAGRAPH if is_play(element) else BlockKind.TABLE
    if parent.in_play and name == "tr":
        has_verse = any(is_verse(e, types(e)) for e in element.iterdescendants())
        return BlockKind.VERSE if has_verse else BlockKind.PARAGRAPH
    if is_verse(element, own_types):
        return BlockKind.VERSE
    if name == "div" and is_set_apart(element, own_types):
        return BlockKind.QUOTE
    return _KINDS.get(name, BlockKind.PARAGRAPH if parent.in_table else parent.kind)


def holds_play(element: Element, name: str, parent: Frame) -> bool:
    """Return whether an element is a table that holds a play, or a row of such a table.

    `parent` is the state around it.
    """
    if name == "tr":
        return parent.in_play
    return name == "table" and holds_data(element) and is_play(element)


def rank_of(element: Element, name: str, kind: BlockKind, parent: Frame) -> int:
    """Return the rank of the heading that an element opens, 1 to 6, or 0 if it opens none."""
    if kind is not BlockKind.HEADING:
        return 0
    if name in HEADINGS:
        return HEADINGS[name]
    if parent.rank:
        return parent.rank
    # A paragraph that is a title has the rank of the heading next to it, which it completes.
    group = element if name == "hgroup" else parent.element
    inner_names = map(local_name, group.iter()) if group is not None else ()
    return min((HEADINGS[inner] for inner in inner_names if inner in HEADINGS), default=6)


def ends_line_of_verse(line_break: Element, frame: Frame) -> bool:
    """Return whether a line break in a table ends a line of verse.

    A line break does so inside declared verse, and in a cell that holds verse; elsewhere, it is mere layout.
    """
    if frame.in_verse:
        return True
    cell = next((e for e in line_break.iterancestors() if local_name(e) in ("td", "th", "tr")), None)
    return cell is not None and any(is_verse(e, types(e)) for e in (cell, *cell.iterdescendants()))
