"""Rebuilds a damaged library in a folder from what can be read of it and from the files of its books."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from alexandria.batch.adoption import Adopter
from alexandria.batch.mending import rebuild_points
from alexandria.book import Point
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError
from alexandria.store.edge import EdgeStore, stored_binding
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
    """Rebuild a library next to its damaged files, and exchange the two once the new one is complete.

    If it is killed at any moment, the next call resumes where it was. The damaged files are kept until
    `delete_damaged`.

    Args:
        folder: of the library.
        encoder: returns the encoder of a domain.
        books: files, and folders of files, in which the files of books without a record may be.
        password: of encrypted files.
        tried: called with each book whose points are rebuilt from its file, and the error if that failed.

    Raises:
        FullDiskError: there is no room for the new files.
        StoreError: another process has the library open.
    """
    binding, lock = stored_binding(folder), require_lock(folder)
    try:
        if is_exchanging(folder):
            finish_exchange(folder)
            return RebuildSummary()
        with Remains(folder) as remains, build_replacement(folder, binding) as store:
            records = remains.records()
            latest_by_id, _ = latest_by_path(records)
            latest = list(latest_by_id.values())

            def rebuild_from_file(record: Record) -> list[Point]:
                return rebuild_points(record, encoder, binding.encoder, password)

            _delete_outdated(store, latest)
            summary = _store_books(store, remains, latest, rebuild_from_file, tried)
            for record in removed_by_id(records).values():
                store.put_record(record.book_id, asdict(record))
            adopter = Adopter(latest, encoder, binding.encoder, books)
            adopted = _store_adopted(store, remains, records, adopter)
        exchange_files(folder)
        return replace(summary, adopted=adopted)
    finally:
        lock.release()


def _delete_outdated(store: EdgeStore, records: Sequence[Record]) -> None:
    """Delete books that an interrupted repair has stored and that have been replaced or removed since."""
    current = {(record.book_id, record.generation) for record in records}
    for old in read_records(store):
        if (old.book_id, old.generation) not in current and old.removed_at is None:
            store.delete_record(old.book_id)
            store.delete({"generation": [old.generation]})


def _store_books(
    store: EdgeStore,
    remains: Remains,
    records: Sequence[Record],
    rebuild_from_file: Callable[[Record], list[Point]],
    tried: Tried,
) -> RebuildSummary:
    """Store the books that an interrupted repair has not stored yet.

    A book whose points can be neither read nor rebuilt is stored with those that are undamaged.
    """
    copied, mended, failed = [], [], []
    stored = {(record.book_id, record.generation) for record in read_records(store)}
    for record in records:
        if (record.book_id, record.generation) in stored:
            continue
        points = remains.points(point_ids(record))
        if not any(find_book_flaws(record, points, store.binding.dim)):
            copied.append(record)
        else:
            try:
                points = rebuild_from_file(record)
                mended.append(record)
                tried(record, None)
            except AlexandriaError as error:
                points = _undamaged_points(record, points, store.binding.dim)
                failed.append(record)
                tried(record, error)
        _store_book(store, record, points)
    return RebuildSummary(copied=tuple(copied), mended=tuple(mended), failed=tuple(failed))


def _store_adopted(
    store: EdgeStore, remains: Remains, records: Sequence[Record], adopter: Adopter
) -> tuple[Record, ...]:
    """Store the books that have points but no record, and return their rebuilt records.

    Args:
        store: the new store.
        remains: what can be read of the damaged files.
        records: every record that could be read.
        adopter: rebuilds the records.
    """
    adopted: dict[str, Record] = {}
    generations = {record.generation for record in records}
    book_ids = {record.book_id for record in (*records, *read_records(store))}
    ids = remains.ids()
    for generation in sorted(ids.keys() - generations):
        record = adopter.rebuild_record(remains.points(ids[generation]))
        if record is None or record.book_id in book_ids:
            continue
        # Two generations of a book: the repair was needed while the later one was replacing the earlier.
        other = adopted.get(record.book_id)
        if other is None or other.ingested_at < record.ingested_at:
            adopted[record.book_id] = record
    for record in adopted.values():
        _store_book(store, record, remains.points(ids[record.generation]))
    return tuple(adopted.values())


def _store_book(store: EdgeStore, record: Record, points: Sequence[Point]) -> None:
    """Write the points of a book, and then its record: a book with a record counts as stored."""
    store.upsert(points)
    store.flush()
    store.put_record(record.book_id, asdict(with_vector_sums(record, store)))


def _undamaged_points(record: Record, points: Iterable[Point], dim: int) -> list[Point]:
    """Return the points of a book that are still as they were written."""
    return [
        point
        for point in points
        if digest_of(point.payload) in record.digests and have_valid_vectors([point], dim)
    ]
