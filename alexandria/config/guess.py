"""The domain of a book, guessed from its subject headings, its title and its words. No model is asked."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log

from alexandria.book import Book
from alexandria.config.fields import DEFAULT_DOMAIN, LITERATURE, RATES, STATEMENTS, SUBJECTS, WORDS

AUTO = "auto"
"""Asks for the domain of each book to be guessed."""
CERTAIN = 0.75
"""A field that is less certain is not taken."""

# Evidence is added up in natural logarithms of odds.
_NONE = 2.0
"""For no field at all: one subject heading alone is not enough against it."""
_FIRST_SUBJECT, _FURTHER_SUBJECT, _MOST_SUBJECTS = 3.0, 1.0, 6.0
_TITLE = 1.5
_RATE, _MOST_WORDS = 4.5, 6.0
"""For words that are e times as frequent as `RATES` says, and at most for any number of words."""
_MOST_OF_ONE = 5
"""Of a thousand words, how many of one word count: `said` alone, as in a newspaper, makes no novel."""
_STATEMENTS, _ABSTRACT, _NOT_NARRATED = 15, 14, 2.0
"""From so many words in a thousand on, statements in the present and abstract nouns speak against a story: a
case history or a dialogue about ideas has the words of one, and these too. The last is the evidence for e
times as many."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_NOUN = re.compile(r"\w*(?:tion|ment|ness|ism|ance|ence)s?|\w*it(?:y|ies)")
_NOUN_LETTERS = 7
"""Shorter ones, like `city` and `once`, are not abstract."""
_FEW_WORDS = 400
"""Added to the length of a text, so that a dozen words of a short one do not count as much."""
_ENOUGH_WORDS = 1000
"""In a shorter text, its words count less."""
_SLICES, _SLICE = 20, 20_000
"""How much of a long text is read: so many pieces of so many characters, evenly spread."""


@dataclass(frozen=True, slots=True)
class Guess:
    """The field that a book is most probably of."""

    field: str | None
    """The most probable one, whether it is certain or not; None if nothing tells a field."""
    certainty: float
    """How probable that field is, in [0, 1], among all fields and none."""
    clues: tuple[str, ...] = ()
    """What speaks for it: subject headings, the title, words."""

    @property
    def domain(self) -> str:
        """The domain of that field, or `default` if the field is not certain enough."""
        return self.field if self.field is not None and self.certainty >= CERTAIN else DEFAULT_DOMAIN

    def __str__(self) -> str:
        """Return the guess in words."""
        if self.field is None:
            return f"domain {self.domain}: nothing tells the field of this book"
        if self.domain != self.field:
            return f"domain {self.domain}: {self.field} is too uncertain ({self.certainty:.2f})"
        clues = f", by {', '.join(self.clues)}" if self.clues else ""
        return f"domain {self.domain}, guessed with certainty {self.certainty:.2f}{clues}"


def guess_field(book: Book) -> Guess:
    """Return the field that a book is most probably of, by its subjects, its title and its words.

    Subject headings and the title count in any language, as far as `fields` has the words; the words of the
    text count in English and, for some fields, in German, French, Spanish and Italian.
    """
    subjects = _by_field(book.metadata.subjects)
    titles = _by_field((book.title,))
    counts = Counter(_WORD.findall(_sample(book.text).lower()))
    odds = {
        field: _of_subjects(subjects[field]) + _TITLE * len(titles[field]) + _of_words(field, counts)
        for field in SUBJECTS
    }
    best = max(odds, key=lambda field: odds[field])
    if not odds[best]:
        return Guess(None, 0.0)
    certainty = exp(odds[best]) / (exp(_NONE) + sum(map(exp, odds.values())))
    known = sorted(WORDS[best] & counts.keys(), key=lambda word: (-counts[word], word))
    clues = [f"the subject “{subject}”" for subject in subjects[best][:1]]
    clues += ["its title"] * len(titles[best])
    if known and _of_words(best, counts) > 0:
        clues.append(f"words like {', '.join(known[:3])}")
    return Guess(best, certainty, tuple(clues))


def _by_field(headings: Iterable[str]) -> dict[str, list[str]]:
    """Return the headings that name each field; a heading names one at most."""
    named: dict[str, list[str]] = {field: [] for field in SUBJECTS}
    for heading in headings:
        spaced = heading.replace("_", " ")  # as in `sci_history` of FB2
        field = next((field for field, words in SUBJECTS.items() if words.search(spaced)), None)
        if field is not None:
            named[field].append(heading)
    return named


def _of_subjects(headings: Sequence[str]) -> float:
    """Return the evidence of the headings that name a field."""
    if not headings:
        return 0.0
    return min(_FIRST_SUBJECT + _FURTHER_SUBJECT * (len(headings) - 1), _MOST_SUBJECTS)


def _of_words(field: str, counts: Counter[str]) -> float:
    """Return the evidence of a text for a field: none if it has few of its words, never any against it."""
    total = counts.total() + _FEW_WORDS
    most = _MOST_OF_ONE * total / 1000
    rate = 1000 * sum(min(counts[word], most) for word in WORDS[field] if word in counts) / total
    if not rate:
        return 0.0
    evidence = _RATE * log(rate / RATES[field]) - (_against_a_story(counts) if field == LITERATURE else 0.0)
    return min(max(evidence, 0.0), _MOST_WORDS) * min(counts.total() / _ENOUGH_WORDS, 1.0)


def _against_a_story(counts: Counter[str]) -> float:
    """Return the evidence that a text with the words of a story explains or argues."""
    total = counts.total() + _FEW_WORDS
    statements = sum(counts[word] for word in STATEMENTS)
    abstract = sum(n for word, n in counts.items() if len(word) >= _NOUN_LETTERS and _NOUN.fullmatch(word))
    rates = ((1000 * statements / total, _STATEMENTS), (1000 * abstract / total, _ABSTRACT))
    return sum(_NOT_NARRATED * log(max(rate / usual, 1.0)) for rate, usual in rates)


def _sample(text: str) -> str:
    """Return a text, or pieces from all over a long one."""
    if len(text) <= _SLICES * _SLICE:
        return text
    step = len(text) // _SLICES
    return " ".join(text[i * step : i * step + _SLICE] for i in range(_SLICES))
