"""The commands on an existing library: search, list, show, export and copy."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from alexandria.book.choices import (
    BibliographyFormat,
    CitationFormat,
    CitationMarkup,
    CitationStyle,
    Diverse,
    ExportFormat,
    Mode,
)
from alexandria.book.filters import Filters
from alexandria.doors.cli.chosen import LibrariesAt, LibraryAt, NewCollection, commands_of, server_options
from alexandria.doors.cli.options import (
    EXIT_SOME_FAILED,
    Compat,
    Json,
    Rerank,
    RerankWeight,
    SearchMode,
    Style,
    Title,
    nothing_found,
    refuse_unused,
)
from alexandria.doors.cli.printing import print_json, print_text, show_message

app = typer.Typer()
command = commands_of(app)


@command()
def search(
    ctx: typer.Context,
    at: LibrariesAt,
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help="A question, or some words.")],
    filters: Filters,
    words: Annotated[
        int | None,
        typer.Option(
            "--words",
            metavar="N",
            min=1,
            help="Only the sentences that answer, at most N words in all.",
            show_default=False,
        ),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Show the whole text of each passage, not only the sentences that answer."
        ),
    ] = False,
    mode: SearchMode = Mode.HYBRID,
    context: Annotated[
        int,
        typer.Option(
            "--context", metavar="N", min=0, max=20, help="Also N passages before and after each hit."
        ),
    ] = 0,
    all_editions: Annotated[
        bool, typer.Option("--all-editions", help="Show a passage in each edition of a work.")
    ] = False,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Search all books, even if the query names some.")
    ] = False,
    exact: Annotated[bool, typer.Option("--exact", help="Do not correct the spelling of words.")] = False,
    cite: Annotated[bool, typer.Option("--cite", help="Print a citation of each passage instead.")] = False,
    style: Style = CitationStyle.CHICAGO_NOTES.value,
    diverse: Annotated[
        Diverse | None,
        typer.Option(
            "--diverse",
            metavar="|".join(Diverse),
            help="One passage per chapter or book, or passages that are not all alike (mmr).",
            show_default=False,
        ),
    ] = None,
    rerank: Rerank = None,
    rerank_weight: RerankWeight = 0.5,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", "-k", metavar="N", min=1, max=1000, help="Number of passages.", show_default="5"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Find the passages that answer a question."""
    from alexandria.library.search.request import SearchRequest
    from alexandria.show.terminal.library import show_hits
    from alexandria.show.terminal.passages import show_citations
    from alexandria.show.terminal.ways import in_command

    if not cite:
        refuse_unused(ctx, "style", why="no citation is printed", instead="or add --cite")
    if json:
        refuse_unused(ctx, "cite", "full", why="--json prints the whole passages")
    elif cite:
        refuse_unused(ctx, "full", "context", why="--cite prints citations, and no passages")
    elif words is not None:
        refuse_unused(ctx, "full", why="--words returns only sentences that answer, and shows all of them")
    request = SearchRequest(
        query=" ".join(query),
        limit=limit,
        words=words,
        mode=mode,
        context=context,
        all_editions=all_editions,
        everywhere=everywhere,
        exact=exact,
        diverse=diverse,
        rerank=rerank,
        rerank_weight=rerank_weight,
        filters=filters,
    )
    with at.open() as library:
        results = library.answer(request)
        citations = library.cite_all(results.hits, style) if cite and not json else []
    for remark in results.noted:
        show_message(in_command(remark))
    if json:
        from alexandria.show.json.library import search_document

        print_json(search_document(results))
    elif cite:
        show_citations(citations)
    else:
        show_hits(results.hits, full=full or words is not None)
    if results.left_out:
        raise typer.Exit(EXIT_SOME_FAILED)
    if not results.hits:
        raise nothing_found(ctx)


@command("list")
def list_books(
    ctx: typer.Context,
    at: LibraryAt,
    filters: Filters,
    limit: Annotated[
        int | None, typer.Option("--limit", "-k", metavar="N", min=1, help="At most this many books.")
    ] = None,
    start: Annotated[int, typer.Option(metavar="N", min=0, help="Skip the first N books.")] = 0,
    format: Annotated[
        CitationFormat | None,
        typer.Option(
            "--format",
            metavar="|".join(format for format in CitationFormat if format != CitationFormat.CSL_CITATION),
            help="With --cite, how italics are marked; otherwise, a file for a reference manager.",
            show_default=False,
        ),
    ] = None,
    cite: Annotated[bool, typer.Option("--cite", help="Print a list of references instead.")] = False,
    style: Style = CitationStyle.CHICAGO_NOTES.value,
    removed: Annotated[bool, typer.Option("--removed", help="List removed books instead.")] = False,
    json: Json = False,
) -> None:
    """List the books of the library."""
    from alexandria.library.location import library_options
    from alexandria.show.terminal.library import show_books
    from alexandria.show.terminal.status import describe_outdated

    if json:
        refuse_unused(ctx, "format", "cite", why="--json prints another document")
    elif cite:
        refuse_unused(ctx, "removed", why="--cite prints a list of references")
        cite = format is None or format.value in list(
            CitationMarkup
        )  # the others are lists of references too
    if format is CitationFormat.CSL_CITATION:
        refuse_unused(
            ctx, "format", why="it cites a passage", instead=f"alexandria cite HIT --format {format}"
        )
    elif format is not None and format.value in list(BibliographyFormat):
        refuse_unused(ctx, "style", why=f"{format} has all fields, in no style")
    elif format is not None and not cite:
        refuse_unused(ctx, "format", why=f"{format} is a form of references", instead="or add --cite")
    if not cite:
        refuse_unused(ctx, "style", why="no reference is printed", instead="or add --cite")

    with at.open() as library:
        if removed:
            end = None if limit is None else start + limit
            records = [book for book in library.removed_books() if filters.admit(book)][start:end]
        else:
            records = library.books(filters, start=start, limit=limit)
            if not records and not start and filters != Filters():
                library.require_books(filters)
        if cite:
            from alexandria.library.cite.citations import join_references, reference_order

            books = [record.book_id for record in sorted(records, key=reference_order)]
            markup = CitationMarkup.TEXT if format is None else CitationMarkup(format.value)
            print_text(join_references(library.cite_all(books, style, markup=markup), markup))
            return
        n_outdated = 0 if json or removed else len(library.outdated(records))
        if format is not None:
            ids = [record.book_id for record in records]
            print_text(library.bibliography(BibliographyFormat(format.value), books=ids).rstrip("\n"))
            return
    if json:
        from alexandria.show.json.library import book_entry

        print_json([book_entry(record) for record in records])
    else:
        show_books(records)
        if n_outdated:
            show_message(describe_outdated(n_outdated, library_options(library.store, library.collection)))


@command()
def show(
    at: LibrariesAt,
    book: Title,
    chapters: Annotated[bool, typer.Option("--chapters", help="List all chapters, however many.")] = False,
    chunks: Annotated[
        bool, typer.Option("--chunks", help="Also list the chunks, the passages that a search finds.")
    ] = False,
    settings: Annotated[
        bool, typer.Option("--settings", help="Show when it was stored, and how it was cut.")
    ] = False,
    json: Json = False,
) -> None:
    """Show a stored book: its title page and its chapters."""
    from alexandria.show.terminal.library import show_record

    with at.open() as library:
        record = library.book(book)
        passages = library.chunks(book) if chunks or json else []
        contents = [] if json else library.contents(record.book_id)
    if json:
        from alexandria.show.json.library import show_document

        print_json(show_document(record, passages))
    else:
        show_record(record, contents, passages, settings=settings, all_chapters=chapters)


@command()
def export(
    at: LibraryAt,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="books.jsonl, books.csv or books.parquet; - for standard output.",
            show_default=False,
        ),
    ],
    filters: Filters,
    format: Annotated[
        ExportFormat | None, typer.Option("--format", help="The format, if the file name does not show it.")
    ] = None,
    no_vectors: Annotated[
        bool, typer.Option("--no-vectors", help="Export texts and metadata, without vectors.")
    ] = False,
) -> None:
    """Export texts and vectors for other programs."""
    from alexandria.book.words import count_of

    with at.open() as library:
        n_points = library.export(file, format=format, vectors=not no_vectors, filters=filters)
    where = "standard output" if str(file) == "-" else f"{file}, {file.stat().st_size / 1e6:,.1f} MB"
    show_message(f"wrote {count_of(n_points, 'chunk')} to {where}")


@command()
def copy(
    at: LibraryAt,
    new: NewCollection,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="STORE", help="The other library, named as for --store.", show_default=False
        ),
    ],
    to_collection: Annotated[
        str | None,
        typer.Option(
            "--to-collection",
            metavar="NAME",
            help="The collection in the other library.",
            show_default="the same name",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="Embed the stored texts again with this model, such as multilingual; no file is needed.",
            show_default=False,
        ),
    ] = None,
    compat: Compat = None,
) -> None:
    """Copy all books into another library."""
    from alexandria.book.words import count_of

    server = server_options(at.api_key_file, new, compat)
    with at.open() as library:
        counts = Counter[bool]()
        n_books = len(library.books())
        for record, copied in library.copy(to, to_collection, model=model, server=server):
            counts[copied] += 1
            status = "copied" if copied else "already there"
            place = f"{counts.total():,} of {n_books:,}"
            chunks = count_of(record.n_chunks, "chunk")
            show_message(f"{status:>13}  “{record.title}”  {chunks}  ({place})")
    show_message(f"{count_of(counts[True], 'book')} copied, {counts[False]:,} already there")
