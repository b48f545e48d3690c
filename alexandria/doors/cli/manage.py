"""The commands that manage what a library holds: remove, edit and status."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alexandria.book.edits import Edits, option_of
from alexandria.book.words import count_of
from alexandria.doors.cli.chosen import App, LibraryAt
from alexandria.doors.cli.completion import complete_title
from alexandria.doors.cli.options import Json, Title, argument, option
from alexandria.doors.cli.printing import print_json, show_message
from alexandria.errors import ConfigError

if TYPE_CHECKING:
    from alexandria.store.record import Record

app = App()


@app.command()
def remove(
    at: LibraryAt,
    books: Annotated[
        list[str],
        argument("BOOK...", "Part of a title, or the beginning of an id.", autocompletion=complete_title),
    ],
    yes: Annotated[bool, option("--yes -y", "Do not ask for confirmation.")] = False,
) -> None:
    """Remove books, and skip their files in later ingests."""
    with at.open() as library:
        records = list({record.book_id: record for record in map(library.book, books)}.values())
        if not yes and sys.stdin.isatty():
            _confirm(records)
        for record in records:
            library.remove(record.book_id)
            show_message(f"removed {_describe(record)}")


def _confirm(records: "list[Record]") -> None:
    """Ask whether to remove the books; any answer but yes ends the command."""
    for record in records:
        show_message(_describe(record))
    if not typer.confirm("Remove?" if len(records) == 1 else f"Remove these {len(records)} books?", err=True):
        show_message("nothing was removed")
        raise typer.Exit


def _describe(record: "Record") -> str:
    return f"“{record.title}” ({record.format}, {count_of(record.n_chunks, 'chunk')})"


@app.command()
def edit(at: LibraryAt, book: Title, new_values: Edits) -> None:
    """Change a book's title, author and other metadata."""
    changes: Any = {name: value for name, value in new_values.items() if value is not None}
    if not changes:
        raise ConfigError(
            "there is nothing to change", why="no option was given", fix="alexandria edit BOOK --title TITLE"
        )
    with at.open() as library:
        before = library.book(book)
        record = library.edit(before.book_id, **changes)
    show_message(f"“{before.title}”")
    for name in changes:
        show_message(f"  {name.replace('_', ' ')}: {_describe_change(before, record, name)}")
    author = changes.get("author", "")
    if record.author == before.author and re.fullmatch(r"[^{},;]+ [^{},;]+", author):
        show_message(f"To cite a name whole, not by its last word:  --author '{{{author}}}'")
    changed = [name for name in changes if _option_values(before, name) != _option_values(record, name)]
    if options_to_undo := _options_to_restore(before, changed):
        show_message(f"undo:  alexandria edit {before.book_id[:8]} {options_to_undo}")


def _describe_change(before: "Record", record: "Record", name: str) -> str:
    """Return a field of a book before and after an edit."""
    old, new = _shown_value(before, name), _shown_value(record, name)
    if old == new:  # a name may be divided in another way
        old, new = ("; ".join(_option_values(version, name)) for version in (before, record))
    return f"{old or '(none)'} → {new or '(none)'}" if old != new else f"{new or '(none)'}, as before"


def _options_to_restore(before: "Record", fields: Iterable[str]) -> str:
    """Return the options of `edit` that set these fields as they were."""
    import shlex

    values = ((name, value) for name in fields for value in _option_values(before, name))
    return " ".join(f"{option_of(name)} {shlex.quote(value)}" for name, value in values)


def _option_values(record: "Record", name: str) -> list[str]:
    """Return the values that the option of `edit` for a field takes to set it as it is in this record."""
    if name in ("author", "editors"):
        names = [person.typed for person in record.people if person.role == name.removesuffix("s")]
        return names or [""] if name == "editors" else ["; ".join(names) or record.author]
    value = getattr(record, name)
    return list(value) or [""] if isinstance(value, tuple) else [str(value)]


def _shown_value(record: "Record", name: str) -> str:
    """Return a field of a book as `edit` names it."""
    if name == "editors":
        return ", ".join(person.name for person in record.people if person.role == "editor")
    value = getattr(record, name)
    return ", ".join(value) if isinstance(value, tuple) else str(value)


@app.command()
def status(
    at: LibraryAt,
    failures: Annotated[
        bool, option("--failures", "List all files that could not be read, each with the reason.")
    ] = False,
    ignore: Annotated[
        list[Path] | None,
        option(
            "--ignore FILE", "Ignore this failed file: an ingest succeeds if no other file fails; repeatable."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show what is in the library, who writes to it, and failed files."""
    from alexandria.library.location import library_options
    from alexandria.show.json.status import status_document
    from alexandria.show.json.view import document_of
    from alexandria.show.terminal.status import show_failures, show_status

    library = at.open()
    if failures or ignore:  # they are known even if no library was made
        listed = library.ignore_failures(ignore) if ignore else library.failures()
        if not listed:
            library.books(limit=1)  # raises where no library is
        if json:
            print_json([document_of(failure) for failure in listed])
        else:
            show_failures(listed)
        return
    with library:
        current = library.status()
        failed = library.failures()
    if json:
        print_json(status_document(current))
    else:
        show_status(current, failed, library_options(current.store, current.collection))
