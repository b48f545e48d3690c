"""Every strategy in every search mode, scored on questions whose answers are known."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import ChunkVector, Mode, OverlapUse
from alexandria.book.model import Book, Chunk, Embeddings, Sparse, count_words
from alexandria.chunking import chunk_vectors
from alexandria.chunking.domains import Domain
from alexandria.embed import Encoder
from alexandria.lab import BUDGET, K, bootstrap
from alexandria.lab.bootstrap import ScoreEstimate
from alexandria.lab.questions import AnsweredQuestion, UnplacedQuestion
from alexandria.lab.ranking import IndexedChunks, Queries, Rankings, Relevance, RetrievedChunk, judge
from alexandria.lab.settings import FIXED, Cutter, Variant
from alexandria.lab.spans import Span, overlap_mask
from alexandria.library.ingest.one_book import Analysis, analyse
from alexandria.store.sparse import document_terms, query_terms

TEXT_VECTOR = "text-vector"
"""Not a search mode but the baseline: one vector of each chunk's text, up to the model's window."""
METRICS = tuple(field.name for field in fields(Relevance))

Hidden = Mapping[int, Sequence[Span]]
"""Spans of books that the index must not contain, by the book's position in the list."""


@dataclass(frozen=True, slots=True)
class Run:
    """One variant in one search mode: its scores, question by question."""

    setting: str
    mode: str
    n_chunks: int
    mean_words: float
    scores: Mapping[str, NDArray[np.float64]]  # (n_questions,) each, by the name of the metric

    @property
    def means(self) -> dict[str, float]:
        """The mean score, by the name of the metric."""
        return {name: float(values.mean()) for name, values in self.scores.items()}

    @property
    def estimates(self) -> dict[str, ScoreEstimate]:
        """The mean score with its interval, by the name of the metric."""
        return {name: bootstrap.mean(values) for name, values in self.scores.items()}


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """All runs over the same questions."""

    kinds: tuple[str, ...]  # for each question: `given`, or how it was made
    baseline: Run
    runs: tuple[Run, ...]
    unplaced: tuple[UnplacedQuestion, ...] = ()
    k: int = K
    budget: int = BUDGET

    @property
    def n_questions(self) -> int:
        """The number of questions."""
        return len(self.kinds)

    def by_kind(self) -> dict[str, "RetrievalReport"]:
        """Return one report per kind of question, in the order in which the kinds first appear."""
        return {kind: self._of_kind(kind) for kind in dict.fromkeys(self.kinds)}

    def gain(self, run: Run) -> ScoreEstimate:
        """Return a run's relative gain in recall within the budget; NaN if the baseline recalls nothing."""
        return bootstrap.relative_gain(
            run.scores["recall_in_budget"], self.baseline.scores["recall_in_budget"]
        )

    def _of_kind(self, kind: str) -> "RetrievalReport":
        mask = np.array([other == kind for other in self.kinds])
        baseline, *runs = (
            replace(run, scores={name: values[mask] for name, values in run.scores.items()})
            for run in (self.baseline, *self.runs)
        )
        return replace(self, kinds=(kind,) * int(mask.sum()), baseline=baseline, runs=tuple(runs))


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """All books under one variant, ready to be searched; passage i is chunk i of the index."""

    passages: tuple[RetrievedChunk, ...]
    texts: tuple[str, ...]  # the text of each passage in the index: without what is hidden
    chunks: IndexedChunks


def evaluate_retrieval(
    variants: Sequence[Variant],
    books: Sequence[Book],
    questions: Sequence[AnsweredQuestion],
    encoder: Encoder,
    *,
    modes: Sequence[str],
    hidden: Hidden | None = None,
    unplaced: Sequence[UnplacedQuestion] = (),
    k: int = K,
    budget: int = BUDGET,
) -> RetrievalReport:
    """Return the scores of every variant in every mode that its domain supports.

    Args:
        variants: what is compared; one of them must be `fixed`, which also serves as the baseline, with one
            vector of each chunk's text.
        books: everything that is searched.
        modes: names in `Mode`.
        hidden: what the index leaves out.
        unplaced: questions that could not be used, for the report.
        k: passages that count for recall, precision and IoU.
        budget: words that count for `recall_in_budget`.
    """
    cut = Cutter()

    def runs_of(variant: Variant, modes: Sequence[str]) -> Iterator[Run]:
        """Yield the scores of a variant in each of these modes."""
        return run_modes(
            variant, books, questions, encoder, modes=modes, hidden=hidden, k=k, budget=budget, cut=cut
        )

    fixed = next(variant for variant in variants if variant.label == FIXED)
    return RetrievalReport(
        kinds=tuple(question.kind for question in questions),
        baseline=next(runs_of(fixed, [TEXT_VECTOR])),
        runs=tuple(run for variant in variants for run in runs_of(variant, modes)),
        unplaced=tuple(unplaced),
        k=k,
        budget=budget,
    )


def run_modes(
    variant: Variant,
    books: Sequence[Book],
    questions: Sequence[AnsweredQuestion],
    encoder: Encoder,
    *,
    modes: Sequence[str],
    hidden: Hidden | None = None,
    k: int = K,
    budget: int = BUDGET,
    cut: Callable[[Book, Domain, Encoder], Analysis] = analyse,
) -> Iterator[Run]:
    """Yield the scores of one variant in each mode that its domain supports.

    Args:
        books: everything that is searched.
        encoder: embeds sentences, chunks and questions.
        modes: names in `Mode`, and `TEXT_VECTOR`.
        hidden: what the index leaves out, so that a question made from a book does not find itself.
        k: passages that count for recall, precision and IoU.
        budget: words that count for `recall_in_budget`.
        cut: `one_book.analyse`, or a function that does the same.
    """
    index = build_index([cut(book, variant.domain, encoder) for book in books], hidden or {})
    queries = make_queries([question.question for question in questions], books, encoder)
    sentences = variant.domain.sentence_vectors
    rankings = Rankings.of(index.chunks, queries, sentences=sentences)
    relevant_passages = _relevant_passages(questions, index.passages)
    mean_words = float(np.mean([count_words(text) for text in index.texts]))
    for mode in modes:
        if mode == Mode.SENTENCES and not sentences:
            continue  # without their vectors, a search refuses this mode
        if mode == TEXT_VECTOR:
            text_vectors = encoder.encode(index.texts)  # (n_chunks, dim)
            by_text = Rankings.of(replace(index.chunks, dense=text_vectors), queries)
            ranked = [by_text.best(i, Mode.DENSE) for i in range(len(questions))]
        else:
            ranked = [rankings.best(i, Mode(mode)) for i in range(len(questions))]
        judged = [
            judge(
                question.book,
                question.references,
                [index.passages[i] for i in best],
                relevant,
                k=k,
                budget=budget,
            )
            for question, best, relevant in zip(questions, ranked, relevant_passages, strict=True)
        ]
        scores = {name: np.array([getattr(score, name) for score in judged]) for name in METRICS}
        yield Run(
            setting=variant.label,
            mode=mode,
            n_chunks=len(index.passages),
            mean_words=mean_words,
            scores=scores,
        )


def make_queries(questions: Sequence[str], books: Sequence[Book], encoder: Encoder) -> Queries:
    """Return the questions as `search` would pass them to a library of these books."""
    languages = frozenset(book.language for book in books)
    return Queries(
        dense=encoder.encode_queries(questions),
        terms=[query_terms(question, languages) for question in questions],
    )


def build_index(analyses: Sequence[Analysis], hidden: Hidden) -> SearchIndex:
    """Return all chunks as a library would store them, without their hidden sentences.

    A chunk of which all sentences are hidden is left out.
    """
    passages: list[RetrievedChunk] = []
    texts: list[str] = []
    dense: list[Embeddings] = []  # (n_chunks, dim) for each book
    sentence_vectors: list[Embeddings] = []  # (n_visible, dim) for each chunk
    terms: list[Sparse] = []
    for number, analysis in enumerate(analyses):
        sentence_spans = [(sentence.start, sentence.end) for sentence in analysis.sentences]
        is_visible = ~overlap_mask(sentence_spans, hidden.get(number, ()))  # (n_sentences,)
        chunks = [chunk for chunk in analysis.chunks if is_visible[_sentences_of(chunk)].any()]
        passages += (
            RetrievedChunk(book=number, start=chunk.start, end=chunk.end, text=chunk.text) for chunk in chunks
        )
        texts += (_visible_text(chunk, analysis, is_visible) for chunk in chunks)
        dense.append(_dense_vectors(chunks, analysis, is_visible))
        sentence_vectors += (
            analysis.embeddings[members][is_visible[members]] for members in map(_sentences_of, chunks)
        )
        terms += _terms(chunks, analysis, is_visible)
    lengths = [len(vectors) for vectors in sentence_vectors]
    indexed = IndexedChunks(
        dense=np.concatenate(dense),
        sentence_vectors=np.concatenate(sentence_vectors),
        first_vectors=np.cumsum([0, *lengths[:-1]]),
        terms=terms,
    )
    return SearchIndex(passages=tuple(passages), texts=tuple(texts), chunks=indexed)


def _sentences_of(chunk: Chunk) -> slice:
    return slice(chunk.first_sentence, chunk.first_sentence + chunk.n_sentences)


def _dense_vectors(chunks: Sequence[Chunk], analysis: Analysis, is_visible: NDArray[np.bool_]) -> Embeddings:
    """Return the vectors that the domain asks for, (n_chunks, dim), without hidden sentences."""
    domain = analysis.domain
    with_overlap = domain.overlap_for in (OverlapUse.VECTOR, OverlapUse.BOTH)
    if domain.chunk_vector is ChunkVector.TEXT:
        return analysis.encoder.encode(
            [_visible_text(chunk, analysis, is_visible, with_overlap=with_overlap) for chunk in chunks]
        )
    # A hidden sentence gets a vector of zeros, which adds nothing to the mean of its chunk.
    return chunk_vectors(analysis.embeddings * is_visible[:, None], chunks, with_overlap=with_overlap)


def _terms(chunks: Sequence[Chunk], analysis: Analysis, is_visible: NDArray[np.bool_]) -> Iterator[Sparse]:
    """Yield the terms by which each chunk is found, without hidden sentences."""
    domain = analysis.domain
    with_overlap = domain.overlap_for in (OverlapUse.WORDS, OverlapUse.BOTH)
    for chunk in chunks:
        text = _visible_text(chunk, analysis, is_visible, with_overlap=with_overlap)
        yield document_terms(text, domain.bm25_language or analysis.book.language)


def _visible_text(
    chunk: Chunk, analysis: Analysis, is_visible: NDArray[np.bool_], *, with_overlap: bool = False
) -> str:
    """Return a chunk's text without its hidden sentences, preceded by what it repeats if requested."""
    n_repeated = chunk.boundary.overlap if chunk.boundary and with_overlap else 0
    members = slice(chunk.first_sentence - n_repeated, chunk.first_sentence + chunk.n_sentences)
    if is_visible[members].all():
        return chunk.text_with_overlap if with_overlap else chunk.text
    visible = [
        sentence
        for sentence, visible in zip(analysis.sentences[members], is_visible[members], strict=True)
        if visible
    ]
    return " ".join(analysis.book.text[sentence.start : sentence.end] for sentence in visible)


def _relevant_passages(
    questions: Sequence[AnsweredQuestion], passages: Sequence[RetrievedChunk]
) -> list[list[RetrievedChunk]]:
    """Return the passages that overlap an answer, question by question."""
    spans = np.array([passage.span for passage in passages], np.int64)
    books = np.array([passage.book for passage in passages])
    relevant = []
    for question in questions:
        overlaps_answer = overlap_mask(spans, question.references) & (books == question.book)
        relevant.append([passages[int(i)] for i in np.flatnonzero(overlaps_answer)])
    return relevant
