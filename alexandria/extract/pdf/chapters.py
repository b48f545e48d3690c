"""Finds the headings that begin sections: by the outline or, without one, by large or bold type."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from alexandria.book.model import BlockKind
from alexandria.extract.divisions import CHAPTER, STATEMENT, counting_lines, is_part_name, read_division
from alexandria.extract.pdf.contents import title_key
from alexandria.extract.pdf.lines import OutlineEntry
from alexandria.extract.pdf.paragraphs import Paragraph

_HEADING_SIZE = 1.15  # times the body size: headings are larger by at least a sixth
_MAX_WORDS = 30  # most words in a heading
# Possessive: otherwise each further digit of a long number without a space after it would double the time.
_NUMBERING = re.compile(r"^\s*(?:\w+\s+)?(?>(?:[\dIVXLC]++[.:)]?+)+)\s+", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:(?:chapter|part|book|kapitel|chapitre|capítulo|capitolo|teil|poglavlje|hoofdstuk|appendix)\s+)?"
    r"(?:\d+|[ivxlc]+|(?<=\s)[a-z])\.?",
    re.IGNORECASE,
)  # a heading that its title may follow as a second paragraph: "Chapter 3", "IV"
_WORD = re.compile(r"[^\W\d_]{2}|[\u2e80-\uffff]|^[^\W\d_]$")
_ROMAN = re.compile(r"[IVXLC]+\.?")
_MAX_LISTED = 150  # most characters of a title that is looked up in the printed contents
_BARE_NUMBER = re.compile(r"[^\w(]*[^\W_]+[^\w)]*")  # a number without a title; a formula's is in brackets
_MIN_SPACE = 2  # times the size: least distance of such a number from the text; lines of text are closer
_MAX_PARAGRAPHS = 5  # most paragraphs of a printed heading: number, title, subtitle
_MAX_LINES = 2  # most lines of a heading in the size of the text; a paragraph with more is prose
_MAX_EXTRA_CHARACTERS = 40  # characters that a printed heading may have beyond twice its title
_PART = re.compile(r"(?:part|book|teil|partie|parte|dio|deel|część|часть)\s+[\divxlc]+\b", re.IGNORECASE)
_CHAPTER = re.compile(
    r"(?:chapter|kapitel|chapitre|capítulo|capitolo|capitulo|poglavlje|hoofdstuk|rozdział|appendix|anhang|глава)"
    r"\s+(?:\d+|[ivxlc]+|[a-z])\b",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(?:§\s*)?(?:\d{1,3}|[A-Z](?=\.\d))((?:\.\d{1,3})*)\.?(?=\s+\S|$)")
_MIN_FREQUENT = 3  # headings of one type, beside which a type that occurs once is an exception


@dataclass(frozen=True, slots=True)
class SectionStart:
    """A section begins at a paragraph."""

    index: int  # index of the paragraph
    title: str
    level: int
    n_heading: int  # the number of paragraphs of its printed heading


@dataclass(frozen=True, slots=True)
class Style:
    """The type of a heading: headings of outer levels are larger, or bold in the same size."""

    size: float
    bold: bool

    @property
    def rank(self) -> tuple[float, bool]:
        """The key by which styles are ordered."""
        return self.size, self.bold


def find_starts(
    paragraphs: Sequence[Paragraph],
    outline: Sequence[OutlineEntry],
    body_size: float,
    contents: Collection[str] = frozenset(),
) -> list[SectionStart]:
    """Return where sections begin, in order: by the outline or, without one, by type, numbers and contents.

    Args:
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
    """Return at which of the candidates the printed title begins, and its number of paragraphs."""
    # If the title is printed at no candidate, both are 0.
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
    """Return whether a heading directly below another is part of it, as a title below "Chapter 3" is."""
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
    return all(other.page != line.page or abs(other.y - line.y) > _MIN_SPACE * other.size for other in others)


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


def label_depth(text: str) -> int | None:
    """Return the depth that "Part II" or "Chapter 3" names, 0 or 1, or None for any other text."""
    if _PART.match(text):
        return 0
    return 1 if _CHAPTER.match(text) else None


def numbered_depth(title: str) -> int | None:
    """Return the depth of a title's number, or None: 0 for a part, 1 for a chapter and for 1, 2 for 1.2."""
    depth = label_depth(title)
    if depth is None and (match := _DECIMAL.match(title)):
        depth = 1 + match[1].count(".")
    return depth


def levels_of(headings: Sequence[tuple[str, Style]]) -> list[int]:
    """Return the level of each heading, 1 for the outermost, from its title and type.

    A number decides. A heading without a number has the level of the numbered headings in its type or, if
    there are none, a level below the next larger type.

    Depths are those of `numbered_depth`: 0 for parts, 1 for chapters. Levels are the ranks of the depths that
    occur: a book without parts has its chapters at level 1.
    """
    number_depths = _lower_plain_numbers([numbered_depth(title) for title, _ in headings], headings)
    styles = [style for _, style in headings]
    counts = Counter(styles)
    style_depths = _style_depths(number_depths, styles, counts)
    depths = [
        style_depths[style] if number_depth is None else number_depth
        for number_depth, style in zip(number_depths, styles, strict=True)
    ]
    usual = {
        depth
        for depth, number_depth, style in zip(depths, number_depths, styles, strict=True)
        if number_depth is not None or not _is_exception(style, counts)
    }
    # Depths that no usual heading has are skipped; what is above all of them is at level 1, too.
    usual_depths = sorted(usual or set(depths))
    levels = [max(bisect_right(usual_depths, depth), 1) for depth in depths]
    return _raise_front_matter(levels)


def _raise_front_matter(levels: list[int]) -> list[int]:
    """Return the levels, with the headings before the first one of level 1 raised until one is at level 1."""
    # They are a preface and the like, which is not below a part: 2, 3, 1, 2 becomes 1, 2, 1, 2.
    first = levels.index(1) if 1 in levels else 0
    front = levels[:first]
    return [level - min(front) + 1 for level in front] + levels[first:]


def _is_exception(style: Style, counts: Mapping[Style, int]) -> bool:
    """Return whether a type occurs only once, while another one is frequent."""
    return counts[style] == 1 and max(counts.values()) >= _MIN_FREQUENT


def _lower_plain_numbers(
    number_depths: list[int | None], headings: Sequence[tuple[str, Style]]
) -> list[int | None]:
    """Return the depths, with plain numbers below named chapters ("Chapter 3") if their type is smaller."""
    # `number_depths`: the depth that each heading's number shows, or None.
    chapters = [style.rank for title, style in headings if label_depth(title) == 1]
    if not chapters:
        return number_depths
    smallest = min(chapters)
    is_lower = [
        depth == 1 and label_depth(title) is None and style.rank < smallest
        for depth, (title, style) in zip(number_depths, headings, strict=True)
    ]
    return [2 if lower else depth for lower, depth in zip(is_lower, number_depths, strict=True)]


def _style_depths(
    number_depths: Sequence[int | None], styles: Sequence[Style], counts: Mapping[Style, int]
) -> dict[Style, int]:
    """Return the depth of headings without a number, by their type: each type is below the next larger one.

    A type that numbered headings have as well has the depth of most of them.

    Args:
        number_depths: the depth that each heading's number shows, or None.
        counts: how often each type occurs.
    """
    numbered_depths: dict[Style, Counter[int]] = {}
    for depth, style in zip(number_depths, styles, strict=True):
        if depth is not None:
            numbered_depths.setdefault(style, Counter())[depth] += 1
    outermost = min((depth for depth in number_depths if depth is not None), default=1)
    # Of a type larger than all that is numbered: parts, or chapters above numbered sections.
    above_numbered = outermost - 1 if numbered_depths else outermost
    depths: dict[Style, int] = {}
    last_depth: int | None = None  # of the next larger type, exceptions aside
    for style in sorted(counts, key=lambda style: style.rank, reverse=True):
        if style in numbered_depths:
            depths[style] = last_depth = numbered_depths[style].most_common(1)[0][0]
        elif _is_exception(style, counts):
            depths[style] = outermost if last_depth is None else last_depth + 1
        else:
            depths[style] = last_depth = above_numbered if last_depth is None else last_depth + 1
    return depths
