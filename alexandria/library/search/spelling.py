"""Words that no book has, and the nearest one that a book has: a slip is no reason to find nothing.

No list of the library's words is kept. What may have been meant by a word is made from it by edits, and
looked up at once: the passages that come back have the words that exist.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from alexandria.book.choices import Mode
from alexandria.book.words import WORD, fold_text
from alexandria.store import QueryVectors
from alexandria.store.catalog import Catalog
from alexandria.store.sparse import LANGUAGES, as_query, primary_subtag, terms_for

if TYPE_CHECKING:
    from alexandria.embed import Encoder

_MIN_LETTERS = 4  # a shorter word is as near to many others
_MAX_LETTERS = 24  # a longer word is none that people mistype, and its edits are too many
_LETTERS_TWO_EDITS = range(6, 13)  # the lengths of words that are tried with two edits
_MAX_TWO_EDITS = 3  # the most words of a question that are, which takes up to a tenth of a second each
_SAME_WORD = 0.75
"""How similar two spellings of a word are at least: *color* and *colour* .97, *program* and *programme* .80,
but *gene* and *gone* .23, *Anna* and *Anne* .68."""
_PASSAGES = 50  # passages in which what may have been meant is looked up, in one round
_MAX_ROUNDS = 6
POSSESSIVE = re.compile(r"(?<=\w)['’ʼ]s?$", re.IGNORECASE)
_ALPHABETS = {
    "abcdefghijklmnopqrstuvwxyz": "aeiouyh",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя": "аеиоуыэюяь",
    "αβγδεζηθικλμνξοπρσςτυφχψω": "αεηιουω",
}  # the letters of a script, and which of these people forget, add and confuse most: its vowels

# What is spent to make one word of another. An edit costs 1, but for those that people make most.
_DOUBLED = 0.4
_VOWEL = 0.8
_SWAPPED = 0.8
_FIRST_LETTER = 1.0  # added for another first letter, which people rarely mistake
_ENDING = 0.3  # the cost of an ending by which a word is another form of what was made by edits
_MAX_COST_PER_LETTER = 0.36
"""The most that edits may cost for each letter but the first: in a short word, one."""
_COMMON = 0.1
"""How much a word gains for being common: this, times the logarithm of how often these passages have it."""
_MAX_ENDING = 3
_CAPITAL = 0.3  # how much a word gains that is written with a capital, as what was typed
_NAME = 0.6
"""How much the name of an author gains, or a word of a title: as much as a common word with a capital."""


def respellings(
    words: Sequence[str],
    library: Catalog,
    languages: frozenset[str | None],
    *,
    encoder: "Encoder | None" = None,
    with_names: bool = False,
) -> dict[str, str]:
    """Return the nearest word of the library for words that no book has, by the folded word, if one is near.

    A word that the model has whole is no slip: only another spelling of it may be meant.

    Args:
        languages: BCP 47 tags of its books; those whose words are not stemmed count for nothing.
        encoder: the library's model; None if it is not to be loaded.
        with_names: whether words of authors and titles may be meant although no text has them.
    """
    stemmed = frozenset(tag for tag in languages if primary_subtag(tag) in LANGUAGES)
    meant: dict[str, str] = {}
    n_two_edits = 0
    for whole in words:
        typed = POSSESSIVE.sub("", whole)
        word, key, ending = fold_text(typed), fold_text(whole), whole[len(typed) :]
        alphabet = next((letters for letters in _ALPHABETS if word[:1] in letters), "")
        is_word = word.isalpha() and _MIN_LETTERS <= len(word) <= _MAX_LETTERS
        if not stemmed or not alphabet or not is_word or key in meant:
            continue
        once = edits_of(word, alphabet)
        nearest = _nearest(typed, once, library, stemmed, with_names=with_names)
        if encoder is not None and _is_known(encoder, word, typed):
            if nearest is not None and _is_same_word(word, nearest, encoder):
                meant[key] = nearest + ending
            continue
        if nearest is None and len(word) in _LETTERS_TWO_EDITS and n_two_edits < _MAX_TWO_EDITS:
            n_two_edits += 1
            alike = (edited for edited in once if edited[0] == word[0])
            twice = {other for edited in alike for other in _common_edits_of(edited, _ALPHABETS[alphabet])}
            nearest = _nearest(typed, twice, library, stemmed, with_names=with_names)
        if nearest is not None:
            meant[key] = nearest + ending
    return meant


def _is_known(encoder: "Encoder", *spellings: str) -> bool:
    """Return whether a model has a word whole, folded or as it was typed."""
    return any(encoder.knows(spelling) for spelling in spellings)


def _is_same_word(word: str, other: str, encoder: "Encoder") -> bool:
    """Return whether two words are spellings of one, by their meaning."""
    one, two = encoder.encode([word, other])
    return float(one @ two) >= _SAME_WORD


def edits_of(word: str, letters: str) -> set[str]:
    """Return what one edit makes of a word: one of some letters more or in place of another, a letter less or
    twice, or two letters that change places.
    """
    parts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    shorter = {left + right[1:] for left, right in parts if right}
    doubled = {left + right[0] + right for left, right in parts if right}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1}
    other = {left + letter + right[1:] for left, right in parts if right for letter in letters}
    longer = {left + letter + right for left, right in parts for letter in letters}
    return (shorter | doubled | swapped | other | longer) - {word, ""}


def _common_edits_of(word: str, vowels: str) -> set[str]:
    """Return what the edits that people make most make of a word: of a vowel, of a doubled letter, or a swap.

    The first letter stays.
    """
    parts = [(word[:i], word[i], word[i + 1 :]) for i in range(1, len(word))]
    shorter = {left + right for left, letter, right in parts if letter in vowels or letter == left[-1]}
    doubled = {left + 2 * letter + right for left, letter, right in parts}
    swapped = {left + right[0] + letter + right[1:] for left, letter, right in parts if right}
    other = {left + vowel + right for left, letter, right in parts if letter in vowels for vowel in vowels}
    longer = {word[:i] + vowel + word[i:] for i in range(1, len(word) + 1) for vowel in vowels}
    return (shorter | doubled | swapped | other | longer) - {word}


def _nearest(
    word: str, candidates: set[str], library: Catalog, languages: frozenset[str | None], *, with_names: bool
) -> str | None:
    """Return the likeliest of the candidates that a book has, or None if no book has any."""
    # `candidates`: what may have been meant, folded.
    # `languages`: BCP 47 tags of its books.
    # `with_names`: whether it may be a word of an author or a title.
    terms = terms_for(" ".join(candidates), languages)
    typed = fold_text(word)
    alike = [other for other in candidates if other[0] == typed[0]] if with_names else []
    costs = {
        name: cost - _NAME
        for name in library.names_among(alike)
        if _is_near(cost := edit_cost(typed, name), word)
    }
    import numpy as np

    for _ in range(_MAX_ROUNDS):
        query = QueryVectors(np.zeros(library.binding.dim, np.float32), as_query(terms))
        hits = library.search(query, Mode.BM25, library.everything(), _PASSAGES)
        if not hits:
            break
        counts = Counter(stored for hit in hits for stored in WORD.findall(hit.text))
        costs |= _costs(word, candidates, counts)
        # Words in many passages hide those in few: the next round looks for what was not found.
        terms -= terms_for(" ".join(counts), languages)
    nearest = min(costs, key=lambda other: (costs[other], other), default=None)
    if nearest == typed:  # it is there: in a language that was not asked for
        return None
    return nearest


def _costs(word: str, candidates: set[str], counts: Mapping[str, int]) -> dict[str, float]:
    """Return what each word of passages costs as what was meant, if it is a candidate or a form of one."""
    typed, longest_ending = fold_text(word), min(_MAX_ENDING, len(word) // 3)
    costs: dict[str, float] = {}
    for stored, n in counts.items():
        other = fold_text(stored)
        if word[0].isupper() and stored[0].islower() and n > counts.get(stored.capitalize(), 0):
            continue  # a name is no other word
        without_ending = (other[: len(other) - n_ending] for n_ending in range(longest_ending + 1))
        if (base := next((part for part in without_ending if part in candidates), None)) is not None:
            edits = edit_cost(typed, base) + _ENDING * (base != other)
            if not _is_near(edits, word):
                continue
            cost = edits - _COMMON * math.log1p(n)
            cost -= _CAPITAL * (word[0].isupper() and stored[0].isupper())
            costs[other] = min(cost, costs.get(other, cost))
    return costs


def _is_near(cost: float, word: str) -> bool:
    return cost <= _MAX_COST_PER_LETTER * (len(word) - 1) + 1e-6


def edit_cost(word: str, other: str) -> float:
    """Return the cost of making one word of another by edits (Damerau 1964); common edits cost less."""
    rows = [[float(j) for j in range(len(other) + 1)]]
    for i, letter in enumerate(word, 1):
        row = [float(i)]
        for j, wanted in enumerate(other, 1):
            steps = [
                rows[i - 1][j - 1] + (letter != wanted) * (_VOWEL if _are_vowels(letter, wanted) else 1.0),
                rows[i - 1][j] + _letter_cost(letter, word, i - 1),
                row[j - 1] + _letter_cost(wanted, other, j - 1),
            ]
            if i > 1 and j > 1 and letter == other[j - 2] and wanted == word[i - 2]:
                steps.append(rows[i - 2][j - 2] + _SWAPPED)
            row.append(min(steps))
        rows.append(row)
    return rows[-1][-1] + _FIRST_LETTER * (word[0] != other[0])


def _letter_cost(letter: str, word: str, i: int) -> float:
    """Return what the letter at an index of a word costs that the other word has not."""
    if letter in (word[i - 1 : i], word[i + 1 : i + 2]):
        return _DOUBLED
    return _VOWEL if _are_vowels(letter) else 1.0


def _are_vowels(*letters: str) -> bool:
    return any(all(letter in vowels for letter in letters) for vowels in _ALPHABETS.values())
