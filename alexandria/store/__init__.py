"""Where points live, and what every store can do.

To add a store: write `store/<name>.py` with a class that answers `Store`, and a line in `open_store`.
Its contract tests come unasked (`tests/store/test_contract.py`). The write protocol that keeps a book whole
is not an adapter's business: it stands once, in `catalog.py`, on top of these operations.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Hit, Point, Sparse


@dataclass(frozen=True, slots=True)
class Binding:
    """What a collection is bound to for its life: vectors of another encoder would mean nothing in it."""

    encoder: str
    dim: int
    schema_version: int


class Mode(StrEnum):
    """How a query is held against the chunks."""

    DENSE = "dense"
    """The query's vector against each chunk's."""
    SENTENCES = "sentences"
    """The query's vector against each sentence's; a chunk counts as its best sentence (MaxSim)."""
    BM25 = "bm25"
    """The query's words against the chunk's."""
    HYBRID = "hybrid"
    """Sentences and words together."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query as a store understands it."""

    dense: NDArray[np.float32]  # (dim,)
    bm25: Sparse


Where = Mapping[str, Sequence[str]]
"""Payload keys and the values each may have; a point must match every key. Empty = every point."""


class Store(Protocol):
    """One collection of points and its catalog of records."""

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each whole; visible and durable after `flush` at the latest."""
        ...

    def delete(self, where: Where) -> None:
        """Delete the points that match; refuses an empty `where`."""
        ...

    def flush(self) -> None:
        """Return when all that was written is on disk."""
        ...

    def search(self, question: Question, mode: Mode, where: Where, limit: int) -> list[Hit]:
        """Return the best matches, best first."""
        ...

    def payloads(self, where: Where) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, in the order of their ids."""
        ...

    def generations(self) -> dict[str, int]:
        """Return how many points each generation has."""
        ...

    def put_record(self, key: str, record: Mapping[str, Any]) -> None:
        """Write one catalog record; on disk when this returns."""
        ...

    def delete_record(self, key: str) -> None:
        """Delete one catalog record; on disk when this returns."""
        ...

    def records(self) -> list[dict[str, Any]]:
        """Return all catalog records, in no particular order."""
        ...

    def close(self) -> None:
        """Let go of the store, so that another process can open it."""
        ...


def open_store(where: Path, collection: str, binding: Binding | None) -> Store:
    """Open a collection, creating it where `binding` says for which encoder.

    Raises:
        StoreError: there is no such collection and no binding to create it with; it is bound to another
            encoder; another process has it open; the folder is something else.
    """
    from alexandria.store.edge import EdgeStore

    return EdgeStore.open(where / collection, binding)
