"""How the books have the words of a question: how rare each is, and whether any passage has it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from alexandria.book.choices import Mode
from alexandria.book.words import fold_text, lacks_spaces, letters_of
from alexandria.library.search.spelling import POSSESSIVE
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.sparse import as_query, content_words, has_old_words, is_stop_word, terms_for

_LONGEST_UNSPACED, _LONGEST_IN_KANA_AND_HAN, _FIRST_KANA = 16, 5, "\u3041"
"""The most letters of a word in scripts without spaces, with vowel signs; in kana and Han."""
_PASSAGES_READ = 200
"""Passages with a run of letters of a word that are read to tell whether they have the word."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question that is no stop word."""

    text: str  # as it was typed
    terms: frozenset[int]  # its terms, as the languages of the books inflect it
    rarity: float  # its inverse document frequency: that of its most frequent term
    exists: bool  # whether any book has it
    is_indexed: bool
    """Whether any book has a term of it: also a part of it, where a script has no spaces between words."""


def known_words(
    text: str, library: Catalog, languages: frozenset[str | None], asked_in: frozenset[str | None]
) -> dict[str, Word]:
    """Return the words of a question but for stop words, with how rare each is, by the folded word.

    Those that no book has are left out if the index of one of the languages leaves them out.

    Args:
        languages: BCP 47 tags of the books that are searched.
        asked_in: the languages that the question may be in, primary subtags: they have the stop words.
    """
    words: dict[str, Word] = {}
    # Without the ending of a possessive: many a language has *s* for a word.
    terms_of = {
        word: terms_for(POSSESSIVE.sub("", word), languages) for word in content_words(text, asked_in)
    }
    known = library.rarities([*chain(*terms_of.values())])
    for word, terms in terms_of.items():
        rarities = [rarity for term in terms if (rarity := known[term]) is not None]
        if not terms or (not rarities and is_stop_word(word, languages)) or (key := fold_text(word)) in words:
            continue
        rarity = min(rarities) if rarities else _rarity_of_nothing(library)
        exists = bool(rarities)
        if exists and lacks_spaces(word) and not has_old_words(languages):
            rarest = max(terms, key=lambda term: known[term] or rarity)
            exists = len(rarities) == len(terms) and _may_stand(word, rarest, library)
        words[key] = Word(word, terms, rarity, exists, is_indexed=bool(rarities))
    return words


def _may_stand(text: str, rarest: int, library: Catalog) -> bool:
    """Return whether a word may stand in a passage, and not only the runs of letters that it is looked up by.

    All passages with the rarest of these runs are read, unless they are too many. Of more letters than a word
    has, nothing is told: they are several words.
    """
    letters, query = letters_of(text), query_for([rarest], library)
    if len(letters) > (_LONGEST_IN_KANA_AND_HAN if text >= _FIRST_KANA else _LONGEST_UNSPACED):
        return True
    hits = library.search(query, Mode.BM25, library.everything(), _PASSAGES_READ)
    return len(hits) >= _PASSAGES_READ or any(letters in letters_of(hit.text) for hit in hits)


def _rarity_of_nothing(library: Catalog) -> float:
    """Return the inverse document frequency of a term that no passage has, as BM25 computes it."""
    return float(np.log1p((library.n_points() + 0.5) / 0.5))


def query_for(terms: Sequence[int], library: Catalog) -> QueryVectors:
    """Return the query for some terms, by words alone."""
    return QueryVectors(np.zeros(library.binding.dim, np.float32), as_query(terms))
