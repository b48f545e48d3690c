"""Pages that are not the book's text: the printed table of contents, the title page."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

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
_ENTRY = re.compile(r"(\.\s?){3,}\s*\w{1,5}$|\S\s+(\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
"""A title, then leaders or a space, then a page number."""
_TITLE = 100
"""Most characters of a title: longer lines are text."""
_BEGINNING = 10
"""Fewest letters of a title's first line that identify it."""
_FRONT = 3
"""Pages that are searched for a title page if no outline gives the start of the first chapter."""
_FEW = 80
"""Words: a title page or half-title has fewer, a page of text has more."""


def title_key(text: str) -> str:
    """Return a title's letters and digits without case, by which printed titles are compared."""
    return "".join(character for character in text.casefold() if character.isalnum())


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
        lines = sorted(page.lines, key=lambda line: (-line.y, line.x0))
        start = next((i for i, line in enumerate(lines) if is_contents_heading(line)), None)
        if start is None and not (inside and _share(lines, titles) > 0.6):
            inside = False
            remaining.append(page)
            continue
        first = start + 1 if start is not None else 0
        end = _last_entry(lines, first, titles or _printed_again(lines[first:], pages[page.index + 1 :]))
        inside = end == len(lines)
        if end == first:
            remaining.append(page)
            continue
        table = lines[start if start is not None else 0 : end]
        removed += table
        remaining.append(replace(page, lines=tuple(line for line in page.lines if line not in table)))
    return remaining, removed


def is_contents_heading(line: Line) -> bool:
    """Return whether a line is the heading of a table of contents."""
    return len(line.text) < _TITLE and line.text.strip(" .:").casefold() in _HEADINGS


def _printed_again(lines: Iterable[Line], pages: Iterable[Page]) -> set[str]:
    """Return the keys of lines that are printed again later: chapters listed without page numbers."""
    later = {title_key(line.text) for page in pages for line in page.lines if len(line.text) < _TITLE}
    later |= {title for title, n in Counter(title_key(line.text) for line in lines).items() if n > 1}
    return later - {""}


def _last_entry(lines: Sequence[Line], first: int, titles: Collection[str]) -> int:
    """Return the index after the last entry; a title of two lines has its number on the second."""
    end = first
    seen: set[str] = set()
    for i in range(first, len(lines)):
        if _is_entry(lines[i], titles) and title_key(lines[i].text) not in seen:
            end = i + 1
        elif i - end >= 2 or title_key(lines[i].text) in seen:
            break
        seen.add(title_key(lines[i].text))
    return end


def _share(lines: Sequence[Line], titles: Collection[str]) -> float:
    return sum(_is_entry(line, titles) for line in lines) / len(lines) if lines else 0.0


def _is_entry(line: Line, titles: Collection[str]) -> bool:
    title = title_key(line.text)
    if title in titles or _ENTRY.search(line.text.rstrip()):
        return True
    # A title on one line here may take two lines above its chapter.
    return any(title.startswith(start) for start in titles if len(start) >= _BEGINNING)


def take_title_pages(
    pages: Sequence[Page], outline: Sequence[OutlineEntry], title: str
) -> tuple[list[Page], list[Line]]:
    """Return the pages without the title pages before the first chapter, and the lines removed.

    A title page has few words, the book's title among them.
    """
    first = min((entry.page for entry in outline), default=_FRONT)
    first = min(first, next((page.index for page in reversed(pages) if page.lines), 0))
    removed: list[Line] = []
    remaining: list[Page] = []
    for page in pages:
        text = " ".join(line.text for line in page.lines) if page.index < first and title else ""
        if text and len(text.split()) < _FEW and title_key(title) in title_key(text):
            removed += page.lines
            remaining.append(replace(page, lines=()))
        else:
            remaining.append(page)
    return remaining, removed
