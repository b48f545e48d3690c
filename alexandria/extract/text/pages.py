"""Removes what pages and lines are numbered with: page numbers and running heads, and numbers of lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from textwrap import dedent

from alexandria.extract.divisions import ENDS_SENTENCE, names_division
from alexandria.extract.text.speeches import speech_starts
from alexandria.extract.text.unwrapping import MAX_WIDTH, MIN_VERSE_CAPITALS

_PAGE_END = re.compile(r"(\[Page \d{1,4}\])[ \t]*\n(?!\s*\f)")  # for copies without their form feeds
# On a line of its own, at the end of one after a gap, or before a gap at its beginning.
_NUMBER = re.compile(
    r"^\W*(?:page )?(\d{1,4})\W*$|(?:^.*?\s{2,}|^)\[?(?:page )?(\d{1,4})\]?$|^(\d{1,4})(?=\s{3,})",
    re.IGNORECASE,
)
_MIN_PAGES = 3  # pages whose numbers count up; two may do so by chance
_MIN_BROKEN = 0.2  # share of the pages that end within a sentence; pages that are chapters do not
_MAX_SKIPPED = 5  # pages without text that are counted all the same
_MAX_LINE = 200  # characters of a line with a page number
_MIN_FULL = 0.8  # length of a full line, as a share of the longest; a word may be missing at its end
_HEAD = re.compile(r"\d{1,4}(?:\s+(?P<verso>\D{3,60}))?|(?P<recto>\D{3,60})\s+\d{1,4}")
"""The head of a page on a scan: number and title on a left page, title and number on a right one."""
_MIN_LINES_OF_PAGE = 8
_NUMBERED = re.compile(r" {0,8}(\d{1,4})(?:( .*)|$)")
_MIN_NUMBERS = 8  # fewest numbers: a list may have a few items of one line
_MIN_SHARE = 0.75  # share of the lines that have a number; the heads of pages have none
_MIN_IN_SENTENCE = 0.2  # share of numbered lines that begin with a small letter; verses begin with capitals
_MAX_LENGTH = 90  # characters of a usual line that is numbered; verses, one per line, may be longer


def without_page_furniture(text: str) -> tuple[str, str]:
    """Return a text without what is printed at the edges of its pages, and what that is.

    Its pages end in form feeds, and the numbers at their edges count up. With the numbers, a line that is the
    first or the last of most pages, set apart, is left out. A paragraph goes on after the end of a page, and
    if the pages have no numbers, where it ends within a line of prose.
    """
    if "\f" not in text and "[Page " not in text:
        return text, ""
    pages = [page.split("\n") for page in _PAGE_END.sub("\\1\n\f", text.replace("\r\n", "\n")).split("\f")]
    pages = [lines for lines in map(_without_blank_ends, pages) if lines]
    removed: list[str] = []
    numbered_pages = {edge: _numbered_pages([lines[edge] for lines in pages]) for edge in (0, -1)}
    if not any(numbered_pages.values()):
        return _with_joined_sentences(text.replace("\r\n", "\n")), ""
    for edge, numbered in numbered_pages.items():  # the first line of each page, then the last
        next_to_edge = 1 if edge == 0 else -2
        set_apart = (
            lines[edge].strip() for lines in pages if len(lines) > 1 and not lines[next_to_edge].strip()
        )
        n_pages_with = Counter(set_apart)
        min_pages = max(_MIN_PAGES, len(pages) / 2)
        for i, lines in enumerate(pages):
            if lines and (i in numbered or n_pages_with[lines[edge].strip()] >= min_pages):
                removed.append(lines[edge].strip())
                pages[i] = _without_blank_ends(lines[1:] if edge == 0 else lines[:-1])
    pages = [lines for lines in pages if lines]
    n_broken = sum(ENDS_SENTENCE.search(lines[-1]) is None for lines in pages[:-1])
    if not pages or ("[Page " not in text and n_broken < _MIN_BROKEN * len(pages)):
        return text, ""
    return "".join(_joined(pages)), "\n".join(removed)


def _numbered_pages(edge_lines: Sequence[str]) -> set[int]:
    """Return the indexes of the pages with a number; none unless the numbers count up from page to page."""
    # `edge_lines`: the first line of each page, or the last.
    matches = {i: _NUMBER.search(line.strip()) for i, line in enumerate(edge_lines) if len(line) <= _MAX_LINE}
    offsets = {i: int(match[match.lastindex or 1]) - i for i, match in matches.items() if match}
    usual_offset, n_pages = Counter(offsets.values()).most_common(1)[0] if offsets else (0, 0)
    if n_pages < max(_MIN_PAGES, len(edge_lines) / 2):
        return set()
    return {i for i, offset in offsets.items() if abs(offset - usual_offset) <= _MAX_SKIPPED}


def _with_joined_sentences(text: str) -> str:
    """Return a text with one line end in place of each form feed in mid-sentence; others stay."""
    # No blank line is above it. Below is a small letter, or both lines are full ones of wrapped prose; the
    # one below may also end a sentence.
    lines = [line for line in re.split("[\n\f]", text) if line.strip()]
    n_capitals = sum(line.lstrip(" \"“'‘«(")[:1].isupper() for line in lines)
    width = sorted(map(len, lines))[len(lines) * 9 // 10] if lines else 0
    is_prose = n_capitals < MIN_VERSE_CAPITALS * len(lines) and width <= MAX_WIDTH
    first_page, *pages = text.split("\f")
    parts = [first_page]
    for page in pages:
        last = parts[-1].rstrip(" \t").removesuffix("\n").rpartition("\n")[2].rstrip()
        first = page.lstrip("\n").partition("\n")[0].rstrip()
        is_full = is_prose and len(last) >= _MIN_FULL * width
        is_full = is_full and (len(first) >= _MIN_FULL * width or ENDS_SENTENCE.search(first) is not None)
        if last and first and _may_go_on(last, first) and (is_full or first.lstrip()[0].islower()):
            parts[-1] = parts[-1].rstrip()
            parts += ("\n" if width <= MAX_WIDTH else " ", page.lstrip("\n"))
        else:
            parts += ("\f", page)
    return "".join(parts)


def _joined(pages: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the text of each page with what separates it from the next: one line end within a paragraph."""
    for page, next_page in pairwise(pages):
        yield "\n".join(page) + ("\n" if _may_go_on(page[-1], next_page[0]) else "\n\n")
    yield "\n".join(pages[-1])


def _may_go_on(last: str, first: str) -> bool:
    """Return whether a paragraph may go on from the last line of a page to the first of the next one."""
    have_same_indent = len(last) - len(last.lstrip()) == len(first) - len(first.lstrip())
    return have_same_indent and not ENDS_SENTENCE.search(last)


def _without_blank_ends(lines: Sequence[str]) -> list[str]:
    filled = [i for i, line in enumerate(lines) if line.strip()]
    return [line.rstrip() for line in lines[filled[0] : filled[-1] + 1]] if filled else []


def with_pages_of_scan(text: str) -> tuple[str, str]:
    """Return the text of a scan, as archive.org has it, without the heads of its pages, and these heads.

    A head is a line of a title, which recurs, and a number, which counts up. The number is typed as `{12}`
    before the last word of the page before; a paragraph goes on after the head.
    """
    lines = text.split("\n")
    heads = _heads_of_pages(lines)
    is_marked = re.search(r"\{\d", text) is None
    pages: list[list[str]] = [[]]
    for i, line in enumerate(lines):
        if i not in heads:
            pages[-1].append(line)
            continue
        page = pages[-1] = _without_blank_ends(pages[-1])
        if page and is_marked:
            before, space, last = page[-1].rpartition(" ")
            page[-1] = f"{before}{space}{{{heads[i]}}} {last}"
        pages.append([])
    filled = [page for page in map(_without_blank_ends, pages) if page] if heads else []
    return "".join(_joined(filled)) if heads else text, "\n".join(lines[i].strip() for i in heads)


def _heads_of_pages(lines: Sequence[str]) -> dict[int, int]:
    """Return the number in each head of a page, by its line; none if they do not count up."""
    matches = {i: match for i, line in enumerate(lines) if (match := _HEAD.fullmatch(line.strip()))}
    titles = {i: (match["verso"] or match["recto"] or "").strip() for i, match in matches.items()}
    numbers = {i: int(re.sub(r"\D", "", match[0])) for i, match in matches.items()}
    n_times = Counter(title for title in titles.values() if not _numbers_divisions(title))
    recurring = [i for i, title in titles.items() if n_times[title] > 1 and title]
    heads: dict[int, int] = {}
    for i in recurring:
        last, number = next(reversed(heads.items()), (i - _MIN_LINES_OF_PAGE, numbers[i] - 1))
        if 0 < numbers[i] - number <= _MAX_SKIPPED and i - last >= _MIN_LINES_OF_PAGE:
            heads[i] = numbers[i]
    if len(heads) <= _MIN_PAGES or len(heads) < _MIN_SHARE * len(recurring):
        return {}
    # Heads that do not recur, and numbers alone, where they fit between two others.
    places = {number: i for i, number in heads.items()}
    for i, number in numbers.items():
        if number not in places and places.get(number - 1, i) < i < places.get(number + 1, i + 1):
            heads[i], places[number] = number, i
    return dict(sorted(heads.items()))


def _numbers_divisions(title: str) -> bool:
    """Return whether a number after a title is that of a division, as in "CHAPTER 12"."""
    return names_division(f"{title} 1") and not names_division(title)


def without_line_numbers(text: str) -> tuple[str, int]:
    """Return a text without the numbers of its lines, and how many there are; 0 if its lines have none.

    They count from line to line, and may begin again at 1 on each page. The lines are wrapped prose, or
    speeches.
    """
    lines = text.expandtabs(4).split("\n")
    text_of: dict[int, str] = {}  # without its number, by the index of the line
    last_number = 0
    for i, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if match and (number := int(match[1])) in (last_number + 1, 1):
            text_of[i], last_number = match[2] or "", number
    texts = [text.strip() for text in text_of.values() if text.strip()]
    n_filled = sum(map(bool, lines))
    if len(text_of) < max(_MIN_NUMBERS, _MIN_SHARE * n_filled) or not texts:
        return text, 0
    n_in_sentence = sum(text[0].islower() for text in texts)
    is_wrapped = n_in_sentence >= _MIN_IN_SENTENCE * len(texts) and median(map(len, texts)) < _MAX_LENGTH
    if not is_wrapped and not speech_starts(texts, is_wrapped=False):
        return text, 0
    dedented = dedent("\n".join(text_of.values())).split("\n")
    unnumbered = dict(zip(text_of, dedented, strict=True))
    return "\n".join(unnumbered.get(i, line) for i, line in enumerate(lines)), len(text_of)
