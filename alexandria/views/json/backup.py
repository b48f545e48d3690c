"""The documents of `alexandria backup` and `alexandria restore`."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict

from alexandria.store.backup import BackupSummary
from alexandria.store.record import Record
from alexandria.store.restore import RestoreSummary
from alexandria.views.json.types import Count
from alexandria.views.json.view import view_of


class BackupDocument(TypedDict):
    """`alexandria backup --json`: what a backup holds, and what it does not."""

    file: str
    bytes: Count
    books: Count
    chunks: Count
    removed_books: Count
    """Removed before the backup began: it holds their records."""
    replaced: list[str]
    """Titles of the books that were replaced meanwhile: it holds what they were replaced by."""
    gone: list[str]
    """Titles of the books that were removed meanwhile: it does not hold them."""
    damaged: list[str]
    """Titles of the books that are incomplete in the library: it does not hold them."""
    altered: list[str]
    """Titles of the books of which payloads were altered: it holds them as they are."""


class RestoreDocument(TypedDict):
    """`alexandria restore --json`: what a restore has stored."""

    file: str
    restored: Count
    already_there: Count
    """Books stored by an earlier restore of the same backup."""
    chunks: Count
    """Of all books of the backup."""
    removed_books: Count
    """Records of books that were removed."""


def backup_document(file: Path, summary: BackupSummary) -> BackupDocument:
    """Return what a backup holds."""
    return view_of(
        BackupDocument,
        summary,
        file=file,
        books=len(summary.books),
        chunks=sum(record.n_chunks for record in summary.books),
        removed_books=len(summary.removed_books),
        replaced=_titles(summary.replaced),
        gone=_titles(summary.gone),
        damaged=_titles(summary.damaged),
        altered=_titles(summary.altered),
    )


def restore_document(file: Path, summary: RestoreSummary) -> RestoreDocument:
    """Return what a restore has stored."""
    return {
        "file": str(file),
        "restored": len(summary.restored),
        "already_there": len(summary.already_there),
        "chunks": sum(record.n_chunks for record in (*summary.restored, *summary.already_there)),
        "removed_books": len(summary.removed_books),
    }


def _titles(records: Iterable[Record]) -> list[str]:
    return [record.title for record in records]
