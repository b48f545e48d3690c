"""A batch: what it would cost, its progress, as a bar or a log, a line per file, and a table at the end."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from rich import box
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Column, Table
from rich.text import Text

from alexandria.book.wording import duration, size_of
from alexandria.library.ingest.estimate import Estimate
from alexandria.library.ingest.events import Events
from alexandria.library.ingest.outcome import STORED, Action, Outcome, Status
from alexandria.library.ingest.pace import Pace
from alexandria.library.ingest.sync import Step
from alexandria.library.remarks import RemarkKind
from alexandria.show.terminal.console import (
    err,
    out,
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


_INDENT = 11  # columns before the name of a file: its status, to the right in nine columns, and two blanks
_WIDE_TERMINAL = 110  # columns of a terminal that has room for a longer name and a longer bar
_LOG_SECONDS = 10.0  # how often a log reports how many files have been read for an estimate


_WAYS = {RemarkKind.STORED_PARTLY: "; --force reads it again", RemarkKind.REMOVED: "; --again brings it back"}
"""What options of `ingest` can do about remarks on its outcomes."""


def announce_stop() -> None:
    """Announce, from a signal handler, that the batch stops after the current book."""
    # `os.write` bypasses the buffers of stderr, to which the interrupted program may be writing.
    os.write(2, b"\nstopping after this book; interrupt again to stop now\n")


def show_outcome(outcome: Outcome, *, prefix: str = "") -> None:
    """Print the outcome of a file on one line, with its error, warnings and remarks below.

    Args:
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
    status = "replaced" if outcome.replaces and outcome.status is Status.INGESTED else outcome.status
    line = Text.assemble((prefix, "dim"), (f"{status:>9}", _STYLES[outcome.status]), "  ", title)
    err.print(line.append(details, "dim"), soft_wrap=True)
    below = [("warning", "yellow", warning) for warning in outcome.warnings]
    below += [("note", "cyan", remark.worded(_WAYS)) for remark in outcome.noted]
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
    skipped = {_SKIPPED.get(kind, kind): count for kind, count in summary["skipped"].items()}
    for name, count, details in (
        ("ingested", summary["ingested"], {"partial": summary["partial"]}),
        ("unchanged", summary["unchanged"], {}),
        ("left out", summary["removed"], {"removed earlier; --again brings them back": summary["removed"]}),
        ("failed", summary["failed"] - summary["ignored"], failures),
        ("ignored", summary["ignored"], {"status --failures lists them": summary["ignored"]}),
        ("skipped", sum(skipped.values()), skipped),
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


_SKIPPED = {"not a book": "not a book by its name"}
"""What is said of a kind of file that was skipped, where that is not its name: one that is named is read."""
_MAX_NAMED = 20  # how many of the skipped files are named; --json names all


def show_passed_over(entries: Sequence[Mapping[str, object]]) -> None:
    """Print the files that were skipped: first those that can be converted; hidden files are not named."""
    shown = [entry for entry in entries if entry["kind"] != "hidden"]
    shown.sort(key=lambda entry: not entry["fix"])  # a fix says how to convert the file
    for entry in shown[:_MAX_NAMED]:
        line = Text.assemble((f"{'skipped':>9}", "dim"), f"  {safe(entry['source'])}")
        said = _SKIPPED.get(str(entry["kind"]), str(entry["kind"]))
        kind = Text(f"  {said}", "dim")
        fits = not err.is_terminal or line.cell_len + kind.cell_len <= err.width
        err.print(line + kind if fits else line, soft_wrap=True)
        # What kind of file it is follows the name, or is below it if the line would be too wide.
        below = {"why": "" if fits else said, "fix": entry["fix"]}
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


def show_plan(actions: Mapping[Path, Action]) -> None:
    """Print what an ingest would do with each file, of at most `_MAX_NAMED` files for each action."""
    for action in Action:
        files = [file for file, planned in actions.items() if planned is action]
        names = [safe(str(file)) for file in files[:_MAX_NAMED]]
        if len(files) > _MAX_NAMED:
            names.append(f"{len(files) - _MAX_NAMED:,} more")
        for name in names:
            err.print(Text.assemble((f"would be {action}", "yellow"), f"  {name}"), soft_wrap=True)


def show_estimate(estimate: Estimate) -> None:
    """Print what an ingest would do, and what it would cost."""
    failed = f", {len(estimate.failed):,} that cannot be read" if estimate.failed else ""
    out.print(f"books    {estimate.n_books:>16,}{failed}")
    out.print(f"words    {estimate.n_words:>16,}")
    out.print(f"chunks   {f'about {estimate.n_chunks:,}':>16}")
    out.print(f"time     {f'about {duration(estimate.seconds)}':>16} at the current load of this machine")
    if estimate.n_scanned_pages:
        time = f"about {duration(estimate.recognition_seconds)}"
        out.print(f"         {time:>16} of it to recognise {estimate.n_scanned_pages:,} scanned pages")
    out.print(f"disk     {f'about {estimate.disk_bytes / 1e6:,.0f} MB':>16}")


@contextmanager
def progress(*, quiet: bool, json: bool, log_json: bool = False) -> Iterator[Events]:
    """Show the progress of a batch: a bar that moves by sentences, and a line for each book at once.

    Args:
        quiet: show only failures, and no bar.
        json: print each outcome as JSON on standard output, instead of as a line on standard error.
        log_json: print a line of JSON with the time on standard error for each outcome, and no bar.
    """
    from alexandria.show.json.ingest import OutcomeLine
    from alexandria.show.json.view import view_of

    pace: Pace  # of the run, once it has begun
    name_width, bar_width = (24, 20) if err.width >= _WIDE_TERMINAL else (20, 10)
    with Progress(
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        BarColumn(bar_width=bar_width),
        console=err,
        transient=True,
        disable=quiet or log_json or not err.is_terminal,
    ) as bar:
        task = bar.add_task("", total=1.0)

        def show_pace(of_run: Pace) -> None:
            nonlocal pace
            pace = of_run
            # Exactly one line: a message printed while the bar is drawn over two would be overwritten.
            bar.columns = (*bar.columns, _PaceColumn(pace, err.width - name_width - bar_width - 3))

        def show_name(name: str) -> None:
            bar.update(task, description=shorten_end(safe(name), name_width))

        def show_end(outcome: Outcome) -> None:
            """Show the outcome of a file as a line or as JSON, and advance the bar."""
            bar.update(task, completed=pace.share)
            if log_json:
                log_line({"n": pace.n_done, "of": pace.n_files, **view_of(OutcomeLine, outcome)})
            if json:
                print_json(view_of(OutcomeLine, outcome))
            elif not log_json and _is_shown(outcome, pace.n_files, quiet=quiet):
                show_outcome(outcome, prefix="" if err.is_terminal else _format_stamp(pace))

        yield Events(
            began=show_pace,
            started=lambda path: show_name(path.name),
            read=lambda path, title, n_words: show_name(title),
            embedded=lambda path, share: bar.update(task, completed=pace.share),
            finished=show_end,
        )


def _is_shown(outcome: Outcome, n_files: int, *, quiet: bool) -> bool:
    """Return whether an outcome has a line of its own: unchanged books and ignored files are only counted."""
    # So are books that were removed earlier, unless one was asked for alone.
    if outcome.ignored:
        return False
    if quiet:
        return outcome.error is not None
    if outcome.status is Status.REMOVED:
        return n_files == 1
    return outcome.status is not Status.UNCHANGED or bool(outcome.noted)


class _PaceColumn(ProgressColumn):
    """How far the batch is, and the time left; it is drawn again between two books, as time passes."""

    def __init__(self, pace: Pace, width: int) -> None:
        super().__init__(Column(no_wrap=True))
        self._pace, self._width = pace, width

    def render(self, task: Task) -> Text:
        """Return the column."""
        return Text(self._pace.line(time.monotonic(), self._width))


def _format_stamp(pace: Pace) -> str:
    """Return how a line of a log begins: the time, and how far the batch is."""
    return f"{datetime.now():%Y-%m-%d %H:%M:%S}  {pace.n_done}/{pace.n_files}  "


def log_line(entry: Mapping[str, Any]) -> None:
    """Print an entry of a log for machines: one line of JSON on standard error, with the time."""
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    sys.stderr.write(json.dumps({"time": now, **entry}) + "\n")
    sys.stderr.flush()


@contextmanager
def show_files_read(n_files: int) -> Iterator[Callable[[], None]]:
    """Show how many files have been read; yield what to call after each file."""
    n_read, logged_at = 0, time.monotonic()
    with Progress(
        TextColumn("reading"),
        BarColumn(bar_width=20),
        TextColumn("{task.completed:.0f}/{task.total:.0f} files"),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    ) as bar:
        task = bar.add_task("", total=n_files)

        def count_file() -> None:
            """Count a file as read: advance the bar or, in a log, print a line now and then."""
            nonlocal n_read, logged_at
            n_read += 1
            bar.update(task, advance=1)
            if not err.is_terminal and time.monotonic() - logged_at > _LOG_SECONDS:
                logged_at = time.monotonic()
                show_message(f"read {n_read:,} of {n_files:,} files")

        yield count_file
