"""Why a chunk begins and ends where it does."""

from collections.abc import Mapping
from dataclasses import dataclass

from alexandria.book.model import Boundary, Chunk
from alexandria.book.wording import beginning_of, end_of
from alexandria.chunking.domains import Domain
from alexandria.errors import ConfigError
from alexandria.library.inspect.inspection import Inspection

CONTEXT_CHARACTERS = 200  # how much text is shown on each side of a boundary: a sentence or two


@dataclass(frozen=True, slots=True)
class Edge:
    """One end of a chunk."""

    why: str
    before: str | None  # the last characters before this end; None where the book begins
    after: str | None  # the first characters after this end; None where the book ends
    next_chunk: Chunk | None  # the chunk that begins here; None where the book ends

    @property
    def boundary(self) -> Boundary | None:
        """The cut, or None where the book begins or ends."""
        return self.next_chunk.boundary if self.next_chunk else None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A chunk, and why it begins and ends where it does."""

    title: str
    domain: Domain
    chunk: Chunk
    begins: Edge
    ends: Edge

    @classmethod
    def of(cls, inspection: Inspection, number: int) -> "Explanation":
        """Return the explanation of a chunk.

        Raises:
            ConfigError: there is no such chunk.
        """
        chunks = inspection.chunks
        if not 0 <= number < len(chunks):
            raise ConfigError(
                f"there is no chunk {number} in “{inspection.title}”",
                why=f"its chunks are numbered 0 to {len(chunks) - 1}",
                fix="alexandria show BOOK --chunks lists them",
            )
        chunk = chunks[number]
        previous = chunks[number - 1] if number else None
        following = chunks[number + 1] if number + 1 < len(chunks) else None
        return cls(
            title=inspection.title,
            domain=inspection.domain,
            chunk=chunk,
            begins=_make_edge(previous, chunk, inspection.reasons),
            ends=_make_edge(chunk, following, inspection.reasons),
        )


def _make_edge(before: Chunk | None, after: Chunk | None, reasons: Mapping[int, str]) -> Edge:
    """Return the edge between two chunks; one of them is None at the beginning and end of the book."""
    if before and after:
        why = reasons[after.index]
    else:
        why = "The book begins." if before is None else "The book ends."
    return Edge(
        why=why,
        before=end_of(before.text, CONTEXT_CHARACTERS) if before else None,
        after=beginning_of(after.text, CONTEXT_CHARACTERS) if after else None,
        next_chunk=after,
    )
