"""The commands on an existing library: search, list, show, export and copy."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from alexandria.book.words import count_of
from alexandria.doors.cli.chosen import App, LibrariesAt, LibraryAt, NewCollection, server_options
from alexandria.doors.cli.options import (
    EXIT_SOME_FAILED,
    Compat,
    Json,
    Rerank,
    RerankWeight,
    SearchMode,
    Style,
    Title,
    argument,
    nothing_found,
    option,
    refuse_unused,
)
from alexandria.doors.cli.printing import print_json, print_text, show_message

if TYPE_CHECKING:
    from alexandria.library.library import Library
    from alexandria.library.remarks import RemarkKind
    from alexandria.store.record import Record

app = App()

_LIST_FORMATS = [format for format in CitationFormat if format != CitationFormat.CSL_CITATION]


@app.command()
def search(
    ctx: typer.Context,
    at: LibrariesAt,
    query: Annotated[list[str], argument("QUERY...", "A question, or some words.")],
    filters: Filters,
    words: Annotated[
        int | None, option("--words N", "Only the sentences that answer, at most N words in all.", min=1)
    ] = None,
    full: Annotated[
        bool, option("--full", "Show the whole text of each passage, not only the sentences that answer.")
    ] = False,
    mode: SearchMode = Mode.HYBRID,
    context: Annotated[
        int, option("--context N", "Also N passages before and after each hit.", min=0, max=20)
    ] = 0,
    all_editions: Annotated[
        bool, option("--all-editions", "Show a passage in each edition of a work.")
    ] = False,
    everywhere: Annotated[
        bool, option("--everywhere", "Search all books, even if the query names some.")
    ] = False,
    exact: Annotated[bool, option("--exact", "Do not correct the spelling of words.")] = False,
    cite: Annotated[bool, option("--cite", "Print a citation of each passage instead.")] = False,
    style: Style = CitationStyle.CHICAGO_NOTES.value,
    diverse: Annotated[
        Diverse | None,
        option(
            f"--diverse {'|'.join(Diverse)}",
            "One passage per chapter or book, or passages that are not all alike (mmr).",
        ),
    ] = None,
    rerank: Rerank = None,
    rerank_weight: RerankWeight = 0.5,
    limit: Annotated[
        int | None, option("--limit -k N", "Number of passages.", min=1, max=1000, show_default="5")
    ] = None,
    json: Json = False,
) -> None:
    """Find the passages that answer a question."""
    from alexandria.library.search.request import SearchRequest
    from alexandria.show.terminal.library import show_hits
    from alexandria.show.terminal.passages import show_citations

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
        show_message(remark.worded(_ways_to_search()))
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


def _ways_to_search() -> "Mapping[RemarkKind, str]":
    """Return what options and commands can do about the remarks on a search."""
    from alexandria.library.remarks import RemarkKind

    return {
        RemarkKind.NARROWED: "; --everywhere searches all.",
        RemarkKind.RESPELLED: "; --exact takes words as typed.",
        RemarkKind.UNREAD: ". To search by meaning:  {}alexandria copy --model multilingual --to FOLDER",
    }


@app.command("list")
def list_books(
    ctx: typer.Context,
    at: LibraryAt,
    filters: Filters,
    limit: Annotated[int | None, option("--limit -k N", "At most this many books.", min=1)] = None,
    start: Annotated[int, typer.Option(metavar="N", min=0, help="Skip the first N books.")] = 0,
    format: Annotated[
        CitationFormat | None,
        option(
            f"--format {'|'.join(_LIST_FORMATS)}",
            "With --cite, how italics are marked; otherwise, a file for a reference manager.",
        ),
    ] = None,
    cite: Annotated[bool, option("--cite", "Print a list of references instead.")] = False,
    style: Style = CitationStyle.CHICAGO_NOTES.value,
    removed: Annotated[bool, option("--removed", "List removed books instead.")] = False,
    json: Json = False,
) -> None:
    """List the books of the library."""
    is_file = format is not None and format.value in list(BibliographyFormat)
    has_references = cite and not is_file  # a file is a list of references too
    useless: list[tuple[object, tuple[str, ...], str, str]] = [
        (json, ("format", "cite"), "--json prints another document", ""),
        (cite, ("removed",), "--cite prints a list of references", ""),
        (
            format is CitationFormat.CSL_CITATION,
            ("format",),
            "it cites a passage",
            f"alexandria cite HIT --format {format}",
        ),
        (is_file, ("style",), f"{format} has all fields, in no style", ""),
        (not cite and not is_file, ("format",), f"{format} is a form of references", "or add --cite"),
        (not has_references, ("style",), "no reference is printed", "or add --cite"),
    ]
    for applies, options, why, instead in useless:
        if applies:
            refuse_unused(ctx, *options, why=why, instead=instead)
    with at.open() as library:
        records = _listed(library, filters, removed=removed, start=start, limit=limit)
        if has_references:
            from alexandria.library.cite.citations import join_references
            from alexandria.library.cite.works import reference_order

            books = [record.book_id for record in sorted(records, key=reference_order)]
            markup = CitationMarkup.TEXT if format is None else CitationMarkup(format.value)
            print_text(join_references(library.cite_all(books, style, markup=markup), markup))
        elif format is not None:
            ids = [record.book_id for record in records]
            print_text(library.bibliography(BibliographyFormat(format.value), books=ids).rstrip("\n"))
        elif json:
            from alexandria.show.json.library import book_entry

            print_json([book_entry(record) for record in records])
        else:
            from alexandria.library.location import library_options
            from alexandria.show.terminal.library import show_books
            from alexandria.show.terminal.status import describe_outdated

            n_outdated = 0 if removed else len(library.outdated(records))
            show_books(records)
            if n_outdated:
                options_of = library_options(library.store, library.collection)
                show_message(describe_outdated(n_outdated, options_of))


def _listed(
    library: "Library", filters: Filters, *, removed: bool, start: int, limit: int | None
) -> "list[Record]":
    """Return the books to list, or those that were removed.

    Raises:
        NoMatchError: no book of the library passes the filters.
    """
    if removed:
        end = None if limit is None else start + limit
        return [book for book in library.removed_books() if filters.admit(book)][start:end]
    records = library.books(filters, start=start, limit=limit)
    if not records and not start and filters != Filters():
        library.require_books(filters)
    return records


@app.command()
def show(
    at: LibrariesAt,
    book: Title,
    chapters: Annotated[bool, option("--chapters", "List all chapters, however many.")] = False,
    chunks: Annotated[
        bool, option("--chunks", "Also list the chunks, the passages that a search finds.")
    ] = False,
    settings: Annotated[bool, option("--settings", "Show when it was stored, and how it was cut.")] = False,
    json: Json = False,
) -> None:
    """Show a stored book: its title page and its chapters."""
    from alexandria.show.terminal.library import show_record

    with at.open() as library:
        record = library.book(book)
        passages = library.chunks(book) if chunks or json else []
        contents = [] if json else library.contents(record.book_id, typical=False)
    if json:
        from alexandria.show.json.library import show_document

        print_json(show_document(record, passages))
    else:
        show_record(record, contents, passages, settings=settings, all_chapters=chapters)


@app.command()
def export(
    at: LibraryAt,
    file: Annotated[
        Path, argument("FILE", "books.jsonl, books.csv or books.parquet; - for standard output.")
    ],
    filters: Filters,
    format: Annotated[
        ExportFormat | None, option("--format", "The format, if the file name does not show it.")
    ] = None,
    no_vectors: Annotated[
        bool, option("--no-vectors", "Export texts and metadata, without vectors.")
    ] = False,
) -> None:
    """Export texts and vectors for other programs."""
    with at.open() as library:
        n_points = library.export(file, format=format, vectors=not no_vectors, filters=filters)
    where = "standard output" if str(file) == "-" else f"{file}, {file.stat().st_size / 1e6:,.1f} MB"
    show_message(f"wrote {count_of(n_points, 'chunk')} to {where}")


@app.command()
def copy(
    at: LibraryAt,
    new: NewCollection,
    to: Annotated[str, option("--to STORE", "The other library, named as for --store.")],
    to_collection: Annotated[
        str | None,
        option("--to-collection NAME", "The collection in the other library.", show_default="the same name"),
    ] = None,
    model: Annotated[
        str | None,
        option(
            "--model MODEL",
            "Embed the stored texts again with this model, such as multilingual; no file is needed.",
        ),
    ] = None,
    compat: Compat = None,
) -> None:
    """Copy all books into another library."""
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
