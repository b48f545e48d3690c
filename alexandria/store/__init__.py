"""Where points live, and what every store can do.

To add a store: write `store/<name>.py` with a class that answers `Store`, and a line in `open_store`.
Its contract tests come with a line in `tests/store/conftest.py`. The write protocol that keeps a book whole
is not an adapter's business: it stands once, in `catalog.py`, on top of these operations; what a search asks
of the vectors stands once, in `plan.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings, Point, Sparse
from alexandria.errors import ConfigError
from alexandria.modes import Quantization
from alexandria.passage import Hit

if TYPE_CHECKING:
    from alexandria.store.plan import Step


@dataclass(frozen=True, slots=True)
class Binding:
    """What a collection is bound to for its life: vectors of another encoder would mean nothing in it."""

    encoder: str
    dim: int
    schema_version: int


@dataclass(frozen=True, slots=True)
class Question:
    """A query as a store understands it."""

    dense: NDArray[np.float32]  # (dim,)
    bm25: Sparse


Where = Mapping[str, Sequence[str] | Sequence[int]]
"""Payload keys and the values each may have; a point must match every key. Empty = every point."""


_TIMEOUT = 60.0  # seconds: a server that is optimising its segments answers late, but within this


@dataclass(frozen=True, slots=True)
class Server:
    """How to reach a Qdrant server, and how it keeps a collection that is created on it."""

    api_key: str | None = None
    ca_file: Path | None = None
    """Certificates to trust instead of the system's, in PEM."""
    timeout: float = _TIMEOUT
    """Seconds an answer may take."""
    attempts: int = 5
    """How often a request is made before giving up, where the server may yet answer: refused, 429, 5xx."""
    backoff: float = 0.5
    """Seconds before the second attempt; each further wait is twice as long, all with jitter."""
    shards: int | None = None
    replicas: int | None = None
    quantization: Quantization | None = None
    compat: tuple[str, ...] = ()
    """Readers for which text and vectors are stored a second time under their names (`compat.READERS`)."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Server":
        """Return what `ALEXANDRIA_API_KEY`, `ALEXANDRIA_CA_FILE` and `ALEXANDRIA_TIMEOUT` (seconds) say.

        Raises:
            ConfigError: the timeout is not a positive number.
        """
        ca_file, timeout = environ.get("ALEXANDRIA_CA_FILE"), environ.get("ALEXANDRIA_TIMEOUT")
        try:
            seconds = float(timeout) if timeout else _TIMEOUT
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < float("inf"):
            raise ConfigError(
                f"ALEXANDRIA_TIMEOUT cannot be {timeout!r}", why="it must be a number of seconds above 0"
            )
        return cls(
            api_key=environ.get("ALEXANDRIA_API_KEY") or None,
            ca_file=Path(ca_file) if ca_file else None,
            timeout=seconds,
        )


class Store(Protocol):
    """One collection of points and its catalog of records."""

    @property
    def binding(self) -> Binding:
        """What the collection is bound to."""
        ...

    @property
    def shared(self) -> bool:
        """Whether others may be writing at the same time: true of a server, false where a lock is held."""
        ...

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each whole; visible and durable after `flush` at the latest.

        Raises:
            ValueError: a vector is not finite or has another length; nothing is written.
        """
        ...

    def delete(self, where: Where) -> None:
        """Delete the points that match; refuses an empty `where`."""
        ...

    def flush(self) -> None:
        """Return when all that was written is on disk."""
        ...

    def settle(self) -> None:
        """Bring the indexes in order behind many writes: a large library is slow to search without."""
        ...

    def count(self) -> int:
        """Return how many points there are."""
        ...

    def search(self, question: Question, steps: "Step", where: Where) -> list[Hit]:
        """Return the best matches, best first."""
        ...

    def payloads(self, where: Where) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, in the order of their ids."""
        ...

    def points(self, where: Where) -> Iterator[Point]:
        """Yield the points that match, with their vectors, in the order of their ids."""
        ...

    def sentence_rows(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have some, (n_sentences, dim) each."""
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


LOCAL = "local:"
MEMORY = ":memory:"
ADDRESSES = ("http://", "https://", "grpc://", "grpcs://")


def open_store(where: str, collection: str, binding: Binding | None, server: Server = Server()) -> Store:
    """Open a collection, creating it where `binding` says for which encoder.

    Args:
        where: a folder, `local:FOLDER`, `:memory:`, or the address of a server: `http(s)://host:6333`, or
            `grpc(s)://host:6334` to speak gRPC with it.
        collection: its name there.
        binding: what it must be bound to; None opens only what is there.
        server: how to reach a server; folders have no use for it.

    Raises:
        StoreError: there is no such collection and no binding to create it with; it is bound to another
            encoder; another process has it open; the folder is something else; the server does not answer.
    """
    if where.startswith(ADDRESSES):
        from alexandria.store.connect import open_server

        return open_server(where, collection, binding, server)
    if where == MEMORY or where.startswith(LOCAL):
        from alexandria.store.connect import open_local

        return open_local(where, collection, binding, server)
    _refuse_server_options(server)
    from alexandria.store.edge import EdgeStore

    return EdgeStore.open(Path(where).expanduser() / collection, binding)


def _refuse_server_options(server: Server) -> None:
    """Refuse for an embedded library what it would otherwise silently leave out."""
    if server.compat:
        raise ConfigError(
            f"cannot write for {', '.join(server.compat)} into an embedded library",
            why="only Qdrant Edge opens it",
            fix="--store http://HOST:6333 or local:FOLDER; or copy it: alexandria copy --to STORE --compat …",
        )
    if server.shards or server.replicas or server.quantization:
        raise ConfigError(
            "cannot shard, replicate or quantize an embedded library",
            why="that is a server's work",
            fix="--store http://HOST:6333",
        )
