"""What the few hundred words around a gap say: how much of it is talk, and which names are new."""

from collections.abc import Sequence

import pytest

from alexandria.book.model import BlockKind, Book, Metadata, Sentence
from alexandria.chunking.cues.surroundings import (
    is_in_single_marks,
    new_names,
    speaker_of,
    speech_by_block,
    speech_spans,
    talk_after,
    turns_of_play,
)
from alexandria.chunking.sentences import split
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, bind

RAIN = "The rain fell on the old harbour all day and all night."
"""Twelve words."""


def book_of(paragraphs: Sequence[str], language: str = "en") -> tuple[Book, tuple[Sentence, ...]]:
    blocks = tuple(DraftBlock(BlockKind.PARAGRAPH, text) for text in paragraphs)
    draft = Draft(Metadata("T", language=language), (DraftSection((), 0, None, blocks),))
    book = bind(draft, id="0" * 64, source="t.txt", format="txt")
    return book, split(book)


def test_speech_is_between_its_marks() -> None:
    cases: dict[str, tuple[str, list[str]]] = {
        "English": ("“Yes,” said Ann. “No.”", ["“Yes,", "“No."]),
        "nothing closes it": ("“Yes, and I mean", ["“Yes, and I mean"]),
        "straight": ('"Yes," said Ann.', ['"Yes,"']),
        "German": ("„Ja“, sagte Anna.", ["„Ja"]),
        "German, pointed": ("»Ja«, sagte Anna.", ["»Ja"]),
        "French": ("« Oui », dit Anne.", ["« Oui "]),
        "a dash": ("— Oui, dit Anne.", ["— Oui, dit Anne."]),
        "a dash inside": ("The tide — it was late — came.", []),
        "an apostrophe": ("Nobody spoke. It’s late.", []),
    }
    for text, spoken in cases.values():
        assert [text[start:end] for start, end in speech_spans(text, single=False)] == spoken


def test_single_marks_are_speech_where_a_book_uses_them() -> None:
    text = "‘It’s late,’ said Ann, ‘and the boys’ boat’s gone.’"
    assert is_in_single_marks(text)
    assert not is_in_single_marks("“It’s late,” said Ann, “as ‘late’ goes.”")
    spans = speech_spans(text, single=True)
    assert text[slice(*spans[0])] == "‘It’s late,’"
    assert speech_spans(text, single=False) == []


def test_talk_counts_by_its_share_of_the_next_hundred_words() -> None:
    speech = "“" + RAIN[:-1] + ",” said he."  # 14 words, 12 of them spoken
    book, sentences = book_of([RAIN] * 10 + [speech] * 10 + [RAIN] * 10)
    shares = talk_after(book, sentences, speech_by_block(book, range(len(book.blocks))))
    assert shares[0] == 0  # a hundred words later it has not begun
    assert 0 < shares[5] < shares[8] < shares[10]
    assert shares[10] == pytest.approx(12 / 14, abs=0.03)
    assert shares[-1] == 0


def test_a_name_is_new_where_it_was_not_said_for_some_time() -> None:
    before = [RAIN] * 40
    book, sentences = book_of(
        [*before, "On the quay stood Ben.", "Then old Ben left.", *before, "Here is Ben."]
    )
    strengths = new_names(book, sentences)
    assert strengths[40] == pytest.approx(1 / 3)
    assert strengths[41] == 0  # he has just been named
    assert strengths[-1] == pytest.approx(1 / 3)  # forgotten by now
    assert strengths[0] == 0


def test_names_are_words_with_capitals_inside_sentences() -> None:
    cases = {
        "three": ("There were Ann, Ben and Eva.", "en", 3),
        "more make no difference": ("There were Ann, Ben, Eva and Tom.", "en", 3),
        "the first words of sentences": ("Rain fell. Snow fell.", "en", 0),
        "a word that has a capital once": ("There is Hope here, and hope, and hope.", "en", 0),
        "German nouns": ("Dort waren Haus und Hof.", "de", 0),
        "Cyrillic": ("Здесь жила Анна.", "ru", 1),
    }
    for text, language, n_new in cases.values():
        book, sentences = book_of([text], language)
        assert new_names(book, sentences)[0] == pytest.approx(n_new / 3)


PLAY = [
    *(
        *("Ann\nWho is there?", "Ben\nOnly I.", "Ann\nThen come in.", "Ann\nShut the door.", "Enter Cole."),
        "Cole\nGood morrow.",
    ),
    *("Ben\nWhat news?", "Cole\nNone.", "Ann\nThen sit.", "Cole\nI will.", "Ben\nSo be it.", "Ann\nAy."),
    *("Ben\nAnd now?", "Cole\nNow we wait."),
]


@pytest.mark.parametrize(
    "name_ends", ["{}\n", "{}: ", "{}. "], ids=["on a line of its own", "a colon", "capitals and a full stop"]
)
def test_turns_of_a_play_continue_it_and_a_direction_begins_something(name_ends: str) -> None:
    paragraphs = [
        name_ends.format(head.upper() if "." in name_ends else head) + speech if speech else head
        for head, _, speech in (paragraph.partition("\n") for paragraph in PLAY)
    ]
    book, _ = book_of(paragraphs)
    turns = turns_of_play(book, range(len(paragraphs)))
    entrance = PLAY.index("Enter Cole.")
    assert entrance not in turns
    assert turns[entrance + 1] == 1
    goes_on = PLAY.index("Ann\nShut the door.")  # the same speaker
    assert goes_on not in turns
    others = {*range(1, len(PLAY))} - {entrance, entrance + 1, goes_on}
    assert {number: turns.get(number) for number in others} == dict.fromkeys(others, 0.2)


def test_a_direction_has_25_words_at_most() -> None:
    entrance = PLAY.index("Enter Cole.")
    for n_words, turn in ((25, 1), (26, 0)):
        direction = " ".join(["word"] * n_words) + "."
        book, _ = book_of([*PLAY[:entrance], direction, *PLAY[entrance + 1 :]])
        assert turns_of_play(book, range(len(PLAY)))[entrance + 1] == turn


def test_the_name_of_a_speaker_has_four_words_at_most() -> None:
    assert speaker_of("Old Ben of Marsh: Only I.") == "old ben of marsh"
    assert speaker_of("Old Ben of the Marsh: only he was there.") == ""


def test_prose_has_no_turns_of_a_play() -> None:
    cases: dict[str, list[str]] = {
        "prose": [f"{head}. The sea rose in the night." for head in ("Yes", "No") * 5],
        "initials": [f"{head}. B. Low was a miller." for head in ("J", "H") * 5],
        "each once": [f"The keeper of {head}: he lived there." for head in "ABCDEFGHIJ"],
        "one alone": ["Refrain\nThe tide comes in.", "The sea rose."] * 5,
        "no name": [f"{head}, he said, and left." for head in ("Ann", "Ben") * 5],
        "too few": ["Ann\nWho is there?", "Ben\nOnly I."],
    }
    for paragraphs in cases.values():
        book, _ = book_of(paragraphs)
        assert not any(turns_of_play(book, range(len(paragraphs))).values())


def test_questions_and_answers_take_turns() -> None:
    book, _ = book_of([f"{head}. What did he say?" for head in ("Q", "A") * 5])
    assert len(turns_of_play(book, range(10))) == 9
