"""Tables of scores, and a cut as a reviewer sees it."""

import sys

from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from alexandria.display.console import err, out, safe
from alexandria.evaluate.review import MARKS, Cut
from alexandria.evaluate.tables import Table

WIDE = 240
"""Columns for a table that no terminal bounds."""


def show_table(table: Table, *, markdown: bool = False) -> None:
    """Print a table of scores, as Markdown if wanted."""
    if markdown:
        sys.stdout.write(table.markdown() + "\n\n")
        return
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(table.columns):
        grid.add_column(name, justify="left" if i == 0 else "right")
    for row in table.rows:
        grid.add_row(*(Text(safe(cell)) for cell in row))
    console = out if out.is_terminal else Console(highlight=False, width=WIDE)
    console.print(Text(safe(table.title), "bold"))
    console.print(grid)
    for note in table.notes:
        console.print(Text(safe(note), "dim"))
    console.print()


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
