"""Removes what pages and lines are numbered with: page numbers and running heads, and numbers of lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from textwrap import dedent

from alexandria.extract.divisions import ENDS_SENTENCE
from alexandria.extract.text.speeches import speech_starts

_PAGE_END = re.compile(r"(\[Page \d{1,4}\])[ \t]*\n(?!\s*\f)")  # for copies without their form feeds
# On a line of its own, at the end of one after a gap, or before a gap at its beginning.
_NUMBER = re.compile(
    r"^\W*(?:page )?(\d{1,4})\W*$|(?:^.*?\s{2,}|^)\[?(?:page )?(\d{1,4})\]?$|^(\d{1,4})(?=\s{3,})",
    re.IGNORECASE,
)
_MIN_PAGES = 3
"""Pages whose numbers count up; two may do so by chance."""
_MIN_BROKEN = 0.2
"""Share of the pages that end within a sentence: those that are chapters, below their numbers, do not."""
_MAX_SKIPPED = 5
"""Pages without text that are counted all the same."""
_MAX_LINE = 200
"""Characters of a line with a page number."""
_NUMBERED = re.compile(r" {0,8}(\d{1,4})(?:( .*)|$)")
_MIN_NUMBERS = 8
"""Fewest numbers: a list may have a few items of one line."""
_MIN_SHARE = 0.75
"""Share of the lines that have a number; the heads of pages have none."""
_MIN_IN_SENTENCE = 0.2
"""Share of the numbered lines that begin with a small letter: items and verses begin with capitals."""
_MAX_LENGTH = 90
"""Characters of a usual line that is numbered; verses of the Bible and items, one a line, may be longer."""


def without_page_furniture(text: str) -> tuple[str, str]:
    """Return a text without what is printed at the edges of its pages, and what that is.

    Its pages end in form feeds, and the numbers at their edges count up. With the numbers, a line that is the
    first or the last of most pages, set apart, is left out. A paragraph goes on after the end of a page.
    """
    if "\f" not in text and "[Page " not in text:
        return text, ""
    pages = [page.split("\n") for page in _PAGE_END.sub("\\1\n\f", text.replace("\r\n", "\n")).split("\f")]
    pages = [lines for lines in map(_without_blank_ends, pages) if lines]
    removed: list[str] = []
    numbers = {edge: _page_numbers([lines[edge] for lines in pages]) for edge in (0, -1)}
    if not any(numbers.values()):
        return text, ""
    for edge, numbered in numbers.items():
        inner = 1 if edge == 0 else -2
        set_apart = (lines[edge].strip() for lines in pages if len(lines) > 1 and not lines[inner].strip())
        repeated = Counter(set_apart)
        for i, lines in enumerate(pages):
            if not lines:
                continue
            if i in numbered or repeated[lines[edge].strip()] >= max(_MIN_PAGES, len(pages) / 2):
                removed.append(lines[edge].strip())
                pages[i] = _without_blank_ends(lines[1:] if edge == 0 else lines[:-1])
    pages = [lines for lines in pages if lines]
    n_broken = sum(ENDS_SENTENCE.search(lines[-1]) is None for lines in pages[:-1])
    if not pages or ("[Page " not in text and n_broken < _MIN_BROKEN * len(pages)):
        return text, ""
    return "".join(_joined(pages)), "\n".join(removed)


def _page_numbers(lines: Sequence[str]) -> set[int]:
    """Return the indexes of the lines with page numbers; none unless they count up from page to page."""
    matches = {i: _NUMBER.search(line.strip()) for i, line in enumerate(lines) if len(line) <= _MAX_LINE}
    firsts = {i: int(match[match.lastindex or 1]) - i for i, match in matches.items() if match}
    first, n_equal = Counter(firsts.values()).most_common(1)[0] if firsts else (0, 0)
    is_counting = n_equal >= max(_MIN_PAGES, len(lines) / 2)
    return {i for i, each in firsts.items() if abs(each - first) <= _MAX_SKIPPED} if is_counting else set()


def _joined(pages: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the texts of the pages, and what is between them: nothing but a line end within a paragraph."""
    for page, following in pairwise(pages):
        last, first = page[-1], following[0]
        same_indent = len(last) - len(last.lstrip()) == len(first) - len(first.lstrip())
        goes_on = same_indent and not ENDS_SENTENCE.search(last)
        yield "\n".join(page) + ("\n" if goes_on else "\n\n")
    yield "\n".join(pages[-1])


def _without_blank_ends(lines: Sequence[str]) -> list[str]:
    with_text = [i for i, line in enumerate(lines) if line.strip()]
    return [line.rstrip() for line in lines[with_text[0] : with_text[-1] + 1]] if with_text else []


def without_line_numbers(text: str) -> tuple[str, int]:
    """Return a text without the numbers of its lines, and how many they are; 0 if its lines have none.

    They count from line to line, and may begin again at 1 on each page. The lines are wrapped prose, or
    speeches.
    """
    lines = text.expandtabs(4).split("\n")
    rests: dict[int, str] = {}
    last = 0
    for i, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if match and int(match[1]) in (last + 1, 1):
            rests[i], last = match[2] or "", int(match[1])
    words = [rest.strip() for rest in rests.values() if rest.strip()]
    if len(rests) < max(_MIN_NUMBERS, _MIN_SHARE * sum(map(bool, lines))) or not words:
        return text, 0
    n_in_sentence = sum(rest[0].islower() for rest in words)
    is_wrapped = n_in_sentence >= _MIN_IN_SENTENCE * len(words) and median(map(len, words)) < _MAX_LENGTH
    if not is_wrapped and not speech_starts(words, is_wrapped=False):
        return text, 0
    level = dedent("\n".join(rests.values())).split("\n")
    unnumbered = dict(zip(rests, level, strict=True))
    return "\n".join(unnumbered.get(i, line) for i, line in enumerate(lines)), len(rests)
