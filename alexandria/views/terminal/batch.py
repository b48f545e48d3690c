"""What became of the files of a batch: a line per book and a table at the end; and the known failures."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from alexandria.batch import Outcome, Status
from alexandria.batch.failures import Failure
from alexandria.batch.outcome import STORED
from alexandria.batch.sync import Step
from alexandria.inspection.words import size_of
from alexandria.views.terminal.console import err, out, print_below, print_json, safe, shortened, show_message

_STYLES = {
    Status.INGESTED: "green",
    Status.PARTIAL: "yellow",
    Status.UNCHANGED: "dim",
    Status.REMOVED: "dim",
    Status.FAILED: "bold red",
}


def announce_stop() -> None:
    """Announce, from a signal handler, that the batch stops after the current book."""
    # Bypasses the buffers: the program may be writing to them right now.
    os.write(2, b"\nstopping after this book; interrupt again to stop now\n")


def show_outcome(outcome: Outcome, *, prefix: str = "") -> None:
    """Print the outcome of a file on one line, with its error, warnings and remarks below.

    Args:
        outcome: of the file.
        prefix: printed before it, such as the time.
    """
    details = ""
    if outcome.status in STORED:
        details = f"  {size_of(outcome.n_chunks, outcome.n_words)}, {outcome.seconds:.1f} s"
    title = safe(outcome.title or outcome.source.name)
    if err.is_terminal:
        title = shortened(title, err.width - len(prefix) - len(details) - 13)
    if outcome.title:
        title = f"“{title}”"
    line = Text.assemble((prefix, "dim"), (f"{outcome.status:>9}", _STYLES[outcome.status]), "  ", title)
    err.print(line.append(details, "dim"), soft_wrap=True)
    below = [("warning", "yellow", words) for words in outcome.warnings]
    below += [("note", "cyan", words) for words in outcome.remarks]
    if outcome.error is not None:
        below += [("why", "dim", outcome.error.why), ("fix", "dim", outcome.error.fix)]
    for label, style, words in below:
        if words:
            print_below(err, 11, label, words, style)


def show_summary(line: Mapping[str, Any], *, quiet: bool, json: bool) -> None:
    """Print the summary of a batch."""
    if json:
        print_json(line)
        return
    summary = line["summary"]
    if quiet:
        names = ("ingested", "unchanged", "removed", "failed", "not_reached")
        counts = {name.replace("_", " "): summary[name] for name in names}
        show_message(f"{_kinds(counts) or 'nothing'}; {_size_and_time(summary)}")
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
        ("removed", summary["removed"], {"removed earlier; --again ingests them": summary["removed"]}),
        ("failed", summary["failed"], {**failures, "of them ignored": summary["ignored"]}),
        ("skipped", sum(summary["skipped"].values()), summary["skipped"]),
        ("not reached", summary["not_reached"], {}),
    ):
        if count or name == "ingested":
            table.add_row(name, f"{count:,}", Text(_kinds(details), "dim"))
    err.print(table)
    show_message(_size_and_time(summary))


def _size_and_time(summary: Mapping[str, Any]) -> str:
    return f"{size_of(summary['chunks'], summary['words'])} in {summary['seconds']:.1f} s"


_MOST_NAMED = 20
"""Files passed over that are named; --json names all."""


def show_passed_over(entries: Sequence[Mapping[str, object]]) -> None:
    """Name the files that were not read: those that can be converted first, hidden ones not at all."""
    entries = sorted((one for one in entries if one["kind"] != "hidden"), key=lambda one: not one["fix"])
    for entry in entries[:_MOST_NAMED]:
        line = Text.assemble((f"{'skipped':>9}", "dim"), f"  {safe(entry['source'])}")
        kind = Text(f"  {entry['kind']}", "dim")
        fits = not err.is_terminal or line.cell_len + kind.cell_len <= err.width
        err.print(line + kind if fits else line, soft_wrap=True)
        for label, words in (("why", "" if fits else entry["kind"]), ("fix", entry["fix"])):
            if words:
                print_below(err, 11, label, str(words))
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
                print_below(out, 13, label, words)


def show_step(step: Step, *, done: bool) -> None:
    """Print what was done, or would be done, with a book whose file is gone."""
    verb = "removed" if step.moved_to is None else "moved"
    word = verb if done else f"would be {verb}"
    line = Text.assemble((f"{word:>9}", "yellow"), f"  “{safe(step.record.title)}”")
    place = f"to {step.moved_to}" if step.moved_to else f"its file is gone: {step.record.source}"
    err.print(line.append(f"  {safe(place)}", "dim"), soft_wrap=True)
