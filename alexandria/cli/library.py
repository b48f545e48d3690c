"""The commands on a library that is there: find, list, explain, check, move and remove what was ingested."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.cli.chosen import (
    chosen_domain,
    encoder_for,
    library_at,
    server_options,
)
from alexandria.cli.options import (
    EXIT_STORE,
    ApiKeyFile,
    Collection,
    Compat,
    Json,
    Quantized,
    Replicas,
    Shards,
    StoreFolder,
)
from alexandria.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from alexandria.modes import Mode


app = typer.Typer()

Title = Annotated[
    str, typer.Argument(help="Part of the title, or the beginning of the id.", show_default=False)
]


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
    from alexandria.filters import Filters
    from alexandria.query import search as find
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    chosen = _mode(mode)
    with library_at(store, collection, None, server_options(api_key_file)) as library:
        results = find(
            query,
            library,
            encoder_for(chosen_domain(), model=library.model()),
            limit=limit,
            mode=chosen,
            filters=Filters(domain=domain, title=book, author=author, language=language, section=section),
            context=context,
        )
    for remark in results.remarks:
        display.show_message(f"note: {remark}")
    if json:
        display.print_json(documents.search_document(results.hits))
    else:
        display.show_hits(results.hits)


@app.command("list")
def list_books(
    store: StoreFolder = None,
    collection: Collection = "books",
    api_key_file: ApiKeyFile = None,
    json: Json = False,
) -> None:
    """List the library's books."""
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    with library_at(store, collection, None, server_options(api_key_file)) as library:
        records = library.books()
    if json:
        display.print_json(documents.list_document(records))
    else:
        display.show_books(records)


@app.command()
def show(
    book: Title,
    store: StoreFolder = None,
    collection: Collection = "books",
    api_key_file: ApiKeyFile = None,
    json: Json = False,
) -> None:
    """Show a stored book: how it was made, its sections and its chunks."""
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    with library_at(store, collection, None, server_options(api_key_file)) as library:
        record = library.find(book)
        chunks = library.chunks(record)
    if json:
        display.print_json(documents.show_document(record, chunks))
    else:
        display.show_record(record, chunks)


@app.command()
def explain(
    book: Title,
    chunk: Annotated[int, typer.Argument(min=0, help="Its number, as search shows it.", show_default=False)],
    store: StoreFolder = None,
    collection: Collection = "books",
    api_key_file: ApiKeyFile = None,
    json: Json = False,
) -> None:
    """Say why a stored chunk begins and ends where it does."""
    from alexandria.inspection import Explanation, Inspection
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    with library_at(store, collection, None, server_options(api_key_file)) as library:
        record = library.find(book)
        explanation = Explanation.of(Inspection.of_library(record, library.chunks(record)), chunk)
    if json:
        display.print_json(documents.explanation_document(explanation))
    else:
        display.show_explanation(explanation)


@app.command()
def remove(
    book: Title,
    store: StoreFolder = None,
    collection: Collection = "books",
    api_key_file: ApiKeyFile = None,
) -> None:
    """Take a book out of the library."""
    from alexandria.inspection.words import count_of
    from alexandria.views import terminal as display

    with library_at(store, collection, None, server_options(api_key_file)) as library:
        record = library.find(book)
        library.remove(record)
    display.show_message(f"removed “{record.title}” ({count_of(record.n_chunks, 'chunk')})")


@app.command()
def verify(
    store: StoreFolder = None,
    collection: Collection = "books",
    api_key_file: ApiKeyFile = None,
    json: Json = False,
) -> None:
    """Check that every book has exactly its points, unaltered, with sound vectors."""
    from alexandria.inspection.words import count_of
    from alexandria.store.verify import find_flaws
    from alexandria.views import json as documents
    from alexandria.views import terminal as display

    with library_at(store, collection, None, server_options(api_key_file), sweep=False) as library:
        n_books, n_points = len(library.books()), library.store.count()
        findings = list(find_flaws(library.store))
    if json:
        display.print_json(documents.verify_document(findings, n_books=n_books, n_points=n_points))
        raise typer.Exit(EXIT_STORE if findings else 0)
    display.show_findings(findings)
    if findings:
        raise StoreError(
            "the library is not what its catalog says",
            why=f"{count_of(len(findings), 'finding')} in {n_points:,} points of {count_of(n_books, 'book')}",
            fix=findings[0].fix,
        )
    display.show_message(f"{count_of(n_books, 'book')}, {count_of(n_points, 'point')}: all sound")


@app.command()
def export(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="books.jsonl or books.parquet.", show_default=False)
    ],
    store: StoreFolder = None,
    collection: Collection = "books",
    api_key_file: ApiKeyFile = None,
) -> None:
    """Write all payloads and vectors into a file that other programs read."""
    from alexandria.inspection.words import count_of
    from alexandria.store.transfer import export_books
    from alexandria.views import terminal as display

    with library_at(store, collection, None, server_options(api_key_file)) as library:
        n_points = export_books(library, file)
    display.show_message(f"wrote {count_of(n_points, 'point')} to {file}")


@app.command()
def copy(
    to: Annotated[
        str,
        typer.Option("--to", metavar="STORE", help="Where to, as --store names it.", show_default=False),
    ],
    store: StoreFolder = None,
    collection: Collection = "books",
    to_collection: Annotated[
        str | None,
        typer.Option("--to-collection", help="Its collection there.", show_default="the same name"),
    ] = None,
    api_key_file: ApiKeyFile = None,
    shards: Shards = None,
    replicas: Replicas = None,
    quantization: Quantized = None,
    compat: Compat = None,
) -> None:
    """Copy the library's books into another one; run again, it goes on where it stopped."""
    from alexandria.inspection.words import count_of
    from alexandria.store import open_store
    from alexandria.store.catalog import Catalog
    from alexandria.store.transfer import copy_books
    from alexandria.views import terminal as display

    server = server_options(api_key_file, shards, replicas, quantization, compat)
    with library_at(store, collection, None, server_options(api_key_file)) as source:
        opened = open_store(to, to_collection or collection, source.binding, server)
        with Catalog(opened) as target:
            for record, copied in copy_books(source, target):
                status = "copied" if copied else "there already"
                display.show_message(f"{status:>13}  “{record.title}”  {count_of(record.n_chunks, 'chunk')}")


def _mode(name: str) -> "Mode":
    from alexandria.modes import Mode

    if name not in list(Mode):
        raise ConfigError(
            f"unknown mode {name!r}", why=f"the modes are {', '.join(Mode)}", fix="--mode hybrid"
        )
    return Mode(name)
