"""Tables of scores."""

import sys

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from alexandria.views.tables import ScoreTable
from alexandria.views.terminal.console import out, safe

WIDE = 240
"""Characters per line if the output is not a terminal."""


def show_table(table: ScoreTable, *, markdown: bool = False) -> None:
    """Print a table of scores, as Markdown if requested; columns too wide for the terminal are left out."""
    if markdown:
        sys.stdout.write(table.markdown() + "\n\n")
        return
    console = out if out.is_terminal else Console(highlight=False, width=WIDE)
    n_shown = len(table.columns)
    while n_shown > 2 and _width(_grid(table, n_shown), console) > console.width:
        n_shown -= 1
    console.print(Text(safe(table.title), "bold"))
    console.print(_grid(table, n_shown))
    if hidden := table.columns[n_shown:]:
        names = safe(", ".join(hidden))
        console.print(Text(f"Not shown, the terminal is too narrow (see --json): {names}.", "dim"))
    for note in table.notes:
        console.print(Text(safe(note), "dim"))
    console.print()


def _width(grid: Table, console: Console) -> int:
    """Return how wide a grid is if nothing is wrapped."""
    return Measurement.get(console, console.options.update(width=WIDE), grid).maximum


def _grid(table: ScoreTable, n_columns: int) -> Table:
    """Return the first columns of a table of scores."""
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(table.columns[:n_columns]):
        # As Text, like the cells: a column may be headed by the title of a book, which is not rich's markup.
        grid.add_column(Text(safe(name)), justify="left" if i == 0 else "right")
    for row in table.rows:
        grid.add_row(*(Text(safe(cell)) for cell in row[:n_columns]))
    return grid
