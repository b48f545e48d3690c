"""Running heads and page numbers: what is repeated at the edges of pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from alexandria.extract.pdf.lines import Line, OutlineEntry, Page

_NUMBER = re.compile(r"\d+|(?<![^\W_])[ivxlc]+(?![^\W_])", re.IGNORECASE)
_FOLIO = re.compile(r"^(?:\d+|[ivxlc]+)\s+|\s+(?:\d+|[ivxlc]+)$")
"""A page number next to a head."""
_PAGES = 3
"""On two pages, a repeated line may be chance; on three it is furniture."""
_EDGE_LINES = 2
"""Books have no heads or feet of more than two lines."""
_LARGEST = 1.1
"""Times the body size: heads are not larger than the text."""
_LARGEST_NUMBER = 1.3
"""Times the body size: in a manual, most of the type may be code, smaller than text and page numbers."""
_SAME_HEIGHT = 0.2
"""Times its size: the height of a head may vary from page to page."""
_SAME_SIZE = 0.04
"""Share of the size: a larger difference is intended."""
_SMALLER, _APART = 0.95, 1.8
"""Times the body size: the type of a head on a scan, and its distance from the text."""
_PLACE = 0.4
"""Times the body size: lines closer to each other are at one place."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class Furniture:
    """A line removed from the edge of a page, and whether it is only the page number."""

    line: Line
    is_number: bool


@dataclass(frozen=True, slots=True)
class _Edge:
    line: Line
    top: bool
    keys: tuple[str, ...]
    """What would be the same on other pages: the text, or a number that counts pages."""


def take_running_heads(
    pages: Sequence[Page], body: float, names: Iterable[str] = (), outline: Iterable[OutlineEntry] = ()
) -> tuple[list[Page], list[Furniture]]:
    """Return the pages without running heads and page numbers, and the lines removed.

    If all lines would be removed, none are: pages that are the same throughout have no heads.

    Args:
        pages: as read.
        body: the size of the text.
        names: the book's title and authors; a head with one of them, or with a title of the outline, need not
            be repeated.
        outline: empty if the file has none.
    """
    homes = _homes(pages, names, outline)
    edges = [list(_edges(page, body)) for page in pages]
    counts = Counter(key for page in edges for key in {key for edge in page for key in edge.keys})
    slots: dict[bool, Counter[tuple[float, float]]] = {True: Counter(), False: Counter()}
    for page, candidates in zip(pages, edges, strict=True):
        for edge in candidates:
            if any(counts[key] >= _PAGES for key in edge.keys) or _is_apart(edge, page, body):
                slots[edge.top][round(edge.line.y, 1), edge.line.size] += 1
    remaining: list[Page] = []
    removed: list[Furniture] = []
    for page, candidates in zip(pages, edges, strict=True):
        heads = {
            id(edge.line): edge.line
            for edge in candidates
            if any(counts[key] >= _PAGES for key in edge.keys)
            or _in_slot(edge.line, slots[edge.top])
            or _is_own_number(edge.line, page)
            or _is_known(edge.line, homes)
        }
        removed += [
            Furniture(line, _NUMBER.sub("", line.text).strip(" -–—[]|·.") == "") for line in heads.values()
        ]
        remaining.append(replace(page, lines=tuple(line for line in page.lines if id(line) not in heads)))
    if not any(page.lines for page in remaining):
        return [*pages], []  # three copies of a form repeat each other, and are text all the same
    return remaining, removed


def _homes(
    pages: Sequence[Page], names: Iterable[str], outline: Iterable[OutlineEntry]
) -> Mapping[str, frozenset[int]]:
    """Return the pages on which a title is not a head, by the title as heads may print it."""
    homes: dict[str, set[int]] = defaultdict(set, {name: set() for name in names if name})
    for at, page in enumerate(pages):
        unseen = [name for name, seen in homes.items() if not seen]
        if not unseen:
            break
        text = " ".join(line.text for line in page.lines).casefold()
        for name in unseen:
            if name.casefold() in text:
                homes[name].add(at)
    for entry in outline:
        homes[entry.title].add(entry.page)
    return {printed: frozenset(at) for name, at in homes.items() if at for printed in (name, name.upper())}


def _is_known(line: Line, homes: Mapping[str, frozenset[int]]) -> bool:
    """Return whether a line repeats a title on a page after the one where the title belongs."""
    # Case matters: a chapter "Home" may end with a line "home".
    text = " ".join(line.text.split())
    home = homes.get(text) or homes.get(_FOLIO.sub("", text), frozenset())
    return bool(home) and line.page > min(home) and line.page not in home


def _is_own_number(line: Line, page: Page) -> bool:
    """Return whether a line is the page's number, set apart: one or two pages repeat nothing."""
    if line.text.strip(" -–—") not in (page.label, str(page.index + 1)):
        return False
    return all(abs(line.y - other.y) > 2 * line.size for other in page.lines if other is not line)


def _is_apart(edge: _Edge, page: Page, body: float) -> bool:
    """Return whether small type is alone at the top of a scan, on which what is repeated may be misread."""
    line = edge.line
    if page.confidence is None or not edge.top or line.size > _SMALLER * body:
        return False
    below = max((other.y for other in page.lines if line.y - other.y > _SAME_HEIGHT * line.size), default=0.0)
    return line.y - below > _APART * body


def _in_slot(line: Line, slots: Counter[tuple[float, float]]) -> bool:
    """Return whether enough heads have the line's height and size: a short chapter's is printed once."""
    near = sum(
        n
        for (y, size), n in slots.items()
        if abs(y - line.y) <= _SAME_HEIGHT * line.size and abs(size - line.size) <= _SAME_SIZE * line.size
    )
    return near >= _PAGES


def _edges(page: Page, body: float) -> Iterator[_Edge]:
    """Yield the outermost lines at the top and the foot of a page, each once; large type is a heading."""
    heights = [round(line.y) for line in page.lines]
    ascending = sorted(set(heights))
    tops, feet = ascending[-_EDGE_LINES:], ascending[:_EDGE_LINES]
    for line, height in zip(page.lines, heights, strict=True):
        if height not in tops and height not in feet:
            continue
        largest = _LARGEST_NUMBER if line.text.strip(" -–—").isdecimal() else _LARGEST
        if line.size <= largest * body:
            top = height in tops and not (height in feet and line.y < page.height / 2)
            yield _Edge(line, top, tuple(_keys(line, top, page.index, body)))


def _keys(line: Line, top: bool, index: int, body: float) -> Iterator[str]:
    text = " ".join(line.text.split())
    place = f"{'top' if top else 'foot'} {round(line.y / (_PLACE * body))}"
    yield f"{place} {text}"
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        if start > 0 and end < len(text):
            continue
        # "Chapter 3" on three pages in a row counts chapters; a page number keeps its distance to the index.
        offset = _value(match.group()) - index
        yield f"{place} {offset} {text[:start]}#{text[end:]}"
        # Next to such a number the title may change. At the foot, or before a full stop, it may count notes.
        if top and match.group().isdigit() and f" {text} "[start] == f" {text} "[end + 1] == " ":
            yield f"{place} {offset}"


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    values = [_ROMAN[letter] for letter in number.lower()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
