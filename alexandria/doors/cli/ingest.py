"""The command `ingest`: an estimate, one batch, or one batch after another from a watched folder."""

import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.book.words import count_of
from alexandria.doors.cli.chosen import App, Cutting, LibraryAt, NewCollection, Reading
from alexandria.doors.cli.installation import offer_install
from alexandria.doors.cli.options import (
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_OK,
    EXIT_SOME_FAILED,
    Json,
    NoCache,
    argument,
    is_on_command_line,
    option,
    refuse_unused,
)
from alexandria.doors.cli.printing import print_json, show_message
from alexandria.doors.cli.state import set_log_json, set_quiet
from alexandria.errors import BookError, Code, ConfigError, StoreError

if TYPE_CHECKING:
    from alexandria.chunking.domains import DomainRequest
    from alexandria.library.ingest.discovery import Discovery
    from alexandria.library.ingest.options import RunOptions
    from alexandria.library.ingest.outcome import Outcome
    from alexandria.library.ingest.sync import Step
    from alexandria.library.library import Library

app = App()


def take_steps(library: "Library", steps: "Iterable[Step]", *, json: bool, dry_run: bool = False) -> None:
    """Remove the books whose files are gone, and follow renamed files, as `plan_sync` says; print each step.

    With `dry_run`, the steps are only printed.
    """
    from alexandria.show.json.ingest import sync_line
    from alexandria.show.terminal.batch import show_step

    for step in steps:
        if not dry_run:
            library.take_step(step)
        if json:
            print_json(sync_line(step, done=not dry_run))
        else:
            show_step(step, done=not dry_run)


@app.command()
def ingest(
    ctx: typer.Context,
    cutting: Cutting,
    at: LibraryAt,
    new: NewCollection,
    reading: Reading,
    paths: Annotated[
        list[Path] | None, argument("PATH...", "Books, folders, patterns, or - for a list on standard input.")
    ] = None,
    workers: Annotated[
        int,
        option(
            "--workers N",
            "Processes that read ahead while books are stored; 0 to read each file in its turn.",
            min=0,
            max=256,
        ),
    ] = 1,
    ray: Annotated[str | None, option("--ray ADDRESS", "Use a Ray cluster: HOST:6379, or local.")] = None,
    force: Annotated[bool, option("--force", "Ingest again what is already stored.")] = False,
    reread: Annotated[bool, option("--reread", "Read again what another version read.")] = False,
    again: Annotated[
        bool, option("--again", "Also ingest books that were removed from the library.")
    ] = False,
    retry_failed: Annotated[
        bool, option("--retry-failed", "Retry the files that failed in earlier runs.")
    ] = False,
    watch: Annotated[bool, option("--watch", "Keep the library in sync with folders until Ctrl-C.")] = False,
    calibre: Annotated[
        Path | None, option("--calibre LIBRARY", "Ingest a Calibre library with its metadata.")
    ] = None,
    all_formats: Annotated[
        bool, option("--all-formats", "Ingest every format of a book in a folder of Calibre.")
    ] = False,
    sync: Annotated[
        bool, option("--sync", "Remove books whose files are gone from these folders; follow renames.")
    ] = False,
    fail_fast: Annotated[bool, option("--fail-fast", "Stop at the first book that fails.")] = False,
    dry_run: Annotated[bool, option("--dry-run", "Estimate the cost, and store nothing.")] = False,
    log_json: Annotated[
        bool,
        option("--log-json", "Log each book to standard error as a line of JSON.", callback=set_log_json),
    ] = False,
    no_cache: NoCache = False,
    quiet: Annotated[
        bool,
        option("--quiet -q", "Print only warnings, failures and one line at the end.", callback=set_quiet),
    ] = False,
    json: Json = False,
) -> None:
    """Read books and store them, cut where the topic changes."""
    if not paths and not retry_failed and not reread and calibre is None:
        raise ConfigError(
            "there is nothing to ingest", why="no PATH was given", fix="alexandria ingest BOOK…"
        )
    if watch:
        before = "or run ingest --retry-failed first"
        refuse_unused(ctx, "retry_failed", why="--watch ingests what is in its folders", instead=before)
        _refuse_unwatchable(paths or (), calibre)  # before the library is created
    if ray is not None and workers:
        refuse_unused(ctx, "workers", why="the cluster of --ray decides how many processes read")
    from alexandria.library.ingest.discovery import calibre_books, select_folders
    from alexandria.library.ingest.options import RunOptions

    metadata = {book.file: book.metadata for book in calibre_books(calibre)} if calibre else {}
    sources = [*(paths or []), *metadata]
    run = RunOptions(
        workers=workers,
        force=force,
        reread=reread,
        again=again,
        metadata=metadata,
        **asdict(reading.choices()),
        cache=not no_cache,
        fail_fast=fail_fast,
        roots=select_folders(sources),
    )
    with at.open(new) as library:
        request = library.with_model(cutting.request())
        if not json:
            offer_install(request.domain_for().model)
        find_files = partial(_find_outdated, library)
        if sources or retry_failed:
            find_files = partial(
                _find_files, sources, library, retry_failed=retry_failed, sync=sync, all_formats=all_formats
            )
        shown = {"quiet": quiet, "json": json, "log_json": log_json}
        job = Job(library, request, run, ray, sources, find_files, watch=watch, sync=sync, **shown)
        if dry_run:
            _show_estimate(job)
            return
        code = _watch(job) if watch else _run(job, ctx)
    raise typer.Exit(code)


@dataclass(frozen=True, slots=True)
class Job:
    """An ingest as the command line asks for it."""

    library: "Library"
    request: "DomainRequest"
    run: "RunOptions"
    ray: str | None
    sources: Sequence[Path]  # the files and folders that are named
    find_files: "Callable[[], Discovery]"
    watch: bool
    sync: bool
    quiet: bool
    json: bool
    log_json: bool


def _suggest(ctx: typer.Context, outcomes: "Sequence[Outcome]") -> None:
    """Print how to search the library, to name books without a title, and to read outdated ones again."""
    # The commands have the options that named it; the environment names it again.
    from alexandria.show.terminal.status import describe_guessed_titles, describe_outdated

    options = "".join(
        f" --{name} {shlex.quote(str(ctx.params[name]))}"
        for name in ("store", "collection")
        if is_on_command_line(ctx, name)
    )
    show_message(f'search it: alexandria search "…"{options}')
    if guessed := [outcome.title or "" for outcome in outcomes if outcome.has_guessed_title]:
        show_message(describe_guessed_titles(guessed, options))
    if n_outdated := sum(outcome.is_outdated for outcome in outcomes):
        show_message(describe_outdated(n_outdated, options))


def _show_estimate(job: Job) -> None:
    """Print what an ingest would do with the files that it would read, and what it would cost."""
    from alexandria.library.shortcuts import estimate_ingest
    from alexandria.show.json.ingest import estimate_document
    from alexandria.show.terminal.batch import (
        show_estimate,
        show_files_read,
        show_outcome,
        show_passed_over,
        show_plan,
    )

    discovery = job.find_files()
    _prepare(job, discovery, dry_run=True)
    actions = job.library.plan_ingest(discovery.files, job.request, job.run)
    with show_files_read(len(actions)) as read:
        estimate = estimate_ingest(list(actions), job.request.domain_for(), job.run, read=read)
    n_unchanged = len(discovery.files) - len(actions)
    document = estimate_document(estimate, discovery.passed_over, n_unchanged=n_unchanged)
    if job.json:
        print_json(document)
        return
    failed = {outcome.source for outcome in estimate.failed}
    show_plan({file: action for file, action in actions.items() if file not in failed})
    for outcome in estimate.failed:
        show_outcome(outcome)
    show_passed_over(document["passed_over"])
    if n_unchanged:
        show_message(f"{count_of(n_unchanged, 'file')} unchanged or removed earlier")
    if actions:
        show_estimate(estimate)


def _prepare(job: Job, discovery: "Discovery", *, dry_run: bool = False) -> None:
    """Bring the library in sync with the folders, if asked; print which books are about to be cut again."""
    if job.watch:
        _sync_folders(job.library, job.sources, json=job.json, dry_run=dry_run)
    elif job.sync:
        take_steps(
            job.library, job.library.plan_sync(job.sources, discovery.files), json=job.json, dry_run=dry_run
        )
    for change, records in job.library.changes(discovery.files, job.request).items():
        books = count_of(len(records), "book")
        show_message(f"{books} in the library will be cut again: {change}")


def _find_files(
    paths: Sequence[Path], library: "Library", *, retry_failed: bool, sync: bool, all_formats: bool
) -> "Discovery":
    """Return the files to read: the files named, and with --retry-failed the files that failed before.

    Raises:
        ConfigError: there is no file to read; with --sync, the error says what that would remove.
    """
    from alexandria.library.ingest.discovery import find_books

    failures = library.failures() if retry_failed else []
    failed = (Path(failure.source) for failure in failures if not failure.ignored)
    # As strings, in which patterns are expanded; a failed file is named by its Path, even with a * in it.
    arguments: list[str | Path] = [*failed, *map(str, paths)]
    discovery = find_books(arguments, listing=sys.stdin.buffer, all_formats=all_formats)
    if any(os.path.lexists(file) for file in discovery.files):
        return discovery
    if sync:  # if books of the library were in these folders, a drive may not be connected
        library.plan_sync(paths, [])
    if discovery.files:  # without a library: one would be made for nothing
        raise _missing_error(discovery.files)
    if retry_failed:
        raise ConfigError(
            "there is nothing to retry",
            why="no file has failed, or all have been read since",
            fix="name files",
        )
    skipped = ", ".join(f"{count} {kind}" for kind, count in discovery.skipped.items())
    raise ConfigError(
        "there is nothing to ingest",
        why="no book was found" + (f"; skipped: {skipped}" if skipped else ""),
        fix="name files or other folders",
    )


def _find_outdated(library: "Library") -> "Discovery":
    """Return the files of the books that another version has read; those that are gone are passed over."""
    from alexandria.library.ingest.discovery import Discovery, PassedOver

    files = [Path(record.source) for record in library.outdated()]
    gone = [PassedOver(file, "file gone") for file in files if not file.exists()]
    return Discovery(tuple(filter(Path.exists, files)), tuple(gone))


def _missing_error(files: Sequence[Path]) -> BookError:
    """Return the error for files none of which exists."""
    name = re.sub("^(https?|ftp):/+", r"\1://", str(files[0]))  # a Path has lost a slash
    if "://" in name:
        why, fix = "it is an address, and only files are read", "download it first, then ingest the file"
    else:
        why, fix = "no such file", "check the path"
    others = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
    return BookError(f"cannot ingest {name}{others}", why=why, fix=fix, code=Code.NOT_FOUND)


@contextmanager
def _stopping_on_signal() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether to stop after the book in progress: True after Ctrl-C or SIGTERM.

    A second signal stops at once: it raises KeyboardInterrupt, after a message on how to resume.
    """
    from alexandria.doors.cli.state import stop_on_signal
    from alexandria.show.terminal.batch import announce_stop

    with stop_on_signal(announce_stop) as stopped:
        try:
            yield stopped
        except KeyboardInterrupt:
            show_message("stopped; every book before this one is stored: the same command resumes")
            raise


def _run(job: Job, ctx: typer.Context) -> int:
    """Ingest the files and return the exit code."""
    # Ctrl-C stops after the book in progress; a second Ctrl-C stops at once.
    discovery = job.find_files()
    job.library.create(job.request)
    _prepare(job, discovery)
    with _stopping_on_signal() as stopped:
        outcomes = _ingest(discovery, job, stopped)
        code = EXIT_INTERRUPTED if stopped() else _exit_code(outcomes)
    if code in (EXIT_OK, EXIT_SOME_FAILED) and not (job.quiet or job.json or job.log_json):
        _suggest(ctx, outcomes)
    return code


def _refuse_unwatchable(paths: Sequence[Path], calibre: Path | None) -> None:
    """Raise a ConfigError if `--watch` cannot watch what the command line names."""
    if calibre is not None:
        raise ConfigError(
            "cannot watch a Calibre library",
            why="--watch reads the files of folders, without Calibre's metadata",
            fix="leave out --watch, and run the command again when the library has changed",
        )
    for path in paths:
        if not path.is_dir():
            raise ConfigError(f"cannot watch {path}", why="it is not a folder", fix="name a folder")


def _watch(job: Job) -> int:
    """Keep the library in sync with folders until a signal ends the watch; return the exit code."""
    # The books that are in the folders, and those that arrive or change, are ingested; books whose files are
    # gone are removed from the library. With `--fail-fast`, a batch in which a book fails also ends the
    # watch.
    from alexandria.library.ingest.discovery import Discovery, arrivals

    job.library.create(job.request)
    sync_folders = partial(_sync_folders, job.library, job.sources, json=job.json)
    with _stopping_on_signal() as stopped:
        if not job.quiet:
            show_message("watching for books until Ctrl-C")
        sync_folders()
        for files in arrivals(job.sources, stopped, on_gone=sync_folders):
            outcomes = _ingest(Discovery(tuple(files)), job, stopped)
            has_failed = any(outcome.error is not None for outcome in outcomes)
            if job.run.fail_fast and has_failed and not stopped():
                return _exit_code(outcomes)
    return EXIT_INTERRUPTED


def _sync_folders(library: "Library", folders: Sequence[Path], *, json: bool, dry_run: bool = False) -> None:
    """Remove the books whose files are gone from the folders, and follow renamed files; print each."""
    # If a folder has lost all its books, nothing is removed, and a message says so: a drive is probably not
    # connected. With `dry_run`, the steps are only printed.
    from alexandria.library.ingest.discovery import find_books

    try:
        steps = library.plan_sync(folders, find_books(folders).files)
    except ConfigError as error:
        show_message(f"{error.what}: {error.why}; nothing was removed")
        return
    take_steps(library, steps, json=json, dry_run=dry_run)


def _ingest(discovery: "Discovery", job: Job, stopped: Callable[[], bool]) -> "list[Outcome]":
    """Ingest the files, and show each outcome and a summary; return the outcomes."""
    from alexandria.show.json.ingest import summary_line
    from alexandria.show.terminal.batch import log_line, progress, show_summary

    began = time.perf_counter()
    outcomes: list[Outcome] = []

    def summarize() -> None:
        """Log or print the summary of the outcomes so far."""
        summary = summary_line(
            outcomes,
            time.perf_counter() - began,
            skipped=discovery.skipped,
            passed_over=discovery.passed_over,
            not_reached=len(discovery.files) - len(outcomes),
        )
        if job.log_json:
            log_line(summary)
        if job.json or not job.log_json:
            show_summary(summary, quiet=job.quiet, json=job.json)

    ingesting = partial(job.library.ingest_files, discovery.files, job.request, job.run, ray=job.ray)
    shown = progress(quiet=job.quiet, json=job.json, log_json=job.log_json)
    try:
        with shown as events, closing(ingesting(events=events, stopped=stopped)) as ingested:
            outcomes.extend(ingested)  # one by one: if an error ends the run, those before it are kept
    except StoreError:
        if outcomes:  # the library has failed, as on a full disk, but these books are in it
            summarize()
        raise
    summarize()
    return outcomes


def _exit_code(outcomes: "Sequence[Outcome]") -> int:
    """Return the exit code of a run; files whose failure the user ignores do not count."""
    n_failed = sum(outcome.error is not None and not outcome.ignored for outcome in outcomes)
    if not n_failed:
        return EXIT_OK
    n_ignored = sum(outcome.ignored for outcome in outcomes)
    return EXIT_NOTHING if n_failed == len(outcomes) - n_ignored else EXIT_SOME_FAILED
