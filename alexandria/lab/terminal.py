"""Tables of scores."""

import sys
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from alexandria.lab.tables import ScoreTable
from alexandria.show.terminal.console import out, safe

WIDE = 240  # characters per line if the output is not a terminal
_MIN_TURNED = 3  # columns from which on a table has something to turn: a name and a score are narrow, or wrap


def show_table(table: ScoreTable, *, markdown: bool = False) -> None:
    """Print a table of scores, as Markdown if requested.

    If the terminal is too narrow, rows become columns, as many beside each other as fit.
    """
    if markdown:
        sys.stdout.write(table.markdown() + "\n\n")
        return
    console = out if out.is_terminal else Console(highlight=False, width=WIDE)
    console.print(Text(safe(table.title), "bold"))
    for grid in _grids(table, console):
        console.print(grid)
    for note in table.notes:
        console.print(Text(safe(note), "dim"))
    console.print()


def _grids(table: ScoreTable, console: Console) -> Iterator[Table]:
    """Yield a table as it is or, if it is too wide, its rows as columns, in several grids if need be."""
    whole = _grid(table.columns, table.rows)
    if _width(whole, console) <= console.width or len(table.columns) < _MIN_TURNED:
        yield whole
        return
    first = 0
    while first < len(table.rows):
        n_shown = 1
        while first + n_shown < len(table.rows) and (
            _width(_turned(table, first, first + n_shown + 1), console) <= console.width
        ):
            n_shown += 1
        yield _turned(table, first, first + n_shown)
        first += n_shown


def _turned(table: ScoreTable, first: int, end: int) -> Table:
    """Return some rows of a table as columns."""
    head, *scores = zip(table.columns, *table.rows[first:end], strict=True)
    return _grid(head, scores)


def _width(grid: Table, console: Console) -> int:
    """Return how wide a grid is if nothing is wrapped."""
    return Measurement.get(console, console.options.update(width=WIDE), grid).maximum


def _grid(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table of scores: names on the left, numbers on the right."""
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(columns):
        # As Text, like the cells: a column may be headed by the title of a book, which is not rich's markup.
        grid.add_column(Text(safe(name)), justify="left" if i == 0 else "right")
    for row in rows:
        grid.add_row(*(Text(safe(cell)) for cell in row))
    return grid
