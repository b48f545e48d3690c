"""The few telling words of each part of a book: those that it uses far more often than the book does.

Words are compared by their stems, without the stop words of their language. No model is asked, and the work
is linear in the words of the book.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from math import log

from alexandria.store.sparse import UNSPACED, primary_subtag, term_id

MOST = 5
"""Words of a topic, at most."""

# Vowel signs and other marks are parts of words, but no letters to `re`.
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0670\u0900-\u0963\u0970-\u0dff\u200c\u200d"
_PART = rf"[^\W\d_][\w{_MARKS}]*"
_WORD = re.compile(rf"{_PART}(?:['’]{_PART})*")
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
_UNSPACED_RUN = re.compile(rf"[{_HAN}]+|[\u30a1-\u30ff]+")
_UNSPACED_LETTER = re.compile(rf"[{_HAN}\u3041-\u30ff]")
_ROMAN = re.compile(r"[IVXLC]+")
# In alphabets, words of two letters say little; in other scripts, two characters are a word.
_LAST_ALPHABET = "\u058f"

_PRIOR = 0.1
"""Added to how often a word is expected, so that one seen twice tells more than one that happens once."""
_COMMON = 0.4
"""A word in more than this share of the parts tells none of them from the others."""
_NAME = 1.4
"""How much more a capitalised word tells: a name, or in German a noun."""
_ONCE = 0.6
"""How much less a word tells that the book has only once: it is rare rather than what a passage is about."""

Key = int | str
"""What forms of one word have in common: the id of its stem, or the word itself."""


def topics_of(texts: Iterable[str], language: str | None) -> list[tuple[str, ...]]:
    """Return the telling words of each part of a book, at most `MOST`, the most telling first.

    A word tells the more, the less likely its count is at the rate of the whole book (the log-likelihood
    ratio of Dunning 1993), and the fewer parts have it. Its form is the most frequent one in the part, in the
    case that it mostly has in the book.

    Args:
        texts: the parts, in order; together they are the book.
        language: BCP 47 tag. Without it, or in a language without a stemmer, each form is a word of its own.

    Returns:
        one tuple per text; empty where no word tells, and in Thai, Lao, Khmer and Burmese, which do not mark
        words.
    """
    language = primary_subtag(language)
    printed = [Counter(_WORD.findall(text)) for text in texts]
    if language in UNSPACED - {"ja", "zh"}:
        return [()] * len(printed)
    book: Counter[str] = Counter()
    for surfaces in printed:
        book.update(surfaces)
    spelt = {surface: list(_words(surface)) for surface in book}
    terms = {word: _key(word, language) for words in spelt.values() for word in words}
    cases: dict[str, Counter[str]] = defaultdict(Counter)
    spellings: dict[Key | None, list[tuple[str, str]]] = defaultdict(list)
    for surface, n in book.items():
        for word in spelt[surface]:
            form = word.casefold()
            cases[form][word] += n
            spellings[terms[word]].append((surface, form))
    names = {terms[word] for form in cases.values() if (word := _in_case(form)) and word[0].isupper()}
    telling = _telling([_counted(surfaces, spelt, terms) for surfaces in printed], names)
    return [
        _apart(_in_case(cases[_form(surfaces, spellings[key])]) for key in keys)
        for surfaces, keys in zip(printed, telling, strict=True)
    ]


def _counted(
    surfaces: Mapping[str, int], spelt: Mapping[str, Sequence[str]], terms: Mapping[str, Key | None]
) -> dict[Key, int]:
    """Return how often each term is in a part."""
    counts: dict[Key, int] = {}
    for surface, n in surfaces.items():
        for word in spelt[surface]:
            if (key := terms[word]) is not None:
                counts[key] = counts.get(key, 0) + n
    return counts


def _form(surfaces: Mapping[str, int], spellings: Iterable[tuple[str, str]]) -> str:
    """Return the most frequent form of a term in a part, in lower case.

    Args:
        surfaces: how often each run of letters is in the part.
        spellings: the runs of the term, and the form that each is of.
    """
    counts: Counter[str] = Counter()
    for surface, form in spellings:
        if surface in surfaces:
            counts[form] += surfaces[surface]
    return counts.most_common(1)[0][0]


def _words(surface: str) -> Iterator[str]:
    """Yield the words of a run of letters: one, without what an apostrophe joins to it; in Chinese, pairs."""
    if not surface.isascii() and _UNSPACED_LETTER.search(surface):
        for run in _UNSPACED_RUN.findall(surface):
            if run[0] >= "\u3400":
                yield from (run[i : i + 2] for i in range(len(run) - 1))
            elif len(run) > 1:
                yield run
        return
    parts = surface.replace("’", "'").split("'")
    if parts[-1].casefold() == "t":  # don't
        return
    # l'homme and Darwin's, but O'Brien
    word = surface if parts[0] in ("O", "o") else max(parts, key=len)
    word = word.strip("_")
    if len(word) > (2 if word[:1] <= _LAST_ALPHABET else 1) and not _ROMAN.fullmatch(word):
        yield word


def _key(word: str, language: str | None) -> Key | None:
    """Return what a word is counted as; None if it is a stop word."""
    return word if language in UNSPACED else term_id(word.casefold(), language)


def _telling(parts: Sequence[Mapping[Key, int]], names: Collection[Key | None]) -> Iterator[list[Key]]:
    """Yield the most telling terms of each part; more than are shown, since pairs may share a character."""
    book: Counter[Key] = Counter()
    n_parts: Counter[Key] = Counter()
    for counts in parts:
        book.update(counts)
        n_parts.update(counts.keys())
    total = max(book.total(), 1)
    most = max(3, _COMMON * len(parts))
    weights = {
        key: log(1 + len(parts) / n) * (_NAME if key in names else 1) * (_ONCE if book[key] == 1 else 1)
        for key, n in n_parts.items()
        if n <= most
    }
    for counts in parts:
        share = sum(counts.values()) / total
        scored = [
            (-round(_unlikely(n, book[key] * share) * weights[key], 1), -n, i, key)
            for i, (key, n) in enumerate(counts.items())
            if key in weights and n >= book[key] * share
        ]
        yield [key for *_, key in nsmallest(4 * MOST, scored, key=lambda one: one[:3])]


def _unlikely(n: int, expected: float) -> float:
    """Return the log-likelihood ratio of a count against the expected one."""
    expected += _PRIOR
    return n * log(n / expected) - (n - expected)


def _apart(words: Iterable[str]) -> tuple[str, ...]:
    """Return the first few words, without pairs of Chinese characters that share one with another."""
    chosen: list[str] = []
    for word in words:
        pair = len(word) == 2 and word[0] >= "\u3400"
        if not (pair and any(set(word) & set(other) for other in chosen)):
            chosen.append(word)
    return tuple(chosen[:MOST])


def _in_case(printed: Counter[str]) -> str:
    """Return a word as it is mostly printed; where that is undecided, in lower case."""
    return max(printed, key=lambda word: (printed[word], word.islower()))
