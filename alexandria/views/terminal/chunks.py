"""The chunks of a book under their chapters, with each cut between the two chunks it separates."""

from collections.abc import Iterator, Sequence
from itertools import chain

from rich.console import Group
from rich.text import Text

from alexandria.book import Boundary, Chunk
from alexandria.chunking import explain_boundary
from alexandria.inspection.inspection import ChapterChunks, Inspection
from alexandria.inspection.words import (
    balance_of,
    comparison_with_margin_of,
    count_of,
    heading_of,
    kept_of,
    overlap_of,
    pages_of,
    similarity_of,
    size_of,
    terms_of,
    topic_of,
)
from alexandria.views.terminal.console import out, safe
from alexandria.views.terminal.plot import REASON_STYLES
from alexandria.views.terminal.wrapping import shorten_middle, wrap

_MIN_CHUNK_TEXT = 22
"""Columns for the first and last words of a chunk, however narrow the terminal is."""


def chapter_lines(
    inspection: Inspection, chapters: Sequence[ChapterChunks], *, numbers: bool = False
) -> Group:
    """Return the chunks of the chapters, with each cut between the two chunks it separates.

    Args:
        inspection: the book.
        chapters: the chapters to show.
        numbers: whether the numbers of each cut are shown below it.
    """
    shown = (_lines_of_chapter(inspection, chapter, numbers=numbers) for chapter in chapters)
    return Group(*chain.from_iterable(shown))


def _lines_of_chapter(inspection: Inspection, chapter: ChapterChunks, *, numbers: bool) -> Iterator[Text]:
    """Yield the lines of a chapter: its heading, and each chunk after the cut before it."""
    size = f"  {size_of(len(chapter.chunks), chapter.n_words)}"
    for i, chunk in enumerate(chapter.chunks):
        if chunk.boundary is not None:
            yield cut_line(inspection, chunk.boundary)
            if numbers:
                yield from cost_lines(chunk.boundary)
        if i == 0:  # the heading comes after the cut before the chapter
            yield Text()
            yield Text.assemble((safe(heading_of(chapter.headings)), "bold"), (size, "dim"))
        if repeated := overlap_of(chunk):
            yield Text(f"      {safe(repeated)}", "dim", no_wrap=True, overflow="ellipsis")
        yield _chunk_line(inspection, chunk)
        if topic := topic_of(chunk.topic):
            yield Text(_indent(safe(topic)), "dim")
        if kept := kept_of(chunk):
            yield Text(_indent(safe(kept)), "dim")


def _chunk_line(inspection: Inspection, chunk: Chunk) -> Text:
    """Return a chunk on one line of the terminal: number, size, pages, and its first and last words."""
    n_digits = len(str(len(inspection.chunks)))
    cells = f" {chunk.index:>{n_digits}} {chunk.word_count:>6,} words "
    if pages := safe(pages_of(chunk)):
        cells += f"{pages:<9} "
    width = max(out.width - len(cells) - 1, _MIN_CHUNK_TEXT)
    words = shorten_middle(safe(chunk.text), width)
    return Text.assemble((cells, "dim"), words, no_wrap=True, overflow="ellipsis")


def cut_line(inspection: Inspection, boundary: Boundary) -> Text:
    """Return in a sentence why a cut is exactly here."""
    text = Text(_indent(explain_boundary(boundary, inspection.domain.strategy), first="── "))
    text.highlight_regex(r"(?<=─ )[^,:;.]+", REASON_STYLES[boundary.reason])
    return text


def cost_lines(boundary: Boundary) -> list[Text]:
    """Return the numbers of a cut: its similarity, and what was weighed, with the name of each cost."""
    numbers = [comparison_with_margin_of(boundary), balance_of(boundary), terms_of(boundary)]
    if boundary.balance and boundary.balance.next_best:
        numbers.append(f"next best worse by {boundary.balance.next_best.loss:.1f}")
    return [Text(_indent(" · ".join(number for number in numbers if number)), "dim")]


def _indent(line: str, *, first: str = "") -> str:
    """Return a line wrapped to the width of the terminal and indented below its chunk.

    Args:
        line: the line, of any length.
        first: what the first line begins with, in place of blanks; six characters at most.
    """
    indent = " " * 6
    lines = [part.plain for part in wrap(Text(line), out.width - len(indent))]
    return "\n".join([f"{first:>6}{lines[0]}", *(indent + part for part in lines[1:])])


def sizes_of(chunk: Chunk) -> str:
    """Return a chunk's number, sizes and pages in words."""
    parts = [
        f"chunk {chunk.index}",
        count_of(chunk.word_count, "word"),
        count_of(chunk.n_sentences, "sentence"),
        safe(pages_of(chunk)),
        f"mean similarity inside {similarity_of(chunk.avg_similarity)}" if chunk.n_sentences > 1 else "",
    ]
    return ", ".join(part for part in parts if part)
