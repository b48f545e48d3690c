"""The command line: options in, one call, the result to `display`. The only place that catches our errors."""

import os
import sys
import traceback
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alexandria import __version__
from alexandria.cli import evaluate as evaluating
from alexandria.cli import ingest as ingesting
from alexandria.cli import library as keeping
from alexandria.cli.library import (
    ApiKeyFile,
    Collection,
    Compat,
    Quantized,
    Replicas,
    Shards,
    StoreFolder,
    library_at,
    read_secret,
    server_options,
)
from alexandria.cli.options import (
    EXIT_BUG,
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_STORE,
    EXIT_USAGE,
    ConfigFile,
    DomainName,
    Json,
    OnePath,
)
from alexandria.errors import AlexandriaError, ConfigError, StoreError

if TYPE_CHECKING:
    from alexandria.batch.cluster import Cluster
    from alexandria.book import Book
    from alexandria.config import Domain
    from alexandria.embed import Encoder
    from alexandria.extract import ReadOptions
    from alexandria.report import Comparison
    from alexandria.store import Server

# Heavy packages are imported inside the commands, so that --help answers at once.

app = typer.Typer(
    name="alexandria",
    help="Turn books into a searchable, explainable Qdrant collection.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
domains_app = typer.Typer(help="The fields of books and how each is cut.", no_args_is_help=True)
app.add_typer(domains_app, name="domains")
app.add_typer(keeping.app)
app.add_typer(evaluating.app, name="evaluate")
cache_app = typer.Typer(help="What is kept to save time.", no_args_is_help=True)
app.add_typer(cache_app, name="cache")

StrategyName = Annotated[str | None, typer.Option("--strategy", "-s", help="How to cut.", show_default=False)]
Threshold = Annotated[
    float | None, typer.Option("--threshold", "-t", help="Cut below this similarity.", show_default=False)
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="OPTION=VALUE", help="Set any option of the domain; repeatable."),
]
PasswordFile = Annotated[
    Path | None,
    typer.Option(
        "--password-file", metavar="FILE", help="Password of encrypted PDFs (or ALEXANDRIA_PASSWORD)."
    ),
]
KeepMatter = Annotated[bool, typer.Option("--keep-matter", help="Keep cover, contents, imprint and index.")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Read and embed anew, and keep nothing for the next time.")
]


def main() -> None:
    """Run the command line and leave with its exit code."""
    debug = "--debug" in sys.argv  # wherever it stands: who needs it has just typed a whole command
    try:
        app([word for word in sys.argv[1:] if word != "--debug"])
    except AlexandriaError as error:
        if debug:
            traceback.print_exc()
        sys.exit(_report(error))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        if debug:
            raise
        from alexandria.display import show_bug

        show_bug(error)
        sys.exit(EXIT_BUG)


def _report(error: AlexandriaError) -> int:
    from alexandria.display import print_json, show_error
    from alexandria.documents import error_document

    if "--json" in sys.argv:
        print_json({"error": error_document(error)})
    show_error(error)
    if isinstance(error, StoreError):
        return EXIT_STORE
    return EXIT_USAGE if isinstance(error, ConfigError) else EXIT_NOTHING


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"alexandria {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print a traceback with an error.")] = False,
) -> None:
    """Turn books into a searchable, explainable Qdrant collection."""


@app.command()
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
    from alexandria.api import failures_path
    from alexandria.batch.failures import Failures
    from alexandria.pipeline import read_options

    chosen = _domain(domain, strategy, threshold, settings, config)
    server = server_options(
        api_key_file, shards=shards, replicas=replicas, quantization=quantization, compat=compat
    )
    options = read_options(chosen, keep_matter=keep_matter, password=_password(password_file))
    if dry_run:
        _show_estimate(paths or [], chosen, options, workers=workers, json=json)
        return
    with Failures(failures_path(store, collection)) as failures:
        found = None if watch else ingesting.wanted(paths or [], failures, retry_failed=retry_failed)
        encoder = _encoder(chosen, cache=not no_cache)
        with library_at(store, collection, encoder, server) as library:
            shift = ingesting.Shift(
                chosen,
                encoder,
                library,
                options,
                workers=workers,
                cluster=_cluster(ray, chosen, store, collection, server, cache=not no_cache),
                force=force,
                cache=not no_cache,
                fail_fast=fail_fast,
                quiet=quiet,
                json=json,
            )
            if found is None:
                code = ingesting.watch(paths or [], shift, failures)
            else:
                code = ingesting.run(found, shift, failures)
    raise typer.Exit(code)


@app.command()
def inspect(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH",
            help="A book; with --store, part of its title or the beginning of its id.",
            show_default=False,
        ),
    ] = None,
    domain: DomainName = None,
    strategy: StrategyName = None,
    threshold: Threshold = None,
    settings: Settings = None,
    config: ConfigFile = None,
    password_file: PasswordFile = None,
    keep_matter: KeepMatter = False,
    compare: Annotated[
        str | None, typer.Option("--compare", metavar="S,S", help="Cut by these strategies, side by side.")
    ] = None,
    chunk: Annotated[
        int | None, typer.Option("--chunk", metavar="N", help="One chunk, gap by gap.", show_default=False)
    ] = None,
    around: Annotated[
        int | None,
        typer.Option("--around", metavar="GAP", help="What stands around a gap.", show_default=False),
    ] = None,
    chapter: Annotated[
        str | None, typer.Option("--chapter", metavar="TEXT", help="Only chapters whose heading has this.")
    ] = None,
    all_gaps: Annotated[bool, typer.Option("--all-gaps", help="Every gap, not only the cuts.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write it as a page for the browser.")
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open that page in the browser.")] = False,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="LIBRARY",
            help="Look at a stored book, not at a file: in LIBRARY, or alone: --store BOOK.",
            show_default=False,
        ),
    ] = None,
    collection: Collection = "books",
    no_cache: NoCache = False,
    json: Json = False,
) -> None:
    """Show where a book is cut, and why: of a file, without storing it, or of a stored book."""
    if store is None:
        domains = _ways(domain, strategy, compare, threshold, settings, config)
        comparison = _cut_file(path, domains, keep_matter, password_file, cache=not no_cache)
    else:
        comparison = _stored_book(path, store, collection, compare)
    from alexandria import display, documents

    if json:
        display.print_json(documents.comparison_document(comparison))
    if html or open_page:
        display.write_page(comparison, html, open_it=open_page)
    elif not json:
        display.show_cuts(comparison, chunk=chunk, around=around, chapter=chapter, all_gaps=all_gaps)


def _ways(
    domain: str | None,
    strategy: str | None,
    compare: str | None,
    threshold: float | None,
    settings: list[str] | None,
    config: Path | None,
) -> "list[Domain]":
    """Return the ways to cut a book: the domain's, or those to compare; a single name with the domain's."""
    names: list[str | None] = [name.strip() for name in compare.split(",")] if compare else []
    names = [strategy, *names] if len(names) < 2 else names
    return [_domain(domain, name, threshold, settings, config) for name in dict.fromkeys(names)]


def _cut_file(
    path: str | None, domains: "list[Domain]", keep_matter: bool, password_file: Path | None, *, cache: bool
) -> "Comparison":
    if path is None:
        raise ConfigError(
            "there is nothing to inspect", why="no book is named", fix="alexandria inspect FILE"
        )
    book = _read(Path(path), domains[0], keep_matter, password_file, cache=cache)
    from alexandria.report.sources import from_book

    return from_book(book, domains, _encoder(domains[0], cache=cache))


def _stored_book(path: str | None, store: str, collection: str, compare: str | None) -> "Comparison":
    from alexandria.report.sources import from_library

    if compare:
        raise ConfigError(
            "cannot compare strategies on a stored book",
            why="it is stored as one strategy has cut it",
            fix="alexandria inspect FILE --compare S,S",
        )
    where, title = (store, path) if path else (os.environ.get("ALEXANDRIA_STORE"), store)
    with library_at(where, collection, None, server_options()) as library:
        return from_library(library, title)


@app.command()
def extract(
    path: OnePath,
    password_file: PasswordFile = None,
    keep_matter: KeepMatter = False,
    text: Annotated[bool, typer.Option("--text", help="The text alone.")] = False,
    json: Json = False,
) -> None:
    """Print a book as it was read: headings, blocks, pages, notes, and what was left out."""
    from alexandria import display, documents

    book = _read(path, _domain(), keep_matter, password_file)
    if json:
        display.print_json(documents.extract_document(book))
    elif text:
        display.print_text(book.text)
    else:
        display.show_book(book)


@domains_app.command("list")
def list_domains(json: Json = False) -> None:
    """List the domains: the shipped ones and your own."""
    from alexandria import display, documents
    from alexandria.config import domain_names, load_domain

    domains = [load_domain(name) for name in domain_names()]
    if json:
        display.print_json([documents.domain_document(one, origins=False) for one in domains])
    else:
        display.show_domains(domains)


@domains_app.command("show")
def show_domain(
    name: Annotated[str, typer.Argument(help="A domain.", show_default=False)],
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value comes from.")] = False,
    strategy: StrategyName = None,
    threshold: Threshold = None,
    settings: Settings = None,
    config: ConfigFile = None,
    json: Json = False,
) -> None:
    """Show every option of a domain."""
    from alexandria import display, documents

    chosen = _domain(name, strategy, threshold, settings, config)
    if json:
        display.print_json(documents.domain_document(chosen, origins=origin))
    else:
        display.show_domain(chosen, origins=origin)


@domains_app.command("init")
def init_domain(name: Annotated[str, typer.Argument(help="The new domain.", show_default=False)]) -> None:
    """Write a commented domain file into your configuration folder."""
    from alexandria import display
    from alexandria.config import init_domain as create

    display.show_message(f"wrote {create(name)}")


@cache_app.command("info")
def cache_info(json: Json = False) -> None:
    """Show what is kept to save time: texts and vectors of books, converted models."""
    from dataclasses import asdict

    from alexandria import display
    from alexandria.cache import usage

    found = usage()
    if json:
        display.print_json({**asdict(found), "folder": str(found.folder)})
    else:
        display.show_cache(found)


@cache_app.command("clear")
def cache_clear() -> None:
    """Delete what is kept to save time; the library stays as it is."""
    from alexandria import display
    from alexandria.cache import clear

    before = clear()
    size = (before.book_bytes + before.graph_bytes) / 1e6
    display.show_message(f"cleared {before.folder}: {size:,.1f} MB")


app.command()(evaluating.tune)
app.command()(evaluating.review)


def _domain(
    name: str | None = None,
    strategy: str | None = None,
    threshold: float | None = None,
    settings: list[str] | None = None,
    config: Path | None = None,
) -> "Domain":
    from alexandria.config import load_domain

    named = {"strategy": strategy, "threshold": threshold}
    options: Mapping[str, Any] = {key: value for key, value in named.items() if value is not None}
    return load_domain(name, options={**options, **dict(map(_assignment, settings or []))}, file=config)


def _assignment(text: str) -> tuple[str, str]:
    option, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(
            f"cannot read --set {text}",
            why="there is no =",
            fix="--set OPTION=VALUE, as in --set min_words=100",
        )
    return option.strip(), value.strip()


def _read(
    path: Path, domain: "Domain", keep_matter: bool, password_file: Path | None, *, cache: bool = False
) -> "Book":
    """Read one file in a process of its own: no file is trusted."""
    from alexandria.batch.kept import KeptBooks
    from alexandria.batch.reader import IsolatedReader, limits_from, refuse_size
    from alexandria.extract import content_id
    from alexandria.pipeline import read_options

    options = read_options(domain, keep_matter=keep_matter, password=_password(password_file))
    limits = limits_from(os.environ)

    def by_a_process() -> "Book":
        with IsolatedReader(limits) as reader:
            reader.start()
            from alexandria import display  # noqa: F401  # loaded while that process starts

            return reader.read(path, options)

    if not cache:
        return by_a_process()
    refuse_size(path, limits)
    return KeptBooks(options).read(path, content_id(path), by_a_process)


def _show_estimate(
    paths: list[Path], domain: "Domain", options: "ReadOptions", *, workers: int, json: bool
) -> None:
    from dataclasses import asdict

    from alexandria import display
    from alexandria.batch import discover
    from alexandria.batch.estimate import estimate

    found = estimate(discover(paths), domain, _encoder(domain), options, workers=max(1, workers))
    if json:
        display.print_json({"estimate": asdict(found)})
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
    from alexandria.api import open_library
    from alexandria.batch.cluster import Cluster
    from alexandria.store import ADDRESSES

    encoder = partial(_encoder, domain, cache=cache)
    if store is None or not store.startswith(ADDRESSES):
        return Cluster(address, encoder)
    return Cluster(
        address, encoder, partial(open_library, store, collection, None, server=server, sweep=False)
    )


def _encoder(domain: "Domain", *, model: str | None = None, cache: bool = False) -> "Encoder":
    """Return the encoder of a domain, or of the model a library was made with."""
    from alexandria.embed import load_encoder

    return load_encoder(
        model or domain.model, backend=domain.backend, precision=domain.precision, cache=cache
    )


def _password(file: Path | None) -> str | None:
    return os.environ.get("ALEXANDRIA_PASSWORD") if file is None else read_secret(file)
