"""A review in the terminal: one cut at a time, two questions, and a way back."""

import re
import sys
from collections.abc import Sequence

from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from alexandria.show.terminal.console import err, safe
from benchmarks.readers.folder import ReviewFolder
from benchmarks.readers.grades import BEGIN_QUESTION, CUT_GRADES, Grade
from benchmarks.readers.items import ReviewItem

_QUIT, _BACK, _SKIP, _HELP = "q", "b", "s", "?"
_CUT_PROMPT = "cut 1–5"
_BEGIN_PROMPT = "begins understandably y/n"
_MAX_WIDTH = 92
"""Columns of a line of text, at most: longer lines are hard to read."""
_KEYS = f"{_SKIP} skip, {_BACK} back, {_HELP} what the grades mean, {_QUIT} quit"


def ask_grades(items: Sequence[ReviewItem], folder: ReviewFolder, reader: str) -> None:
    """Ask for the grades of the items that the reader has not graded yet, and save each at once.

    Text and questions go to stderr, which keeps stdout for the result. The end of the input quits.
    """
    graded = set(folder.grades_by_reader().get(reader, {}))
    ungraded = [item for item in items if item.n not in graded]
    if ungraded:
        _show_meanings()
    i = 0
    while i < len(ungraded):
        item = ungraded[i]
        _show_item(item, len(graded), len(items))
        answer = _ask_grade()
        if answer == _QUIT:
            return
        if isinstance(answer, Grade):
            folder.append(reader, item.n, answer)
            graded.add(item.n)
        i = max(i - 1, 0) if answer == _BACK else i + 1
    err.print(Text(f"{len(graded):,} of {len(items):,} items are graded", "dim"))


def _show_meanings() -> None:
    """Print what the grades mean, and the keys."""
    err.print()
    err.print(Text("cut", "bold"), Text("where the book was cut", "dim"))
    for grade, words in CUT_GRADES.items():
        err.print(Padding(Text.assemble((f"{grade} ", "magenta"), words), (0, 0, 0, 2)))
    err.print(Text("begin", "bold"), Text(BEGIN_QUESTION, "dim"))
    err.print(Text(f"Type both at once, as in 4y, or one after the other. {_KEYS}.", "dim"))


def _show_item(item: ReviewItem, n_graded: int, n_items: int) -> None:
    """Print both sides of a cut."""
    width = min(err.width, _MAX_WIDTH)
    err.print()
    err.print(
        Rule(Text(f"item {item.n} · {n_graded:,} of {n_items:,} graded"), style="dim", align="left"),
        width=width,
    )
    err.print(Text(safe(item.title), "italic"))
    err.print()
    err.print(Padding(Text(f"… {_safe_lines(item.before)}"), (0, 2)), width=width)
    err.print()
    err.print(Rule("✂", style="magenta"), width=width)
    err.print()
    err.print(Padding(Text(f"{_safe_lines(item.after)} …"), (0, 2)), width=width)
    err.print()


def _safe_lines(text: str) -> str:
    return "\n".join(map(safe, text.split("\n")))


def _ask_grade() -> Grade | str:
    """Return the answer to both questions, asked until it is valid, or one of the other keys."""
    cut: int | None = None  # the answer to the first question
    while True:
        prompt = _CUT_PROMPT if cut is None else _BEGIN_PROMPT
        err.print(Text(f"{prompt}: ", "bold"), end="")
        line = sys.stdin.readline()
        answer = re.sub(r"[\s,]", "", line.lower()) if line else _QUIT
        if answer == _HELP:
            _show_meanings()
        elif answer in (_QUIT, _BACK, _SKIP):
            return answer
        elif cut is None and (match := re.fullmatch(r"([1-5])(?:([yn])\w*)?", answer)):
            cut = int(match[1])
            if match[2]:
                return Grade(cut, begins=match[2] == "y")
        elif cut is not None and answer in ("y", "n", "yes", "no"):
            return Grade(cut, begins=answer.startswith("y"))
        else:
            err.print(Text(f"  {prompt}, {_KEYS}", "dim"))
