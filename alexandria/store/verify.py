"""Checks that a store holds what its catalog lists: each book's points, unaltered, with valid vectors."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from alexandria.book import Point
from alexandria.store.points import digest_of, point_id
from alexandria.store.record import Record, read_records
from alexandria.store.store import Store


class Flaw(StrEnum):
    """What can be wrong with a library."""

    MISSING = "missing"
    """A chunk in the catalog has no point."""
    ALTERED = "altered"
    """A payload differs from the one that was written."""
    VECTOR = "vector"
    """A vector is missing, not finite, or of the wrong length."""
    FOREIGN = "foreign"
    """A point that belongs to no book."""
    UNRECORDED = "unrecorded"
    """The points of a book that is not in the catalog."""
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

    Args:
        store: not swept since it was opened: a sweep deletes the points that no record lists.
    """
    missing = {
        point_id(record.book_id, record.generation, number): (record, number)
        for record in read_records(store)
        if record.removed_at is None
        for number in range(record.n_chunks)
    }
    strays: dict[str, list[Mapping[str, Any]]] = {}
    for point in store.points({}):
        place = missing.pop(point.id, None)
        if place is not None:
            yield from _flaws(point, *place, store.binding.dim)
        elif _ours(point):
            strays.setdefault(str(point.payload["generation"]), []).append(point.payload)
        else:
            yield _foreign(point)
    yield from _missing_findings(missing.values())
    yield from map(_unrecorded, strays.values())


def find_book_flaws(record: Record, points: Iterable[Point], dim: int) -> Iterator[Finding]:
    """Yield what is wrong with the points of one book, as they were read from its store.

    Args:
        record: the book.
        points: of its generation, in any order.
        dim: of a vector.
    """
    missing = {
        point_id(record.book_id, record.generation, number): (record, number)
        for number in range(record.n_chunks)
    }
    for point in points:
        place = missing.pop(point.id, None)
        yield from [_foreign(point)] if place is None else _flaws(point, *place, dim)
    yield from _missing_findings(missing.values())


def _ours(point: Point) -> bool:
    """Return whether a point has the id that Alexandria gives such a point: no other program wrote it."""
    book, generation, number = (point.payload.get(key) for key in ("book_id", "generation", "chunk_id"))
    return isinstance(number, int) and point.id == point_id(str(book), str(generation), number)


def _flaws(point: Point, record: Record, number: int, dim: int) -> Iterator[Finding]:
    fix = _remedy(record)
    same_time = point.payload.get("ingested_at") == record.ingested_at  # the digest does not cover it
    if record.digests[number : number + 1] != (digest_of(point.payload),) or not same_time:
        yield Finding(Flaw.ALTERED, record.title, f"the payload of chunk {number} was changed", fix)
    rows = [point.dense] if point.sentences is None else [point.dense, *point.sentences]
    # No text has a vector of zeros: it is what is left of a number that 8 bits cannot hold.
    if not all(row.shape == (dim,) and np.isfinite(row).all() and row.any() for row in rows):
        detail = f"chunk {number} has a vector that is not {dim} finite numbers, or only zeros"
        yield Finding(Flaw.VECTOR, record.title, detail, fix)
    elif point.sentences is None and record.settings.get("sentence_vectors", True):
        yield Finding(Flaw.VECTOR, record.title, f"chunk {number} has lost its sentence vectors", fix)


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
        f"alexandria ingest {first.get('source', 'BOOK')}",
    )


_RESTORE = "alexandria restore BACKUP --store NEW_FOLDER"


def _remedy(record: Record) -> str:
    """Return the command that mends a book: what can be made again from its file, is."""
    if Path(record.source).is_file():
        return f"alexandria repair; if that cannot, alexandria ingest --force {record.source}"
    return f"bring {record.source} back and run alexandria repair; or {_RESTORE}"
