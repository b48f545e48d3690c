"""Matter: the pages of a book that are not its text, such as cover, title page, copyright page and index.

The kinds are those of the other formats. Pages are known by the outline, by what they say, or by their shape.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from alexandria.extract.pdf.contents import take_contents, take_leaders, title_key
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page

_NAMES: Mapping[str, tuple[str, ...]] = {
    "cover": ("cover", "front cover", "back cover", "umschlag", "couverture"),
    "titlepage": ("title page", "titlepage", "titelseite", "titelblatt", "page de titre"),
    "halftitle": ("half title", "half-title", "halftitle", "half title page", "schmutztitel", "faux-titre"),
    "copyright": ("copyright", "copyright page", "copyright notice"),
    "imprint": ("imprint", "impressum", "mentions légales"),
    "colophon": ("colophon", "kolophon"),
    "contents": ("contents", "table of contents", "toc", "inhalt", "inhaltsverzeichnis", "sommaire"),
    "illustrations": (
        "list of figures", "list of tables", "list of illustrations", "abbildungsverzeichnis",
        "tabellenverzeichnis", "liste des figures", "liste des tableaux",
    ),
    "index": (
        "index", "indexes", "subject index", "general index", "author index", "name index", "index of names",
        "register", "sachregister", "personenregister", "namenregister", "namensregister",
        "stichwortverzeichnis", "sachverzeichnis", "índice alfabético", "índice analítico",
        "indice analitico", "indice dei nomi", "kazalo", "stvarno kazalo", "skorowidz", "rejstřík",
        "предметный указатель",
    ),
}  # fmt: skip
_BY_NAME = {title_key(name): kind for kind, names in _NAMES.items() for name in names}
_LONGEST_NAME = 2 * max(map(len, _BY_NAME))
"""Characters, with spaces between letters: most lines need not be looked up."""
_FRONT = 3
"""Pages that are searched for a title page if no outline gives the start of the first chapter."""
_TITLE_WORDS = 80
"""Words: a title page or half-title has fewer, a page of text has more."""
_NOTICE = 300
"""Words: a copyright page has fewer."""
_NOTICE_PAGES = 8
"""Pages at the front or back that are searched for a copyright page."""
_SHORTEST = 5
"""Fewest pages of a book: leaflets and papers have no pages of matter."""
_RIGHTS = (
    re.compile(r"©|\(c\)\s*\d{4}|\bcopyright\b|\bcopr\.", re.IGNORECASE),
    re.compile(
        r"all rights reserved|alle rechte vorbehalten|tous droits réservés|reservados todos", re.IGNORECASE
    ),
    re.compile(r"\bISBN\b|\bISSN\b"),
    re.compile(
        r"library of congress|cataloging|catalogu?ing|\bCIP\b|bibliothek verzeichnet|dépôt légal", re.I
    ),
    re.compile(
        r"printed (?:and bound )?in|first published|published by|verlag|gedruckt in|druck:|imprimé", re.I
    ),
    re.compile(r"no part of this|licen[cs]ed under|creative commons|permission of the publisher", re.I),
)
"""What copyright pages say: two of these are no chance."""
_PAGES = re.compile(r"[^\W_][,.:]?\s[\d\s,;–\-nf.]*\d[nf.]*$")
_ONLY_PAGES = re.compile(r"\d[\d\s,;–\-nf.]*")
_LAST = frozenset("0123456789nf.,;")
"""What page numbers end with."""
_NUMBERS = re.compile(r"\d+")
_INDEX = 0.4, 8
"""Smallest share of lines with page numbers below the heading of an index, and fewest such lines."""
_BARE_INDEX = 0.6, 20
"""The same without a heading."""
_COMMAS = 0.5
"""Smallest share of its entries with a comma before or between page numbers: those of tables have none."""
_ALPHABETICAL = 0.75
"""Smallest share of changes of the first letter that are in order: subentries and columns break it."""

_INDENT = 0.5
"""Times the size: subentries are indented by more."""
_UNCOUNTED = 50
"""Pages of the printed book that a file may lack."""

Taken = tuple[list[Page], list[tuple[str, list[Line]]]]
"""The pages without the matter, and its lines by kind."""


def take_matter(pages: Sequence[Page], outline: Sequence[OutlineEntry], title: str) -> Taken:
    """Return the pages without their matter, and the lines removed; none if a book has nothing else."""
    chapters = [entry for entry in outline if title_key(entry.title) not in _BY_NAME]
    first = min((entry.page for entry in chapters), default=_FRONT)
    taken: list[tuple[str, list[Line]]] = []
    remaining = list(pages)
    last = _last_number(pages)
    remaining = _without(remaining, _named(remaining, outline, last), taken)
    remaining = _without(remaining, _index(remaining, last), taken)
    remaining, contents = take_contents(remaining, chapters)
    remaining, leaders = take_leaders(remaining)
    taken += [("contents", contents), *leaders]
    remaining = _without(remaining, _title_pages(remaining, first, title), taken)
    remaining = _without(remaining, _notices(remaining, first if chapters else _NOTICE_PAGES), taken)
    if not any(page.lines for page in remaining):
        return list(pages), []  # a lone index or title page is all there is to read
    return remaining, [(kind, lines) for kind, lines in taken if lines]


def _without(
    pages: Sequence[Page], found: Mapping[int, tuple[str, list[Line]]], taken: list[tuple[str, list[Line]]]
) -> list[Page]:
    """Return the pages without lines found to be matter, by position, and append these to `taken`."""
    remaining = []
    for i, page in enumerate(pages):
        if i in found:
            kind, lines = found[i]
            taken.append((kind, lines))
            gone = set(map(id, lines))
            page = replace(page, lines=tuple(line for line in page.lines if id(line) not in gone))
        remaining.append(page)
    return remaining


def _named(
    pages: Sequence[Page], outline: Sequence[OutlineEntry], last: int
) -> dict[int, tuple[str, list[Line]]]:
    """Return the pages from an entry of the outline that names matter up to the next entry."""
    found: dict[int, tuple[str, list[Line]]] = {}
    for i, entry in enumerate(outline):
        kind = _BY_NAME.get(title_key(entry.title))
        after = min(
            (other.page for other in outline[i + 1 :] if other.page >= entry.page), default=len(pages)
        )
        if kind in (None, "contents"):  # `take_contents` knows better where they end
            continue
        span = [at for at in range(entry.page, min(after, len(pages))) if pages[at].lines]
        if kind == "index":  # the entry may point to the page before
            span = [at for at in span if _shape(pages[at].lines, last)[0] >= _INDEX[0] / 2]
        lines = [line for at in span for line in pages[at].lines]
        fits = _is_index(lines, last, *_INDEX) if kind == "index" else _n_words(lines) <= _NOTICE
        if fits or kind == "illustrations":
            found |= {at: (kind, list(pages[at].lines)) for at in span if kind}
    return found


def _name(line: Line) -> str | None:
    """Return the kind of matter whose name a line is."""
    return _BY_NAME.get(title_key(line.text)) if len(line.text) <= _LONGEST_NAME else None


def _n_words(lines: Iterable[Line]) -> int:
    return sum(len(line.text.split()) for line in lines)


def _title_pages(pages: Sequence[Page], first_chapter: int, title: str) -> dict[int, tuple[str, list[Line]]]:
    """Return the pages before the first chapter that have few words and name the book's title, by index.

    Each has its kind (cover, titlepage or halftitle) and its lines.
    """
    if not title_key(title):
        return {}
    last_page = next((page.index for page in reversed(pages) if page.lines), 0)
    stop = min(first_chapter, last_page)  # something must remain as the book
    found: dict[int, tuple[str, list[Line]]] = {}
    for at, page in enumerate(pages[:stop]):
        text = " ".join(line.text for line in page.lines)
        if text and len(text.split()) < _TITLE_WORDS and title_key(title) in title_key(text):
            found[at] = ("cover" if page.pictured else "titlepage", list(page.lines))
    titles = [at for at, (kind, _) in found.items() if kind == "titlepage"]
    for at in titles[:-1]:  # the last one, with author and publisher, is the title page
        if title_key(" ".join(line.text for line in pages[at].lines)) == title_key(title):
            found[at] = ("halftitle", found[at][1])
    return found


def _notices(pages: Sequence[Page], first: int) -> dict[int, tuple[str, list[Line]]]:
    """Return the copyright pages at the front, after the first page, and at the back of a book."""
    if len(pages) < _SHORTEST:
        return {}
    found: dict[int, tuple[str, list[Line]]] = {}
    front = range(1, min(first, _NOTICE_PAGES, len(pages) // 2))
    for at in (*front, len(pages) - 1):
        lines = pages[at].lines
        if not lines or _n_words(lines) >= _NOTICE:
            continue
        text = " ".join(line.text for line in lines)
        if sum(1 for pattern in _RIGHTS if pattern.search(text)) >= 2:
            named = map(_name, lines[:3])
            kind = next((kind for kind in named if kind in ("imprint", "colophon")), "copyright")
            found[at] = (kind, list(lines))
    return found


def _index(pages: Sequence[Page], last: int) -> dict[int, tuple[str, list[Line]]]:
    """Return the pages of the index at the back of a book: by its heading, else by its shape."""
    found: dict[int, tuple[str, list[Line]]] = {}
    inside = False
    for at in range(len(pages) // 2, len(pages)):
        lines = list(pages[at].lines)
        heading = next((line for line in lines if _name(line) == "index"), None)
        if heading:
            below = [line for line in lines if line.y <= heading.y]
            following = [line for page in pages[at + 1 : at + 3] for line in page.lines]
            inside = _is_index([*below[1:], *following], last, *_INDEX)
            lines = below if inside else lines
        elif inside:
            inside = _shape(lines, last)[0] >= _INDEX[0] / 2
        else:
            inside = _is_index(lines, last, *_BARE_INDEX, commas=_COMMAS)
        if inside:
            found[at] = ("index", lines)
    return found


def _is_index(lines: Sequence[Line], last: int, share: float, least: int, *, commas: float = 0.0) -> bool:
    """Return whether enough lines end with page numbers of the book and are in alphabetical order."""
    own, entries = _shape(lines, last)
    if own < share or len(entries) < least:
        return False
    if sum("," in tail for _, tail in entries) < commas * len(entries):
        return False
    return _in_order(entries) or _in_order(_shape(list(_main_entries(lines)), last)[1])


def _main_entries(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines at the left edges of two columns, in reading order: subentries are indented."""
    middle = (min(line.x0 for line in lines) + max(line.x1 for line in lines)) / 2
    by_column = sorted(lines, key=lambda line: (line.page, line.x0 > middle, -line.y))
    for _, column in groupby(by_column, key=lambda line: (line.page, line.x0 > middle)):
        own = list(column)
        left = min(line.x0 for line in own)
        yield from (line for line in own if line.x0 - left < _INDENT * line.size)


def _in_order(entries: Sequence[tuple[str, str]]) -> bool:
    changes = [a < b for (a, _), (b, _) in pairwise(entries) if a != b]
    return sum(changes) >= _ALPHABETICAL * len(changes)


def _last_number(pages: Sequence[Page]) -> int:
    """Return the highest number that a page of the printed book may have."""
    labels = (int(page.label) for page in pages if page.label and page.label.isdecimal())
    return max([len(pages) + _UNCOUNTED, *labels])


def _shape(lines: Sequence[Line], last: int) -> tuple[float, list[tuple[str, str]]]:
    """Return the share of lines that end with page numbers; of entries the first letter and the numbers.

    Args:
        lines: of one page or several.
        last: the highest page number.
    """
    entries: list[tuple[str, str]] = []
    n = 0
    for line in lines:
        text = line.text.strip()
        if text[-1:] not in _LAST:
            continue
        tail = _ONLY_PAGES.fullmatch(text) or _PAGES.search(text)
        if tail and all(int(number) <= last for number in _NUMBERS.findall(tail.group())):
            n += 1
            if text[0].isalpha():
                entries.append((text[0].casefold(), tail.group()))
    return n / len(lines) if lines else 0.0, entries
