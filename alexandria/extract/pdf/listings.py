"""Finds listings: lines of code in a font of fixed pitch, which keep their line ends and indents."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from alexandria.book.model import BlockKind
from alexandria.extract.pdf.columns import Column
from alexandria.extract.pdf.lines import Line
from alexandria.extract.pdf.paragraphs import Paragraph

_MIN_LINES = 2  # fewest lines of a listing; a single one may be an example in a sentence
_SIGNS = re.compile(r"[{}<>=\\$|@]|\w\(|[;)]$")  # what lines of code have, and prose has hardly ever
_MIN_SIGNS = 1 / 3  # share of the lines of a listing with such signs
_MAX_GAP = 3.0  # times the size: lines of a listing are closer, even with an empty line between them


def with_listings_marked(columns: Sequence[Column]) -> list[Column]:
    """Return the columns in which only the lines of listings are `fixed`.

    Prose may be typed in such a font, in part or, as in a typescript, throughout.
    """
    n_fixed = sum(len(line.text) * (1 if line.fixed else -1) for column in columns for line in column.lines)
    if n_fixed == -sum(len(line.text) for column in columns for line in column.lines):  # the usual case
        return [*columns]
    return [
        replace(column, lines=tuple(_marked(column.lines, is_typescript=n_fixed > 0))) for column in columns
    ]


def _marked(lines: Sequence[Line], *, is_typescript: bool) -> Iterator[Line]:
    for is_fixed, group in groupby(lines, key=lambda line: line.fixed):
        run = [*group]
        n_signs = sum(_SIGNS.search(line.text) is not None for line in run)
        is_listing = len(run) >= _MIN_LINES and n_signs >= _MIN_SIGNS * len(run) and not is_typescript
        yield from (line._replace(fixed=is_fixed and is_listing) for line in run)


def with_listings(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Return the paragraphs, with successive lines of a listing as one."""
    result: list[Paragraph] = []
    for paragraph in paragraphs:
        last, first = result[-1].lines[-1] if result else None, paragraph.lines[0]
        if first.fixed:
            paragraph.kind = BlockKind.CODE
        is_below = last and last.page == first.page and 0 < last.y - first.y < _MAX_GAP * first.size
        if first.fixed and last and last.fixed and is_below:
            result[-1].lines += paragraph.lines
        else:
            result.append(paragraph)
    return result


def indented(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a listing, each with its indent as spaces."""
    left = min(line.x0 for line in lines)
    width = max(lines, key=lambda line: len(line.text)).character_width or 1.0
    return [line._replace(text=" " * round((line.x0 - left) / width) + line.text, marks=()) for line in lines]
