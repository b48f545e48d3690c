"""Tables of scores, and a cut as a reviewer sees it."""

import sys

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from alexandria.evaluate.review import MARKS, Cut
from alexandria.evaluate.tables import Table
from alexandria.views.terminal.console import err, out, safe

WIDE = 240
"""Columns for a table that no terminal bounds."""


def show_table(table: Table, *, markdown: bool = False) -> None:
    """Print a table of scores, as Markdown if wanted; a terminal shows the first columns, as many as fit."""
    if markdown:
        sys.stdout.write(table.markdown() + "\n\n")
        return
    console = out if out.is_terminal else Console(highlight=False, width=WIDE)
    shown = len(table.columns)
    while shown > 2 and _width(_grid(table, shown), console) > console.width:
        shown -= 1
    console.print(Text(safe(table.title), "bold"))
    console.print(_grid(table, shown))
    if left := table.columns[shown:]:
        console.print(Text(f"Not shown for want of room (see --json): {', '.join(left)}.", "dim"))
    for note in table.notes:
        console.print(Text(safe(note), "dim"))
    console.print()


def _width(grid: Grid, console: Console) -> int:
    """Return how wide the grid would be if nothing bounded it."""
    return Measurement.get(console, console.options.update(width=WIDE), grid).maximum


def _grid(table: Table, n_columns: int) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(table.columns[:n_columns]):
        grid.add_column(name, justify="left" if i == 0 else "right")
    for row in table.rows:
        grid.add_row(*(Text(safe(cell)) for cell in row[:n_columns]))
    return grid


def show_cut(cut: Cut, number: int, total: int) -> None:
    """Print both sides of a cut, to stderr: what a reviewer reads is no result."""
    err.print(Rule(f"{number:,} of {total:,}", style="dim"))
    err.print(Text(f"…{safe(cut.before)}"))
    err.print(Rule("cut", style="magenta"))
    err.print(Text(f"{safe(cut.after)}…"))


def ask_mark() -> str:
    """Ask for a mark and return what was typed, `q` at the end of the input."""
    choices = ", ".join(f"{score} {words}" for score, words in MARKS.items())
    err.print(Text(f"{choices}, s skip, q quit: ", "bold"), end="")
    line = sys.stdin.readline()
    return line.strip().lower() if line else "q"
