"""A damaged embedded library, built again from what can be read of it and from the books' files."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from alexandria.batch.adoption import Adopter
from alexandria.batch.mending import made_again
from alexandria.book import Point
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError
from alexandria.store.edge import EdgeStore, stored_binding
from alexandria.store.lock import claim
from alexandria.store.points import digest_of
from alexandria.store.record import (
    Record,
    latest_by_path,
    point_ids,
    read_records,
    removed_by_id,
    with_vector_sums,
)
from alexandria.store.remains import Remains, built_beside, exchange, finish_exchange, is_exchanging
from alexandria.store.vectors import are_valid
from alexandria.store.verify import find_book_flaws

Tried = Callable[[Record, AlexandriaError | None], None]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The books of a library that was built again."""

    copied: tuple[Record, ...]
    """Their points could be read."""
    mended: tuple[Record, ...]
    """Their points were made again from their files."""
    adopted: tuple[Record, ...]
    """Their records were made again from their points."""
    failed: tuple[Record, ...]
    """Some of their points are missing."""


def rebuild(
    folder: Path,
    encoder: Callable[[Domain], Encoder],
    *,
    books: Iterable[Path] = (),
    password: str | None = None,
    tried: Tried = lambda record, error: None,
) -> Rebuilt:
    """Build a library again beside its damaged files, and exchange them once it is whole.

    Killed at any moment, it goes on where it was when it is called again. The damaged files are kept, for
    `delete_damaged`.

    Args:
        folder: of the library.
        encoder: returns the encoder of a domain.
        books: files, and folders of files, where books may be whose records are lost.
        password: of encrypted files.
        tried: called with each book that is made again, and why it could not be, if it could not.

    Raises:
        FullDiskError: there is no room for it.
        StoreError: another process has the library open.
    """
    binding, lock = stored_binding(folder), claim(folder)
    try:
        if is_exchanging(folder):
            finish_exchange(folder)
            return Rebuilt((), (), (), ())
        with Remains(folder) as remains, built_beside(folder, binding) as store:
            records = remains.records()
            stored, _ = latest_by_path(records)

            def again(record: Record) -> list[Point]:
                return made_again(record, encoder, binding.encoder, password)

            copied, mended, failed = _fill(store, remains, list(stored.values()), again, tried)
            for record in removed_by_id(records).values():
                store.put_record(record.book_id, asdict(record))
            adopter = Adopter(list(stored.values()), encoder, binding.encoder, books)
            adopted = _adopt(store, remains, records, adopter)
        exchange(folder)
        return Rebuilt(copied, mended, adopted, failed)
    finally:
        lock.release()


def _fill(
    store: EdgeStore,
    remains: Remains,
    records: Sequence[Record],
    again: Callable[[Record], list[Point]],
    tried: Tried,
) -> tuple[tuple[Record, ...], ...]:
    """Store the books; return those whose points could be read, were made again, and are not all there."""
    copied, mended, failed = [], [], []
    current = {(record.book_id, record.generation) for record in records}
    for old in read_records(store):  # of a repair that was killed, if the books have changed since
        if (old.book_id, old.generation) not in current and old.removed_at is None:
            store.delete_record(old.book_id)
            store.delete({"generation": [old.generation]})
    there = {(record.book_id, record.generation) for record in read_records(store)}
    for record in records:
        if (record.book_id, record.generation) in there:
            continue
        points = remains.points(point_ids(record))
        if not any(find_book_flaws(record, points, store.binding.dim)):
            copied.append(record)
        else:
            try:
                points = again(record)
                mended.append(record)
                tried(record, None)
            except AlexandriaError as error:
                points = _sound(record, points, store.binding.dim)
                failed.append(record)
                tried(record, error)
        _put(store, record, points)
    return tuple(copied), tuple(mended), tuple(failed)


def _adopt(
    store: EdgeStore, remains: Remains, records: Sequence[Record], adopter: Adopter
) -> tuple[Record, ...]:
    """Store the books whose points are there, but whose records are lost."""
    adopted: dict[str, Record] = {}
    known = {record.generation for record in records}
    there = {record.book_id for record in (*records, *read_records(store))}
    ids = remains.ids()
    for generation in sorted(ids.keys() - known):
        record = adopter.record(remains.points(ids[generation]))
        if record is None or record.book_id in there:
            continue
        other = adopted.get(record.book_id)  # of two generations, the earlier one was being replaced
        if other is None or other.ingested_at < record.ingested_at:
            adopted[record.book_id] = record
    for record in adopted.values():
        _put(store, record, remains.points(ids[record.generation]))
    return tuple(adopted.values())


def _put(store: EdgeStore, record: Record, points: Sequence[Point]) -> None:
    store.upsert(points)
    store.flush()
    store.put_record(record.book_id, asdict(with_vector_sums(record, store)))


def _sound(record: Record, points: Iterable[Point], dim: int) -> list[Point]:
    """Return the points of a book that are as they were written."""
    return [
        point for point in points if digest_of(point.payload) in record.digests and are_valid([point], dim)
    ]
