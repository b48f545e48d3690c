"""What a question says: its mistyped words, the books that it names, and how rare each word is.

Slips are found by `spelling`, names by `names`. What is probably meant is searched and judged.
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from alexandria.book.choices import Mode
from alexandria.book.filters import Filters
from alexandria.book.words import WORD, fold_text
from alexandria.embed import Encoder
from alexandria.library.search.names import (
    Name,
    asked_words,
    books_named,
    name_index,
    names_asked,
    names_in,
    parts_in,
    without_names,
)
from alexandria.library.search.phrases import phrases_of, words_written_otherwise
from alexandria.library.search.request import SearchRequest
from alexandria.library.search.spelling import respellings
from alexandria.library.search.vocabulary import Word, known_words, query_for
from alexandria.store.catalog import Catalog
from alexandria.store.names import folded_word
from alexandria.store.sparse import likeliest_languages, query_languages, terms_for

_PASSAGES = 20  # passages with a word by which it is told whether it names something else than a book


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it was understood."""

    typed: str
    whole: str  # as it is searched: with the words that were probably meant
    within: str  # the same without the names, for a search in the books that they name
    phrases: tuple[str, ...]  # what it has in quotation marks, as letters
    names: tuple[Name, ...]
    books: frozenset[str]  # the ids of the books that the names mean; empty to search all
    words: Mapping[str, Word]  # the words that are no stop words, as typed and as meant, by the folded word
    meant: Mapping[str, str]  # what was probably meant by words that no book has
    named: frozenset[str]
    """Those of the words that no text has, folded, which an author's name or a title has."""
    otherwise: Mapping[str, str]
    """Those that stand in books with other spaces or hyphens, as these have them; "" where only notes do."""
    inside: frozenset[str]  # those that stand only inside longer words, and were not taken for slips

    @property
    def certain(self) -> bool:
        """Whether a name can mean nothing else."""
        return any(name.certain for name in self.names)

    @property
    def is_indexed(self) -> bool:
        """Whether any book has a term of any of the words."""
        return any(word.is_indexed for word in self.words.values())

    def words_of(self, text: str) -> list[Word]:
        """Return the words of a text of the question by which a passage is judged, each once."""
        folded = dict.fromkeys(map(fold_text, WORD.findall(text)))
        return [self.words[word] for word in folded if word in self.words]


def understand(
    request: SearchRequest, library: Catalog, languages: frozenset[str | None], encoder: Encoder
) -> Question:
    """Return a question as it is understood.

    Args:
        request: what is asked; books that its filters do not admit cannot be named.
        languages: BCP 47 tags of the books that are searched.
    """
    typed, phrases = request.query, phrases_of(request.query)
    asked_in = query_languages(typed, languages)
    language = min(likeliest_languages(typed, languages), key=str)
    words = known_words(typed, library, languages, asked_in)
    absent = {folded: word.text for folded, word in words.items() if not word.exists}
    named = library.names_among({folded_word(folded) for folded in absent})
    records = library.matching(request.filters) if absent else []
    otherwise, inside = words_written_otherwise(absent, records, library)
    meant = dict[str, str]()
    if not request.exact and not phrases:
        # The capital of the first word says nothing; elsewhere, it is that of a name.
        first = next(iter(WORD.findall(typed)), "")
        slips = [
            text.lower() if text == first else text
            for folded, text in absent.items()
            if folded_word(folded) not in named and folded not in otherwise
        ]
        meant = respellings(slips, library, languages, encoder=encoder, with_names=True)
        words |= known_words(" ".join(meant.values()), library, languages, asked_in)
    whole = _with_respellings(typed, meant)
    respelled = {*map(folded_word, meant.values())}
    names = _names_that_count(whole, respelled, library, request.filters, language, languages)
    return Question(
        typed=typed,
        whole=whole,
        within=without_names(whole, names),
        phrases=phrases,
        names=tuple(names),
        books=books_named(names),
        words=words,
        meant=meant,
        named=frozenset(named),
        otherwise=otherwise,
        inside=inside - meant.keys(),
    )


def _names_that_count(
    question: str,
    respelled: Set[str],
    library: Catalog,
    filters: Filters,
    language: str | None,
    languages: frozenset[str | None],
) -> list[Name]:
    """Return the names in a question of books that pass the filters, or of a part of such books."""
    # Words that were respelled name a book only for certain, and if nothing that was typed does. If one of
    # the names is certain, the others are left out.
    words = asked_words(question, language)
    books = [book for book in library.named(names_asked(words)) if filters.admit(book)]
    found = names_in(words, name_index(books, language))
    names = [name for name in found if respelled.isdisjoint(name.words)]
    if not names and filters.chapter is None and (parts := parts_in(words)):
        names = _first_in_books(question, parts, library, filters, languages)
    names = names or [name for name in found if name.certain]
    names = [
        replace(name, certain=name.certain and not _is_rather_a_name_elsewhere(name, library, languages))
        for name in names
    ]
    return [name for name in names if name.certain] or names


def _first_in_books(
    question: str, parts: Sequence[Name], library: Catalog, filters: Filters, languages: frozenset[str | None]
) -> list[Name]:
    """Return the first of some parts of books under whose heading a book has more of the question."""
    # A list of one, with these books; empty if there is none.
    scope = library.scope(filters)
    for part in parts:
        query = query_for(tuple(terms_for(without_names(question, [part]), languages)), library)
        hits = library.search(query, Mode.BM25, scope, _PASSAGES, sections=[{*part.sections}])
        if hits:
            return [replace(part, books=frozenset(hit.book_id for hit in hits))]
    return []


def _is_rather_a_name_elsewhere(name: Name, library: Catalog, languages: frozenset[str | None]) -> bool:
    """Return whether a title of one word is rather a name in other books, as Paris is that of a city."""
    # So it is if most passages that have it with a capital inside a sentence are not in the books named.
    if name.is_author or len(name.words) > 1:
        return False
    word = name.words[0]
    terms = terms_for(word, languages)
    hits = library.search(query_for(tuple(terms), library), Mode.BM25, library.everything(), _PASSAGES)
    as_name = [hit for hit in hits if _has_inside_sentence(hit.text, word)]
    n_in_named_books = sum(hit.book_id in name.books for hit in as_name)
    return 2 * n_in_named_books < len(as_name)


def _has_inside_sentence(text: str, word: str) -> bool:
    """Return whether a text has a word with a capital where no sentence begins."""
    capitalised = re.compile(rf"(?<=[^\W\d_]\s){re.escape(word)}\b", re.IGNORECASE)
    return any(match[0][0].isupper() for match in capitalised.finditer(text))


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
    words = known_words(text, library, languages, query_languages(text, languages))
    unknown = [word.text for word in words.values() if not word.exists]
    return _with_respellings(text, respellings(unknown, library, languages))
