"""Guesses the domain of a book from its subject headings, its title and its words, without a model.

The evidence for each field is added up in natural logarithms of odds.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log

from alexandria.book.model import Book
from alexandria.chunking.domains.fields import DEFAULT_DOMAIN, LITERATURE, RATES, STATEMENTS, SUBJECTS, WORDS

AUTO = "auto"  # given in place of a domain: the domain of each book is guessed
MIN_CERTAINTY = 0.75  # lowest probability of a field that is chosen

_NO_FIELD = 2.0
"""Evidence that the book is of no field: a single subject heading does not outweigh it by enough."""
_FIRST_SUBJECT = 3.0  # evidence of the first subject heading that names a field
_FURTHER_SUBJECT = 1.0  # evidence of each further subject heading
_MAX_SUBJECTS = 6.0  # most evidence of all subject headings
_TITLE = 1.5  # evidence of a title that names a field
_WORD_WEIGHT = 4.5  # evidence of words that are e times as frequent as `RATES` says
_MAX_WORD_EVIDENCE = 6.0  # most evidence of all words
_MAX_OF_ONE_WORD = 5
"""Occurrences of one word that count, per thousand words: `said` alone, as in a newspaper, makes no novel."""
_USUAL_STATEMENTS = 15
"""Words of statements per thousand words that a story may have. A case history or a dialogue about ideas has
the words of a story, but more of these."""
_USUAL_ABSTRACT_NOUNS = 14  # abstract nouns per thousand words that a story may have, likewise
_NOT_NARRATED = 2.0
"""Evidence against a story if it has e times as many statements, or abstract nouns, as usual."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_ABSTRACT_NOUN = re.compile(r"\w*(?:tion|ment|ness|ism|ance|ence)s?|\w*it(?:y|ies)")
_MIN_NOUN_LETTERS = 7  # shorter words with such an ending, like `city` and `once`, are not abstract nouns
_EXTRA_WORDS = 400
"""Added to the number of words in a text, so that a dozen words in a short one give no high rate."""
_ENOUGH_WORDS = 1000  # in a shorter text, the evidence of words counts less
_N_SLICES = 20  # number of pieces, evenly spread, that are read of a long text
_SLICE_CHARACTERS = 20_000  # length of each piece


@dataclass(frozen=True, slots=True)
class Guess:
    """The field that a book is most probably of."""

    field: str | None
    """The most probable field, whether it is certain or not; None if nothing points to any field."""
    certainty: float  # the probability of that field, in [0, 1], among all fields and none
    clues: tuple[str, ...] = ()  # what points to the field: subject headings, the title, words

    @property
    def domain(self) -> str:
        """The domain of that field, or `default` if the field is not certain enough."""
        return self.field if self.field is not None and self.certainty >= MIN_CERTAINTY else DEFAULT_DOMAIN

    def __str__(self) -> str:
        """Return the guess in words."""
        if self.field is None:
            return f"domain {self.domain}: nothing indicates the field of this book"
        if self.domain != self.field:
            return f"domain {self.domain}: {self.field} is too uncertain ({self.certainty:.2f})"
        clues = f" from {', '.join(self.clues)}" if self.clues else ""
        return f"domain {self.domain}, guessed{clues} (certainty {self.certainty:.2f})"


def guess_field(book: Book) -> Guess:
    """Return the field that a book is most probably of, by its subjects, its title and its words.

    Subject headings and the title count in any language, as far as `fields` has the words; the words of the
    text count in English and, for some fields, in German, French, Spanish and Italian.
    """
    subjects = _headings_by_field(book.metadata.subjects)
    titles = _headings_by_field((book.title,))
    counts = Counter(_WORD.findall(_sample_text(book.text).lower()))
    word_evidence = {field: _word_evidence(field, counts) for field in SUBJECTS}
    log_odds = {
        field: _subject_evidence(subjects[field]) + _TITLE * len(titles[field]) + word_evidence[field]
        for field in SUBJECTS
    }
    best = max(log_odds, key=lambda field: log_odds[field])
    if not log_odds[best]:
        return Guess(None, 0.0)
    total_odds = exp(_NO_FIELD) + sum(map(exp, log_odds.values()))
    certainty = exp(log_odds[best]) / total_odds
    typical = sorted(WORDS[best] & counts.keys(), key=lambda word: (-counts[word], word))  # frequent first
    clues = [f"the subject “{subject}”" for subject in subjects[best][:1]]
    clues += ["its title"] * len(titles[best])
    if typical and word_evidence[best] > 0:
        clues.append(f"words like {', '.join(typical[:3])}")
    return Guess(best, certainty, tuple(clues))


def _headings_by_field(headings: Iterable[str]) -> dict[str, list[str]]:
    """Return the headings that name each field of `SUBJECTS`, by field; the list of a field may be empty."""
    # A heading counts for the first field that it names.
    by_field: dict[str, list[str]] = {field: [] for field in SUBJECTS}
    for heading in headings:
        spaced = heading.replace("_", " ")  # the genres of FB2 are written as in `sci_history`
        field = next((field for field, words in SUBJECTS.items() if words.search(spaced)), None)
        if field is not None:
            by_field[field].append(heading)
    return by_field


def _subject_evidence(headings: Sequence[str]) -> float:
    if not headings:
        return 0.0
    return min(_FIRST_SUBJECT + _FURTHER_SUBJECT * (len(headings) - 1), _MAX_SUBJECTS)


def _word_evidence(field: str, counts: Counter[str]) -> float:
    """Return the evidence of the words of a text for a field, at least 0."""
    # A lack of the field's words is no evidence against it.
    # `field`: one of `WORDS`.
    # `counts`: how often each word occurs, by word in lower case.
    n_words = counts.total() + _EXTRA_WORDS
    max_count = _MAX_OF_ONE_WORD * n_words / 1000
    n_typical = sum(min(counts[word], max_count) for word in WORDS[field] if word in counts)
    rate = 1000 * n_typical / n_words  # per thousand words
    if not rate:
        return 0.0
    evidence = _WORD_WEIGHT * log(rate / RATES[field])
    if field == LITERATURE:
        evidence -= _evidence_against_story(counts)
    weight_of_short_text = min(counts.total() / _ENOUGH_WORDS, 1.0)
    return min(max(evidence, 0.0), _MAX_WORD_EVIDENCE) * weight_of_short_text


def _evidence_against_story(counts: Counter[str]) -> float:
    """Return the evidence that a text with the words of a story explains or argues instead; at least 0."""
    n_words = counts.total() + _EXTRA_WORDS
    n_statements = sum(counts[word] for word in STATEMENTS)
    n_abstract = sum(
        n for word, n in counts.items() if len(word) >= _MIN_NOUN_LETTERS and _ABSTRACT_NOUN.fullmatch(word)
    )
    rates_and_usual_rates = (
        (1000 * n_statements / n_words, _USUAL_STATEMENTS),
        (1000 * n_abstract / n_words, _USUAL_ABSTRACT_NOUNS),
    )
    # A rate below the usual one is no evidence for a story: its logarithm would be negative.
    return sum(_NOT_NARRATED * log(max(rate / usual, 1.0)) for rate, usual in rates_and_usual_rates)


def _sample_text(text: str) -> str:
    """Return the whole text; if it is long, pieces of it that are evenly spread."""
    if len(text) <= _N_SLICES * _SLICE_CHARACTERS:
        return text
    step = len(text) // _N_SLICES
    return " ".join(text[i * step : i * step + _SLICE_CHARACTERS] for i in range(_N_SLICES))
