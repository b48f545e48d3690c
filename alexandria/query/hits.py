"""A query becomes hits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from alexandria.book import Embeddings
from alexandria.embed import Encoder, encode_queries
from alexandria.embed.cross_encoder import CrossEncoder
from alexandria.embed.languages import connects, distinguishes, remedy
from alexandria.errors import ConfigError, NoMatchError, check_at_least
from alexandria.filters import EVERYTHING, Filters, folded
from alexandria.modes import NO_MODEL, Diverse, Mode
from alexandria.passage import Hit
from alexandria.query.diversity import CANDIDATES as DIVERSE_CANDIDATES
from alexandria.query.diversity import diversified
from alexandria.query.editions import by_work, merged, searched_editions, with_editions
from alexandria.query.excerpts import CANDIDATES, Weighed, choose, of_hits, weigh, with_best_runs
from alexandria.query.phrases import phrases_of, with_phrases
from alexandria.query.relevance import CALIBRATED, LINE, limited_by_rank, remark_below_line, with_relevance
from alexandria.store import QueryVectors, Scope
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, work_of
from alexandria.store.scope import scope_of
from alexandria.store.sparse import foreign_languages, primary_subtag, query_languages, query_terms

MEANING_CONNECTED, MEANING_ACROSS = 2.0, 4.0
"""The weight of meaning with a model that connects languages, where a query's language is the only one of the
books, and otherwise; with other models it is 1 (docs/languages.md)."""
LIMIT = 5
"""Hits of a search that names neither a number of hits nor of words."""


@dataclass(frozen=True, slots=True)
class Results:
    """The hits, best first, and what the reader should know about them."""

    hits: tuple[Hit, ...]
    remarks: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """Those of the remarks that say that probably nothing answers."""
    model: str = ""
    """The name of the encoder that read the query."""
    left_out: tuple[str, ...] = ()
    """Which of several collections could not be searched; a remark says why."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, rank: int) -> Hit:
        return self.hits[rank]


def mode_named(name: str) -> Mode:
    """Return a mode of search by its name.

    Raises:
        ConfigError: there is no such mode.
    """
    if name not in list(Mode):
        raise ConfigError(
            f"unknown mode {name!r}", why=f"the modes are {', '.join(Mode)}", fix="choose one of them"
        )
    return Mode(name)


def diverse_named(name: str | None) -> Diverse | None:
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


def filters_named(values: Mapping[str, str | None]) -> Filters:
    """Return filters from their names and values.

    Raises:
        ConfigError: there is no such filter.
    """
    names = [field.name for field in fields(Filters)]
    if unknown := [name for name in values if name not in names]:
        raise ConfigError(
            f"unknown filter {unknown[0]!r}",
            why=f"the filters are {', '.join(names)}",
            fix="choose one of them",
        )
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
    diverse: Diverse | None = None,
    ranker: CrossEncoder | None = None,
) -> Results:
    """Return the passages that answer best, each with the sentences in it that do.

    Without `words`, these are chunks. With it, they are excerpts: as many of the best sentences of the best
    chunks as fit, each with its own text, offsets and pages.

    Args:
        query: a question or some words; never empty.
        library: the catalog to search.
        encoder: the one the library was made with.
        limit: how many hits at most; by default `LIMIT`, and with `words` as many as fit.
        words: how many words to return in all; by default whole chunks.
        mode: how the query is compared with the chunks.
        filters: which passages count.
        context: how many chunks on each side are returned with a hit.
        all_editions: return a passage once per edition of a work, not once per work.
        diverse: how hits are kept from being alike; by default, they may be.
        ranker: ranks the best `CANDIDATES` chunks; by default, they keep their rank.

    Raises:
        ConfigError: the query is empty, a number is out of range, no passage passes the filters, the mode
            needs sentence vectors and there are none, or both `words` and `context` are given.
    """
    if not query.strip():
        raise ConfigError(
            "there is nothing to search for", why="the query is empty", fix="alexandria search WORDS"
        )
    check_at_least(1, limit=limit, words=words)
    check_at_least(0, context=context)
    _check_extent(words, context)
    if encoder.name == NO_MODEL:
        mode = _by_words(mode)
    with library.held():
        _selected(library, filters, mode, all_editions=all_editions)  # refused before the model is loaded
    dense = encode_queries(encoder, [query])[0]
    covered = float(encoder.coverage([query])[0])
    with library.held():
        selected = _selected(library, filters, mode, all_editions=all_editions)
        languages = selected.every.languages
        foreign = foreign_languages(query, languages) if connects(encoder, "de") else frozenset()
        question = QueryVectors(
            dense=dense,
            bm25=query_terms(query, languages, foreign),
            meaning=_weight_of_meaning(languages, encoder, across=bool(foreign)),
        )
        unread = _unread(query, languages, encoder) if mode is Mode.HYBRID else []
        if unread and library.search(question, Mode.BM25, selected.every, 1):
            mode = Mode.BM25  # at any weight, meaning that the model cannot see is noise: docs/retrieval.md
        sections = selected.sections
        phrases = phrases_of(query)
        searched = selected.searched
        most = max(CANDIDATES, limit or 0) if diverse is None else max(DIVERSE_CANDIDATES, 5 * (limit or 0))
        # Only editions of one work repeat each other, and several are searched only if none has all words.
        several = selected.several
        hits = library.search(question, mode, searched, 2 * most if several else most, sections=sections)
        if phrases:
            hits = with_phrases(hits, phrases, library, question, searched, sections=sections)[:most]
        editions = [] if all_editions else library.editions()
        works = {record.book_id: work_of(record) for record in editions}
        if several:
            hits = merged(hits, works)[:most]
        rows = library.sentence_rows([hit.id for hit in hits])
        weighed = _weighed(hits, question, mode, rows, words)
        hits = list(weighed.hits) if ranker is None else _reranked(weighed.hits, query, ranker)
        if diverse is not None:
            hits = diversified(hits, diverse, rows)
        shown = CANDIDATES if words is not None else LIMIT if limit is None else limit
        hits = _in_editions(hits[:shown], library, question, mode, editions)
        hits = with_relevance(hits, question, {} if unread else rows, weighed.present)
        evidence = of_hits(weighed.evidence, hits)
        hits = with_best_runs(hits, evidence) if words is None else choose(evidence, words, limit=limit)
        hits = _limited(hits, diverse if words is None else None)
        if context:
            hits = [_with_neighbours(hit, library, context) for hit in hits]
        known = bool(question.bm25.indices) and (
            any(weighed.present[hit.id] for hit in hits)
            or bool(library.search(question, Mode.BM25, selected.every, 1))
        )
    doubts = tuple(_doubts(hits, phrases, encoder))
    remarks = _remarks(covered, encoder.name, unread, known_words=known)
    return Results(tuple(hits), (*remarks, *doubts), doubts=doubts, model=encoder.name)


def _limited(hits: Sequence[Hit], diverse: Diverse | None) -> list[Hit]:
    """Return the hits in the same order, with a relevance that falls with their rank.

    Maximal marginal relevance has another order than the rank, which the score then tells.
    """
    if diverse is not Diverse.MMR:
        return limited_by_rank(hits)
    ranked = {hit.id: hit for hit in limited_by_rank(sorted(hits, key=lambda hit: -hit.score))}
    return [ranked[hit.id] for hit in hits]


def _by_words(mode: Mode) -> Mode:
    """Return the mode of a search in a library without vectors.

    Raises:
        ConfigError: the mode asked for needs vectors.
    """
    if mode in (Mode.DENSE, Mode.SENTENCES):
        raise ConfigError(
            f"cannot search in the mode {mode}",
            why="the library was made without a model and holds no vectors",
            fix="--mode bm25 searches by words; for meaning, ingest the books into another --collection",
        )
    return Mode.BM25


def _weight_of_meaning(languages: frozenset[str | None], encoder: Encoder, *, across: bool) -> float:
    """Return how much meaning weighs beside words: more with a model that connects languages.

    An answer in another language than the query's has none of its words.

    Args:
        languages: of the books.
        encoder: the model.
        across: whether the query is in another language than these.
    """
    if not connects(encoder, "de"):
        return 1.0
    connected = {primary_subtag(tag) for tag in languages if tag and connects(encoder, tag)}
    return MEANING_ACROSS if across or len(connected) > 1 else MEANING_CONNECTED


def _unread(query: str, languages: frozenset[str | None], encoder: Encoder) -> list[str]:
    """Return the languages the query may be in, if the model can tell sentences of none of them apart."""
    own = query_languages(query, languages)
    if any(distinguishes(encoder, language) for language in own):
        return []
    return sorted(language for language in own if language)


def _weighed(
    hits: Sequence[Hit], question: QueryVectors, mode: Mode, rows: Mapping[str, Embeddings], words: int | None
) -> Weighed:
    """Return chunks best first, and their runs.

    The best ones are ranked by their runs; those after them keep their rank, their scores continue.
    """
    best = weigh(question, hits[:CANDIDATES], rows, mode=mode, words=words)
    further = _continuing(best.hits, hits)
    later = weigh(question, further, rows, mode=mode, words=words)
    return Weighed(
        (*best.hits, *further), (*best.evidence, *later.evidence), {**best.present, **later.present}
    )


def _reranked(hits: Sequence[Hit], query: str, ranker: CrossEncoder) -> list[Hit]:
    """Return the hits, the best of them ranked and scored by a cross-encoder."""
    head = hits[:CANDIDATES]
    scores = ranker.score(query, [hit.text for hit in head])
    best = [replace(hit, score=float(score)) for hit, score in zip(head, scores, strict=True)]
    best.sort(key=lambda hit: -hit.score)
    return [*best, *_continuing(best, hits)]


def _continuing(ranked: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits after those that were ranked again, with scores that continue theirs."""
    if len(hits) == len(ranked):
        return []
    lower = ranked[-1].score - hits[len(ranked) - 1].score
    return [replace(hit, score=hit.score + lower) for hit in hits[len(ranked) :]]


def _in_editions(
    hits: Sequence[Hit], library: Catalog, question: QueryVectors, mode: Mode, editions: Sequence[Record]
) -> list[Hit]:
    """Return the hits with where other editions of their works have them."""
    works = {record.book_id: work_of(record) for record in editions}
    own, wanted = {hit.book_id for hit in hits}, {works.get(hit.book_id) for hit in hits}
    others = [record for record in editions if work_of(record) in wanted and record.book_id not in own]
    if not others:
        return list(hits)
    if mode is Mode.SENTENCES:  # some of the others may have no sentence vectors
        mode = Mode.HYBRID
    repeated = library.search(question, mode, scope_of(others), 3 * len(hits) * len(others))
    return with_editions(hits, repeated, works)


@dataclass(frozen=True, slots=True)
class _Selected:
    """The books that pass the filters."""

    every: Scope
    searched: Scope
    """Without editions of works of which another is searched."""
    several: bool
    """Whether several editions of a work are searched, though passages are returned once per work."""
    sections: Sequence[str] = ()


def _selected(library: Catalog, filters: Filters, mode: Mode, *, all_editions: bool) -> _Selected:
    if filters.section is not None:  # headings are in the records of the books
        books = library.admitted(filters)
        every, sections = scope_of(books), _sections(books, filters.section) if books else []
    else:
        every, sections = library.selected(filters), []
    if not every.n_books:
        raise NoMatchError(
            "no book passes these filters",
            why=f"the library has {library.n_books} books, and none matches",
            fix="alexandria list shows titles, authors, domains and languages",
        )
    if mode is Mode.SENTENCES:
        _check_sentence_vectors(every)
    editions = [] if all_editions else list(filter(filters.admit, library.editions()))
    searched = searched_editions(editions)
    without = {record.generation for record in editions} - {record.generation for record in searched}
    return _Selected(
        every,
        replace(every, without=tuple(sorted(without))),
        several=len(by_work(searched)) < len(searched),
        sections=sections,
    )


def _sections(books: Sequence[Record], text: str | None) -> list[str]:
    """Return the headings that contain `text`; none where it is None, which admits every section."""
    if text is None:
        return []
    headings = {heading for record in books for heading in record.sections}
    matches = sorted(heading for heading in headings if folded(text) in folded(heading))
    if not matches:
        raise NoMatchError(
            f"no section is called {text!r}",
            why="no heading of these books contains it",
            fix="alexandria show BOOK lists a book's sections",
        )
    return matches


def _check_sentence_vectors(scope: Scope) -> None:
    if scope.n_without_sentences:
        raise ConfigError(
            "cannot search by sentences",
            why=f"{scope.n_without_sentences} of {scope.n_books} books were stored without sentence vectors",
            fix="use --mode hybrid or dense, or ingest those books again with --set sentence_vectors=true",
        )


def _check_extent(words: int | None, context: int) -> None:
    if words is not None and context:
        raise ConfigError(
            "cannot add whole chunks to a budget of words",
            why="`context` adds the chunks around each passage, and `words` limits what is returned",
            fix="use one of them",
        )


def _with_neighbours(hit: Hit, library: Catalog, context: int) -> Hit:
    number = hit.chunk_id
    numbers = [n for n in range(max(0, number - context), number + context + 1) if n != number]
    around = library.chunks(library.book(hit.book_id), numbers)
    return replace(
        hit,
        before=tuple(payload["text"] for payload in around if payload["chunk_id"] < number),
        after=tuple(payload["text"] for payload in around if payload["chunk_id"] > number),
    )


def _doubts(hits: Sequence[Hit], phrases: Sequence[str], encoder: Encoder) -> list[str]:
    """Return what is said where probably nothing answers; the line is known for the packaged models only."""
    if phrases:
        return [] if hits else ["no passage has the quoted words; alexandria find also finds them with slips"]
    known = [hit.relevance for hit in hits if hit.relevance is not None]
    if not encoder.name.startswith(CALIBRATED) or not known or len(known) < len(hits) or max(known) >= LINE:
        return []
    return [remark_below_line(max(known))]


def _remarks(covered: float, model: str, unread: Sequence[str], *, known_words: bool) -> list[str]:
    """Return what explains surprising hits: words that occur nowhere, a query that was cut short."""
    remarks = []
    if unread:
        remarks.append(
            f"{model} cannot tell sentences in {', '.join(unread)} apart: hits are by words, where any"
            f" occur; for meaning:  {remedy()}"
        )
    if covered < 1:
        remarks.append(
            f"the query is long: the model reads the first {covered:.0%} of it; its words all count"
        )
    if not known_words:
        unknown = "no word of the query occurs in these books"
        remarks.append(
            f"{unknown}, which were ingested without a model: they are searched by words alone"
            if model == NO_MODEL
            else f"{unknown}: hits are by meaning, as {model} knows it"
        )
    return remarks
