"""Seek what answers a question: retrieve, score, diversify, describe, and keep to a budget.

Read `Seeker.answer` first; the functions below it are in the order of its steps.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import Diverse, Mode
from alexandria.book.filters import Filters
from alexandria.book.headings import Levels
from alexandria.book.model import Embeddings
from alexandria.book.words import fold_text
from alexandria.embed import Encoder
from alexandria.embed.models.languages import connects, distinguishes
from alexandria.errors import ConfigError
from alexandria.library.search.diversity import CANDIDATES as DIVERSE_CANDIDATES
from alexandria.library.search.diversity import diversify
from alexandria.library.search.editions import Editions, merge_editions, with_editions
from alexandria.library.search.excerpts import (
    CANDIDATES,
    ScoredChunks,
    choose,
    evidence_of,
    score_chunks,
    which_are_text,
    with_best_runs,
)
from alexandria.library.search.names import Name
from alexandria.library.search.phrases import hits_with_phrases
from alexandria.library.search.question import Question
from alexandria.library.search.relevance import SUFFICES, Asked, Judge, Resemblance, resemblance
from alexandria.library.search.request import SearchRequest
from alexandria.library.search.reranking import Ranker, continue_scores, rerank
from alexandria.library.search.unmatched import no_match_error, sections_of
from alexandria.store import QueryVectors, Scope
from alexandria.store.catalog import Catalog
from alexandria.store.passage import Hit
from alexandria.store.ranking import by_score, first_with_ties
from alexandria.store.record import Record, scope_of, work_of
from alexandria.store.sparse import languages_outside, primary_subtag, query_languages, query_terms

MEANING_CONNECTED = 2.0
"""The weight of meaning with a model that connects languages, if all books are in the query's language; with
other models it is 1 (docs/lab/languages.md)."""
MEANING_ACROSS = 4.0
"""The weight with such a model if the books are in another language than the query, or in several."""
_MAX_REPEATS = 4  # how many times as many chunks are retrieved at most, as editions repeat each other
_PASSAGES_PER_EDITION = 3
"""How many passages are retrieved for each hit and other edition: the same passage is among the best."""
_DECIMALS = 3  # of a relevance that is returned
_DIVERSE_CANDIDATES_PER_HIT = 5
"""How many chunks are retrieved for each hit asked for, at least, if alike hits are to be removed."""


def encode(question: Question, encoder: Encoder) -> dict[str, NDArray[np.float32]]:
    """Return the vectors of a question by its wordings: only that for books which it surely names."""
    texts = list(dict.fromkeys((question.within,) if question.certain else (question.whole, question.within)))
    return dict(zip(texts, encoder.encode_queries(texts), strict=True))


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits of a search in all books, or in those that a question names."""

    hits: list[Hit]
    selection: "Selection"  # where they were sought
    unread: Sequence[str]
    """The languages that the query may be in, if the model reads none of them; otherwise empty."""
    may_answer: bool  # whether a hit is near enough for the books searched to suffice, or is not judged


@dataclass(frozen=True, slots=True)
class _NearChunks:
    """Chunks near to a question, and what is known of them."""

    hits: list[Hit]
    wording: str  # the question as it was searched
    query: QueryVectors
    mode: Mode  # how they were compared with it
    unread: Sequence[str]
    """The languages that the question may be in, if the model reads none of them; otherwise empty."""
    records: Sequence[Record]
    """The books that have other editions; empty if the passages of every edition are returned."""
    editions: Editions  # the same
    sentence_vectors: Mapping[str, Embeddings]

    @property
    def comparable_vectors(self) -> Mapping[str, Embeddings]:
        """The sentence vectors, if the model reads the language of the question; otherwise none."""
        return {} if self.unread else self.sentence_vectors


@dataclass(frozen=True, slots=True)
class Seeker:
    """Seeks what answers a question, in some books or others."""

    library: Catalog
    encoder: Encoder
    question: Question
    vectors: Mapping[str, NDArray[np.float32]]  # the vector of each text of the question
    request: SearchRequest
    judge: Judge  # says how likely a hit answers
    ranker: Ranker | None

    def best_answer(self, selection: "Selection") -> Answer:
        """Return the answer in those books of a selection that the question names, or in all of them.

        If a name is certain, only its books are asked as long as something there may answer. What may be a
        common word is a name only if the best passage of all is in its books.
        """
        named = None if self.request.everywhere else _narrow(selection, self.library, self.question)
        if named is None:
            return self.answer(selection)
        if self.question.certain:
            in_named = self.answer(named)
            if in_named.may_answer:
                return in_named
            everywhere = self.answer(selection)
            # Nothing anywhere answers: the closest of what was asked for is shown.
            return in_named if in_named.hits and not everywhere.may_answer else everywhere
        everywhere = self.answer(selection)
        if everywhere.hits and everywhere.hits[0].book_id in self.question.books:
            in_named = self.answer(named)
            return in_named if in_named.may_answer else everywhere
        return everywhere

    def answer(self, selection: "Selection") -> Answer:
        """Return the hits in the books of a selection."""
        near = self._retrieve(selection)
        scored = self._score(near)
        distinct = self._diversify(near, scored)
        described = self._describe(near, scored, distinct)
        judged = self._judged(distinct, near.comparable_vectors, scored.present_terms)
        may_answer = any(one is None or one.closeness >= SUFFICES for one in judged)
        return Answer(self._within_budget(scored, described), selection, near.unread, may_answer)

    def _retrieve(self, selection: "Selection") -> "_NearChunks":
        """Return the best chunks for the question, best first, and what is known of them."""
        # Only those that have what it has in quotation marks, and one of those that are the same.
        question, request, library = self.question, self.request, self.library
        wording = question.within if selection.names else question.whole
        languages = library.index_languages(selection.admitted.languages)
        query = _make_query_vectors(wording, self._vector_of(wording), languages, self.encoder)
        mode = request.mode
        unread = _unread_languages(wording, languages, self.encoder) if mode is Mode.HYBRID else []
        if unread and question.is_indexed:
            mode = Mode.BM25  # vectors of a language that the model cannot read are noise: docs/lab/search.md
        records = [] if request.all_editions else library.editions()
        editions = Editions.of(records)
        n_candidates = _n_candidates(request.limit, request.diverse)
        # More if editions repeat each other: enough are left when the repeated passages are removed.
        n_retrieved = min(editions.max_per_work(), _MAX_REPEATS) * n_candidates
        scope, sections = selection.admitted, selection.sections
        hits = library.search(query, mode, scope, n_retrieved, sections=sections)
        if question.phrases:
            hits = hits_with_phrases(hits, question.phrases, library, query, scope, sections=sections)
        hits = merge_editions(hits, editions, limit=n_candidates)
        # Any number of passages may have a phrase of common words, none with a score.
        hits = hits[:n_candidates] if question.phrases else first_with_ties(hits, n_candidates)
        sentence_vectors = library.sentence_vectors([hit.id for hit in hits])
        return _NearChunks(hits, wording, query, mode, unread, records, editions, sentence_vectors)

    def _vector_of(self, wording: str) -> NDArray[np.float32]:
        known = self.vectors.get(wording)  # unless nothing in the books that are named answers
        return self.encoder.encode_queries([wording])[0] if known is None else known

    def _score(self, near: "_NearChunks") -> ScoredChunks:
        """Return the chunks by their runs of sentences, by relevance, and as a cross-encoder has them."""
        scored = _score_all_chunks(near, self.request.words)
        if self.request.mode is Mode.HYBRID:
            n_ranked = CANDIDATES if self.request.diverse is None else DIVERSE_CANDIDATES
            ranked = self._with_closeness_in_score(
                first_with_ties(scored.hits, n_ranked), near.comparable_vectors, scored.present_terms
            )
            scored = replace(scored, hits=(*ranked, *continue_scores(ranked, scored.hits)))
        if self.ranker is not None:
            scored = rerank(scored, near.wording, self.ranker)
        return scored

    def _diversify(self, near: "_NearChunks", scored: ScoredChunks) -> list[Hit]:
        """Return as many hits as are wanted: a passage of several editions once, and none alike."""
        hits = list(scored.hits)
        if near.records:  # there are other editions
            hits = merge_editions(with_best_runs(hits, scored.evidence), near.editions)
        if self.request.diverse is not None:
            hits = diversify(hits, self.request.diverse, near.sentence_vectors)
        if self.request.words is not None:
            return first_with_ties(hits, CANDIDATES)  # a budget takes the best sentences of any of them
        return hits[: self.request.n_hits]

    def _describe(self, near: "_NearChunks", scored: ScoredChunks, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits with the same passage in other editions, and with their relevance."""
        complete = self.library.whole(_with_other_editions(hits, near, self.library))
        judged = self._judged(complete, near.comparable_vectors, scored.present_terms)
        relevances = [
            None if one is None else self.judge(one, scored.standings.get(hit.id))
            for hit, one in zip(complete, judged, strict=True)
        ]
        return [
            replace(hit, relevance=None if value is None else round(value, _DECIMALS))
            for hit, value in zip(complete, relevances, strict=True)
        ]

    def _within_budget(self, scored: ScoredChunks, hits: list[Hit]) -> list[Hit]:
        """Return the hits with their best sentences or, for a number of words, the best sentences of them."""
        evidence = evidence_of(scored.evidence, hits)
        if self.request.words is None:
            return with_best_runs(hits, evidence)
        return choose(evidence, self.request.words, limit=self.request.limit)

    def _judged(
        self,
        hits: Sequence[Hit],
        vectors: Mapping[str, Embeddings],
        present_terms: Mapping[str, frozenset[int]],
    ) -> list[Resemblance | None]:
        """Return what each hit has in common with the question, where that can be judged."""
        asked = {named: self._asked(named) for named in (True, False)}
        books = self.question.books
        return [
            resemblance(asked[hit.book_id in books], _rows_to_last_text(hit, vectors), present_terms[hit.id])
            for hit in hits
        ]

    def _with_closeness_in_score(
        self, hits: list[Hit], vectors: Mapping[str, Embeddings], present_terms: Mapping[str, frozenset[int]]
    ) -> list[Hit]:
        """Return hits by score and closeness, which count alike; as they are if a closeness is not known."""
        closenesses = [one.closeness for one in self._judged(hits, vectors, present_terms) if one]
        if not hits or len(closenesses) < len(hits):
            return hits
        best = max(hit.score for hit in hits)
        pairs = zip(hits, closenesses, strict=True)
        return by_score(replace(hit, score=hit.score + best * closeness) for hit, closeness in pairs)

    def _asked(self, is_named: bool) -> Asked:
        """Return what a hit is judged by: not by the names, if it is in a book that they name."""
        question = self.question
        judged = question.within if question.certain or is_named else question.whole
        words_in = question.within if is_named else question.whole
        return Asked(self._vector_of(judged), question.words_of(words_in))


def _rows_to_last_text(hit: Hit, vectors: Mapping[str, Embeddings]) -> "Embeddings | None":
    """Return the vectors of a passage's sentences but for headings at its end, with no text below them."""
    rows = vectors.get(hit.id)
    return rows if rows is None else rows[: len(np.trim_zeros(which_are_text(hit), "b"))]


def _narrow(selection: "Selection", library: Catalog, question: Question) -> "Selection | None":
    """Return the part of a selection that is in the books, or under the headings, that a question names."""
    # None if it names none, or none that is still there.
    records = [record for book in sorted(question.books) if (record := library.find_id(book)) is not None]
    if not records:
        return None
    headings = {heading for name in question.names for heading in name.sections}
    sections = [headings] if headings else selection.sections
    admitted = scope_of(records)
    is_narrower = admitted.n_books < selection.admitted.n_books or sections != selection.sections
    return replace(
        selection, admitted=admitted, sections=sections, names=question.names, is_narrower=is_narrower
    )


def _make_query_vectors(
    query: str, query_vector: NDArray[np.float32], languages: frozenset[str | None], encoder: Encoder
) -> QueryVectors:
    """Return the vectors of a query for a search: by meaning, and by words as the languages inflect them."""
    # With a model that connects languages, the query may be in a language that no book has.
    foreign = languages_outside(query, languages) if _connects_languages(encoder) else frozenset()
    return QueryVectors(
        dense=query_vector,
        bm25=query_terms(query, languages, foreign),
        meaning_weight=_weight_of_meaning(languages, encoder, across=bool(foreign)),
    )


def _weight_of_meaning(languages: frozenset[str | None], encoder: Encoder, *, across: bool) -> float:
    """Return the weight of meaning, where that of words is 1; `across` if no book is in the query's language.

    It is higher with a model that connects languages: an answer in another language than the query has none
    of the query's words.
    """
    if not _connects_languages(encoder):
        return 1.0
    connected = {primary_subtag(tag) for tag in languages if tag and connects(encoder, tag)}
    return MEANING_ACROSS if across or len(connected) > 1 else MEANING_CONNECTED


def _connects_languages(encoder: Encoder) -> bool:
    """Return whether a model finds answers in other languages than the query's, judged by German."""
    return connects(encoder, "de")


def _unread_languages(query: str, languages: frozenset[str | None], encoder: Encoder) -> list[str]:
    """Return the languages that the query may be in, if the model reads none of them; otherwise none."""
    # A query without a Latin letter is not in English; if the books are in no other language, its script is
    # returned.
    candidates = query_languages(query, languages)
    letters = [letter for letter in fold_text(query) if letter.isalpha()]
    if letters and not any(map(str.isascii, letters)) and not distinguishes(encoder, "ru"):
        candidates -= {"en", None}
        if not candidates:
            return [unicodedata.name(letters[0]).split()[0].title()]
    if any(distinguishes(encoder, language) for language in candidates):
        return []
    return sorted(language for language in candidates if language)


def _n_candidates(limit: int | None, diverse: Diverse | None) -> int:
    """Return how many chunks to retrieve: more if hits that are alike are to be removed."""
    if diverse is None:
        return max(CANDIDATES, limit or 0)
    return max(DIVERSE_CANDIDATES, _DIVERSE_CANDIDATES_PER_HIT * (limit or 0))


def _score_all_chunks(near: _NearChunks, words: int | None) -> ScoredChunks:
    """Return the chunks with their runs of sentences, which are scored as answers."""
    # The first `CANDIDATES` chunks are ranked again by their runs; the others follow in their old order.
    # `words`: as for `score_chunks`.
    score = partial(
        score_chunks, near.query, sentence_vectors=near.sentence_vectors, mode=near.mode, words=words
    )
    best = score(first_with_ties(near.hits, CANDIDATES))
    further_hits = continue_scores(best.hits, near.hits)
    further = score(further_hits)  # for their runs only: the order and the scores of these chunks stay
    return ScoredChunks(
        hits=(*best.hits, *further_hits),
        evidence=(*best.evidence, *further.evidence),
        present_terms={**best.present_terms, **further.present_terms},
        standings={hit.id: best.standings[best.hits[-1].id] for hit in further_hits if best.standings}
        | dict(best.standings),
    )


def _with_other_editions(hits: Sequence[Hit], near: _NearChunks, library: Catalog) -> list[Hit]:
    """Return some of the hits, each with the same passage in other editions of its work."""
    hit_works = {near.editions.works.get(hit.book_id) for hit in hits}
    books = [record for record in near.records if work_of(record) in hit_works]
    if not books:
        return list(hits)
    # In the mode `sentences`: some of the other books may have no sentence vectors.
    mode = Mode.HYBRID if near.mode is Mode.SENTENCES else near.mode
    n_passages = _PASSAGES_PER_EDITION * len(hits) * len(books)
    others = library.search(near.query, mode, scope_of(books), n_passages)
    return with_editions(hits, others, near.editions)


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a library is searched."""

    admitted: Scope  # the books that pass the filters
    sections: Levels  # the headings that pass the filters; empty if every section does
    version: int  # that of the library's records: another one if books were changed since
    names: tuple[Name, ...] = ()
    """The names in the question by which the books were chosen among these; empty if all are searched."""
    is_narrower: bool = False  # whether these are fewer books or sections than the filters admit


def select_books(library: Catalog, filters: Filters, mode: Mode) -> Selection:
    """Return the books and sections to search.

    Raises:
        ConfigError: no book or section passes the filters, or the mode needs sentence vectors and a book has
            none.
    """
    if filters.chapter is not None:  # headings are in the records of the books
        books = library.matching(filters)
        admitted, sections = scope_of(books, filters.author), sections_of(filters, books, library)
    else:
        admitted, sections = library.scope(filters), []
    if not admitted.n_books:
        raise no_match_error(filters, library)
    if mode is Mode.SENTENCES:
        _require_sentence_vectors(admitted)
    return Selection(admitted, sections, library.version)


def _require_sentence_vectors(scope: Scope) -> None:
    """Make sure that every book has sentence vectors.

    Raises:
        ConfigError: a book has none.
    """
    if scope.n_without_sentences:
        raise ConfigError(
            "cannot search by sentences",
            why=f"{scope.n_without_sentences} of {scope.n_books} books were stored without sentence vectors",
            fix="use --mode hybrid or dense, or ingest those books again with --set sentence_vectors=true",
        )
