"""Chunks ranked for many questions at once, by the same steps as a search in a library.

What a store computes point by point is computed here with matrices: cosine with the chunk vectors, the best
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

MAX_HITS = 100
"""Hits per question: more than any word budget needs, but no more than a hybrid search passes to its fusion.
A smaller limit would give the same order."""


@dataclass(frozen=True, slots=True)
class IndexedChunks:
    """All chunks of all books under one variant, as a library would store them."""

    dense: Embeddings  # (n_chunks, dim)
    sentence_vectors: Embeddings  # (n_sentences, dim), chunk after chunk
    first_vectors: NDArray[np.int64]
    """(n_chunks,): where each chunk's sentence vectors begin; every chunk has at least one."""
    terms: Sequence[Sparse]  # one per chunk


@dataclass(frozen=True, slots=True)
class Queries:
    """All questions, in the form a store takes."""

    dense: Embeddings  # (n_questions, dim)
    terms: Sequence[Sparse]


@dataclass(frozen=True, slots=True)
class Rankings:
    """Every score of every chunk for every question; -inf where a store would not return the chunk."""

    scores: dict[VectorName, Scores]  # (n_questions, n_chunks) each
    n_chunks: int
    sentences: bool = True
    """Whether a library would store sentence vectors; without them `hybrid` uses the chunk vectors alone."""

    @classmethod
    def of(cls, indexed: IndexedChunks, queries: Queries, *, sentences: bool = True) -> "Rankings":
        """Score all chunks for all questions."""
        # Stores keep the sentence vectors in 16 or 8 bits; here they are rounded to 16.
        halved = indexed.sentence_vectors.astype(np.float16).astype(np.float32)
        lengths = np.linalg.norm(halved, axis=1, keepdims=True)
        nearest = np.maximum.reduceat(queries.dense @ (halved / lengths).T, indexed.first_vectors, axis=1)
        scores = {
            VectorName.DENSE: np.asarray(queries.dense @ indexed.dense.T, np.float64),
            VectorName.SENTENCES: np.asarray(nearest, np.float64),
            VectorName.BM25: _bm25_scores(indexed.terms, queries.terms),
        }
        return cls(scores, len(indexed.dense), sentences)

    def best(self, question: int, mode: Mode) -> NDArray[np.int64]:
        """Return the chunks that a search in this mode would return, best first."""
        plan = plan_search(mode, MAX_HITS, n_points=self.n_chunks, sentences=self.sentences)
        return self.rank(plan, question)[0]

    def rank(self, stage: Stage, question: int) -> Ranking:
        """Return the best chunks by one stage of a plan.

        They are chosen from the chunks that the prefetches of the stage (the stages before it) return, or
        from all chunks if the stage has no prefetches.
        """
        prefetched = [self.rank(prefetch, question) for prefetch in stage.prefetch]
        if stage.using is None:  # the stage fuses its prefetches
            return _select_top(*_sum_normalised(prefetched), stage.limit)
        scores = self.scores[stage.using][question]
        if prefetched:
            candidates = np.unique(np.concatenate([ids for ids, _ in prefetched]))
        else:
            candidates = np.arange(self.n_chunks)
        candidates = candidates[np.isfinite(scores[candidates])]
        return _select_top(candidates, scores[candidates], stage.limit)


def _select_top(ids: NDArray[np.int64], scores: Scores, limit: int) -> Ranking:
    """Return the ids with the highest scores, best first; of equal scores, the earlier id comes first."""
    order = np.argsort(-scores, kind="stable")[:limit]
    return ids[order], scores[order]


def _sum_normalised(rankings: Sequence[Ranking]) -> tuple[NDArray[np.int64], Scores]:
    """Return the ids of all rankings, ascending, and the sum of each one's normalised scores.

    This is Qdrant's distribution-based score fusion (DBSF).
    """
    ids = np.unique(np.concatenate([ids for ids, _ in rankings]))
    sums = np.zeros(len(ids))
    for members, scores in rankings:
        sums[np.searchsorted(ids, members)] += _normalise(scores)  # a ranking has each id once
    return ids, sums


def _normalise(scores: Scores) -> Scores:
    """Return the scores scaled: 0 is three standard deviations below their mean, and 1 three above it."""
    deviation = scores.std(ddof=1) if len(scores) > 1 else 0.0
    if deviation == 0:
        return np.full(len(scores), 0.5)  # as Qdrant does: equal scores all lie in the middle
    lowest = scores.mean() - 3 * deviation
    return np.asarray((scores - lowest) / (6 * deviation))


def _bm25_scores(chunks: Sequence[Sparse], questions: Sequence[Sparse]) -> Scores:
    """Return the BM25 scores, (n_questions, n_chunks); -inf where question and chunk share no term."""
    # Terms that no question has cannot score.
    terms = np.unique(np.fromiter(chain.from_iterable(q.indices for q in questions), np.int64))
    weights = _to_matrix(chunks, terms)  # (n_chunks, n_terms)
    query_weights = _to_matrix(questions, terms)  # (n_questions, n_terms)
    n_containing = np.count_nonzero(weights, axis=0)
    idf = np.log1p((len(chunks) - n_containing + 0.5) / (n_containing + 0.5))
    scores = (query_weights * idf) @ weights.T
    return np.where(scores > 0, scores, -np.inf)


def _to_matrix(vectors: Sequence[Sparse], terms: NDArray[np.int64]) -> Scores:
    """Return the sparse vectors as rows, (n_vectors, n_terms), with a column for each of the ascending terms.

    Values of other terms are dropped.
    """
    matrix = np.zeros((len(vectors), len(terms)))
    lengths = [len(vector.indices) for vector in vectors]
    if not len(terms) or not sum(lengths):
        return matrix
    rows = np.repeat(np.arange(len(vectors)), lengths)
    # One pass over all of them: with one array per chunk, short chunks would cost mostly overhead.
    indices = np.fromiter(chain.from_iterable(vector.indices for vector in vectors), np.int64, sum(lengths))
    values = np.fromiter(chain.from_iterable(vector.values for vector in vectors), np.float64, sum(lengths))
    columns = np.searchsorted(terms, indices).clip(max=len(terms) - 1)
    has_column = terms[columns] == indices
    matrix[rows[has_column], columns[has_column]] = values[has_column]
    return matrix
