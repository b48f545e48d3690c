"""Restores a backup into a library: checks its hash first, then stores its books one by one."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zipfile import BadZipFile, ZipFile

import numpy as np

from alexandria.book.model import Point, Sparse
from alexandria.errors import ConfigError, StoreError, io_reason, refusing
from alexandria.store.backup import BOOK, FLOAT, FORMAT, MANIFEST, README, REMOVED, VECTORS, hash_of
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, parse_record
from alexandria.store.store import Binding
from alexandria.system.files import write_durably


class Backup:
    """A backup whose hash has been checked. As a context manager, it closes the file at the end."""

    def __init__(self, file: Path) -> None:
        """Open a backup, and read all of it once.

        Raises:
            ConfigError: the file cannot be read, or is not a backup.
            StoreError: the file has changed since it was written, or a newer version wrote it.
        """
        self.file = file.absolute()
        with refusing(f"cannot read the backup {file}", fix="name a file that alexandria backup wrote"):
            self._stream = file.open("rb")
        try:
            self._archive, manifest = self._open_archive()
            self.binding = Binding(**manifest["binding"])
            self.books: tuple[tuple[str, str], ...] = tuple(
                (book["book_id"], book["generation"]) for book in manifest["books"]
            )
            """The id and the generation of each book."""
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def _open_archive(self) -> tuple[ZipFile, Mapping[str, Any]]:
        """Check the file, and return the archive in it with its manifest."""
        # The archive begins with this text, uncompressed, after its header.
        if README[1] not in self._stream.read(4 * len(README[1])):
            raise ConfigError(
                f"cannot restore {self.file}",
                why="it is not a backup of a library, or its beginning is damaged",
                fix="name a file that alexandria backup wrote; if this is one, use another copy of it",
            )
        try:
            digest = hash_of(self._stream)
            is_unchanged = self._stream.read() == digest
        except OSError as error:
            raise self._damaged_error(io_reason(error)) from error
        if not is_unchanged:
            raise self._damaged_error(
                "it was altered or cut off after it was written: its hash does not match"
            )
        try:
            archive = ZipFile(self._stream)
            manifest = json.loads(archive.read(MANIFEST))
        except (BadZipFile, KeyError, ValueError) as error:
            raise self._damaged_error(str(error)) from error
        if manifest["format"] > FORMAT:
            raise StoreError(
                f"cannot restore {self.file}",
                why=f"a newer version of Alexandria wrote it, in format {manifest['format']}",
                fix="update Alexandria",
            )
        return archive, manifest

    def _damaged_error(self, why: str) -> StoreError:
        return StoreError(
            f"cannot restore {self.file}", why=why, fix="use another copy of it, or an older backup"
        )

    def read(self, number: int) -> tuple[Record, list[Point]]:
        """Return a book and its points; `number` counts from 1, in the order of `books`."""
        stored = json.loads(self._archive.read(BOOK.format(number)))
        numbers = np.frombuffer(self._archive.read(VECTORS.format(number)), FLOAT)
        points, dim, start = [], self.binding.dim, 0
        for point in stored["points"]:
            n_sentences = point["sentences"]  # None if the point has no sentence vectors
            end = start + dim * (1 + (n_sentences or 0))
            # The chunk vector comes first; the sentence vectors follow.
            vectors = numbers[start:end].reshape(-1, dim).astype(np.float32)
            start = end
            points.append(
                Point(
                    id=point["id"],
                    dense=vectors[0],
                    sentences=None if n_sentences is None else vectors[1:],
                    bm25=Sparse(tuple(point["bm25"]["indices"]), tuple(point["bm25"]["values"])),
                    payload=point["payload"],
                )
            )
        return parse_record(stored["record"], str(self.file)), points

    def removed_books(self) -> list[Record]:
        """Return the records of the books that were removed."""
        return [parse_record(stored, str(self.file)) for stored in json.loads(self._archive.read(REMOVED))]


@dataclass(frozen=True, slots=True)
class RestoreSummary:
    """What a restore has stored."""

    restored: tuple[Record, ...]
    already_there: tuple[Record, ...]
    """Books that an earlier, interrupted restore of the same backup has stored."""
    removed_books: tuple[Record, ...]
    """Books that had been removed before the backup was made: only their records are restored."""


def restore_books(
    backup: Backup,
    target: Catalog,
    restoring_path: Path | None = None,
    *,
    stored: Callable[[Record, bool], None] = lambda record, is_new: None,
) -> RestoreSummary:
    """Store the books of a backup in a library that holds no others.

    A book becomes visible once all of it is stored, so an interrupted restore resumes where it stopped.

    Args:
        restoring_path: a file that exists until the restore is complete, and names the backup.
        stored: called with each book, and whether it was stored now or was there already.

    Raises:
        StoreError: the library holds a book that is not in the backup.
    """
    _refuse_others(backup, target)
    if restoring_path is not None:
        restoring_path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(restoring_path, str(backup.file))
    restored: list[Record] = []
    already_there: list[Record] = []
    for number, (book_id, generation) in enumerate(backup.books, start=1):  # as `Backup.read` counts
        is_missing = not target.holds(book_id, generation)
        if is_missing:
            target.replace(*backup.read(number))
        record = target.book(book_id)
        if is_missing:
            restored.append(record)
        else:
            already_there.append(record)
        stored(record, is_missing)
    # Without the books that have been ingested again since they were removed: the backup holds these, too.
    removed = [record for record in backup.removed_books() if target.find_id(record.book_id) is None]
    for record in removed:
        target.update(record)
    if restoring_path is not None:
        restoring_path.unlink(missing_ok=True)
    return RestoreSummary(
        restored=tuple(restored), already_there=tuple(already_there), removed_books=tuple(removed)
    )


def interrupted_restore(restoring_path: Path | None) -> str | None:
    """Return the command that completes a restore that was interrupted; None if no file says that one was."""
    try:
        file = restoring_path.read_text(encoding="utf-8") if restoring_path else ""
    except OSError:
        return None
    return f"alexandria restore {file}" if file else None


def _refuse_others(backup: Backup, target: Catalog) -> None:
    """Refuse a library that holds a book that is not in the backup."""
    with target.read_lock():
        others = [
            record.title
            for record in target.books()
            if (record.book_id, record.generation) not in backup.books
        ]
    if others:
        raise StoreError(
            "cannot restore into this library",
            why=f"it holds books that are not in the backup, such as “{others[0]}”",
            fix="restore into a new one: --store FOLDER, or another --collection",
        )
