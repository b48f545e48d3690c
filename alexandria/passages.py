"""Stored chunks as passages: all of a book's, or those around a place in it."""

from collections.abc import Sequence

from alexandria.errors import ConfigError
from alexandria.passage import Passage
from alexandria.store.catalog import Catalog
from alexandria.store.points import point_id
from alexandria.store.record import Record


def passages(record: Record, catalog: Catalog, numbers: Sequence[int] = ()) -> list[Passage]:
    """Return the chunks of a book in reading order: those with these numbers, or all."""
    return [
        Passage(id=point_id(record.book_id, record.generation, payload["chunk_id"]), payload=payload)
        for payload in catalog.chunks(record, numbers)
    ]


def passages_around(
    place: Passage | str, chunk: int, catalog: Catalog, *, before: int, after: int
) -> list[Passage]:
    """Return a chunk with its neighbours, in reading order; the arguments are those of `Library.read`.

    Raises:
        ConfigError: no book or several match, there is no such chunk, or the passage is no longer stored.
    """
    if isinstance(place, Passage):
        record, chunk = _record_of(place, catalog), place.chunk_id
    else:
        record = catalog.find(place)
    _check_chunk(record, chunk)
    return passages(record, catalog, range(max(0, chunk - before), min(record.n_chunks, chunk + after + 1)))


def _record_of(passage: Passage, catalog: Catalog) -> Record:
    if not catalog.holds(passage.book_id, passage.payload["generation"]):
        raise ConfigError(
            f"cannot read on in “{passage.title}”",
            why="the book has been removed or ingested again since this passage was found",
            fix="search again",
        )
    return catalog.book(passage.book_id)


def _check_chunk(record: Record, chunk: int) -> None:
    if not 0 <= chunk < record.n_chunks:
        raise ConfigError(
            f"there is no chunk {chunk} in “{record.title}”",
            why=f"its chunks are numbered 0 to {record.n_chunks - 1}",
            fix="alexandria show BOOK lists them",
        )
