"""Levels of headings in files without an outline: by their numbers, then by the size and weight of type."""

import re
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
_FREQUENT = 3
"""Headings of one type that make those of a type that occurs once an exception: a title page, a figure."""


@dataclass(frozen=True, slots=True)
class Style:
    """The type of a heading; of two, the greater is the outer."""

    size: float
    bold: bool

    @property
    def rank(self) -> tuple[float, bool]:
        """What styles are ordered by."""
        return self.size, self.bold


def label_depth(text: str) -> int | None:
    """Return the depth that "Part II" or "Chapter 3" names, 0 or 1; None for any other text."""
    return 0 if _PART.match(text) else 1 if _CHAPTER.match(text) else None


def numbered_depth(title: str) -> int | None:
    """Return 0 for a part, 1 for a chapter, and for decimal numbers how many there are: 2 for 1.2."""
    depth = label_depth(title)
    if depth is None and (match := _DECIMAL.match(title)):
        depth = 1 + match[1].count(".")
    return depth


def levels_of(headings: Sequence[tuple[str, Style]]) -> list[int]:
    """Return the level of each heading, 1 for the outermost, from its title and type.

    A number decides; a heading without one has the level of those numbered in the same type or, if there are
    none, one below the next larger type.
    """
    own = [numbered_depth(title) for title, _ in headings]
    own = _below_chapters(own, headings)
    counts = Counter(style for _, style in headings)
    depths = _style_depths(own, [style for _, style in headings], counts)
    each = [
        depths[style] if depth is None else depth for depth, (_, style) in zip(own, headings, strict=True)
    ]
    usual = {
        depth
        for depth, numbered, (_, style) in zip(each, own, headings, strict=True)
        if numbered is not None or not _is_exception(style, counts)
    }
    order = sorted(usual or set(each))
    return _from_the_outermost([1 + max(sum(level <= depth for level in order) - 1, 0) for depth in each])


def _from_the_outermost(levels: list[int]) -> list[int]:
    """Return the levels, in which what precedes the first part, such as a preface, is not below one."""
    first = levels.index(1) if 1 in levels else 0
    before = levels[:first]
    return [level - min(before) + 1 for level in before] + levels[first:]


def _is_exception(style: Style, counts: Mapping[Style, int]) -> bool:
    return counts[style] == 1 and max(counts.values()) >= _FREQUENT


def _below_chapters(own: list[int | None], headings: Sequence[tuple[str, Style]]) -> list[int | None]:
    """Return the depths, with plain numbers below named chapters if they are set in smaller type."""
    chapters = [style.rank for title, style in headings if label_depth(title) == 1]
    if not chapters:
        return own
    smallest = min(chapters)
    inner = [
        depth == 1 and label_depth(title) is None and style.rank < smallest
        for depth, (title, style) in zip(own, headings, strict=True)
    ]
    return [2 if below else depth for below, depth in zip(inner, own, strict=True)]


def _style_depths(
    own: Sequence[int | None], styles: Sequence[Style], counts: Mapping[Style, int]
) -> dict[Style, int]:
    """Return the depth of headings without a number in each type."""
    numbered: dict[Style, Counter[int]] = {}
    for depth, style in zip(own, styles, strict=True):
        if depth is not None:
            numbered.setdefault(style, Counter())[depth] += 1
    outermost = min((depth for depth in own if depth is not None), default=1)
    depths: dict[Style, int] = {}
    last: int | None = None
    for style in sorted(counts, key=lambda style: style.rank, reverse=True):
        if style in numbered:
            depths[style] = last = numbered[style].most_common(1)[0][0]
        elif _is_exception(style, counts):
            depths[style] = outermost if last is None else last + 1
        else:
            # Larger than all that is numbered: parts, or chapters above numbered sections.
            last = (outermost - 1 if numbered else outermost) if last is None else last + 1
            depths[style] = last
    return depths
