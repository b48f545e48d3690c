"""A query becomes hits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from alexandria.editions import by_work, merged, searched_editions, with_editions
from alexandria.embed import Encoder
from alexandria.embed.languages import distinguishes
from alexandria.errors import ConfigError
from alexandria.excerpts import CANDIDATES, choose, weigh, with_best_runs
from alexandria.filters import EVERYTHING, Filters, folded
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record, work_of
from alexandria.store.sparse import document_terms, query_languages, query_terms

LIMIT = 5
"""Hits of a search that names neither a number of hits nor of words."""


@dataclass(frozen=True, slots=True)
class Results:
    """The hits, best first, and what the reader should know about them."""

    hits: tuple[Hit, ...]
    remarks: tuple[str, ...] = ()

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

    Raises:
        ConfigError: the query is empty, no passage passes the filters, the mode needs sentence vectors and
            there are none, or both `words` and `context` are given.
    """
    if not query.strip():
        raise ConfigError(
            "there is nothing to search for", why="the query is empty", fix="alexandria search WORDS"
        )
    _check_extent(words, context)
    _books(library, filters, mode)  # refused before the model is loaded
    dense = encoder.encode([query])[0]
    covered = float(encoder.coverage([query])[0])
    with library.held():
        books = _books(library, filters, mode)
        languages = frozenset(record.language for record in books)
        question = QueryVectors(dense=dense, bm25=query_terms(query, languages))
        unread = _unread(query, languages, encoder) if mode is Mode.HYBRID else []
        if unread and library.search(question, Mode.BM25, books, 1):
            mode = Mode.BM25  # at any weight, meaning that the model cannot see is noise: docs/retrieval.md
        sections = _sections(books, filters.section)
        searched = books if all_editions else searched_editions(books)
        n_chunks = CANDIDATES if words is not None else LIMIT if limit is None else limit
        # Only editions of one work repeat each other, and several are searched only if none has all words.
        most = 2 * n_chunks if len(by_work(searched)) < len(searched) and not all_editions else n_chunks
        hits = library.search(question, mode, searched, most, sections=sections)
        if not all_editions:
            hits = _one_per_work(hits, library, question, mode, n_chunks)
        hits = _with_excerpts(hits, question, mode, library, words=words, limit=limit)
        if context:
            records = {record.book_id: record for record in books}
            hits = [_with_neighbours(hit, records[hit.book_id], library, context) for hit in hits]
        known = bool(question.bm25.indices) and (
            _has_word(hits, question) or bool(library.search(question, Mode.BM25, books, 1))
        )
    return Results(tuple(hits), tuple(_remarks(covered, encoder.name, unread, known_words=known)))


def _unread(query: str, languages: frozenset[str | None], encoder: Encoder) -> list[str]:
    """Return the languages the query may be in, if the model can tell sentences of none of them apart."""
    own = query_languages(query, languages)
    if any(distinguishes(encoder, language) for language in own):
        return []
    return sorted(language for language in own if language)


def _has_word(hits: Sequence[Hit], question: QueryVectors) -> bool:
    """Return whether a hit contains a word of the question, as far as its language tells: nearly always."""
    words = set(question.bm25.indices)
    return any(words.intersection(document_terms(hit.text, hit.language).indices) for hit in hits)


def _one_per_work(
    hits: Sequence[Hit], library: Catalog, question: QueryVectors, mode: Mode, limit: int
) -> list[Hit]:
    """Return the hits, each passage once, with where other editions of its work have it."""
    stored = library.books()
    works = {record.book_id: work_of(record) for record in stored}
    hits = merged(hits, works)[:limit]
    own, wanted = {hit.book_id for hit in hits}, {works[hit.book_id] for hit in hits}
    others = [record for record in stored if work_of(record) in wanted and record.book_id not in own]
    if not others:
        return hits
    if mode is Mode.SENTENCES:  # some of the others may have no sentence vectors
        mode = Mode.HYBRID
    repeated = library.search(question, mode, others, 3 * limit * len(others))
    return with_editions(hits, repeated, works)


def _books(library: Catalog, filters: Filters, mode: Mode) -> list[Record]:
    stored = library.books()
    books = [record for record in stored if filters.admit(record)]
    if not books:
        raise ConfigError(
            "no book passes these filters",
            why=f"the library has {len(stored)} books, and none matches",
            fix="alexandria list shows titles, authors, domains and languages",
        )
    if mode is Mode.SENTENCES:
        _check_sentence_vectors(books)
    return books


def _sections(books: Sequence[Record], text: str | None) -> list[str]:
    """Return the headings that contain `text`; none where it is None, which admits every section."""
    if text is None:
        return []
    headings = {heading for record in books for heading in record.sections}
    matches = sorted(heading for heading in headings if folded(text) in folded(heading))
    if not matches:
        raise ConfigError(
            f"no section is called {text!r}",
            why="no heading of these books contains it",
            fix="alexandria show BOOK lists a book's sections",
        )
    return matches


def _check_sentence_vectors(books: Sequence[Record]) -> None:
    without = [record for record in books if not record.settings.get("sentence_vectors", True)]
    if without:
        raise ConfigError(
            "cannot search by sentences",
            why=f"{len(without)} of {len(books)} books were stored without sentence vectors",
            fix="use --mode hybrid or dense, or ingest those books again with --set sentence_vectors=true",
        )


def _with_excerpts(
    hits: Sequence[Hit],
    question: QueryVectors,
    mode: Mode,
    library: Catalog,
    *,
    words: int | None,
    limit: int | None,
) -> list[Hit]:
    """Return the excerpts that fit into `words`; without it the hits, each with its best run and sentence."""
    rows = library.sentence_rows([hit.id for hit in hits]) if hits else {}
    evidence = weigh(question, hits, rows, mode=mode)
    if words is not None:
        return choose(evidence, words, limit=limit)
    return with_best_runs(hits, evidence)


def _check_extent(words: int | None, context: int) -> None:
    if words is not None and words < 1:
        raise ConfigError(f"cannot return {words} words", why="it must be 1 or more", fix="words=300")
    if words is not None and context:
        raise ConfigError(
            "cannot add whole chunks to a budget of words",
            why="`context` adds the chunks around each passage, and `words` limits what is returned",
            fix="use one of them",
        )


def _with_neighbours(hit: Hit, record: Record, library: Catalog, context: int) -> Hit:
    number = hit.chunk_id
    numbers = [n for n in range(max(0, number - context), number + context + 1) if n != number]
    around = library.chunks(record, numbers)
    return replace(
        hit,
        before=tuple(payload["text"] for payload in around if payload["chunk_id"] < number),
        after=tuple(payload["text"] for payload in around if payload["chunk_id"] > number),
    )


def _remarks(covered: float, model: str, unread: Sequence[str], *, known_words: bool) -> list[str]:
    """Return what explains surprising hits: words that occur nowhere, a query that was cut short."""
    remarks = []
    if unread:
        remarks.append(
            f"{model} cannot tell sentences in {', '.join(unread)} apart: hits are by words, where any"
            " occur; for meaning, ingest these books into a new library with a model that reads them"
            " (--set model=FOLDER; alexandria models test FOLDER says which languages it reads)"
        )
    if covered < 1:
        remarks.append(
            f"the query is long: the model reads the first {covered:.0%} of it; its words all count"
        )
    if not known_words:
        remarks.append(
            f"no word of the query occurs in these books: hits are by meaning, as {model} knows it"
        )
    return remarks
