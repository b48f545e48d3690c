"""Divides blocks into sections, which begin where contents lead and at headings that contents do not list."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import NamedTuple

from alexandria.book.model import BlockKind, Contribution
from alexandria.extract.draft import DraftBlock, DraftSection
from alexandria.extract.markup.blocks import MarkupBlock

_WORDS = re.compile(r"\w+")
# "I", "Chapter 4", "PART TWO.": a heading that is only a number. Its title is the next heading, unless that
# is only a number too, such as "Scene I" below "Act I".
ORDINAL = re.compile(
    r"(?:(?:chapter|part|book|section|act|scene|volume|letter|canto|chapitre|partie|livre|kapitel|teil|buch)\s+)?"
    r"(?:[ivxlcdm]+|\d+|one|two|three|four|five|six|seven|eight|nine|ten)\.?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """A line of the table of contents that leads into the book."""

    titles: tuple[str, ...]  # the titles of the lines above it, outermost first, then its own
    path: str
    fragment: str


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The blocks of a document that belong to the book's text."""

    path: str
    blocks: tuple[MarkupBlock, ...]


def build_sections(
    documents: Sequence[DocumentText], entries: Sequence[ContentsEntry]
) -> tuple[DraftSection, ...]:
    """Return the sections of a book in reading order, without empty ones.

    A section begins where an entry leads, with the headings printed there. Any other heading opens a section
    below the current entry, at the depth of its rank; in a document that the contents do not list, it can
    open one at the level of the entry itself.
    """
    by_path: dict[str, list[ContentsEntry]] = {}
    for entry in entries:
        by_path.setdefault(entry.path, []).append(entry)
    builder = _Builder(listed=frozenset(by_path))
    for document in documents:
        openings = _find_openings(document, by_path.get(document.path, ()))
        builder.around = []
        for i in range(len(document.blocks)):
            builder.add(document, i, openings.get(i))
    return builder.finish()


def _find_openings(document: DocumentText, entries: Sequence[ContentsEntry]) -> Mapping[int, ContentsEntry]:
    """Return the entries that open sections, by the index of the block; of several at a block, the last."""
    block_of_id: dict[str, int] = {}
    for i, block in enumerate(document.blocks):
        for id in block.ids:
            block_of_id.setdefault(id, i)
    openings: dict[int, ContentsEntry] = {}
    for entry in entries:
        target = block_of_id.get(entry.fragment) if entry.fragment else 0
        if target is not None:
            openings[_section_start(document, target, entry)] = entry
    return openings


def _section_start(document: DocumentText, target: int, entry: ContentsEntry) -> int:
    """Return the index of the block at which an entry's section begins."""
    # It is the block that the entry leads to, or the heading right before that block: some contents lead to
    # the text below the heading.
    if target == 0 or document.blocks[target].rank:
        return target
    before = document.blocks[target - 1]
    is_own_heading = before.rank > 0 and _is_part_of_either(before.text, entry.titles[-1])
    return target - 1 if is_own_heading else target


class _Heading(NamedTuple):
    """Where a heading was opened, and what is restored after the end of the sections in it."""

    sections: tuple[int, ...]  # the `MarkupBlock.sections` in which it is
    titles: tuple[str, ...]
    href: str | None
    entry: ContentsEntry | None
    entry_rank: int
    headings_below: tuple[tuple[int, str], ...]
    is_last_resort: bool = False  # it goes on after its section, as no other heading reaches the text there

    def reaches(self, block: MarkupBlock) -> bool:
        """Return whether a block is in the same section, or in one inside it."""
        return block.sections[: len(self.sections)] == self.sections


@dataclass(slots=True)
class _Builder:
    """The sections so far, and the state of the one that is open."""

    listed: frozenset[str]  # the paths of the documents that the contents list
    sections: list[DraftSection] = field(default_factory=list)
    blocks: list[DraftBlock] = field(default_factory=list)  # the blocks of the open section
    titles: tuple[str, ...] = ()  # the heading path of the open section
    href: str | None = None
    entry: ContentsEntry | None = None  # the last entry of the contents that opened a section
    entry_rank: int = 0  # the rank of the heading to which the entry leads
    headings_below: list[tuple[int, str]] = field(default_factory=list)
    """Rank and title of the open headings below the entry, which the contents do not list."""
    group: int = 0  # the `MarkupBlock.group` of the last heading
    only_headings: bool = False  # True from the start of a section to its first block that is not a heading
    n_headings: int = 0  # how many headings the open section has so far
    chapter: tuple[tuple[str, ...], Contribution | None] = (), None
    """The heading path of the last chapter that has authors of its own, and the chapter."""
    around: list[_Heading] = field(default_factory=list)
    """The headings of the document that may reach further, the last one of the open section."""

    def add(self, document: DocumentText, i: int, opening: ContentsEntry | None) -> None:
        """Add a block of a document, which may open a section."""
        block = document.blocks[i]
        if opening is not None:
            self._open_entry(opening)
        elif block.rank and not self._belongs_to_open_section(block):
            self._open_heading(document, i)
        elif not block.rank and self.around and not self.around[-1].reaches(block):
            self._return_to_heading_of(block)
        if block.rank:
            if self._is_first_of_entry:
                self.entry_rank = block.rank
            self.n_headings += 1
            self.group = block.group
            self._remember(block)
            if block.authors:
                title = block.text if block.text in self.titles[-1] else self.titles[-1]
                self.chapter = self.titles, Contribution(title, ", ".join(block.authors))
        elif block.kind is not BlockKind.HEADING:
            self.only_headings = False
        self.blocks.append(
            DraftBlock(
                kind=block.kind,
                text=block.text,
                href=_make_href(document.path, block.last_id),
                notes=block.notes,
                pages=block.pages,
                break_before=block.break_before,
                source=block.source,
            )
        )

    def _remember(self, block: MarkupBlock) -> None:
        """Keep the open section, which has a heading, for the text after the sections inside it."""
        state = self.titles, self.href, self.entry, self.entry_rank, tuple(self.headings_below)
        self.around = [h for h in self.around if h.reaches(block) and not h.is_last_resort]
        self.around.append(_Heading(block.sections, *state))

    def _return_to_heading_of(self, block: MarkupBlock) -> None:
        """Open a section with the heading around a block if the last heading was in a section that has ended.

        Where that section has nothing but the heading, or where no other heading reaches the block, the last
        one does.
        """
        outer = [heading for heading in self.around if heading.reaches(block)]
        if self.only_headings or not outer:
            last = self.around[-1]._replace(sections=block.sections, is_last_resort=not self.only_headings)
            self.around = [*outer, last]
            return
        self._close()
        self.around = outer
        _, titles, href, self.entry, self.entry_rank, headings_below, _ = outer[-1]
        self.headings_below = [*headings_below]
        self._begin(titles, href)
        self.only_headings, self.n_headings = False, 1

    def finish(self) -> tuple[DraftSection, ...]:
        """Close the open section, and return all sections."""
        self._close()
        return tuple(self.sections)

    @property
    def _is_first_of_entry(self) -> bool:
        """Whether a heading here would be the first since the last entry of the contents."""
        return not self.headings_below and not self.n_headings

    def _belongs_to_open_section(self, block: MarkupBlock) -> bool:
        """Return whether a heading is the heading of the open section or a part of it."""
        follows_heading = self.only_headings and self.n_headings > 0
        if follows_heading and block.group and block.group == self.group:
            return True
        if not self.titles:
            return False
        title = self.titles[-1]
        if self.only_headings:
            is_own_heading = self.entry is not None and self._is_first_of_entry
            return is_own_heading or _is_part_of_either(block.text, title)
        # After text, only a heading with the section's own title belongs to it, printed late.
        return not self.n_headings and _folded_words(block.text) == _folded_words(title)

    def _open_entry(self, entry: ContentsEntry) -> None:
        self._close()
        self.entry = entry
        self.headings_below = []
        self._begin(entry.titles, _make_href(entry.path, entry.fragment))

    def _open_heading(self, document: DocumentText, i: int) -> None:
        """Open a section at a heading that the contents do not list, at its level."""
        self._close()
        block = document.blocks[i]
        if self.entry and document.path not in self.listed and block.rank <= self.entry_rank:
            # A chapter in a document that the contents do not list: a sibling of the chapter before it.
            titles = (*self.entry.titles[:-1], _join_titles(document.blocks, i))
            self._open_entry(ContentsEntry(titles=titles, path=document.path, fragment=block.last_id or ""))
            return
        while self.headings_below and self.headings_below[-1][0] >= block.rank:
            self.headings_below.pop()
        self.headings_below.append((block.rank, _join_titles(document.blocks, i)))
        entry_titles = self.entry.titles if self.entry else ()
        titles_below = (title for _, title in self.headings_below)
        self._begin((*entry_titles, *titles_below), _make_href(document.path, block.last_id))

    def _begin(self, titles: tuple[str, ...], href: str | None) -> None:
        """Open an empty section."""
        self.titles, self.href = titles, href
        self.only_headings, self.n_headings, self.group = True, 0, 0

    def _close(self) -> None:
        """Add the open section to the sections, unless it is empty."""
        if self.blocks:
            path, chapter = self.chapter
            self.sections.append(
                DraftSection(
                    headings=self.titles,
                    level=len(self.titles),
                    href=self.href,
                    blocks=tuple(self.blocks),
                    contribution=chapter if self.titles[: len(path)] == path else None,
                )
            )
            self.blocks = []


def _join_titles(blocks: Sequence[MarkupBlock], i: int) -> str:
    """Return a heading as contents print it, with the headings that complete it."""
    # The headings "I" and "Appearance and Reality" become "I: Appearance and Reality".
    parts = [blocks[i].text]
    for previous, block in pairwise(islice(blocks, i, None)):
        is_same_group = block.group and block.group == previous.group
        is_title_of_number = ORDINAL.fullmatch(previous.text) and not ORDINAL.fullmatch(block.text)
        if not block.rank or not (is_same_group or is_title_of_number):
            break
        parts.append(block.text)
    return ": ".join(parts)


def _folded_words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _is_part_of_either(text: str, title: str) -> bool:
    """Return whether one text is part of the other, compared by words: "The Whale" and "32. THE WHALE."."""
    # Spaces around each word: otherwise "art" would be part of "part".
    text_words, title_words = (f" {' '.join(_folded_words(s))} " for s in (text, title))
    return text_words in title_words or title_words in text_words


def _make_href(path: str, fragment: str | None) -> str:
    return f"{path}#{fragment}" if fragment else path
