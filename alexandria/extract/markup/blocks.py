"""The blocks of one document in reading order, before they are divided into sections and notes."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from alexandria.book.model import BlockKind
from alexandria.extract.draft import NoteMark, PageMark
from alexandria.extract.markup.tree import Element


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a document that is not the book's running text."""

    kind: str  # `note`, `hidden`, or the kind of front or back matter: `cover`, `contents`, `imprint`…
    note: str | None = None  # the note's key, for notes


@dataclass(frozen=True, slots=True)
class Reading:
    """What the book as a whole reveals about one document."""

    regions: Mapping[Element, Region] = field(default_factory=dict)
    cites: Mapping[Element, str] = field(default_factory=dict)
    """Links that are marks of notes, with the keys of the notes; empty for a mark that leads nowhere."""
    backlinks: Set[Element] = frozenset()
    pages: Mapping[str, str] = field(default_factory=dict)  # page labels by the id where the page begins
    cfi: str = ""  # how an EPUB CFI into the document begins; empty in other formats


@dataclass(frozen=True, slots=True)
class MarkupBlock:
    """A block in its document."""

    kind: BlockKind
    text: str
    rank: int  # 1 to 6 for a heading that can open a section; otherwise 0
    group: int  # headings of one `hgroup` or `header` share a number; 0 for none
    sections: tuple[int, ...]  # the numbers of the sections of the document in which it is, outermost first
    ids: tuple[str, ...]  # the ids of elements after the previous block's text, up to the end of this block
    last_id: str | None  # the last id of a block element at or before this block; None if there is none
    notes: tuple[NoteMark, ...]
    pages: tuple[PageMark, ...]
    region: Region | None
    break_before: bool = False  # True if the author set a break before this block
    blank_before: bool = False  # True if an empty paragraph is before it: a break where these are rare
    source: str = ""  # where its text is in the file, as `anchors.join_anchors` writes it
    element: Element | None = None
    authors: tuple[str, ...] = ()  # those of the chapter, if it is the heading of one that has its own


@dataclass(frozen=True, slots=True)
class Walk:
    """The result of a walk through a document."""

    blocks: tuple[MarkupBlock, ...]
    skipped: Mapping[str, int]
    """How many words are in no block, by kind: `hidden`, `note_mark`, `ornament`, `page_number`, `ruby`."""
    last_page: str | None  # the label of the page that begins after the last block; None if none does
