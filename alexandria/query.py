"""A query becomes hits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from alexandria.book import Embeddings
from alexandria.embed import Encoder
from alexandria.errors import ConfigError
from alexandria.filters import EVERYTHING, Filters
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog, Record
from alexandria.store.points import sentence_starts
from alexandria.store.sparse import query_terms


@dataclass(frozen=True, slots=True)
class Results:
    """The hits, best first, and what the reader should know about them."""

    hits: tuple[Hit, ...]
    remarks: tuple[str, ...] = ()


def search(
    query: str,
    library: Catalog,
    encoder: Encoder,
    *,
    limit: int = 5,
    mode: Mode = Mode.HYBRID,
    filters: Filters = EVERYTHING,
    context: int = 0,
) -> Results:
    """Return the passages that answer best, each with its best sentence where sentences have vectors.

    Args:
        query: a question or some words; never empty.
        library: where to look.
        encoder: the one the library was made with.
        limit: how many hits at most.
        mode: how the query is held against the chunks.
        filters: which passages count.
        context: how many chunks on each side come with a hit.

    Raises:
        ConfigError: the query is empty, no passage passes the filters, or the mode needs sentence vectors
            and there are none.
    """
    if not query.strip():
        raise ConfigError(
            "there is nothing to search for", why="the query is empty", fix="alexandria search WORDS"
        )
    books = _books(library, filters)
    if mode is Mode.SENTENCES:
        _check_sentence_vectors(books)
    question = QueryVectors(
        dense=encoder.encode([query])[0],
        bm25=query_terms(query, frozenset(record.language for record in books)),
    )
    sections = _sections(books, filters.section)
    hits = library.search(question, mode, books, limit, sections=sections)
    hits = _with_best_sentences(hits, question, library)
    if context:
        hits = [_with_neighbours(hit, library, context) for hit in hits]
    return Results(tuple(hits), tuple(_remarks(query, question, encoder, library, books)))


def _books(library: Catalog, filters: Filters) -> list[Record]:
    stored = library.books()
    books = [record for record in stored if filters.admit(record)]
    if not books:
        raise ConfigError(
            "no book passes these filters",
            why=f"the library has {len(stored)} books, and none matches",
            fix="alexandria list shows titles, authors, domains and languages",
        )
    return books


def _sections(books: Sequence[Record], text: str | None) -> list[str]:
    """Return the headings that contain `text`; none where it is None, which admits every section."""
    if text is None:
        return []
    headings = {heading for record in books for heading in record.sections}
    matches = sorted(heading for heading in headings if text.casefold() in heading.casefold())
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
            fix="--mode hybrid or dense; or ingest them again with --set sentence_vectors=true",
        )


def _with_best_sentences(hits: Sequence[Hit], question: QueryVectors, library: Catalog) -> list[Hit]:
    rows = library.sentence_rows([hit.id for hit in hits]) if hits else {}
    return [
        replace(hit, best=_best(hit, rows[hit.id] @ question.dense)) if hit.id in rows else hit
        for hit in hits
    ]


def _best(hit: Hit, similarities: Embeddings) -> tuple[int, int]:
    """Return the span of the sentence with the highest similarity, (n_sentences,)."""
    starts = [*sentence_starts(hit.payload), hit.end]
    best = int(np.argmax(similarities))
    start, stop = starts[best], starts[best + 1]
    text = hit.text[start - hit.start : stop - hit.start]
    return start, start + len(text.rstrip())


def _with_neighbours(hit: Hit, library: Catalog, context: int) -> Hit:
    number = hit.chunk_id
    numbers = [n for n in range(max(0, number - context), number + context + 1) if n != number]
    around = library.chunks(library.book(hit.book_id), numbers)
    return replace(
        hit,
        before=tuple(payload["text"] for payload in around if payload["chunk_id"] < number),
        after=tuple(payload["text"] for payload in around if payload["chunk_id"] > number),
    )


def _remarks(
    query: str, question: QueryVectors, encoder: Encoder, library: Catalog, books: Sequence[Record]
) -> list[str]:
    """Return what a reader would otherwise wonder about: words that occur nowhere, a query cut short."""
    remarks = []
    covered = float(encoder.coverage([query])[0])
    if covered < 1:
        remarks.append(
            f"the query is long: the model reads the first {covered:.0%} of it; its words all count"
        )
    if not question.bm25.indices or not library.search(question, Mode.BM25, books, 1):
        remarks.append(
            f"no word of the query occurs in these books: hits are by meaning, as {encoder.name} knows it"
        )
    return remarks
