"""Chunks so small that a reader wonders why, each with the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median_low

from alexandria.book import Boundary, Chunk, Reason

# If the cuts on both sides have different reasons, the first listed is given: the settings that decide it can
# be changed.
_WHY = {
    Reason.TOPIC: "cut off by topic",
    Reason.MAX_SIZE: "left over by the limit on size",
    Reason.BREAK: "set apart by the author's own break",
    Reason.SECTION: "all the text of its section",
}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A chunk with less than a tenth of the words of the median chunk."""

    chunk: int
    """Its number."""
    words: int
    why: str
    """What left it so small."""


def fragments_of(chunks: Sequence[Chunk]) -> tuple[Fragment, ...]:
    """Return the chunks that are far smaller than the median chunk, in order, each with the reason."""
    if not chunks:
        return ()
    median = median_low(chunk.word_count for chunk in chunks)
    cuts = [None, *(chunk.boundary for chunk in chunks[1:]), None]  # around each chunk
    return tuple(
        Fragment(chunk=chunk.index, words=chunk.word_count, why=_describe_neighbours(before, after))
        for chunk, (before, after) in zip(chunks, pairwise(cuts), strict=True)
        if chunk.word_count * 10 < median
    )


def _describe_neighbours(before: Boundary | None, after: Boundary | None) -> str:
    """Return what separates a chunk from its neighbours; None, an end of the book, counts as a section's."""
    reasons = {Reason.SECTION if side is None else side.reason for side in (before, after)}
    return next(why for reason, why in _WHY.items() if reason in reasons)
