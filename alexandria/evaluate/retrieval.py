"""Every strategy and every mode of search, held against questions whose answers are known."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Book, Chunk, Embeddings, Sentence, count_words
from alexandria.chunking import chunk_vectors
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.evaluate.cutting import Cutter
from alexandria.evaluate.questions import Probe
from alexandria.evaluate.ranking import Asked, Indexed, Rankings
from alexandria.evaluate.relevance import Relevance, RetrievedChunk, judge
from alexandria.evaluate.settings import Setting
from alexandria.evaluate.spans import Span, touched
from alexandria.modes import Mode
from alexandria.pipeline import Analysis, analyse
from alexandria.store.sparse import document_terms, query_terms

K = 5
"""Passages that a search returns unasked."""
BUDGET = 1000
"""Words that a reader, or a model's prompt, takes from the passages."""
TEXT_VECTOR = "text-vector"
"""No mode of search but what all are held against: a vector of each chunk's text, up to the window."""
METRICS = tuple(one.name for one in fields(Relevance))

Hidden = Mapping[int, Sequence[Span]]
"""Spans of books, by the book's place in the list, that the index does not hold."""


@dataclass(frozen=True, slots=True)
class Run:
    """One setting under one mode of search: its scores, question by question."""

    setting: str
    mode: str
    n_chunks: int
    mean_words: float
    scores: Mapping[str, NDArray[np.float64]]
    """(n_questions,) each, by the name of the metric."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """All runs over the same questions."""

    kinds: tuple[str, ...]
    """Of each question: `given`, or how it was made."""
    baseline: Run
    runs: tuple[Run, ...]

    def by_kind(self) -> dict[str, "Comparison"]:
        """Return one comparison a kind of question, in the order of their appearance."""
        return {kind: self._only(kind) for kind in dict.fromkeys(self.kinds)}

    def _only(self, kind: str) -> "Comparison":
        here = np.array([one == kind for one in self.kinds])
        baseline, *runs = (
            replace(one, scores={name: values[here] for name, values in one.scores.items()})
            for one in (self.baseline, *self.runs)
        )
        return Comparison((kind,) * int(here.sum()), baseline, tuple(runs))


@dataclass(frozen=True, slots=True)
class Shelf:
    """All books under one setting, ready to be searched; passage i is chunk i of the index."""

    passages: tuple[RetrievedChunk, ...]
    texts: tuple[str, ...]
    """What the index holds of each: its text without what is hidden."""
    indexed: Indexed


def run(
    setting: Setting,
    books: Sequence[Book],
    probes: Sequence[Probe],
    encoder: Encoder,
    *,
    modes: Sequence[str],
    hidden: Hidden | None = None,
    k: int = K,
    budget: int = BUDGET,
    cut: Callable[[Book, Domain, Encoder], Analysis] = analyse,
) -> Iterator[Run]:
    """Yield the scores of one setting in each mode that its domain allows.

    Args:
        setting: how the books are cut.
        books: all that is searched.
        probes: questions; at least one.
        encoder: its rows serve sentences, chunks and questions.
        modes: names in `Mode`, and `TEXT_VECTOR`.
        hidden: what the index leaves out, so that a question made from a book does not find itself.
        k: passages that recall, precision and IoU look at.
        budget: words that `recall_in_budget` reads.
        cut: `pipeline.analyse`, or what does the same.
    """
    shelf = shelve([cut(book, setting.domain, encoder) for book in books], hidden or {})
    asked = ask([probe.question for probe in probes], books, encoder)
    sentences = setting.domain.sentence_vectors
    rankings = Rankings.of(shelf.indexed, asked, sentences=sentences)
    holding = _holding(probes, shelf.passages)
    n_words = float(np.mean([count_words(text) for text in shelf.texts]))
    for mode in modes:
        if mode == Mode.SENTENCES and not sentences:
            continue  # a search refuses it
        if mode == TEXT_VECTOR:
            by_text = replace(shelf.indexed, dense=encoder.encode(shelf.texts))
            ranked = [Rankings.of(by_text, asked).best(i, Mode.DENSE) for i in range(len(probes))]
        else:
            ranked = [rankings.best(i, Mode(mode)) for i in range(len(probes))]
        judged = [
            judge(one.book, one.references, [shelf.passages[i] for i in best], found, k=k, budget=budget)
            for one, best, found in zip(probes, ranked, holding, strict=True)
        ]
        scores = {name: np.array([getattr(one, name) for one in judged]) for name in METRICS}
        yield Run(setting.label, mode, len(shelf.passages), n_words, scores)


def compare(
    settings: Sequence[Setting],
    baseline: Setting,
    books: Sequence[Book],
    probes: Sequence[Probe],
    encoder: Encoder,
    *,
    modes: Sequence[str],
    hidden: Hidden | None = None,
    k: int = K,
    budget: int = BUDGET,
) -> Comparison:
    """Return every setting in every mode, and the baseline with one vector of each chunk's text."""

    cut = Cutter()

    def runs(setting: Setting, modes: Sequence[str]) -> Iterator[Run]:
        return run(setting, books, probes, encoder, modes=modes, hidden=hidden, k=k, budget=budget, cut=cut)

    base = next(runs(baseline, [TEXT_VECTOR]))
    return Comparison(
        tuple(probe.kind for probe in probes),
        base,
        tuple(one for setting in settings for one in runs(setting, modes)),
    )


def ask(questions: Sequence[str], books: Sequence[Book], encoder: Encoder) -> Asked:
    """Return the questions as `search` would put them to a library of these books."""
    languages = frozenset(book.language for book in books)
    return Asked(encoder.encode(questions), [query_terms(question, languages) for question in questions])


def shelve(analyses: Sequence[Analysis], hidden: Hidden) -> Shelf:
    """Return all chunks as a library would hold them, but for those with nothing but hidden sentences."""
    passages: list[RetrievedChunk] = []
    texts: list[str] = []
    dense: list[Embeddings] = []
    rows: list[Embeddings] = []
    for number, analysis in enumerate(analyses):
        spans = hidden.get(number, ())
        kept = ~touched([(s.start, s.end) for s in analysis.sentences], spans)
        # A row of zeros adds nothing to the mean of its chunk.
        vectors = chunk_vectors(analysis.embeddings * kept[:, None], analysis.chunks)
        for chunk, vector in zip(analysis.chunks, vectors, strict=True):
            run = slice(chunk.first_sentence, chunk.first_sentence + chunk.n_sentences)
            if not kept[run].any():
                continue
            passages.append(RetrievedChunk(number, chunk.start, chunk.end, chunk.text))
            texts.append(_without_hidden(chunk, analysis.sentences[run], kept[run], analysis.book))
            dense.append(vector)
            rows.append(analysis.embeddings[run][kept[run]])
    languages = [one.domain.bm25_language or one.book.language for one in analyses]
    terms = [document_terms(t, languages[p.book]) for t, p in zip(texts, passages, strict=True)]
    lengths = [len(one) for one in rows]
    firsts = np.cumsum([0, *lengths[:-1]])
    return Shelf(tuple(passages), tuple(texts), Indexed(np.array(dense), np.concatenate(rows), firsts, terms))


def _without_hidden(chunk: Chunk, sentences: Sequence[Sentence], kept: NDArray[np.bool_], book: Book) -> str:
    if kept.all():
        return chunk.text
    return " ".join(book.text[s.start : s.end] for s, keep in zip(sentences, kept, strict=True) if keep)


def _holding(probes: Sequence[Probe], passages: Sequence[RetrievedChunk]) -> list[list[RetrievedChunk]]:
    """Return the passages that hold some of each question's answer."""
    spans = np.array([passage.span for passage in passages], np.int64)
    books = np.array([passage.book for passage in passages])
    return [
        [passages[int(i)] for i in np.flatnonzero(touched(spans, one.references) & (books == one.book))]
        for one in probes
    ]
