"""What a question says: the books that it names, its mistyped words, and how rare each word is.

Names are found by `names`, slips by `spelling`. What is probably meant is searched and judged.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from alexandria.book.choices import Mode
from alexandria.book.filters import Filters
from alexandria.book.words import WORD, fold_text, lacks_spaces, letters_of
from alexandria.embed import Encoder
from alexandria.library.search.names import (
    Name,
    books_named,
    name_index,
    names_asked,
    names_in,
    parts_in,
    without_names,
)
from alexandria.library.search.phrases import words_written_otherwise
from alexandria.library.search.spelling import POSSESSIVE, respellings
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.names import folded_word
from alexandria.store.payload import index_tag
from alexandria.store.plan import Stage, VectorName
from alexandria.store.sparse import (
    as_query,
    content_words,
    document_terms,
    has_old_words,
    is_stop_word,
    likeliest_languages,
    query_languages,
    terms_for,
)

_LONGEST_UNSPACED, _LONGEST_IN_KANA_AND_HAN, _FIRST_KANA = 16, 5, "\u3041"
"""The most letters of a word in scripts without spaces, with vowel signs; in kana and Han."""
_PASSAGES_READ = 200
"""Passages with a run of letters of a word that are read to tell whether they have the word."""
_PASSAGES = 20
"""Passages with a word by which it is told whether it names something else than a book."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question that is no stop word."""

    text: str
    """As it was typed."""
    terms: frozenset[int]
    """Its terms, as the languages of the books inflect it."""
    rarity: float
    """Its inverse document frequency: that of its most frequent term."""
    exists: bool
    """Whether any book has it."""
    is_indexed: bool
    """Whether any book has a term of it: also a part of it, where a script has no spaces between words."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One wording of a question: all of it, or without the names."""

    typed: str
    corrected: str
    """With the words that were probably meant; this is what is searched."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was understood."""

    whole: Wording
    within: Wording
    """Without the names, for a search in the books that they name."""
    names: tuple[Name, ...]
    books: frozenset[str]
    """The ids of the books that the names mean; empty to search all."""
    words: Mapping[str, Word]
    """The words that are no stop words, as typed and as meant, by the folded word."""
    meant: Mapping[str, str]
    """What was probably meant by words that no book has."""
    named: frozenset[str] = frozenset()
    """Those of the words that no text has, folded, which an author's name or a title has."""
    otherwise: Mapping[str, str] = field(default_factory=dict)
    """Those that stand in books with other spaces or hyphens, as these have them; "" where only notes do."""
    inside: frozenset[str] = frozenset()
    """Those that stand only inside longer words, and were not taken for slips."""

    @property
    def certain(self) -> bool:
        """Whether a name can mean nothing else."""
        return any(name.certain for name in self.names)

    @property
    def texts_within(self) -> list[str]:
        """The texts of which a search in the named books needs the vectors, each once."""
        return [self.within.corrected]

    @property
    def texts(self) -> list[str]:
        """The texts of which any search needs the vectors, each once."""
        return list(dict.fromkeys((self.whole.corrected, self.within.corrected)))

    def words_of(self, text: str) -> list[Word]:
        """Return the words of a text of the question by which a passage is judged, each once."""
        folded = dict.fromkeys(map(fold_text, WORD.findall(text)))
        return [self.words[word] for word in folded if word in self.words]


def understand(
    query: str,
    library: Catalog,
    filters: Filters,
    languages: frozenset[str | None],
    encoder: Encoder,
    *,
    exact: bool,
) -> Question:
    """Return a question as it is understood.

    Args:
        query: the question.
        library: the catalog to search.
        filters: which of its books are searched: others cannot be named.
        languages: BCP 47 tags of these books.
        encoder: the library's model.
        exact: whether words are taken as typed.
    """
    asked_in = query_languages(query, languages)
    language = min(likeliest_languages(query, languages), key=str)
    names = _names_in(query, library, filters, language)
    if not names:
        names = _parts_of_books(query, library, filters, language, languages)
    names = [
        replace(name, certain=name.certain and not _is_proper_noun(name, library, languages))
        for name in names
    ]
    if any(name.certain for name in names):
        names = [name for name in names if name.certain]
    words = _read_words(content_words(query, asked_in), library, languages)
    # The capital of the first word says nothing; elsewhere, it is that of a name.
    first = next(iter(WORD.findall(query)), "")
    absent = {folded: word.text for folded, word in words.items() if not word.exists}
    named = library.names_among({folded_word(folded) for folded in absent})
    records = library.matching(filters) if absent else []
    otherwise, inside = words_written_otherwise(absent, records, library)
    unknown = [
        text.lower() if text == first else text
        for folded, text in absent.items()
        if folded_word(folded) not in named and folded not in otherwise
    ]
    meant = {} if exact else respellings(unknown, library, languages, encoder=encoder, with_names=True)
    words |= _read_words(content_words(" ".join(meant.values()), asked_in), library, languages)
    named_in = query
    if meant and not names:  # a name may be what was meant
        named_in = _with_respellings(query, meant)
        names = [name for name in _names_in(named_in, library, filters, language) if name.certain]
    within = without_names(named_in, names)
    return Question(
        whole=Wording(query, _with_respellings(query, meant)),
        within=Wording(within, _with_respellings(within, meant)),
        names=tuple(names),
        books=books_named(names),
        words=words,
        meant=meant,
        named=frozenset(named),
        otherwise=otherwise,
        inside=inside - meant.keys(),
    )


def _names_in(query: str, library: Catalog, filters: Filters, language: str | None) -> list[Name]:
    """Return the names in a query of books that pass the filters."""
    books = [book for book in library.named(names_asked(query, language)) if filters.admit(book)]
    return names_in(query, name_index(books, language), language)


def _parts_of_books(
    query: str, library: Catalog, filters: Filters, language: str | None, languages: frozenset[str | None]
) -> list[Name]:
    """Return the first part that a query names under whose heading a book has more of the query.

    A list of one, with these books; empty if the query names no such part.
    """
    if filters.chapter is not None:
        return []
    for part in parts_in(query, language):
        terms = terms_for(without_names(query, [part]), languages)
        scope = library.scope(filters)
        hits = library.search(
            _query_for(tuple(terms), library), Mode.BM25, scope, _PASSAGES, sections=[{*part.sections}]
        )
        if hits:
            return [replace(part, books=frozenset(hit.book_id for hit in hits))]
    return []


def _is_proper_noun(name: Name, library: Catalog, languages: frozenset[str | None]) -> bool:
    """Return whether a title of one word is rather a name in other books, as Paris is that of a city.

    So it is if most passages that have it with a capital inside a sentence are not in the books named.
    """
    if name.is_author or len(name.words) > 1:
        return False
    word = name.words[0]
    terms = terms_for(word, languages)
    hits = library.search(_query_for(tuple(terms), library), Mode.BM25, library.everything(), _PASSAGES)
    as_name = [hit for hit in hits if _has_inside_sentence(hit.text, word)]
    n_in_named_books = sum(hit.book_id in name.books for hit in as_name)
    return 2 * n_in_named_books < len(as_name)


def _has_inside_sentence(text: str, word: str) -> bool:
    """Return whether a text has a word with a capital where no sentence begins."""
    capitalised = re.compile(rf"(?<=[^\W\d_]\s){re.escape(word)}\b", re.IGNORECASE)
    return any(match[0][0].isupper() for match in capitalised.finditer(text))


def _read_words(texts: Sequence[str], library: Catalog, languages: frozenset[str | None]) -> dict[str, Word]:
    """Return words with how rare each is, by the folded word.

    Those that no book has are left out if the index of one of the languages leaves them out.
    """
    words: dict[str, Word] = {}
    for text in texts:
        # Without the ending of a possessive: many a language has *s* for a word.
        terms = terms_for(POSSESSIVE.sub("", text), languages)
        if terms and fold_text(text) not in words:
            known = library.rarities()
            known |= {term: _rarity(term, library) for term in terms if term not in known}
            rarities = [rarity for term in terms if (rarity := known[term]) is not None]
            if not rarities and is_stop_word(text, languages):
                continue
            rarity = min(rarities, default=_rarity_of_nothing(library))
            exists = bool(rarities)
            if exists and lacks_spaces(text) and not has_old_words(languages):
                rarest = max(terms, key=lambda term: known[term] or rarity)
                exists = len(rarities) == len(terms) and _may_stand(text, rarest, library)
            words[fold_text(text)] = Word(text, terms, rarity, exists, is_indexed=bool(rarities))
    return words


def _may_stand(text: str, rarest: int, library: Catalog) -> bool:
    """Return whether a word may stand in a passage, and not only the runs of letters that it is looked up by.

    All passages with the rarest of these runs are read, unless they are too many. Of more letters than a word
    has, nothing is told: they are several words.
    """
    letters, query = letters_of(text), _query_for([rarest], library)
    if len(letters) > (_LONGEST_IN_KANA_AND_HAN if text >= _FIRST_KANA else _LONGEST_UNSPACED):
        return True
    hits = library.search(query, Mode.BM25, library.everything(), _PASSAGES_READ)
    return len(hits) >= _PASSAGES_READ or any(letters in letters_of(hit.text) for hit in hits)


def _rarity(term: int, library: Catalog) -> float | None:
    """Return the inverse document frequency of a term, or None if no passage has it.

    The score of a passage for one term is this, times the weight of the term in the passage.
    """
    # Not `library.search`, which looks up the record of each hit: a stray point makes no difference here.
    hits = library.store.search(_query_for([term], library), Stage(VectorName.BM25, 1), {})
    if not hits or "text" not in hits[0].payload:
        return None
    weights = document_terms(hits[0].text, index_tag(hits[0].payload))
    weight = dict(zip(weights.indices, weights.values, strict=True)).get(term)
    return _rarity_of_nothing(library) / 2 if weight is None else hits[0].score / weight


def _rarity_of_nothing(library: Catalog) -> float:
    """Return the inverse document frequency of a term that no passage has, as BM25 computes it."""
    return float(np.log1p((library.store.count() + 0.5) / 0.5))


def _query_for(terms: Sequence[int], library: Catalog) -> QueryVectors:
    """Return the query for some terms, by words alone."""
    return QueryVectors(np.zeros(library.binding.dim, np.float32), as_query(terms))


def _with_respellings(text: str, meant: Mapping[str, str]) -> str:
    """Return a text with other words in place of some; these are given by the folded word."""
    return WORD.sub(lambda word: _as_typed(word[0], meant.get(fold_text(word[0]))), text) if meant else text


def _as_typed(word: str, meant: str | None) -> str:
    """Return what was meant by a word, with a capital if it was typed with one; the word itself if None."""
    if meant is None:
        return word
    return meant[0].upper() + meant[1:] if word[0].isupper() else meant


def corrected_text(text: str, library: Catalog, languages: frozenset[str | None]) -> str:
    """Return a text with the nearest words of the library in place of words that no book has."""
    words = _read_words(content_words(text, query_languages(text, languages)), library, languages)
    unknown = [word.text for word in words.values() if not word.exists]
    return _with_respellings(text, respellings(unknown, library, languages))
