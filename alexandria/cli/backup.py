"""The commands that write a library to one file and restore it: backup and restore."""

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.cli.chosen import LibraryAt, NewCollection, commands_of
from alexandria.cli.options import EXIT_STORE, Json
from alexandria.errors import StoreError

if TYPE_CHECKING:
    from alexandria.store.record import Record

app = typer.Typer()
command = commands_of(app)


@command()
def backup(
    at: LibraryAt,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write, such as books.zip.", show_default=False)
    ],
    json: Json = False,
) -> None:
    """Write the whole library to one file."""
    from alexandria.inspection.words import count_of
    from alexandria.views.terminal.console import print_json, show_message

    with at.open() as library:
        numbers, n_books = count(1), len(library.books())

        def show(record: "Record") -> None:
            chunks = count_of(record.n_chunks, "chunk")
            show_message(f"“{record.title}”  {chunks}  ({next(numbers):,} of {n_books:,})")

        summary = library.backup(file, written=show)
    if json:
        from alexandria.views.json.backup import backup_document

        print_json(backup_document(file, summary))
        raise typer.Exit(EXIT_STORE if summary.damaged else 0)
    changes = {
        "replaced meanwhile: the backup holds the new version": summary.replaced,
        "removed meanwhile: not in the backup": summary.gone,
        "incomplete in the library: not in the backup": summary.damaged,
        "altered after it was written: in the backup as it is": summary.altered,
    }
    for change, records in changes.items():
        for record in records:
            show_message(f"“{record.title}”  {change}")
    n_books, size = len(summary.books), summary.n_bytes / 1e6
    show_message(f"wrote {count_of(n_books, 'book')} to {file}, {size:,.1f} MB")
    if summary.damaged:
        raise StoreError(
            f"the backup {file} lacks {count_of(len(summary.damaged), 'book')}",
            why="incomplete in the library",
            fix="alexandria verify shows how to repair each; then back up again",
        )


@command()
def restore(
    at: LibraryAt,
    new: NewCollection,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Written by alexandria backup.", show_default=False)
    ],
    json: Json = False,
) -> None:
    """Restore a backup into a new or empty library."""
    from alexandria.inspection.words import count_of
    from alexandria.views.terminal.console import print_json, show_message

    def show(record: "Record", is_new: bool) -> None:
        chunks = count_of(record.n_chunks, "chunk")
        show_message(f"{'restored' if is_new else 'already there':>13}  “{record.title}”  {chunks}")

    library = at.open(new)
    with library:
        summary = library.restore(file, stored=show)
    if json:
        from alexandria.views.json.backup import restore_document

        print_json(restore_document(file, summary))
        return
    n_restored, n_present = len(summary.restored), len(summary.already_there)
    show_message(f"{count_of(n_restored, 'book')} restored, {n_present:,} already there")
