"""The commands that keep a library safe: backup, restore, verify and repair."""

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alexandria.book.words import count_of
from alexandria.doors.cli.chosen import App, LibraryAt, NewCollection, password_from
from alexandria.doors.cli.options import EXIT_STORE, Json, PasswordFile, argument
from alexandria.doors.cli.printing import print_json, show_error, show_message
from alexandria.errors import AlexandriaError, StoreError

if TYPE_CHECKING:
    from alexandria.library.care.repair import Repair, Verification
    from alexandria.store.record import Record

app = App()


@app.command()
def backup(
    at: LibraryAt,
    file: Annotated[Path, argument("FILE", "The file to write, such as books.zip.")],
    json: Json = False,
) -> None:
    """Write the whole library to one file."""
    with at.open() as library:
        numbers, n_books = count(1), len(library.books())

        def show(record: "Record") -> None:
            chunks = count_of(record.n_chunks, "chunk")
            show_message(f"“{record.title}”  {chunks}  ({next(numbers):,} of {n_books:,})")

        summary = library.backup(file, written=show)
    if json:
        from alexandria.show.json.library import backup_document

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


@app.command()
def restore(
    at: LibraryAt,
    new: NewCollection,
    file: Annotated[Path, argument("FILE", "Written by alexandria backup.")],
    json: Json = False,
) -> None:
    """Restore a backup into a new or empty library."""

    def show(record: "Record", is_new: bool) -> None:
        chunks = count_of(record.n_chunks, "chunk")
        show_message(f"{'restored' if is_new else 'already there':>13}  “{record.title}”  {chunks}")

    library = at.open(new)
    with library:
        summary = library.restore(file, stored=show)
    if json:
        from alexandria.show.json.library import restore_document

        print_json(restore_document(file, summary))
        return
    n_restored, n_present = len(summary.restored), len(summary.already_there)
    show_message(f"{count_of(n_restored, 'book')} restored, {n_present:,} already there")


@app.command()
def repair(
    at: LibraryAt,
    books: Annotated[
        list[Path] | None,
        argument("PATH...", "Files or folders in which to look for books whose records are lost."),
    ] = None,
    password_file: PasswordFile = None,
    json: Json = False,
) -> None:
    """Repair a damaged library."""
    from alexandria.show.json.library import repair_document

    def show(record: "Record", error: AlexandriaError | None) -> None:
        if error is None:
            show_message(f"repaired “{record.title}”  {count_of(record.n_chunks, 'chunk')}")
        else:
            show_error(error)

    with at.open() as library:
        repaired = library.repair(books or (), password=password_from(password_file), tried=show)
    if json:
        print_json(repair_document(repaired))
        raise typer.Exit(EXIT_STORE if repaired.checked.findings else 0)
    _show_repair(repaired)
    _show_verification(repaired.checked)


def _show_repair(repaired: "Repair") -> None:
    """Print what was mended besides books, and where files are that could not be mended."""
    # The binding, in `alexandria.json`, names the model of the library and the length of its vectors.
    if (binding := repaired.binding) is not None:
        show_message(f"rewrote alexandria.json: {binding.encoder}, {binding.dim} dimensions")
    if repaired.is_rebuilt:
        show_message("replaced files of the library that could not be read")
    for record in repaired.adopted:
        show_message(f"“{record.title}” is listed again  {count_of(record.n_chunks, 'chunk')}")
        for warning in record.warnings:
            show_message(f"  {warning}")
    for title in repaired.deleted:
        show_message(f"“{title}” was removed, because its record and some chunks were lost: ingest it again")
    if repaired.kept is not None:
        if not repaired.checked.findings:
            show_message("the list of books was damaged too: ingest again what alexandria list does not show")
        show_message(
            f"the damaged files are in {repaired.kept}; alexandria repair deletes them once no error is left"
        )


@app.command()
def verify(at: LibraryAt, json: Json = False) -> None:
    """Check that every book is complete and unaltered."""
    from alexandria.show.json.library import VerifyDocument
    from alexandria.show.json.view import view_of

    with at.open() as library:
        checked = library.verify()
    if json:
        print_json(view_of(VerifyDocument, checked))
        raise typer.Exit(EXIT_STORE if checked.findings else 0)
    _show_verification(checked)


def _show_verification(checked: "Verification") -> None:
    """Print what is wrong with a library, or that nothing is.

    Raises:
        StoreError: something is wrong.
    """
    from alexandria.show.terminal.library import show_findings

    findings, n_books, n_points = checked.findings, checked.n_books, checked.n_points
    show_findings(findings)
    for sentence in checked.interrupted:
        show_message(sentence)
    if findings:
        raise StoreError(
            f"the library at {checked.library} does not match its catalog",
            why=f"{count_of(len(findings), 'finding')} in {n_points:,} chunks of {count_of(n_books, 'book')}",
            fix=findings[0].fix,
        )
    show_message(f"{count_of(n_books, 'book')}, {count_of(n_points, 'chunk')}: no errors found")
