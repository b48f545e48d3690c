"""Hits that are not all alike: one per chapter or book, or each unlike those before it."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Diverse
from alexandria.book.model import Embeddings
from alexandria.store.passage import Hit
from alexandria.store.ranking import TIE

CANDIDATES = 100  # the fewest hits to choose from
_RELEVANCE_WEIGHT = 0.7
"""The weight of a hit's score in maximal marginal relevance (Carbonell, Goldstein 1998); the rest is the
weight of its similarity to the hits before it."""


def diversify(hits: Sequence[Hit], diverse: Diverse, sentence_vectors: Mapping[str, Embeddings]) -> list[Hit]:
    """Return hits that are not all alike, in the order in which to read them.

    Args:
        hits: best first.
        diverse: `chapter` and `book` keep the best hit of each; `mmr` keeps all of them in another order.
        sentence_vectors: the sentence vectors of each hit that has any, by its id; `mmr` compares these.
    """
    match diverse:
        case Diverse.MMR:
            return _by_marginal_relevance(hits, sentence_vectors)
        case Diverse.BOOK:
            return _first_of_each(hits, lambda hit: (hit.book_id,))
        case Diverse.CHAPTER:
            return _first_of_each(hits, lambda hit: (hit.book_id, *hit.section[:1]))


def _first_of_each(hits: Sequence[Hit], group: Callable[[Hit], tuple[str, ...]]) -> list[Hit]:
    """Return the first hit of each group, in the order of the hits."""
    firsts: dict[tuple[str, ...], Hit] = {}
    for hit in hits:
        firsts.setdefault(group(hit), hit)
    return list(firsts.values())


def _by_marginal_relevance(hits: Sequence[Hit], sentence_vectors: Mapping[str, Embeddings]) -> list[Hit]:
    """Return all hits; each is the best of the rest, less its similarity to the hits before it."""
    if len(hits) < 2:
        return list(hits)
    scores = np.array([hit.score for hit in hits])
    # Scores are scaled to [0, 1], to compare with similarities; 1e-9 avoids 0 / 0 if all are equal.
    relevance = _RELEVANCE_WEIGHT * (scores - scores.min()) / max(float(np.ptp(scores)), 1e-9)  # (n,)
    similarities = _compute_similarities(hits, sentence_vectors)  # (n, n)
    redundancy = np.zeros(len(hits))  # (n,): the similarity to the nearest hit chosen so far
    remaining = np.ones(len(hits), np.bool_)
    chosen: list[int] = []
    for _ in hits:
        gain = np.where(remaining, relevance - (1 - _RELEVANCE_WEIGHT) * redundancy, -np.inf)
        best = int(np.argmax(gain > gain.max() - TIE))  # of equal ones the first
        chosen.append(best)
        remaining[best] = False
        redundancy = np.maximum(redundancy, similarities[best])
    return [hits[i] for i in chosen]


def _compute_similarities(
    hits: Sequence[Hit], sentence_vectors: Mapping[str, Embeddings]
) -> NDArray[np.float64]:
    """Return the cosine similarities of the hits, (n, n), or 0 where a hit has no sentence vectors."""
    # The vector of a hit is the sum of the vectors of its sentences.
    dim = next((vectors.shape[1] for vectors in sentence_vectors.values()), 1)
    no_vectors = np.zeros((1, dim))
    sums = np.array([sentence_vectors.get(hit.id, no_vectors).sum(axis=0) for hit in hits])  # (n, dim)
    units = sums / np.linalg.norm(sums, axis=1, keepdims=True).clip(1e-9)
    return np.asarray(units @ units.T, np.float64)
