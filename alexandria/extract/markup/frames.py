"""The state inside an open block element: which kind of block it is, and the rank of a heading."""

from typing import NamedTuple

from alexandria.book import BlockKind
from alexandria.extract.markup.blocks import Region
from alexandria.extract.markup.elements import HEADINGS, holds_data, is_play, is_set_apart, is_verse
from alexandria.extract.markup.tree import Element, local_name, types

_TITLES = frozenset(
    ["title", "subtitle", "ordinal", "label", "z3998:ordinal", "se:ordinal", "se:label", "fulltitle"]
)
_KINDS = {
    "pre": BlockKind.CODE,
    "figcaption": BlockKind.CAPTION,
    "caption": BlockKind.CAPTION,
    "title": BlockKind.CAPTION,
    "desc": BlockKind.CAPTION,
    "blockquote": BlockKind.QUOTE,
    "li": BlockKind.LIST_ITEM,
    "dt": BlockKind.LIST_ITEM,
    "dd": BlockKind.LIST_ITEM,
}


class Frame(NamedTuple):
    """The state inside an open block element. A tuple: a book has 10,000."""

    element: Element | None = None
    kind: BlockKind = BlockKind.PARAGRAPH
    rank: int = 0
    group: int = 0
    table: bool = False
    """True inside a table, and inside a row of one that is a play."""
    play: bool = False
    """True inside such a row and between the rows: each is a speech below its speaker's name."""
    lines: bool = False
    """True inside a stanza whose lines are paragraphs of their own."""
    verse: bool = False
    sectioning: bool = True
    """False inside quotations, lists, figures and tables, whose headings open no section."""
    region: Region | None = None


def kind_of(element: Element, name: str, own_types: frozenset[str], parent: Frame) -> BlockKind:
    """Return the kind of the block that an element opens inside another."""
    in_header = parent.element is not None and local_name(parent.element) in ("header", "hgroup")
    if name in HEADINGS or name == "hgroup" or parent.kind is BlockKind.HEADING:
        return BlockKind.HEADING
    if in_header and name == "p" and own_types & _TITLES:
        return BlockKind.HEADING
    if name == "table" and holds_data(element):
        return BlockKind.PARAGRAPH if is_play(element) else BlockKind.TABLE
    if parent.play and name == "tr":
        verse = any(is_verse(e, types(e)) for e in element.iterdescendants())
        return BlockKind.VERSE if verse else BlockKind.PARAGRAPH
    if is_verse(element, own_types):
        return BlockKind.VERSE
    if name == "div" and is_set_apart(element, own_types):
        return BlockKind.QUOTE
    return _KINDS.get(name, BlockKind.PARAGRAPH if parent.table else parent.kind)


def is_speeches(element: Element, name: str, parent: Frame) -> bool:
    """Return whether an element is a table that is a play, or a row of one."""
    if name == "tr":
        return parent.play
    return name == "table" and holds_data(element) and is_play(element)


def rank_of(element: Element, name: str, kind: BlockKind, parent: Frame) -> int:
    """Return the rank of the heading that an element opens, 1 to 6; 0 if it opens none."""
    if kind is not BlockKind.HEADING:
        return 0
    if name in HEADINGS:
        return HEADINGS[name]
    if parent.rank:
        return parent.rank
    # A title in a paragraph next to the heading that it completes has the heading's rank.
    group = element if name == "hgroup" else parent.element
    ranks = (
        [HEADINGS[n] for e in group.iter() if (n := local_name(e)) in HEADINGS] if group is not None else []
    )
    return min(ranks, default=6)


def in_verse(element: Element, frame: Frame) -> bool:
    """Return whether a line break in a table is one between verses."""
    if frame.verse:
        return True
    cell = next((e for e in element.iterancestors() if local_name(e) in ("td", "th", "tr")), None)
    return cell is not None and any(is_verse(e, types(e)) for e in (cell, *cell.iterdescendants()))
