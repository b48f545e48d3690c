"""What a question may call a book: its authors and its title, as the catalog looks them up.

The catalog lists each book under all that `names_of` returns. A question is split the same way
(`asked_names`), so that the books that it may name are found without reading the names of all.
"""

import re
from collections.abc import Iterator, Sequence

from alexandria.book.filters import BETWEEN_NAMES
from alexandria.book.words import catalog_fold

NAME_WORD = re.compile(r"\w+(?:['’ʼ]\w+)*")
"""A word as catalogs always had it, without marks: version 1.0.0 lists a book under the same names."""

_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv"))
_TITLE_PARTS = re.compile(r"[:;(\[—–]\s*(?:or,?\s)?|,\s+or,?\s", re.IGNORECASE)
_SHORT_TITLE = 4  # a title of so many words may have only one that is no stop word
_NEAR = 5
"""How far the second of two words of a title may be from the first: stop words are between them, and more in
*Alice in Wonderland*."""
_LONGEST_AUTHOR = 8  # the most words of an author's name that are looked up together


def folded_word(word: str) -> str:
    """Return a word as names are compared: folded, and without the ending of a possessive."""
    return re.sub(r"'s?$", "", catalog_fold(word))


def authors_in(names: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each author that a field names, with the folded words of the name."""
    for author in BETWEEN_NAMES.split(names):
        if words := [word for word in _folded_words(author) if word not in _SUFFIXES]:
            yield author, words


def title_parts(title: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the parts of a title by which a book may be called, each with its folded words."""
    for part in _TITLE_PARTS.split(title):
        if words := _folded_words(part):
            yield part.strip(), words


def names_of(title: str, author: str) -> set[str]:
    """Return all that a book is listed under: its words, and what names it.

    An author's name begins with `@`, a word that may be a whole title with `=`; two words of a title are
    joined by a space.
    """
    listed = set()
    for _, words in authors_in(author):
        listed |= {*words, f"@{' '.join(words)}", f"@{words[-1]}"}
    for _, words in title_parts(title):
        listed |= {*words, *_pairs(words)}
        if len(words) <= _SHORT_TITLE:
            listed |= {f"={word}" for word in words}
    return listed


def asked_names(words: Sequence[str], content: Sequence[str]) -> list[str]:
    """Return what may name a book in a question, as `names_of` lists it.

    Args:
        words: the folded words of the question.
    """
    lengths = range(1, _LONGEST_AUTHOR + 1)
    authors = {f"@{' '.join(words[i : i + n])}" for i in range(len(words)) for n in lengths}
    return [*authors, *(f"={word}" for word in {*content}), *_pairs(content)]


def _pairs(words: Sequence[str]) -> set[str]:
    """Return each word with each of those near after it."""
    return {f"{word} {other}" for i, word in enumerate(words) for other in words[i + 1 : i + 1 + _NEAR]}


def _folded_words(text: str) -> list[str]:
    return [folded_word(word) for word in NAME_WORD.findall(text)]
