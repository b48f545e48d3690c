"""How much each run of the best chunks speaks for being the answer, and the chunks ranked by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.excerpts.runs import TARGET, SentenceRun, runs_of, target_within
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.store import QueryVectors
from alexandria.store.points import stored_sentence_starts
from alexandria.store.sparse import document_terms

CANDIDATES = 20
"""Chunks whose runs are weighed, and which are ranked by them; 30 found as much, and take longer."""
# Round numbers, which held on several sets of questions (docs/retrieval.md).
_WORDS, _CHUNK = 2.0, 2.0
"""The weight of words and of the chunk's rank; that of a run's mean meaning and of its best sentence is 1."""
_HEADING = 0.5
"""What a word of the query counts that is not in a run, but in a heading above it or in the book's title."""
_NEIGHBOUR, _SECOND = 0.3, 0.15
"""The shares that a run gets of the evidence of those beside it, and of those next to them: an answer often
runs on."""

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
    own: float
    """How much the run and those beside it speak for being the answer, without its chunk."""
    score: float
    """Higher is better; comparable within one search only."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """Chunks, and the runs in them."""

    hits: tuple[Hit, ...]
    """Best first. In a hybrid search, they are ranked by their runs too, and their scores say so."""
    evidence: tuple[Evidence, ...]
    """The runs of all hits, chunk after chunk, in reading order within each."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    """What is known of a chunk."""

    runs: Sequence[SentenceRun]
    holds: Scores  # (n_runs, n_terms): 1 for a term of the query that a run has, less where a heading has it
    similarities: Scores | None  # (n_sentences,): of each to the query
    sums: NDArray[np.float32] | None  # (n_sentences + 1, dim): of the vectors of those before each


@dataclass(frozen=True, slots=True)
class _Windows:
    """Runs, or pairs of neighbouring runs, of all chunks."""

    chunks: NDArray[np.int64]  # (n,): whose each is
    means: Scores  # (n,): how similar the mean of its sentences is to the query; NaN where that is not known
    nearest: Scores  # (n,): how similar its best sentence is
    best: NDArray[np.int64]  # (n,): which sentence that is; the first one where that is not known
    holds: Scores  # (n, n_terms)
    words: float
    """The weight of words."""

    def scores(self, mode: Mode) -> Scores:
        """Return how much each speaks for being the answer, (n,)."""
        scores = np.zeros(len(self.chunks))
        if mode is not Mode.BM25:
            scores += _standardised(self.means) + _standardised(self.nearest)
        if mode in (Mode.HYBRID, Mode.BM25):
            scores += self.words * _standardised(self._words())
        return scores

    def best_per_chunk(self, mode: Mode) -> Scores:
        """Return the highest score of each chunk, (n_chunks,)."""
        firsts = np.flatnonzero(np.diff(self.chunks, prepend=-1))
        return np.asarray(np.maximum.reduceat(self.scores(mode), firsts), np.float64)

    def _words(self) -> Scores:
        """Return how many of the query's words each has, the rarer among them all the weightier."""
        n_holding = self.holds.sum(axis=0)  # (n_terms,)
        weights = np.log1p((len(self.holds) - n_holding + 0.5) / (n_holding + 0.5))
        return np.asarray(self.holds @ weights, np.float64)


def weigh(
    query: QueryVectors,
    hits: Sequence[Hit],
    rows: Mapping[str, Embeddings],
    *,
    mode: Mode = Mode.HYBRID,
    words: int | None = None,
    language: str | None = None,
) -> Weighed:
    """Return the chunks and their runs, weighed by their sentences.

    Args:
        query: the vectors of the query.
        hits: chunks, best first; their scores count too.
        rows: the sentence vectors of those that have any, by id.
        mode: `bm25` leaves out meaning, `dense` and `sentences` leave out words.
        words: the budget within which runs will be handed out; a large one has longer runs.
        language: of the stemmer; by default the language of each book.
    """
    if not hits:
        return Weighed((), ())
    target = TARGET if words is None else target_within(words)
    chunks = [_chunk(query, hit, rows.get(hit.id), target, language) for hit in hits]
    windows = _windows(query, chunks, width=1)
    if mode is Mode.HYBRID:
        parts = (
            np.array([hit.score for hit in hits]),
            windows.best_per_chunk(mode),
            _windows(query, chunks, width=2).best_per_chunk(mode),
        )
        ranks = np.sum([_spread(part) for part in parts], axis=0)
        hits = [replace(hit, score=float(rank)) for hit, rank in zip(hits, ranks, strict=True)]
    members = [(hit, run) for hit, chunk in zip(hits, chunks, strict=True) for run in chunk.runs]
    scores = _with_neighbours(windows.scores(mode), members).tolist()
    known = np.isfinite(windows.nearest).tolist()
    evidence = [
        Evidence(hit, run, int(windows.best[i]), by_meaning=known[i], own=scores[i], score=scores[i])
        for i, (hit, run) in enumerate(members)
    ]
    return Weighed(tuple(sorted(hits, key=lambda hit: -hit.score)), tuple(of_hits(evidence, hits)))


def of_hits(evidence: Sequence[Evidence], hits: Sequence[Hit]) -> list[Evidence]:
    """Return the runs of some chunks only, with what is known of these chunks and their scores by now.

    Args:
        evidence: as `weigh` returns it.
        hits: some of its chunks, perhaps with other scores.
    """
    ranks = _standardised(np.array([hit.score for hit in hits]))
    present = {hit.id: (hit, _CHUNK * float(rank)) for hit, rank in zip(hits, ranks, strict=True)}
    return [
        replace(part, hit=present[part.hit.id][0], score=part.own + present[part.hit.id][1])
        for part in evidence
        if part.hit.id in present
    ]


def _chunk(
    query: QueryVectors, hit: Hit, rows: Embeddings | None, target: int, language: str | None
) -> _Chunk:
    starts, words = stored_sentence_starts(hit.payload), query.bm25.indices
    runs = runs_of(hit.text, starts, hit.start, target=target)
    texts = [hit.text[run.start - hit.start : run.end - hit.start] for run in runs]
    present = [frozenset(document_terms(text, language or hit.language).indices) for text in texts]
    above = document_terms(" ".join((*hit.section, hit.title)), language or hit.language).indices
    headed = [_HEADING * (term in above) for term in words]
    holds = np.array(
        [
            [1.0 if term in terms else other for term, other in zip(words, headed, strict=True)]
            for terms in present
        ],
        np.float64,
    )
    if rows is None or len(rows) != len(starts):
        return _Chunk(runs, holds, None, None)
    sums = np.zeros((len(rows) + 1, rows.shape[1]), np.float32)
    np.cumsum(rows, axis=0, out=sums[1:])
    return _Chunk(runs, holds, np.asarray(rows @ query.dense, np.float64), sums)


def _windows(query: QueryVectors, chunks: Sequence[_Chunk], *, width: int) -> _Windows:
    """Return all windows of so many neighbouring runs; a shorter chunk is one window."""
    numbers: list[int] = []
    meanings: list[Scores] = []
    holds: list[Scores] = []
    for number, chunk in enumerate(chunks):
        size = min(width, len(chunk.runs))
        n_windows = len(chunk.runs) - size + 1
        spans = [(chunk.runs[i].first, chunk.runs[i + size - 1].stop) for i in range(n_windows)]
        numbers += [number] * n_windows
        meanings.append(_meanings(query, chunk, spans))
        holds.append(np.max([chunk.holds[i : i + n_windows] for i in range(size)], axis=0))
    means, nearest, best = np.concatenate(meanings).T  # (n,) each
    return _Windows(
        chunks=np.array(numbers),
        means=means,
        nearest=nearest,
        best=best.astype(np.int64),
        holds=np.concatenate(holds),
        words=_WORDS / query.meaning,
    )


def _meanings(query: QueryVectors, chunk: _Chunk, spans: Sequence[tuple[int, int]]) -> Scores:
    """Return for each span of sentences the similarities of its mean and of its best one, and which that is.

    Returns:
        (n_spans, 3); without sentence vectors, NaN and the first sentence.
    """
    similarities, sums = chunk.similarities, chunk.sums
    if similarities is None or sums is None:
        return np.array([(np.nan, np.nan, first) for first, _ in spans])
    best = [first + int(similarities[first:stop].argmax()) for first, stop in spans]
    firsts, stops = np.array(spans).T
    totals = sums[stops] - sums[firsts]  # (n_spans, dim)
    means = totals @ query.dense / np.linalg.norm(totals, axis=1).clip(1e-6)
    return np.stack((means, similarities[best], best), axis=1)


def _standardised(values: NDArray[np.floating]) -> Scores:
    """Return how many standard deviations each value lies above the mean; 0 for NaN."""
    known = np.isfinite(values)
    if known.sum() < 2 or (deviation := float(values[known].std(ddof=1))) == 0:
        return np.zeros(len(values))
    return np.where(known, (values - values[known].mean()) / deviation, 0.0)


def _spread(values: NDArray[np.floating]) -> Scores:
    """Return where each value lies from three standard deviations below the mean (0) to three above (1)."""
    return 0.5 + _standardised(values) / 6


def _with_neighbours(scores: Scores, members: Sequence[tuple[Hit, SentenceRun]]) -> Scores:
    """Return the scores with shares of those of the two runs before and the two after in the book."""
    firsts = {(hit.book_id, hit.chunk_id): i for i, (hit, run) in enumerate(members) if run.first == 0}

    def after(i: int) -> int | None:
        hit = members[i][0]
        if i + 1 < len(members) and members[i + 1][0] is hit:
            return i + 1
        return firsts.get((hit.book_id, hit.chunk_id + 1))

    total = scores.copy()
    for i in range(len(members)):
        j: int | None = i
        for share in (_NEIGHBOUR, _SECOND):
            j = None if j is None else after(j)
            if j is not None:
                total[i] += share * scores[j]
                total[j] += share * scores[i]
    return total
