"""The commands on passages: read, open, find and cite."""

from pathlib import Path
from typing import Annotated

import typer

from alexandria.book.choices import NEAREST, BibliographyFormat, CitationFormat, CitationMarkup, CitationStyle
from alexandria.book.filters import Filters
from alexandria.doors.cli.chosen import App, LibrariesAt
from alexandria.doors.cli.completion import complete_title
from alexandria.doors.cli.options import Json, Style, argument, nothing_found, option, refuse_unused
from alexandria.doors.cli.printing import print_json, print_text, show_message
from alexandria.errors import ConfigError
from alexandria.system.annexes import load

app = App()

HitId = Annotated[str, argument("HIT", "The id of a hit, as search and find print it.")]


@app.command()
def read(
    ctx: typer.Context,
    at: LibrariesAt,
    book: Annotated[
        str,
        argument(
            "BOOK",
            "Part of its title, the beginning of its id, or a hit's id.",
            autocompletion=complete_title,
        ),
    ],
    chunk: Annotated[int | None, argument("CHUNK", "The number of a stored passage.", min=0)] = None,
    page: Annotated[
        str | None, option("--page PAGE", "The page number, as printed or counted in the file.")
    ] = None,
    chapter: Annotated[
        str | None,
        option(
            "--chapter TEXT",
            "A chapter, by part of its heading or its number; if several match, the hit's or the first.",
        ),
    ] = None,
    context: Annotated[
        int, option("--context N", "Also N passages, or pages, on each side.", min=0, max=100)
    ] = 0,
    json: Json = False,
) -> None:
    """Show the text at a hit, a page or a chapter, in a pager if long."""
    from alexandria.show.terminal.passages import show_text

    if sum(given is not None for given in (chunk, page, chapter)) > 1:
        raise ConfigError(
            "cannot read two things at once",
            why="a chunk, --page and --chapter exclude each other",
            fix="give only one of them",
        )
    from alexandria.library.read.stored import is_hit_id

    if chapter is not None:
        refuse_unused(ctx, "context", why="--chapter prints the chapter alone")
    with at.open() as library:
        passages = library.read(book, chunk, page=page, chapter=chapter, context=context)
    if json:
        from alexandria.show.json.library import PassageEntry
        from alexandria.show.json.view import views_of

        print_json(views_of(PassageEntry, passages))
    else:
        asked = next((passage.short_id for passage in passages if passage.chunk_id == chunk), "")
        show_text(passages, book if is_hit_id(book) and chunk is None else asked)


@app.command("open")
def open_hit(
    at: LibrariesAt,
    hit: HitId,
    in_browser: Annotated[
        bool, option("--browser", "Show the stored text in the browser, as serve does.")
    ] = False,
    print_only: Annotated[
        bool, option("--print", "Print the address or the command instead of opening it.")
    ] = False,
) -> None:
    """Open a hit in its book: a PDF, an EPUB, or the stored text."""
    import shlex
    import webbrowser

    from alexandria.library.read.viewers import plan_viewing

    with at.open() as library:
        passage = library.passage(hit)
        file = Path(library.book(passage.book_id).source)
        viewer = None if in_browser or not file.is_file() else plan_viewing(passage, file)
        if viewer is None and not print_only:
            with load("alexandria.doors.web.server").LibraryServer(library) as server:
                address = server.address_of(passage)
                print_text(address)
                show_message(f"{passage.citation}; Ctrl-C stops the server")
                webbrowser.open(address)
                server.run()
            return
    if viewer is None:
        print_text(f"alexandria open {hit} --browser")
    elif print_only:
        print_text(shlex.join(viewer.command) if viewer.command else viewer.address)
    else:
        _open_viewer(viewer.command, viewer.address)
        show_message(passage.citation)


def _open_viewer(command_line: tuple[str, ...], address: str) -> None:
    """Start the program that shows a passage; without a command line, open the address in the browser.

    Raises:
        ConfigError: there is no browser.
    """
    import subprocess
    import webbrowser

    if command_line:
        subprocess.Popen(
            command_line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
    elif not webbrowser.open(address):
        raise ConfigError(
            "cannot open the passage",
            why="no program was found that opens it",
            fix=f"open {address} yourself; alexandria read HIT prints the text",
        )


@app.command()
def find(
    ctx: typer.Context,
    at: LibrariesAt,
    words: Annotated[list[str], argument("WORDS...", "The quoted words.")],
    filters: Filters,
    limit: Annotated[int, option("--limit -k N", "Number of places; 0 for all.", min=0)] = 5,
    json: Json = False,
) -> None:
    """Find every place of a quotation, even with a few slips."""
    from dataclasses import asdict

    from alexandria.library.search.request import SearchRequest
    from alexandria.show.terminal.passages import show_quotations

    with at.open() as library:
        quoted = " ".join(words)
        places = library.find(quoted, limit=limit or None, **asdict(filters))
        request = SearchRequest(query=quoted, limit=min(limit or NEAREST, NEAREST), filters=filters)
        nearest = () if places or json else library.answer(request).hits
    if json:
        from alexandria.show.json.library import find_document

        print_json(find_document(places))
        if not places.n_places:
            show_message(places.summary)
    else:
        show_quotations(places)
        if nearest:
            from alexandria.show.terminal.library import show_hits

            show_message("Closest in meaning:")
            show_hits(nearest, judged=False)
    if not places.n_places:
        raise nothing_found(ctx)


@app.command()
def cite(
    at: LibrariesAt,
    place: Annotated[
        str,
        argument(
            "HIT|BOOK",
            "The id of a hit, or a book: part of its title or the beginning of its id.",
            autocompletion=complete_title,
        ),
    ],
    style: Style = CitationStyle.CHICAGO_NOTES.value,
    format: Annotated[
        CitationFormat,
        option(
            f"--format {'|'.join(CitationFormat)}",
            "Plain text, HTML or Markdown, or a record for a reference manager.",
        ),
    ] = CitationFormat.TEXT,
) -> None:
    """Print the reference and the in-text citation of a hit or a book."""
    from alexandria.library.read.stored import is_hit_id

    with at.open() as library:
        if format.value in list(CitationMarkup):
            citation = library.cite(place, style, markup=CitationMarkup(format.value))
            print_text(str(citation))
            if citation.noted:
                fix = "; that of the work is set with alexandria edit {} --original-date YEAR"
                show_message(citation.noted.worded({citation.noted.kind: fix}))
        elif format is CitationFormat.CSL_CITATION:
            print_json(library.csl_citation([place]))
        else:
            book = library.passage(place) if is_hit_id(place) else place
            print_text(library.bibliography(BibliographyFormat(format.value), books=[book]).rstrip("\n"))
