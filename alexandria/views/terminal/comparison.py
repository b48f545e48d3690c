"""A book as several strategies cut it, side by side in the terminal."""

from string import ascii_uppercase

from rich.console import Group
from rich.text import Text

from alexandria.book import Reason
from alexandria.inspection.comparison import Comparison
from alexandria.inspection.figures import figures_of
from alexandria.inspection.words import mid_thought_of, number_of, similarity_of
from alexandria.views.terminal.console import out, safe
from alexandria.views.terminal.inspection import show_remarks, strategy_lines, title_of
from alexandria.views.terminal.plot import MARKS, REASON_STYLES, curve
from alexandria.views.terminal.wrapping import head

_WIDE = 16  # characters of a cut: a similarity, the longest reason, and a space
_NARROW = 8  # likewise, with the mark of the reason
_MIN_TEXT = 24  # characters of text after the cuts, enough to recognise the place


def show_comparison(comparison: Comparison) -> None:
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
