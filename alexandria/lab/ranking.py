"""Chunks ranked for many questions at once, by the same steps as a search in a library.

What a store computes point by point is computed here with matrices: cosine with the chunk vectors, the best
sentence (MaxSim), BM25 with the inverse document frequency of all chunks, and their fusion. Recall, precision
and the like are those of Chroma's report on chunking (Smith and Troynikov 2024): counted in characters, not
passages, so that large chunks gain no advantage.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import log2

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Mode
from alexandria.book.model import Embeddings, Sparse, count_words, word_starts
from alexandria.lab.spans import Span, intersection, overlap_mask, total_length, union
from alexandria.store.plan import Stage, VectorName, plan_search
from alexandria.store.ranking import normalise

N_DISCOUNTED = 10  # ranks that nDCG covers


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A chunk as a search returns it: which book, and which span of it."""

    book: int
    start: int
    end: int
    text: str

    @property
    def span(self) -> Span:
        """Start and end in the book's text."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Relevance:
    """One question's scores, all in [0, 1], higher is better."""

    recall: float  # share of the reference characters in the best k passages
    precision: float  # share of the characters of the best k passages that lie in a reference
    iou: float  # reference characters found, over all characters of passages and references together
    precision_omega: float
    """Intersection over union if exactly the passages that overlap a reference were retrieved."""
    recall_in_budget: float
    """Share of the reference characters in the first words retrieved, up to the budget."""
    mrr: float  # 1 / the rank of the first passage that overlaps a reference; 0 where none does
    ndcg: float
    """Reference characters in the first 10 passages, discounted by rank, over the best possible sum."""


def judge(
    book: int,
    references: Sequence[Span],
    ranked: Sequence[RetrievedChunk],
    relevant: Sequence[RetrievedChunk],
    *,
    k: int,
    budget: int,
) -> Relevance:
    """Return how well the ranked passages answer a question.

    Args:
        references: at least one, none empty.
        ranked: best first; passages of other books count as wrong.
        relevant: every passage of the index that overlaps a reference.
        k: how many of the ranked passages count for recall, precision and IoU.
        budget: words for `recall_in_budget`; the passage that reaches the limit counts up to it.
    """
    best = ranked[:k]
    right_book = [passage.span for passage in best if passage.book == book]
    overlap = total_length(intersection(right_book, references))
    n_reference = total_length(references)
    # As in Chroma's report: overlapping passages are counted twice, overlapping references once.
    retrieved = total_length(passage.span for passage in best)
    missed = total_length(union(references)) - overlap
    gains = [
        total_length(intersection([passage.span], references)) if passage.book == book else 0
        for passage in ranked[:N_DISCOUNTED]
    ]
    ideal = sorted(
        (total_length(intersection([passage.span], references)) for passage in relevant), reverse=True
    )
    in_book = np.array([passage.book == book for passage in ranked], np.bool_)
    is_hit = overlap_mask([passage.span for passage in ranked], references) & in_book
    first_rank = int(is_hit.argmax()) + 1 if is_hit.any() else None
    return Relevance(
        recall=overlap / n_reference,
        precision=overlap / retrieved if retrieved else 0.0,
        iou=overlap / (retrieved + missed),
        precision_omega=_precision_omega(references, relevant),
        recall_in_budget=recall_in_budget(book, references, ranked, budget),
        mrr=1 / first_rank if first_rank else 0.0,
        ndcg=_dcg(gains) / (_dcg(ideal[:N_DISCOUNTED]) or 1.0),  # without a relevant passage, 0
    )


def recall_in_budget(
    book: int, references: Sequence[Span], ranked: Sequence[RetrievedChunk], budget: int
) -> float:
    """Return the share of the reference characters within the first `budget` words of the ranking."""
    spans: list[Span] = []
    words_left = budget
    for passage in ranked:
        n_words = count_words(passage.text)
        end = passage.end
        if n_words > words_left:
            end = passage.start + int(word_starts(passage.text)[words_left])
        if passage.book == book:
            spans.append((passage.start, end))
        words_left -= n_words
        if words_left <= 0:
            break
    return total_length(intersection(spans, references)) / total_length(references)


def _precision_omega(references: Sequence[Span], relevant: Sequence[RetrievedChunk]) -> float:
    """Return the intersection over union of the relevant passages and the references."""
    spans = union(passage.span for passage in relevant)
    return total_length(intersection(spans, references)) / total_length(union([*spans, *references]))


def _dcg(gains: Sequence[int]) -> float:
    """Return the discounted cumulative gain (Järvelin and Kekäläinen 2002), for gains by rank."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


Scores = NDArray[np.float64]
Ranking = tuple[NDArray[np.int64], Scores]  # indices of chunks, best first, and their scores

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
    """Return the ids of all rankings, ascending, and the sum of each one's normalised scores."""
    # This is Qdrant's distribution-based score fusion (DBSF).
    ids = np.unique(np.concatenate([ids for ids, _ in rankings]))
    sums = np.zeros(len(ids))
    for members, scores in rankings:
        sums[np.searchsorted(ids, members)] += normalise(scores)  # a ranking has each id once
    return ids, sums


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
