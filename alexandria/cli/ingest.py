"""One run of `ingest`: a batch, or batch after batch from a watched folder."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.cli.options import EXIT_INTERRUPTED, EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED
from alexandria.errors import ConfigError

if TYPE_CHECKING:
    from alexandria.batch import Outcome
    from alexandria.batch.cluster import Cluster
    from alexandria.batch.discovery import Found
    from alexandria.batch.failures import Failures
    from alexandria.config import Domain
    from alexandria.embed import Encoder
    from alexandria.extract import ReadOptions
    from alexandria.store.catalog import Library


@dataclass(frozen=True, slots=True)
class Shift:
    """How books are put into a library, for as long as the command runs."""

    domain: "Domain"
    encoder: "Encoder"
    library: "Library"
    options: "ReadOptions"
    workers: int
    cluster: "Cluster | None"
    force: bool
    cache: bool
    fail_fast: bool
    quiet: bool
    json: bool


def wanted(paths: Sequence[Path], failures: "Failures", *, retry_failed: bool) -> "Found":
    """Return the files to read: those that failed before, if that is wished, and those named.

    Raises:
        ConfigError: there is none.
    """
    from alexandria.batch.discovery import find_books

    failed = failures.sources() if retry_failed else []
    found = find_books([*failed, *map(str, paths)], listing=sys.stdin.buffer)
    if found.files:
        return found
    if retry_failed:
        raise ConfigError(
            "there is nothing to retry",
            why="no file has failed, or each has been read since",
            fix="name files",
        )
    passed_over = ", ".join(f"{count} {kind}" for kind, count in found.skipped.items())
    raise ConfigError(
        "there is nothing to ingest",
        why="no book there" + (f"; passed over: {passed_over}" if passed_over else ""),
        fix="name files or other folders",
    )


def run(found: "Found", shift: Shift, failures: "Failures") -> int:
    """Ingest the files and return the exit code. Ctrl-C stops behind the book at hand."""
    from alexandria.batch.interrupt import stopping_politely
    from alexandria.display import announce_stop

    with stopping_politely(announce_stop) as stopped:
        outcomes = _batch(found, shift, failures, stopped)
        return EXIT_INTERRUPTED if stopped() else _code(outcomes)


def watch(folders: Sequence[Path], shift: Shift, failures: "Failures") -> int:
    """Ingest what is in the folders and what arrives, until Ctrl-C; return the exit code."""
    from alexandria.batch.discovery import Found
    from alexandria.batch.interrupt import stopping_politely
    from alexandria.batch.watch import arrivals
    from alexandria.display import announce_stop, show_message

    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"cannot watch {folder}", why="it is no folder", fix="name a folder")
    if not shift.quiet:
        show_message("watching for books; Ctrl-C ends it")
    with stopping_politely(announce_stop) as stopped:
        for files in arrivals(folders, stopped):
            _batch(Found(tuple(files), {}), shift, failures, stopped)
    return EXIT_INTERRUPTED


def _batch(
    found: "Found", shift: Shift, failures: "Failures", stopped: Callable[[], bool]
) -> "list[Outcome]":
    from alexandria import batch, display, documents

    began = time.perf_counter()
    outcomes = []
    with display.progress(found.files, quiet=shift.quiet, json=shift.json) as (started, finished):
        for outcome in batch.ingest(
            found.files,
            shift.domain,
            shift.encoder,
            shift.library,
            options=shift.options,
            workers=shift.workers,
            cluster=shift.cluster,
            force=shift.force,
            cache=shift.cache,
            fail_fast=shift.fail_fast,
            started=started,
            stopped=stopped,
        ):
            outcomes.append(outcome)
            failures.note(outcome.source, outcome.error)
            finished(outcome)
    summary = documents.summary_line(
        outcomes,
        time.perf_counter() - began,
        skipped=found.skipped,
        not_reached=len(found.files) - len(outcomes),
    )
    display.show_summary(summary, quiet=shift.quiet, json=shift.json)
    return outcomes


def _code(outcomes: "Sequence[Outcome]") -> int:
    n_failed = sum(outcome.error is not None for outcome in outcomes)
    if not n_failed:
        return EXIT_OK
    return EXIT_NOTHING if n_failed == len(outcomes) else EXIT_SOME_FAILED
