"""What an extractor returns, and how it becomes a `Book`: the one place where `Book.text` is built."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import PurePath
from typing import NamedTuple

from alexandria.book.model import (
    Block,
    BlockKind,
    Book,
    Contribution,
    LeftOut,
    LeftOutLine,
    Location,
    Metadata,
    Note,
    PageStart,
    Section,
    count_words,
)
from alexandria.book.places import BLOCK_SEPARATOR

CHAPTER_WORDS = 500
"""Words: the least average length of chapters, two pages. Shorter divisions are sections or poems."""


@dataclass(frozen=True, slots=True)
class NoteMark:
    """The offset in a block's text at which the note `key` is cited; its printed mark has been removed."""

    offset: int
    key: str


@dataclass(frozen=True, slots=True)
class PageMark:
    """The offset in a block's text at which a page begins, or a verse."""

    offset: int
    page: int | None
    label: str | None = None
    verse: str = ""
    """The verse: `16`, `3:16` or `Gen 3:16` as marked, then `Genesis 3:16`; empty for a page."""


@dataclass(frozen=True, slots=True)
class DraftBlock:
    """A block before its offset in the book's text is known."""

    kind: BlockKind
    text: str
    """Cleaned, stripped, not empty."""
    href: str | None = None
    notes: tuple[NoteMark, ...] = ()
    pages: tuple[PageMark, ...] = ()
    break_before: bool = False
    """True if the author set a break before this block; ignored at the start of a section."""
    source: str = ""
    """Where its text is in the file, as `anchors.join_anchors` writes it."""
    confidence: float | None = None
    """0 to 100, of text that was recognised on pictures."""
    text_layer: bool = False
    """Whether it is from the text layer of scanned pages."""


@dataclass(frozen=True, slots=True)
class DraftNote:
    """A note's text under the key by which blocks cite it."""

    key: str
    label: str
    text: str
    href: str | None = None


@dataclass(frozen=True, slots=True)
class DraftSection:
    """The blocks under one heading; the first is the heading itself if it is printed."""

    headings: tuple[str, ...]
    level: int
    href: str | None
    blocks: tuple[DraftBlock, ...]
    contribution: Contribution | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a file as its extractor understood it."""

    metadata: Metadata
    sections: tuple[DraftSection, ...]
    notes: tuple[DraftNote, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    left_out_lines: tuple[LeftOutLine, ...] = ()
    warnings: tuple[str, ...] = ()
    n_pages: int | None = None
    chapter_level: int | None = None
    """The deepest level of chapters if headings show it ("Chapter I"); None: inferred from lengths."""


@dataclass(slots=True)
class _TextBuilder:
    """The part of a book's text that has been built, with its notes and pages."""

    offset: int = 0  # where the next block begins
    texts: list[str] = field(default_factory=list)  # the texts of the blocks
    cited: dict[str, int] = field(default_factory=dict)  # where each note is first cited, by its key
    pages: list[PageStart] = field(default_factory=list)
    verses: list[PageStart] = field(default_factory=list)
    last_location: Location | None = None  # the location of the last block

    def location(self, section: DraftSection, page: PageStart | None, href: str | None) -> Location:
        """Return the location of the next block.

        Successive blocks at one location share one object, to save memory.
        """
        number, label = (page.page, page.label) if page else (None, None)
        last = self.last_location
        if (
            last is not None
            and last.headings is section.headings
            and (last.page, last.page_label, last.href) == (number, label, href)
        ):
            return last
        self.last_location = Location(headings=section.headings, page=number, page_label=label, href=href)
        return self.last_location


def with_inline_notes(draft: Draft) -> Draft:
    """Return the draft with each cited note as a paragraph after the first block that cites it.

    Notes that no block cites remain notes.
    """
    uncited = {note.key: note for note in draft.notes}

    def with_notes(block: DraftBlock) -> Iterator[DraftBlock]:
        yield replace(block, notes=())
        for mark in block.notes:
            if note := uncited.pop(mark.key, None):
                yield DraftBlock(BlockKind.PARAGRAPH, note.text, note.href)

    sections = tuple(
        replace(section, blocks=tuple(part for block in section.blocks for part in with_notes(block)))
        for section in draft.sections
    )
    return replace(draft, sections=sections, notes=tuple(uncited.values()))


def bind(draft: Draft, *, id: str, source: str, format: str) -> Book:
    """Return the book, in which blocks, notes and pages have their offsets in the text.

    A book without a title gets the name of its file.
    """
    builder = _TextBuilder()
    chapter_level = draft.chapter_level
    if chapter_level is None:
        chapter_level = _chapter_level(draft.sections)
    sections = tuple(
        _bind_section(section, chapter_level, builder) for section in draft.sections if section.blocks
    )
    metadata = draft.metadata
    if not metadata.title:
        name = PurePath(source).stem
        metadata = replace(metadata, title=name, guessed_title=name)
    return Book(
        id=id,
        source=source,
        format=format,
        metadata=metadata,
        sections=sections,
        notes=tuple(Note(n.label, n.text, builder.cited.get(n.key), n.href) for n in draft.notes),
        page_starts=tuple(builder.pages),
        verse_starts=tuple(builder.verses),
        left_out=draft.left_out,
        left_out_lines=draft.left_out_lines,
        warnings=draft.warnings,
        n_pages=draft.n_pages,
        text=BLOCK_SEPARATOR.join(builder.texts),
    )


def _bind_section(section: DraftSection, chapter_level: int, builder: _TextBuilder) -> Section:
    """Append the blocks of a section, which has at least one, to the text; return the section."""
    kinds_above = (None, *(block.kind for block in section.blocks[:-1]))
    if builder.verses:  # the last one ends here
        builder.verses.append(PageStart(builder.offset, None, None))
    return Section(
        headings=section.headings,
        level=section.level,
        chapter=section.level <= chapter_level,
        href=section.href,
        contribution=section.contribution,
        blocks=tuple(
            _bind_block(block, section, builder, kind_above=kind_above)
            for kind_above, block in zip(kinds_above, section.blocks, strict=True)
        ),
    )


def _bind_block(
    block: DraftBlock, section: DraftSection, builder: _TextBuilder, *, kind_above: BlockKind | None
) -> Block:
    """Append a block to the text, and return it with its offset."""
    # At the start of a section (below None) and below a heading, a break is decoration.
    start = builder.offset
    for mark in block.pages:
        starts, label = (builder.verses, mark.verse) if mark.verse else (builder.pages, mark.label)
        starts.append(PageStart(start + mark.offset, mark.page, label))
    for note in block.notes:
        builder.cited.setdefault(note.key, start + note.offset)
    # The page on which the block begins. The last pages in the list may begin inside the block.
    page = next((page for page in reversed(builder.pages) if page.start <= start), None)
    builder.texts.append(block.text)
    builder.offset += len(block.text) + len(BLOCK_SEPARATOR)
    return Block(
        kind=block.kind,
        text=block.text,
        start=start,
        location=builder.location(section, page, block.href or section.href),
        break_before=block.break_before and kind_above not in (None, BlockKind.HEADING),
        source=block.source,
        ocr_confidence=block.confidence,
        text_layer=block.text_layer,
    )


def _chapter_level(sections: tuple[DraftSection, ...]) -> int:
    """Return the deepest level whose sections are chapters or parts."""
    # A level holds parts rather than chapters ("Book I" directly followed by "Chapter I") if its sections
    # hold most of the text, have hardly any text before their first subsection, and have subsections long
    # enough to be chapters.
    levels = sorted({section.level for section in sections if section.level > 0})
    if len(levels) == 1:
        return levels[0]
    words_per_section = [sum(count_words(block.text) for block in section.blocks) for section in sections]
    for level, next_level in pairwise(levels):
        counts = _measure_level(sections, words_per_section, level, next_level)
        n_words = counts.own_words + counts.subsection_words
        holds_most_text = n_words > sum(words_per_section) / 2
        # A tenth: a motto or a few introductory words; a chapter has more text before its first section.
        has_little_own_text = counts.own_words <= n_words / 10
        holds_chapters = counts.subsection_words >= CHAPTER_WORDS * counts.n_subsections
        if not (holds_most_text and has_little_own_text and holds_chapters):
            return level
    return levels[-1] if levels else 0


class _LevelCounts(NamedTuple):
    """How the words of the sections of one level are distributed."""

    own_words: int  # words of the sections themselves, above the first section inside them
    subsection_words: int  # words of all sections below them, of any level
    n_subsections: int  # number of their subsections that are of the next level


def _measure_level(
    sections: tuple[DraftSection, ...], words_per_section: list[int], level: int, next_level: int
) -> _LevelCounts:
    """Return how the words of a level's sections are distributed; sections without subsections do not count.

    Args:
        words_per_section: how many words each section has without its subsections.
    """
    own_words = subsection_words = n_subsections = 0
    # Each section extends to the next one of its own level or a higher one.
    starts = [i for i, section in enumerate(sections) if section.level <= level]
    for start, end in pairwise((*starts, len(sections))):
        subsections = sections[start + 1 : end]
        if sections[start].level == level and subsections:
            own_words += words_per_section[start]
            subsection_words += sum(words_per_section[start + 1 : end])
            n_subsections += sum(section.level == next_level for section in subsections)
    return _LevelCounts(own_words, subsection_words, n_subsections)
