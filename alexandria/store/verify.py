"""Checks that a store holds what its catalog lists: each book's points, unaltered, with valid vectors."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from alexandria.book import Point, Sparse
from alexandria.store.points import digest_of, point_id
from alexandria.store.record import Record, point_ids, read_records
from alexandria.store.store import INDEXED_PAYLOAD, Store
from alexandria.store.vectors import VectorName, vector_sum

_SUM_ERROR = 1e-5
"""By which the sums of the same vectors may differ: another processor rounds what it unpacks otherwise."""
_AT_ONCE = 256
"""Records that are looked up at a time."""


class Flaw(StrEnum):
    """What can be wrong with a library."""

    MISSING = "missing"
    """A chunk in the catalog has no point."""
    ALTERED = "altered"
    """A payload differs from the one that was written, or vectors differ from those that were stored."""
    VECTOR = "vector"
    """A vector is missing, not finite, or of the wrong length."""
    FOREIGN = "foreign"
    """A point that belongs to no book."""
    UNRECORDED = "unrecorded"
    """The points of a book that is not in the catalog."""
    UNLISTED = "unlisted"
    """A record, or points, that are there, but are not found by what an index lists, or by their id."""
    UNRESTORED = "unrestored"
    """A restore that was interrupted: books of the backup may be missing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One flaw, where it is, and how to repair it."""

    flaw: Flaw
    book: str
    """The title; empty if there is none."""
    detail: str
    fix: str


def find_flaws(store: Store) -> Iterator[Finding]:
    """Yield what is wrong with a store; reads every point once.

    The vectors of a server are not read: there are no sums to compare them with, and the server refuses those
    that are not finite or have another length. It is asked which points have none.

    Args:
        store: not swept since it was opened: a sweep deletes the points that no record lists.
    """
    for fault in store.catalog_faults():
        yield Finding(Flaw.UNLISTED, "", f"the catalog is damaged: {fault}", "alexandria repair")
    records = read_records(store)
    yield from _unlisted(store, records)
    missing = {
        id: (record, number)
        for record in records
        if record.removed_at is None
        for number, id in enumerate(point_ids(record))
    }
    books = {(record.book_id, record.generation) for record, _ in missing.values()}
    strays: dict[str, list[Mapping[str, Any]]] = {}
    indexed: dict[str, Counter[str | int]] = {key: Counter() for key in INDEXED_PAYLOAD}
    lost = _lost_vectors(store) if store.shared else {}
    for point in _without_vectors(store) if store.shared else store.points({}):
        for key, values in indexed.items():
            held = point.payload.get(key)
            values.update(held if isinstance(held, list) else [held] if held is not None else [])
        place = missing.pop(point.id, None)
        if place is not None:
            yield from _payload_flaws(point, *place)
            if not store.shared:
                yield from _vector_flaws(point, *place, store.binding.dim)
            elif point.id in lost:
                yield from _lost_vector(lost[point.id], *place)
        elif (point.payload.get("book_id"), point.payload.get("generation")) in books and not store.shared:
            yield _misnamed(point)
        elif _ours(point):
            strays.setdefault(str(point.payload["generation"]), []).append(point.payload)
        else:
            yield _foreign(point)
    yield from _missing_findings(missing.values())
    yield from map(_unrecorded, strays.values())
    yield from _unindexed(store, indexed)


def find_book_flaws(record: Record, points: Iterable[Point], dim: int) -> Iterator[Finding]:
    """Yield what is wrong with the points of one book, as they were read from its store.

    Args:
        record: the book.
        points: of its generation, in any order.
        dim: of a vector.
    """
    missing = {id: (record, number) for number, id in enumerate(point_ids(record))}
    for point in points:
        place = missing.pop(point.id, None)
        if place is None:
            yield _foreign(point)
        else:
            yield from _payload_flaws(point, *place)
            yield from _vector_flaws(point, *place, dim)
    yield from _missing_findings(missing.values())


def _ours(point: Point) -> bool:
    """Return whether a point has the id that Alexandria gives such a point: no other program wrote it."""
    book, generation, number = (point.payload.get(key) for key in ("book_id", "generation", "chunk_id"))
    return isinstance(number, int) and point.id == point_id(str(book), str(generation), number)


def _without_vectors(store: Store) -> Iterator[Point]:
    """Yield every point, with payload and empty vectors."""
    for id, payload in store.payloads({}):
        yield Point(id, np.empty(0, np.float32), None, Sparse((), ()), payload)


def _lost_vectors(store: Store) -> dict[str, VectorName]:
    """Return the vector that a point lacks, by the ids of such points; the dense one if it lacks both."""
    names = (VectorName.SENTENCES, VectorName.DENSE)
    return {id: name for name in names for id in store.lacking(name)}


def _lost_vector(name: VectorName, record: Record, number: int) -> Iterator[Finding]:
    """Yield the finding that a point has lost a vector, if its book should have it."""
    if name is VectorName.DENSE or record.settings.get("sentence_vectors", True):
        kind = "vector" if name is VectorName.DENSE else "sentence vectors"
        yield Finding(Flaw.VECTOR, record.title, f"chunk {number} has lost its {kind}", _remedy(record))


def _payload_flaws(point: Point, record: Record, number: int) -> Iterator[Finding]:
    same_time = point.payload.get("ingested_at") == record.ingested_at  # the digest does not cover it
    if record.digests[number : number + 1] != (digest_of(point.payload),) or not same_time:
        detail = f"the payload of chunk {number} was changed"
        yield Finding(Flaw.ALTERED, record.title, detail, _remedy(record))


def _vector_flaws(point: Point, record: Record, number: int, dim: int) -> Iterator[Finding]:
    fix = _remedy(record)
    rows = [point.dense] if point.sentences is None else [point.dense, *point.sentences]
    # No text has a vector of zeros: it is what is left of a number that 8 bits cannot hold.
    if not all(row.shape == (dim,) and np.isfinite(row).all() and row.any() for row in rows):
        detail = f"chunk {number} has a vector that is not {dim} finite numbers, or only zeros"
        yield Finding(Flaw.VECTOR, record.title, detail, fix)
    elif point.sentences is None and record.settings.get("sentence_vectors", True):
        yield Finding(Flaw.VECTOR, record.title, f"chunk {number} has lost its sentence vectors", fix)
    elif any(
        abs(total - vector_sum(point)) > _SUM_ERROR for total in record.vector_sums[number : number + 1]
    ):
        yield Finding(Flaw.ALTERED, record.title, f"the vectors of chunk {number} were changed", fix)


def _unlisted(store: Store, records: Sequence[Record]) -> Iterator[Finding]:
    """Yield one finding per book whose record the catalog does not find by its id."""
    for i in range(0, len(records), _AT_ONCE):
        some = records[i : i + _AT_ONCE]
        ids = [record.book_id for record in some]
        matches = store.records_by("book_id", ids, ("book_id", "generation"))
        found = {(match.get("book_id"), match.get("generation")) for match in matches}
        for record in some:
            if (record.book_id, record.generation) not in found and not _has_newer(record, records):
                detail = "the catalog lists this book, but does not find it by its id: its index is damaged"
                yield Finding(Flaw.UNLISTED, record.title, detail, "alexandria repair")


def _unindexed(store: Store, indexed: Mapping[str, Mapping[str | int, int]]) -> Iterator[Finding]:
    """Yield one finding per key of payloads by which points are not found that have it.

    Args:
        store: that was read.
        indexed: how many points have each value of a key.
    """
    for key, values in indexed.items():
        n_missed = (Counter(values) - Counter(store.counts(key, len(values)))).total()
        if n_missed:
            detail = f"{n_missed} points are not found by their {key}: its index is damaged"
            yield Finding(Flaw.UNLISTED, "", detail, "alexandria repair")


def _has_newer(record: Record, records: Sequence[Record]) -> bool:
    """Return whether another record replaces this one, which a crash has left."""
    return any(other.source == record.source and other is not record for other in records)


def _missing_findings(chunks: Iterable[tuple[Record, int]]) -> Iterator[Finding]:
    """Yield one finding per book with the numbers of its chunks that have no point."""
    records: dict[str, Record] = {}
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for record, chunk_number in chunks:
        records[record.book_id] = record
        numbers[record.book_id].append(chunk_number)
    for book_id, record in records.items():
        missing = numbers[book_id]
        shown = ", ".join(map(str, missing[:10])) + (", …" if len(missing) > 10 else "")
        detail = f"chunks without a point: {len(missing)} of {record.n_chunks}: {shown}"
        yield Finding(Flaw.MISSING, record.title, detail, _remedy(record))


def _misnamed(point: Point) -> Finding:
    title, number = str(point.payload.get("book_title") or ""), point.payload.get("chunk_id")
    detail = f"chunk {number} is not found by its id, but by {point.id}: the index of ids is damaged"
    return Finding(Flaw.UNLISTED, title, detail, "alexandria repair")


def _foreign(point: Point) -> Finding:
    return Finding(
        Flaw.FOREIGN,
        str(point.payload.get("book_title") or ""),
        f"point {point.id} belongs to no book in the catalog",
        "another program wrote it: delete it there, or copy the library with alexandria copy --to STORE",
    )


def _unrecorded(payloads: list[Mapping[str, Any]]) -> Finding:
    first = payloads[0]
    return Finding(
        Flaw.UNRECORDED,
        str(first.get("book_title") or ""),
        f"{len(payloads)} points have no catalog record: it is missing, or an ingest was interrupted",
        "alexandria repair",
    )


_RESTORE = "alexandria restore BACKUP --store NEW_FOLDER"


def _remedy(record: Record) -> str:
    """Return the command that mends a book: what can be made again from its file, is."""
    if Path(record.source).is_file():
        return f"alexandria repair; if that cannot, alexandria ingest --force {record.source}"
    return f"bring {record.source} back and run alexandria repair; or {_RESTORE}"
