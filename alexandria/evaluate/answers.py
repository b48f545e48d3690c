"""What a search hands out within a budget of words, compared with plain pipelines of the same model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Book, Point, count_words
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.evaluate import bootstrap
from alexandria.evaluate.bootstrap import ScoreEstimate
from alexandria.evaluate.plain import fuse_ranks, reciprocal_rank, split_recursively
from alexandria.evaluate.questions import AnsweredQuestion
from alexandria.evaluate.ranking import DEEPEST, IndexedChunks, Queries, Rankings
from alexandria.evaluate.relevance import RetrievedChunk, recall_in_budget
from alexandria.evaluate.retrieval import make_queries
from alexandria.evaluate.spans import overlapping
from alexandria.evaluate.variants import Variant
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.pipeline import analyse, prepare
from alexandria.query.excerpts import CANDIDATES, Weighed, choose, weigh
from alexandria.store import QueryVectors
from alexandria.store.plan import plan_search
from alexandria.store.sparse import document_terms

BUDGETS = (250, 500, 1000)
"""Words."""
MRR = "mrr"
Scores = dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class SystemScores:
    """One way to search, question by question."""

    name: str
    n_chunks: int
    mean_words: float
    scores: Scores
    """(n_questions,) each: recall by the number of words, as text, and `mrr`, by the first chunk that
    overlaps an answer."""

    def estimate(self, metric: str) -> ScoreEstimate:
        """Return the mean of a metric with its interval."""
        return bootstrap.mean(self.scores[metric])


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """All systems over the same questions: the plain ones, the strongest of them last, then libraries."""

    systems: tuple[SystemScores, ...]
    budgets: tuple[int, ...]
    n_questions: int
    n_books: int

    @property
    def library(self) -> SystemScores:
        """The library with the settings in question; after it come those of further settings."""
        return self.systems[[one.name for one in self.systems].index(STRONG) + 1]

    def gain(self, system: SystemScores, metric: str) -> ScoreEstimate:
        """Return the paired difference from the strongest plain pipeline."""
        plain = next(one for one in self.systems if one.name == STRONG)
        return bootstrap.difference(system.scores[metric], plain.scores[metric])


PLAIN = "recursive 1,000/200 characters, dense"
STRONG = "the same + BM25, RRF"


def evaluate_answers(
    domain: Domain,
    books: Sequence[Book],
    questions: Sequence[AnsweredQuestion],
    encoder: Encoder,
    *,
    budgets: Sequence[int] = BUDGETS,
    further: Sequence[Variant] = (),
) -> AnswersReport:
    """Return how much of the answers each system returns; all books are in one library.

    Args:
        domain: how the books are cut for the search of a library.
        books: what is searched.
        questions: at least one.
        encoder: serves all systems.
        budgets: words; a search is asked for each of them.
        further: other settings to compare, each in a library of its own.
    """
    queries = make_queries([question.question for question in questions], books, encoder)
    systems = (
        *_baselines(books, questions, queries, encoder, budgets),
        *(
            _library(label, own, books, questions, queries, encoder, budgets)
            for label, own in (
                (domain.strategy.name, domain),
                *((variant.label, variant.domain) for variant in further),
            )
        ),
    )
    return AnswersReport(systems, tuple(budgets), len(questions), len(books))


# --- plain pipelines ------------------------------------------------------------------------------


def _baselines(
    books: Sequence[Book],
    questions: Sequence[AnsweredQuestion],
    queries: Queries,
    encoder: Encoder,
    budgets: Sequence[int],
) -> Iterator[SystemScores]:
    """Yield the scores of what most people run: chunks of 1,000 characters by meaning, then also by words.

    Args:
        books: those that are searched.
        questions: n_questions, and in the same order `queries`.
        queries: the questions as a store takes them.
        encoder: of the chunks.
        budgets: words that are handed out.
    """
    chunks = [
        RetrievedChunk(number, start, end, book.text[start:end])
        for number, book in enumerate(books)
        for start, end in split_recursively(book.text)
    ]
    vectors = encoder.encode([chunk.text for chunk in chunks])
    terms = [document_terms(chunk.text, books[chunk.book].language) for chunk in chunks]
    # Their sentences are not compared: each chunk stands for its only one.
    indexed = IndexedChunks(dense=vectors, rows=vectors, first_rows=np.arange(len(chunks)), terms=terms)
    rankings = Rankings.of(indexed, queries, sentences=False)
    for name, modes in ((PLAIN, [Mode.DENSE]), (STRONG, [Mode.DENSE, Mode.BM25])):
        ranked = [
            fuse_ranks([rankings.best(i, mode).tolist() for mode in modes]) for i in range(len(questions))
        ]
        found = [[chunks[i] for i in best] for best in ranked]
        yield _scored(name, chunks, questions, found, budgets)


# --- a library ------------------------------------------------------------------------------------


def _library(
    label: str,
    domain: Domain,
    books: Sequence[Book],
    questions: Sequence[AnsweredQuestion],
    queries: Queries,
    encoder: Encoder,
    budgets: Sequence[int],
) -> SystemScores:
    points = [
        point for book in books for point in prepare(analyse(book, domain, encoder), "evaluation").points
    ]
    numbers = {book.id: number for number, book in enumerate(books)}
    rows = {point.id: _stored_rows(point) for point in points if point.sentences is not None}
    lengths = [len(point.sentences) if point.sentences is not None else 1 for point in points]
    indexed = IndexedChunks(
        np.array([point.dense for point in points]),
        np.concatenate([rows.get(point.id, point.dense[None]) for point in points]),
        np.cumsum([0, *lengths[:-1]]),
        [point.bm25 for point in points],
    )
    rankings = Rankings.of(indexed, queries, sentences=domain.sentence_vectors)
    chunks = [_retrieved(point.payload, numbers) for point in points]
    deep = plan_search(Mode.HYBRID, DEEPEST, n_points=len(points), sentences=domain.sentence_vectors)
    ranked = [rankings.rank(deep, i) for i in range(len(questions))]

    def weighed(i: int, words: int | None = None) -> Weighed:
        best, scores = ranked[i]
        hits = [
            Hit(id=points[n].id, payload=points[n].payload, score=float(score))
            for n, score in zip(best[:CANDIDATES], scores, strict=False)
        ]
        query = QueryVectors(queries.dense[i], queries.terms[i])
        return weigh(query, hits, rows, words=words, language=domain.bm25_language)

    def excerpts(i: int, words: int) -> list[RetrievedChunk]:
        return [_retrieved(hit.payload, numbers) for hit in choose(weighed(i, words).evidence, words)]

    found = [
        [_retrieved(hit.payload, numbers) for hit in weighed(i).hits] + [chunks[n] for n in best[CANDIDATES:]]
        for i, (best, _) in enumerate(ranked)
    ]
    name = f"Alexandria, {label}, hybrid"
    return _scored(name, chunks, questions, found, budgets, excerpts)


def _stored_rows(point: Point) -> NDArray[np.float32]:
    """Return the sentence vectors as a store returns them: in half precision, normalised."""
    halved = np.asarray(point.sentences, np.float16).astype(np.float32)
    return np.asarray(halved / np.linalg.norm(halved, axis=1, keepdims=True), np.float32)


def _retrieved(payload: Mapping[str, Any], numbers: Mapping[str, int]) -> RetrievedChunk:
    return RetrievedChunk(numbers[payload["book_id"]], payload["start"], payload["end"], payload["text"])


# --- scores ---------------------------------------------------------------------------------------


def _scored(
    name: str,
    chunks: Sequence[RetrievedChunk],
    questions: Sequence[AnsweredQuestion],
    ranked: Sequence[Sequence[RetrievedChunk]],
    budgets: Sequence[int],
    excerpts: Callable[[int, int], Sequence[RetrievedChunk]] | None = None,
) -> SystemScores:
    """Return the scores of a system.

    Args:
        name: of the system.
        chunks: all of them.
        questions: in order.
        ranked: the chunks found for each question, best first.
        budgets: words.
        excerpts: returns what is handed out for a question within a number of words; by default the first
            words of the ranking.
    """

    def handed_out(i: int, words: int) -> Sequence[RetrievedChunk]:
        return excerpts(i, words) if excerpts else ranked[i]

    scores = {
        str(words): np.array(
            [
                recall_in_budget(question.book, question.references, handed_out(i, words), words)
                for i, question in enumerate(questions)
            ]
        )
        for words in budgets
    }
    right = [
        [bool(one.book == question.book and overlapping([one.span], question.references)[0]) for one in best]
        for question, best in zip(questions, ranked, strict=True)
    ]
    scores[MRR] = np.array([reciprocal_rank(hits) for hits in right])
    mean_words = float(np.mean([count_words(chunk.text) for chunk in chunks]))
    return SystemScores(name, len(chunks), mean_words, scores)
