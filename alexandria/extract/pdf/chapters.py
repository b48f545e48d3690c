"""Headings and the sections they begin: by the outline or, without one, by large type."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from alexandria.book import BlockKind
from alexandria.extract.pdf.contents import title_key
from alexandria.extract.pdf.levels import Style, levels_of, numbered_depth
from alexandria.extract.pdf.lines import OutlineEntry
from alexandria.extract.pdf.paragraphs import Paragraph

_LARGE = 1.15
"""Times the body size: headings are larger by at least a sixth."""
_LONGEST = 30
"""Most words in a heading."""
# Possessive: otherwise each digit more would double the time of a long number that no space follows.
_NUMBERING = re.compile(r"^\s*(?:\w+\s+)?(?:[\dIVXLC]++[.:)]?+)++\s+", re.IGNORECASE)
_CHAPTER = re.compile(
    r"(?:chapter|part|book|kapitel|chapitre|capítulo|teil|poglavlje)\s+[\divxlc]+\b", re.IGNORECASE
)
_LABEL = re.compile(
    r"(?:(?:chapter|part|book|kapitel|chapitre|capítulo|capitolo|teil|poglavlje|hoofdstuk|appendix)\s+)?"
    r"(?:\d+|[ivxlc]+|(?<=\s)[a-z])\.?",
    re.IGNORECASE,
)
"""A printed heading that its title goes on with: "Chapter 3", "IV"."""
_WORD = re.compile(r"[^\W\d_]{2}|[\u2e80-\uffff]|^[^\W\d_]$")
_ROMAN = re.compile(r"[IVXLC]+\.?")
_STATEMENT = re.compile(
    r"(?:definition|theorem|satz|lemma|propos\w+|coroll\w+|korollar|folgerung|remark|bemerkung|note|examples?"
    r"|beispiele?|proof|beweis|exercise|aufgabe|claim|behauptung|problem|théorème|exemple|remarque|figure|fig\."
    r"|table|abbildung|abb\.|tabelle|algorithm|listing)(?:\s+[\d.]+)?\s*(?:[.:(]|$)",
    re.IGNORECASE,
)
"""Bold labels of what a section of mathematics holds, and of figures: not headings."""
_LISTED = 150
"""Most characters of a title that the contents list."""
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
    paragraphs: Sequence[Paragraph],
    outline: Sequence[OutlineEntry],
    body: float,
    contents: Collection[str] = frozenset(),
) -> list[SectionStart]:
    """Return where sections begin, in order: by the outline or, without one, by type, numbers and contents.

    Args:
        paragraphs: of the whole book.
        outline: empty if the file has none.
        body: the size of the text.
        contents: keys of the titles in the printed contents.
    """
    return _by_outline(paragraphs, outline) if outline else _by_type(paragraphs, body, contents)


def _by_outline(paragraphs: Sequence[Paragraph], outline: Sequence[OutlineEntry]) -> list[SectionStart]:
    starts: list[SectionStart] = []
    pages: dict[int, list[int]] = {}
    for i, paragraph in enumerate(paragraphs):
        pages.setdefault(paragraph.lines[0].page, []).append(i)
    at = 0
    for entry in outline:
        on_page = [i for i in pages.get(entry.page, ()) if i >= at]
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
        if n == 1 and printed.endswith(wanted) and title_key(_NUMBERING.sub("", text)) == wanted:
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


def _by_type(paragraphs: Sequence[Paragraph], body: float, contents: Collection[str]) -> list[SectionStart]:
    """Return the sections begun by large or short bold paragraphs, and those that the contents list."""
    starts: list[SectionStart] = []
    styles: list[Style] = []
    for i, paragraph in enumerate(paragraphs):
        if len(paragraph.lines) > 2 and paragraph.lines[0].size < _LARGE * body:
            continue  # prose
        title = _title(paragraph)
        if not (_is_heading(paragraph, title, body) or _is_listed(paragraph, title, contents)):
            continue
        style = _style(paragraph, body)
        before = starts[-1] if starts else None
        if before and before.at + before.n_heading == i and _is_one(before, styles[-1], title, style):
            starts[-1] = replace(before, title=f"{before.title} {title}", n_heading=before.n_heading + 1)
            styles[-1] = max(styles[-1], style, key=lambda style: style.rank)
        else:
            starts.append(SectionStart(i, title, 1, 1))
            styles.append(style)
    levels = levels_of([(start.title, style) for start, style in zip(starts, styles, strict=True)])
    return _without_book_title(
        [replace(start, level=level) for start, level in zip(starts, levels, strict=True)]
    )


def _is_one(before: SectionStart, style_before: Style, title: str, style: Style) -> bool:
    """Return whether a heading directly below another goes on with it, as a title below "Chapter 3" does."""
    if numbered_depth(title) is not None and not title.isdecimal():
        return False
    if _LABEL.fullmatch(before.title):
        return True
    return style == style_before and (numbered_depth(before.title) is None or style.size > 0)


def _title(paragraph: Paragraph) -> str:
    return " ".join(" ".join(line.text for line in paragraph.lines).split())


def _style(paragraph: Paragraph, body: float) -> Style:
    line = paragraph.lines[0]
    return Style(round(2 * line.size) / 2 if line.size >= _LARGE * body else 0.0, line.bold)


def _without_book_title(starts: list[SectionStart]) -> list[SectionStart]:
    """Drop the outermost level if it is a single heading at the very front: the book's own title."""
    is_title = len(starts) > 1 and starts[0].level == 1 and numbered_depth(starts[0].title) is None
    if is_title and all(start.level > 1 for start in starts[1:]):
        return [replace(start, level=start.level - 1) for start in starts[1:]]
    return starts


def _is_listed(paragraph: Paragraph, title: str, contents: Collection[str]) -> bool:
    """Return whether a short paragraph is a title of the printed contents."""
    return len(paragraph.lines) <= 2 and len(title) < _LISTED and title_key(title) in contents


def _is_heading(paragraph: Paragraph, text: str, body: float) -> bool:
    if len(text.split()) > _LONGEST or not (_WORD.search(text) or _ROMAN.fullmatch(text)):
        return False
    if paragraph.kind != BlockKind.PARAGRAPH:
        return False
    if paragraph.lines[0].size >= _LARGE * body:
        return True
    if _STATEMENT.match(text):
        return False
    short = len(paragraph.lines) <= 2 and not text.rstrip().endswith((".", ",", ";", "”", '"'))
    bold = all(line.bold for line in paragraph.lines) and paragraph.lines[0].size >= body
    return short and (bold or bool(_CHAPTER.match(text)))
