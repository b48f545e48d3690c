"""Small stores, and points with known vectors of dimension 4, so that every similarity can be worked out."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from alexandria.book.model import Point, Sparse
from alexandria.store import Binding, Server, Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.payload import SCHEMA_VERSION, digest_of
from alexandria.store.points import point_id
from alexandria.store.record import Record

BINDING = Binding("test", 4, SCHEMA_VERSION)
AXES = np.eye(4, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Place:
    """A place where a store can be opened repeatedly."""

    name: str
    open: Callable[[Binding | None], Store]
    persistent: bool = True


def folder_place(folder: Path, prefix: str = "") -> Place:
    """Return a place in a folder: Edge, or local mode with its prefix."""
    address = f"{prefix}{folder}"
    return Place(prefix or "edge", lambda binding: open_store(address, "books", binding))


def point(
    number: int,
    *,
    book: str = "b1",
    generation: str = "g1",
    axis: int = 0,
    rows: Sequence[int] | None = None,
    words: Iterable[int] = (1,),
    text: str = "",
    section: Sequence[str] = (),
    at: str = "2026-01-01T00:00:00+00:00",
) -> Point:
    """Return a point whose chunk vector is an axis, and whose sentence vectors are the axes `rows`."""
    terms = sorted(set(words))
    return Point(
        id=point_id(book, generation, number),
        dense=AXES[axis],
        sentences=AXES[list(rows)] if rows is not None else AXES[[axis]],
        bm25=Sparse(tuple(terms), (1.0,) * len(terms)),
        payload={
            "text": text or f"Chunk {number} of {book}.",
            "book_id": book,
            "book_title": book.upper(),
            "author": "Ada",
            "domain": "default",
            "language": "en",
            "generation": generation,
            "chunk_id": number,
            "section": list(section),
            "similarity": 0.25,
            "whole": 1.0,
            "nothing": None,
            "ingested_at": at,
            "start": number * 100,
            "end": number * 100 + 10,
            "metadata": {"book_title": book.upper(), "section": list(section)},
        },
    )


def record(points: Sequence[Point], *, source: str | None = None, at: str = "") -> Record:
    """Return the catalog's record of a book with these points."""
    payload = points[0].payload
    return Record(
        book_id=payload["book_id"],
        generation=payload["generation"],
        title=payload["book_title"],
        author="Ada",
        language="en",
        format="txt",
        source=source or f"/shelf/{payload['book_id']}.txt",
        domain="default",
        strategy="fixed",
        settings={"model": "test", "sentence_vectors": True},
        n_chunks=len(points),
        n_words=3 * len(points),
        warnings=(),
        ingested_at=at or payload["ingested_at"],
        sections=("One",),
        digests=tuple(digest_of(point.payload) for point in points),
    )


def store_book(catalog: Catalog, points: Sequence[Point], **more: str) -> Record:
    """Store a book and return its record."""
    return catalog.replace(record(points, **more), points)


def make_records(n: int) -> list[Record]:
    """Return the records of so many books."""
    return [record(book(f"book{number}", n=1)) for number in range(n)]


def interrupt(catalog: Catalog, step: str, points: Sequence[Point], **more: str) -> None:
    """Begin to store a book, and end at a step of the store as if the process had been killed there.

    At `commit`, that is the step that writes the record.
    """
    owner = catalog.store.records if step == "commit" else catalog.store
    method = getattr(owner, step)

    def end(*arguments: Any, **named: Any) -> None:
        if step == "commit" and "put" not in named:
            method(*arguments, **named)
        else:
            raise KeyboardInterrupt

    with patch.object(owner, step, side_effect=end), suppress(KeyboardInterrupt):
        store_book(catalog, points, **more)


def book(name: str, generation: str = "g", n: int = 3) -> list[Point]:
    """Return the points of a small book; its generation is unique to the book, as a hash is."""
    own = f"{name}-{generation}"
    return [point(i, book=name, generation=own, axis=i % 4, words=(i + 1, 50)) for i in range(n)]


def contents(store: Store) -> list[tuple[str, str]]:
    """Return id and payload digest of every point: two runs over the same books must agree in them."""
    return [(id, digest_of(payload)) for id, payload in store.payloads({})]


def without_waits(**more: object) -> Server:
    """Return server settings with hardly any wait between attempts."""
    return replace(Server(backoff=0.001, timeout=30.0), **more)  # type: ignore[arg-type]  # fields of Server
