"""The progress of a batch: its pace while it runs, a line per book, a table at the end."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from alexandria.batch import Outcome, Status
from alexandria.batch.failures import Failure
from alexandria.batch.sync import Step
from alexandria.inspection.words import size_of
from alexandria.views.json import ingest_line
from alexandria.views.terminal.console import err, out, print_json, safe, show_message

_STYLES = {
    Status.INGESTED: "green",
    Status.PARTIAL: "yellow",
    Status.UNCHANGED: "dim",
    Status.REMOVED: "dim",
    Status.FAILED: "bold red",
}
_STORED = (Status.INGESTED, Status.PARTIAL)


@contextmanager
def progress(
    files: Sequence[Path], *, quiet: bool, json: bool
) -> Iterator[tuple[Callable[[Path], None], Callable[[Outcome], None]]]:
    """Show the progress of a batch; yield what to call with each file that begins and with each outcome.

    The bar is drawn only on a terminal. An outcome is one line, as JSON if requested; `quiet` shows failures
    only.
    """
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[pace]}", markup=False),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=quiet or not err.is_terminal,
    ) as bar:
        # By bytes: books differ in length, and the time left depends on how much is left to read.
        task = bar.add_task("", total=sum(map(_weight, files)), pace="")
        pace = _Pace(len(files), time.monotonic())

        def started(path: Path) -> None:
            bar.update(task, description=safe(path.name)[:40])

        def finished(outcome: Outcome) -> None:
            pace.add(outcome)
            bar.update(task, advance=_weight(outcome.source), pace=pace.line(time.monotonic()))
            if json:
                print_json(ingest_line(outcome))
            elif not quiet or (outcome.error and not outcome.ignored):
                show_outcome(outcome)

        yield started, finished


def _weight(path: Path) -> int:
    try:
        return path.stat().st_size + 1
    except OSError:
        return 1


@dataclass(slots=True)
class _Pace:
    """How many books and words have been processed, and since when."""

    n_files: int
    began: float
    n_done: int = 0
    n_failed: int = 0
    n_words: int = 0

    def add(self, outcome: Outcome) -> None:
        self.n_done += 1
        self.n_failed += outcome.status is Status.FAILED
        self.n_words += outcome.n_words if outcome.status in _STORED else 0

    def line(self, now: float) -> str:
        seconds = max(now - self.began, 0.001)
        return (
            f"{self.n_done:,}/{self.n_files:,} books, {self.n_done / seconds:.1f} books/s, "
            f"{self.n_words / seconds:,.0f} words/s, {self.n_failed:,} failed"
        )


def announce_stop() -> None:
    """Announce, from a signal handler, that the batch stops after the current book."""
    # Bypasses the buffers: the program may be writing to them right now.
    os.write(2, b"\nstopping after this book; interrupt again to stop now\n")


def show_outcome(outcome: Outcome) -> None:
    """Print the outcome of a file on one line, with its error, warnings and remarks below."""
    title = f"“{outcome.title}”" if outcome.title else outcome.source.name
    line = Text.assemble((f"{outcome.status:>9}", _STYLES[outcome.status]), "  ", safe(title))
    if outcome.status in _STORED:
        line.append(f"  {size_of(outcome.n_chunks, outcome.n_words)}, {outcome.seconds:.1f} s", "dim")
    err.print(line, soft_wrap=True)
    below = [("warning", "yellow", words) for words in outcome.warnings]
    below += [("note", "cyan", words) for words in outcome.remarks]
    if outcome.error is not None:
        below += [("why", "dim", outcome.error.why), ("fix", "dim", outcome.error.fix)]
    for label, style, words in below:
        if words:
            err.print(Text.assemble(" " * 11, (f"{label}: ", style), safe(words)), soft_wrap=True)


def show_summary(line: Mapping[str, Any], *, quiet: bool, json: bool) -> None:
    """Print the summary of a batch."""
    if json:
        print_json(line)
        return
    if quiet:
        return
    summary = line["summary"]
    _show_passed_over(summary["passed_over"])
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False, show_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right")
    table.add_column()
    for name, count, details in (
        ("ingested", summary["ingested"], {"partial": summary["partial"]}),
        ("unchanged", summary["unchanged"], {}),
        ("removed", summary["removed"], {"removed earlier; --again ingests them": summary["removed"]}),
        ("failed", summary["failed"], {**summary["failures"], "of them ignored": summary["ignored"]}),
        ("skipped", sum(summary["skipped"].values()), summary["skipped"]),
        ("not reached", summary["not_reached"], {}),
    ):
        if count or name == "ingested":
            table.add_row(name, f"{count:,}", Text(_kinds(details), "dim"))
    err.print(table)
    show_message(f"{size_of(summary['chunks'], summary['words'])} in {summary['seconds']:.1f} s")


_MOST_NAMED = 20
"""Files passed over that are named; --json names all."""


def _show_passed_over(entries: Sequence[Mapping[str, str]]) -> None:
    """Name the files that were not read: those that can be converted first, hidden ones not at all."""
    entries = sorted((one for one in entries if one["kind"] != "hidden"), key=lambda one: not one["fix"])
    for entry in entries[:_MOST_NAMED]:
        line = Text.assemble((f"{'skipped':>9}", "dim"), f"  {safe(entry['source'])}")
        line.append(f"  {entry['kind']}", "dim")
        err.print(line, soft_wrap=True)
        if entry["fix"]:
            err.print(Text.assemble(" " * 11, ("fix: ", "dim"), safe(entry["fix"])), soft_wrap=True)
    if len(entries) > _MOST_NAMED:
        err.print(Text(f"{'skipped':>9}  {len(entries) - _MOST_NAMED:,} more; --json names all", "dim"))


def _kinds(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)


def show_failures(failures: Sequence[Failure]) -> None:
    """Print the files that could not be read, each with the reason below."""
    if not failures:
        show_message("no file has failed")
    for failure in failures:
        ignored = ("  ignored", "dim") if failure.ignored else ""
        out.print(
            Text.assemble((f"{failure.code:>11}", "red"), f"  {safe(failure.source)}", ignored),
            soft_wrap=True,
        )
        for label, words in (("why", failure.why), ("fix", failure.fix)):
            if words:
                out.print(Text.assemble(" " * 13, (f"{label}: ", "dim"), safe(words)), soft_wrap=True)


def show_step(step: Step, *, done: bool) -> None:
    """Print what was done, or would be done, with a book whose file is gone."""
    verb = "removed" if step.moved_to is None else "moved"
    word = verb if done else f"would be {verb}"
    line = Text.assemble((f"{word:>9}", "yellow"), f"  “{safe(step.record.title)}”")
    place = f"to {step.moved_to}" if step.moved_to else f"its file is gone: {step.record.source}"
    err.print(line.append(f"  {safe(place)}", "dim"), soft_wrap=True)
