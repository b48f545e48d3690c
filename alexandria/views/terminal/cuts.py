"""The inspect view that is requested: strategies side by side, a chunk, a gap, or some or all chapters."""

import tempfile
import webbrowser
from pathlib import Path
from string import ascii_uppercase

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from alexandria.book import Book, Reason
from alexandria.errors import ConfigError, io_reason
from alexandria.inspection.comparison import Comparison
from alexandria.inspection.explanation import Edge, Explanation
from alexandria.inspection.figures import figures_of
from alexandria.inspection.words import count_of, kept_of, mid_thought_of, number_of, similarity_of
from alexandria.views.terminal.chunks import cost_lines, show_around, show_chunk
from alexandria.views.terminal.console import out, safe, show_message
from alexandria.views.terminal.inspection import (
    left_out_line,
    show_chapters,
    show_inspection,
    show_remarks,
    strategy_lines,
    title_of,
)
from alexandria.views.terminal.plot import MARKS, REASON_STYLES, curve
from alexandria.views.terminal.wrapping import head, print_wrapped

_WIDE = 16  # characters of a cut: a similarity, the longest reason, and a space
_NARROW = 8  # likewise, with the mark of the reason
_MIN_TEXT = 24  # characters of text after the cuts, enough to recognise the place


def show_book(book: Book) -> None:
    """Print a book as it was read: each block with its kind and page."""
    out.print(Text.assemble((safe(book.title), "bold"), f"  {safe(book.author)}"))
    language = f"{book.language} ({book.metadata.language_source})" if book.language else "language unknown"
    out.print(
        Text(f"{book.format}, {language}, {len(book.blocks):,} blocks, {len(book.notes):,} notes", "dim")
    )
    for section in book.sections:
        out.print(Text(f"\n{safe(' › '.join(section.headings)) or '(no heading)'}", "bold"))
        for block in section.blocks:
            page = block.location.page_label or block.location.page
            where = f"{block.kind}" + (f", p. {page}" if page else "")
            out.print(Text.assemble((f"[{safe(where)}] ", "dim"), safe(block.text)), soft_wrap=True)
    for note in book.notes:
        out.print(Text.assemble((f"\nnote {safe(note.label)} ", "bold"), safe(note.text)), soft_wrap=True)
    if book.left_out:
        out.print(left_out_line(book.left_out))
    for warning in book.warnings:
        out.print(Text.assemble(("warning: ", "magenta"), safe(warning)))


def show_cuts(
    comparison: Comparison,
    *,
    chunk: int | None = None,
    around: int | None = None,
    chapter: str | None = None,
    all_gaps: bool = False,
    numbers: bool = False,
) -> None:
    """Print the parts that are requested; by default the book's cuts, or several strategies side by side.

    Raises:
        ConfigError: there is no such chunk, gap or chapter.
    """
    for inspection in comparison.inspections:
        if chunk is not None:
            show_chunk(inspection, chunk)
        if around is not None:
            show_around(inspection, around)
        if chapter is not None:
            show_chapters(inspection, chapter, numbers=numbers)
    if (chunk, around, chapter) == (None, None, None):
        if len(comparison.inspections) > 1:
            _show_comparison(comparison)
        else:
            show_inspection(comparison.inspections[0], all_gaps=all_gaps, numbers=numbers)


def write_page(comparison: Comparison, file: Path | None, *, open_it: bool) -> None:
    """Write the page to a file, a temporary one by default, and open it in the browser if requested.

    Raises:
        ConfigError: the file cannot be written.
    """
    from alexandria.views.html.page import render

    path = file or Path(tempfile.mkdtemp(prefix="alexandria-")) / "inspect.html"
    try:
        path.write_text(render(comparison), encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(f"cannot write {path}", why=io_reason(error), fix="choose another file") from error
    show_message(f"wrote {path}")
    if open_it and not webbrowser.open(path.absolute().as_uri()):
        show_message(f"could not open a browser; open {path}")


def show_explanation(explanation: Explanation, *, numbers: bool = False) -> None:
    """Print why a chunk begins and ends where it does; with `numbers`, what was measured and weighed."""
    chunk = explanation.chunk
    section = " › ".join(chunk.headings)
    out.print(Text.assemble((safe(explanation.title), "bold"), f"  {safe(section)}"))
    sizes = f"{count_of(chunk.word_count, 'word')}, {count_of(chunk.n_sentences, 'sentence')}"
    inside = f", mean similarity inside {chunk.avg_similarity:.3f}" if numbers else ""
    how = f"domain {explanation.domain.name}, strategy {explanation.domain.strategy.name}"
    print_wrapped(out, Text(f"chunk {chunk.index}: {sizes}{inside}; {how}", "dim"), lead=Text(""))
    if kept := kept_of(chunk):
        print_wrapped(out, Text(safe(kept)), lead=Text(""))
    _print_edge("begins", explanation.begins, numbers=numbers)
    _print_edge("ends", explanation.ends, numbers=numbers)


def _print_edge(name: str, edge: Edge, *, numbers: bool) -> None:
    """Print why a chunk begins or ends there, the numbers of the cut, and the text on both sides of it."""
    out.print()
    print_wrapped(out, Text.assemble((f"{name}: ", "bold"), safe(edge.why)), lead=Text(""))
    if numbers and edge.boundary:
        for line in cost_lines(edge.boundary):
            out.print(line)
    if edge.before:
        _print_indented("… " + safe(edge.before))
    out.print(Text("  " + "─" * 20, "magenta"))
    if edge.after:
        _print_indented(safe(edge.after) + " …")


def _print_indented(text: str) -> None:
    out.print(Padding(Text(text, "dim"), (0, 0, 0, 2)))


def _show_comparison(comparison: Comparison) -> None:
    """Print how each strategy cuts a book, side by side, and where they agree."""
    first = comparison.inspections[0]
    out.print(title_of(first))
    for inspection in comparison.inspections:
        out.print(strategy_lines(inspection))
        out.print(curve(inspection, figures_of(inspection).threshold, 0, len(inspection.similarities)))
    out.print(Text())
    out.print(_figures_table(comparison))
    out.print(Text())
    out.print(_flaws_table(comparison))
    out.print(Text())
    out.print(_agreement_lines(comparison))
    out.print(Text())
    out.print(_place_lines(comparison))
    show_remarks(first)


def _figures_table(comparison: Comparison) -> Group:
    """Return the figures of each strategy, one line each: 80 columns with the longest name."""
    widest = max(map(len, comparison.names))
    heads = f"{'':{widest + 2}} chunks    p5   p50   p95 topic section forced inside across"
    lines = [
        Text("words per chunk at p5, p50, p95; mean similarity inside chunks and across cuts", "dim"),
        Text(heads, "dim", no_wrap=True, overflow="ellipsis"),
    ]
    # strict=False: there are more letters than strategies.
    for letter, inspection in zip(ascii_uppercase, comparison.inspections, strict=False):
        figures = figures_of(inspection)
        spread = figures.words
        words = (spread.p5, spread.p50, spread.p95) if spread else (0, 0, 0)
        cells = f"{letter} {inspection.domain.strategy.name:{widest}} {len(inspection.chunks):>6,}"
        cells += "".join(f" {count:>5,}" for count in (*words, figures.cuts[Reason.TOPIC]))
        cells += f" {figures.cuts[Reason.SECTION]:>7,} {figures.forced:>6,}"
        cells += "".join(
            f" {similarity_of(mean):>6}" for mean in (figures.quality.inside, figures.quality.across)
        )
        lines.append(Text(cells, no_wrap=True, overflow="ellipsis"))
    return Group(*lines)


def _flaws_table(comparison: Comparison) -> Group:
    """Return what the cuts of each strategy split that belongs together, one line each."""
    widest = max(map(len, comparison.names))
    heads = f"{'':{widest + 2}}   cuts  mid-thought dialogue  stanza beyond window"
    lines = [
        Text("cuts inside chapters: mid-thought, in dialogue, in a stanza; words beyond window", "dim"),
        Text(heads, "dim", no_wrap=True, overflow="ellipsis"),
    ]
    # strict=False: there are more letters than strategies.
    for letter, inspection in zip(ascii_uppercase, comparison.inspections, strict=False):
        quality = inspection.quality
        cells = f"{letter} {inspection.domain.strategy.name:{widest}} {quality.n_cuts:>6,}"
        cells += f" {mid_thought_of(quality):>12} {number_of(quality.n_dialogue):>8}"
        cells += f" {number_of(quality.n_stanza):>7} {number_of(quality.n_beyond_window):>13}"
        lines.append(Text(cells, no_wrap=True, overflow="ellipsis"))
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


def _place_lines(comparison: Comparison) -> Group:
    """Return the places where at least one strategy cuts, one line each, with the cut of each strategy."""
    letters = ascii_uppercase[: len(comparison.inspections)]  # a column each
    has_room_for_reasons = _WIDE * len(letters) + _MIN_TEXT <= out.width
    cell_width = _WIDE if has_room_for_reasons else _NARROW
    heads = "".join(f"{letter:<{cell_width}}" for letter in letters)
    lines = [Text(f"{heads}text after the cut", "dim", no_wrap=True, overflow="ellipsis")]
    for place in comparison.places:
        line = Text(no_wrap=True, overflow="ellipsis")
        for cut in place.cuts:
            if cut is None:
                line.append(f"{'    ·':<{cell_width}}", "dim")
                continue
            reason = cut.reason if has_room_for_reasons else MARKS[cut.reason]
            cell = f"{cut.similarity:z5.2f} {reason}"
            line.append(f"{cell:<{cell_width}}", REASON_STYLES[cut.reason])
        text = comparison.inspections[0].text_from(place.start)
        lines.append(line.append(safe(head(text, out.width))))
    return Group(*lines)
