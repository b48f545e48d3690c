"""How each search mode queries the vectors: the same plan for every store."""

from dataclasses import dataclass

from alexandria.modes import Mode
from alexandria.store.vectors import VectorName


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a search, as Qdrant nests them: the best `limit` points out of those of its prefetches."""

    using: VectorName | None
    """The vector that is compared. None fuses the results of the prefetches (DBSF: the scores of each are
    normalised by their mean and spread, and added)."""
    limit: int
    prefetch: tuple["Stage", ...] = ()
    """The stages whose results are candidates; if empty, every point is."""


EXHAUSTIVE = 5_000
"""Points up to which the sentences of every chunk are compared: 1 ms per thousand chunks, so unnoticeable."""
CANDIDATES = 200
"""Chunks of each kind whose sentences are compared in a larger library."""
MOST_SINGLE = 2.0
"""Weights of meaning up to which it is fused once."""
HALF = 100
"""Points that each half of a hybrid search passes to the fusion; 50 and 200 gave the same results."""


def plan_search(mode: Mode, limit: int, *, n_points: int, sentences: bool, meaning: float = 1.0) -> Stage:
    """Return the last stage of a search, with the stages before it.

    Args:
        mode: how the query is compared with the chunks.
        limit: how many hits.
        n_points: the size of the collection, which decides whether sentences are compared in every chunk, or
            only in the best chunks by chunk vector and by words.
        sentences: whether the books have sentence vectors; without them `hybrid` uses the chunk vectors only.
        meaning: how much meaning weighs beside words in `hybrid`: 1, or more than 2, which counts as 3.
    """
    match mode:
        case Mode.DENSE:
            return Stage(VectorName.DENSE, limit)
        case Mode.BM25:
            return Stage(VectorName.BM25, limit)
        case Mode.SENTENCES:
            return _by_sentence(limit, n_points)
        case Mode.HYBRID:
            half = max(HALF, limit)
            fused = _by_meaning(half, n_points, sentences)
            # Stages side by side add up: chunk vector, best sentence and both together weigh 3.
            several = (fused, *(fused.prefetch or (fused, fused))) if meaning > MOST_SINGLE else (fused,)
            return Stage(None, limit, prefetch=(*several, Stage(VectorName.BM25, half)))


def _by_meaning(limit: int, n_points: int, sentences: bool) -> Stage:
    """Return the chunk vector and the best sentence, fused, so that meaning weighs no more than words.

    Measured against fusing two or three stages side by side, and against fusing ranks: docs/retrieval.md.
    """
    whole = Stage(VectorName.DENSE, limit)
    return Stage(None, limit, prefetch=(whole, _by_sentence(limit, n_points))) if sentences else whole


def _by_sentence(limit: int, n_points: int) -> Stage:
    if n_points <= EXHAUSTIVE:
        return Stage(VectorName.SENTENCES, limit)
    n = max(CANDIDATES, limit)
    candidates = (Stage(VectorName.DENSE, n), Stage(VectorName.BM25, n))
    return Stage(VectorName.SENTENCES, limit, prefetch=candidates)
