"""What the pages show of a library, kept as long as the books stay the same."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar, cast

from alexandria.book import Chunk
from alexandria.chunking import explain_boundary
from alexandria.inspection import Comparison, Inspection
from alexandria.library import Results
from alexandria.library.libraries import AnyLibrary
from alexandria.passages.contents import Chapter
from alexandria.store.record import Record
from alexandria.views.html.layout import Piece, pieces_of

T = TypeVar("T")
_KEPT = 24
"""Searches, inspections and contents: those of the last minutes. A long book takes some 10 MB."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some neighbouring chunks of a book, to read."""

    whole: Inspection
    chunks: tuple[Chunk, ...]

    @property
    def inspection(self) -> Inspection:
        """The book as if it had only these chunks."""
        return replace(self.whole, chunks=self.chunks)

    @property
    def pieces(self) -> list[Piece]:
        """Their text with the cuts."""
        return list(pieces_of(Comparison.of([self.inspection]))) if self.chunks else []

    @property
    def reasons(self) -> dict[int, str]:
        """Why each chunk begins where it does, by its number; not the first of the book."""
        strategy = self.whole.domain.strategy
        return {
            chunk.index: explain_boundary(chunk.boundary, strategy) for chunk in self.chunks if chunk.boundary
        }


class Books:
    """A library as the pages read it; several threads may use it."""

    def __init__(self, library: AnyLibrary) -> None:
        self.library = library
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def records(self) -> list[Record]:
        """Return the books of the shelf, by title."""
        self.library.refresh()  # on a server, others may have added some
        return self.library.books()

    def search(self, query: str, limit: int, filters: dict[str, str]) -> Results:
        """Return the passages that answer a query; those found before, if the books are the same."""
        state = hash(tuple(record.generation for record in self.library.books()))
        key = "search", query, limit, tuple(sorted(filters.items())), state
        return self._once(key, lambda: self.library.search(query, limit=limit, **_named(filters)))

    def inspection(self, record: Record) -> Inspection:
        """Return a book with its cuts."""
        return self._once(("inspection", record.generation), lambda: self.library.inspect(record.book_id))

    def contents(self, record: Record) -> list[Chapter]:
        """Return the chapters of a book."""
        return self._once(("contents", record.generation), lambda: self.library.contents(record.book_id))

    def part(self, record: Record, first: int, n: int) -> Part:
        """Return `n` chunks of a book from one on; fewer at its end."""
        whole = self.inspection(record)
        return Part(whole, whole.chunks[max(0, first) : max(0, first) + n])

    def page(self, record: Record, number: int) -> Part:
        """Return the chunks with text on a page, given by its number in the file."""
        whole = self.inspection(record)
        return Part(whole, tuple(chunk for chunk in whole.chunks if _is_on(chunk, number)))

    def _once(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return cast(T, self._kept[key])
        value = make()  # two threads may both do so: it is read only
        with self._lock:
            self._kept[key] = value
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return value


def _named(filters: dict[str, str]) -> Any:
    return cast(Any, filters)


def _is_on(chunk: Chunk, page: int) -> bool:
    first = chunk.page_start
    return first is not None and first <= page <= (chunk.page_end or first)
