"""Quotations are found and compared word by word, and what they say stands there is there."""

import random

import pytest

from alexandria.library.search.alignment import Letters
from alexandria.library.search.comparison import QuotedText, places_of_quotation, quoted_text, span_of
from alexandria.store.letters import BookLetters, letters_of_book, parse_letters
from alexandria.store.passage import Passage

RUSSELL = (
    "Thus, to sum up our discussion of the value of philosophy; Philosophy is to be studied, not for the "
    "sake of any definite answers to its questions, since no definite answers can, as a rule, be known to be "
    "true, but rather for the sake of the questions themselves; because these questions enlarge our "
    "conception of what is possible, enrich our intellectual imagination and diminish the dogmatic "
    "assurance which closes the mind against speculation. To-day we are compelled to reside there "
    "in person, having no other state."
)
HAMLET = "Above all: to thine ownself be true,\nAnd it must follow, as the night the day,\nThou canst not."


def book_of(text: str) -> BookLetters:
    book = parse_letters(letters_of_book([Passage(id="", payload={"text": text, "start": 0})]))
    assert book is not None
    return book


BOOKS = [book_of(RUSSELL), book_of(HAMLET)]


def compared(text: str) -> tuple[QuotedText, list[tuple[str, str]] | None]:
    """Return a quotation, and the words that differ, its own and the book's; None if it stands nowhere."""
    quoted = quoted_text(text)
    places = places_of_quotation(quoted, BOOKS)
    if not places or not places[0].is_near(quoted):
        return quoted, None
    book, changes = [RUSSELL, HAMLET][places[0].book], []
    letters = Letters.of(book)
    for change in places[0].changes:
        start, end = quoted.span(change)
        first, stop = span_of(letters, change.book_start, change.book_end, len(book))
        changes.append((text[start:end], book[first:stop]))
    return quoted, changes


def test_a_quotation_stands_there() -> None:
    cases = {
        "as it is": "for the sake of the questions themselves",
        "case": "Rather For The Sake of the questions",
        "divided words": "enrich our intel-\nlectual imagination and dimin\u00adish",
        "hyphen left out": "today we are compelled to reside there",
        "omission": "to be studied … but rather for the sake of the questions",
        "spaced dots": "to be studied, . . . but rather for the sake",
        "dots in brackets": "to be studied [...] but rather for the sake",
        "dots around": "… since no definite answers can, as a rule, be known …",
        "first letter": "[p]hilosophy is to be studied, not for the sake",
        "words put in": "Philosophy [he says] is to be studied, not for the sake",
        "a word replaced": "since no [clear] answers can, as a rule, be known",
        "sic": "enrich [sic] our intellectual imagination",
        "a remark": "enrich our intellectual imagination [my emphasis]",
        "verse": "to thine ownself be true, / And it must follow",
        "few words": "as the night the day",
    }
    for text in cases.values():
        assert compared(text)[1] == []


def test_words_that_differ_are_named() -> None:
    cases: dict[str, tuple[str, list[tuple[str, str]]]] = {
        "a word": ("for the sake of the answers themselves", [("answers", "questions")]),
        "an ending": ("since no definite answer can, as a rule", [("answer", "answers")]),
        "a negation": ("since definite answers can, as a rule, be known", [("", "no")]),
        "a word put in": ("enrich our whole intellectual imagination", [("whole", "")]),
        "a word left out": ("and diminish the assurance which closes the mind", [("", "dogmatic")]),
        "after an omission": ("to be studied … but rather for the love of the questions", [("love", "sake")]),
        "at the end": ("Philosophy is to be studied, not for their sake at all", [("their", "the")]),
        "part of a word": ("enlarge our concept of what is possible", [("concept", "conception")]),
        "moved": ("And it must follow, as the day the night", [("day", "night"), ("night", "day")]),
    }
    for text, changes in cases.values():
        found = compared(text)[1]
        assert found is not None
        assert found[: len(changes)] == changes


def test_what_stands_nowhere_is_not_found() -> None:
    cases = [
        "a sentence that sounds right and stands nowhere in these books",
        "the value of a rule is the sake of the day",
        "",
    ]
    for text in cases:
        assert compared(text)[1] is None


@pytest.mark.parametrize("seed", range(3))
def test_one_changed_word_of_a_passage_is_the_one_that_is_named(seed: int) -> None:
    chance = random.Random(seed)
    vocabulary = [
        f"{a}{b}{c}" for a in "bdglmnr" for b in ("are", "one", "ist", "uvo") for c in ("n", "th", "k")
    ]
    text = " ".join(chance.choice(vocabulary) for _ in range(3_000))
    book, words = book_of(text), text.split()
    for _ in range(20):
        start = chance.randrange(len(words) - 40)
        own = words[start : start + chance.randrange(8, 40)]
        i = chance.randrange(len(own))
        quoted = quoted_text(" ".join([*own[:i], "zzz", *own[i + 1 :]]))
        best = places_of_quotation(quoted, [book])[0]
        assert best.is_near(quoted)
        assert [quoted.text[slice(*quoted.span(change))] for change in best.changes] == ["zzz"]


def test_dots_stand_for_3000_letters_and_a_quarter_of_the_words_after_them() -> None:
    before, after = "Bonaru tilgemo sefkani wodlupe hyrbast jeqomiv", "dargone vistuvo marethk"
    quoted = quoted_text(f"{before} … {after}")
    for n_letters, n_changes in ((3_005, 0), (3_006, 1)):  # of 21 letters, a quarter is 5
        best = places_of_quotation(quoted, [book_of(f"{before} {'x' * n_letters} {after}")])[0]
        assert len(best.changes) == n_changes


def test_a_text_of_many_pages_is_compared_part_by_part() -> None:
    words = [f"word{n}x{n % 7}" for n in range(8_000)]
    book = book_of(" ".join(words))
    whole = quoted_text(" ".join(words))
    assert places_of_quotation(whole, [book])[0].changes == ()
    without = quoted_text(" ".join(words[:4_000] + words[4_001:]))
    assert len(places_of_quotation(without, [book])[0].changes) == 1
