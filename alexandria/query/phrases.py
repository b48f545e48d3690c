"""Quoted words in a query: each phrase must be in a passage, letter for letter."""

import re
from collections.abc import Sequence

from alexandria.filters import fold_text
from alexandria.modes import Mode
from alexandria.passage import Hit
from alexandria.query.alignment import Letters
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.store import Scope

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»")
_MAX_CANDIDATES = 500
"""How many of the best passages by words are searched for the phrases, besides the hits."""
_MAX_SCANNED = 100_000
"""The most passages of a library that are all searched, if none of these has the phrases."""


def phrases_of(query: str) -> tuple[str, ...]:
    """Return the quoted phrases of a query as letters: punctuation, case and accents do not count."""
    # `_QUOTED` has a group for each kind of quotation marks, of which one matches.
    quoted = (next(part for part in match.groups() if part) for match in _QUOTED.finditer(query))
    phrases = (Letters.of(text).text for text in quoted)
    return tuple(phrase for phrase in phrases if phrase)


def hits_with_phrases(
    hits: Sequence[Hit],
    phrases: Sequence[str],
    library: Catalog,
    question: QueryVectors,
    scope: Scope,
    *,
    sections: Sequence[str] = (),
) -> list[Hit]:
    """Return the hits that contain every phrase, then other passages that do, ranked by words.

    Args:
        hits: best first.
        phrases: as `phrases_of` returns them.
        library: the catalog.
        question: the vectors of the query.
        scope: the books searched.
        sections: only chunks under one of these headings; if empty, all.
    """
    candidates = library.search(question, Mode.BM25, scope, _MAX_CANDIDATES, sections=sections)
    hit_ids = {hit.id for hit in hits}
    ranked = [*hits, *(hit for hit in candidates if hit.id not in hit_ids)]
    found = [hit for hit in ranked if _contains_all(hit.text, phrases)]
    if found or library.store.count() > _MAX_SCANNED:
        return found
    # The words may all be common ones, which the index leaves out.
    every = library.every_chunk(scope, sections=sections)
    return [hit for hit in every if _may_contain(hit.text, phrases) and _contains_all(hit.text, phrases)]


def _may_contain(text: str, phrases: Sequence[str]) -> bool:
    """Return whether the letters of a text have the phrases, by a test that is quick but not exact."""
    letters = re.sub(r"[\W_]+", "", fold_text(text))
    return all(phrase in letters for phrase in phrases)


def _contains_all(text: str, phrases: Sequence[str]) -> bool:
    letters = Letters.of(text)
    return all(_has_words(letters, phrase) for phrase in phrases)


def _has_words(letters: Letters, phrase: str) -> bool:
    """Return whether a text has a phrase in whole words."""
    for match in re.finditer(f"(?={re.escape(phrase)})", letters.text):
        start, end = match.start(), match.start() + len(phrase)
        if not (_is_inside_word(letters, start) or _is_inside_word(letters, end)):
            return True
    return False


def _is_inside_word(letters: Letters, i: int) -> bool:
    """Return whether a letter goes on with the word of the letter before it.

    Only in scripts with capitals, which space their words.
    """
    if not 0 < i < len(letters.text) or letters.offsets[i] - letters.offsets[i - 1] > 1:
        return False
    return all(letter.isdigit() or letter != letter.upper() for letter in letters.text[i - 1 : i + 1])
