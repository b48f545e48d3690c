"""The outcome of a batch: a line per file, and a table at the end; and the files that failed earlier."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from alexandria.batch.outcome import STORED, Outcome, Status
from alexandria.batch.sync import Step
from alexandria.inspection.words import size_of
from alexandria.system.durations import duration
from alexandria.views.terminal.console import (
    err,
    print_below,
    print_json,
    safe,
    shorten_end,
    show_message,
)

_STYLES = {
    Status.INGESTED: "green",
    Status.PARTIAL: "yellow",
    Status.UNCHANGED: "dim",
    Status.REMOVED: "dim",
    Status.FAILED: "bold red",
}


_INDENT = 11
"""Columns before the name of a file: its status, to the right in nine columns, and two blanks."""


def announce_stop() -> None:
    """Announce, from a signal handler, that the batch stops after the current book."""
    # `os.write` bypasses the buffers of stderr, to which the interrupted program may be writing.
    os.write(2, b"\nstopping after this book; interrupt again to stop now\n")


def show_outcome(outcome: Outcome, *, prefix: str = "") -> None:
    """Print the outcome of a file on one line, with its error, warnings and remarks below.

    Args:
        outcome: the outcome of the file.
        prefix: printed before the outcome, such as the time.
    """
    details = ""
    if outcome.status in STORED:
        domain = "" if outcome.guess is None else f"{outcome.guess.domain}, "
        size = size_of(outcome.n_chunks, outcome.n_words)
        details = f"  {size}, {domain}{duration(outcome.seconds, exact=True)}"
    title = safe(outcome.title or outcome.source.name)
    if err.is_terminal:
        # Besides the title, a line has the status, two quotation marks, and the prefix and details.
        title = shorten_end(title, err.width - len(prefix) - len(details) - _INDENT - 2)
    if outcome.title:
        title = f"“{title}”"
    line = Text.assemble((prefix, "dim"), (f"{outcome.status:>9}", _STYLES[outcome.status]), "  ", title)
    err.print(line.append(details, "dim"), soft_wrap=True)
    below = [("warning", "yellow", warning) for warning in outcome.warnings]
    below += [("note", "cyan", remark) for remark in outcome.remarks]
    if outcome.error is not None:
        below += [("why", "dim", outcome.error.why), ("fix", "dim", outcome.error.fix)]
    for label, style, message in below:
        if message:
            print_below(err, _INDENT, label, message, style)


def show_summary(line: Mapping[str, Any], *, quiet: bool, json: bool) -> None:
    """Print the summary of a batch.

    Args:
        line: the summary, as `summary_line` returns it.
        quiet: print one line, not a table.
        json: print the summary as JSON.
    """
    if json:
        print_json(line)
        return
    summary = line["summary"]
    if quiet:
        names = ("ingested", "unchanged", "removed", "failed", "not_reached")
        counts = {name.replace("_", " "): summary[name] for name in names}
        show_message(f"{_list_counts(counts) or 'nothing'}; {_size_and_time(summary)}")
        return
    show_passed_over(summary["passed_over"])
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False, show_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right")
    table.add_column()
    failures = {code.replace("_", " "): count for code, count in summary["failures"].items()}
    for name, count, details in (
        ("ingested", summary["ingested"], {"partial": summary["partial"]}),
        ("unchanged", summary["unchanged"], {}),
        ("left out", summary["removed"], {"removed earlier; --again brings them back": summary["removed"]}),
        ("failed", summary["failed"] - summary["ignored"], failures),
        ("ignored", summary["ignored"], {"status --failures lists them": summary["ignored"]}),
        ("skipped", sum(summary["skipped"].values()), summary["skipped"]),
        ("not reached", summary["not_reached"], {}),
    ):
        if count or name == "ingested":
            only = next((kind for kind, n in details.items() if n == count > 0), None)
            table.add_row(name, f"{count:,}", Text(only or _list_counts(details), "dim"))
    err.print(table)
    show_message(_size_and_time(summary))


def _size_and_time(summary: Mapping[str, Any]) -> str:
    size = size_of(summary["chunks"], summary["words"]) if summary["chunks"] else "nothing new"
    return f"{size} in {duration(summary['seconds'], exact=True)}"


_MAX_NAMED = 20
"""How many of the skipped files are named; --json names all."""


def show_passed_over(entries: Sequence[Mapping[str, object]]) -> None:
    """Print the files that were skipped: first those that can be converted; hidden files are not named."""
    shown = [entry for entry in entries if entry["kind"] != "hidden"]
    shown.sort(key=lambda entry: not entry["fix"])  # a fix says how to convert the file
    for entry in shown[:_MAX_NAMED]:
        line = Text.assemble((f"{'skipped':>9}", "dim"), f"  {safe(entry['source'])}")
        kind = Text(f"  {entry['kind']}", "dim")
        fits = not err.is_terminal or line.cell_len + kind.cell_len <= err.width
        err.print(line + kind if fits else line, soft_wrap=True)
        # What kind of file it is follows the name, or is below it if the line would be too wide.
        below = {"why": "" if fits else entry["kind"], "fix": entry["fix"]}
        for label, message in below.items():
            if message:
                print_below(err, _INDENT, label, str(message))
    if len(shown) > _MAX_NAMED:
        err.print(Text(f"{'skipped':>9}  {len(shown) - _MAX_NAMED:,} more; --json names all", "dim"))


def _list_counts(counts: Mapping[str, int]) -> str:
    """Return the counts above 0 in words: `3 ingested, 1 failed`."""
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)


def show_step(step: Step, *, done: bool) -> None:
    """Print what was done, or would be done, with a book whose file is gone."""
    action = "removed" if step.moved_to is None else "moved"
    status = action if done else f"would be {action}"
    line = Text.assemble((f"{status:>9}", "yellow"), f"  “{safe(step.record.title)}”")
    place = f"to {step.moved_to}" if step.moved_to else f"its file is gone: {step.record.source}"
    err.print(line.append(f"  {safe(place)}", "dim"), soft_wrap=True)
