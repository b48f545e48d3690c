"""The command `ingest`: a batch, or batch after batch from a watched folder."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.cli.chosen import (
    chosen_domain,
    encoder_for,
    library_at,
    password_from,
    server_options,
)
from alexandria.cli.options import (
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_OK,
    EXIT_SOME_FAILED,
    ApiKeyFile,
    Collection,
    Compat,
    ConfigFile,
    DomainName,
    Json,
    KeepMatter,
    NoCache,
    PasswordFile,
    Quantized,
    Replicas,
    Settings,
    Shards,
    StoreFolder,
    StrategyName,
    Threshold,
)
from alexandria.errors import ConfigError

if TYPE_CHECKING:
    from alexandria.batch import Outcome, RunOptions
    from alexandria.batch.cluster import Cluster
    from alexandria.batch.discovery import Discovery
    from alexandria.batch.failures import Failures
    from alexandria.config import Domain
    from alexandria.embed import Encoder
    from alexandria.extract import ReadOptions
    from alexandria.store import Server
    from alexandria.store.catalog import Catalog


def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH...",
            help="Books, folders, patterns such as 'shelf/**/*.epub', or - for a list on standard input.",
            show_default=False,
        ),
    ] = None,
    domain: DomainName = None,
    strategy: StrategyName = None,
    threshold: Threshold = None,
    settings: Settings = None,
    config: ConfigFile = None,
    store: StoreFolder = None,
    collection: Collection = "books",
    api_key_file: ApiKeyFile = None,
    shards: Shards = None,
    replicas: Replicas = None,
    quantization: Quantized = None,
    compat: Compat = None,
    password_file: PasswordFile = None,
    keep_matter: KeepMatter = False,
    workers: Annotated[
        int, typer.Option("--workers", min=0, max=256, help="Processes that read ahead; 0 for none.")
    ] = 1,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray",
            metavar="ADDRESS",
            help="Work on a Ray cluster: HOST:6379, or local.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Make anew what is there already.")] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try again what has failed in earlier runs.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Stay, and ingest what arrives in these folders.")
    ] = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first book that fails.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what it would cost, and store nothing.")
    ] = False,
    no_cache: NoCache = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print failures and nothing else.")] = False,
    json: Json = False,
) -> None:
    """Read books, cut them where the topic changes, and store them for search."""
    if not paths and not retry_failed:
        raise ConfigError("there is nothing to ingest", why="no PATH is given", fix="alexandria ingest BOOK…")
    from alexandria.batch import RunOptions
    from alexandria.batch.failures import Failures
    from alexandria.location import failures_path
    from alexandria.pipeline import read_options

    chosen = chosen_domain(domain, strategy, threshold, settings, config)
    server = server_options(
        api_key_file, shards=shards, replicas=replicas, quantization=quantization, compat=compat
    )
    password = password_from(password_file)
    if dry_run:
        options = read_options(chosen, keep_matter=keep_matter, password=password)
        _show_estimate(paths or [], chosen, options, workers=workers, json=json)
        return
    with Failures(failures_path(store, collection)) as failures:
        found = None if watch else _wanted(paths or [], failures, retry_failed=retry_failed)
        encoder = encoder_for(chosen, cache=not no_cache)
        with library_at(store, collection, encoder, server) as library:
            run = RunOptions(
                workers=workers,
                force=force,
                keep_matter=keep_matter,
                password=password,
                cache=not no_cache,
                fail_fast=fail_fast,
            )
            cluster = _cluster(ray, chosen, store, collection, server, cache=not no_cache)
            shift = Shift(chosen, encoder, library, run, cluster, quiet=quiet, json=json)
            code = _watch(paths or [], shift, failures) if found is None else _run(found, shift, failures)
    raise typer.Exit(code)


def _show_estimate(
    paths: list[Path], domain: "Domain", options: "ReadOptions", *, workers: int, json: bool
) -> None:
    from alexandria.batch import discover
    from alexandria.batch.estimate import estimate
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    found = estimate(discover(paths), domain, encoder_for(domain), options, workers=max(1, workers))
    if json:
        display.print_json(documents.estimate_document(found))
    else:
        display.show_estimate(found)


def _cluster(
    address: str | None,
    domain: "Domain",
    store: str | None,
    collection: str,
    server: "Server",
    *,
    cache: bool,
) -> "Cluster | None":
    """Return the machines of a Ray cluster, which write to a server themselves; None where none is wished."""
    if address is None:
        return None
    from alexandria.batch.cluster import Cluster
    from alexandria.location import open_catalog
    from alexandria.store import SERVER_SCHEMES

    encoder = partial(encoder_for, domain, cache=cache)
    if store is None or not store.startswith(SERVER_SCHEMES):
        return Cluster(address, encoder)
    return Cluster(
        address, encoder, partial(open_catalog, store, collection, None, server=server, sweep=False)
    )


@dataclass(frozen=True, slots=True)
class Shift:
    """How books are put into a library, for as long as the command runs."""

    domain: "Domain"
    encoder: "Encoder"
    library: "Catalog"
    run: "RunOptions"
    cluster: "Cluster | None"
    quiet: bool
    json: bool


def _wanted(paths: Sequence[Path], failures: "Failures", *, retry_failed: bool) -> "Discovery":
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


def _run(found: "Discovery", shift: Shift, failures: "Failures") -> int:
    """Ingest the files and return the exit code. Ctrl-C stops behind the book at hand."""
    from alexandria.batch.interrupt import stop_on_signal
    from alexandria.views.terminal import announce_stop

    with stop_on_signal(announce_stop) as stopped:
        outcomes = _batch(found, shift, failures, stopped)
        return EXIT_INTERRUPTED if stopped() else _code(outcomes)


def _watch(folders: Sequence[Path], shift: Shift, failures: "Failures") -> int:
    """Ingest what is in the folders and what arrives, until Ctrl-C; return the exit code."""
    from alexandria.batch.discovery import Discovery
    from alexandria.batch.interrupt import stop_on_signal
    from alexandria.batch.watch import arrivals
    from alexandria.views.terminal import announce_stop, show_message

    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"cannot watch {folder}", why="it is no folder", fix="name a folder")
    if not shift.quiet:
        show_message("watching for books; Ctrl-C ends it")
    with stop_on_signal(announce_stop) as stopped:
        for files in arrivals(folders, stopped):
            _batch(Discovery(tuple(files), {}), shift, failures, stopped)
    return EXIT_INTERRUPTED


def _batch(
    found: "Discovery", shift: Shift, failures: "Failures", stopped: Callable[[], bool]
) -> "list[Outcome]":
    from alexandria import batch
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    began = time.perf_counter()
    outcomes = []
    with display.progress(found.files, quiet=shift.quiet, json=shift.json) as (started, finished):
        for outcome in batch.ingest(
            found.files,
            shift.domain,
            shift.encoder,
            shift.library,
            shift.run,
            cluster=shift.cluster,
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
