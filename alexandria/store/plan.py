"""How a question is put to the vectors: what each mode asks of them, for every store alike."""

from dataclasses import dataclass
from enum import StrEnum

from alexandria.modes import Mode


class By(StrEnum):
    """What ranks the points of a step; the values are the names of the vectors."""

    DENSE = ""
    SENTENCES = "sentences"
    WORDS = "bm25"
    FUSION = "fusion"
    """The scores of the steps before it, each brought to its own mean and spread, and added (DBSF)."""


@dataclass(frozen=True, slots=True)
class Step:
    """The best `limit` points by one measure, out of those of the steps before it, or out of all."""

    by: By
    limit: int
    of: tuple["Step", ...] = ()


EXHAUSTIVE = 5_000
"""Points up to which every chunk's sentences are compared: 1 ms a thousand chunks, so still unnoticed."""
CANDIDATES = 200
"""Chunks of each kind whose sentences are compared in a larger library."""
HALF = 100
"""Points that each part of a hybrid search hands to the fusion; 50 and 200 measured the same."""


def plan(mode: Mode, limit: int, *, n_points: int, sentences: bool) -> Step:
    """Return the steps of a search.

    Args:
        mode: what the caller asked for.
        limit: how many hits.
        n_points: how many points the collection holds; it decides whether sentences are compared in all of
            them, or in the candidates of the chunk vectors and the words.
        sentences: whether the books have sentence vectors; without them `hybrid` falls back on the chunks'.
    """
    match mode:
        case Mode.DENSE:
            return Step(By.DENSE, limit)
        case Mode.BM25:
            return Step(By.WORDS, limit)
        case Mode.SENTENCES:
            return _by_sentence(limit, n_points)
        case Mode.HYBRID:
            half = max(HALF, limit)
            return Step(By.FUSION, limit, of=(_by_meaning(half, n_points, sentences), Step(By.WORDS, half)))


def _by_meaning(limit: int, n_points: int, sentences: bool) -> Step:
    """Return the chunk as a whole and its best sentence, fused, so that meaning weighs no more than words do.

    Measured against two and three halves side by side, and against ranks: docs/retrieval.md.
    """
    whole = Step(By.DENSE, limit)
    return Step(By.FUSION, limit, of=(whole, _by_sentence(limit, n_points))) if sentences else whole


def _by_sentence(limit: int, n_points: int) -> Step:
    if n_points <= EXHAUSTIVE:
        return Step(By.SENTENCES, limit)
    candidates = max(CANDIDATES, limit)
    return Step(By.SENTENCES, limit, of=(Step(By.DENSE, candidates), Step(By.WORDS, candidates)))
