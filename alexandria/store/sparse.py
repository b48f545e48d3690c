"""BM25 term weights, stemmed in the book's language where there is a stemmer for it."""

import re
from functools import cache, lru_cache

import qdrant_edge as qdrant

from alexandria.book import Sparse

# ISO 639-1 → Qdrant's names. Words of any other language are indexed without stemming.
LANGUAGES = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
# Scripts without spaces between words need a tokenizer with a dictionary.
UNSPACED = frozenset({"ja", "zh", "th", "lo", "km", "my"})


_WORD = re.compile(r"\w+(?:['’]\w+)*")


def document_terms(text: str, language: str | None) -> Sparse:
    """Return the weights of a chunk's words: term frequency, saturated and normalised by length."""
    vector = _model(primary_subtag(language)).embed_document(text)
    return Sparse(tuple(vector.indices), tuple(vector.values))


def terms_in(text: str, language: str | None) -> frozenset[int]:
    """Return the terms of a text, without their weights: in two thirds of the time of `document_terms`."""
    return frozenset(_model(primary_subtag(language)).embed_document(text).indices)


def term_id(word: str, language: str | None) -> int | None:
    """Return the id that forms of a word share as a term, None for a stop word.

    Args:
        word: in lower case.
        language: a primary subtag.
    """
    indices = _model(language).embed_query(word).indices
    return indices[0] if indices else None


def query_terms(
    text: str, languages: frozenset[str | None], asked_in: frozenset[str | None] = frozenset()
) -> Sparse:
    """Return the terms of a query, stemmed for each language of the books; each once, with weight 1.

    The stop words of the language that the query is in count in none of them, unless there are no others.

    Args:
        text: the query.
        languages: BCP 47 tags of the books.
        asked_in: the languages that the query may be in, if none of the books is in one of them.
    """
    own = asked_in or query_languages(text, languages)
    stop_words = set.intersection(*(_stop_words(text, language) for language in own))
    content = " ".join(word for word in _WORD.findall(text) if word.casefold() not in stop_words)
    indices = {
        index
        for language in {primary_subtag(tag) for tag in languages} or {None}
        for index in _model(language).embed_query(content or text).indices
    }
    return Sparse(tuple(sorted(indices)), (1.0,) * len(indices))


@lru_cache(maxsize=16)  # a search asks twice
def query_languages(text: str, languages: frozenset[str | None]) -> frozenset[str | None]:
    """Return which of the languages a query may be in: those most of whose stop words it has.

    Args:
        text: the query.
        languages: BCP 47 tags.

    Returns:
        primary subtags, at least one; all of them where no word tells.
    """
    own = {primary_subtag(tag) for tag in languages} or {None}
    counts = {language: len(_stop_words(text, language)) for language in own}
    return frozenset(language for language in own if counts[language] == max(counts.values()))


def foreign_languages(text: str, languages: frozenset[str | None]) -> frozenset[str | None]:
    """Return the languages that a query is in rather than in one of these; none where no word tells.

    Only stop words tell: nothing can be said of a query beside books in a language without a list of them.

    Args:
        text: the query.
        languages: BCP 47 tags.
    """
    own = {primary_subtag(tag) for tag in languages}
    if not own <= {*LANGUAGES, *UNSPACED}:
        return frozenset()
    asked_in = query_languages(text, frozenset({*LANGUAGES, *own}))
    return frozenset() if asked_in & own or not _stop_words(text, min(asked_in, key=str)) else asked_in


def _stop_words(text: str, language: str | None) -> set[str]:
    """Return the words of a text, in lower case, that are not indexed in a language."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return {word for word in words if not _model(language).embed_query(word).indices}


def primary_subtag(language: str | None) -> str | None:
    """Return the primary subtag of a BCP 47 tag: `pt` of `pt-BR`."""
    return language.split("-")[0].lower() if language else None


@cache
def _model(language: str | None) -> qdrant.Bm25:
    if name := LANGUAGES.get(language or ""):
        return qdrant.Bm25(qdrant.Bm25Config(language=name))
    return qdrant.Bm25(
        qdrant.Bm25Config(
            stemmer=qdrant.DisabledStemmer(),
            stopwords=qdrant.StopwordsSet(),
            tokenizer=qdrant.TokenizerType.Multilingual if language in UNSPACED else None,
        )
    )
