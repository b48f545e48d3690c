"""Tables of scores, and the cuts that a reviewer marks."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from alexandria.evaluate.review import MARKS, Cut, append_mark, make_mark, read_marks, unmarked
from alexandria.views.tables import ScoreTable
from alexandria.views.terminal.console import err, out, safe

WIDE = 240
"""Characters per line where the output is not a terminal."""


def show_table(table: ScoreTable, *, markdown: bool = False) -> None:
    """Print a table of scores, as Markdown if requested; columns too wide for the terminal are left out."""
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
        console.print(Text(f"Not shown, the terminal is too narrow (see --json): {', '.join(left)}.", "dim"))
    for note in table.notes:
        console.print(Text(safe(note), "dim"))
    console.print()


def _width(grid: Table, console: Console) -> int:
    """Return the width of the grid without a limit."""
    return Measurement.get(console, console.options.update(width=WIDE), grid).maximum


def _grid(table: ScoreTable, n_columns: int) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(table.columns[:n_columns]):
        grid.add_column(name, justify="left" if i == 0 else "right")
    for row in table.rows:
        grid.add_row(*(Text(safe(cell)) for cell in row[:n_columns]))
    return grid


def ask_marks(cuts: Sequence[Cut], file: Path) -> None:
    """Show the cuts that have no mark yet, and append the marks that the reviewer types to the file."""
    left = unmarked(cuts, read_marks(file))
    for number, cut in enumerate(left, start=len(cuts) - len(left) + 1):
        _show_cut(cut, number, len(cuts))
        answer = _ask_mark()
        if answer == "q":
            break
        if answer != "s":
            append_mark(file, make_mark(cut, int(answer)))


def _show_cut(cut: Cut, number: int, n_cuts: int) -> None:
    """Print both sides of a cut to stderr, which keeps stdout for the result."""
    err.print(Rule(f"{number:,} of {n_cuts:,}", style="dim"))
    err.print(Text(f"…{safe(cut.before)}"))
    err.print(Rule("cut", style="magenta"))
    err.print(Text(f"{safe(cut.after)}…"))


def _ask_mark() -> str:
    """Ask until a mark, `s` or `q` is typed, and return it; `q` at the end of the input."""
    scores = {str(score): words for score, words in MARKS.items()}
    choices = ", ".join(f"{score} {words}" for score, words in scores.items())
    while True:
        err.print(Text(f"{choices}, s skip, q quit: ", "bold"), end="")
        line = sys.stdin.readline()
        answer = line.strip().lower() if line else "q"
        if answer in {*scores, "s", "q"}:
            return answer
