"""Chunks ranked for many questions at once, by the same steps as a search in the library.

What a store computes point by point is done here in matrices: cosine with the chunk vectors, the best
sentence (MaxSim), BM25 with the inverse document frequency of all chunks, and their fusion.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings, Sparse
from alexandria.modes import Mode
from alexandria.store.plan import Stage, plan_search
from alexandria.store.vectors import VectorName

Scores = NDArray[np.float64]
Ranking = tuple[NDArray[np.int64], Scores]
"""Indices of chunks, best first, and their scores."""

DEEPEST = 100
"""Hits a question: more than any budget of words needs, and no more than a hybrid search hands to its fusion,
so that asking for fewer would give the same order."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """All chunks of all books under one setting, as a library would hold them."""

    dense: Embeddings  # (n_chunks, dim)
    rows: Embeddings  # (n_sentences, dim), chunk after chunk
    first_rows: NDArray[np.int64]  # (n_chunks,): where each chunk's rows begin; no chunk is without one
    terms: Sequence[Sparse]  # of each chunk


@dataclass(frozen=True, slots=True)
class Asked:
    """All questions, as a store understands them."""

    dense: Embeddings  # (n_questions, dim)
    terms: Sequence[Sparse]


@dataclass(frozen=True, slots=True)
class Rankings:
    """Every score of every chunk for every question; -inf where a store would not return the chunk."""

    scores: dict[VectorName, Scores]  # (n_questions, n_chunks) each
    n_chunks: int
    sentences: bool = True
    """Whether a library would hold sentence vectors; without them `hybrid` falls back on the chunks'."""

    @classmethod
    def of(cls, indexed: Indexed, asked: Asked, *, sentences: bool = True) -> "Rankings":
        """Score all chunks for all questions."""
        # Stores keep the sentence vectors in half precision; so the same rounding here.
        halved = indexed.rows.astype(np.float16).astype(np.float32)
        lengths = np.linalg.norm(halved, axis=1, keepdims=True)
        nearest = np.maximum.reduceat(asked.dense @ (halved / lengths).T, indexed.first_rows, axis=1)
        scores = {
            VectorName.DENSE: np.asarray(asked.dense @ indexed.dense.T, np.float64),
            VectorName.SENTENCES: np.asarray(nearest, np.float64),
            VectorName.BM25: _words(indexed.terms, asked.terms),
        }
        return cls(scores, len(indexed.dense), sentences)

    def best(self, question: int, mode: Mode) -> NDArray[np.int64]:
        """Return the chunks that a search in this mode would return, best first."""
        plan = plan_search(mode, DEEPEST, n_points=self.n_chunks, sentences=self.sentences)
        return self.run(plan, question)[0]

    def run(self, stage: Stage, question: int) -> Ranking:
        """Return the best chunks by one stage, out of those of its prefetches."""
        before = [self.run(prefetch, question) for prefetch in stage.prefetch]
        if stage.using is None:
            return _top(*_fused(before), stage.limit)
        scores = self.scores[stage.using][question]
        among = np.unique(np.concatenate([ids for ids, _ in before])) if before else np.arange(self.n_chunks)
        among = among[np.isfinite(scores[among])]
        return _top(among, scores[among], stage.limit)


def _top(ids: NDArray[np.int64], scores: Scores, limit: int) -> Ranking:
    order = np.argsort(-scores, kind="stable")[:limit]
    return ids[order], scores[order]


def _fused(rankings: Sequence[Ranking]) -> Ranking:
    """Add the scores, each ranking's brought to its own mean and spread (DBSF)."""
    ids = np.unique(np.concatenate([found for found, _ in rankings]))
    sums = np.zeros(len(ids))
    for found, scores in rankings:
        sums[np.searchsorted(ids, found)] += _spread(scores)
    return ids, sums


def _spread(scores: Scores) -> Scores:
    """Return where the scores lie between three standard deviations below their mean (0) and above (1)."""
    deviation = scores.std(ddof=1) if len(scores) > 1 else 0.0
    if deviation == 0:
        return np.full(len(scores), 0.5)  # as Qdrant does: alike, they all lie in the middle
    lowest = scores.mean() - 3 * deviation
    return np.asarray((scores - lowest) / (6 * deviation))


def _words(chunks: Sequence[Sparse], questions: Sequence[Sparse]) -> Scores:
    """Return BM25, (n_questions, n_chunks); -inf where question and chunk have no word in common."""
    known = np.unique(np.fromiter(chain.from_iterable(q.indices for q in questions), np.int64))
    weights = _matrix(chunks, known)  # (n_chunks, n_known)
    asked = _matrix(questions, known)  # (n_questions, n_known)
    holding = np.count_nonzero(weights, axis=0)
    idf = np.log1p((len(chunks) - holding + 0.5) / (holding + 0.5))
    scores = (asked * idf) @ weights.T
    return np.where(scores > 0, scores, -np.inf)


def _matrix(vectors: Sequence[Sparse], known: NDArray[np.int64]) -> Scores:
    """Return the sparse vectors as rows over the known terms; other terms go."""
    matrix = np.zeros((len(vectors), len(known)))
    lengths = [len(one.indices) for one in vectors]
    if not len(known) or not sum(lengths):
        return matrix
    rows = np.repeat(np.arange(len(vectors)), lengths)
    # One pass over all of them: an array a chunk is most of the work where chunks are short.
    terms = np.fromiter(chain.from_iterable(one.indices for one in vectors), np.int64, sum(lengths))
    values = np.fromiter(chain.from_iterable(one.values for one in vectors), np.float64, sum(lengths))
    columns = np.searchsorted(known, terms).clip(max=len(known) - 1)
    here = known[columns] == terms
    matrix[rows[here], columns[here]] = values[here]
    return matrix
