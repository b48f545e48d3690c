"""The command line: options in, one call, the result to `display`. The only place that catches our errors."""

import os
import sys
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alexandria import __version__, cli_evaluate
from alexandria.cli_options import ConfigFile, DomainName, Json, OnePath, Paths
from alexandria.errors import AlexandriaError, ConfigError, StoreError

if TYPE_CHECKING:
    from alexandria.book import Book
    from alexandria.config import Domain
    from alexandria.embed import Encoder
    from alexandria.report import Comparison
    from alexandria.store import Mode, Server
    from alexandria.store.catalog import Library

# Heavy packages are imported inside the commands, so that --help answers at once.

EXIT_BUG, EXIT_USAGE, EXIT_SOME_FAILED, EXIT_NOTHING, EXIT_STORE = 1, 2, 3, 4, 5

app = typer.Typer(
    name="alexandria",
    help="Turn books into a searchable, explainable Qdrant collection.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
domains_app = typer.Typer(help="The fields of books and how each is cut.", no_args_is_help=True)
app.add_typer(domains_app, name="domains")
app.add_typer(cli_evaluate.app, name="evaluate")
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
StoreFolder = Annotated[
    str | None,
    typer.Option(
        "--store",
        envvar="ALEXANDRIA_STORE",
        help="The library: a folder, http(s)://HOST:6333, or local:FOLDER.",
        show_default="your data folder",
    ),
]
Collection = Annotated[
    str, typer.Option("--collection", envvar="ALEXANDRIA_COLLECTION", help="One of its collections.")
]
ApiKeyFile = Annotated[
    Path | None,
    typer.Option(
        "--api-key-file", metavar="FILE", help="API key of a Qdrant server (or ALEXANDRIA_API_KEY)."
    ),
]
PasswordFile = Annotated[
    Path | None,
    typer.Option(
        "--password-file", metavar="FILE", help="Password of encrypted PDFs (or ALEXANDRIA_PASSWORD)."
    ),
]
KeepMatter = Annotated[bool, typer.Option("--keep-matter", help="Keep cover, contents, imprint and index.")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Embed anew, and keep no vectors for the next time.")
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
    paths: Paths,
    domain: DomainName = None,
    strategy: StrategyName = None,
    threshold: Threshold = None,
    settings: Settings = None,
    config: ConfigFile = None,
    store: StoreFolder = None,
    collection: Collection = "books",
    password_file: PasswordFile = None,
    keep_matter: KeepMatter = False,
    force: Annotated[bool, typer.Option("--force", help="Make anew what is there already.")] = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first book that fails.")
    ] = False,
    no_cache: NoCache = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print failures and nothing else.")] = False,
    json: Json = False,
) -> None:
    """Read books, cut them where the topic changes, and store them for search."""
    from alexandria import batch, display, documents
    from alexandria.pipeline import read_options

    chosen = _domain(domain, strategy, threshold, settings, config)
    files = batch.discover(paths)
    if not files:
        raise ConfigError(
            "there is nothing to ingest", why="no book in these folders", fix="name files or other folders"
        )
    encoder = _encoder(chosen, cache=not no_cache)
    options = read_options(chosen, keep_matter=keep_matter, password=_password(password_file))
    began = time.perf_counter()
    outcomes = []
    with (
        _library(store, collection, encoder) as library,
        display.progress(len(files), quiet=quiet, json=json) as (started, finished),
    ):
        for outcome in batch.ingest(
            files,
            chosen,
            encoder,
            library,
            options=options,
            force=force,
            fail_fast=fail_fast,
            started=started,
        ):
            outcomes.append(outcome)
            finished(outcome)
    display.show_summary(
        documents.summary_line(outcomes, time.perf_counter() - began), quiet=quiet, json=json
    )
    failed = sum(outcome.status is batch.Status.FAILED for outcome in outcomes)
    if failed:
        raise typer.Exit(EXIT_NOTHING if failed == len(outcomes) else EXIT_SOME_FAILED)


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
    book = _read(Path(path), domains[0], keep_matter, password_file)
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
    with _library(where, collection, None) as library:
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


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="A question, or some words.", show_default=False)],
    domain: Annotated[str | None, typer.Option("--domain", "-d", help="Only this domain.")] = None,
    book: Annotated[
        str | None, typer.Option("--book", "-b", help="Only books with this in the title.")
    ] = None,
    author: Annotated[str | None, typer.Option("--author", "-a", help="Only books by this author.")] = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Only books in this language.")
    ] = None,
    section: Annotated[
        str | None, typer.Option("--section", help="Only below a heading that contains this.")
    ] = None,
    mode: Annotated[
        str, typer.Option("--mode", "-m", metavar="MODE", help="hybrid, sentences, dense or bm25.")
    ] = "hybrid",
    context: Annotated[int, typer.Option("--context", min=0, max=20, help="Chunks on each side.")] = 0,
    limit: Annotated[int, typer.Option("-k", min=1, max=1000, help="How many passages.")] = 5,
    store: StoreFolder = None,
    collection: Collection = "books",
    api_key_file: ApiKeyFile = None,
    json: Json = False,
) -> None:
    """Find the passages that answer a question, each with its citation."""
    from alexandria import display, documents
    from alexandria.search import Filters
    from alexandria.search import search as find

    chosen = _mode(mode)
    with _library(store, collection, None, api_key_file) as library:
        results = find(
            query,
            library,
            _encoder(_domain(), model=library.model()),
            limit=limit,
            mode=chosen,
            filters=Filters(domain, book, author, language, section),
            context=context,
        )
    for remark in results.remarks:
        display.show_message(f"note: {remark}")
    if json:
        display.print_json(documents.search_document(results.hits))
    else:
        display.show_hits(results.hits)


@app.command("list")
def list_books(store: StoreFolder = None, collection: Collection = "books", json: Json = False) -> None:
    """List the library's books."""
    from alexandria import display, documents

    with _library(store, collection, None) as library:
        records = library.books()
    if json:
        display.print_json(documents.list_document(records))
    else:
        display.show_books(records)


@app.command()
def remove(
    book: Annotated[
        str, typer.Argument(help="Part of the title, or the beginning of the id.", show_default=False)
    ],
    store: StoreFolder = None,
    collection: Collection = "books",
) -> None:
    """Take a book out of the library."""
    from alexandria import display

    with _library(store, collection, None) as library:
        record = library.find(book)
        library.remove(record)
    display.show_message(f"removed “{record.title}” ({record.n_chunks:,} chunks)")


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
    """Show what is kept to save time: vectors of books, converted models."""
    from dataclasses import asdict

    from alexandria import display
    from alexandria.embed.cache import usage

    found = usage()
    if json:
        display.print_json({**asdict(found), "folder": str(found.folder)})
    else:
        display.show_cache(found)


@cache_app.command("clear")
def cache_clear() -> None:
    """Delete what is kept to save time; the library stays as it is."""
    from alexandria import display
    from alexandria.embed.cache import clear

    before = clear()
    size = (before.vector_bytes + before.graph_bytes) / 1e6
    display.show_message(f"cleared {before.folder}: {size:,.1f} MB")


app.command()(cli_evaluate.tune)
app.command()(cli_evaluate.review)


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


def _read(path: Path, domain: "Domain", keep_matter: bool, password_file: Path | None) -> "Book":
    """Read one file in a process of its own: no file is trusted."""
    from alexandria.batch.reader import IsolatedReader, limits_from
    from alexandria.pipeline import read_options

    options = read_options(domain, keep_matter=keep_matter, password=_password(password_file))
    with IsolatedReader(limits_from(os.environ)) as reader:
        reader.start()
        from alexandria import display  # noqa: F401  # loaded while that process starts

        return reader.read(path, options)


def _encoder(domain: "Domain", *, model: str | None = None, cache: bool = False) -> "Encoder":
    """Return the encoder of a domain, or of the model a library was made with."""
    from alexandria.embed import load_encoder

    return load_encoder(
        model or domain.model, backend=domain.backend, precision=domain.precision, cache=cache
    )


def _library(
    store: str | None,
    collection: str,
    encoder: "Encoder | None",
    api_key_file: Path | None = None,
    *,
    sweep: bool = True,
) -> "Library":
    """Open the library, creating it for `encoder` where it is not there."""
    from alexandria.api import open_library

    return open_library(store, collection, encoder, server=_server(api_key_file), sweep=sweep)


def _server(api_key_file: Path | None) -> "Server":
    from alexandria.store import Server

    server = Server.from_environment(os.environ)
    return replace(server, api_key=_secret(api_key_file)) if api_key_file else server


def _mode(name: str) -> "Mode":
    from alexandria.store import Mode

    if name not in list(Mode):
        raise ConfigError(
            f"unknown mode {name!r}", why=f"the modes are {', '.join(Mode)}", fix="--mode hybrid"
        )
    return Mode(name)


def _password(file: Path | None) -> str | None:
    return os.environ.get("ALEXANDRIA_PASSWORD") if file is None else _secret(file)


def _secret(file: Path) -> str:
    """Return what a file holds, without the line's end: a secret on a command line is everyone's to read."""
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except OSError as error:
        raise ConfigError(
            f"cannot read the secret in {file}",
            why=(error.strerror or str(error)).lower(),
            fix="check the path",
        ) from error
