"""How much each run of the best chunks speaks for being the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings, Sparse
from alexandria.excerpts.runs import SentenceRun, runs_of
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.store import QueryVectors
from alexandria.store.points import stored_sentence_starts
from alexandria.store.sparse import document_terms

CANDIDATES = 20
"""Chunks whose runs are weighed; 40 found as much, and take twice the time."""
# Round numbers, which held on each of three corpora apart (docs/retrieval.md).
_WORDS, _CHUNK = 2.0, 2.0
"""The weight of words and of the chunk's rank; that of a run's mean meaning and of its best sentence is 1."""
_NEIGHBOUR = 0.3
"""The share of its neighbours' evidence that a run gets: an answer often runs on."""

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A run of a hit, with its score."""

    hit: Hit
    run: SentenceRun
    best: int
    """The sentence of the chunk in it that is closest to the query; the first one where that is not known."""
    by_meaning: bool
    """Whether that is known: not without sentence vectors."""
    score: float
    """Higher is better; comparable within one search only."""


def weigh(
    query: QueryVectors,
    hits: Sequence[Hit],
    rows: Mapping[str, Embeddings],
    *,
    mode: Mode = Mode.HYBRID,
    language: str | None = None,
) -> list[Evidence]:
    """Return the runs of all hits with their scores, hit after hit, in reading order within each.

    Args:
        query: the vectors of the query.
        hits: chunks; their scores count too.
        rows: the sentence vectors of those that have any, by id.
        mode: `bm25` leaves out meaning, `dense` and `sentences` leave out words.
        language: of the stemmer; by default the language of each book.
    """
    divided = [_runs(hit) for hit in hits]
    members = [(hit, run) for hit, runs in zip(hits, divided, strict=True) for run in runs]
    if not members:
        return []
    parts = [_meanings(query, rows.get(hit.id), runs) for hit, runs in zip(hits, divided, strict=True)]
    means, nearest, best = np.concatenate(parts).T  # (n_runs,) each
    scores = np.zeros(len(members))
    if mode is not Mode.BM25:
        scores += _standardised(means) + _standardised(nearest)
    if mode in (Mode.HYBRID, Mode.BM25):
        texts = [(_text(hit, run), language or hit.language) for hit, run in members]
        scores += _WORDS * _standardised(_words(query.bm25, texts))
    scores = _with_neighbours(scores, members)
    ranks = dict(
        zip((hit.id for hit in hits), _standardised(np.array([hit.score for hit in hits])), strict=True)
    )
    scores += _CHUNK * np.array([ranks[hit.id] for hit, _ in members])
    return [
        Evidence(hit, run, int(sentence), by_meaning=bool(known), score=float(score))
        for (hit, run), sentence, known, score in zip(
            members, best, np.isfinite(nearest), scores, strict=True
        )
    ]


def _runs(hit: Hit) -> list[SentenceRun]:
    return runs_of(hit.text, stored_sentence_starts(hit.payload), hit.start)


def _meanings(query: QueryVectors, rows: Embeddings | None, runs: Sequence[SentenceRun]) -> Scores:
    """Return for each run the similarities of its mean and of its best sentence, and which sentence that is.

    Returns:
        (n_runs, 3); without rows, NaN and the first sentence.
    """
    firsts = [run.first for run in runs]
    if rows is None or len(rows) != runs[-1].stop:
        return np.array([(np.nan, np.nan, first) for first in firsts])
    similarities = rows @ query.dense  # (n_sentences,)
    lengths = np.linalg.norm(np.add.reduceat(rows, firsts, axis=0), axis=1).clip(1e-6)
    means = np.add.reduceat(similarities, firsts) / lengths
    best = [run.first + int(similarities[run.first : run.stop].argmax()) for run in runs]
    return np.stack((means, similarities[best], best), axis=1)


def _words(query: Sparse, texts: Sequence[tuple[str, str | None]]) -> Scores:
    """Return the words of the query that occur in each text, the rarer among these texts the weightier."""
    present = [frozenset(document_terms(text, language).indices) for text, language in texts]
    holds = np.array([[term in terms for term in query.indices] for terms in present])  # (n_texts, n_terms)
    n_holding = holds.sum(axis=0)  # (n_terms,)
    weights = np.log1p((len(texts) - n_holding + 0.5) / (n_holding + 0.5))
    return np.asarray(holds @ weights, np.float64)


def _standardised(values: NDArray[np.floating]) -> Scores:
    """Return how many standard deviations each value lies above the mean; 0 for NaN."""
    known = np.isfinite(values)
    if known.sum() < 2 or (deviation := float(values[known].std(ddof=1))) == 0:
        return np.zeros(len(values))
    return np.where(known, (values - values[known].mean()) / deviation, 0.0)


def _with_neighbours(scores: Scores, members: Sequence[tuple[Hit, SentenceRun]]) -> Scores:
    """Return the scores with a share of those of the runs just before and after in the book."""
    firsts = {(hit.book_id, hit.chunk_id): i for i, (hit, run) in enumerate(members) if run.first == 0}
    total = scores.copy()
    for i, (hit, _) in enumerate(members):
        same_chunk = i + 1 < len(members) and members[i + 1][0] is hit
        j = i + 1 if same_chunk else firsts.get((hit.book_id, hit.chunk_id + 1))
        if j is not None:
            total[i] += _NEIGHBOUR * scores[j]
            total[j] += _NEIGHBOUR * scores[i]
    return total


def _text(hit: Hit, run: SentenceRun) -> str:
    return hit.text[run.start - hit.start : run.end - hit.start]
