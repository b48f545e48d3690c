"""Finds the headings that begin sections: by the outline or, without one, by large or bold type."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from alexandria.book import BlockKind
from alexandria.extract.divisions import CHAPTER, STATEMENT, counting_lines, is_part_name, read_division
from alexandria.extract.pdf.contents import title_key
from alexandria.extract.pdf.levels import Style, levels_of, numbered_depth
from alexandria.extract.pdf.lines import OutlineEntry
from alexandria.extract.pdf.paragraphs import Paragraph

_HEADING_SIZE = 1.15
"""Times the body size: headings are larger by at least a sixth."""
_MAX_WORDS = 30
"""Most words in a heading."""
# Possessive: otherwise each further digit of a long number without a space after it would double the time.
_NUMBERING = re.compile(r"^\s*(?:\w+\s+)?(?>(?:[\dIVXLC]++[.:)]?+)+)\s+", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:(?:chapter|part|book|kapitel|chapitre|capítulo|capitolo|teil|poglavlje|hoofdstuk|appendix)\s+)?"
    r"(?:\d+|[ivxlc]+|(?<=\s)[a-z])\.?",
    re.IGNORECASE,
)
"""A heading that its title may follow as a second paragraph: "Chapter 3", "IV"."""
_WORD = re.compile(r"[^\W\d_]{2}|[\u2e80-\uffff]|^[^\W\d_]$")
_ROMAN = re.compile(r"[IVXLC]+\.?")
_MAX_LISTED = 150
"""Most characters of a title that is looked up in the printed contents."""
_BARE_NUMBER = re.compile(r"[^\w(]*[^\W_]+[^\w)]*")
"""A number of a chapter without a title; that of a formula is in brackets."""
_MIN_SPACE = 2
"""Times the size: least distance of such a number from the text; lines of text are closer."""
_MAX_PARAGRAPHS = 5
"""Most paragraphs of a printed heading: number, title, subtitle."""
_MAX_LINES = 2
"""Most lines of a heading in the size of the text; a paragraph with more is prose."""
_MAX_EXTRA_CHARACTERS = 40
"""Characters by which a printed heading may exceed twice the length of its title in the outline."""


@dataclass(frozen=True, slots=True)
class SectionStart:
    """A section begins at a paragraph."""

    index: int
    """Index of the paragraph."""
    title: str
    level: int
    n_heading: int
    """The number of paragraphs of its printed heading."""


def find_starts(
    paragraphs: Sequence[Paragraph],
    outline: Sequence[OutlineEntry],
    body_size: float,
    contents: Collection[str] = frozenset(),
) -> list[SectionStart]:
    """Return where sections begin, in order: by the outline or, without one, by type, numbers and contents.

    Args:
        paragraphs: the paragraphs of the whole book.
        outline: empty if the file has none.
        body_size: the size of the body text.
        contents: keys of the titles in the printed contents.
    """
    if outline:
        return _starts_by_outline(paragraphs, outline)
    return _starts_by_type(paragraphs, body_size, contents)


def _starts_by_outline(
    paragraphs: Sequence[Paragraph], outline: Sequence[OutlineEntry]
) -> list[SectionStart]:
    """Return one section per outline entry: at its printed title on its page, otherwise at its target."""
    starts: list[SectionStart] = []
    indices_by_page: dict[int, list[int]] = {}
    for i, paragraph in enumerate(paragraphs):
        indices_by_page.setdefault(paragraph.lines[0].page, []).append(i)
    after_heading = 0  # index of the first paragraph after the previous heading
    for entry in outline:
        candidates = [i for i in indices_by_page.get(entry.page, ()) if i >= after_heading]
        index, n_heading = _find_heading(paragraphs, candidates, entry.title)
        if not n_heading:
            index = _first_below(paragraphs, after_heading, entry)
        starts.append(SectionStart(index, entry.title, entry.level, n_heading))
        after_heading = index + n_heading
    return starts


def _find_heading(paragraphs: Sequence[Paragraph], candidates: Iterable[int], title: str) -> tuple[int, int]:
    """Return at which of the candidates the printed title begins, and its number of paragraphs.

    If the title is printed at no candidate, both are 0.
    """
    for index in candidates:
        if n_heading := _count_heading(paragraphs, index, title):
            return index, n_heading
    return 0, 0


def _count_heading(paragraphs: Sequence[Paragraph], index: int, title: str) -> int:
    """Return how many paragraphs, from `index` on, make up the printed title; 0 if it is not printed there.

    The number of the title may be missing: in the outline ("Bees" for "3. Bees") or in print.
    """
    title_full, title_unnumbered = title_key(title), title_key(_NUMBERING.sub("", title))
    printed = ""
    for n in range(1, _MAX_PARAGRAPHS + 1):
        if index + n > len(paragraphs):
            return 0
        text = " ".join(line.text for line in paragraphs[index + n - 1].lines)
        if len(text) > 2 * len(title) + _MAX_EXTRA_CHARACTERS:
            return 0  # text, or a much longer title: not worth comparing
        printed += title_key(text)
        if printed == title_full or (n == 1 and title_unnumbered and printed == title_unnumbered):
            return n
        # `endswith` only spares the pattern where it cannot help.
        if n == 1 and printed.endswith(title_full) and title_key(_NUMBERING.sub("", text)) == title_full:
            return n
    return 0


def _first_below(paragraphs: Sequence[Paragraph], start: int, entry: OutlineEntry) -> int:
    """Return the index of the first paragraph, from `start` on, at or below the target of an entry."""
    for i in range(start, len(paragraphs)):
        line = paragraphs[i].lines[0]
        if line.page > entry.page:
            return i
        if line.page == entry.page and (entry.y is None or line.y <= entry.y):
            return i
    return len(paragraphs)


def _starts_by_type(
    paragraphs: Sequence[Paragraph], body_size: float, contents: Collection[str]
) -> list[SectionStart]:
    """Return the sections that begin with a large or short bold paragraph, or a title in the contents."""
    starts: list[SectionStart] = []
    styles: list[Style] = []
    counted = counting_lines(paragraph.lines[-1].text for paragraph in paragraphs)
    for i, paragraph in enumerate(paragraphs):
        if len(paragraph.lines) > _MAX_LINES and paragraph.lines[0].size < _HEADING_SIZE * body_size:
            continue  # prose, the usual case
        title = " ".join(" ".join(line.text for line in paragraph.lines).split())
        is_counted = title in counted and _BARE_NUMBER.fullmatch(title) and _is_set_apart(paragraphs, i)
        is_title = _is_heading(paragraph, title, body_size) or _is_in_contents(paragraph, title, contents)
        if not (is_title or is_counted):
            continue
        style = _heading_style(paragraph, body_size)
        before = starts[-1] if starts else None
        is_adjacent = before is not None and before.index + before.n_heading == i
        if before and is_adjacent and _continues_heading(before, styles[-1], title, style):
            starts[-1] = replace(before, title=f"{before.title} {title}", n_heading=before.n_heading + 1)
            styles[-1] = max(styles[-1], style, key=lambda style: style.rank)
        else:
            starts.append(SectionStart(i, title, level=1, n_heading=1))  # its level is inferred below
            styles.append(style)
    levels = levels_of([(start.title, style) for start, style in zip(starts, styles, strict=True)])
    return _drop_book_title(
        [replace(start, level=level) for start, level in zip(starts, levels, strict=True)]
    )


def _continues_heading(before: SectionStart, style_before: Style, title: str, style: Style) -> bool:
    """Return whether a heading directly below another is part of it, as a title below "Chapter 3" is.

    Args:
        before: the section that begins with the heading above.
        style_before: the type of that heading.
        title: the heading below.
        style: the type of the heading below.
    """
    if numbered_depth(title) is not None and not title.isdecimal():
        return False
    if _LABEL.fullmatch(before.title):
        return True
    return style == style_before and (numbered_depth(before.title) is None or style.size > 0)


def _is_set_apart(paragraphs: Sequence[Paragraph], index: int) -> bool:
    """Return whether a paragraph of one line has blank space above and below it, or the edge of the page."""
    line = paragraphs[index].lines[0]
    others = [paragraph.lines[-1] for paragraph in paragraphs[max(index - 1, 0) : index]]
    others += [paragraph.lines[0] for paragraph in paragraphs[index + 1 : index + 2]]
    return all(each.page != line.page or abs(each.y - line.y) > _MIN_SPACE * each.size for each in others)


def _heading_style(paragraph: Paragraph, body_size: float) -> Style:
    """Return the type of a heading; its size is in half points, and 0 if it is about the size of the text."""
    line = paragraph.lines[0]
    return Style(round(2 * line.size) / 2 if line.size >= _HEADING_SIZE * body_size else 0.0, line.bold)


def _drop_book_title(starts: list[SectionStart]) -> list[SectionStart]:
    """Return the sections without the book's title: a first section that alone is of the outermost level."""
    is_title = len(starts) > 1 and starts[0].level == 1 and numbered_depth(starts[0].title) is None
    if is_title and all(start.level > 1 for start in starts[1:]):
        return [replace(start, level=start.level - 1) for start in starts[1:]]
    return starts


def _is_in_contents(paragraph: Paragraph, title: str, contents: Collection[str]) -> bool:
    return len(paragraph.lines) <= _MAX_LINES and len(title) < _MAX_LISTED and title_key(title) in contents


def _is_heading(paragraph: Paragraph, text: str, body_size: float) -> bool:
    """Return whether a paragraph looks like a heading: short, and large, bold, or named as a chapter."""
    if len(text.split()) > _MAX_WORDS or not (_WORD.search(text) or _ROMAN.fullmatch(text)):
        return False
    if paragraph.kind != BlockKind.PARAGRAPH:
        return False
    if paragraph.lines[0].size >= _HEADING_SIZE * body_size:
        return True
    if STATEMENT.match(text):
        return False
    is_short = len(paragraph.lines) <= _MAX_LINES and not text.rstrip().endswith((".", ",", ";", "”", '"'))
    is_bold = all(line.bold for line in paragraph.lines) and paragraph.lines[0].size >= body_size
    division = read_division(text)
    is_named = is_part_name(text) or (division is not None and division.rank <= CHAPTER)
    return is_short and (is_bold or is_named)
