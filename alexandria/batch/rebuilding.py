"""Rebuilds a damaged library in a folder from what can be read of it and from the files of its books.

The new files are written into the replacement, a library next to the damaged files, and take the place of the
damaged files once the replacement is complete.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from alexandria.batch.adoption import Adopter
from alexandria.batch.mending import rebuild_points
from alexandria.book import Point
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError
from alexandria.store.edge import EdgeStore, read_binding
from alexandria.store.lock import require_lock
from alexandria.store.points import digest_of
from alexandria.store.record import (
    Record,
    latest_by_path,
    point_ids,
    read_records,
    removed_by_id,
    with_vector_sums,
)
from alexandria.store.remains import (
    Remains,
    build_replacement,
    exchange_files,
    finish_exchange,
    is_exchanging,
)
from alexandria.store.vectors import have_valid_vectors
from alexandria.store.verify import find_book_flaws

Tried = Callable[[Record, AlexandriaError | None], None]
"""Called with each book whose points are rebuilt from its file, and the error if that failed."""


@dataclass(frozen=True, slots=True)
class RebuildSummary:
    """The books of a library that was rebuilt."""

    copied: tuple[Record, ...] = ()
    """Books whose points could be read."""
    mended: tuple[Record, ...] = ()
    """Books whose points were rebuilt from their files."""
    adopted: tuple[Record, ...] = ()
    """Books whose records were rebuilt from their points."""
    failed: tuple[Record, ...] = ()
    """Books of which some points are missing."""


def rebuild(
    folder: Path,
    encoder: Callable[[Domain], Encoder],
    *,
    books: Iterable[Path] = (),
    password: str | None = None,
    tried: Tried = lambda record, error: None,
) -> RebuildSummary:
    """Fill a replacement next to the damaged files of a library, and exchange the files once it is complete.

    If a rebuild is killed at any moment, the next call resumes it. The damaged files are kept until
    `delete_damaged`.

    Args:
        folder: the folder of the library.
        encoder: returns the encoder of a domain.
        books: files, and folders of files, in which the files of books without a record may be.
        password: the password of encrypted files.
        tried: called with each book whose points are rebuilt from its file, and the error if that failed.

    Raises:
        FullDiskError: there is no room for the new files.
        StoreError: another process has the library open.
    """
    binding, lock = read_binding(folder), require_lock(folder)
    try:
        if is_exchanging(folder):
            finish_exchange(folder)
            return RebuildSummary()
        with Remains(folder) as remains, build_replacement(folder, binding) as replacement:
            records = remains.records()
            latest_by_id, _ = latest_by_path(records)
            latest = list(latest_by_id.values())

            def rebuild_from_file(record: Record) -> list[Point]:
                return rebuild_points(record, encoder, binding.encoder, password)

            _delete_outdated(replacement, latest)
            summary = _store_books(replacement, remains, latest, rebuild_from_file, tried)
            for record in removed_by_id(records).values():
                replacement.put_record(record.book_id, asdict(record))
            adopter = Adopter(latest, encoder, binding.encoder, books)
            adopted = _store_adopted(replacement, remains, records, adopter)
        exchange_files(folder)
        return replace(summary, adopted=adopted)
    finally:
        lock.release()


def _delete_outdated(replacement: EdgeStore, latest: Sequence[Record]) -> None:
    """Delete from the replacement what a killed rebuild had stored there and the library does not list.

    Such a book has been replaced or removed since, or was adopted; `_store_adopted` adopts it again. On a
    first run the replacement is empty, and nothing happens.

    Args:
        replacement: the new library.
        latest: the records of the books that the damaged library lists.
    """
    wanted = {(record.book_id, record.generation) for record in latest}
    for stored in read_records(replacement):
        if (stored.book_id, stored.generation) not in wanted and stored.removed_at is None:
            # The record goes last: if this is killed in between, the next call still finds the book by it.
            replacement.delete({"generation": [stored.generation]})
            replacement.flush()
            replacement.delete_record(stored.book_id)


def _store_books(
    replacement: EdgeStore,
    remains: Remains,
    latest: Sequence[Record],
    rebuild_from_file: Callable[[Record], list[Point]],
    tried: Tried,
) -> RebuildSummary:
    """Store the books that a killed rebuild had not stored yet; return which were copied, mended or failed.

    If some points of a book can be neither read nor rebuilt, the book is stored with its other points.
    """
    copied, mended, failed = [], [], []
    stored = {(record.book_id, record.generation) for record in read_records(replacement)}
    for record in latest:
        if (record.book_id, record.generation) in stored:
            continue
        points = remains.points(point_ids(record))
        if not any(find_book_flaws(record, points, replacement.binding.dim)):
            copied.append(record)
        else:
            try:
                points = rebuild_from_file(record)
                mended.append(record)
                tried(record, None)
            except AlexandriaError as error:
                points = _select_undamaged_points(record, points, replacement.binding.dim)
                failed.append(record)
                tried(record, error)
        _store_book(replacement, record, points)
    return RebuildSummary(copied=tuple(copied), mended=tuple(mended), failed=tuple(failed))


def _store_adopted(
    replacement: EdgeStore, remains: Remains, records: Sequence[Record], adopter: Adopter
) -> tuple[Record, ...]:
    """Store the books that have points but no record, and return their rebuilt records.

    Args:
        replacement: the new library.
        remains: what can be read of the damaged files.
        records: every record that could be read.
        adopter: rebuilds the records.
    """
    adopted: dict[str, Record] = {}
    generations = {record.generation for record in records}
    book_ids = {record.book_id for record in (*records, *read_records(replacement))}
    ids = remains.ids()
    for generation in sorted(ids.keys() - generations):
        record = adopter.rebuild_record(remains.points(ids[generation]))
        if record is None or record.book_id in book_ids:
            continue
        # Two generations of a book: the library was damaged while the later one was replacing the earlier.
        other = adopted.get(record.book_id)
        if other is None or other.ingested_at < record.ingested_at:
            adopted[record.book_id] = record
    for record in adopted.values():
        _store_book(replacement, record, remains.points(ids[record.generation]))
    return tuple(adopted.values())


def _store_book(replacement: EdgeStore, record: Record, points: Sequence[Point]) -> None:
    """Write the points of a book, and then its record: a book with a record counts as stored."""
    replacement.upsert(points)
    replacement.flush()
    replacement.put_record(record.book_id, asdict(with_vector_sums(record, replacement)))


def _select_undamaged_points(record: Record, points: Iterable[Point], dim: int) -> list[Point]:
    """Return the points of a book that are still as they were written."""
    return [
        point
        for point in points
        if digest_of(point.payload) in record.digests and have_valid_vectors([point], dim)
    ]
