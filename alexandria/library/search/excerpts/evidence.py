"""Score the runs of the best chunks as answers to a query, and rank the chunks by them (`score_chunks`).

A run is a few neighbouring sentences of a chunk (`runs.py`); as `Evidence`, it has its score and its chunk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Mode
from alexandria.book.model import Embeddings
from alexandria.library.search.excerpts.runs import (
    LINE_WORDS,
    TARGET,
    SentenceRun,
    runs_of,
    target_within,
    text_paragraphs,
)
from alexandria.store import QueryVectors
from alexandria.store.passage import Hit
from alexandria.store.payload import index_tag
from alexandria.store.ranking import by_score
from alexandria.store.sparse import AskedTerms

CANDIDATES = 20
"""Chunks whose runs are scored, and which are ranked by them; 30 found as much and took longer."""
# Round numbers, which did well on several sets of questions (docs/lab/search.md). The similarities of a run's
# mean and of its best sentence have the weight 1.
_WORDS_WEIGHT = 2.0  # the weight of the query's words in a run
_CHUNK_WEIGHT = 4.0  # the weight of the score of a run's chunk
_HEADING_WEIGHT = 0.5
"""What a word of the query counts if it is only in a heading above a run, or in the book's title; a word in
the run counts 1."""
_NEIGHBOUR_WEIGHTS = (0.3, 0.15)
"""The weights with which the scores of its direct neighbours, and of the runs next to these, are added to
that of a run: an answer is often longer than one run."""

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A run of a hit, with its score."""

    hit: Hit
    run: SentenceRun
    best: int
    """The sentence of the run that is most similar to the query, counted in the chunk; the first one if
    `by_meaning` is false."""
    by_meaning: bool  # whether the chunk has sentence vectors, by which the best sentence is known
    run_score: float  # the score of the run and its neighbours, without that of the chunk
    score: float  # the score of the run and of the chunk: higher is better; comparable within one search only


@dataclass(frozen=True, slots=True)
class ScoredChunks:
    """Chunks and their runs, with scores."""

    hits: tuple[Hit, ...]
    """The chunks, best first; in a hybrid search, with scores that include those of their runs."""
    evidence: tuple[Evidence, ...]
    """The runs of all chunks, one chunk after the other, in reading order within each."""
    present_terms: Mapping[str, frozenset[int]]
    """The terms of the query that each chunk's text has, by its id."""
    standings: Mapping[str, float]
    """In a hybrid search of enough chunks, how far each stands out among the `CANDIDATES` best: its score,
    1.5 in the mean of these, by its id."""


@dataclass(frozen=True, slots=True)
class _Windows:
    """Runs, or pairs of neighbouring runs, of all chunks: a row of each array per window.

    All similarities are to the query; those of chunks without sentence vectors are NaN.
    """

    chunks: NDArray[np.int64]  # (n,): the position of the window's chunk among the hits, ascending
    sums: NDArray[np.float32]  # (n, dim): the sum of the vectors of the window's sentences
    means: Scores  # (n,): the similarity of the mean of these vectors
    nearest: Scores  # (n,): the similarity of the best sentence
    terms: Scores  # (n, n_terms): 1 for a term of the query in it; `_HEADING_WEIGHT` if only in a heading
    words_weight: float  # the weight of words, where that of meaning is 1

    @classmethod
    def of(
        cls,
        chunks: NDArray[np.int64],
        sums: NDArray[np.float32],
        nearest: Scores,
        terms: Scores,
        query: QueryVectors,
    ) -> "_Windows":
        """Return windows from their fields; the similarities of the means and the weight are computed."""
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums)).clip(1e-6)  # of the sums; 1e-6 avoids 0 / 0
        means = np.where(np.isnan(nearest), np.nan, sums @ query.dense / lengths)
        return cls(chunks, sums, means, nearest, terms, _WORDS_WEIGHT / query.meaning_weight)

    def pairs(self, query: QueryVectors) -> "_Windows":
        """Return each two neighbouring runs of a chunk as one window; the only run of a chunk stays alone."""
        # -1 is the number of no chunk: the first run has no run before it, and the last none after it.
        has_next = np.diff(self.chunks, append=-1) == 0  # (n,): whether the next run is in the same chunk
        alone = ~has_next & (np.diff(self.chunks, prepend=-1) != 0)
        left = np.flatnonzero(has_next | alone)
        right = left + has_next[left]  # the run itself if it is alone
        return _Windows.of(
            self.chunks[left],
            self.sums[left] + np.where(has_next[left, np.newaxis], self.sums[right], np.float32(0)),
            np.maximum(self.nearest[left], self.nearest[right]),
            np.maximum(self.terms[left], self.terms[right]),
            query,
        )

    def scores(self, mode: Mode) -> Scores:
        """Return the score of each window as an answer, (n,)."""
        scores = np.zeros(len(self.chunks))
        if mode is not Mode.BM25:
            scores += standardise(self.means) + standardise(self.nearest)
        if mode in (Mode.HYBRID, Mode.BM25):
            scores += self.words_weight * standardise(self._score_query_words())
        return scores

    def best_per_chunk(self, mode: Mode) -> Scores:
        """Return the highest score of each chunk, (n_chunks,)."""
        firsts = np.flatnonzero(np.diff(self.chunks, prepend=-1))
        return np.asarray(np.maximum.reduceat(self.scores(mode), firsts), np.float64)

    def _score_query_words(self) -> Scores:
        """Return how many of the query's words each window has, weighted by rarity as in BM25, (n,)."""
        n_windows = self.terms.sum(axis=0)  # (n_terms,): that have the term
        weights = np.log1p((len(self.terms) - n_windows + 0.5) / (n_windows + 0.5))
        return np.asarray(self.terms @ weights, np.float64)


def score_chunks(
    query: QueryVectors,
    hits: Sequence[Hit],
    sentence_vectors: Mapping[str, Embeddings],
    *,
    mode: Mode = Mode.HYBRID,
    words: int | None = None,
    language: str | None = None,
) -> ScoredChunks:
    """Return the chunks, ranked again, and their runs of sentences, scored as answers to the query.

    Args:
        hits: chunks, best first; their scores count too.
        sentence_vectors: those of each chunk that has any, by the chunk's id: (n_sentences, dim).
        mode: `bm25` leaves out meaning, `dense` and `sentences` leave out words.
        words: the budget of words for the runs that will be returned; a large one makes the runs longer.
        language: the stemmer's language; by default the language of each book.
    """
    if not hits:
        return ScoredChunks((), (), {}, {})
    target = TARGET if words is None else target_within(words)
    runs = [runs_of(hit.text, hit.sentence_starts, hit.start, target=target) for hit in hits]
    tags = [language or index_tag(hit.payload) for hit in hits]
    asked = {tag: AskedTerms(query.bm25.indices, tag) for tag in tags}
    terms = [
        _terms_in_chunk(query, hit, chunk_runs, asked[tag])
        for hit, chunk_runs, tag in zip(hits, runs, tags, strict=True)
    ]
    sentences = _Sentences.of(query, runs, [sentence_vectors.get(hit.id) for hit in hits])
    windows = _windows_of_runs(query, runs, sentences, np.concatenate([chunk.in_runs for chunk in terms]))
    if mode is Mode.HYBRID:
        # A chunk is worth what the store scored it, plus its best run and its best pair of neighbouring runs.
        hit_scores = np.array([hit.score for hit in hits])
        best_runs = windows.best_per_chunk(mode)
        best_pairs = windows.pairs(query).best_per_chunk(mode)
        chunk_scores = np.sum([_scale(scores) for scores in (hit_scores, best_runs, best_pairs)], axis=0)
        hits = [replace(hit, score=float(score)) for hit, score in zip(hits, chunk_scores, strict=True)]
    return ScoredChunks(
        hits=tuple(by_score(hits)),
        evidence=tuple(_make_evidence(hits, runs, sentences, windows, mode)),
        present_terms={hit.id: chunk.present_terms for hit, chunk in zip(hits, terms, strict=True)},
        standings={hit.id: hit.score for hit in hits if mode is Mode.HYBRID and len(hits) >= CANDIDATES},
    )


def _make_evidence(
    hits: Sequence[Hit],
    runs: Sequence[Sequence[SentenceRun]],
    sentences: "_Sentences",
    windows: _Windows,
    mode: Mode,
) -> list[Evidence]:
    """Return the runs of all chunks with the score of each; that of its chunk is added at the end."""
    run_scores = _smooth_over_neighbours(windows.scores(mode), hits, windows.chunks).tolist()
    masks = map(which_are_text, hits)
    is_text = np.concatenate([mask | ~mask.any() for mask in masks])  # (n_sentences,)
    best_sentences = _best_sentences(runs, sentences, is_text)
    have_text = np.logical_or.reduceat(is_text, sentences.firsts).tolist()  # headings alone are no answer
    has_vectors = np.isfinite(windows.nearest).tolist()  # NaN: its chunk has no sentence vectors
    hits_and_runs = ((hit, run) for hit, chunk_runs in zip(hits, runs, strict=True) for run in chunk_runs)
    evidence = [
        Evidence(hit, run, best=best, by_meaning=by_meaning, run_score=score, score=score)
        for (hit, run), best, by_meaning, score, has_text in zip(
            hits_and_runs, best_sentences, has_vectors, run_scores, have_text, strict=True
        )
        if has_text
    ]
    return evidence_of(evidence, hits)


def which_are_text(hit: Hit) -> NDArray[np.bool_]:
    """Return which sentences of a chunk are of its text, (n_sentences,): the others are headings.

    None in a chunk of a few words of headings; all of them in a longer one of such lines, as of a list.
    """
    starts = tuple(start - hit.start for start in hit.sentence_starts)
    return _which_are_text(hit.text, starts, (*hit.section, hit.title))


@lru_cache(maxsize=256)  # a search asks several times for each of its candidates
def _which_are_text(text: str, starts: tuple[int, ...], headings: tuple[str, ...]) -> NDArray[np.bool_]:
    edges = np.array(text_paragraphs(text, headings), np.int64).ravel()
    # An odd number of edges up to a sentence: it begins inside a paragraph.
    is_text: NDArray[np.bool_] = np.searchsorted(edges, np.array(starts), "right") % 2 == 1
    return is_text | (not is_text.any() and len(text.split()) > LINE_WORDS)


def evidence_of(evidence: Sequence[Evidence], hits: Sequence[Hit]) -> list[Evidence]:
    """Return the runs of some chunks, scored again with the scores that these chunks now have.

    Args:
        evidence: as `score_chunks` returns it.
    """
    scores = standardise(np.array([hit.score for hit in hits]))
    chunk_scores = {
        hit.id: (hit, _CHUNK_WEIGHT * float(score)) for hit, score in zip(hits, scores, strict=True)
    }
    scored = []
    for part in evidence:
        if part.hit.id in chunk_scores:
            hit, chunk_score = chunk_scores[part.hit.id]
            score = part.run_score + chunk_score
            # Not `dataclasses.replace`: for some 200 runs it takes a millisecond.
            scored.append(
                Evidence(
                    hit,
                    part.run,
                    best=part.best,
                    by_meaning=part.by_meaning,
                    run_score=part.run_score,
                    score=score,
                )
            )
    return scored


@dataclass(frozen=True, slots=True)
class _ChunkTerms:
    """The terms of a query in a chunk."""

    in_runs: Scores  # (n_runs, n_terms): as `_Windows.terms`
    present_terms: frozenset[int]  # the terms that the chunk's text has


def _terms_in_chunk(
    query: QueryVectors, hit: Hit, runs: Sequence[SentenceRun], asked: AskedTerms
) -> _ChunkTerms:
    """Return which terms of a query are in the runs of a chunk, in the headings above it, and in its text."""
    query_terms, text = query.bm25.indices, hit.text
    run_terms = [asked.present_in(text[run.start - hit.start : run.end - hit.start]) for run in runs]
    heading_terms = asked.present_in(" ".join((*hit.section, hit.title)))
    in_headings = [_HEADING_WEIGHT * (term in heading_terms) for term in query_terms]
    in_runs = [
        [1.0 if term in terms else share for term, share in zip(query_terms, in_headings, strict=True)]
        for terms in run_terms
    ]
    return _ChunkTerms(np.array(in_runs, np.float64), frozenset().union(*run_terms))


@dataclass(frozen=True, slots=True)
class _Sentences:
    """The sentences of all chunks, one chunk after the other, and how the runs divide them."""

    rows: Embeddings  # (n_sentences, dim): their vectors; zeros for chunks without
    similarities: Scores  # (n_sentences,): to the query; NaN for chunks without vectors
    lengths: NDArray[np.int64]  # (n_runs,): the number of sentences of each run
    firsts: NDArray[np.int64]  # (n_runs,): the first sentence of each run

    @classmethod
    def of(
        cls,
        query: QueryVectors,
        runs: Sequence[Sequence[SentenceRun]],
        sentence_vectors: Sequence["Embeddings | None"],
    ) -> "_Sentences":
        """Return the sentences of all chunks; None stands for the vectors of a chunk without, (n, dim)."""
        chunks = [
            _rows_and_similarities(query, vectors, chunk_runs[-1].stop)
            for chunk_runs, vectors in zip(runs, sentence_vectors, strict=True)
        ]
        lengths = np.array([run.stop - run.first for chunk_runs in runs for run in chunk_runs])
        return cls(
            rows=np.concatenate([chunk_rows for chunk_rows, _ in chunks]),
            similarities=np.concatenate([similarities for _, similarities in chunks]),
            lengths=lengths,
            firsts=np.cumsum(lengths) - lengths,
        )


def _rows_and_similarities(
    query: QueryVectors, vectors: "Embeddings | None", n_sentences: int
) -> tuple[Embeddings, Scores]:
    """Return a row for each sentence of a chunk, (n_sentences, dim), and its similarity to the query."""
    # `vectors`: the vectors of the sentences; if there are none, or not one per sentence, the rows are zeros
    # and the similarities NaN.
    if vectors is None or len(vectors) != n_sentences:
        return np.zeros((n_sentences, len(query.dense)), np.float32), np.full(n_sentences, np.nan)
    return vectors, np.asarray(vectors @ query.dense, np.float64)


def _windows_of_runs(
    query: QueryVectors, runs: Sequence[Sequence[SentenceRun]], sentences: _Sentences, terms: Scores
) -> _Windows:
    """Return each run of all chunks as a window."""
    nearest = np.maximum.reduceat(sentences.similarities, sentences.firsts)
    sums = _sum_rows(sentences.rows, sentences.firsts, sentences.lengths)
    chunks = np.repeat(np.arange(len(runs)), [len(chunk_runs) for chunk_runs in runs])
    return _Windows.of(chunks, sums, nearest, terms, query)


def _best_sentences(
    runs: Sequence[Sequence[SentenceRun]], sentences: _Sentences, is_text: NDArray[np.bool_]
) -> list[int]:
    """Return the best sentence of each run, counted in its chunk; the first if no similarity is known."""
    # Of the sentences, those that are not text, (n_sentences,), are headings: none of these is the best.
    numbers = np.concatenate([np.arange(chunk_runs[-1].stop) for chunk_runs in runs])  # (n_sentences,)
    similarities = np.where(is_text, sentences.similarities, -2.0)
    nearest = np.maximum.reduceat(similarities, sentences.firsts)
    # NaN equals nothing, so that chunks without vectors have no such sentence.
    candidates = np.flatnonzero(similarities == np.repeat(nearest, sentences.lengths))
    candidate_runs = np.searchsorted(sentences.firsts, candidates, side="right") - 1
    known_runs, positions = np.unique(candidate_runs, return_index=True)  # of several in one run, the first
    best = np.array([run.first for chunk_runs in runs for run in chunk_runs])
    best[known_runs] = numbers[candidates[positions]]
    best_sentences: list[int] = best.tolist()
    return best_sentences


def _sum_rows(rows: Embeddings, firsts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the sum of the rows of each run, (n_runs, dim): `lengths` rows from each of `firsts`."""
    # First rows of all runs, then second rows of all runs that have one, …: an eighth of reduceat's time.
    sums = rows[firsts].astype(np.float32)
    for i in range(1, int(lengths.max())):
        longer = np.flatnonzero(lengths > i)
        sums[longer] += rows[firsts[longer] + i]
    return sums


def standardise(values: NDArray[np.floating]) -> Scores:
    """Return how many standard deviations each value lies above the mean, or 0 for NaN."""
    known = np.isfinite(values)
    if known.sum() < 2 or (deviation := float(values[known].std(ddof=1))) == 0:
        return np.zeros(len(values))
    return np.where(known, (values - values[known].mean()) / deviation, 0.0)


def _scale(values: NDArray[np.floating]) -> Scores:
    """Return the values scaled so that three standard deviations below the mean are 0, and three above 1."""
    return 0.5 + standardise(values) / 6


def _smooth_over_neighbours(scores: Scores, hits: Sequence[Hit], chunks: NDArray[np.int64]) -> Scores:
    """Return the score of each run, plus parts of the scores of the two runs before and after it in the book.

    An answer is often longer than one run. Neighbours may be in other chunks; `_NEIGHBOUR_WEIGHTS` says how
    much of their scores is added.

    Args:
        scores: (n_runs,).
        chunks: (n_runs,): the position in `hits` of each run's chunk, ascending.
    """
    first_runs = np.flatnonzero(np.diff(chunks, prepend=-1))  # (n_chunks,)
    last_runs = np.append(first_runs[1:], len(chunks)) - 1
    position_of = {(hit.book_id, hit.chunk_id): i for i, hit in enumerate(hits)}
    next_chunks = [position_of.get((hit.book_id, hit.chunk_id + 1)) for hit in hits]
    next_run = np.arange(1, len(chunks) + 1)  # (n_runs,); -1 if there is none
    next_run[last_runs] = [-1 if i is None else first_runs[i] for i in next_chunks]
    total, neighbour = scores.copy(), np.arange(len(chunks))
    for share in _NEIGHBOUR_WEIGHTS:
        neighbour = np.where(neighbour < 0, -1, next_run[neighbour])  # one run further
        with_neighbour = np.flatnonzero(neighbour >= 0)
        total[with_neighbour] += share * scores[neighbour[with_neighbour]]
        # No two runs have the same neighbour, so that `+=` counts each.
        total[neighbour[with_neighbour]] += share * scores[with_neighbour]
    return total
