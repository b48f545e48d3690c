"""Removes front and back matter: the pages of a book that are not its text, such as title page and index.

The kinds of matter are the same for all formats. Pages are recognised by the outline, by their words, or by
the shape of their lines.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from alexandria.extract.pdf.contents import separate_contents, separate_entry_pages, title_key
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page, without_lines
from alexandria.extract.words import read_words

_NAMES = read_words("matter")  # what outlines and headings call front and back matter
_BY_NAME = {title_key(name): kind for kind, names in _NAMES.items() for name in names.split("|")}
_MAX_NAME = 2 * max(map(len, _BY_NAME))
"""Most characters of a name, printed with spaces between letters: longer lines need not be looked up."""
_FRONT_PAGES = 3  # pages that are searched for a title page if the outline gives no first chapter
_MAX_TITLE_WORDS = 80  # fewer words than these are on a title page or half-title; a page of text has more
_MAX_NOTICE_WORDS = 300  # fewer words than these are on a copyright page
_NOTICE_PAGES = 8  # pages at the front or back that are searched for a copyright page
_MIN_PAGES = 5  # fewest pages of a book: leaflets and papers have no copyright page
_RIGHTS = [re.compile(words, re.IGNORECASE) for words in read_words("rights").values()]
"""What copyright pages say."""
_MIN_RIGHTS = 2  # kinds of these phrases on a copyright page; no other page has two
_ENTRY_NUMBERS = re.compile(r"[^\W_][,.:]?\s[\d\s,;–\-nf.]*\d[nf.]*$")
_NUMBERS_ONLY = re.compile(r"\d[\d\s,;–\-nf.]*")
_NUMBER_ENDS = frozenset("0123456789nf.,;")
"""Characters with which page numbers end: `12n` is a note on page 12, `34f.` are the pages from 34 on."""
_MAX_DIGITS = 9  # most digits of a page number; Python refuses to convert a number of more than 4,300 digits
_NUMBERS = re.compile(r"\d+")
_MIN_INDEX_SHARE = 0.4  # smallest share of lines that end with page numbers, below the heading of an index
_MIN_INDEX_ENTRIES = 8  # fewest entries below the heading of an index
_MIN_NEXT_SHARE = 0.2  # smallest share of lines with page numbers, on the following pages of an index
_MIN_BARE_SHARE = 0.6  # smallest share of lines that end with page numbers, in an index without a heading
_MIN_BARE_ENTRIES = 20  # fewest entries of an index without a heading
_MIN_COMMA_SHARE = 0.5  # smallest share of entries with a comma in their page numbers; tables have none
_MIN_ORDERED_SHARE = 0.75  # smallest share of changes of the first letter in order: subentries break it
_INDENT = 0.5  # times the size: subentries are indented by more
_MAX_UNCOUNTED = 50  # most pages of the printed book that the file may lack

MatterLines = tuple[str, list[Line]]
"""A kind of front or back matter, such as `index`, and the lines of a page that are of this kind."""


class _IndexShape(NamedTuple):
    """How much some lines look like an index."""

    number_share: float  # the share of the lines that end with page numbers
    entries: list[tuple[str, str]]  # first letter and page numbers of lines that also begin with a letter


def separate_matter(
    pages: Sequence[Page], outline: Sequence[OutlineEntry], title: str
) -> tuple[list[Page], list[MatterLines]]:
    """Return the pages without front and back matter, and this matter: covers, contents, indexes and so on.

    Pages that are emptied stay in the list: the index of a page does not change. If no text would be left,
    nothing is removed.

    Args:
        title: the title of the book, by which title pages are recognised; may be empty.
    """
    chapters = [entry for entry in outline if title_key(entry.title) not in _BY_NAME]
    first_chapter = min((entry.page for entry in chapters), default=_FRONT_PAGES)
    max_number = _max_page_number(pages)
    # Each step searches what the steps before it have left.
    remaining, named = _separate_matter_lines(pages, _find_matter_by_outline(pages, outline, max_number))
    remaining, index = _separate_matter_lines(remaining, _find_index_pages(remaining, max_number))
    remaining, contents = separate_contents(remaining, chapters)
    remaining, entry_pages = separate_entry_pages(remaining)
    remaining, titles = _separate_matter_lines(remaining, _find_title_pages(remaining, first_chapter, title))
    end_of_front = first_chapter if chapters else _NOTICE_PAGES
    remaining, notices = _separate_matter_lines(remaining, _find_copyright_pages(remaining, end_of_front))
    if not any(page.lines for page in remaining):
        return list(pages), []  # a lone index or title page is all there is to read
    matter = [*named, *index, ("contents", contents), *entry_pages, *titles, *notices]
    return remaining, [(kind, lines) for kind, lines in matter if lines]


def _separate_matter_lines(
    pages: Sequence[Page], matter: Mapping[int, MatterLines]
) -> tuple[list[Page], list[MatterLines]]:
    """Return the pages without the lines of this matter, and the matter in the order of its pages."""
    # `matter`: the kind and the lines of the matter on a page, by the page's position in `pages`.
    remaining = list(pages)
    for i, (_, lines) in matter.items():
        remaining[i] = without_lines(pages[i], lines)
    return remaining, [matter[i] for i in sorted(matter)]


def _find_matter_by_outline(
    pages: Sequence[Page], outline: Sequence[OutlineEntry], max_number: int
) -> dict[int, MatterLines]:
    """Return the front and back matter that the outline names, by the position of the page."""
    # It takes up the pages between an entry that names a kind of matter and the next entry; they must also
    # look like that kind.
    matter: dict[int, MatterLines] = {}
    for i, entry in enumerate(outline):
        kind = _BY_NAME.get(title_key(entry.title))
        if kind is None or kind == "contents":  # `separate_contents` knows better where a table ends
            continue
        next_entries = (other.page for other in outline[i + 1 :] if other.page >= entry.page)
        stop = min([len(pages), *next_entries])
        span = [page_index for page_index in range(entry.page, stop) if pages[page_index].lines]
        if kind == "index":  # its entry may point to the page before it
            span = [
                page_index for page_index in span if _continues_index(pages[page_index].lines, max_number)
            ]
        lines = [line for page_index in span for line in pages[page_index].lines]
        if _looks_like(kind, lines, max_number):
            matter |= {page_index: (kind, list(pages[page_index].lines)) for page_index in span}
    return matter


def _looks_like(kind: str, lines: Sequence[Line], max_number: int) -> bool:
    """Return whether lines may be this kind of matter: an index has page numbers, other matter has few words.

    Lists of illustrations may have any number of words.
    """
    if kind == "index":
        return _is_index(lines, max_number, _MIN_INDEX_SHARE, _MIN_INDEX_ENTRIES)
    return kind == "illustrations" or _count_words(lines) <= _MAX_NOTICE_WORDS


def _matter_kind_named(line: Line) -> str | None:
    """Return the kind of matter that a line names, such as `index` for "Subject Index", or None."""
    return _BY_NAME.get(title_key(line.text)) if len(line.text) <= _MAX_NAME else None


def _count_words(lines: Iterable[Line]) -> int:
    return sum(len(line.text.split()) for line in lines)


def _find_title_pages(pages: Sequence[Page], first_chapter: int, title: str) -> dict[int, MatterLines]:
    """Return the covers, title pages and half-titles, with their lines, by the position of the page."""
    # They are the pages before the first chapter that have few words, including the book's title.
    key = title_key(title)
    if not key:
        return {}
    last_with_text = max((page_index for page_index, page in enumerate(pages) if page.lines), default=0)
    stop = min(first_chapter, last_with_text)  # something must remain as the book
    matter: dict[int, MatterLines] = {}
    for page_index, page in enumerate(pages[:stop]):
        text = _text_of(page)
        if text and len(text.split()) < _MAX_TITLE_WORDS and key in title_key(text):
            matter[page_index] = ("cover" if page.pictured else "titlepage", list(page.lines))
    title_pages = [page_index for page_index, (kind, _) in matter.items() if kind == "titlepage"]
    for page_index in title_pages[:-1]:  # the last one, with author and publisher, is the title page
        if title_key(_text_of(pages[page_index])) == key:
            matter[page_index] = ("halftitle", list(pages[page_index].lines))
    return matter


def _text_of(page: Page) -> str:
    return " ".join(line.text for line in page.lines)


def _find_copyright_pages(pages: Sequence[Page], end_of_front: int) -> dict[int, MatterLines]:
    """Return the copyright pages, with their lines, by the position of the page."""
    # They are searched for at the front, except on the very first page, and on the last page of the file.
    # `end_of_front`: the position after the last page at the front.
    if len(pages) < _MIN_PAGES:
        return {}
    matter: dict[int, MatterLines] = {}
    front = range(1, min(end_of_front, _NOTICE_PAGES, len(pages) // 2))
    for page_index in (*front, len(pages) - 1):
        lines = pages[page_index].lines
        if not lines or _count_words(lines) >= _MAX_NOTICE_WORDS:
            continue
        text = _text_of(pages[page_index])
        if sum(1 for pattern in _RIGHTS if pattern.search(text)) >= _MIN_RIGHTS:
            kinds = map(_matter_kind_named, lines[:3])  # its heading, if it has one
            kind = next((kind for kind in kinds if kind in ("imprint", "colophon")), "copyright")
            matter[page_index] = (kind, list(lines))
    return matter


def _find_index_pages(pages: Sequence[Page], max_number: int) -> dict[int, MatterLines]:
    """Return the pages of the index, with their lines, by the position of the page."""
    # It is recognised in the second half of a book: by its heading, otherwise by its shape. On the page with
    # the heading, only the lines below it are the index.
    matter: dict[int, MatterLines] = {}
    inside = False
    for page_index in range(len(pages) // 2, len(pages)):
        lines = list(pages[page_index].lines)
        heading = next((line for line in lines if _matter_kind_named(line) == "index"), None)
        if heading:
            lines = [line for line in lines if line.y <= heading.y]
            next_lines = [line for page in pages[page_index + 1 : page_index + 3] for line in page.lines]
            below = [line for line in lines if line is not heading]
            inside = _is_index([*below, *next_lines], max_number, _MIN_INDEX_SHARE, _MIN_INDEX_ENTRIES)
        elif inside:
            inside = _continues_index(lines, max_number)
        else:
            inside = _is_index(
                lines, max_number, _MIN_BARE_SHARE, _MIN_BARE_ENTRIES, min_comma_share=_MIN_COMMA_SHARE
            )
        if inside:
            matter[page_index] = ("index", lines)
    return matter


def _continues_index(lines: Sequence[Line], max_number: int) -> bool:
    """Return whether a page looks like one of an index that precedes it, or that the outline names."""
    return _index_shape(lines, max_number).number_share >= _MIN_NEXT_SHARE


def _is_index(
    lines: Sequence[Line],
    max_number: int,
    min_share: float,
    min_entries: int,
    *,
    min_comma_share: float = 0.0,
) -> bool:
    """Return whether lines are an index: enough of them end with page numbers, in alphabetical order."""
    # `min_share`: smallest share of lines that end with page numbers.
    # `min_entries`: fewest entries, which also begin with a letter.
    # `min_comma_share`: smallest share of the entries with a comma among their page numbers.
    number_share, entries = _index_shape(lines, max_number)
    if number_share < min_share or len(entries) < min_entries:
        return False
    if sum("," in numbers for _, numbers in entries) < min_comma_share * len(entries):
        return False
    if _are_alphabetical(entries):
        return True
    main_entries = list(_main_entries(lines))
    return _are_alphabetical(_index_shape(main_entries, max_number).entries)


def _main_entries(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines at the left edges of two columns, in reading order: subentries are indented."""
    middle = (min(line.x0 for line in lines) + max(line.x1 for line in lines)) / 2
    by_column = sorted(lines, key=lambda line: (line.page, line.x0 > middle, -line.y))
    for _, column in groupby(by_column, key=lambda line: (line.page, line.x0 > middle)):
        column_lines = list(column)
        left = min(line.x0 for line in column_lines)
        yield from (line for line in column_lines if line.x0 - left < _INDENT * line.size)


def _are_alphabetical(entries: Sequence[tuple[str, str]]) -> bool:
    """Return whether most changes of the first letter, from one entry to the next, are in order."""
    first_letters = [letter for letter, _ in entries]
    changes = [letter < following for letter, following in pairwise(first_letters) if letter != following]
    return sum(changes) >= _MIN_ORDERED_SHARE * len(changes)


def _max_page_number(pages: Sequence[Page]) -> int:
    """Return the highest page number that an index may refer to."""
    labels = [page.label for page in pages if page.label and page.label.isdecimal()]
    numbers = [int(label) for label in labels if len(label) <= _MAX_DIGITS]
    return max([len(pages) + _MAX_UNCOUNTED, *numbers])


def _index_shape(lines: Sequence[Line], max_number: int) -> _IndexShape:
    """Return the share of lines that end with page numbers, and those that also begin with a letter."""
    entries: list[tuple[str, str]] = []
    n_numbered = 0
    for line in lines:
        text = line.text.strip()
        if text[-1:] not in _NUMBER_ENDS:  # quicker than the patterns
            continue
        match = _NUMBERS_ONLY.fullmatch(text) or _ENTRY_NUMBERS.search(text)
        if match and all(_is_at_most(number, max_number) for number in _NUMBERS.findall(match.group())):
            n_numbered += 1
            if text[0].isalpha():
                entries.append((text[0].casefold(), match.group()))
    return _IndexShape(n_numbered / len(lines) if lines else 0.0, entries)


def _is_at_most(digits: str, number: int) -> bool:
    return len(digits) <= _MAX_DIGITS and int(digits) <= number
