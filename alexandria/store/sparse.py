"""BM25 terms of chunks and queries, stemmed in the book's language if there is a stemmer for it.

Words are folded before they are stemmed, so that accents, ligatures and the like need not be typed.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import repeat

import qdrant_edge as qdrant

from alexandria.book.model import Sparse
from alexandria.book.patterns import pattern
from alexandria.book.words import WORD, catalog_fold, fold_text, index_terms, word_parts
from alexandria.store.payload import OLD_WORDS

LANGUAGES = {
    **{"ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english"},
    **{"es": "spanish", "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian"},
    **{"nb": "norwegian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian"},
    **{"ru": "russian", "sv": "swedish", "tr": "turkish"},
}  # Qdrant's names of languages with a stemmer, by ISO 639-1 code. Words of others are indexed as they are.
UNSPACED = frozenset({"ja", "zh", "th", "lo", "km", "my"})
"""Languages without spaces between words, which need a tokenizer with a dictionary."""

_REWORDED = pattern(
    "am|ar|as|be|bg|bn|bo|ckb|dv|el|fa|grc|gu|he|hi|ja|km|kn|ko|ks|lo|mai|mk|ml|mn|mr|my|ne|or|pa|ps|ru|sa|sd|si"
    "|sr|syr|ta|te|th|ti|ug|uk|ur|yi|zh"
)  # the languages of which version 1.0.0 indexed other words
_FOLDED_WORD = re.compile(r"\b[a-zA-Z0-9_'’ʼ]*[^\W\x00-\x7f][\w'’ʼ]*")
"""A word with a letter that is not ASCII."""


def document_terms(text: str, language: str | None) -> Sparse:
    """Return the terms of a chunk with their weights: term frequency, saturated and normalised by length."""
    way = _way(language)
    vector = _model(way).embed_document(_index_text(text, way))
    return Sparse(tuple(vector.indices), tuple(vector.values))


class AskedTerms:
    """Some terms, looked for in texts of a language: of all texts, each word is stemmed and compared once."""

    def __init__(self, asked: Iterable[int], language: str | None) -> None:
        self._asked, self._way = frozenset(asked), _way(language)
        self._compared = set[str]()
        self._having: dict[str, frozenset[int]] = {}  # by word, if it is of such a term: few are

    def present_in(self, text: str) -> frozenset[int]:
        """Return which of the terms a text has."""
        if has_old_words([self._way]):
            document = _model(self._way).embed_document(_index_text(text, self._way))
            return self._asked.intersection(document.indices)
        words = set(word_parts(text))
        new = list(words - self._compared)
        self._compared.update(new)
        for word, terms in zip(new, map(_terms_of_word, new, repeat(self._way)), strict=True):
            if not self._asked.isdisjoint(terms):
                self._having[word] = self._asked.intersection(terms)
        return frozenset().union(*(self._having[word] for word in self._having.keys() & words))


@lru_cache(maxsize=1 << 16)
def _terms_of_word(word: str, way: str | None) -> tuple[int, ...]:
    indexed = word if word.isascii() else _index_word(word, way, asked=False)
    return tuple(_model(way).embed_document(indexed).indices)


def term_id(word: str, language: str | None) -> int | None:
    """Return the id of a word's term, which all forms of the word share, or None for a stop word.

    Args:
        word: the word, in lower case.
    """
    return next(iter(_asked(word, language)), None)


def query_terms(
    text: str, languages: frozenset[str | None], asked_in: frozenset[str | None] = frozenset()
) -> Sparse:
    """Return the terms of a query, stemmed for each language of the books; each once, with weight 1.

    The stop words of the query's own language are left out in all languages, unless there are no others.

    Args:
        languages: BCP 47 tags of the books.
        asked_in: the languages that the query may be in, if these are not among the books' languages.
    """
    content = " ".join(content_words(text, asked_in or query_languages(text, languages)))
    return as_query(
        terms_for(content or text, languages)
    )  # a query of stop words alone is looked up as it is


def as_query(terms: Iterable[int]) -> Sparse:
    """Return terms as a query looks them up: each once, with weight 1."""
    import numpy as np  # a misspelled word has thousands of them

    ids = np.fromiter({*terms}, np.int64)
    ids.sort()
    term_ids = tuple(ids.tolist())
    return Sparse(term_ids, (1.0,) * len(term_ids))


def content_words(text: str, languages: frozenset[str | None]) -> list[str]:
    """Return the words of a text that are not stop words in all of these languages (primary subtags)."""
    stop_words = set.intersection(*(_stop_words(text, language) for language in languages))
    return [word for word in WORD.findall(text) if word.casefold() not in stop_words]


def terms_for(text: str, languages: frozenset[str | None]) -> frozenset[int]:
    """Return the ids of a text's terms, as books in these languages (BCP 47 tags) may have them."""
    ways = {_way(tag) for tag in languages} or {None}
    return frozenset().union(*(_asked(text, way) for way in ways))


def query_languages(text: str, languages: frozenset[str | None]) -> frozenset[str | None]:
    """Return which of these languages a query may be in, as `man and war` may be in English or German.

    These are the likeliest, and those with at least half as many stop words that the likeliest do not have
    as these have that they do not.

    Args:
        languages: BCP 47 tags.

    Returns:
        primary subtags, at least one; all of them if the query has no stop words.
    """
    likeliest = likeliest_languages(text, languages)
    most = _stop_words(text, min(likeliest, key=str))
    stop_words = {language: _stop_words(text, language) for language in map(primary_subtag, languages)}
    return likeliest | {
        language for language, own in stop_words.items() if 2 * len(own - most) >= max(1, len(most - own))
    }


@lru_cache(maxsize=16)  # each search calls it several times
def likeliest_languages(text: str, languages: frozenset[str | None]) -> frozenset[str | None]:
    """Return those of these languages with the most stop words in a query.

    Args:
        languages: BCP 47 tags.

    Returns:
        primary subtags, at least one; all of them if the query has no stop words.
    """
    candidates = {primary_subtag(tag) for tag in languages} or {None}
    counts = {language: len(_stop_words(text, language)) for language in candidates}
    return frozenset(language for language in candidates if counts[language] == max(counts.values()))


def languages_outside(text: str, languages: frozenset[str | None]) -> frozenset[str | None]:
    """Return the languages that a query seems to be in, if none of them is among the given ones.

    A language is recognised by its stop words. The result is empty for a query without stop words, and if one
    of the given languages is neither in `LANGUAGES` nor in `UNSPACED`: its stop words are not known.

    Args:
        languages: the given languages, as BCP 47 tags.

    Returns:
        primary subtags; empty if the query may be in one of the given languages.
    """
    subtags = {primary_subtag(tag) for tag in languages}
    if not subtags <= {*LANGUAGES, *UNSPACED}:
        return frozenset()
    detected = likeliest_languages(text, frozenset({*LANGUAGES, *subtags}))
    has_stop_words = bool(_stop_words(text, min(detected, key=str)))  # all of `detected` have the same number
    return detected if has_stop_words and not detected & subtags else frozenset()


def is_stop_word(word: str, languages: Iterable[str | None]) -> bool:
    """Return whether a word is a stop word in one of these languages (BCP 47 tags)."""
    return any(_stop_words(word, primary_subtag(tag)) for tag in languages)


def _stop_words(text: str, language: str | None) -> set[str]:
    """Return the words of a text, in lower case, that are stop words in a language: they are not indexed."""
    words = {word.casefold() for word in WORD.findall(text)}
    return {word for word in words if not _model(language).embed_query(" ".join(word_parts(word))).indices}


def _asked(text: str, way: str | None) -> list[int]:
    """Return the ids of a text's terms, as a query looks them up."""
    return list(_model(way).embed_query(_index_text(text, way, asked=True)).indices)


def _index_text(text: str, way: str | None, *, asked: bool = False) -> str:
    """Return a text with its words folded, without those that are stop words only with accents (été, für)."""
    if way and has_old_words([way]):
        composed = unicodedata.normalize("NFC", text)
        return _FOLDED_WORD.sub(lambda word: _old_word(word[0], way), composed)
    parts = word_parts(text)
    if not text.isascii():
        parts = [part if part.isascii() else _index_word(part, way, asked) for part in parts]
    return " ".join(parts)


@lru_cache(maxsize=1 << 16)
def _old_word(word: str, way: str) -> str:
    return catalog_fold(word) if _model(way).embed_query(word).indices else ""


@lru_cache(maxsize=1 << 16)
def _index_word(word: str, language: str | None, asked: bool) -> str:
    is_stop_word = not _model(language).embed_query(word).indices
    return "" if is_stop_word else " ".join(index_terms(fold_text(word), asked=asked))


def primary_subtag(language: str | None) -> str | None:
    """Return the primary subtag of a BCP 47 tag: `pt` of `pt-BR`."""
    return language.split("-")[0].lower() or None if language else None


def _way(language: str | None) -> str | None:
    """Return what decides the terms of chunks with a tag: its primary subtag, with any `OLD_WORDS`."""
    old = OLD_WORDS if has_old_words([language]) else ""
    return f"{primary_subtag(language) or ''}{old}" or None


def has_old_words(languages: Iterable[str | None]) -> bool:
    """Return whether one of these tags is that of chunks indexed by version 1.0.0."""
    return any(tag is not None and tag.endswith(OLD_WORDS) for tag in languages)


def is_reworded(language: str | None) -> bool:
    """Return whether version 1.0.0 indexed other words of a language."""
    return language is None or _REWORDED.fullmatch(primary_subtag(language) or "") is not None


@cache
def _model(way: str | None) -> qdrant.Bm25:
    """Return the model with the stemmer and the stop words of a language that is in `LANGUAGES`."""
    # It takes words as they are given; that of a tag with `OLD_WORDS` cuts them itself.
    language, is_old = primary_subtag(way) or "", has_old_words([way])
    tokenizer = None if is_old else qdrant.TokenizerType.Whitespace
    if name := LANGUAGES.get(language):
        return qdrant.Bm25(qdrant.Bm25Config(language=name, tokenizer=tokenizer))
    if is_old and language in UNSPACED:
        tokenizer = qdrant.TokenizerType.Multilingual
    stemmer, stop_words = qdrant.DisabledStemmer(), qdrant.StopwordsSet()
    return qdrant.Bm25(qdrant.Bm25Config(stemmer=stemmer, stopwords=stop_words, tokenizer=tokenizer))
