"""Quoted words in a query: a phrase that a passage must have, letter for letter."""

import re
from collections.abc import Sequence

from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.query.alignment import Letters
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.store import Scope

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»")
_MORE = 200
"""Passages with the words of a phrase in which it is looked for."""


def phrases_of(query: str) -> tuple[str, ...]:
    """Return the quoted words of a query, as letters: punctuation, case and accents do not count."""
    quoted = (next(part for part in match.groups() if part) for match in _QUOTED.finditer(query))
    return tuple(letters for text in quoted if (letters := Letters.of(text).text))


def with_phrases(
    hits: Sequence[Hit],
    phrases: Sequence[str],
    library: Catalog,
    question: QueryVectors,
    scope: Scope,
    *,
    sections: Sequence[str] = (),
) -> list[Hit]:
    """Return the hits that have every phrase, then the other passages that do, by their words.

    Args:
        hits: best first.
        phrases: as `phrases_of` returns them.
        library: the catalog.
        question: the vectors of the query.
        scope: the books searched.
        sections: only chunks under one of these headings; if empty, all.
    """
    more = library.search(question, Mode.BM25, scope, _MORE, sections=sections)
    own = {hit.id for hit in hits}
    ranked = [*hits, *(hit for hit in more if hit.id not in own)]
    return [hit for hit in ranked if _has_all(hit.text, phrases)]


def _has_all(text: str, phrases: Sequence[str]) -> bool:
    letters = Letters.of(text).text
    return all(phrase in letters for phrase in phrases)
