"""The inspect view that is requested: a comparison, a chunk, a gap, some chapters, or the whole book."""

import tempfile
import webbrowser
from pathlib import Path

from rich.padding import Padding
from rich.text import Text

from alexandria.book.model import Book
from alexandria.book.words import count_of
from alexandria.chunking.explain import kept_of
from alexandria.library.inspect.comparison import Comparison
from alexandria.library.inspect.explanation import Edge, Explanation
from alexandria.show.terminal.chunks import cost_lines, show_around, show_chunk
from alexandria.show.terminal.console import out, safe, save_page, show_message
from alexandria.show.terminal.inspection import left_out_line, show_chapters, show_comparison, show_inspection
from alexandria.show.terminal.wrapping import print_wrapped


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


def show_left_out(book: Book) -> None:
    """Print what was left out: each line with its kind and page; without lines, how many words there are."""
    for line in book.left_out_lines:
        out.print(Text.assemble((f"[{line.kind}, p. {line.page}] ", "dim"), safe(line.text)), soft_wrap=True)
    for part in book.left_out:
        if part.kind not in {line.kind for line in book.left_out_lines}:
            where = f"[{part.kind}] {safe(part.where)}: {count_of(part.words, 'word')}"
            out.print(Text(where, "dim"), soft_wrap=True)


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
    n_strategies = len(comparison.inspections)
    for inspection in comparison.inspections:
        if chunk is not None:
            show_chunk(inspection, chunk)
        if around is not None:
            show_around(inspection, around)
        if chapter is not None and n_strategies == 1:
            show_chapters(inspection, chapter, numbers=numbers)
    is_whole = (chunk, around, chapter) == (None, None, None)
    if n_strategies > 1 and (is_whole or chapter is not None):
        show_comparison(comparison, chapter)
    elif is_whole:
        show_inspection(comparison.inspections[0], all_gaps=all_gaps, numbers=numbers)


def write_page(comparison: Comparison, file: Path | None, *, open_it: bool) -> None:
    """Write the page to a file, a temporary one by default, and open it in the browser if requested.

    Raises:
        ConfigError: the file cannot be written.
    """
    from alexandria.show.html.page import render

    path = file or Path(tempfile.mkdtemp(prefix="alexandria-")) / "inspect.html"
    save_page(path, render(comparison))
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
