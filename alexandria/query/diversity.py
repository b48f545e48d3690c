"""Hits that are not all alike: one per chapter or book, or each unlike those before it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.modes import Diverse
from alexandria.passage import Hit

CANDIDATES = 100
"""Hits that are chosen from, at least."""
_RELEVANCE = 0.7
"""What a score counts in maximal marginal relevance (Carbonell, Goldstein 1998); likeness counts the rest."""


def diversified(hits: Sequence[Hit], diverse: Diverse, rows: Mapping[str, Embeddings]) -> list[Hit]:
    """Return hits that are not all alike, those to read first in front.

    Args:
        hits: best first.
        diverse: `chapter` and `book` keep the best hit of each; `mmr` keeps all of them in another order.
        rows: the sentence vectors of those that have any, by id; `mmr` compares by these.
    """
    match diverse:
        case Diverse.MMR:
            return _by_marginal_relevance(hits, rows)
        case Diverse.BOOK:
            return list({hit.book_id: hit for hit in reversed(hits)}.values())[::-1]
        case Diverse.CHAPTER:
            return list({(hit.book_id, *hit.section[:1]): hit for hit in reversed(hits)}.values())[::-1]


def _by_marginal_relevance(hits: Sequence[Hit], rows: Mapping[str, Embeddings]) -> list[Hit]:
    if len(hits) < 2:
        return list(hits)
    scores = np.array([hit.score for hit in hits])
    relevance = _RELEVANCE * (scores - scores.min()) / max(float(np.ptp(scores)), 1e-9)  # (n,)
    alike = _likeness(hits, rows)  # (n, n)
    nearest = np.zeros(len(hits))  # to any that was chosen
    left = np.ones(len(hits), np.bool_)
    chosen: list[int] = []
    for _ in hits:
        worth = np.where(left, relevance - (1 - _RELEVANCE) * nearest, -np.inf)
        best = int(worth.argmax())
        chosen.append(best)
        left[best] = False
        nearest = np.maximum(nearest, alike[best])
    return [hits[i] for i in chosen]


def _likeness(hits: Sequence[Hit], rows: Mapping[str, Embeddings]) -> NDArray[np.float64]:
    """Return the cosine of the chunk vectors, (n, n); 0 where a chunk has no sentence vectors."""
    dim = next((own.shape[1] for own in rows.values()), 1)
    sums = np.array([rows[hit.id].sum(axis=0) if hit.id in rows else np.zeros(dim) for hit in hits])
    units = sums / np.linalg.norm(sums, axis=1, keepdims=True).clip(1e-9)
    return np.asarray(units @ units.T, np.float64)
