"""Search: find the books, retrieve candidates, rank them by their sentences, and choose what is returned.

Read `search` first; the functions below it are in the order of its steps.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed import Encoder, encode_queries
from alexandria.embed.languages import connects, distinguishes, remedy
from alexandria.errors import ConfigError, NoMatchError, check_at_least, check_text, well_formed
from alexandria.filters import EVERYTHING, FilterOptions, Filters, fold_text
from alexandria.languages import language_name
from alexandria.modes import NO_MODEL, Diverse, Mode
from alexandria.nearest import suggestion
from alexandria.passage import LINE, Hit, Strength, strength_of
from alexandria.query.diversity import CANDIDATES as DIVERSE_CANDIDATES
from alexandria.query.diversity import diversify
from alexandria.query.editions import Editions, merge_editions, with_editions
from alexandria.query.excerpts import (
    CANDIDATES,
    ScoredChunks,
    choose,
    evidence_of,
    score_chunks,
    with_best_runs,
)
from alexandria.query.names import Name
from alexandria.query.phrases import hits_with_phrases, phrases_of
from alexandria.query.question import Question, understand
from alexandria.query.relevance import CALIBRATED, NO_GOOD_MATCH, Asked, with_relevance
from alexandria.query.reranking import Ranker, continue_scores, rerank
from alexandria.query.unmatched import no_match_error
from alexandria.store import QueryVectors, Scope
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, scope_of, work_of
from alexandria.store.sparse import languages_outside, primary_subtag, query_languages, query_terms

MEANING_CONNECTED = 2.0
"""The weight of meaning with a model that connects languages, if all books are in the query's language; with
other models it is 1 (docs/lab/languages.md)."""
MEANING_ACROSS = 4.0
"""The weight with such a model if the books are in another language than the query, or in several."""
LIMIT = 5
"""The number of hits of a search without a limit on hits or words."""
_MAX_REPEATS = 4
"""How many times as many chunks are retrieved at most, as editions repeat each other."""
_PASSAGES_PER_EDITION = 3
"""How many passages are retrieved for each hit and other edition: the same passage is among the best."""
_DIVERSE_CANDIDATES_PER_HIT = 5
"""How many chunks are retrieved for each hit asked for, at least, if alike hits are to be removed."""


@dataclass(frozen=True, slots=True)
class Results:
    """The hits of a search, best first, and what the reader should know about them."""

    hits: tuple[Hit, ...]
    remarks: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """The remarks that say that probably no hit answers; `remarks` has them too."""
    model: str = ""
    """The name of the encoder that read the query."""
    respelled: tuple[str, ...] = ()
    """The words of the query for which others were searched, as typed."""
    named: tuple[str, ...] = ()
    """The authors and titles whose books alone were searched, because the query names them."""
    left_out: tuple[str, ...] = ()
    """The collections that could not be searched; a remark says why."""

    @property
    def verdict(self) -> Strength | None:
        """The strength of its most relevant hit; `none` without hits, and None if a hit's is not known."""
        if not self.hits:
            return Strength.NONE
        relevances = [hit.relevance for hit in self.hits if hit.relevance is not None]
        return strength_of(max(relevances)) if len(relevances) == len(self.hits) else None

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, rank: int) -> Hit:
        return self.hits[rank]


def parse_mode(name: str) -> Mode:
    """Return a mode of search by its name.

    Raises:
        ConfigError: there is no such mode.
    """
    if name not in list(Mode):
        raise ConfigError(
            f"unknown mode {name!r}", why=f"the modes are {', '.join(Mode)}", fix="choose one of them"
        )
    return Mode(name)


def parse_diversity(name: str | None) -> Diverse | None:
    """Return a kind of diversity by its name.

    Raises:
        ConfigError: there is no such kind.
    """
    if name is not None and name not in list(Diverse):
        raise ConfigError(
            f"unknown kind of diversity {name!r}",
            why=f"the kinds are {', '.join(Diverse)}",
            fix="choose one of them",
        )
    return None if name is None else Diverse(name)


def parse_filters(values: FilterOptions) -> Filters:
    """Return filters from their names and values.

    Raises:
        ConfigError: there is no such filter, or a value is not a string.
    """
    names = [field.name for field in fields(Filters)]
    if unknown := [name for name in values if name not in names]:
        raise ConfigError(
            f"unknown filter {unknown[0]!r}",
            why=f"the filters are {', '.join(names)}",
            fix="choose one of them",
        )
    check_text(**{name: value for name, value in values.items() if value is not None})
    return Filters(**values)


def search(
    query: str,
    library: Catalog,
    encoder: Encoder,
    *,
    limit: int | None = None,
    words: int | None = None,
    mode: Mode = Mode.HYBRID,
    filters: Filters = EVERYTHING,
    context: int = 0,
    all_editions: bool = False,
    everywhere: bool = False,
    exact: bool = False,
    diverse: Diverse | None = None,
    ranker: Ranker | None = None,
) -> Results:
    """Return the passages that answer a query best, each with its best sentences.

    Without `words`, the passages are chunks. With it, they are excerpts: as many of the best sentences of the
    best chunks as fit, each with its own text, offsets and pages.

    Args:
        query: a question or some words; not empty.
        library: the catalog to search.
        encoder: the one the library was made with.
        limit: how many hits at most; by default `LIMIT`, and with `words` as many as fit.
        words: how many words to return in all; by default whole chunks.
        mode: how the query is compared with the chunks.
        filters: which books and sections are searched.
        context: how many chunks on each side are returned with a hit.
        all_editions: return a passage once per edition of a work, not once per work.
        everywhere: search all books, even if the query names an author or a title.
        exact: take the words of the query as typed, even if no book has them.
        diverse: how hits are kept from being alike; by default, they may be.
        ranker: a cross-encoder that ranks the best `CANDIDATES` chunks again; by default, none does.

    Raises:
        ConfigError: the query is empty, a number is out of range, no passage passes the filters, the mode
            needs sentence vectors and there are none, or both `words` and `context` are given.
    """
    _check_request(query, limit=limit, words=words, context=context)
    query = well_formed(query)
    if encoder.name == NO_MODEL:
        mode = _mode_without_model(mode)
    request = _Request(mode=mode, limit=limit, words=words, diverse=diverse, ranker=ranker)
    with library.read_lock():
        # Raises if no book passes the filters, before the model is loaded, which may take seconds.
        selection = _select_books(library, filters, mode, all_editions=all_editions)
        question = understand(
            query,
            library,
            filters,
            selection.admitted.languages,
            everywhere=everywhere,
            exact=exact or bool(phrases_of(query)),
        )
    # The library is not locked while the model computes, so that writers need not wait for it. They may have
    # changed the books meanwhile: these are selected again.
    covered = float(encoder.coverage([query])[0])
    answer = None
    if question.certain:  # its other wording is encoded only if the books that it names do not answer
        vectors = _encode(question.texts_within, encoder)
        with library.read_lock():
            selection = _select_books(library, filters, mode, all_editions=all_editions)
            answer = _answer_where_named(_Seeker(library, encoder, question, vectors, request), selection)
            hits = _with_contexts(answer.hits if answer else [], library, context)
    if answer is None:
        vectors = _encode(question.texts, encoder)
        with library.read_lock():
            selection = _select_books(library, filters, mode, all_editions=all_editions)
            seeker = _Seeker(library, encoder, question, vectors, request)
            named = None if question.certain else _answer_where_named(seeker, selection)
            answer = named or seeker.answer(selection)
            hits = _with_contexts(answer.hits, library, context)
    doubts = tuple(_remark_on_relevance(hits, phrases_of(query), encoder))
    remarks = [
        *_remark_on_question(question, answer),
        *_remark_on_query(covered, encoder.name, answer.unread, question),
    ]
    return Results(
        hits=tuple(hits),
        remarks=(*remarks, *doubts),
        doubts=doubts,
        model=encoder.name,
        named=tuple(dict.fromkeys(name.label for name in answer.names)),
        respelled=tuple(question.words[word].text for word in question.meant),
    )


def _encode(texts: Sequence[str], encoder: Encoder) -> dict[str, NDArray[np.float32]]:
    """Return the vector of each text of a question."""
    return dict(zip(texts, encode_queries(encoder, texts), strict=True))


@dataclass(frozen=True, slots=True)
class _Request:
    """What a search is to return."""

    mode: Mode
    limit: int | None
    words: int | None
    diverse: Diverse | None
    ranker: Ranker | None


@dataclass(frozen=True, slots=True)
class _Answer:
    """The hits of a search in all books, or in those that a question names."""

    hits: list[Hit]
    unread: Sequence[str]
    """The languages that the query may be in, if the model reads none of them; otherwise empty."""
    names: tuple[Name, ...] = ()
    """The names of the books that were searched; empty if all were."""

    @property
    def may_answer(self) -> bool:
        """Whether a hit reaches the line of relevance, or is not judged."""
        return any(hit.relevance is None or hit.relevance >= LINE for hit in self.hits)


@dataclass(frozen=True, slots=True)
class _Seeker:
    """Seeks what answers a question, in some books or others."""

    library: Catalog
    encoder: Encoder
    question: Question
    vectors: Mapping[str, NDArray[np.float32]]
    """The vector of each text of the question."""
    request: _Request

    def answer(self, selection: "_Selection", names: tuple[Name, ...] = ()) -> _Answer:
        """Return the hits in the books of a selection; `names` are those by which these were selected."""
        library, request = self.library, self.request
        wording = self.question.within if names else self.question.whole
        vector, mode = self.vectors[wording.corrected], request.mode
        languages = selection.admitted.languages
        query = _make_query_vectors(wording.corrected, vector, languages, self.encoder)
        unread = _unread_languages(wording.corrected, languages, self.encoder) if mode is Mode.HYBRID else []
        if unread and any(word.exists for word in self.question.words.values()):
            mode = Mode.BM25  # vectors of a language that the model cannot read are noise: docs/lab/search.md
        records = [] if selection.all_editions else library.editions()
        editions = Editions.of(records)
        n_candidates = _n_candidates(request.limit, request.diverse)
        phrases = phrases_of(self.question.whole.typed)
        hits = _retrieve(library, query, mode, selection, phrases, editions, n_candidates)
        sentence_vectors = library.sentence_vectors([hit.id for hit in hits])
        scored = _score_all_chunks(hits, query, mode, sentence_vectors, request.words)
        hits = list(scored.hits)
        vectors_known = {} if unread else sentence_vectors
        runs = list(scored.evidence)
        if request.mode is Mode.HYBRID:
            hits = self._with_relevance_in_score(hits, vectors_known, scored.present_terms)
        if request.ranker is not None:
            hits, runs = rerank(hits, runs, wording.corrected, request.ranker)
        if records:
            hits = merge_editions(with_best_runs(hits, runs), editions)
        if request.diverse is not None:
            hits = diversify(hits, request.diverse, sentence_vectors)
        n_hits = LIMIT if request.limit is None else request.limit
        if request.words is not None:
            n_hits = CANDIDATES  # `choose` below takes the best sentences of any of them
        hits = _with_other_editions(hits[:n_hits], library, query, mode, records, editions)
        hits = [
            with_relevance(hit, self._asked(hit), vectors_known.get(hit.id), scored.present_terms[hit.id])
            for hit in hits
        ]
        evidence = evidence_of(runs, hits)
        if request.words is None:
            hits = with_best_runs(hits, evidence)
        else:
            hits = choose(evidence, request.words, limit=request.limit)
        return _Answer(hits, unread, names)

    def _with_relevance_in_score(
        self,
        hits: list[Hit],
        vectors: Mapping[str, Embeddings],
        present_terms: Mapping[str, frozenset[int]],
    ) -> list[Hit]:
        """Return hits by score and relevance, which count alike; as they are if relevance is not known."""
        judged = [
            with_relevance(hit, self._asked(hit), vectors.get(hit.id), present_terms[hit.id]) for hit in hits
        ]
        if not hits or any(hit.relevance is None for hit in judged):
            return hits
        best = max(hit.score for hit in hits)
        scores = [hit.score + best * (one.relevance or 0) for hit, one in zip(hits, judged, strict=True)]
        ranked = [replace(hit, score=score) for hit, score in zip(hits, scores, strict=True)]
        return sorted(ranked, key=lambda hit: -hit.score)

    def _asked(self, hit: Hit) -> Asked:
        """Return what a hit is judged by: not by the names, if it is in a book that they name."""
        question = self.question
        is_named = hit.book_id in question.books
        judged = question.within if question.certain or is_named else question.whole
        words = question.words_of(question.within if is_named else question.whole)
        return Asked(self.vectors[judged.typed], words)


def _answer_where_named(seeker: _Seeker, selection: "_Selection") -> _Answer | None:
    """Return the answer in the books that a question names, or None if all books are to be searched.

    All are if nothing in the named books reaches the line. A name that may be a common word counts only
    if the best passage of all books is in the books that it names.
    """
    question = seeker.question
    if not question.books:
        return None
    if not question.certain:
        best = seeker.answer(selection).hits[:1]
        if not best or best[0].book_id not in question.books:
            return None
    narrowed = _narrow(selection, seeker.library, question)
    answer = seeker.answer(narrowed, question.names) if narrowed.admitted.n_books else None
    return answer if answer and answer.may_answer else None


def _narrow(selection: "_Selection", library: Catalog, question: Question) -> "_Selection":
    """Return the part of a selection that is in the books, or under the headings, that a question names."""
    records = [record for book in sorted(question.books) if (record := library.find_id(book)) is not None]
    headings = [heading for name in question.names for heading in name.sections]
    return replace(selection, admitted=scope_of(records), sections=headings or selection.sections)


def _check_request(query: str, *, limit: int | None, words: int | None, context: int) -> None:
    """Make sure that the arguments of a search are sound.

    Raises:
        ConfigError: the query is empty or not a string, a number is out of range, or both `words` and
            `context` are given.
    """
    check_text(query=query)
    if not query.strip():
        raise ConfigError(
            "there is nothing to search for", why="the query is empty", fix="alexandria search WORDS"
        )
    check_at_least(1, limit=limit, words=words)
    check_at_least(0, context=context)
    if words is not None and context:
        raise ConfigError(
            "cannot combine `words` with `context`",
            why="`words` limits the length of the results, and `context` adds whole chunks to them",
            fix="use one of them",
        )


def _mode_without_model(mode: Mode) -> Mode:
    """Return the mode of a search in a library without vectors.

    Raises:
        ConfigError: the mode asked for needs vectors.
    """
    if mode in (Mode.DENSE, Mode.SENTENCES):
        raise ConfigError(
            f"cannot search in the mode {mode}",
            why="the library was made without a model and holds no vectors",
            fix="--mode bm25 searches by keyword; for meaning, ingest the books into another --collection",
        )
    return Mode.BM25


def _make_query_vectors(
    query: str, query_vector: NDArray[np.float32], languages: frozenset[str | None], encoder: Encoder
) -> QueryVectors:
    """Return the vectors of a query for a search: by meaning, and by words as the languages inflect them.

    With a model that connects languages, the query may be in a language that no book has.

    Args:
        query: a question or some words.
        query_vector: the query's vector, from the model.
        languages: the books' languages.
        encoder: the model.
    """
    foreign = languages_outside(query, languages) if _connects_languages(encoder) else frozenset()
    return QueryVectors(
        dense=query_vector,
        bm25=query_terms(query, languages, foreign),
        meaning=_weight_of_meaning(languages, encoder, across=bool(foreign)),
    )


def _weight_of_meaning(languages: frozenset[str | None], encoder: Encoder, *, across: bool) -> float:
    """Return the weight of meaning, where that of words is 1.

    It is higher with a model that connects languages: an answer in another language than the query has none
    of the query's words.

    Args:
        languages: the books' languages.
        encoder: the model.
        across: whether the query is in another language than the books.
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
    candidates = query_languages(query, languages)
    if any(distinguishes(encoder, language) for language in candidates):
        return []
    return sorted(language for language in candidates if language)


def _n_candidates(limit: int | None, diverse: Diverse | None) -> int:
    """Return how many chunks to retrieve: more if hits that are alike are to be removed."""
    if diverse is None:
        return max(CANDIDATES, limit or 0)
    return max(DIVERSE_CANDIDATES, _DIVERSE_CANDIDATES_PER_HIT * (limit or 0))


def _retrieve(
    library: Catalog,
    question: QueryVectors,
    mode: Mode,
    selection: "_Selection",
    phrases: Sequence[str],
    editions: Editions,
    n_candidates: int,
) -> list[Hit]:
    """Return the best chunks, best first: only those with every phrase, and one of those that are the same.

    Args:
        library: the catalog.
        question: the vectors of the query.
        mode: how they are compared with the chunks.
        selection: the books and sections searched.
        phrases: as `phrases_of` returns them.
        editions: the books that have other editions; none to return the passages of every edition.
        n_candidates: how many chunks at most.
    """
    # More if editions repeat each other: enough are left when the repeated passages are removed.
    n_retrieved = min(editions.n_most(), _MAX_REPEATS) * n_candidates
    searched, sections = selection.admitted, selection.sections
    hits = library.search(question, mode, searched, n_retrieved, sections=sections)
    if phrases:
        hits = hits_with_phrases(hits, phrases, library, question, searched, sections=sections)
    return merge_editions(hits, editions)[:n_candidates]


def _score_all_chunks(
    hits: Sequence[Hit],
    question: QueryVectors,
    mode: Mode,
    sentence_vectors: Mapping[str, Embeddings],
    words: int | None,
) -> ScoredChunks:
    """Return the chunks with their runs of sentences, which are scored as answers.

    The first `CANDIDATES` chunks are ranked again by their runs; the others follow in their old order. The
    arguments are as for `score_chunks`.
    """
    best = score_chunks(question, hits[:CANDIDATES], sentence_vectors, mode=mode, words=words)
    further_hits = continue_scores(best.hits, hits)
    # For their runs only: the order and the scores of these chunks stay.
    further = score_chunks(question, further_hits, sentence_vectors, mode=mode, words=words)
    return ScoredChunks(
        hits=(*best.hits, *further_hits),
        evidence=(*best.evidence, *further.evidence),
        present_terms={**best.present_terms, **further.present_terms},
    )


def _with_other_editions(
    hits: Sequence[Hit],
    library: Catalog,
    question: QueryVectors,
    mode: Mode,
    records: Sequence[Record],
    editions: Editions,
) -> list[Hit]:
    """Return the hits, each with the same passage in other editions of its work.

    Args:
        hits: best first.
        library: the catalog.
        question: the vectors of the query.
        mode: how they are compared with the chunks.
        records: the books that have other editions.
        editions: the same.
    """
    hit_works = {editions.works.get(hit.book_id) for hit in hits}
    books = [record for record in records if work_of(record) in hit_works]
    if not books:
        return list(hits)
    if mode is Mode.SENTENCES:  # some of the other books may have no sentence vectors
        mode = Mode.HYBRID
    n_passages = _PASSAGES_PER_EDITION * len(hits) * len(books)
    return with_editions(hits, library.search(question, mode, scope_of(books), n_passages), editions)


@dataclass(frozen=True, slots=True)
class _Selection:
    """What of a library is searched."""

    admitted: Scope
    """The books that pass the filters."""
    all_editions: bool
    """Whether a passage is returned once per edition of a work."""
    sections: Sequence[str] = ()
    """The headings that pass the filters; empty if every section does."""


def _select_books(library: Catalog, filters: Filters, mode: Mode, *, all_editions: bool) -> _Selection:
    """Return the books and sections to search.

    Raises:
        ConfigError: no book or section passes the filters, or the mode needs sentence vectors and a book has
            none.
    """
    if filters.chapter is not None:  # headings are in the records of the books
        books = library.matching(filters)
        admitted = scope_of(books)
        sections = _headings_with(filters.chapter, books) if books else []
    else:
        admitted, sections = library.scope(filters), []
    if not admitted.n_books:
        raise no_match_error(filters, library)
    if mode is Mode.SENTENCES:
        _require_sentence_vectors(admitted)
    return _Selection(admitted=admitted, all_editions=all_editions, sections=sections)


def _headings_with(text: str, books: Sequence[Record]) -> list[str]:
    """Return the headings, among those of the books, that contain a text; case and accents do not count.

    Raises:
        NoMatchError: none does.
    """
    headings = {heading for record in books for heading in record.sections}
    matches = sorted(heading for heading in headings if fold_text(text) in fold_text(heading))
    if not matches:
        raise NoMatchError(
            f"no chapter is called {text!r}",
            why="no heading of these books contains it",
            fix=suggestion(text, headings) or "alexandria show BOOK lists a book's chapters",
        )
    return matches


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


def _with_contexts(hits: Sequence[Hit], library: Catalog, context: int) -> list[Hit]:
    """Return hits, each with the texts of up to `context` chunks on each side."""
    return [_with_context(hit, library, context) for hit in hits] if context else list(hits)


def _with_context(hit: Hit, library: Catalog, context: int) -> Hit:
    number = hit.chunk_id
    numbers = [n for n in range(max(0, number - context), number + context + 1) if n != number]
    neighbours = library.chunks(library.book_of(hit), numbers)  # payloads in reading order
    return replace(
        hit,
        before=tuple(payload["text"] for payload in neighbours if payload["chunk_id"] < number),
        after=tuple(payload["text"] for payload in neighbours if payload["chunk_id"] > number),
    )


def _remark_on_relevance(hits: Sequence[Hit], phrases: Sequence[str], encoder: Encoder) -> list[str]:
    """Return the remark that probably no hit answers, as a list of one, or an empty list if one may."""
    if phrases:
        return [] if hits else ["No passage contains the quoted words; alexandria find allows for slips."]
    relevances = [hit.relevance for hit in hits if hit.relevance is not None]
    if not relevances or len(relevances) < len(hits) or not encoder.name.startswith(CALIBRATED):
        return []  # it cannot be judged
    best = max(relevances)
    return [NO_GOOD_MATCH] if best < LINE else []


def _remark_on_question(question: Question, answer: _Answer) -> list[str]:
    """Return how the question was understood, where that is not as it was typed, and what no book has."""
    remarks = []
    if question.certain and question.names and not answer.names:
        remarks.append(f"Nothing in {_describe(question.names)} answers; these are from all books.")
    if answer.names:
        remarks.append(f"Searched {_describe(answer.names)}; --everywhere searches all.")
    if question.meant:
        shown = [
            f"“{other}” instead of “{question.words[word].text}”" for word, other in question.meant.items()
        ]
        remarks.append(f"Searched for {' and '.join(shown)}; --exact takes words as typed.")
    return remarks


def _listed(words: Sequence[str]) -> str:
    """Return words as a list: `“a”`, `“a” or “b”`."""
    return " or ".join(f"“{word}”" for word in words)


def _describe(names: Sequence[Name]) -> str:
    """Return what names mean: `Bertrand Russell's books`, `“Hamlet”`, or both."""
    labels = dict.fromkeys(f"{name.label}'s books" if name.is_author else f"“{name.label}”" for name in names)
    return " and ".join(labels)


def _remark_on_query(covered: float, model: str, unread: Sequence[str], question: Question) -> list[str]:
    """Return what explains surprising hits: a language the model cannot read, a long query, unknown words.

    Args:
        covered: the share of the query that the model reads, from 0 to 1.
        model: the name of the model.
        unread: the languages that the query may be in, if the model reads none of them; otherwise empty.
        question: the query as it was understood.
    """
    remarks = []
    if unread:
        remarks.append(
            f"This model does not know {' or '.join(map(language_name, unread))}, so these passages were"
            f" found by keyword. To search by meaning:  {remedy()}"
        )
    if covered < 1:
        remarks.append(
            f"The query is long: only its first {covered:.0%} is searched by meaning, all of it by keyword."
        )
    names = {word for name in question.names for word in name.words}
    missing = [
        word.text
        for folded, word in question.words.items()
        if not word.exists and folded not in names and folded not in question.meant
    ]
    if not question.meant and not any(word.exists for word in question.words.values()):
        remarks.append(
            "No book contains any of your words, and without a model there is no search by meaning."
            if model == NO_MODEL
            else "No book contains any of your words; the search was by meaning alone."
        )
    elif missing and not phrases_of(question.whole.typed):
        remarks.append(f"No book contains {_listed(missing)}.")
    return remarks
