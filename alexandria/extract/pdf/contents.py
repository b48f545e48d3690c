"""Removes printed tables of contents, and lists of figures and tables."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import nsmallest

from alexandria.extract.pdf.columns import columns_of
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page, without_lines
from alexandria.extract.runs import group_runs
from alexandria.extract.words import read_words

_WORDS = read_words("contents")
_HEADINGS = frozenset(_WORDS["headings"].split("|"))
_LISTS = frozenset(_WORDS["lists"].split("|"))
_LEADERS = re.compile(r"(\.\s?){3,}\s*\w{1,7}$")  # rows of dots that lead to a page number
_MIN_LEADER_LINES = 4  # fewest lines with leaders on a page of entries without a heading
_MIN_ENTRY_SHARE = 0.6  # smallest share of the lines of such a page that end with a page number
_MIN_ROWS = 4  # fewest rows of a page that cannot be the title page of a part
_HEADING_LINES = 2  # lines at the top of a page that may be the heading of a list
_FIRST_ENTRIES = 3  # lines at the top of a page that are all entries if a table ends on it, above text
_ENTRY = re.compile(r"(\.\s?){3,}\s*\w{1,5}$|(?:\S\s+|^)(\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
"""A title, then leaders or a space, then a page number; the number may be printed below its title."""
_PAGE_NUMBER = re.compile(r"(?:[\s.]*\.\s?\.\s?\.\s*\w{1,5}|\s+(?:\d{1,4}|[ivxlc]{1,7}))$", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(r"^\d{1,4}\W*\s")  # a page number printed to the left of its title
_SAME_ROW = 0.3  # times the size by which the baselines of a title and its page number may differ
_MAX_TITLE = 100  # most characters of a title: longer lines are text
_MAX_TITLE_LINES = 2  # most lines of a title above the one with its page number
_MIN_TITLE_LETTERS = 4  # fewest letters of a title that is looked for in the text
_TO_KEY = str.maketrans("1l", "ii", "".join(sign for sign in map(chr, range(128)) if not sign.isalnum()))
"""Maps `1` and `l` to `i`, and removes the ASCII characters that are not letters or digits."""
_MIN_BEGINNING = 10  # fewest letters of a title's first line that identify it


def title_key(text: str) -> str:
    """Return the key by which printed titles are compared: their letters and digits, without case.

    `1`, `l` and `i`, which look alike on scans, are the same.
    """
    key = text.casefold()
    return (key if key.isascii() else "".join(filter(str.isalnum, key))).translate(_TO_KEY)


def separate_contents(
    pages: Sequence[Page], outline: Sequence[OutlineEntry]
) -> tuple[list[Page], list[Line]]:
    """Return the pages without the printed table of contents, and the lines removed."""
    outline_keys = {title_key(entry.title) for entry in outline}
    remaining: list[Page] = []
    removed: list[Line] = []
    may_continue = False  # whether the next page may go on with the table, without a heading of its own
    for i, page in enumerate(pages):
        table, may_continue = _table_on_page(pages, i, outline_keys, removed, may_continue=may_continue)
        remaining.append(without_lines(page, table) if table else page)
        removed += table
    return remaining, removed


def _table_on_page(
    pages: Sequence[Page],
    page_index: int,
    outline_keys: Collection[str],
    table_before: Sequence[Line],
    *,
    may_continue: bool,
) -> tuple[list[Line], bool]:
    """Return the lines of the table on a page, with its heading, and whether the next page may continue it.

    Args:
        outline_keys: keys of the titles in the outline; empty if the file has none.
        table_before: the lines of the table on the pages before.
        may_continue: whether this page may continue the table without a heading of its own.
    """
    lines = pages[page_index].lines
    if not may_continue and not any(_is_contents_heading(line) for line in lines):
        return [], False  # the usual case: a page before or after the table
    if not lines:
        return [], may_continue  # a blank page or a picture, after which the table may go on
    rows = list(_rows_of(lines))
    texts = [" ".join(line.text for line in row) for row in rows]
    heading = next((i for i, row in enumerate(rows) if _is_contents_heading(row[0])), None)
    if heading is None:
        is_after_blank = not pages[page_index - 1].lines
        titles = [text for text in texts if title_key(text)]  # without ornaments
        continues = may_continue and _continues_table(
            titles, outline_keys, table_before, is_after_blank=is_after_blank
        )
        if not continues:
            return [], False
        table_start = first_entry = 0
    else:
        table_start, first_entry = heading, heading + 1
    title_keys = outline_keys or _keys_printed_again(texts[first_entry:], pages[page_index + 1 :])
    end = _end_of_entries(texts, first_entry, title_keys)
    reaches_page_end = end == len(rows)
    if end == first_entry:  # a heading without entries, which may follow on the next page
        return [], reaches_page_end
    return [line for row in rows[table_start:end] for line in row], reaches_page_end


def _continues_table(
    rows: Sequence[str], title_keys: Collection[str], table_before: Sequence[Line], *, is_after_blank: bool
) -> bool:
    """Return whether the rows of a page continue a table: most of them, or the first few, above text."""
    # The title page of a part does not continue it: such a page has few rows, and the first repeats a title
    # of the table. Neither does the first page of a chapter, where titles of the table are repeated above
    # text. After a blank page, only a page with enough page numbers continues a table.
    has_page_numbers = len(rows) >= _MIN_ROWS and _entry_share(rows, ()) > _MIN_ENTRY_SHARE
    if has_page_numbers or is_after_blank:
        return has_page_numbers
    listed_keys = contents_title_keys(table_before) | {title_key(line.text) for line in table_before}
    if len(rows) < _MIN_ROWS and (not rows or title_key(rows[0]) in listed_keys):
        return False
    if _entry_share(rows, title_keys) > _MIN_ENTRY_SHARE:
        return True
    if _entry_share(rows[:_FIRST_ENTRIES], title_keys) < 1:
        return False
    other_rows = [row for row in rows if title_key(row) not in listed_keys]
    return _entry_share(other_rows[:_FIRST_ENTRIES], title_keys) == 1


def _rows_of(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Yield each row of a page of contents in reading order: a title and, after a gap, its page number."""
    for column in columns_of(lines):
        downwards = sorted(column, key=lambda line: (-line.y, line.x0))
        for row in group_runs(downwards, lambda row, line: row[0].y - line.y <= _SAME_ROW * row[0].size):
            yield sorted(row, key=lambda line: line.x0)


def _is_contents_heading(line: Line) -> bool:
    return len(line.text) < _MAX_TITLE and line.text.strip(" .:").casefold() in _HEADINGS


def _keys_printed_again(rows: Iterable[str], later_pages: Iterable[Page]) -> set[str]:
    """Return the keys of short lines on later pages, and of rows that occur twice on the page of a table."""
    # By these, chapters that are listed without page numbers are recognised as entries.
    later_lines = (line for page in later_pages for line in page.lines)
    later_keys = {title_key(line.text) for line in later_lines if len(line.text) < _MAX_TITLE}
    repeated_keys = {key for key, n in Counter(map(title_key, rows)).items() if n > 1}
    return (later_keys | repeated_keys) - {""}


def contents_title_keys(lines: Iterable[Line]) -> frozenset[str]:
    """Return the keys of the titles in a table of contents, without leaders and page numbers."""
    titles = (_without_page_number(line.text.rstrip()) for line in lines)
    return frozenset(key for title in titles if len(key := title_key(title)) >= _MIN_TITLE_LETTERS)


def _without_page_number(entry: str) -> str:
    # Tried only if it can match: on leaders without a page number, the pattern would fail slowly at each dot.
    return _PAGE_NUMBER.sub("", entry) if entry[-1:].isalnum() else entry


def _end_of_entries(rows: Sequence[str], first: int, title_keys: Collection[str]) -> int:
    """Return the index after the last entry of the table that begins at row `first`; `first` if it has none.

    Up to two rows that are not entries may precede an entry: the first lines of a long title. A title that
    occurs again ends the table: it is the heading of the chapter itself. A row that is only a page number may
    occur again: two chapters may begin on one page. Ornaments may be between entries, and below the last one
    of a page.
    """
    end = first
    n_other_rows = 0  # since the last entry
    seen_keys: set[str] = set()
    for i in range(first, len(rows)):
        key = title_key(rows[i])
        is_repeated = key in seen_keys
        if not key:
            continue  # an ornament
        if _is_entry(rows[i], title_keys) and (not is_repeated or rows[i].isdecimal()):
            end, n_other_rows = i + 1, 0
        elif is_repeated or n_other_rows >= _MAX_TITLE_LINES:
            break
        else:
            n_other_rows += 1
        seen_keys.add(key)
    has_only_ornaments_below = end > first and not any(map(title_key, rows[end:]))
    return len(rows) if has_only_ornaments_below else end


def _entry_share(rows: Iterable[str], title_keys: Collection[str]) -> float:
    """Return the share of rows that are entries, or 0 without rows."""
    are_entries = [_is_entry(row, title_keys) for row in rows]
    return sum(are_entries) / len(are_entries) if are_entries else 0.0


def _is_entry(row: str, title_keys: Collection[str]) -> bool:
    """Return whether a row is an entry: one of the titles, or a text that ends with a page number."""
    key = title_key(row)
    if key in title_keys or title_key(_NUMBER_BEFORE.sub("", row, 1)) in title_keys:
        return True
    if row.rstrip()[-1:].isalnum() and _ENTRY.search(row.rstrip()):
        return True
    # A title on one line of the table may take two lines above its chapter; the first has a key of its own.
    return any(key.startswith(title) for title in title_keys if len(title) >= _MIN_BEGINNING)


def separate_entry_pages(pages: Sequence[Page]) -> tuple[list[Page], list[tuple[str, list[Line]]]]:
    """Return the pages, emptied where they have only entries, and the lines removed.

    Entries are titles, leaders (rows of dots) and page numbers. Pages with nothing else are later pages of a
    table of contents, or lists of figures and tables.

    Returns:
        All pages, some of them emptied; the kind of matter and the lines of each emptied page.
    """
    remaining: list[Page] = []
    removed: list[tuple[str, list[Line]]] = []
    for i, page in enumerate(pages):
        heading = _list_heading(page)
        # Further back, leaders without a heading may be a list of changes.
        is_searched = heading is not None or i <= len(pages) // 3
        if is_searched and _has_only_entries(page, heading):
            removed.append(("illustrations" if heading else "contents", list(page.lines)))
            remaining.append(replace(page, lines=()))
        else:
            remaining.append(page)
    return remaining, removed


def _has_only_entries(page: Page, heading: Line | None) -> bool:
    """Return whether most lines of a page, without its heading, are entries, and enough have leaders."""
    texts = [line.text for line in page.lines if line is not heading]
    n_leaders = sum(1 for text in texts if text[-1:].isalnum() and _LEADERS.search(text))
    min_leaders = 1 if heading else _MIN_LEADER_LINES
    return n_leaders >= min_leaders and _entry_share(texts, ()) >= _MIN_ENTRY_SHARE


def _list_heading(page: Page) -> Line | None:
    """Return the heading of a list of figures or tables, if it is one of the two uppermost lines; or None."""
    headings = [line for line in page.lines if _is_list_heading(line)]
    if not headings:
        return None  # the usual case: nothing to sort
    uppermost = nsmallest(_HEADING_LINES, page.lines, key=lambda line: (-line.y, line.x0))
    return next((line for line in uppermost if _is_list_heading(line)), None)


def _is_list_heading(line: Line) -> bool:
    return len(line.text) < _MAX_TITLE and line.text.strip(" .:").casefold() in _LISTS
