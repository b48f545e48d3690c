"""Passages: the blocks of one document in its order, before they are divided into sections and notes."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from alexandria.book import BlockKind
from alexandria.extract.draft import NoteMark, PageMark
from alexandria.extract.markup.tree import Element


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a document that is not the book's running text."""

    kind: str
    """`note`, `hidden`, or the kind of matter: `cover`, `contents`, `imprint`…"""
    note: str | None = None
    """The note's key, for notes."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the book as a whole knows of one document."""

    regions: Mapping[Element, Region] = field(default_factory=dict)
    cites: Mapping[Element, str] = field(default_factory=dict)
    """Links that are a note's mark, and the key of the note; an empty key for a mark that leads nowhere."""
    backlinks: Set[Element] = frozenset()
    pages: Mapping[str, str] = field(default_factory=dict)
    """Page labels by the id at which the page begins, as a page list names them."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A block as it stands in its document."""

    kind: BlockKind
    text: str
    rank: int
    """1 to 6 for a heading that can open a section, else 0."""
    group: int
    """Headings of one `hgroup` or `header` share a number; 0 for none."""
    anchors: tuple[str, ...]
    """The ids met since the passage before, those inside included."""
    anchor: str | None
    """The id nearest before the passage."""
    notes: tuple[NoteMark, ...]
    pages: tuple[PageMark, ...]
    region: Region | None


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk through a document gave."""

    passages: tuple[Passage, ...]
    hidden: int
    """Words in hidden pieces of passages."""
    last_page: str | None
    """The label of a page that begins behind the last passage."""
