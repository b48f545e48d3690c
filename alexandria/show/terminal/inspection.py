"""The inspect view in the terminal: where a book is cut, and why; strategies side by side.

The only colours are magenta and red, which are readable on light and on dark backgrounds; nothing is
conveyed by colour alone.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from math import ceil
from string import ascii_uppercase

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from alexandria.book.headings import headings_meant
from alexandria.book.model import Chunk, LeftOut, Reason
from alexandria.book.wording import heading_of, number_of, similarity_of, words_left_out
from alexandria.book.words import count_of
from alexandria.errors import ConfigError
from alexandria.library.inspect.comparison import Comparison
from alexandria.library.inspect.figures import Figures
from alexandria.library.inspect.inspection import ChapterChunks, Inspection
from alexandria.library.inspect.quality import Quality
from alexandria.show.terminal.chunks import chapter_lines, every_gap
from alexandria.show.terminal.console import out, safe
from alexandria.show.terminal.plot import MARKS, REASON_STYLES, curve
from alexandria.show.terminal.wrapping import head

_MAX_FRAGMENTS = 5  # how many fragments the summary lists
_COLUMN_GAP = 2  # characters between the columns of a comparison


def show_inspection(inspection: Inspection, *, all_gaps: bool = False, numbers: bool = False) -> None:
    """Print a book's cuts: header, curve, each chapter's chunks with the cuts between, summary.

    Args:
        all_gaps: whether every gap is shown instead of the chunks.
        numbers: whether the settings and the numbers of each cut are shown.
    """
    out.print(Group(title_of(inspection), strategy_lines(inspection, settings=numbers)))
    if inspection.has_similarities:
        out.print(curve(inspection, 0, len(inspection.similarities)))
    else:
        out.print(Text("no similarities: no model compared the sentences", "dim"))
    out.print(
        every_gap(inspection) if all_gaps else chapter_lines(inspection, inspection.chapters, numbers=numbers)
    )
    out.print(_summary_lines(inspection, numbers=numbers))
    show_remarks(inspection)


def show_chapters(inspection: Inspection, text: str, *, numbers: bool = False) -> None:
    """Print the chapters that a text means (`headings_meant`), by a heading or all that are above it.

    Raises:
        ConfigError: no chapter matches.
    """
    wanted = _chapters_meant(inspection, text)
    for group in _group_neighbours(wanted):
        first, last = group[0].chunks[0], group[-1].chunks[-1]
        # From the gap after the first sentence to the one before the last.
        start, stop = first.first_sentence, last.first_sentence + last.n_sentences - 1
        out.print(curve(inspection, start, stop))
        out.print(chapter_lines(inspection, group, numbers=numbers))


def _chapters_meant(inspection: Inspection, text: str) -> list[ChapterChunks]:
    """Return the chapters that a text means; raises `ConfigError` if there are none."""
    named = [(chapter, {*chapter.headings, " › ".join(chapter.headings)}) for chapter in inspection.chapters]
    meant = headings_meant(text, (name for _, names in named for name in names))
    wanted = [chapter for chapter, names in named if meant & names]
    if not wanted:
        raise ConfigError(
            f"no chapter matches {text!r}",
            why="the chapters are "
            + ", ".join(heading_of(chapter.headings) for chapter in inspection.chapters),
            fix="give part of one of these",
        )
    return wanted


def _group_neighbours(chapters: Sequence[ChapterChunks]) -> list[list[ChapterChunks]]:
    """Return the chapters in groups without gaps: each chapter of a group directly follows the one before."""
    groups: list[list[ChapterChunks]] = []
    for chapter in chapters:
        if groups and groups[-1][-1].chunks[-1].index + 1 == chapter.chunks[0].index:
            groups[-1].append(chapter)
        else:
            groups.append([chapter])
    return groups


def title_of(inspection: Inspection) -> Group:
    """Return title, author, and the size of the book."""
    counts = [
        inspection.format,
        safe(inspection.language or "language unknown"),
        count_of(inspection.n_words, "word"),
        *([count_of(inspection.n_pages, "page")] if inspection.n_pages else []),
        count_of(inspection.n_sentences, "sentence"),
        *([count_of(inspection.n_notes, "note")] if inspection.n_notes else []),
    ]
    return Group(
        Text.assemble((safe(inspection.title), "bold"), f"  {safe(inspection.author)}".rstrip()),
        Text(", ".join(counts), "dim"),
    )


def strategy_lines(inspection: Inspection, *, settings: bool = True) -> Group:
    """Return the domain and the strategy; with `settings`, its options, and where each was set."""
    domain = inspection.domain
    if not settings:
        return Group(Text(f"domain {safe(domain.name)}, strategy {domain.strategy.name}", "dim"))
    guess = [] if domain.guess is None else [Text(safe(domain.guess))]
    options = inspection.strategy_options
    _, *strategy_settings = options  # the first is the name of the strategy
    listed = ", ".join(f"{setting.name} {safe(setting.value)}" for setting in strategy_settings)
    names_by_file: dict[str, list[str]] = {}
    for setting in options:
        names_by_file.setdefault(_without_line(setting.origin), []).append(setting.name)
    origins = "; ".join(f"{', '.join(names)} from {file}" for file, names in names_by_file.items())
    return Group(
        *guess,
        Text.assemble(f"{safe(domain.name)}: ", (domain.strategy.name, "bold"), f", {listed}"),
        Text(safe(origins), "dim"),
    )


def _without_line(origin: str) -> str:
    """Return the origin of an option without its line: `shipped philosophy.yaml` for `…philosophy.yaml:3`."""
    file, _, line = origin.rpartition(":")
    return file if line.isdigit() else origin


def _summary_lines(inspection: Inspection, *, numbers: bool) -> Group:
    """Return the figures of a book: the sizes of its chunks, its cuts, similarities, flaws, and advice."""
    figures = inspection.figures
    lines: list[RenderableType] = [Text(), Text("Summary", "bold"), *_size_lines(figures)]
    lines.append(Text(f"{count_of(len(inspection.chunks), 'chunk')}; cuts: {_cuts_by_reason(figures)}"))
    if numbers and inspection.has_similarities:
        lines.append(Text(_describe_similarities(figures)))
    lines += _flaw_lines(figures.quality)
    lines += _fragment_lines(figures)
    lines += [Text.assemble(("advice: ", "magenta"), safe(advice)) for advice in figures.advice]
    return Group(*lines)


def _cuts_by_reason(figures: Figures) -> str:
    """Return the number of cuts by reason: `12 at a new topic, 4 where a section begins`."""
    topic, breaks, section = (figures.cuts[reason] for reason in (Reason.TOPIC, Reason.BREAK, Reason.SECTION))
    first_chances = f" ({figures.first_chances:,} at the first chance)" if figures.first_chances else ""
    counts = [
        f"{topic:,} at a new topic{first_chances}" if topic else "",
        f"{breaks:,} at the author's break{'s' if breaks > 1 else ''}" if breaks else "",
        f"{section:,} where a section begins" if section else "",
        f"{figures.forced:,} forced by size" if figures.forced else "",
    ]
    return ", ".join(filter(None, counts)) or "none"


def _size_lines(figures: Figures) -> Iterator[Text]:
    """Yield the percentiles of words per chunk, and their histogram."""
    if figures.words is None:
        return
    spread = figures.words
    yield Text(
        f"words per chunk: median {spread.p50:,}, 5th to 95th percentile {spread.p5:,}–{spread.p95:,}, "
        f"range {spread.least:,}–{spread.most:,}"
    )
    most = max(bar.count for bar in figures.histogram)
    labels = [f"{bar.low:,}–{bar.high:,}" for bar in figures.histogram]
    widest = max(map(len, labels))
    for label, bar in zip(labels, figures.histogram, strict=True):
        # Half the line is enough for comparison; rounded up, so that a short bar does not vanish.
        length = ceil(bar.count * (out.width // 2) / most)
        yield Text.assemble(f"  {label:>{widest}} ", ("█" * length, "magenta"), f" {bar.count:,}")


def _describe_similarities(figures: Figures) -> str:
    """Return what is known of the similarities, on one line, or an empty string if nothing is."""
    parts = []
    if figures.below is not None and figures.threshold is not None:
        parts.append(f"{figures.below:.0%} of gaps are below the threshold of {figures.threshold:.2f}")
    if figures.quality.inside is not None:
        parts.append(f"mean similarity {similarity_of(figures.quality.inside)} inside chunks")
    if figures.quality.across is not None:
        parts.append(f"{similarity_of(figures.quality.across)} across cuts")
    if figures.quality.first_to_last is not None:
        parts.append(f"{similarity_of(figures.quality.first_to_last)} from first to last sentence")
    return ", ".join(parts)


def _flaw_lines(quality: Quality) -> Iterator[Text]:
    """Yield what the cuts inside chapters break, and what the model did not read, as far as it is known."""
    with_contrasts = "mid-thought" if quality.n_turns is not None else "mid-thought or before a contrast"
    counts = [
        (quality.mid_thought, quality.n_mid_thought, with_contrasts),
        (number_of(quality.n_turns), quality.n_turns, "before a contrast (such as However)"),
        (number_of(quality.n_dialogue), quality.n_dialogue, "in dialogue"),
        (number_of(quality.n_stanza), quality.n_stanza, "in a stanza"),
    ]
    known = ", ".join(f"{number} {what}" for number, count, what in counts if count)
    if quality.n_cuts and known:
        yield Text(f"of {count_of(quality.n_cuts, 'cut')} inside chapters: {known}")
    if quality.n_two_topics:
        yield Text(f"hold two topics: {count_of(quality.n_two_topics, 'chunk')}")
    if quality.n_beyond_window:
        yield Text(f"beyond the model's window: {count_of(quality.n_beyond_window, 'word')}")


def _fragment_lines(figures: Figures) -> Iterator[Text]:
    """Yield lines on the chunks that are much too small: the first few, and the number of the others."""
    if not figures.fragments or figures.words is None:
        return
    n_fragments, median = len(figures.fragments), figures.words.p50
    yield Text(f"under a tenth of the median of {count_of(median, 'word')}: {count_of(n_fragments, 'chunk')}")
    for fragment in figures.fragments[:_MAX_FRAGMENTS]:
        yield Text(f"  {fragment.text}")
    if n_fragments > _MAX_FRAGMENTS:
        yield Text(f"  and {n_fragments - _MAX_FRAGMENTS:,} more", "dim")


def show_remarks(inspection: Inspection) -> None:
    """Print what was left out, and what was lost."""
    if inspection.left_out:
        out.print(left_out_line(inspection.left_out))
    for warning in inspection.warnings:
        out.print(Text.assemble(("warning: ", "magenta"), safe(warning)), soft_wrap=True)


def left_out_line(parts: Sequence[LeftOut]) -> Text:
    """Return what extraction left out, by kind."""
    kinds = words_left_out(parts)
    words = ", ".join(f"{kind} ({count_of(n, 'word')})" for kind, n in kinds.items())
    return Text(f"left out: {safe(words)}", "dim")


def show_comparison(comparison: Comparison, chapter: str | None = None) -> None:
    """Print how each strategy cuts a book, in a column each, then the figures, and where they agree.

    Of some chapters, only the columns; raises `ConfigError` if the text means none.
    """
    first, n = comparison.inspections[0], len(comparison.inspections)
    width = max((out.width - _COLUMN_GAP * (n - 1)) // n, 24)  # however narrow the terminal is
    columns = Table.grid(
        *(Column(width=width) for _ in range(n)), padding=(0, _COLUMN_GAP, 0, 0), pad_edge=False
    )
    shown = [_chunks_of(inspection, chapter) for inspection in comparison.inspections]
    columns.add_row(*map(_column_head, ascii_uppercase, comparison.inspections, shown, repeat(width)))
    cells = [_chunk_cells(*cut, width) for cut in zip(comparison.inspections, shown, strict=True)]
    for start in sorted(set().union(*cells)):
        columns.add_row(*(cell.get(start, Text(" ·", "dim")) for cell in cells))
    out.print(title_of(first))
    out.print(Text(f"domain {safe(first.domain.name)}", "dim"))
    out.print(columns)
    for lines in (_figures_table, _flaws_table, _agreement_lines) if chapter is None else ():
        out.print(Text())
        out.print(lines(comparison))
    show_remarks(first)


def _chunks_of(inspection: Inspection, chapter: str | None) -> Sequence[Chunk]:
    """Return the chunks of a book, or of the chapters that a text means."""
    if chapter is None:
        return inspection.chunks
    return [chunk for meant in _chapters_meant(inspection, chapter) for chunk in meant.chunks]


def _column_head(letter: str, inspection: Inspection, chunks: Sequence[Chunk], width: int) -> Group:
    """Return the head of a column as it is printed: strategy, settings and curve."""
    strategy, *settings = inspection.strategy_options
    listed = ", ".join(f"{setting.name} {safe(setting.value)}" for setting in settings)
    start, stop = chunks[0].first_sentence, chunks[-1].first_sentence + chunks[-1].n_sentences - 1
    drawn = curve(inspection, start, stop, width=width)
    return Group(Text(f"{letter} {strategy.value}", "bold"), Text(listed, "dim"), drawn)


def _chunk_cells(inspection: Inspection, chunks: Sequence[Chunk], width: int) -> dict[int, Text]:
    """Return each of some chunks after the cut before it, in a column of this width, by its start."""
    cells = {}
    for chunk in chunks:
        cell = Text()
        if chunk.boundary:
            why = inspection.reasons[chunk.index]
            first = re.split(r"(?<=[a-z)”])\. (?=[A-Z])", why)[0].removesuffix(".")
            mark, style = MARKS[chunk.boundary.reason], REASON_STYLES[chunk.boundary.reason]
            cell.append(f"{mark} {safe(first)}\n", style)
        size = f"  {chunk.index} {chunk.word_count:,} words "
        cell.append(size, "dim").append(head(safe(chunk.text), width - len(size) - 1))
        cells[chunk.start] = cell
    return cells


def _figures_table(comparison: Comparison) -> Group:
    """Return the figures of each strategy, one line each: 80 columns with the longest name."""

    def cells_of(inspection: Inspection) -> str:
        figures = inspection.figures
        spread = figures.words
        words = (spread.p5, spread.p50, spread.p95) if spread else (0, 0, 0)
        cells = f"{len(inspection.chunks):>6,}"
        cells += "".join(f" {count:>5,}" for count in (*words, figures.cuts[Reason.TOPIC]))
        cells += f" {figures.cuts[Reason.SECTION]:>7,} {figures.forced:>6,}"
        means = (figures.quality.inside, figures.quality.across)
        return cells + "".join(f" {similarity_of(mean):>6}" for mean in means)

    title = "words per chunk at p5, p50, p95; mean similarity inside chunks and across cuts"
    heads = "chunks    p5   p50   p95 topic section forced inside across"
    return _strategy_lines(comparison, title, heads, cells_of)


def _flaws_table(comparison: Comparison) -> Group:
    """Return what the cuts of each strategy split that belongs together, one line each."""

    def cells_of(inspection: Inspection) -> str:
        quality = inspection.quality
        cells = f"{quality.n_cuts:>6,} {quality.mid_thought:>12} {number_of(quality.n_dialogue):>8}"
        return f"{cells} {number_of(quality.n_stanza):>7} {number_of(quality.n_beyond_window):>13}"

    title = "cuts inside chapters: mid-thought, in dialogue, in a stanza; words beyond window"
    return _strategy_lines(comparison, title, "  cuts  mid-thought dialogue  stanza beyond window", cells_of)


def _strategy_lines(
    comparison: Comparison, title: str, heads: str, cells_of: Callable[[Inspection], str]
) -> Group:
    """Return a title, the heads of columns, and a line for each strategy with its letter and name."""
    widest = max(map(len, comparison.names))
    lines = [Text(title, "dim"), Text(f"{'':{widest + 2}} {heads}", "dim")]
    # strict=False: there are more letters than strategies.
    for letter, inspection in zip(ascii_uppercase, comparison.inspections, strict=False):
        lines.append(Text(f"{letter} {inspection.domain.strategy.name:{widest}} {cells_of(inspection)}"))
    for line in lines[1:]:
        line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*lines)


def _agreement_lines(comparison: Comparison) -> Group:
    """Return how many places all strategies have in common and, for three or more, each two of them."""
    n_strategies, n_places = len(comparison.inspections), len(comparison.places)
    every, some = ("both", "either") if n_strategies == 2 else ("all", "any")
    lines = [Text(f"{every} cut at {comparison.n_agreed:,} of the {n_places:,} places where {some} does")]
    if n_strategies > 2:
        letters = ascii_uppercase[:n_strategies]
        lines.append(Text("places that two of them share:", "dim"))
        lines.append(Text("  " + "".join(f"{letter:>6}" for letter in letters), "dim"))
        for i, letter in enumerate(letters):
            counts = "".join(f"{comparison.count_shared(i, j):>6,}" for j in range(n_strategies))
            lines.append(Text(f"{letter} {counts}"))
    return Group(*lines)
