"""Finds the headings and the printed table of contents of a plain text.

A group is the lines between two blank lines (`unwrapping.group_lines`).

Headings are recognised by rules, from the most certain: a keyword with a number ("Chapter 3"), numbers that
count up, names of parts ("Preface"), then lines that are underlined, set apart or outdented. `find_contents`
is at the end.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from alexandria.extract import divisions
from alexandria.extract.divisions import CHAPTER, ROMAN, SECTION, in_capitals, in_title_case
from alexandria.extract.numerals import roman_value
from alexandria.extract.text.unwrapping import Group, Layout, is_unspaced
from alexandria.extract.words import read_words

_WORDS = read_words("headings")
_CONTENTS = re.compile(_WORDS["contents"], re.I)
_NUMBER = re.compile(
    rf"(?P<roman>{ROMAN})(?P<title>[.:)]? .+)?[.:)]?|(?P<arabic>\d{{1,3}})(?P<after>[.:)] .+)?[.:)]?"
)
_MAX_HEADING = 200  # characters of a heading; in old books, a heading may summarise the chapter
_MAX_HEADING_LINES = 5
_MAX_LINES_IN_SENTENCE_CASE = 3  # lines of a heading with a keyword that is not in capitals
_MAX_NUMBERED = 80  # characters of a heading that begins with a number
_MAX_PART_NAME = 60  # characters of a heading in title case
_MAX_TITLE = 100  # characters of a title below a number, and of a heading in capitals
_MAX_OUTDENTED = 70  # characters of a heading that is left of the text, or centred
_MAX_SHORT_LINES = 2  # lines of a heading without a keyword, and of a title below a number
_WIDE_GAP = 2  # blank lines above a heading, in a text that sets headings apart more than paragraphs
_MIN_WIDE_GAPS = 3  # wide gaps of a text that sets headings apart by them; fewer may be chance
_CHAPTER_GAP = 4  # blank lines above a chapter without a number; sections inside chapters have two or three
_MAX_TITLE_GAP = 2  # blank lines between a heading and its title below
_MIN_TITLED = 3  # numbers with a title below that show that all titles are below their numbers
_MIN_TITLED_SHARE = 0.8  # share of the numbers of a text that have a title below, if all titles are there
_MIN_TEXT_BELOW = 0.5  # length of the text below a heading in capitals, as a share of the width
_MAX_OFF_CENTRE = 6  # difference between the space left and right of a centred line, in characters
_MIN_ENTRIES = 3  # lines of a table of contents
_MIN_SEARCHED = 20  # groups at the beginning of a short text in which contents are looked for
_MIN_PROSE_LINES = 3  # lines of a group that is recognised as prose
_FULL_LINE = 0.75  # length of a full line of prose, as a share of the width
_MIN_FULL_SHARE = 0.75  # share of the lines of prose that are full, not counting the last
_MIN_TEXT_INDENT = 2  # spaces before all lines of a text whose headings are left of it, or centred
# Ends a letter, above its signature.
_VALEDICTION = re.compile(rf"(?:{_WORDS['valediction']})[.,!，。]?$", re.I)
_LETTER = re.compile(r"\b(?:letter|lett(?:re|era)|brief|carta|brev|kirje|levél|пись?мо)\b", re.I)
_MAX_VALEDICTION = 80  # characters of a line that ends a letter
_DATELINE = re.compile(
    r",.*\b\d{1,2}(?:st|nd|d|rd|th|\.|er)?\b.*\b1\d{3}\.$|"
    r", (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b[\w ]*\.$"
)  # place and date above a letter: "Salt Island, 3rd May 1801.", "The Rectory, Monday."
_SECTION_NUMBER = re.compile(r"(?:\d{1,2}\.){1,5}(?:\d{1,2})?\s")  # before a section's title: "2.1. Keys"
_SENTENCE_ENDS = tuple(".!…。！\"”“»«'’‘」』")
_MIN_CENTRED_INDENT = 4  # spaces by which a centred line is indented more than the text


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: one group of lines, or two if its title is a group of its own."""

    rank: int  # 0 for volumes, 1 for books, 2 for parts, 3 for chapters and acts, 4 for their sections
    n_groups: int
    is_bare: bool = False  # True for a keyword and a number, or a number, without a title in the same group
    in_capitals: bool = False  # True if its keyword is in capitals


def find_headings(groups: Sequence[Group], layout: Layout) -> dict[int, Heading]:
    """Return the headings of a text by the index of their first group, ascending."""
    # Headings with a keyword or a number are certain.
    keyword_headings = {i: heading for i, group in enumerate(groups) if (heading := _keyword_heading(group))}
    with_keyword = _with_demoted_sections(keyword_headings)
    has_chapters = any(heading.rank == CHAPTER for heading in with_keyword.values())
    min_gap = _min_heading_gap(groups)
    numbered = _numbered_headings(groups, min_gap, rank=SECTION if has_chapters else CHAPTER)
    if not numbered and not has_chapters:  # otherwise they may be the stanzas of a song
        numbered = {i: Heading(CHAPTER, 1) for i, group in enumerate(groups) if group.counts}
    certain = dict(_with_titles(groups, numbered | with_keyword))

    # All other headings show by their words or their place.
    other_headings: dict[int, Heading] = {}
    set_apart: dict[int, Heading] = {}
    certain_groups = {i + n for i, heading in certain.items() for n in range(heading.n_groups)}
    for i, group in enumerate(groups):
        if i in certain_groups:
            continue
        if heading := _named_heading(group) or _underlined_heading(group):
            other_headings[i] = heading
        elif heading := _set_apart_heading(groups, i, min_gap, certain, layout):
            set_apart[i] = heading
        elif heading := _outdented_heading(groups, i, layout):
            other_headings[i] = heading
    if layout.is_verse and not certain and not other_headings and not set_apart:
        return _titles_of_poems(groups)
    if not certain:
        set_apart = _with_equal_first(set_apart)
    return dict(sorted((certain | other_headings | set_apart).items()))


def _titles_of_poems(groups: Sequence[Group]) -> dict[int, Heading]:
    """Return the titles in Chinese or Japanese verse: single lines above a stanza, after a wide gap."""
    # Above the first one is the title of the book, which may have one blank line below.
    above_stanzas = [
        i
        for i, (group, below) in enumerate(pairwise(groups))
        if len(group.lines) == 1 < len(below.lines) and is_unspaced(group.text)
    ]
    titles = [i for i in above_stanzas if i and groups[i].blank_before >= _WIDE_GAP]
    if len(titles) < _MIN_TITLED:
        return {}
    return {i: Heading(CHAPTER, 1) for i in above_stanzas if i in titles or 0 < i <= above_stanzas[0]}


def _with_equal_first(headings: dict[int, Heading]) -> dict[int, Heading]:
    """Return the headings; the first one is a section if all others are."""
    # The wide gap above it sets the title page apart, and not a chapter that holds all others.
    if len(headings) < _MIN_TITLED:
        return headings
    first, *others = headings
    if any(headings[i].rank != SECTION for i in others):
        return headings
    return headings | {first: replace(headings[first], rank=SECTION)}


def _min_heading_gap(groups: Sequence[Group]) -> int:
    """Return how many blank lines above a heading set it apart: 2, or 1 in a text with few wide gaps."""
    n_wide = sum(group.blank_before >= _WIDE_GAP for group in groups[1:])
    return _WIDE_GAP if n_wide >= _MIN_WIDE_GAPS else 1


def _keyword_heading(group: Group) -> Heading | None:
    """Return a heading for a group that begins with a keyword and a number, such as "Chapter 3", or None."""
    if not _may_be_heading(group):
        return None
    if len(group.lines) > _MAX_LINES_IN_SENTENCE_CASE and not in_capitals(group.text):
        return None
    division = divisions.read_division(group.text)
    return Heading(division.rank, 1, division.is_bare, division.in_capitals) if division else None


def _with_demoted_sections(headings: dict[int, Heading]) -> dict[int, Heading]:
    """Return the headings; if most keywords are in capitals ("CHAPTER I"), the others become sections."""
    if 2 * sum(heading.in_capitals for heading in headings.values()) <= len(headings):
        return headings
    return {i: h if h.in_capitals else replace(h, rank=SECTION) for i, h in headings.items()}


def _may_be_heading(group: Group) -> bool:
    """Return whether a group is short enough for a heading, and not code."""
    is_short = len(group.lines) <= _MAX_HEADING_LINES and len(group.text) <= _MAX_HEADING
    return is_short and not group.fenced


def _numbered_headings(groups: Sequence[Group], min_gap: int, rank: int) -> dict[int, Heading]:
    """Return headings, by their group, for the groups that count up from 1: a number alone, or with a title.

    They may start again at 1.

    Roman and Arabic numbers count separately; if there are both, the Arabic ones are sections.
    """
    counted: dict[bool, dict[int, bool]] = {True: {}, False: {}}  # by whether Roman; whether each is bare
    since_restart: dict[bool, dict[int, bool]] = {True: {}, False: {}}  # from the last 1 on
    for i, group in enumerate(groups):
        if len(group.lines) > _MAX_SHORT_LINES or len(group.text) > _MAX_NUMBERED:
            continue
        if not (number := _NUMBER.fullmatch(group.text)):
            continue
        title, is_roman = number["title"] or number["after"] or "", bool(number["roman"])
        is_placed_as_heading = group.blank_before >= min_gap or (is_roman and not title)
        reads_as_heading = is_roman or not title or in_title_case(title)
        if not (is_placed_as_heading and reads_as_heading):
            continue
        value = roman_value(number["roman"]) if is_roman else int(number["arabic"])
        run = since_restart[is_roman]
        if value == 1:
            counted[is_roman] |= run if len(run) > 1 else {}  # a 1 without a 2 after it counts nothing
            run = since_restart[is_roman] = {}
        if value == len(run) + 1:  # other numbers are ignored
            run[i] = not title
    for is_roman, run in since_restart.items():
        counted[is_roman] |= run if len(run) > 1 else {}
    ranks = {True: rank, False: SECTION if counted[True] else rank}
    return {
        i: Heading(ranks[is_roman], 1, is_bare)
        for is_roman, bare_by_group in counted.items()
        for i, is_bare in bare_by_group.items()
    }


def _named_heading(group: Group) -> Heading | None:
    """Return a heading for a group that names a part of the book, such as "Preface"; otherwise None."""
    if len(group.lines) > _MAX_SHORT_LINES or not divisions.is_part_name(group.text):
        return None
    return Heading(CHAPTER, 1)


def _underlined_heading(group: Group) -> Heading | None:
    """Return a heading for an underlined title, a chapter if a double line is below it; otherwise None."""
    # A row of signs below a sentence is a break.
    if not group.underlined_with or len(group.text) > _MAX_TITLE or group.text.endswith(_SENTENCE_ENDS):
        return None
    return Heading(CHAPTER if group.underlined_with == "=" else SECTION, 1)


def _set_apart_heading(
    groups: Sequence[Group], i: int, min_gap: int, headings: dict[int, Heading], layout: Layout
) -> Heading | None:
    """Return a heading for a line in capitals or title case that is set apart above text; otherwise None."""
    group, text = groups[i], groups[i].text
    if group.blank_before < min_gap or len(group.lines) > _MAX_SHORT_LINES:
        return None
    if len(text) > _MAX_TITLE or i + 1 == len(groups):
        return None
    if text[0] in "[*+|©" or text[-1] in ",;" or re.search(r"COPYRIGHT|\(C\)|©", text):
        return None
    if group.blank_before < _WIDE_GAP and _NUMBER.fullmatch(text):
        return None  # a number that counts is a heading already (`_numbered_headings`)
    if not _fits_above_next(groups, i, headings, layout) or _signs_letter(groups, i, headings):
        return None
    has_chapters = any(heading.rank == CHAPTER for heading in headings.values())
    is_section = group.blank_before < _CHAPTER_GAP or (has_chapters and not in_capitals(text))
    return Heading(SECTION if is_section else CHAPTER, n_groups=1)


def _signs_letter(groups: Sequence[Group], i: int, headings: dict[int, Heading]) -> bool:
    """Return whether a line follows the end of a letter ("Your obedient servant,"), as its signature does."""
    if i == 0 or i - 1 in headings:
        return False
    above = groups[i - 1].lines[-1].strip()
    return len(above) <= _MAX_VALEDICTION and _VALEDICTION.search(above) is not None


def _fits_above_next(groups: Sequence[Group], i: int, headings: dict[int, Heading], layout: Layout) -> bool:
    """Return whether a group can be a heading of the next one, rather than a line of a title page."""
    group, text, below = groups[i], groups[i].text, groups[i + 1]
    is_above_heading = i + 1 in headings
    if in_capitals(text):
        is_text_below = not in_capitals(below.text) and len(below.text) >= _MIN_TEXT_BELOW * layout.width
        return is_text_below or is_above_heading
    if len(group.lines) > 1 or len(text) > _MAX_PART_NAME or not text[-1].isalnum():
        return False
    # Lines in title case are headings only above prose, or above a stanza: title pages consist of such lines.
    is_set_apart = group.blank_before >= _WIDE_GAP and not is_above_heading
    is_above_prose = is_set_apart and _is_prose(below, layout)
    is_above_stanza = layout.is_verse and len(below.lines) > 1
    return in_title_case(text) and (is_above_prose or is_above_stanza)


def _outdented_heading(groups: Sequence[Group], i: int, layout: Layout) -> Heading | None:
    """Return a heading for a line left of the text or centred, in a text that is all indented; or None."""
    if layout.indent < _MIN_TEXT_INDENT or i + 1 == len(groups) or groups[i + 1].fenced:
        return None
    group = groups[i]
    if len(group.lines) > 1 or len(group.text) > _MAX_OUTDENTED:
        return None
    title = _SECTION_NUMBER.sub("", group.text)
    if not title[:1].isupper() or not title[-1].isalnum() or title.startswith("Table "):
        return None
    space_left, space_right = group.indents[0], layout.width - len(group.lines[0])
    is_indented_more = space_left > layout.indent + _MIN_CENTRED_INDENT
    if is_indented_more and abs(space_left - space_right) <= _MAX_OFF_CENTRE:  # centred
        return Heading(CHAPTER, 1)
    return Heading(SECTION, 1) if space_left < layout.indent else None


def _with_titles(groups: Sequence[Group], headings: dict[int, Heading]) -> Iterator[tuple[int, Heading]]:
    """Yield the headings with their indexes; a heading includes the next group if that is its title."""
    # If a heading has a title already, the next group may be the rest of that title.
    bare_headings = [i for i, heading in headings.items() if heading.is_bare]
    n_titled = sum(_may_have_title_below(groups, i, headings) for i in bare_headings)
    # In a text with almost all titles below their numbers, titles need no capitals.
    all_titled = n_titled >= _MIN_TITLED and n_titled >= _MIN_TITLED_SHARE * len(bare_headings)
    for i, heading in headings.items():
        if not _may_have_title_below(groups, i, headings):
            has_title_below = False
        elif heading.is_bare:
            has_title_below = all_titled or in_title_case(groups[i + 1].text)
        else:
            are_in_capitals = in_capitals(groups[i].text) and in_capitals(groups[i + 1].text)
            has_title_below = are_in_capitals and groups[i + 1].blank_before == 1
        yield i, replace(heading, n_groups=2 if has_title_below else 1)


def _may_have_title_below(groups: Sequence[Group], i: int, headings: dict[int, Heading]) -> bool:
    """Return whether the group below the heading at index `i` may be its title."""
    # A title is short, close to its number, does not begin or end like a sentence, and has another group
    # below.
    if i + 2 >= len(groups) or i + 1 in headings:
        return False
    title = groups[i + 1]
    if headings[i].rank < CHAPTER and _named_heading(title):
        return False  # "BOOK ONE", then a separate "INTRODUCTION"
    is_short = len(title.lines) <= _MAX_SHORT_LINES and len(title.text) <= _MAX_TITLE
    is_short_in_capitals = in_capitals(title.text) and _may_be_heading(title)
    if not is_short and not is_short_in_capitals:
        return False
    begins_like_title = title.text[0] not in '"“„«»‘—–-[*('
    if _DATELINE.search(title.text):
        return False
    # "Dear friend!" below the number of a letter
    ends_like_title = title.text[-1] not in (",;:，：!！" if _LETTER.search(groups[i].text) else ",;:")
    return title.blank_before <= _MAX_TITLE_GAP and ends_like_title and begins_like_title


# --- the printed table of contents ----------------------------------------------------------------


def find_contents(groups: Sequence[Group], layout: Layout) -> range:
    """Return the indexes of the groups of a printed table of contents, title included; or an empty range.

    A table of contents is in the first fifth of the text: at the end, it would be an index.
    """
    for i, group in enumerate(groups[: max(_MIN_SEARCHED, len(groups) // 5)]):
        if _CONTENTS.fullmatch(group.text.strip("._:*=~- ")):
            end = _contents_end(groups, i + 1, layout)
            entries = groups[i + 1 : end]
            # Entries are one group each, or the lines of one group: a group has at least one line.
            if sum(len(entry.lines) for entry in entries) >= _MIN_ENTRIES:
                return range(i, end)
    return range(0)


def _contents_end(groups: Sequence[Group], start: int, layout: Layout) -> int:
    """Return the index of the group after the last entry of the contents; `start` if no end is found."""
    # The text begins at the first of these: a heading that repeats the first entry; a group after a wide gap;
    # prose, or the headings right before the prose.
    # An ornament above the first entry has no words.
    first_entry = next((i for i in range(start, len(groups)) if _entry_words(groups[i])), start)
    first_words = _entry_words(groups[first_entry]) if first_entry < len(groups) else []
    for i in range(start, len(groups)):
        group = groups[i]
        words = _entry_words(group)
        repeats_first_entry = i > first_entry and bool(words) and words == first_words[: len(words)]
        has_wide_gap = i > start and group.blank_before >= _CHAPTER_GAP
        if repeats_first_entry or has_wide_gap:
            return i
        if _is_prose(group, layout):
            return _first_heading_before(groups, start, i)
    return start


def _first_heading_before(groups: Sequence[Group], start: int, first_prose: int) -> int:
    """Return the index of the first of the headings right before prose, or `first_prose` if there are none.

    Headings are underlined, or have a wide gap before them, which is widest before the first, and no page
    number at their end.

    Args:
        start: the index of the first entry of the contents, which is not a heading.
        first_prose: the index of the first group of prose after the contents.
    """
    first_heading = first_prose
    for i in range(first_prose - 1, start, -1):
        group = groups[i]
        if groups[i - 1].underlined_with:
            continue  # the row below the heading
        is_set_apart = group.blank_before >= _WIDE_GAP and not group.text[-1].isdigit()
        if not group.underlined_with and not is_set_apart:
            break
        first_heading = i
        if group.blank_before > _WIDE_GAP:
            break
    return first_heading


def _entry_words(group: Group) -> list[str]:
    """Return the words of a group's first line in lower case, without the page number at its end."""
    words = re.findall(r"[^\W_]+", group.lines[0].lower())
    return words[:-1] if len(words) > 1 and words[-1].isdigit() else words


def _is_prose(group: Group, layout: Layout) -> bool:
    """Return whether a group is prose: three or more lines, most of them full, and no number at the end."""
    if len(group.lines) < _MIN_PROSE_LINES or group.text[-1].isdigit():
        return False
    n_full = sum(len(line) >= _FULL_LINE * layout.width for line in group.lines)
    return n_full >= _MIN_FULL_SHARE * (len(group.lines) - 1)
