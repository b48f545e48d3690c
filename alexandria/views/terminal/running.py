"""The progress of a batch: a bar on a terminal, and a log everywhere else."""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Column
from rich.text import Text

from alexandria.batch.events import Events
from alexandria.batch.outcome import Outcome, Status
from alexandria.batch.pace import Pace
from alexandria.views.terminal.batch import show_outcome
from alexandria.views.terminal.console import err, print_json, safe, shorten_end, show_message

_WIDE_TERMINAL = 110
"""Columns of a terminal that has room for a longer name and a longer bar."""
_LOG_SECONDS = 10.0
"""How often a log reports how many files have been read for an estimate."""


@contextmanager
def progress(files: Sequence[Path], *, quiet: bool, json: bool, log_json: bool = False) -> Iterator[Events]:
    """Show the progress of a batch: a bar that moves by sentences, and a line for each book at once.

    Args:
        files: the files of the batch.
        quiet: show only failures, and no bar.
        json: print each outcome as JSON on standard output, instead of as a line on standard error.
        log_json: print a line of JSON with the time on standard error for each outcome, and no bar.
    """
    from alexandria.views.json.ingest import OutcomeLine
    from alexandria.views.json.view import view_of

    pace = Pace(files, time.monotonic())
    name_width, bar_width = (24, 20) if err.width >= _WIDE_TERMINAL else (20, 10)
    with Progress(
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        BarColumn(bar_width=bar_width),
        # Exactly one line: a message printed while the bar is drawn over two would be overwritten.
        _PaceColumn(pace, err.width - name_width - bar_width - 3),
        console=err,
        transient=True,
        disable=quiet or log_json or not err.is_terminal,
    ) as bar:
        task = bar.add_task("", total=1.0)

        def show_name(name: str) -> None:
            bar.update(task, description=shorten_end(safe(name), name_width))

        def show_book(path: Path, title: str, n_words: int) -> None:
            pace.read(path, n_words)
            show_name(title)

        def show_share(path: Path, share: float) -> None:
            pace.embed(path, share, time.monotonic())
            bar.update(task, completed=pace.share)

        def show_end(outcome: Outcome) -> None:
            """Show the outcome of a file as a line or as JSON, and advance the bar."""
            pace.add(outcome, time.monotonic())
            bar.update(task, completed=pace.share)
            if log_json:
                log_line({"n": pace.n_done, "of": pace.n_files, **view_of(OutcomeLine, outcome)})
            if json:
                print_json(view_of(OutcomeLine, outcome))
            elif not log_json and _is_shown(outcome, pace.n_files, quiet=quiet):
                show_outcome(outcome, prefix="" if err.is_terminal else _format_stamp(pace))

        yield Events(
            started=lambda path: show_name(path.name), read=show_book, embedded=show_share, finished=show_end
        )


def _is_shown(outcome: Outcome, n_files: int, *, quiet: bool) -> bool:
    """Return whether an outcome has a line of its own: unchanged books and ignored files are only counted.

    So are books that were removed earlier, unless one was asked for alone.
    """
    if outcome.ignored:
        return False
    if quiet:
        return outcome.error is not None
    if outcome.status is Status.REMOVED:
        return n_files == 1
    return outcome.status is not Status.UNCHANGED or bool(outcome.remarks)


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
