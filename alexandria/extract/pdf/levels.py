"""Infers the levels of headings in files without an outline: from their numbers, then from their type."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_PART = re.compile(r"(?:part|book|teil|partie|parte|dio|deel|część|часть)\s+[\divxlc]+\b", re.IGNORECASE)
_CHAPTER = re.compile(
    r"(?:chapter|kapitel|chapitre|capítulo|capitolo|capitulo|poglavlje|hoofdstuk|rozdział|appendix|anhang|глава)"
    r"\s+(?:\d+|[ivxlc]+|[a-z])\b",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(?:§\s*)?(?:\d{1,3}|[A-Z](?=\.\d))((?:\.\d{1,3})*)\.?(?=\s+\S|$)")
_MIN_FREQUENT = 3
"""Headings of one type, from which on a type that occurs once is an exception: a title page, a figure."""


@dataclass(frozen=True, slots=True)
class Style:
    """The type of a heading: headings of outer levels are larger, or bold in the same size."""

    size: float
    bold: bool

    @property
    def rank(self) -> tuple[float, bool]:
        """The key by which styles are ordered."""
        return self.size, self.bold


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
    by_number = [numbered_depth(title) for title, _ in headings]
    by_number = _lower_plain_numbers(by_number, headings)
    counts = Counter(style for _, style in headings)
    style_depths = _style_depths(by_number, [style for _, style in headings], counts)
    depths = [
        style_depths[style] if depth is None else depth
        for depth, (_, style) in zip(by_number, headings, strict=True)
    ]
    usual = {
        depth
        for depth, number_depth, (_, style) in zip(depths, by_number, headings, strict=True)
        if number_depth is not None or not _is_exception(style, counts)
    }
    # Depths that no usual heading has are skipped; what is above all of them is at level 1, too.
    usual_depths = sorted(usual or set(depths))
    levels = [max(bisect_right(usual_depths, depth), 1) for depth in depths]
    return _raise_front_matter(levels)


def _raise_front_matter(levels: list[int]) -> list[int]:
    """Return the levels, with the headings before the first one of level 1 raised until one is at level 1.

    They are a preface and the like, which is not below a part: 2, 3, 1, 2 becomes 1, 2, 1, 2.
    """
    first = levels.index(1) if 1 in levels else 0
    front = levels[:first]
    return [level - min(front) + 1 for level in front] + levels[first:]


def _is_exception(style: Style, counts: Mapping[Style, int]) -> bool:
    """Return whether a type occurs only once, while another one is frequent."""
    return counts[style] == 1 and max(counts.values()) >= _MIN_FREQUENT


def _lower_plain_numbers(
    by_number: list[int | None], headings: Sequence[tuple[str, Style]]
) -> list[int | None]:
    """Return the depths, with plain numbers below named chapters ("Chapter 3") if their type is smaller.

    Args:
        by_number: the depth that each heading's number shows, or None.
        headings: the title and type of each.
    """
    chapters = [style.rank for title, style in headings if label_depth(title) == 1]
    if not chapters:
        return by_number
    smallest = min(chapters)
    is_lower = [
        depth == 1 and label_depth(title) is None and style.rank < smallest
        for depth, (title, style) in zip(by_number, headings, strict=True)
    ]
    return [2 if lower else depth for lower, depth in zip(is_lower, by_number, strict=True)]


def _style_depths(
    by_number: Sequence[int | None], styles: Sequence[Style], counts: Mapping[Style, int]
) -> dict[Style, int]:
    """Return the depth of headings without a number, by their type: each type is below the next larger one.

    A type that numbered headings have as well has the depth of most of them.

    Args:
        by_number: the depth that each heading's number shows, or None.
        styles: the type of each heading.
        counts: how often each type occurs.
    """
    numbered_depths: dict[Style, Counter[int]] = {}
    for depth, style in zip(by_number, styles, strict=True):
        if depth is not None:
            numbered_depths.setdefault(style, Counter())[depth] += 1
    outermost = min((depth for depth in by_number if depth is not None), default=1)
    # Of a type larger than all that is numbered: parts, or chapters above numbered sections.
    above_numbered = outermost - 1 if numbered_depths else outermost
    depths: dict[Style, int] = {}
    last: int | None = None  # the depth of the next larger type, exceptions aside
    for style in sorted(counts, key=lambda style: style.rank, reverse=True):
        if style in numbered_depths:
            depths[style] = last = numbered_depths[style].most_common(1)[0][0]
        elif _is_exception(style, counts):
            depths[style] = outermost if last is None else last + 1
        else:
            depths[style] = last = above_numbered if last is None else last + 1
    return depths
