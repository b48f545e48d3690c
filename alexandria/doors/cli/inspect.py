"""The commands that examine one book and store nothing: `inspect` and `extract`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.doors.cli.chosen import App, Cutting, LibrariesAt, Reading
from alexandria.doors.cli.options import (
    Json,
    NoCache,
    OnePath,
    argument,
    check_output,
    is_on_command_line,
    option,
    refuse_unused,
)
from alexandria.doors.cli.printing import print_json, print_text
from alexandria.doors.cli.state import is_verbose

if TYPE_CHECKING:
    from alexandria.chunking.domains import DomainRequest

app = App()

_FILE_OPTIONS = (
    "domain",
    "strategy",
    "threshold",
    "settings",
    "config",
    "model",
    "password_file",
    "keep_matter",
    "ocr",
    "no_cache",
)  # how a file is read and cut, by the names of the parameters of `inspect`
_BOOK_OPTIONS = ("compare", "chunk", "around", "chapter", "all_gaps", "html", "open_page")
"""What is shown of a whole book, by the names of the parameters of `inspect`."""
_PART_OPTIONS = ("chunk", "around", "chapter")  # the parts of a book that the terminal shows on request


@app.command()
def inspect(
    ctx: typer.Context,
    cutting: Cutting,
    reading: Reading,
    at: LibrariesAt,
    place: Annotated[
        str,
        argument(
            "FILE|BOOK|HIT", "A file, a stored book by part of its title or its id, or the id of a hit."
        ),
    ],
    compare: Annotated[str | None, option("--compare S,S", "Compare these strategies side by side.")] = None,
    chunk: Annotated[int | None, option("--chunk N", "Show one chunk, gap by gap.")] = None,
    around: Annotated[int | None, option("--around GAP", "Show the sentences around a gap.")] = None,
    chapter: Annotated[
        str | None, option("--chapter TEXT", "Only chapters of this heading, part of it, or number.")
    ] = None,
    all_gaps: Annotated[bool, option("--all-gaps", "Show every gap, not only the cuts.")] = False,
    html: Annotated[
        Path | None, option("--html FILE", "Write a page for the browser.", callback=check_output)
    ] = None,
    open_page: Annotated[bool, option("--open", "Open that page in the browser.")] = False,
    no_cache: NoCache = False,
    json: Json = False,
) -> None:
    """Show where and why a book, or the passage of a hit, is cut."""
    from alexandria.library.read.stored import is_hit_id

    is_file = _is_file(place) and not is_on_command_line(ctx, "store")
    _refuse_unused_for_source(ctx, compare, is_file=is_file)
    if not is_file and is_hit_id(place):
        why, instead = "the id of a hit shows one passage", "or name the book instead of the hit"
        refuse_unused(ctx, *_BOOK_OPTIONS, why=why, instead=instead)
        _explain_hit(place, at, json=json, numbers=is_verbose(ctx))
        return
    _refuse_unused_for_view(ctx, compare, is_whole=json or html is not None or open_page)
    if compare is not None and not is_file:  # the other strategies cut its file
        with at.single().open() as library:
            place, is_file = library.book(place).source, True
    if is_file:
        from alexandria.library.shortcuts import compare_domains

        comparison = compare_domains(
            place,
            _make_requests(cutting, compare),
            reading.choices(),
            cache=not no_cache,
            meanwhile=_load_display,
        )
    else:
        from alexandria.library.inspect.comparison import Comparison

        with at.single().open() as library:
            comparison = Comparison.of([library.inspect(place)])
    from alexandria.show.json.inspection import comparison_document
    from alexandria.show.terminal.cuts import show_cuts, write_page

    if json:
        print_json(comparison_document(comparison))
    if html or open_page:
        write_page(comparison, html, open_it=open_page)
    elif not json:
        show_cuts(
            comparison,
            chunk=chunk,
            around=around,
            chapter=chapter,
            all_gaps=all_gaps,
            numbers=is_verbose(ctx),
        )


def _is_file(name: str) -> bool:
    """Return whether a name is that of a file, even of one that is not there."""
    path = Path(name)
    return path.exists() or len(path.parts) > 1 or bool(path.suffix)


def _explain_hit(hit: str, at: LibrariesAt, *, json: bool, numbers: bool) -> None:
    """Print why the passage of a hit begins and ends where it does."""
    from alexandria.show.json.inspection import explanation_document
    from alexandria.show.terminal.cuts import show_explanation

    with at.open() as library:
        explanation = library.explain(hit)
    if json:
        print_json(explanation_document(explanation))
    else:
        show_explanation(explanation, numbers=numbers)


def _refuse_unused_for_source(ctx: typer.Context, compare: str | None, *, is_file: bool) -> None:
    """Refuse options that would have no effect on a file or a stored book, or on what is compared."""
    if is_file:
        refuse_unused(ctx, "collection", "api_key_file", "wait", why="a file is in no library")
    elif compare is None:
        refuse_unused(
            ctx,
            *_FILE_OPTIONS,
            why="a stored book is shown as it was read and cut when it was stored",
            instead="alexandria inspect FILE reads and cuts the file again",
        )
    if compare is not None and "," in compare:
        refuse_unused(
            ctx, "strategy", why="--compare names every strategy", instead="or add it to those of --compare"
        )


def _refuse_unused_for_view(ctx: typer.Context, compare: str | None, *, is_whole: bool) -> None:
    """Refuse options that select what the terminal shows, where something else is shown."""
    # `compare`: the strategies to compare, if any.
    # `is_whole`: whether the book is shown as JSON or as a page, which are always of the whole book.
    if is_whole:
        refuse_unused(
            ctx, *_PART_OPTIONS, "all_gaps", why="--json, --html and --open always show the whole book"
        )
    if compare is not None or any(ctx.params[part] is not None for part in _PART_OPTIONS):
        refuse_unused(ctx, "all_gaps", why="it shows a whole book cut by one strategy")


def _make_requests(cutting: Cutting, compare: str | None) -> "list[DomainRequest]":
    """Return one request per strategy to compare."""
    # A single strategy of `--compare` is compared with the strategy of `--strategy`, by default the domain's.
    compared = [name.strip() for name in compare.split(",")] if compare else []
    strategies = compared if len(compared) >= 2 else [cutting.strategy, *compared]
    return [replace(cutting, strategy=name).request() for name in dict.fromkeys(strategies)]


@app.command()
def extract(
    ctx: typer.Context,
    path: OnePath,
    reading: Reading,
    text: Annotated[bool, option("--text", "Print only the text.")] = False,
    left_out: Annotated[
        bool, option("--left-out", "Print only what was left out, with its kind and page.")
    ] = False,
    json: Json = False,
) -> None:
    """Print a book as it was read: headings, blocks, pages, and what was left out."""
    if json:
        refuse_unused(ctx, "text", why="--json prints the text too")
        refuse_unused(ctx, "left_out", why="--json prints what was kept, and counts what was left out")
    from alexandria.library.shortcuts import read_book
    from alexandria.show.json.inspection import extract_document
    from alexandria.show.terminal.cuts import show_book, show_left_out

    domain = Cutting().request().single_domain()
    book = read_book(path, domain, reading.choices(), meanwhile=_load_display)
    if json:
        print_json(extract_document(book))
    elif left_out:
        show_left_out(book)
    elif text:
        print_text(book.text)
    else:
        show_book(book)


def _load_display() -> None:
    """Import the modules that print a book, which takes time, while the process that reads it starts."""
    from alexandria.show.terminal import cuts  # noqa: F401
