"""Running heads and page numbers: what stands at the edge of page after page."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from alexandria.extract.pdf.lines import Line, Page

_NUMBER = re.compile(r"\d+|(?<![^\W_])[ivxlc]+(?![^\W_])", re.IGNORECASE)
_PAGES = 3
"""A line at the edge of two pages may be chance; of three it is furniture."""
_EDGE_LINES = 2
"""A head or foot of more than two lines is not found in books."""
_SAME_HEIGHT = 1.5
"""Points by which the same head may rise or fall from page to page."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class Furniture:
    """A line taken off a page's edge, and whether it is nothing but the page's number."""

    line: Line
    is_number: bool


@dataclass(frozen=True, slots=True)
class _Edge:
    line: Line
    top: bool
    keys: tuple[str, ...]
    """What would be the same on another page: its text, or its text with a number that counts pages."""


def take_heads(pages: Sequence[Page]) -> tuple[list[Page], list[Furniture]]:
    """Return the pages without their running heads and page numbers, and those."""
    edges = [list(_edges(page)) for page in pages]
    counts = Counter(key for page in edges for key in {key for edge in page for key in edge.keys})
    slots: dict[bool, list[tuple[float, float]]] = defaultdict(list)
    for page in edges:
        for edge in page:
            if any(counts[key] >= _PAGES for key in edge.keys):
                slots[edge.top].append((edge.line.y, edge.line.size))
    kept, taken = [], []
    for page, candidates in zip(pages, edges, strict=True):
        heads = {
            edge.line
            for edge in candidates
            if any(counts[key] >= _PAGES for key in edge.keys) or _in_slot(edge.line, slots[edge.top])
        }
        heads |= {edge.line for edge in candidates if page.label and edge.line.text.strip() == page.label}
        taken += [Furniture(line, _NUMBER.sub("", line.text).strip(" -–—[]|·.") == "") for line in heads]
        kept.append(
            replace(page, lines=tuple(line for line in page.lines if line not in heads)) if heads else page
        )
    return kept, taken


def _in_slot(line: Line, slots: Iterable[tuple[float, float]]) -> bool:
    """Whether enough heads stand at the line's height in its size: a short chapter's head comes once."""
    near = sum(1 for y, size in slots if abs(y - line.y) <= _SAME_HEIGHT and abs(size - line.size) <= 0.3)
    return near >= _PAGES


def _edges(page: Page) -> Iterator[_Edge]:
    lines = sorted(page.lines, key=lambda line: -line.y)
    heights = sorted({round(line.y) for line in lines})
    for top, outer in ((True, heights[-_EDGE_LINES:]), (False, heights[:_EDGE_LINES])):
        for line in lines:
            if round(line.y) in outer:
                yield _Edge(line, top, tuple(_keys(line, top, page.index)))


def _keys(line: Line, top: bool, index: int) -> Iterator[str]:
    text = " ".join(line.text.split())
    place = f"{'top' if top else 'foot'} {round(line.y / 4)}"
    yield f"{place} {text}"
    for match in _NUMBER.finditer(text):
        # "Chapter 3" on three pages in a row counts chapters; a page number keeps its distance to the index.
        offset = _value(match.group()) - index
        yield f"{place} {offset} {text[: match.start()]}#{text[match.end() :]}"


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    values = [_ROMAN[letter] for letter in number.lower()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
