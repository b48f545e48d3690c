"""Removes printed tables of contents, and lists of figures and tables."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import nsmallest

from alexandria.extract.pdf.columns import columns_of
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page

_HEADINGS = frozenset(
    (
        "contents",
        "table of contents",
        "inhalt",
        "inhaltsverzeichnis",
        "table des matières",
        "sommaire",
        "índice",
        "indice",
        "inhoud",
        "sadržaj",
        "spis treści",
        "содержание",
    )
)
_LISTS = frozenset(
    (
        "list of figures",
        "list of tables",
        "list of illustrations",
        "list of plates",
        "illustrations",
        "abbildungsverzeichnis",
        "tabellenverzeichnis",
        "liste des figures",
        "liste des tableaux",
        "table des illustrations",
        "índice de figuras",
        "elenco delle figure",
    )
)
_LEADERS = re.compile(r"(\.\s?){3,}\s*\w{1,7}$")
_MIN_LEADER_LINES = 4
"""Fewest lines with leaders on a page of entries without a heading."""
_MIN_ENTRY_SHARE = 0.6
"""Smallest share of the lines of such a page that end with a page number."""
_FIRST_ENTRIES = 3
"""Lines at the top of a page that are all entries if a table ends on it, above text."""
_ENTRY = re.compile(r"(\.\s?){3,}\s*\w{1,5}$|(?:\S\s+|^)(\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
"""A title, then leaders or a space, then a page number; the number may be printed below its title."""
_PAGE_NUMBER = re.compile(r"(?:[\s.]*\.\s?\.\s?\.\s*\w{1,5}|\s+(?:\d{1,4}|[ivxlc]{1,7}))$", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(r"^\d{1,4}\W*\s")
"""A page number printed to the left of its title."""
_SAME_ROW = 0.3
"""Times the size by which the baselines of a title and its page number may differ."""
_MAX_TITLE = 100
"""Most characters of a title: longer lines are text."""
_MAX_TITLE_LINES = 2
"""Most lines of a title above the one with its page number."""
_MIN_TITLE_LETTERS = 4
"""Fewest letters of a title that is looked for in the text."""
_TO_KEY = str.maketrans("1l", "ii", "".join(sign for sign in map(chr, range(128)) if not sign.isalnum()))
"""Maps `1` and `l` to `i`, and removes the ASCII characters that are not letters or digits."""
_MIN_BEGINNING = 10
"""Fewest letters of a title's first line that identify it."""


def title_key(text: str) -> str:
    """Return the key by which printed titles are compared: their letters and digits, without case.

    `1`, `l` and `i`, which look alike on scans, are the same.
    """
    key = text.casefold()
    return (key if key.isascii() else "".join(filter(str.isalnum, key))).translate(_TO_KEY)


def take_contents(pages: Sequence[Page], outline: Sequence[OutlineEntry]) -> tuple[list[Page], list[Line]]:
    """Return the pages without the printed table of contents, and the lines removed."""
    outline_keys = {title_key(entry.title) for entry in outline}
    removed: list[Line] = []
    remaining: list[Page] = []
    inside = False
    for page in pages:
        if not inside and not any(_is_contents_heading(line) for line in page.lines):
            remaining.append(page)
            continue
        rows = list(_rows(page.lines))
        start = next((i for i, row in enumerate(rows) if _is_contents_heading(row[0])), None)
        entries = [_row_text(row) for row in rows]
        if start is None and not (inside and _continues_table(entries, outline_keys)):
            inside = False
            remaining.append(page)
            continue
        first = start + 1 if start is not None else 0
        title_keys = outline_keys or _keys_printed_again(entries[first:], pages[page.index + 1 :])
        end = _end_of_entries(entries, first, title_keys)
        inside = end == len(rows)  # it may continue on the next page
        if end == first:
            remaining.append(page)
            continue
        table = [line for row in rows[start or 0 : end] for line in row]
        removed += table
        remaining.append(replace(page, lines=tuple(line for line in page.lines if line not in table)))
    return remaining, removed


def _continues_table(entries: Sequence[str], title_keys: Collection[str]) -> bool:
    """Return whether a page continues the table: with most of its rows, or with the first, above text."""
    if _entry_share(entries, title_keys) > _MIN_ENTRY_SHARE:
        return True
    return _entry_share(entries[:_FIRST_ENTRIES], title_keys) == 1


def _rows(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Yield the rows of a page in reading order: a title and a page number apart from it are one row."""
    for column in columns_of(lines):
        row: list[Line] = []
        for line in sorted(column, key=lambda line: (-line.y, line.x0)):
            if row and row[0].y - line.y > _SAME_ROW * row[0].size:
                yield sorted(row, key=lambda line: line.x0)
                row = []
            row.append(line)
        yield sorted(row, key=lambda line: line.x0)


def _row_text(row: Sequence[Line]) -> str:
    return " ".join(line.text for line in row)


def _is_contents_heading(line: Line) -> bool:
    """Return whether a line is the heading of a table of contents."""
    return len(line.text) < _MAX_TITLE and line.text.strip(" .:").casefold() in _HEADINGS


def _keys_printed_again(entries: Iterable[str], pages: Iterable[Page]) -> set[str]:
    """Return the keys of short lines on later pages, and of entries that occur twice on their own page.

    By these, chapters that are listed without page numbers are recognised as entries.
    """
    later = {title_key(line.text) for page in pages for line in page.lines if len(line.text) < _MAX_TITLE}
    twice = {key for key, n in Counter(map(title_key, entries)).items() if n > 1}
    return (later | twice) - {""}


def entry_keys(lines: Iterable[Line]) -> frozenset[str]:
    """Return the keys of the titles in a table of contents, without leaders and page numbers."""
    titles = (_without_page_number(line.text.rstrip()) for line in lines)
    return frozenset(key for title in titles if len(key := title_key(title)) >= _MIN_TITLE_LETTERS)


def _without_page_number(entry: str) -> str:
    # Searched only where it can match: at each dot of a leader without a page number, it would fail slowly.
    return _PAGE_NUMBER.sub("", entry) if entry[-1:].isalnum() else entry


def _end_of_entries(entries: Sequence[str], first: int, title_keys: Collection[str]) -> int:
    """Return the index after the last entry, from `first` on; `first` if there is none.

    Up to two rows that are not entries may precede one: the first lines of a long title. A title that occurs
    again is the heading of the chapter itself, below the table.
    """
    end = first
    seen: set[str] = set()
    for i in range(first, len(entries)):
        key = title_key(entries[i])
        if _is_entry(entries[i], title_keys) and (key not in seen or entries[i].isdecimal()):
            end = i + 1
        elif i - end >= _MAX_TITLE_LINES or key in seen:
            break
        seen.add(key)
    return end


def _entry_share(rows: Iterable[str], title_keys: Collection[str]) -> float:
    """Return the share of rows that are entries; 0 without rows."""
    are_entries = [_is_entry(row, title_keys) for row in rows]
    return sum(are_entries) / len(are_entries) if are_entries else 0.0


def _is_entry(row: str, title_keys: Collection[str]) -> bool:
    """Return whether a row is an entry: one of the titles, or a text that ends with a page number."""
    key = title_key(row)
    if key in title_keys or title_key(_NUMBER_BEFORE.sub("", row, 1)) in title_keys:
        return True
    if row.rstrip()[-1:].isalnum() and _ENTRY.search(row.rstrip()):
        return True
    # A title on one line here may take two lines above its chapter.
    return any(key.startswith(first) for first in title_keys if len(first) >= _MIN_BEGINNING)


def take_leaders(pages: Sequence[Page]) -> tuple[list[Page], list[tuple[str, list[Line]]]]:
    """Return the pages without pages of entries: titles, leaders and page numbers.

    These are later pages of a table of contents, and lists of figures and tables.

    Returns:
        The pages, emptied if they have only entries; the kind and the lines of each emptied page.
    """
    removed: list[tuple[str, list[Line]]] = []
    remaining: list[Page] = []
    for at, page in enumerate(pages):
        heading = _list_heading(page)
        # At the back, leaders without a heading may be a list of changes.
        if not heading and at > len(pages) // 3:
            remaining.append(page)
            continue
        texts = [line.text for line in page.lines if line is not heading]
        n_leaders = sum(1 for text in texts if text[-1:].isalnum() and _LEADERS.search(text))
        has_leaders = n_leaders >= (1 if heading else _MIN_LEADER_LINES)
        if has_leaders and _entry_share(texts, ()) >= _MIN_ENTRY_SHARE:
            removed.append(("illustrations" if heading else "contents", list(page.lines)))
            remaining.append(replace(page, lines=()))
        else:
            remaining.append(page)
    return remaining, removed


def _list_heading(page: Page) -> Line | None:
    """Return the heading of a list of figures or tables, if one is at the top of the page."""
    headings = [line for line in page.lines if _is_list_heading(line)]
    if not headings:
        return None
    top = nsmallest(2, page.lines, key=lambda line: (-line.y, line.x0))
    return next((line for line in top if _is_list_heading(line)), None)


def _is_list_heading(line: Line) -> bool:
    return len(line.text) < _MAX_TITLE and line.text.strip(" .:").casefold() in _LISTS
