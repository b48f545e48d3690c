"""How much of the answers a search returns within a budget of words, compared with plain pipelines."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Mode
from alexandria.book.model import Book, Point, count_words
from alexandria.chunking.domains import Domain
from alexandria.embed import Encoder
from alexandria.lab import bootstrap
from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.lab.questions import AnsweredQuestion
from alexandria.lab.ranking import (
    MAX_HITS,
    IndexedChunks,
    Queries,
    Rankings,
    RetrievedChunk,
    recall_in_budget,
)
from alexandria.lab.retrieval import make_queries
from alexandria.lab.settings import Variant
from alexandria.lab.spans import overlap_mask
from alexandria.library.ingest.one_book import analyse, prepare
from alexandria.library.search.excerpts import CANDIDATES, ScoredChunks, choose, score_chunks
from alexandria.store import QueryVectors
from alexandria.store.passage import Hit
from alexandria.store.plan import plan_search
from alexandria.store.sparse import document_terms
from benchmarks.asking.plain import fuse_ranks, reciprocal_rank, split_recursively

PLAIN = "recursive 1,000/200 characters, dense"
WORDS = "the same chunks, BM25"
STRONG = "both, RRF"
BASELINES = (PLAIN, WORDS, STRONG)
BUDGETS = (250, 500, 1000)
"""Words returned per question."""
MRR = "mrr"
Scores = dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class SystemScores:
    """One way to search, question by question."""

    name: str
    n_chunks: int
    mean_words: float
    scores: Scores
    """(n_questions,) each: the recall within a number of words, under that number as text; and under `mrr`,
    1 / the rank of the first chunk that overlaps an answer."""

    def estimate(self, metric: str) -> ScoreEstimate:
        """Return the mean of a metric with its interval."""
        return bootstrap.mean(self.scores[metric])


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """All systems on the same questions: the plain ones, as in `BASELINES`, then libraries."""

    systems: tuple[SystemScores, ...]
    budgets: tuple[int, ...]
    n_questions: int
    n_books: int

    @property
    def library(self) -> SystemScores:
        """The library with the evaluated domain; libraries with other settings follow it in `systems`."""
        return self.systems[len(BASELINES)]

    def gain(self, system: SystemScores, metric: str) -> ScoreEstimate:
        """Return the paired difference from the plain pipeline that is best by this metric."""
        strong = max(self.systems[: len(BASELINES)], key=lambda plain: float(plain.scores[metric].mean()))
        return bootstrap.difference(system.scores[metric], strong.scores[metric])


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
        domain: how the books are cut and searched.
        books: what is searched.
        questions: at least one.
        encoder: serves all systems.
        budgets: words; a search is asked for each of them.
        further: other settings to compare, each in a library of its own.
    """
    queries = make_queries([question.question for question in questions], books, encoder)
    variants = [Variant(domain.strategy.name, domain), *further]
    systems = (
        *_score_baselines(books, questions, queries, encoder, budgets),
        *(_score_library(variant, books, questions, queries, encoder, budgets) for variant in variants),
    )
    return AnswersReport(systems, tuple(budgets), len(questions), len(books))


# --- plain pipelines ------------------------------------------------------------------------------


def _score_baselines(
    books: Sequence[Book],
    questions: Sequence[AnsweredQuestion],
    queries: Queries,
    encoder: Encoder,
    budgets: Sequence[int],
) -> Iterator[SystemScores]:
    """Yield the scores of what most people run: chunks of 1,000 characters by meaning, by words, and by both.

    Args:
        books: what is searched.
        questions: at least one.
        queries: the same questions, in the same order, as a store takes them.
        encoder: embeds the chunks.
        budgets: words returned.
    """
    chunks = [
        RetrievedChunk(book=number, start=start, end=end, text=book.text[start:end])
        for number, book in enumerate(books)
        for start, end in split_recursively(book.text)
    ]
    vectors = encoder.encode([chunk.text for chunk in chunks])
    terms = [document_terms(chunk.text, books[chunk.book].language) for chunk in chunks]
    # Sentence vectors are not searched here: each chunk serves as its own only sentence.
    indexed = IndexedChunks(
        dense=vectors,
        sentence_vectors=vectors,
        first_vectors=np.arange(len(chunks)),
        terms=terms,
    )
    rankings = Rankings.of(indexed, queries, sentences=False)
    for name, modes in ((PLAIN, [Mode.DENSE]), (WORDS, [Mode.BM25]), (STRONG, [Mode.DENSE, Mode.BM25])):
        ranked = [
            fuse_ranks([rankings.best(i, mode).tolist() for mode in modes]) for i in range(len(questions))
        ]
        results = [[chunks[i] for i in best] for best in ranked]
        yield _score_system(name, chunks, questions, results, budgets)


# --- a library ------------------------------------------------------------------------------------


def _score_library(
    variant: Variant,
    books: Sequence[Book],
    questions: Sequence[AnsweredQuestion],
    queries: Queries,
    encoder: Encoder,
    budgets: Sequence[int],
) -> SystemScores:
    """Return the scores of a library's hybrid search, computed without a store.

    It follows `query.search`: rank the chunks, score the best of them by their sentences, which may change
    their order, and choose excerpts within the budget.

    Args:
        variant: how the books are cut and searched.
        books: what is searched.
        questions: at least one.
        queries: the same questions, in the same order, as a store takes them.
        encoder: embeds the sentences.
        budgets: words returned.
    """
    domain = variant.domain
    points: list[Point] = []
    for book in books:
        points += prepare(analyse(book, domain, encoder), "evaluation").points
    number_of = {book.id: number for number, book in enumerate(books)}
    sentence_vectors = {
        point.id: _stored_sentence_vectors(point) for point in points if point.sentences is not None
    }
    indexed = _index_points(points, sentence_vectors)
    rankings = Rankings.of(indexed, queries, sentences=domain.sentence_vectors)
    chunks = [_to_retrieved_chunk(point.payload, number_of) for point in points]
    full_plan = plan_search(Mode.HYBRID, MAX_HITS, n_points=len(points), sentences=domain.sentence_vectors)
    ranked = [rankings.rank(full_plan, question) for question in range(len(questions))]

    def score_best(question: int, words: int | None = None) -> ScoredChunks:
        """Return the best chunks for a question in the order that a search gives them.

        Their evidence is the runs of sentences that excerpts are chosen from, each run with its score.

        Args:
            question: its position.
            words: the budget that excerpts will be chosen for, if any.
        """
        best, scores = ranked[question]
        hits = [
            Hit(id=points[n].id, payload=points[n].payload, score=float(score))
            for n, score in zip(best[:CANDIDATES], scores[:CANDIDATES], strict=True)
        ]
        query = QueryVectors(queries.dense[question], queries.terms[question])
        return score_chunks(query, hits, sentence_vectors, words=words, language=domain.bm25_language)

    def excerpts(question: int, words: int) -> list[RetrievedChunk]:
        """Return what a search for a question returns within a number of words."""
        chosen = choose(score_best(question, words).evidence, words)
        return [_to_retrieved_chunk(hit.payload, number_of) for hit in chosen]

    # As a search does: the candidates in the order of their new scores, then the other chunks as ranked.
    results = [
        [
            *(_to_retrieved_chunk(hit.payload, number_of) for hit in score_best(question).hits),
            *(chunks[n] for n in best[CANDIDATES:]),
        ]
        for question, (best, _) in enumerate(ranked)
    ]
    name = f"Alexandria, {variant.label}, hybrid"
    return _score_system(name, chunks, questions, results, budgets, excerpts)


def _index_points(
    points: Sequence[Point], sentence_vectors: Mapping[str, NDArray[np.float32]]
) -> IndexedChunks:
    """Return chunks ready to be ranked; a chunk without sentence vectors serves as its own only sentence.

    Args:
        points: the chunks.
        sentence_vectors: the vectors of each chunk that has any, by the id of the chunk.
    """
    # (n_sentences, dim) for each chunk; `dense[None]` is a single vector.
    vectors_of_chunks = [sentence_vectors.get(point.id, point.dense[None]) for point in points]
    lengths = [len(vectors) for vectors in vectors_of_chunks]
    return IndexedChunks(
        dense=np.array([point.dense for point in points]),
        sentence_vectors=np.concatenate(vectors_of_chunks),
        first_vectors=np.cumsum([0, *lengths[:-1]]),
        terms=[point.bm25 for point in points],
    )


def _stored_sentence_vectors(point: Point) -> NDArray[np.float32]:
    """Return the sentence vectors as a store returns them: rounded to half precision, normalised again.

    `Rankings.of` rounds them once more, which changes nothing: normalising moves each number by far less than
    half a step of half precision.
    """
    halved = np.asarray(point.sentences, np.float16).astype(np.float32)
    return np.asarray(halved / np.linalg.norm(halved, axis=1, keepdims=True), np.float32)


def _to_retrieved_chunk(payload: Mapping[str, Any], number_of: Mapping[str, int]) -> RetrievedChunk:
    """Return a stored chunk, or an excerpt of one, with the number of its book in place of the book's id."""
    return RetrievedChunk(
        book=number_of[payload["book_id"]],
        start=payload["start"],
        end=payload["end"],
        text=payload["text"],
    )


# --- scores ---------------------------------------------------------------------------------------


def _score_system(
    name: str,
    chunks: Sequence[RetrievedChunk],
    questions: Sequence[AnsweredQuestion],
    ranked: Sequence[Sequence[RetrievedChunk]],
    budgets: Sequence[int],
    excerpts: Callable[[int, int], Sequence[RetrievedChunk]] | None = None,
) -> SystemScores:
    """Return the scores of a system.

    Args:
        name: the name of the system.
        chunks: all chunks of the index.
        questions: what was asked, in order.
        ranked: the chunks found for each question, best first.
        budgets: words returned.
        excerpts: a function of the position of a question and a number of words, which returns what the
            system returns within these words; by default, the first words of the ranking count.
    """

    def recall(i: int, words: int) -> float:
        results = excerpts(i, words) if excerpts else ranked[i]
        return recall_in_budget(questions[i].book, questions[i].references, results, words)

    def is_right(chunk: RetrievedChunk, question: AnsweredQuestion) -> bool:
        return chunk.book == question.book and bool(overlap_mask([chunk.span], question.references)[0])

    scores = {str(words): np.array([recall(i, words) for i in range(len(questions))]) for words in budgets}
    scores[MRR] = np.array(
        [
            reciprocal_rank([is_right(chunk, question) for chunk in best])
            for question, best in zip(questions, ranked, strict=True)
        ]
    )
    return SystemScores(
        name=name,
        n_chunks=len(chunks),
        mean_words=float(np.mean([count_words(chunk.text) for chunk in chunks])),
        scores=scores,
    )
