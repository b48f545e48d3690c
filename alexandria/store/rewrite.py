"""Stored books with changed metadata: the text and the vectors stay, the payloads change."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from alexandria.book import Point
from alexandria.store.places import with_source
from alexandria.store.points import digest_of, generation_of, point_id
from alexandria.store.record import Record, configuration_of


def with_payload_changes(
    record: Record, points: Iterable[Point], changes: Mapping[str, Any]
) -> tuple[Record, list[Point]]:
    """Return the record and the points of a book, with changed values in the payloads.

    Both get a new generation, so that the book can be replaced as a whole.

    Args:
        record: the book; its own fields hold the new values already.
        points: as stored.
        changes: the values of the payload that change, by key.
    """
    generation = generation_of(record.generation, dict(changes))
    new = [_with_changes(point, record.book_id, generation, changes) for point in points]
    new.sort(key=lambda point: int(point.payload["chunk_id"]))
    digests = tuple(digest_of(point.payload) for point in new)
    configuration = configuration_of(record)
    return replace(record, generation=generation, configuration=configuration, digests=digests), new


def _with_changes(point: Point, book_id: str, generation: str, changes: Mapping[str, Any]) -> Point:
    """Return a point of the new generation with the changed values, also in the copy under `metadata`."""
    metadata = dict(point.payload.get("metadata", {}))
    for key, value in metadata.items():
        copied_key = "book_title" if key == "source" else key  # `metadata.source` is the title of the book
        metadata[key] = changes.get(copied_key, value)
    stored = with_source(point.payload, changes["source"]) if "source" in changes else point.payload
    payload = {**stored, **changes, "generation": generation, "metadata": metadata}
    return replace(point, id=point_id(book_id, generation, payload["chunk_id"]), payload=payload)
