"""The chunks of a book under their chapters, with each cut between the two chunks it separates."""

from collections.abc import Iterator, Sequence

from rich.console import Group
from rich.text import Text

from alexandria.book import Boundary, Chunk
from alexandria.chunking import balance_in_words, explain_boundary, next_best_in_words
from alexandria.inspection.inspection import ChapterChunks, Inspection
from alexandria.inspection.words import (
    balance_of,
    comparison_of,
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


def chapter_lines(inspection: Inspection, chapters: Sequence[ChapterChunks]) -> Group:
    """Return the chunks of the chapters, with each cut between the two chunks it separates."""
    return Group(*(line for chapter in chapters for line in _lines_of_chapter(inspection, chapter)))


def _lines_of_chapter(inspection: Inspection, chapter: ChapterChunks) -> Iterator[Text]:
    """Yield the lines of a chapter: its heading, and each chunk after the cut before it."""
    size = f"  {size_of(len(chapter.chunks), chapter.n_words)}"
    for i, chunk in enumerate(chapter.chunks):
        if chunk.boundary is not None:
            yield cut_line(inspection, chunk.boundary)
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
    """Return a cut in words: similarity and threshold, reason, and why it is exactly here."""
    if boundary.balance is None:
        comparison = [comparison_with_margin_of(boundary)] if inspection.has_similarities else []
        parts = [*comparison, boundary.reason, explain_boundary(boundary, inspection.domain.strategy)]
    else:
        place, *cues = balance_in_words(boundary)
        parts = [place, comparison_of(boundary), boundary.reason, *cues, *next_best_in_words(boundary)]
    text = Text(_indent(" · ".join(parts), first="── "))
    # Only the reason itself, not the same word in an explanation.
    text.highlight_regex(rf"(?<=[·─] ){boundary.reason}(?= ·|$)", REASON_STYLES[boundary.reason])
    return text


def cost_lines(boundary: Boundary) -> list[Text]:
    """Return what was weighed at a cut, with the name of each cost, or an empty list if nothing was."""
    if boundary.balance is None:
        return []
    return [Text(_indent(f"{balance_of(boundary)} · {terms_of(boundary)}"), "dim")]


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
