"""Every place of a quotation is found, whatever its words, and nothing inside a word."""

import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.book.words import MARKS, letters_and_borders, letters_of
from alexandria.library.search.alignment import Letters
from alexandria.library.search.differences import differences
from alexandria.library.search.places import LetterPlace, places_in, slips_allowed
from alexandria.store.letters import BookLetters, letters_of_book, parse_letters, signature_rows
from alexandria.store.passage import Passage
from tests.distances import distance
from tests.scripts import SCRIPTS, Script

WORDS = re.findall(
    r"\w+",
    "the of and to a in that it is was he for on are as with his they at be this from I have or by one",
)
LETTERS = "etaoinshrdlu"


def book_of(*texts: str, notes: Sequence[str] = ()) -> BookLetters:
    payloads = [{"text": text, "start": 0} for text in texts]
    payloads[-1] |= {"notes": list(notes), "note_marks": " ".join(["7"] * len(notes))}
    book = parse_letters(
        letters_of_book([Passage(id="", payload=payload) for payload in payloads]), check=True
    )
    assert book is not None
    return book


def found(book: BookLetters, quotation: str) -> list[str]:
    letters = letters_of(quotation)
    return [
        book.text(place.start, place.end) for place in places_in(book, letters, slips_allowed(len(letters)))
    ]


def with_slips(letters: str, n: int, chance: random.Random) -> str:
    for _ in range(n):
        i = chance.randrange(len(letters))
        kind = chance.randrange(3)
        new = chance.choice(LETTERS) if kind else ""
        letters = letters[:i] + new + letters[i + (kind != 1) :]
    return letters


@pytest.mark.parametrize("seed", range(4))
def test_every_stretch_of_common_words_is_found_with_and_without_slips(seed: int) -> None:
    chance = random.Random(seed)
    words = [chance.choice(WORDS) for _ in range(9_000)]
    chunks = [" ".join(words[i : i + 150]) for i in range(0, len(words), 150)]
    book = book_of(*chunks)
    for _ in range(60):
        first, n = chance.randrange(len(words) - 40), chance.choice((3, 5, 8, 12, 40))
        letters = "".join(words[first : first + n]).lower()
        start = len("".join(words[:first]))
        if len(letters) < 6:
            continue
        for slips in {0, slips_allowed(len(letters))}:
            asked = with_slips(letters, slips, chance)
            if slips_allowed(len(asked)) < slips:
                continue
            places = places_in(book, asked, slips_allowed(len(asked)))
            assert any(place.start < start + len(letters) and start < place.end for place in places), (
                letters,
                asked,
            )
            for place in places:
                assert distance(asked, book.text(place.start, place.end)) == place.distance
                assert place.distance <= slips_allowed(len(asked))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.language)
@given(data=st.data())
def test_letters_are_counted_alike_in_a_text_and_in_a_book(script: Script, data: st.DataObject) -> None:
    letters = re.findall(rf"[^{MARKS}][{MARKS}]*", script.text)
    parts = st.sampled_from([*letters, *"aé ’'-_1½ﬁæŒ", "e\u0301", "a\u200cb"])
    text = "".join(data.draw(st.lists(parts, max_size=30)))
    assert Letters.of(text).text == letters_of(text) == letters_and_borders(text)[0]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.language)
def test_stretches_in_every_script_are_found(script: Script) -> None:
    text = script.text
    book = book_of("Nothing here.", text)
    words = re.findall(r"\S+", text)
    for i in range(len(words)):
        for n in (1, 3):
            quotation = " ".join(words[i : i + n])
            if len(letters_of(quotation)) >= 6:
                assert letters_of(quotation) in found(book, quotation)


def test_a_place_is_whole_words_within_the_slips() -> None:
    cases: list[tuple[str, str, list[str]]] = [
        ("A part is anything.", "art is any", []),
        ("A part is anything.", "part is anything", ["partisanything"]),
        ("To thine ownself be true.", "to thine own self be true", ["tothineownselfbetrue"]),
        ("Ha ha ha ha ha ha ha.", "ha ha ha", ["hahaha", "hahaha"]),
        ("He said it. Then he said it.", "he said it", ["hesaidit", "hesaidit"]),
        ("The whale swam.", "whales swam", []),  # ten letters: no slip is allowed
        ("The great whale swam on.", "great whales swam", ["greatwhaleswam"]),
        ("The great whale swam on.", "great wales sam", []),
        ("灯塔是谁建的", "谁建的", ["谁建的"]),
    ]
    for text, quotation, places in cases:
        assert found(book_of(text), quotation) == places


def test_a_place_goes_on_across_a_cut_and_not_into_a_note() -> None:
    book = book_of("It was a bright", "cold day in April.", notes=["In April the clocks", "struck thirteen"])
    assert found(book, "a bright cold day in April") == ["abrightcolddayinapril"]
    assert found(book, "day in April in April the clocks") == []
    [place] = places_in(book, letters_of("april the clocks"), 1)
    assert place.start >= book.n_text
    assert (book.chunk_at(place.start), book.chunk_at(0), book.chunk_at(12)) == (1, 0, 1)
    assert found(book, "the clocks struck thirteen") == []


def test_the_pieces_that_one_block_may_have_are_counted_by_its_signature() -> None:
    chance = random.Random(3)
    texts = [" ".join("".join(chance.choices(LETTERS, k=6)) for _ in range(8_000)) for _ in range(3)]
    letters = letters_of(texts[1])
    near, far = [letters[i : i + 10] for i in range(9_000, 9_400, 100)], letters[40_000:40_010]
    books = [book_of(text) for text in texts]
    assert [book.most_in_one_block(signature_rows([*near, far])) for book in books] == [0, 4, 0]
    assert [book.most_in_one_block(signature_rows([far])) for book in books] == [0, 1, 0]
    assert book_of("a short book has no signatures").most_in_one_block(signature_rows([far, far])) == 2


def test_the_nearest_of_places_that_overlap_is_kept() -> None:
    book = book_of("one two three four five six seven")
    assert places_in(book, "twothreefourfive", 1) == [LetterPlace(0, 3, 19)]


def test_a_long_quotation_may_have_many_slips() -> None:
    chance = random.Random(5)
    words = [chance.choice(WORDS) + chance.choice(WORDS) for _ in range(3_000)]
    book = book_of(" ".join(words))
    letters = "".join(words[700:850]).lower()[:900]
    asked = with_slips(letters, slips_allowed(len(letters)) - 2, chance)
    [place, *_] = places_in(book, asked, slips_allowed(len(asked)))
    assert abs(place.start - len("".join(words[:700]))) < 12


def test_a_file_of_another_version_or_a_damaged_one_is_made_again() -> None:
    data = letters_of_book([Passage(id="", payload={"text": "Some words", "start": 0})])
    assert parse_letters(data, check=True) is not None
    assert parse_letters(data.replace(b'"version": 1', b'"version": 0')) is None
    assert parse_letters(data[:-8] + b"\1" * 8, check=True) is None
    assert parse_letters(b"") is None


def test_differences_are_named() -> None:
    cases: list[tuple[str, str, tuple[str, ...]]] = [
        ("to be or not", "to be or not", ()),
        ("“to be or not”", "to be or not,", ()),
        ("to be or not", "To be, or not", ("capitals", "punctuation")),
        ("own self", "ownself", ("spacing",)),
        ("cafe", "café", ("accents",)),
        ("המנורה", "הַמְּנוֹרָה", ("points",)),
        ("aether", "æther", ("spelling of letters",)),
        ("Strasse", "Straße", ("spelling of letters",)),
        ("to be", "to bee", ("letters",)),
        ("a  b\nc", "a b c", ()),
    ]
    for text, words, kinds in cases:
        assert differences(text, words) == kinds


def test_points_accents_and_signs_do_not_count_in_other_languages() -> None:
    cases: dict[str, tuple[str, str]] = {
        "ru": (
            "Смотритель зажёг лампу до прили́ва, и никто не знал, кто построил ба́шню.",
            "никто не знал, кто построил башню",
        ),
        "ja": (
            "灯台守は潮が満ちる前に灯をともした。誰が塔を建てたか、誰も知らなかった。",
            "誰が塔を建てたか誰も知らなかった",
        ),
        "grc": ("ἐν ἀρχῇ ἦν ὁ λόγος, καὶ ὁ λόγος ἦν πρὸς τὸν θεόν.", "εν αρχη ην ο λογος"),
        "de": ("Der Wärter löschte die Laterne; die Straße war naß.", "die Strasse war nass"),
    }
    for text, quotation in cases.values():
        assert found(book_of("Nothing here.", text), quotation) == [letters_of(quotation)]
