"""The topic of each part of a book: a few words that the part uses far more often than the whole book.

Words are compared by their stems, without the stop words of their language. No model is needed, and the time
is linear in the words of the book. Read `topics_of` first.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from math import log

from alexandria.book.words import HAN, MARKS
from alexandria.store.sparse import UNSPACED, primary_subtag, term_id

MAX_WORDS = 5  # how many words a topic has at most

_PART = rf"[^\W\d_][\w{MARKS}]*"
_WORD = re.compile(rf"{_PART}(?:['’]{_PART})*")
_HAN_PAIR = re.compile(f"[{HAN}]{{2}}")
_UNSPACED_RUN = re.compile(rf"[{HAN}]+|[\u30a1-\u30ff]+")
_UNSPACED_LETTER = re.compile(rf"[{HAN}\u3041-\u30ff]")
_ROMAN = re.compile(r"[IVXLC]+")
_FIRST_HAN = "\u3400"
_LAST_ALPHABETIC = "\u058f"
"""Up to this letter, scripts are alphabets, where words of two letters say little (Latin, Greek, Cyrillic,
Armenian); in the scripts after it, two characters are a word."""

_CANDIDATES = 4 * MAX_WORDS
"""The number of words from which a topic is chosen: pairs of Chinese characters that overlap are dropped."""
_PRIOR = 0.1
"""Added to the expected count of a word: a word seen twice must score higher than a word seen once."""
_COMMON_SHARE = 0.4  # a word in more than this share of the parts does not distinguish them
_MIN_COMMON_PARTS = 3  # a word in no more parts than this is never common
_NAME_WEIGHT = 1.4  # the weight of a capitalised word: a name, or in German a noun
_ONCE_WEIGHT = 0.6
"""The weight of a word that the book has only once: it is rare rather than what a passage is about."""

Key = int | str  # what all forms of a word have in common: the id of their stem, or the word itself


def topics_of(
    texts: Iterable[str], language: str | None, *, max_words: int = MAX_WORDS
) -> list[tuple[str, ...]]:
    """Return the topic of each part of a book: its most distinctive words, best first.

    A word is the more distinctive, the less likely its count is at the rate of the whole book (the
    log-likelihood ratio of Dunning 1993), and the fewer parts have it. The topic gives the word in its most
    frequent form in the part, capitalised as it mostly is in the book.

    Args:
        texts: the parts, in order; together they are the book.
        language: BCP 47 tag. Without it, or in a language without a stemmer, each form is a word of its own.
        max_words: how many words a topic has at most; up to `_CANDIDATES`.

    Returns:
        one tuple per text; empty if no word is distinctive, and in Thai, Lao, Khmer and Burmese, which do not
        separate words.
    """
    language = primary_subtag(language)
    strings_of_parts = [Counter(_WORD.findall(text)) for text in texts]
    if language in UNSPACED - {"ja", "zh"}:
        return [()] * len(strings_of_parts)
    vocabulary = _read_vocabulary(strings_of_parts, language)
    key_counts = [vocabulary.count_keys(strings) for strings in strings_of_parts]
    book_counts = vocabulary.count_keys(vocabulary.strings)
    keys_of_parts = _distinctive_keys(key_counts, book_counts, vocabulary.keys_of_names())
    return [
        _without_overlapping_pairs((vocabulary.usual_word(key, strings) for key in keys), max_words)
        for strings, keys in zip(strings_of_parts, keys_of_parts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The words of a book, as strings, forms and keys.

    A string is a match of `_WORD`: usually one word, several in Chinese, and none if it is too short. A form
    is a word in lower case; a key is shared by all forms of a word.
    """

    strings: Mapping[str, int]  # how often each string occurs in the book
    keys_of: Mapping[str, Sequence[Key]]  # the keys of the words of each string, without stop words
    keys: Mapping[str, Key | None]  # the key of each word; None for a stop word
    cases: Mapping[str, Mapping[str, int]]
    """How often each form is printed in each case: `darwin` as `Darwin` and as `DARWIN`."""
    strings_of: Mapping[Key | None, Sequence[tuple[str, str]]]
    """For each key, the strings that have a word with it, each with the form of this word."""

    def keys_of_names(self) -> set[Key | None]:
        """Return the keys of words that are mostly capitalised."""
        usual_cases = [_usual_case(printed) for printed in self.cases.values()]
        return {self.keys[word] for word in usual_cases if word and word[0].isupper()}

    def count_keys(self, strings: Mapping[str, int]) -> dict[Key, int]:
        """Return how often each key occurs in a part of the book; stop words are left out.

        Args:
            strings: how often each string occurs in the part.
        """
        counts: dict[Key, int] = {}
        for string, n in strings.items():
            for key in self.keys_of[string]:
                counts[key] = counts.get(key, 0) + n
        return counts

    def usual_word(self, key: Key, strings: Mapping[str, int]) -> str:
        """Return the most frequent form of a key in a part, in the case in which the book mostly prints it.

        Args:
            key: a key that occurs in the part.
            strings: how often each string occurs in the part.
        """
        counts: dict[str, int] = {}
        for string, form in self.strings_of[key]:
            if string in strings:
                counts[form] = counts.get(form, 0) + strings[string]
        most_frequent_form = max(counts, key=counts.__getitem__)
        return _usual_case(self.cases[most_frequent_form])


def _read_vocabulary(strings_of_parts: Iterable[Mapping[str, int]], language: str | None) -> _Vocabulary:
    """Return the vocabulary of a book."""
    # `strings_of_parts`: how often each string occurs in each part.
    # `language`: the primary subtag of the book's language.
    book: Counter[str] = Counter()
    for strings in strings_of_parts:
        book.update(strings)
    words_of = {string: list(_split_words(string)) for string in book}
    keys = {word: _key(word, language) for words in words_of.values() for word in words}
    cases: dict[str, dict[str, int]] = defaultdict(dict)
    strings_of: dict[Key | None, list[tuple[str, str]]] = defaultdict(list)
    for string, n in book.items():
        for word in words_of[string]:
            form = word.casefold()
            cases[form][word] = cases[form].get(word, 0) + n
            strings_of[keys[word]].append((string, form))
    keys_of = {
        string: [key for word in words if (key := keys[word]) is not None]
        for string, words in words_of.items()
    }
    return _Vocabulary(book, keys_of, keys, cases, strings_of)


def _split_words(string: str) -> Iterator[str]:
    """Yield the words of a string that may be in a topic, without what an apostrophe joins to them."""
    # `l'homme` and `Darwin's` yield `homme` and `Darwin`; `O'Brien` stays whole, and `don't` yields nothing.
    if not string.isascii() and _UNSPACED_LETTER.search(string):
        yield from _unspaced_words(string)
        return
    parts = string.replace("’", "'").split("'")
    if parts[-1].casefold() == "t":
        return
    is_irish_name = parts[0] in ("O", "o")
    word = (string if is_irish_name else max(parts, key=len)).strip("_")
    min_letters = 3 if word[:1] <= _LAST_ALPHABETIC else 2
    if len(word) >= min_letters and not _ROMAN.fullmatch(word):
        yield word


def _unspaced_words(string: str) -> Iterator[str]:
    """Yield the words of a Chinese or Japanese string, which are not separated."""
    # Each pair of neighbouring Chinese characters counts as a word, and so does each run of Katakana.
    for run in _UNSPACED_RUN.findall(string):
        if run[0] >= _FIRST_HAN:
            yield from (run[i : i + 2] for i in range(len(run) - 1))
        elif len(run) > 1:
            yield run


def _key(word: str, language: str | None) -> Key | None:
    """Return the key by which a word is counted, or None if it is a stop word."""
    return word if language in UNSPACED else term_id(word.casefold(), language)


def _distinctive_keys(
    parts: Sequence[Mapping[Key, int]], book: Mapping[Key, int], names: Collection[Key | None]
) -> Iterator[list[Key]]:
    """Yield the most distinctive keys of each part, best first."""
    # There are more of them than a topic has words, as `_without_overlapping_pairs` may leave some out.
    # `parts`: how often each key occurs in each part.
    # `book`: how often each key occurs in the book.
    # `names`: the keys of words that are mostly capitalised.
    n_parts = Counter(key for counts in parts for key in counts)  # how many parts have each key
    max_parts = max(_MIN_COMMON_PARTS, _COMMON_SHARE * len(parts))
    weights = {
        key: log(1 + len(parts) / n)
        * (_NAME_WEIGHT if key in names else 1)
        * (_ONCE_WEIGHT if book[key] == 1 else 1)
        for key, n in n_parts.items()
        if n <= max_parts
    }
    n_words_of_book = max(sum(book.values()), 1)
    for counts in parts:
        share_of_book = sum(counts.values()) / n_words_of_book
        scored = []  # negative score, negative count, and place of the first occurrence: the best is smallest
        for i, (key, n) in enumerate(counts.items()):
            if key not in weights:
                continue
            expected = book[key] * share_of_book
            if n >= expected:
                # Rounded: nearly equal scores are ordered by count, and then by the first occurrence.
                score = round(_log_likelihood_ratio(n, expected) * weights[key], 1)
                scored.append((-score, -n, i, key))
        yield [key for *_, key in nsmallest(_CANDIDATES, scored)]  # places differ: keys are not compared


def _log_likelihood_ratio(n: int, expected: float) -> float:
    """Return the log-likelihood ratio of a count against the expected one."""
    expected += _PRIOR
    return n * log(n / expected) - (n - expected)


def _without_overlapping_pairs(words: Iterable[str], max_words: int) -> tuple[str, ...]:
    """Return the first `max_words` words, without Chinese pairs that share a character with an earlier word.

    Chinese is taken in overlapping pairs, as it has no spaces: 北京大学 gives 北京, 京大 and 大学.
    """
    chosen: list[str] = []
    for word in words:
        if _HAN_PAIR.fullmatch(word) and any(set(word) & set(other) for other in chosen):
            continue
        chosen.append(word)
        if len(chosen) == max_words:
            break
    return tuple(chosen)


def _usual_case(printed: Mapping[str, int]) -> str:
    """Return a word in the case in which it is mostly printed; lower case if two are equally frequent."""
    if len(printed) == 1:
        return next(iter(printed))
    return max(printed, key=lambda word: (printed[word], word.islower()))
