"""Checks that a store holds what its catalog lists: each book's points, unaltered, with valid vectors."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from alexandria.book.model import Point, Sparse
from alexandria.store.payload import digest_of
from alexandria.store.plan import VectorName
from alexandria.store.points import point_id
from alexandria.store.record import Record, point_ids, read_records
from alexandria.store.store import INDEXED_PAYLOAD, Pending, Store
from alexandria.store.vectors import vector_sum

_MAX_SUM_ERROR = 1e-5
"""How much the sums of the same vectors may differ: processors round differently as they unpack vectors."""
_BATCH = 256  # records that are looked up in one request
_MAX_NUMBERS = 10  # numbers of missing chunks that a finding lists


class Flaw(StrEnum):
    """What can be wrong with a library."""

    MISSING = "missing"  # a chunk in the catalog has no point
    ALTERED = "altered"
    """A payload differs from the one that was written, or vectors differ from those that were stored."""
    VECTOR = "vector"  # a vector is missing, not finite, or of the wrong length
    FOREIGN = "foreign"  # a point that belongs to no book
    UNRECORDED = "unrecorded"  # the points of a book that is not in the catalog
    UNLISTED = "unlisted"
    """A record or points that exist, but that an index does not list, or that are not found by their id."""


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

    Other processes may write meanwhile: nothing is said of the books that they change.

    From a server, vectors are not read: there are no sums to compare them with, and the server accepts only
    finite vectors of the right length. Instead, it is asked which points have lost a vector.

    Args:
        store: a store that was not swept after it was opened: a sweep deletes points that no record lists.
    """
    for fault in store.records.faults():
        yield Finding(Flaw.UNLISTED, "", f"the catalog is damaged: {fault}", "alexandria repair")
    audit = Audit(store)
    yield from _find_unlisted(store, audit.records)
    for point in _points_without_vectors(store) if store.on_server else store.points({}):
        yield from audit.see(point)
    yield from audit.findings()


class Audit:
    """What a store should hold by its catalog, to be compared with each of its points."""

    def __init__(self, store: Store) -> None:
        """Read the catalog as it is now, before any point is read."""
        self._store = store
        self._version, self.records = store.records.version(), read_records(store)
        self._pending = _pending_generations(store)
        self._present = [record for record in self.records if record.removed_at is None]
        # By point id, record and chunk number. Each point that is seen is taken out: the rest is missing.
        self._missing = {
            id: (record, number) for record in self._present for number, id in enumerate(point_ids(record))
        }
        self._books = {(record.book_id, record.generation) for record, _ in self._missing.values()}
        self._unrecorded: dict[str, list[Mapping[str, Any]]] = {}  # by generation, the payloads of its points
        self._value_counts: dict[str, Counter[str | int]] = {key: Counter() for key in INDEXED_PAYLOAD}
        self._lost_vectors = _find_lost_vectors(store) if store.on_server else {}

    def see(self, point: Point) -> Iterator[Finding]:
        """Yield what is wrong with a point; each is to be seen once."""
        for key, counts in self._value_counts.items():
            counts.update(_values_of(point, key))
        chunk = self._missing.pop(point.id, None)
        book = _, generation = point.payload.get("book_id"), point.payload.get("generation")
        if chunk is not None:
            yield from _payload_flaws(point, *chunk)
            if not self._store.on_server:
                yield from _vector_flaws(point, *chunk, self._store.binding.dim)
            elif point.id in self._lost_vectors:
                yield from _lost_vector_finding(self._lost_vectors[point.id], *chunk)
        elif book in self._books and not self._store.on_server:  # its id is not that of a chunk of its book
            yield _wrong_id_finding(point)
        elif is_ours(point):
            self._unrecorded.setdefault(str(generation), []).append(point.payload)
        else:
            yield _foreign_finding(point)

    def findings(self) -> Iterator[Finding]:
        """Yield what is wrong with the store as a whole, once every point has been seen."""
        unindexed = list(_find_unindexed(self._store, self._value_counts))
        # A writer notes a generation as pending before it writes points, and that it is done after it.
        self._store.records.refresh()
        has_changed = self._store.records.version() != self._version
        now = read_records(self._store) if has_changed else self._present
        current = {record.generation for record in now if record.removed_at is None}
        pending_now = _pending_generations(self._store)
        yield from _missing_findings(
            (record, number) for record, number in self._missing.values() if record.generation in current
        )
        for generation in sorted(self._unrecorded.keys() - self._pending - pending_now - current):
            yield _unrecorded_finding(self._unrecorded[generation])
        is_written = pending_now != self._pending or (self._store.through_owner and bool(pending_now))
        if not has_changed and not is_written:
            yield from unindexed


def _pending_generations(store: Store) -> set[str]:
    return {note.generation for note in store.records.pending()}


def interruptions(store: Store) -> list[str]:
    """Return a sentence for each change of a book that was interrupted and has left points: no flaw.

    No search finds these points. On a server, another process may still be making a recent change.
    """
    return [
        _describe_interruption(pending, may_run=store.on_server)
        for pending in sorted(store.records.pending(), key=lambda pending: pending.title)
        if any(store.payloads({"generation": [pending.generation]}))
        and not _is_listed(pending.generation, store)
    ]


def _is_listed(generation: str, store: Store) -> bool:
    records = store.records.by("generation", [generation], ("removed_at",))
    return any(record.get("removed_at") is None for record in records)


def _describe_interruption(pending: Pending, *, may_run: bool) -> str:
    step = f"the removal of “{pending.title}”" if pending.removed else f"an ingest of “{pending.title}”"
    state = "is running, or was interrupted" if may_run else "was interrupted"
    return f"{step} {state}; the next {'ingest' if pending.removed else 'one'} removes what it left"


def find_book_flaws(record: Record, points: Iterable[Point], dim: int) -> Iterator[Finding]:
    """Yield what is wrong with the points of one book, as they were read from its store.

    Args:
        dim: the length of its vectors.
    """
    # Each point that is read is taken out: at the end, the rest is missing.
    missing_numbers = {id: number for number, id in enumerate(point_ids(record))}
    for point in points:
        number = missing_numbers.pop(point.id, None)
        if number is None:
            yield _foreign_finding(point)
        else:
            yield from _payload_flaws(point, record, number)
            yield from _vector_flaws(point, record, number, dim)
    yield from _missing_findings((record, number) for number in missing_numbers.values())


def _values_of(point: Point, key: str) -> set[Any]:
    """Return the values that a point has under a payload key, as an index counts them: each once."""
    value = point.payload.get(key)
    if isinstance(value, list):
        return set(value)
    return set() if value is None else {value}


def is_ours(point: Point) -> bool:
    """Return whether a point has the id that Alexandria gives to its chunk: no other program wrote it."""
    book, generation, number = (point.payload.get(key) for key in ("book_id", "generation", "chunk_id"))
    return isinstance(number, int) and point.id == point_id(str(book), str(generation), number)


def _points_without_vectors(store: Store) -> Iterator[Point]:
    """Yield every point with its payload, and empty vectors."""
    import numpy as np

    for id, payload in store.payloads({}):
        yield Point(id, np.empty(0, np.float32), None, Sparse((), ()), payload)


def _find_lost_vectors(store: Store) -> dict[str, VectorName]:
    """Return the ids of the points that lack a vector, with its name: the dense one if both are lost."""
    names = (VectorName.SENTENCES, VectorName.DENSE)  # if a point lacks both, the last name is kept
    return {id: name for name in names for id in store.ids_without(name)}


def _lost_vector_finding(name: VectorName, record: Record, number: int) -> Iterator[Finding]:
    if name is VectorName.DENSE or record.settings.get("sentence_vectors", True):
        kind = "vector" if name is VectorName.DENSE else "sentence vectors"
        yield Finding(
            Flaw.VECTOR, record.title, f"chunk {number} has lost its {kind}", _describe_remedy(record)
        )


def _payload_flaws(point: Point, record: Record, number: int) -> Iterator[Finding]:
    """Yield the finding that the payload of a chunk was changed or lost, if so."""
    if "text" not in point.payload:
        detail = f"chunk {number} has lost its text"
        yield Finding(Flaw.MISSING, record.title, detail, _describe_remedy(record))
        return
    has_same_time = point.payload.get("ingested_at") == record.ingested_at  # not part of the digest
    # A slice: a damaged record may have fewer digests than chunks.
    has_same_digest = record.digests[number : number + 1] == (digest_of(point.payload),)
    if not (has_same_digest and has_same_time):
        detail = f"the payload of chunk {number} was changed"
        yield Finding(Flaw.ALTERED, record.title, detail, _describe_remedy(record))


def _vector_flaws(point: Point, record: Record, number: int, dim: int) -> Iterator[Finding]:
    """Yield what is wrong with the vectors of a chunk: at most one finding."""
    import numpy as np

    fix = _describe_remedy(record)
    vectors = [point.dense] if point.sentences is None else [point.dense, *point.sentences]
    # No text has a vector of zeros: the engine stores a damaged number, which 8 bits cannot hold, as zeros.
    are_valid = all(
        vector.shape == (dim,) and np.isfinite(vector).all() and vector.any() for vector in vectors
    )
    recorded_sums = record.vector_sums[number : number + 1]  # none on a server
    if not are_valid:
        detail = f"chunk {number} has a vector that is not {dim} finite numbers, or only zeros"
        yield Finding(Flaw.VECTOR, record.title, detail, fix)
    elif point.sentences is None and record.settings.get("sentence_vectors", True):
        yield Finding(Flaw.VECTOR, record.title, f"chunk {number} has lost its sentence vectors", fix)
    elif any(abs(recorded - vector_sum(point)) > _MAX_SUM_ERROR for recorded in recorded_sums):
        yield Finding(Flaw.ALTERED, record.title, f"the vectors of chunk {number} were changed", fix)


def _find_unlisted(store: Store, records: Sequence[Record]) -> Iterator[Finding]:
    """Yield one finding per book whose record the catalog does not find by its id."""
    for i in range(0, len(records), _BATCH):
        batch = records[i : i + _BATCH]
        ids = [record.book_id for record in batch]
        matches = store.records.by("book_id", ids, ("book_id", "generation"))
        matching_ids = {(match.get("book_id"), match.get("generation")) for match in matches}
        for record in batch:
            is_match = (record.book_id, record.generation) in matching_ids
            if not is_match and not _has_newer(record, records):
                detail = "the catalog lists this book, but does not find it by its id: its index is damaged"
                yield Finding(Flaw.UNLISTED, record.title, detail, "alexandria repair")


def _find_unindexed(store: Store, value_counts: Mapping[str, Mapping[str | int, int]]) -> Iterator[Finding]:
    """Yield one finding per payload key whose index does not list all points that have the key."""
    # `value_counts`: the number of points that were found to have each value, by payload key.
    for key, counts in value_counts.items():
        n_missed = (Counter(counts) - Counter(store.counts(key, len(counts)))).total()
        if n_missed:
            detail = f"{n_missed} chunks are not found by their {key}: its index is damaged"
            yield Finding(Flaw.UNLISTED, "", detail, "alexandria repair")


def _has_newer(record: Record, records: Sequence[Record]) -> bool:
    """Return whether there is another record of the same path: a crash has left the older of the two."""
    return any(other.source == record.source and other is not record for other in records)


def _missing_findings(chunks: Iterable[tuple[Record, int]]) -> Iterator[Finding]:
    """Yield one finding per book, with the numbers of its chunks that have no point."""
    records: dict[str, Record] = {}
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for record, chunk_number in chunks:
        records[record.book_id] = record
        numbers[record.book_id].append(chunk_number)
    for book_id, record in records.items():
        missing = numbers[book_id]
        shown = ", ".join(map(str, missing[:_MAX_NUMBERS]))
        if len(missing) > _MAX_NUMBERS:
            shown += ", …"
        detail = f"chunks without a point: {len(missing)} of {record.n_chunks}: {shown}"
        yield Finding(Flaw.MISSING, record.title, detail, _describe_remedy(record))


def _wrong_id_finding(point: Point) -> Finding:
    title, number = str(point.payload.get("book_title") or ""), point.payload.get("chunk_id")
    detail = f"chunk {number} is not found by its id, but by {point.id}: the index of ids is damaged"
    return Finding(Flaw.UNLISTED, title, detail, "alexandria repair")


def _foreign_finding(point: Point) -> Finding:
    return Finding(
        Flaw.FOREIGN,
        str(point.payload.get("book_title") or ""),
        f"point {point.id} belongs to no book in the catalog",
        "another program wrote it: delete it with that, or leave it out with alexandria copy --to STORE",
    )


def _unrecorded_finding(payloads: list[Mapping[str, Any]]) -> Finding:
    first = payloads[0]
    return Finding(
        Flaw.UNRECORDED,
        str(first.get("book_title") or ""),
        f"{len(payloads)} chunks have no catalog record: it is missing",
        "alexandria repair",
    )


_RESTORE = "alexandria restore BACKUP --store NEW_FOLDER"


def _describe_remedy(record: Record) -> str:
    """Return how to repair a book: with a command, or, if its file is gone, what to do first."""
    if Path(record.source).is_file():
        return f"alexandria repair; if that fails, alexandria ingest --force {record.source}"
    return f"bring {record.source} back and run alexandria repair; or {_RESTORE}"
