"""Cuts pages of a file that show two printed pages, as scanners and printers of brochures make them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from alexandria.extract.pdf.lines import Line, OutlineEntry, Page

_NUMBER = re.compile(r"(?:^|\s)[\W_]*(\d{1,4})[\W_]*(?:\s|$)")
_MIN_WIDTH = 1.1  # times the height: the width of two printed pages
_MIDDLE = 0.02  # share of the width, on each side of the middle, that a line across both pages reaches over
_MAX_CROSSING = 0.1  # largest share of lines across both pages
_MIN_SHARE = 0.5  # share of the wide pages that must count on from their left to their right half
_MIN_SPREADS = 2
_EDGE_LINES = 2  # lines at each edge that may hold the number of the page


def cut_spreads(
    pages: Sequence[Page], outline: Sequence[OutlineEntry]
) -> tuple[list[Page], list[OutlineEntry]]:
    """Return the pages, each with two printed pages cut into those, and the outline with their new indexes.

    They are wider than high, hardly a line crosses their middle, and the numbers printed on their halves are
    n and n + 1, on most of them two more than on the page before.
    """
    halves = {page.index: sides for page in pages if (sides := _halves_of(page))}
    counts = Counter(
        first
        for index, (left, right) in halves.items()
        for first in {n - 2 * index for n in _numbers_of(left)}
        & {n - 1 - 2 * index for n in _numbers_of(right)}
    )
    n_counted = max(counts.values(), default=0)
    if n_counted < max(_MIN_SPREADS, _MIN_SHARE * len(halves)):
        return [*pages], [*outline]
    printed: list[Page] = []
    first_index: list[int] = []  # of the first printed page on each page of the file
    for page in pages:
        first_index.append(len(printed))
        for lines in halves.get(page.index, (page.lines,)):
            index = len(printed)
            moved = tuple(line._replace(page=index) for line in lines)
            printed.append(replace(page, index=index, lines=moved, label=None, sheet=page.index))
            page = replace(page, hidden=(), comments=(), n_switched_off=0)  # of the second half
    return printed, [replace(entry, page=first_index[entry.page]) for entry in outline]


def _halves_of(page: Page) -> tuple[list[Line], list[Line]] | None:
    """Return the lines of the left and the right half of a page; None if it may have none."""
    left, right = page.sides
    if right - left < _MIN_WIDTH * page.height or not page.lines:
        return None
    middle, reach = (left + right) / 2, _MIDDLE * (right - left)
    n_crossing = sum(line.x0 < middle - reach and line.x1 > middle + reach for line in page.lines)
    if n_crossing > _MAX_CROSSING * len(page.lines):
        return None
    sides: tuple[list[Line], list[Line]] = [], []
    for line in page.lines:
        sides[line.x0 + line.x1 > 2 * middle].append(line)
    return sides


def _numbers_of(lines: Iterable[Line]) -> Iterator[int]:
    """Yield the numbers at the top and the foot of a printed page."""
    downwards = sorted(lines, key=lambda line: -line.y)
    for line in {*downwards[:_EDGE_LINES], *downwards[-_EDGE_LINES:]}:
        yield from map(int, _NUMBER.findall(line.text))
