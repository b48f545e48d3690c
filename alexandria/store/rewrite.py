"""A stored book under other metadata: the same text and vectors, with another payload."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from alexandria.book import Point
from alexandria.store.points import digest_of, generation_of, point_id
from alexandria.store.record import Record, configuration_of


def rewritten(
    record: Record, points: Iterable[Point], changes: Mapping[str, Any]
) -> tuple[Record, list[Point]]:
    """Return the record and the points of a book with other values in their payloads.

    They have a generation of their own, so that the book can be replaced as a whole.

    Args:
        record: the book, with its new values.
        points: as stored.
        changes: the values of the payload that change, by key.
    """
    generation = generation_of(record.generation, dict(changes))
    new = [_with(point, record.book_id, generation, changes) for point in points]
    new.sort(key=lambda point: int(point.payload["chunk_id"]))
    digests = tuple(digest_of(point.payload) for point in new)
    configuration = configuration_of(record)
    return replace(record, generation=generation, configuration=configuration, digests=digests), new


def _with(point: Point, book_id: str, generation: str, changes: Mapping[str, Any]) -> Point:
    inner = point.payload.get("metadata", {})
    payload = {
        **point.payload,
        **changes,
        "generation": generation,
        "metadata": {
            # Its source is the title.
            key: changes.get("book_title" if key == "source" else key, value)
            for key, value in inner.items()
        },
    }
    return replace(point, id=point_id(book_id, generation, payload["chunk_id"]), payload=payload)
