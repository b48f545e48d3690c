"""Several ways to cut a book, side by side in the terminal."""

from rich import box
from rich.table import Table
from rich.text import Text

from alexandria.book import Reason
from alexandria.display.chunks import head
from alexandria.display.console import out, safe
from alexandria.display.inspection import settings_of, show_remarks, title_of
from alexandria.display.plot import curve
from alexandria.report import Comparison, figures_of


def show_comparison(comparison: Comparison) -> None:
    """Print several ways to cut a book side by side, and where they agree."""
    first = comparison.ways[0]
    out.print(title_of(first))
    for way in comparison.ways:
        out.print(settings_of(way))
        out.print(curve(way, figures_of(way).threshold, 0, len(way.similarities)))
    out.print(_table(comparison))
    out.print(_agreement(comparison))
    show_remarks(first)


def _table(comparison: Comparison) -> Table:
    """Return the figures of each way, a row each."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("strategy")
    for name in ("chunks", "p5", "p50", "p95 words", "topic", "section", "forced", "inside", "across"):
        table.add_column(name, justify="right")
    for way in comparison.ways:
        figures = figures_of(way)
        spread = figures.words
        words = (spread.p5, spread.p50, spread.p95) if spread else (0, 0, 0)
        table.add_row(
            way.domain.strategy.name,
            f"{len(way.chunks):,}",
            *(f"{one:,}" for one in words),
            *(f"{figures.cuts[one]:,}" for one in (Reason.TOPIC, Reason.SECTION, Reason.MAX_SIZE)),
            *("–" if one is None else f"{one:.2f}" for one in (figures.mean_inside, figures.mean_across)),
        )
    return table


def _agreement(comparison: Comparison) -> Table:
    """Return the places where at least one way cuts, a row each, with the cut of each way."""
    names, n = comparison.names, len(comparison.ways)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, title_justify="left")
    table.title = Text(_in_words(comparison))
    for name in names:
        table.add_column(name, no_wrap=True, max_width=max(14, (out.width - 24) // n))
    table.add_column("the text goes on", no_wrap=True)
    first = comparison.ways[0]
    for place in comparison.places:
        cells = ("·" if cut is None else f"{cut.similarity:.2f} {cut.reason}" for cut in place.cuts)
        table.add_row(*cells, Text(head(safe(first.text_from(place.start)), out.width)))
    return table


def _in_words(comparison: Comparison) -> str:
    """Return at how many places the ways agree, all of them and two by two."""
    names, total = comparison.names, len(comparison.places)
    said = f"all cut at {comparison.n_agreed:,} of the {total:,} places where any does"
    if len(names) == 2:
        return said.replace("all", "both", 1)
    pairs = (
        f"{names[i]} and {names[j]} {comparison.shared(i, j):,}"
        for i in range(len(names))
        for j in range(i + 1, len(names))
    )
    return f"{said}; two by two: {', '.join(pairs)}"
