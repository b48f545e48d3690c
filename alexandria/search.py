"""A query becomes hits."""

from collections.abc import Sequence

from alexandria.book import Hit
from alexandria.embed import Encoder
from alexandria.errors import ConfigError
from alexandria.store import Mode, Question
from alexandria.store.catalog import Library
from alexandria.store.sparse import query_terms


def search(
    query: str,
    library: Library,
    encoder: Encoder,
    *,
    limit: int = 5,
    mode: Mode = Mode.DENSE,
    domain: str | None = None,
    title: str | None = None,
    author: str | None = None,
    language: str | None = None,
) -> list[Hit]:
    """Return the passages that answer best, best first.

    Args:
        query: a question or some words; never empty.
        library: where to look.
        encoder: the one the library was made with.
        limit: how many hits at most.
        mode: how the query is held against the chunks.
        domain: only books ingested under this domain.
        title: only books whose title contains this, or whose id begins with it.
        author: only books whose author contains this.
        language: only books in this language; `en` finds `en-GB` too.

    Raises:
        ConfigError: the query is empty, or no book passes the filters.
    """
    if not query.strip():
        raise ConfigError(
            "there is nothing to search for", why="the query is empty", fix="alexandria search WORDS"
        )
    books = [
        record
        for record in library.matching(title=title or "", author=author or "")
        if domain in (None, record.domain) and _speaks(record.language, language)
    ]
    if not books:
        raise ConfigError(
            "no book passes these filters",
            why=f"the library has {len(library.books())} books, none of this kind",
            fix="alexandria list shows titles, authors, domains and languages",
        )
    question = Question(
        dense=encoder.encode([query])[0],
        bm25=query_terms(query, frozenset(record.language for record in books)),
    )
    return library.search(question, mode, _where([record.generation for record in books], library), limit)


def _speaks(found: str | None, wanted: str | None) -> bool:
    if wanted is None:
        return True
    return found is not None and (found.lower() + "-").startswith(wanted.lower() + "-")


def _where(generations: Sequence[str], library: Library) -> dict[str, Sequence[str]]:
    """Return the filter for these books; none where it is all of them."""
    return {} if len(generations) == len(library.books()) else {"generation": generations}
