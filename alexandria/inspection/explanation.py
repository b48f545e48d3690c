"""Why a chunk begins and ends where it does."""

from dataclasses import dataclass

from alexandria.book import Boundary, Chunk
from alexandria.chunking import explain_boundary
from alexandria.config import Domain
from alexandria.errors import ConfigError
from alexandria.inspection.inspection import Inspection

CONTEXT_CHARACTERS = 200
"""How much text is shown on each side of a boundary: a sentence or two."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One end of a chunk."""

    why: str
    before: str | None
    """The last characters before this end; None where the book begins."""
    after: str | None
    """The first characters after this end; None where the book ends."""
    next_chunk: Chunk | None
    """The chunk that begins here; None where the book ends."""

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
            begins=_make_edge(inspection, previous, chunk),
            ends=_make_edge(inspection, chunk, following),
        )


def _make_edge(inspection: Inspection, before: Chunk | None, after: Chunk | None) -> Edge:
    """Return the edge between two chunks; one of them is None at the beginning and end of the book."""
    boundary = after.boundary if after else None
    if boundary:
        why = explain_boundary(boundary, inspection.domain.strategy)
    else:
        why = "The book begins." if before is None else "The book ends."
    return Edge(
        why=why,
        before=_end_of(before.text) if before else None,
        after=_beginning_of(after.text) if after else None,
        next_chunk=after,
    )


def _end_of(text: str) -> str:
    """Return the last words of a text, `CONTEXT_CHARACTERS` at most."""
    if len(text) <= CONTEXT_CHARACTERS:
        return text
    _, _, end = text[-CONTEXT_CHARACTERS - 1 :].partition(" ")
    return end or text[-CONTEXT_CHARACTERS:]


def _beginning_of(text: str) -> str:
    """Return the first words of a text, `CONTEXT_CHARACTERS` at most."""
    if len(text) <= CONTEXT_CHARACTERS:
        return text
    beginning, _, _ = text[: CONTEXT_CHARACTERS + 1].rpartition(" ")
    return beginning or text[:CONTEXT_CHARACTERS]
