"""Printed tables of contents, and lists of figures and tables."""

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
_LEADER_LINES = 4
"""Fewest lines with leaders on a page without a heading."""
_ENTRIES = 0.6
"""Smallest share of the lines of such a page that end with a page number."""
_FIRST_ENTRIES = 3
"""Lines at the top of a page that are entries where a table ends above text."""
_ENTRY = re.compile(r"(\.\s?){3,}\s*\w{1,5}$|(?:\S\s+|^)(\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
"""A title, then leaders or a space, then a page number; the number may be printed below its title."""
_PAGE_NUMBER = re.compile(r"(?:[\s.]*\.\s?\.\s?\.\s*\w{1,5}|\s+(?:\d{1,4}|[ivxlc]{1,7}))$", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(r"^\d{1,4}\W*\s")
"""A page number printed to the left of its title."""
_ONE_ROW = 0.3
"""Times the size by which the baselines of a title and its page number may differ."""
_TITLE = 100
"""Most characters of a title: longer lines are text."""
_SHORTEST_TITLE = 4
"""Fewest letters of a title that is looked for in the text."""
_ALIKE = str.maketrans("1l", "ii", "".join(sign for sign in map(chr, range(128)) if not sign.isalnum()))
"""`1` and `l` to `i`, and ASCII's other signs than letters and digits to nothing."""
_BEGINNING = 10
"""Fewest letters of a title's first line that identify it."""


def title_key(text: str) -> str:
    """Return a title's letters and digits without case, by which printed titles are compared.

    `1` and `l` are `i`, which look alike on scans.
    """
    key = text.casefold()
    return (key if key.isascii() else "".join(filter(str.isalnum, key))).translate(_ALIKE)


def take_contents(pages: Sequence[Page], outline: Sequence[OutlineEntry]) -> tuple[list[Page], list[Line]]:
    """Return the pages without the printed table of contents, and the lines removed."""
    titles = {title_key(entry.title) for entry in outline}
    removed: list[Line] = []
    remaining: list[Page] = []
    inside = False
    for page in pages:
        if not inside and not any(is_contents_heading(line) for line in page.lines):
            remaining.append(page)
            continue
        rows = list(_rows(page.lines))
        start = next((i for i, row in enumerate(rows) if is_contents_heading(row[0])), None)
        if start is None and not (inside and _goes_on([_text(row) for row in rows], titles)):
            inside = False
            remaining.append(page)
            continue
        first = start + 1 if start is not None else 0
        entries = [_text(row) for row in rows]
        end = _last_entry(entries, first, titles or _printed_again(entries[first:], pages[page.index + 1 :]))
        inside = end == len(rows)
        if end == first:
            remaining.append(page)
            continue
        table = [line for row in rows[start or 0 : end] for line in row]
        removed += table
        remaining.append(replace(page, lines=tuple(line for line in page.lines if line not in table)))
    return remaining, removed


def _goes_on(entries: Sequence[str], titles: Collection[str]) -> bool:
    """Return whether a page goes on with the table: most of it, or its first lines with text below."""
    return _share(entries, titles) > _ENTRIES or _share(entries[:_FIRST_ENTRIES], titles) == 1


def _rows(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Yield the lines in reading order; a title and a page number that are set apart are one row."""
    for column in columns_of(lines):
        row: list[Line] = []
        for line in sorted(column, key=lambda line: (-line.y, line.x0)):
            if row and row[0].y - line.y > _ONE_ROW * row[0].size:
                yield sorted(row, key=lambda line: line.x0)
                row = []
            row.append(line)
        yield sorted(row, key=lambda line: line.x0)


def _text(row: Sequence[Line]) -> str:
    return " ".join(line.text for line in row)


def is_contents_heading(line: Line) -> bool:
    """Return whether a line is the heading of a table of contents."""
    return len(line.text) < _TITLE and line.text.strip(" .:").casefold() in _HEADINGS


def _printed_again(entries: Iterable[str], pages: Iterable[Page]) -> set[str]:
    """Return the keys of lines that are printed again later: chapters listed without page numbers."""
    later = {title_key(line.text) for page in pages for line in page.lines if len(line.text) < _TITLE}
    later |= {title for title, n in Counter(map(title_key, entries)).items() if n > 1}
    return later - {""}


def entry_keys(lines: Iterable[Line]) -> frozenset[str]:
    """Return the keys of the titles in a table of contents, without leaders and page numbers."""
    titles = (_without_page_number(line.text.rstrip()) for line in lines)
    return frozenset(key for title in titles if len(key := title_key(title)) >= _SHORTEST_TITLE)


def _without_page_number(entry: str) -> str:
    # The patterns try each dot of a leader that ends without a page number.
    return _PAGE_NUMBER.sub("", entry) if entry[-1:].isalnum() else entry


def _last_entry(entries: Sequence[str], first: int, titles: Collection[str]) -> int:
    """Return the index after the last entry; a title of two lines has its number on the second."""
    end = first
    seen: set[str] = set()
    for i in range(first, len(entries)):
        title = title_key(entries[i])
        if _is_entry(entries[i], titles) and (title not in seen or entries[i].isdecimal()):
            end = i + 1
        elif i - end >= 2 or title in seen:
            break
        seen.add(title)
    return end


def _share(entries: Iterable[str], titles: Collection[str]) -> float:
    are = [_is_entry(entry, titles) for entry in entries]
    return sum(are) / len(are) if are else 0.0


def _is_entry(text: str, titles: Collection[str]) -> bool:
    title = title_key(text)
    if title in titles or title_key(_NUMBER_BEFORE.sub("", text, 1)) in titles:
        return True
    if text.rstrip()[-1:].isalnum() and _ENTRY.search(text.rstrip()):
        return True
    # A title on one line here may take two lines above its chapter.
    return any(title.startswith(start) for start in titles if len(start) >= _BEGINNING)


def take_leaders(pages: Sequence[Page]) -> tuple[list[Page], list[tuple[str, list[Line]]]]:
    """Return the pages without those of titles, leaders and page numbers, and their lines by kind.

    Such are the later pages of a table of contents, and lists of figures and tables.
    """
    removed: list[tuple[str, list[Line]]] = []
    remaining: list[Page] = []
    for at, page in enumerate(pages):
        heading = _list_heading(page)
        # At the back, leaders without a heading may be a list of changes.
        if not heading and at > len(pages) // 3:
            remaining.append(page)
            continue
        least = 1 if heading else _LEADER_LINES
        entries = [line.text for line in page.lines if line is not heading]
        enough = sum(1 for text in entries if text[-1:].isalnum() and _LEADERS.search(text)) >= least
        if enough and _share(entries, ()) >= _ENTRIES:
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
    return len(line.text) < _TITLE and line.text.strip(" .:").casefold() in _LISTS
