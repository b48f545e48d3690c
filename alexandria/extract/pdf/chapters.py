"""Headings and the sections they begin: by the outline or, without one, by large type."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from alexandria.book import BlockKind
from alexandria.extract.pdf.contents import title_key
from alexandria.extract.pdf.lines import OutlineEntry
from alexandria.extract.pdf.paragraphs import Paragraph

_LARGE = 1.15
"""Times the body size: headings are larger by at least a sixth."""
_LONGEST = 30
"""Most words in a heading."""
_NUMBERING = re.compile(r"^\s*(?:\w+\s+)?(?:[\dIVXLC]+[.:)]?)+\s+", re.IGNORECASE)
_CHAPTER = re.compile(
    r"(?:chapter|part|book|kapitel|chapitre|capítulo|teil|poglavlje)\s+[\divxlc]+\b", re.IGNORECASE
)
_SPREAD = 5
"""Most paragraphs of a printed heading: number, title, subtitle."""


@dataclass(frozen=True, slots=True)
class SectionStart:
    """A section begins at a paragraph."""

    at: int
    """Index of the paragraph."""
    title: str
    level: int
    n_heading: int
    """The number of paragraphs of its printed heading."""


def find_starts(
    paragraphs: Sequence[Paragraph], outline: Sequence[OutlineEntry], body: float
) -> list[SectionStart]:
    """Return where sections begin, in order: by the outline or, without one, by large type."""
    return _by_outline(paragraphs, outline) if outline else _by_type(paragraphs, body)


def _by_outline(paragraphs: Sequence[Paragraph], outline: Sequence[OutlineEntry]) -> list[SectionStart]:
    starts: list[SectionStart] = []
    at = 0
    for entry in outline:
        on_page = [i for i in range(at, len(paragraphs)) if paragraphs[i].lines[0].page == entry.page]
        headings = ((i, n) for i in on_page if (n := _heading_at(paragraphs, i, entry.title)))
        start, n_heading = next(headings, None) or (_first_below(paragraphs, at, entry), 0)
        starts.append(SectionStart(start, entry.title, entry.level, n_heading))
        at = start + n_heading
    return starts


def _heading_at(paragraphs: Sequence[Paragraph], at: int, title: str) -> int:
    """Return how many paragraphs from `at` on are the printed title; 0 if it is not printed there."""
    wanted, bare = title_key(title), title_key(_NUMBERING.sub("", title))
    printed = ""
    for n in range(1, _SPREAD + 1):
        if at + n > len(paragraphs):
            return 0
        text = " ".join(line.text for line in paragraphs[at + n - 1].lines)
        if len(text) > 2 * len(title) + 40:
            return 0
        printed += title_key(text)
        if printed == wanted or (n == 1 and bare and printed == bare):
            return n
        if n == 1 and title_key(_NUMBERING.sub("", text)) == wanted:
            return n
    return 0


def _first_below(paragraphs: Sequence[Paragraph], at: int, entry: OutlineEntry) -> int:
    """Return the first paragraph at the target of an outline entry whose title is not printed there."""
    for i in range(at, len(paragraphs)):
        line = paragraphs[i].lines[0]
        if line.page > entry.page:
            return i
        if line.page == entry.page and (entry.y is None or line.y <= entry.y):
            return i
    return len(paragraphs)


def _by_type(paragraphs: Sequence[Paragraph], body: float) -> list[SectionStart]:
    """Return the sections begun by large or short bold paragraphs; the largest type is the outermost."""
    large = [i for i, paragraph in enumerate(paragraphs) if _is_heading(paragraph, body)]
    sizes = sorted({_rank(paragraphs[i], body) for i in large}, reverse=True)
    starts: list[SectionStart] = []
    for i in large:
        title = " ".join(" ".join(line.text for line in paragraphs[i].lines).split())
        level = sizes.index(_rank(paragraphs[i], body)) + 1
        before = starts[-1] if starts else None
        if before and before.at + before.n_heading == i and before.level == level:
            starts[-1] = SectionStart(before.at, f"{before.title} {title}", level, before.n_heading + 1)
        else:
            starts.append(SectionStart(i, title, level, 1))
    return _without_book_title(starts)


def _without_book_title(starts: list[SectionStart]) -> list[SectionStart]:
    """Drop the outermost level if it is a single heading at the very front: the book's own title."""
    if len(starts) > 1 and starts[0].level == 1 and all(start.level > 1 for start in starts[1:]):
        return [replace(start, level=start.level - 1) for start in starts[1:]]
    return starts


def _rank(paragraph: Paragraph, body: float) -> float:
    size = paragraph.lines[0].size
    return round(size) if size >= _LARGE * body else 0.0


def _is_heading(paragraph: Paragraph, body: float) -> bool:
    text = " ".join(line.text for line in paragraph.lines)
    if len(text.split()) > _LONGEST or not any(character.isalpha() for character in text):
        return False
    if paragraph.kind != BlockKind.PARAGRAPH:
        return False
    if paragraph.lines[0].size >= _LARGE * body:
        return True
    short = len(paragraph.lines) <= 2 and not text.rstrip().endswith((".", ",", ";", "”", '"'))
    bold = all(line.bold for line in paragraph.lines) and paragraph.lines[0].size >= body
    return short and (bold or bool(_CHAPTER.match(text)))
