"""What the text around a gap says: each cue by small examples, and counterexamples that must stay without."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from alexandria.book.model import BlockKind, Metadata
from alexandria.chunking.cues.find import _MAX_PHRASE_WORDS, Cue, Cues, DeferredCues, _first_words, find_cues
from alexandria.chunking.cues.words import CUE_WORDS
from alexandria.chunking.sentences import split
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind
from tests.chunking.builders import random_rows, sizes_with

P, QUOTE, VERSE, ITEM, CODE = (
    BlockKind.PARAGRAPH,
    BlockKind.QUOTE,
    BlockKind.VERSE,
    BlockKind.LIST_ITEM,
    BlockKind.CODE,
)
LONG = "The harbour lay open to the west and the ships came in on the evening tide. " * 16
TEXT = LONG + "Nobody was left."


def cues(
    before: str, after: str, *, kinds: Sequence[BlockKind] = (P, P), language: str | None = "en"
) -> dict[Cue, float]:
    """Return the cues between two blocks, by strength."""
    blocks = tuple(DraftBlock(kind, text) for kind, text in zip(kinds, (before, after), strict=True))
    draft = Draft(Metadata("T", language=language), (DraftSection((), 0, None, blocks),))
    book = bind(draft, id="0" * 64, source="t.txt", format="txt")
    sentences = split(book)
    gap = next(i for i, sentence in enumerate(sentences) if sentence.block == 1)
    return {cue: float(column[gap]) for cue, column in find_cues(book, sentences).items() if column[gap]}


def after(opening: str) -> str:
    return f"{opening} {LONG}"


CASES = [
    pytest.param(TEXT, after("He went home."), {Cue.POINTS_BACK, Cue.PRONOUNS}, id="a pronoun"),
    pytest.param(
        TEXT, after("It is raining in Oslo."), {Cue.PRONOUNS}, id="a pronoun that points at nothing"
    ),
    pytest.param(TEXT, after("Again, people differ."), {Cue.REFERS_BACK}, id="again"),
    pytest.param(TEXT, after("Men of such a mind stay."), {Cue.REFERS_BACK}, id="such"),
    pytest.param(TEXT, after("Here he met them."), {Cue.PRONOUNS, Cue.ARRIVAL}, id="pronouns, a meeting"),
    pytest.param(TEXT, after("At last Ann arrived."), {Cue.ARRIVAL}, id="an arrival"),
    pytest.param(TEXT, after("Oslo slept when evening came."), {Cue.NEW_TIME}, id="a time, later"),
    pytest.param(TEXT + " Smith writes:—", after("Trade is old."), {Cue.LEAD_IN, Cue.UNFINISHED}, id="colon"),
    pytest.param(TEXT + " Note the following.", after("Trade is old."), {Cue.LEAD_IN}, id="announced"),
    pytest.param(LONG + " the ships of", after("Oslo sailed."), {Cue.UNFINISHED}, id="no full stop"),
    pytest.param(TEXT, "and so on. " + LONG, {Cue.POINTS_BACK, Cue.UNFINISHED}, id="lower case"),
    pytest.param(TEXT + " Was it true?", after("Oslo slept."), {Cue.QUESTION}, id="a question"),
    pytest.param(TEXT, after("“Stop!” cried Ann."), {Cue.SPEECH}, id="speech begins"),
    pytest.param(after("“Stop!” cried Ann."), after("“Why?” asked Ben."), {Cue.SPEECH}, id="speech long ago"),
    pytest.param(LONG + "“Stop!” cried Ann.", after("“Never,” said Ben."), {Cue.TURN}, id="an answer"),
    pytest.param(LONG + '"Stop!" cried Ann.', after('"Never," said Ben.'), {Cue.TURN}, id="straight marks"),
    pytest.param(LONG + "„Halt!“ rief Ann.", after("„Nie“, rief Ben."), {Cue.TURN}, id="German marks"),
    pytest.param(
        LONG + "„Halt!“", after("Oslo slept."), {Cue.TALK_ENDS}, id="German speech ends the paragraph"
    ),
    pytest.param("„" + TEXT, "„Oslo slept. " + LONG, set(), id="one German speaker, next paragraph"),
    pytest.param("« Non ! » " + LONG + "« Oui. »", "— Si, dit-il. " + LONG, {Cue.TURN}, id="dash"),
    pytest.param("“" + TEXT, "“Oslo slept. " + LONG, set(), id="one speaker, next paragraph"),
    pytest.param(TEXT, after("The next day Ann slept."), {Cue.NEW_TIME}, id="the next day"),
    pytest.param(TEXT, after("September 14th.—Rain."), {Cue.NEW_TIME}, id="a date"),
    pytest.param(TEXT, after("5th.—Rain."), {Cue.NEW_TIME}, id="a diary's day"),
    pytest.param(TEXT, after("In 1848 Paris rose."), {Cue.NEW_TIME}, id="a year"),
    pytest.param(TEXT, after("The days were long."), {Cue.NEW_TIME}, id="days"),
    pytest.param(TEXT, after("The harbour was old."), set(), id="nothing"),
    pytest.param(
        LONG + "“Stop!” cried Ann.", after("Ben smiled."), {Cue.TALK_ENDS, Cue.REACTION}, id="a reaction"
    ),
    pytest.param(LONG + "“Stop!” cried Ann.", after("Oslo slept."), {Cue.TALK_ENDS}, id="a talk is over"),
    pytest.param(TEXT, after("Oslo is smiled upon."), set(), id="no speech, no reaction"),
]


def test_a_term_begins_an_entry_which_ends_at_the_next() -> None:
    texts = {
        "Floe": ITEM,
        f"Ice that drifts. {LONG}.": ITEM,
        "The ice,\nThe sea.": VERSE,
        "Fog": ITEM,
        TEXT: ITEM,
    }
    blocks = tuple(DraftBlock(kind, text) for text, kind in texts.items())
    draft = Draft(Metadata("T"), (DraftSection((), 0, None, blocks),))
    book = bind(draft, id="0" * 64, source="t.txt", format="txt")
    sentences = split(book)
    found = find_cues(book, sentences)
    definition, verse, fog, weather = (
        next(i for i, sentence in enumerate(sentences) if sentence.block == block) for block in range(1, 5)
    )
    assert [found[Cue.LIST][i] for i in (definition, verse, fog, weather)] == [1, 1, 0, 1]
    assert found[Cue.SHORT_PARAGRAPH][fog] < found[Cue.SHORT_PARAGRAPH][verse] + 0.01


@pytest.mark.parametrize(("before", "following", "expected"), CASES)
def test_the_text_on_both_sides_gives_cues(before: str, following: str, expected: set[Cue]) -> None:
    # How much talk follows and who is new does not depend on these two texts alone.
    assert set(cues(before, following)) - {Cue.TALK, Cue.NEW_NAME} == expected


def test_the_kinds_of_blocks_give_cues() -> None:
    cases: dict[str, tuple[Sequence[BlockKind], set[Cue]]] = {
        "paragraphs": ((P, P), set()),
        "a quotation begins": ((P, QUOTE), {Cue.QUOTATION}),
        "a quotation goes on": ((QUOTE, QUOTE), {Cue.SAME_QUOTATION}),
        "verse in it": ((QUOTE, VERSE), {Cue.SAME_QUOTATION}),
        "a quotation is over": ((QUOTE, P), set()),
        "a list begins": ((P, ITEM), {Cue.LIST}),
        "a list goes on": ((ITEM, ITEM), {Cue.LIST}),
        "code, and what explains it": ((CODE, P), {Cue.LIST}),
        "a list is over": ((ITEM, P), set()),
    }
    for kinds, expected in cases.values():
        assert set(cues(TEXT, after("The harbour was old."), kinds=kinds)) == expected


def test_short_paragraphs_count_by_how_short_they_are() -> None:
    """By the logarithm: from 1 for a paragraph without words to 0 for one of 200."""
    four, three = (1 - math.log(n + 1) / math.log(201) for n in (4, 3))
    assert cues(TEXT, "The harbour was old.")[Cue.SHORT_PARAGRAPH] == pytest.approx(four / 4)
    both = cues("Nobody was left.", "The harbour was old.")[Cue.SHORT_PARAGRAPH]
    assert both == pytest.approx((three + four) / 4 + four / 2)  # the longer one counts most


def test_each_language_has_its_words() -> None:
    cases = [
        ("de-AT", "Deshalb blieb Anna.", Cue.POINTS_BACK),
        ("fr", "Le lendemain, Anne partit.", Cue.NEW_TIME),
        ("es", "Por fin llegó Ana.", Cue.ARRIVAL),
        ("de", "Endlich kam Anna.", Cue.ARRIVAL),
        ("fr", "L’année suivante, Anne partit.", Cue.NEW_TIME),
        ("fr", "Enfin Jeanne s’éveilla.", Cue.ARRIVAL),
        ("it", "Il giorno dopo Anna partì.", Cue.NEW_TIME),
        ("it", "L'anno seguente Anna partì.", Cue.NEW_TIME),
        ("nl", "Eindelijk kwam Anna.", Cue.ARRIVAL),
        ("nl", "'s Avonds kwam Jan.", Cue.NEW_TIME),
        ("hr", "Stoga je Ana ostala.", Cue.POINTS_BACK),
        ("la", "Itaque Anna mansit.", Cue.POINTS_BACK),
    ]
    for language, opening, cue in cases:
        assert cue in cues(TEXT, after(opening), language=language)
        assert cue not in cues(TEXT, after(opening), language="fi")


def test_a_language_without_words_has_the_cues_of_layout() -> None:
    assert set(cues(LONG + "Onko totta?", "Ei. " + LONG, kinds=(P, QUOTE), language="fi")) == {
        Cue.QUESTION,
        Cue.QUOTATION,
    }


def test_words_are_written_as_they_are_compared() -> None:
    for words in CUE_WORDS.values():
        for listed in (words.openers, words.references, words.arrivals, words.pronouns, words.times):
            assert all(word == word.casefold() and word and " " not in word for word in listed)
        for phrases in (words.impersonal, words.announcements, words.reactions):
            assert all(phrase == phrase.casefold().strip() and phrase for phrase in phrases)


@pytest.mark.parametrize("language", list(CUE_WORDS))
def test_every_listed_word_can_be_found(language: str) -> None:
    """Each is one of the words that a text with it is split into."""
    words = CUE_WORDS[language]
    for word in words.openers | words.references | words.pronouns | words.times | words.time_openers:
        text = f"{word}ami" if word in words.elisions else f"{word} x"
        assert _first_words(text, 1, words) == [word]
    for phrase in words.impersonal:
        text = phrase.replace("' ", "'")
        assert " ".join(_first_words(text, _MAX_PHRASE_WORDS, words)) == phrase


def test_a_short_sentence_has_no_cue_of_the_next_one() -> None:
    draft = Draft(
        Metadata("T", language="en"),
        (DraftSection((), 0, None, (DraftBlock(P, "Rain fell. Oslo slept. Life is such."),)),),
    )
    book = bind(draft, id="0" * 64, source="t.txt", format="txt")
    assert find_cues(book, split(book))[Cue.REFERS_BACK].tolist() == [0, 0, 1]


def test_deferred_cues_are_found_once_and_only_when_read() -> None:
    calls: list[int] = []

    def find() -> Cues:
        calls.append(1)
        return {Cue.LIST: np.ones(3, np.float32)}

    cues = DeferredCues(find)
    sizes = replace(sizes_with([1, 1, 1]), cues=cues)
    part = sizes.subset(1, 3)
    UniversalSemantic().segment(random_rows(3), sizes)
    assert not calls
    assert part.cues[Cue.LIST].tolist() == [1, 1]
    assert (len(cues), list(cues), calls) == (1, [Cue.LIST], [1])


def test_a_book_has_no_cue_before_its_first_sentence() -> None:
    draft = Draft(Metadata("T", language="en"), (DraftSection((), 0, None, (DraftBlock(P, "He left."),)),))
    book = bind(draft, id="0" * 64, source="t.txt", format="txt")
    assert not find_cues(book, split(book))
