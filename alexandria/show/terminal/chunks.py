"""The chunks of a book under their chapters, with the cuts between them; a chunk or a book gap by gap."""

from collections.abc import Iterator, Sequence
from itertools import chain

from rich.cells import cell_len
from rich.console import Group
from rich.text import Text

from alexandria.book.model import Boundary, Chunk
from alexandria.book.wording import (
    balance_of,
    comparison_with_margin_of,
    cost_in_words,
    heading_of,
    overlap_of,
    pages_of,
    similarity_of,
    size_of,
    terms_of,
    topic_of,
)
from alexandria.book.words import count_of
from alexandria.chunking.explain import describe_kept_together, kept_of
from alexandria.errors import ConfigError
from alexandria.library.inspect.inspection import ChapterChunks, Inspection
from alexandria.show.terminal.console import out, safe
from alexandria.show.terminal.plot import REASON_STYLES
from alexandria.show.terminal.wrapping import shorten_middle, tail, wrap

_MIN_CHUNK_TEXT = 22  # columns for the first and last words of a chunk, however narrow the terminal is
_AROUND = 5  # gaps shown on each side of the requested one
_BAR = 20  # characters of the bar for a similarity of 1
_EVERY_GAP_COLUMNS = 38  # of the columns of `every_gap` before the sentences, and of what separates these
_MIN_SENTENCE_WIDTH = 10  # columns of a sentence beside a gap, however narrow the terminal is


def chapter_lines(
    inspection: Inspection, chapters: Sequence[ChapterChunks], *, numbers: bool = False
) -> Group:
    """Return the chunks of the chapters, with each cut between the two chunks it separates.

    Args:
        numbers: whether the numbers of each cut are shown below it.
    """
    shown = (_lines_of_chapter(inspection, chapter, numbers=numbers) for chapter in chapters)
    return Group(*chain.from_iterable(shown))


def _lines_of_chapter(inspection: Inspection, chapter: ChapterChunks, *, numbers: bool) -> Iterator[Text]:
    """Yield the lines of a chapter: its heading, and each chunk after the cut before it."""
    size = f"  {size_of(len(chapter.chunks), chapter.n_words)}"
    for i, chunk in enumerate(chapter.chunks):
        if chunk.boundary is not None:
            yield _cut_line(chunk.boundary, inspection.reasons[chunk.index])
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


def _cut_line(boundary: Boundary, why: str) -> Text:
    """Return why a cut is exactly here; its first sentence in the colour of the kind of cut."""
    text = Text(_indent(safe(why), first="── "))
    text.highlight_regex(r"(?<=─ )[^.]+", REASON_STYLES[boundary.reason])
    return text


def cost_lines(boundary: Boundary) -> list[Text]:
    """Return the numbers of a cut: its similarity, and what was weighed, with the name of each cost."""
    numbers = [comparison_with_margin_of(boundary), balance_of(boundary), terms_of(boundary)]
    if boundary.balance and boundary.balance.next_best:
        numbers.append(f"next best worse by {boundary.balance.next_best.loss:.1f}")
    return [Text(_indent(" · ".join(number for number in numbers if number)), "dim")]


def _indent(line: str, *, first: str = "") -> str:
    """Return a line wrapped to the width of the terminal and indented below its chunk."""
    # `first`: what the first line begins with, in place of blanks; six characters at most.
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


def show_chunk(inspection: Inspection, number: int) -> None:
    """Print a chunk with its sentences, the similarity at each gap inside, and the cuts around it.

    Raises:
        ConfigError: there is no such chunk.
    """
    if not 0 <= number < len(inspection.chunks):
        raise ConfigError(
            f"there is no chunk {number}",
            why=f"the book has {len(inspection.chunks):,}, counted from 0",
            fix="alexandria inspect lists the numbers",
        )
    chunk = inspection.chunks[number]
    out.print(Text(safe(heading_of(chunk.headings)), "bold"))
    out.print(Text(sizes_of(chunk), "dim"))
    if repeated := overlap_of(chunk):
        out.print(Text(safe(repeated), "dim"))
    gap_before = chunk.first_sentence - 1
    gap_after = gap_before + chunk.n_sentences
    out.print(_gap_lines(inspection, range(gap_before, gap_after + 1)))


def show_around(inspection: Inspection, gap: int) -> None:
    """Print the sentences around a gap, with the similarity between neighbours.

    Raises:
        ConfigError: there is no such gap.
    """
    n = len(inspection.similarities)
    if not 0 <= gap < n:
        raise ConfigError(
            f"there is no gap {gap}",
            why=f"the book has {n:,}, counted from 0" if n else "the book has none: it is one sentence",
            fix="alexandria inspect --all-gaps lists them",
        )
    chunk = inspection.chunk_of(gap)  # gap i comes after sentence i
    out.print(Text(safe(heading_of(chunk.headings)), "bold"))
    shown = range(gap - _AROUND, gap + _AROUND + 1)
    out.print(_gap_lines(inspection, shown, marked=gap))


def _gap_lines(inspection: Inspection, gaps: range, *, marked: int | None = None) -> Group:
    """Return the sentences on both sides of each gap in full, with a bar for the similarity between them."""
    # `gaps`: the numbers of the gaps, in order; numbers that the book does not have are left out.
    # `marked`: the gap with an arrow before it.
    boundaries = {boundary.gap: boundary for boundary in inspection.boundaries}
    words_before = inspection.words_so_far
    kept = {chunk.kept.gap: chunk.kept for chunk in inspection.chunks if chunk.kept}
    # Gap i lies between sentence i and sentence i + 1; the book's ends have no gap.
    first, last = max(gaps.start, 0), min(gaps.stop, len(inspection.similarities))
    lines = [Text(safe(inspection.sentence(first)))]
    for gap in range(first, last):
        mark = "→" if gap == marked else " "
        lines.append(_gap_line(inspection, gap, mark, words_before[gap]))
        if gap in boundaries:
            lines.append(_cut_line(boundaries[gap], inspection.reasons[inspection.chunk_of(gap + 1).index]))
            lines += cost_lines(boundaries[gap])
        if gap in kept:
            lines.append(Text(f"      {describe_kept_together(kept[gap])}", "dim"))
        lines.append(Text(safe(inspection.sentence(gap + 1))))
    return Group(*lines)


def _gap_line(inspection: Inspection, gap: int, mark: str, n_words: int) -> Text:
    """Return the line of a gap: its number, what decides, and a bar as long as the similarity."""
    similarity, cost = inspection.similarities[gap], inspection.costs[gap] if inspection.costs else None
    threshold = inspection.figures.line
    bar = "█" * round(max(similarity, 0) * _BAR)
    facts = [f"gap {gap:,}", similarity_of(similarity)]
    if threshold is not None:
        facts.append(f"{'<' if similarity < threshold else '≥'} {threshold:.2f}")
    if cost is not None:
        facts.append(f"cost {cost_in_words(cost)}")
    facts.append(f"after {count_of(n_words, 'word')}")
    return Text.assemble((f" {mark} {'  '.join(facts)}  ", "dim"), (bar, "magenta"))


def every_gap(inspection: Inspection) -> Group:
    """Return every gap, one line each, with the words since the last cut, and the reason if it is cut."""
    cuts = {boundary.gap: boundary for boundary in inspection.boundaries}
    sentences = [safe(text) for chunk in inspection.chunks for text in chunk.sentences]
    width = max(_MIN_SENTENCE_WIDTH, (out.width - _EVERY_GAP_COLUMNS) // 2)  # of either sentence
    words_before = inspection.words_so_far
    lines = [Text(f"{'gap':>6} {'similarity':>10} {'words':>6} {'cut':<9}{'before':>{width}} | after", "dim")]
    for gap, similarity in enumerate(inspection.similarities):
        before, after, cut = sentences[gap], sentences[gap + 1], cuts.get(gap)
        if cell_len(before) > width:
            before = "…" + tail(before, width - 1)
        indent = " " * (width - cell_len(before))  # `>` counts characters; some take two columns
        line = Text(
            f"{gap:>6} {similarity:>z10.3f} {words_before[gap]:>6,} ", no_wrap=True, overflow="ellipsis"
        )
        line.append(f"{cut.reason if cut else '':<9}", REASON_STYLES[cut.reason] if cut else "")
        lines.append(line.append(f"{indent}{before} | {after}"))
    return Group(*lines)
