"""Sets headings apart where no blank lines surround them, as in texts typed one paragraph a line."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from alexandria.extract.divisions import ENDS_SENTENCE, counting_lines, in_capitals, names_division
from alexandria.extract.text.unwrapping import Group, Layout

_MAX_HEADING_TEXT = 200
"""Characters of a group that may be a heading of several lines."""
_UNSTOPPED = re.compile(r"\s*[\u3400-\u9fff·\s（）]{1,20}")
_COUPLET = re.compile(r"\s*[\u3400-\u9fff]{3,8}[，？、；！。](?:[\u3400-\u9fff]{3,8}[，？、；！。])?")
_MIN_TITLES = 2
"""Titles right above stanzas; one may be a line of its poem."""
_MAX_LISTED_SHARE = 0.5
"""Share of the lines of a group that are headings; in a table of contents, most are."""


def set_headings_apart(groups: Sequence[Group], layout: Layout) -> list[Group]:
    """Return the groups, with each line that names a chapter as a group of its own below a blank line.

    In a wrapped text, only lines after the end of a sentence are headings, and the first of a long group.
    """
    counted = counting_lines(line for group in groups if not group.fenced for line in group.lines)
    titles = [group.lines[0] for group in groups if _begins_with_title(group, layout)]
    if len(titles) >= _MIN_TITLES:
        counted |= {title.strip() for title in titles}
    return [part for group in groups for part in _divide(group, layout, counted)]


def _begins_with_title(group: Group, layout: Layout) -> bool:
    """Return whether a stanza begins with its title: a line in capitals, after more than one blank line.

    A title in Chinese has no stops, while the lines below have; the name of the poet may be between them.
    """
    lines = group.lines
    if _UNSTOPPED.fullmatch(lines[0]):
        n_above = 2 if _UNSTOPPED.fullmatch("".join(lines[1:2])) else 1  # the title, perhaps with the poet
        return len(lines) >= n_above + 2 and all(map(_COUPLET.fullmatch, lines[n_above:]))
    is_set_apart = layout.is_verse and group.blank_before > 1 and len(lines) > 2
    return is_set_apart and in_capitals(lines[0]) and not in_capitals(lines[1])


def _divide(group: Group, layout: Layout, counted: Collection[str]) -> Iterator[Group]:
    """Yield the parts of a group: its headings, and the lines between them."""
    headings = [
        i
        for i, line in enumerate(group.lines)
        if (line.strip() in counted or names_division(line.strip()))
        and (not layout.width or layout.is_verse or _is_between_paragraphs(group, i))
    ]
    is_list = len(group.lines) > 2 and len(headings) > _MAX_LISTED_SHARE * len(group.lines)
    if group.fenced or len(group.lines) == 1 or is_list:
        is_counted = len(group.lines) == 1 and group.text in counted
        yield replace(group, counts=True) if is_counted else group
        return
    bounds = sorted({0, *headings, *(i + 1 for i in headings), len(group.lines)})
    for start, end in pairwise(bounds):
        counts = start in headings and group.lines[start].strip() in counted
        part = replace(group, lines=group.lines[start:end], counts=counts)
        yield part if start == 0 else replace(part, blank_before=1)


def _is_between_paragraphs(group: Group, i: int) -> bool:
    if i > 0:
        return ENDS_SENTENCE.search(group.lines[i - 1]) is not None
    return len(group.text) > _MAX_HEADING_TEXT
