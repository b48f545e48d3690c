"""The protocol of a store, and the values that its methods take and return.

A generation is a book under one configuration: its points carry the same hash, under the key `generation`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from alexandria.book.choices import Quantization, chosen
from alexandria.book.filters import Filters
from alexandria.book.model import Embeddings, Point, Sparse
from alexandria.errors import ConfigError
from alexandria.store.passage import Hit, Passage
from alexandria.store.plan import Stage, VectorName

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOCAL = "local:"  # the prefix of a folder's address that chooses qdrant-client's local mode
MEMORY = ":memory:"
SERVER_SCHEMES = ("http://", "https://", "grpc://", "grpcs://")
REST_PORT = 6333  # the port of a server whose address names none; Qdrant's default
GRPC_PORT = 6334  # the same for gRPC


@dataclass(frozen=True, slots=True)
class Binding:
    """What a collection is bound to when it is created: it cannot hold vectors of another encoder."""

    encoder: str
    dim: int
    schema_version: int


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A query as a store compares it with points."""

    dense: "NDArray[np.float32]"  # (dim,)
    bm25: Sparse
    meaning_weight: float = 1.0  # the weight of meaning relative to that of words in a hybrid search


LOOKED_UP = ("book_id", "source", "work", "generation")  # the fields by which every store finds a record

DERIVED = ("title", "runs", "names")
"""What else books are found by: the title as filters compare it, and the first shingles of the sketch (stored
under the name `runs`)."""

INDEXED_PAYLOAD = ("generation", "chunk_id", "section")
"""The payload keys that every store filters by; stores that have indexes index them."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What all books of a library have in total."""

    n_books: int
    languages: frozenset[str | None]
    n_without_sentences: int  # books without sentence vectors
    model: str  # the model that the books were embedded with; empty if there are no books
    precisions: frozenset[str]  # the number formats of the books' vectors, as far as their records name one
    works: tuple[str, ...]  # the ids of the works of which there may be several editions


@dataclass(frozen=True, slots=True)
class Pending:
    """A generation that may have points although no record lists it: they are being written or deleted."""

    generation: str
    title: str  # the title of its book
    since: str  # when this was noted; ISO 8601, UTC
    removed: bool = False  # whether its book was removed; otherwise, it was being ingested or replaced


Where = Mapping[str, Sequence[str] | Sequence[int]]
"""A filter: payload keys and the values each may have. A point must match every key; empty = every point.
A key `a|b` is matched under either."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The books that a search considers: a filter for their points, and what the plan depends on."""

    n_books: int
    languages: frozenset[str | None]
    n_without_sentences: int  # books without sentence vectors
    where: Where = field(default_factory=dict)
    """The filter for the points of these books; if empty, all points but those of `without` are searched."""
    without: tuple[str, ...] = ()  # generations that are left out

    @property
    def sentence_vectors(self) -> bool:
        """Whether every book has sentence vectors."""
        return not self.n_without_sentences


GRACE = timedelta(hours=1)
"""How long points without a record are kept on a server: another process may be writing their book."""

_DEFAULT_TIMEOUT = 60.0  # seconds within which a server answers even while it optimizes its segments


@dataclass(frozen=True, slots=True)
class Server:
    """How to reach a Qdrant server, and how collections are created on it."""

    api_key: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    """A file of certificates to trust, in PEM, such as that of a company's own certificate authority. Without
    it, the file in `SSL_CERT_FILE` counts, and without that, the usual authorities are trusted."""
    timeout: float = _DEFAULT_TIMEOUT
    """Seconds to wait for a response."""
    attempts: int = 5
    """How many times a request is sent if it fails in a way that may pass: connection refused, 429, 5xx."""
    backoff: float = 0.5
    """Seconds before the second attempt; each further wait is twice as long. All vary at random (jitter)."""
    shards: int | None = None
    replicas: int | None = None
    quantization: Quantization | None = None
    compat: tuple[str, ...] = ()
    """Other programs for which text and vectors are stored a second time, under the names they expect
    (`compat.READERS`)."""

    def __post_init__(self) -> None:
        """Refuse an unknown quantization."""
        if self.quantization is not None:
            chosen(Quantization, self.quantization, "quantization", "kinds")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Server":
        """Return the settings in `ALEXANDRIA_API_KEY`, `ALEXANDRIA_CA_FILE` and `ALEXANDRIA_TIMEOUT`.

        Raises:
            ConfigError: the timeout is not a positive number.
        """
        ca_file, timeout = environ.get("ALEXANDRIA_CA_FILE"), environ.get("ALEXANDRIA_TIMEOUT")
        try:
            seconds = float(timeout) if timeout else _DEFAULT_TIMEOUT
        except ValueError:
            seconds = 0.0  # refused below
        if not 0 < seconds < float("inf"):
            raise ConfigError(
                f"cannot use ALEXANDRIA_TIMEOUT={timeout}",
                why="it must be a number of seconds above 0",
                fix="ALEXANDRIA_TIMEOUT=60",
            )
        return cls(
            api_key=environ.get("ALEXANDRIA_API_KEY") or None,
            ca_file=Path(ca_file) if ca_file else None,
            timeout=seconds,
        )


class Records(Protocol):
    """The catalog of a collection: one record per book."""

    def commit(
        self,
        *,
        put: Sequence[Mapping[str, Any]] = (),
        delete: Sequence[str] = (),
        pending: Sequence[Pending] = (),
        done: Sequence[str] = (),
    ) -> None:
        """Change the catalog, on disk when this returns: in a folder in one step, on a server in safe order.

        Args:
            put: records to write, each in place of the one with the same `book_id`.
            done: generations that are no longer pending.
        """
        ...

    @property
    def letters_folder(self) -> Path | None:
        """The folder for the letters of the books, which need not exist; None in memory."""
        ...

    def pending(self) -> list[Pending]:
        """Return the generations that are pending, in no particular order."""
        ...

    def all(self, fields: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield all records, or these fields of each that has them, in no particular order."""
        ...

    def by(self, name: str, values: Sequence[str], fields: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield the records with one of these values in a field, including those of removed books.

        Args:
            name: a field of `LOOKED_UP`; `book_id` is the key of a record.
            fields: the fields to return of each record, where the record has them; if empty, all.
        """
        ...

    def n_listed(self, generations: Sequence[str]) -> int:
        """Return how many of these generations are those of books."""
        ...

    def having(
        self, name: str, values: Sequence[str] | Sequence[int], fields: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """Return the records of the books with one of these values of `DERIVED`, or these fields of each."""
        ...

    def names_among(self, words: Collection[str]) -> set[str]:
        """Return which of these folded words are in the title or the author of a book."""
        ...

    # Some filters are `looked_up` (see `filters.Filter`); the caller checks the others on the records.

    def matching(self, filters: Filters) -> list[dict[str, Any]]:
        """Return the records of the books that pass the looked-up filters among these, in no order."""
        ...

    def page(self, filters: Filters, start: int, limit: int) -> list[dict[str, Any]]:
        """Return the records of at most `limit` matching books, by title, after the first `start`."""
        ...

    def scope(self, filters: Filters) -> Scope:
        """Return the scope of a search in the books that pass these filters, all of which are looked up."""
        ...

    def summary(self) -> Summary:
        """Return the summary of all books."""
        ...

    def n_written(self) -> int:
        """Return how many points were written since the space of deleted ones was given back.

        0 if that is not known: on a server, in local mode, and if only version 1.0.0 has written.
        """
        ...

    def faults(self) -> list[str]:
        """Return what is wrong with the file of the catalog; nothing on a server."""
        ...

    def version(self) -> int:
        """Return a number that every change of the records raises, also one of another process."""
        ...

    def refresh(self, *, check: bool = False) -> None:
        """Take in what others have changed since; a library in a folder has nothing to do.

        Args:
            check: also find what was changed in a way that only a look at all records shows.
        """
        ...

    def close(self) -> None:
        """Close it."""
        ...


class Store(Protocol):
    """One collection of points, and the catalog of their books."""

    @property
    def records(self) -> Records:
        """The catalog."""
        ...

    @property
    def binding(self) -> Binding:
        """What the collection is bound to."""
        ...

    @property
    def address(self) -> str:
        """Where it is: a folder, or the URL of a server."""
        ...

    @property
    def on_server(self) -> bool:
        """Whether it is on a server, where other processes may write meanwhile; a folder is locked."""
        ...

    @property
    def through_owner(self) -> bool:
        """Whether another process has the folder open and answers requests: the store can only be read."""
        ...

    @property
    def lost(self) -> bool:
        """Whether the process that has the folder open has ended, or closed it."""
        ...

    @property
    def parallel(self) -> bool:
        """Whether several threads may read at the same time."""
        ...

    def upsert(self, points: Sequence[Point]) -> None:
        """Write the points, each with all its vectors; visible and durable once this returns.

        Raises:
            ValueError: a vector is not finite or has the wrong length; nothing is written.
        """
        ...

    def delete(self, where: Where) -> None:
        """Delete the points that match; they are gone for good once this returns.

        Raises:
            ValueError: `where` is empty.
        """
        ...

    def optimize(self) -> None:
        """Bring the indexes up to date after many writes: without them, a large library is slow to search."""
        ...

    def count(self) -> int:
        """Return the number of points."""
        ...

    def search(
        self, query: QueryVectors, plan: Stage, where: Where, without: Sequence[str] = ()
    ) -> list[Hit]:
        """Return the best matches, best first: as many as the plan's limit, and all that tie with the last.

        Args:
            query: the vectors of the query.
            plan: the last stage of the search.
            where: the filter that points must pass.
            without: generations whose points are ignored at every stage.

        Returns:
            hits, each with `COMPARED_KEYS` of its payload at least.
        """
        ...

    def whole_payloads(self, passages: Sequence[Passage]) -> Mapping[str, Mapping[str, Any]]:
        """Return all that is stored with passages that a search has found, by id."""
        ...

    def rarities(self, terms: Sequence[int]) -> dict[int, float | None]:
        """Return the inverse document frequency of terms of the BM25 vectors; None if no point has one."""
        ...

    def payloads(self, where: Where, start: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and payload of the points that match, ordered by id, from the id `start` on."""
        ...

    def points(self, where: Where, start: str | None = None) -> Iterator[Point]:
        """Yield the points that match, with their vectors, ordered by id, from the id `start` on."""
        ...

    def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Embeddings]:
        """Return the sentence vectors of the points that have any, by id: (n_sentences, dim) each."""
        ...

    def ids_without(self, name: VectorName) -> set[str]:
        """Return the ids of the points that have no vector of this name."""
        ...

    def generations(self) -> dict[str, int]:
        """Return the number of points of each generation."""
        ...

    def counts(self, key: str, at_most: int) -> dict[str | int, int]:
        """Return the number of points with each value of a payload key, for the most frequent values."""
        ...

    def close(self) -> None:
        """Close the store, so that another process can open it."""
        ...
