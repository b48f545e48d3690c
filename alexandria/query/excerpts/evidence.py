"""How much each run of the best chunks speaks for being the answer, and the chunks ranked by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.query.excerpts.runs import TARGET, SentenceRun, runs_of, target_within
from alexandria.store import QueryVectors
from alexandria.store.points import stored_sentence_starts
from alexandria.store.sparse import terms_in

CANDIDATES = 20
"""Chunks whose runs are weighed, and which are ranked by them; 30 found as much, and take longer."""
# Round numbers, which held on several sets of questions (docs/retrieval.md).
_WORDS, _CHUNK = 2.0, 4.0
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
    present: Mapping[str, frozenset[int]]
    """The terms of the query that the text of each chunk has, by its id."""


@dataclass(frozen=True, slots=True)
class _Windows:
    """Runs, or pairs of neighbouring runs, of all chunks."""

    chunks: NDArray[np.int64]  # (n,): whose each is
    sums: NDArray[np.float32]  # (n, dim): of the vectors of its sentences
    means: Scores  # (n,): how similar the mean of its sentences is to the query; NaN where that is not known
    nearest: Scores  # (n,): how similar its best sentence is
    holds: Scores  # (n, n_terms): 1 for a term of the query that it has, less where only a heading has it
    words: float
    """The weight of words."""

    @classmethod
    def of(
        cls,
        chunks: NDArray[np.int64],
        sums: NDArray[np.float32],
        nearest: Scores,
        holds: Scores,
        query: QueryVectors,
    ) -> "_Windows":
        """Return windows with the similarity of their means; the arguments are fields, and the query."""
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums)).clip(1e-6)
        means = np.where(np.isnan(nearest), np.nan, sums @ query.dense / lengths)
        return cls(chunks, sums, means, nearest, holds, _WORDS / query.meaning)

    def paired(self, query: QueryVectors) -> "_Windows":
        """Return the pairs of neighbours in each chunk, in the same order; a chunk of one stays as it is."""
        follows = np.diff(self.chunks, append=-1) == 0
        alone = ~follows & (np.diff(self.chunks, prepend=-1) != 0)
        left = np.flatnonzero(follows | alone)
        right = left + follows[left]
        return _Windows.of(
            self.chunks[left],
            self.sums[left] + np.where(follows[left, np.newaxis], self.sums[right], np.float32(0)),
            np.maximum(self.nearest[left], self.nearest[right]),
            np.maximum(self.holds[left], self.holds[right]),
            query,
        )

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
        return Weighed((), (), {})
    target = TARGET if words is None else target_within(words)
    runs = [runs_of(hit.text, stored_sentence_starts(hit.payload), hit.start, target=target) for hit in hits]
    terms = [_terms(query, hit, own, language or hit.language) for hit, own in zip(hits, runs, strict=True)]
    sentences = [_known_rows(query, hit, own, rows.get(hit.id)) for hit, own in zip(hits, runs, strict=True)]
    windows, best = _windows(query, runs, sentences, np.concatenate([one.holds for one in terms]))
    if mode is Mode.HYBRID:
        parts = (
            np.array([hit.score for hit in hits]),
            windows.best_per_chunk(mode),
            windows.paired(query).best_per_chunk(mode),
        )
        ranks = np.sum([_spread(part) for part in parts], axis=0)
        hits = [replace(hit, score=float(rank)) for hit, rank in zip(hits, ranks, strict=True)]
    scores = _with_neighbours(windows.scores(mode), hits, windows.chunks).tolist()
    members = ((hit, run) for hit, own in zip(hits, runs, strict=True) for run in own)
    known = np.isfinite(windows.nearest).tolist()
    evidence = [
        Evidence(hit, run, best=best, by_meaning=known, own=own, score=own)
        for (hit, run), best, known, own in zip(members, best, known, scores, strict=True)
    ]
    return Weighed(
        tuple(sorted(hits, key=lambda hit: -hit.score)),
        tuple(of_hits(evidence, hits)),
        {hit.id: one.present for hit, one in zip(hits, terms, strict=True)},
    )


def of_hits(evidence: Sequence[Evidence], hits: Sequence[Hit]) -> list[Evidence]:
    """Return the runs of some chunks only, with what is known of these chunks and their scores by now.

    Args:
        evidence: as `weigh` returns it.
        hits: some of its chunks, perhaps with other scores.
    """
    ranks = _standardised(np.array([hit.score for hit in hits]))
    present = {hit.id: (hit, _CHUNK * float(rank)) for hit, rank in zip(hits, ranks, strict=True)}
    # Not `dataclasses.replace`: for some 200 runs it takes a millisecond.
    return [
        Evidence(hit, part.run, part.best, part.by_meaning, part.own, part.own + rank)
        for part in evidence
        if part.hit.id in present
        for hit, rank in [present[part.hit.id]]
    ]


@dataclass(frozen=True, slots=True)
class _Terms:
    """The terms of a query in a chunk."""

    holds: Scores  # (n_runs, n_terms): as in `_Windows`
    present: frozenset[int]
    """Those that its text has."""


def _terms(query: QueryVectors, hit: Hit, runs: Sequence[SentenceRun], language: str | None) -> _Terms:
    wanted = query.bm25.indices
    texts = [hit.text[run.start - hit.start : run.end - hit.start] for run in runs]
    found = [terms_in(text, language) for text in texts]
    above = terms_in(" ".join((*hit.section, hit.title)), language)
    absent = [_HEADING * (term in above) for term in wanted]
    holds = [
        [1.0 if term in own else other for term, other in zip(wanted, absent, strict=True)] for own in found
    ]
    return _Terms(np.array(holds, np.float64), frozenset(wanted).intersection(frozenset().union(*found)))


def _known_rows(
    query: QueryVectors, hit: Hit, runs: Sequence[SentenceRun], rows: "Embeddings | None"
) -> tuple[Embeddings, Scores]:
    """Return the sentence vectors of a chunk, (n_sentences, dim), and their similarities to the query.

    Where they are not known, these are zeros and NaN.
    """
    n_sentences = runs[-1].stop
    if rows is None or len(rows) != n_sentences:
        return np.zeros((n_sentences, len(query.dense)), np.float32), np.full(n_sentences, np.nan)
    return rows, np.asarray(rows @ query.dense, np.float64)


def _windows(
    query: QueryVectors,
    runs: Sequence[Sequence[SentenceRun]],
    sentences: Sequence[tuple[Embeddings, Scores]],
    holds: Scores,
) -> tuple[_Windows, list[int]]:
    """Return all runs, and which sentence of its chunk is the best of each; the first where none is known.

    Args:
        query: the vectors of the query.
        runs: of each chunk.
        sentences: the vectors and similarities of each chunk's sentences.
        holds: as in `_Windows`.
    """
    lengths = np.array([run.stop - run.first for own in runs for run in own])
    firsts = np.cumsum(lengths) - lengths  # (n_runs,): where each begins among all sentences
    rows = np.concatenate([own for own, _ in sentences])
    similarities = np.concatenate([own for _, own in sentences])
    nearest = np.maximum.reduceat(similarities, firsts)
    is_best = np.flatnonzero(similarities == np.repeat(nearest, lengths))
    owners, places = np.unique(np.searchsorted(firsts, is_best, side="right") - 1, return_index=True)
    best = np.array([run.first for own in runs for run in own])
    best[owners] += is_best[places] - firsts[owners]
    chunks = np.repeat(np.arange(len(runs)), [len(own) for own in runs])
    return _Windows.of(chunks, _sums(rows, firsts, lengths), nearest, holds, query), best.tolist()


def _sums(rows: Embeddings, firsts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the sums of so many rows from each first one, (n_runs, dim)."""
    # The first rows of all runs, then the second ones of those that have one …: an eighth of reduceat's time.
    sums = rows[firsts].astype(np.float32)
    for place in range(1, int(lengths.max())):
        longer = np.flatnonzero(lengths > place)
        sums[longer] += rows[firsts[longer] + place]
    return sums


def _standardised(values: NDArray[np.floating]) -> Scores:
    """Return how many standard deviations each value lies above the mean; 0 for NaN."""
    known = np.isfinite(values)
    if known.sum() < 2 or (deviation := float(values[known].std(ddof=1))) == 0:
        return np.zeros(len(values))
    return np.where(known, (values - values[known].mean()) / deviation, 0.0)


def _spread(values: NDArray[np.floating]) -> Scores:
    """Return where each value lies from three standard deviations below the mean (0) to three above (1)."""
    return 0.5 + _standardised(values) / 6


def _with_neighbours(scores: Scores, hits: Sequence[Hit], chunks: NDArray[np.int64]) -> Scores:
    """Return the scores of runs with shares of those of the two before and the two after in the book.

    Args:
        scores: (n_runs,).
        hits: the chunks.
        chunks: (n_runs,): whose each run is.
    """
    firsts = np.flatnonzero(np.diff(chunks, prepend=-1))
    numbers = {(hit.book_id, hit.chunk_id): i for i, hit in enumerate(hits)}
    following = [numbers.get((hit.book_id, hit.chunk_id + 1)) for hit in hits]
    after = np.arange(1, len(chunks) + 1)  # (n_runs,): the run after each; -1 where there is none
    after[np.append(firsts[1:], len(chunks)) - 1] = [-1 if i is None else firsts[i] for i in following]
    total, reached = scores.copy(), np.arange(len(chunks))
    for share in (_NEIGHBOUR, _SECOND):
        reached = np.where(reached < 0, -1, after[reached])
        known = np.flatnonzero(reached >= 0)
        total[known] += share * scores[reached[known]]
        total[reached[known]] += share * scores[known]  # no run comes after two others
    return total
