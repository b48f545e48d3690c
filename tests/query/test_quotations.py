"""Where a quotation comes from."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import alexandria
from alexandria import ConfigError, Library
from alexandria.library.search import quotations
from alexandria.library.search.alignment import Letters, align
from tests.conftest import SAMPLES
from tests.distances import distance

HASHING = {"model": "hashing", "min_words": 30, "max_words": 60}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with alexandria.open(tmp_path_factory.mktemp("quotations") / "library") as opened:
        opened.ingest([SAMPLES / "the-quiet-trades.epub", SAMPLES / "small-machines.pdf"], options=HASHING)
        yield opened


@given(st.text("abc", min_size=1, max_size=8), st.text("abc", min_size=1, max_size=20))
def test_the_nearest_place_is_the_one_that_trying_all_finds(quotation: str, text: str) -> None:
    spans = [(i, j) for i in range(len(text) + 1) for j in range(i, len(text) + 1)]
    nearest = min(distance(quotation, text[i:j]) for i, j in spans)
    found = align(quotation, text)
    assert found.distance == nearest == distance(quotation, text[found.start : found.end])


def test_what_a_printer_changes_does_not_count() -> None:
    cases = {
        "quotes and dashes": ("“It is well-known”—he said", "'It is well known' - he said"),
        "hyphen at the end of a line": ("the old exam-\nple of it", "the old example of it"),
        "ligature and accent": ("the ﬁrst naïve œuvre", "The first naive œuvre"),
        "apostrophe and case": ("don’t", "DON'T"),
    }
    for one, other in cases.values():
        assert Letters.of(one).text == Letters.of(other).text


def sentence(library: Library, book: str, chunk: int) -> tuple[str, int]:
    """Return the second sentence of a chunk and where it begins."""
    (one,) = library.read(book, chunk, context=0)
    start = [int(number) for number in one.payload["sentence_starts"].split()][1:3]
    return one.text[start[0] - one.start : start[1] - one.start].strip(), start[0]


def test_a_quotation_is_found_with_the_place_of_its_words(library: Library) -> None:
    words, start = sentence(library, "quiet", 3)
    found = library.find(f"“{words}”")[0]
    assert (found.title, found.best, found.words) == (
        "The Quiet Trades",
        (start, start + len(found.words)),
        words.rstrip("."),
    )
    assert found.nearness == 1.0


def test_a_quotation_of_mistyped_words_alone_is_found(library: Library) -> None:
    found = library.find("the ketle has biled")[0]
    assert found.words.startswith("the kettle has boiled")


def test_slips_lower_the_nearness_and_nothing_else(library: Library) -> None:
    words, start = sentence(library, "quiet", 3)
    parts = words.split()
    slipped = " ".join([*parts[:2], "indeed", *parts[2:-2], parts[-1]])
    found = library.find(slipped)[0]
    assert found.best is not None
    assert found.best[0] == start
    assert 0.7 < found.nearness < 1.0


def test_a_quotation_across_a_cut_is_found_in_both_chunks(library: Library) -> None:
    one, two = library.read("quiet", 3, before=0, after=1)
    words = " ".join([*one.text.split()[-7:], *two.text.split()[:7]])
    found = library.find(words)[0]
    assert (found.nearness, found.chunk_id) == (1.0, 3)
    assert found.words.split() == words.rstrip(".,").split()


def test_invented_words_are_found_nowhere(library: Library) -> None:
    assert library.find("Whosoever juggles flaming pineapples deserves an orchestra of giraffes") == []


@pytest.mark.parametrize(
    "half_true",
    [
        "She hands the nectar to a younger bee near the entrance, whose giraffe juggled my pineapple",
        "Twice in a little less than twenty-five hours the water climbs trumpets which jugglers sell to us",
    ],
)
def test_what_only_begins_as_a_sentence_of_a_book_is_not_that_sentence(
    library: Library, half_true: str
) -> None:
    assert library.find(half_true) == []
    assert library.find(" ".join(half_true.split()[:10]))


def test_words_that_follow_each_other_somewhere_are_no_quotation(library: Library) -> None:
    """Half of it is a book's, and the letters of the rest are near by chance."""
    assert library.find("In the end and Ithaca built a way") == []
    assert library.find("Delft and Ithaca built a")


def test_too_few_letters_are_refused(library: Library) -> None:
    with pytest.raises(ConfigError, match="cannot look for"):
        library.find("“so—”")


def test_a_short_id_leads_back_to_the_sentence(library: Library) -> None:
    found = library.find(sentence(library, "quiet", 3)[0])[0]
    passage = library.passage(found.short_id)
    assert (passage.id, passage.chunk_id) == (found.id, 3)
    assert passage.sentence is not None
    assert passage.sentence.startswith(found.words)
    assert library.read(found.short_id, context=0)[0].id == found.id
    for wrong in ("nonsense", "0000000f-3", f"{found.book_id[:8]}-99999999"):
        with pytest.raises(ConfigError):
            library.passage(wrong)


def test_a_short_quotation_without_a_long_word_is_found_by_its_other_words(library: Library) -> None:
    words = sentence(library, "quiet", 3)[0].split()
    without = max(range(1, 8), key=lambda i: len(words[i]))
    short = " ".join(word for i, word in enumerate(words[:9]) if i != without)
    found = library.find(short)[0]
    assert found.words.split()[0] == words[0]
    assert 0.5 <= found.nearness < 1


def test_near_places_are_shown_after_those_that_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "the bishop of the northern isles had counted every candle in the chapel twice before the storm"
    other = words.replace("every", "each single").replace("twice ", "")
    filler = "Nobody spoke of it afterwards, and the boats lay on the sand. " * 4
    for name, text in (("one", words), ("two", other)):
        (tmp_path / f"{name}.txt").write_text(f"Storms\n\n{filler}\n\nThey said that {text}.\n\n{filler}\n")
    with Library(tmp_path / "library") as opened:
        opened.ingest([tmp_path / "one.txt", tmp_path / "two.txt"], options=HASHING)
        places = opened.find(words)
        assert [place.near for place in places] == [False, True]
        assert places[0].words == words
        assert places.n_places == 1
        assert [place.near for place in opened.find(words, limit=1)] == [False]
        assert [place.near for place in opened.find(words, limit=None)] == [False, True]
        monkeypatch.setattr(quotations, "_MAX_BESIDE", 0)  # among many books, they are not looked for
        assert [place.near for place in opened.find(words)] == [False]


def test_no_place_goes_on_in_another_note(tmp_path: Path) -> None:
    """What comes near it stands in two notes, or in the text and a note: neither is one place."""
    (tmp_path / "notes.html").write_text(
        '<h1>Storms</h1><p>The bishop counted every candle.<a href="#a" id="1" epub:type="noteref">1</a> '
        'Nobody spoke of it.<a href="#b" id="2" epub:type="noteref">2</a> The boats lay still</p>'
        '<aside id="a">1. The chapel stands on this page.</aside>'
        '<aside id="b">2. This paragraph was added by another hand.</aside>'
    )
    with Library(tmp_path / "library") as opened:
        opened.ingest(tmp_path / "notes.html", options=HASHING)
        for words in ("on this page. This paragruph was", "boats lay still The chapel stends"):
            assert all(place.near or place.words in words for place in opened.find(words, limit=None))
        for words in (
            "Nobody spoke … added by another",
            "Nobody spoke … Added by annother",
            "this page … by another",
        ):
            assert opened.find(words, limit=None) == [], words
        [place] = opened.find("This paragruph was added by another hand")
        assert (place.in_note, place.words) == (True, "This paragraph was added by another hand")


def test_a_near_place_is_named_once(tmp_path: Path) -> None:
    filler = "Nobody spoke of it afterwards, and the boats lay on the sand. " * 4
    (tmp_path / "play.txt").write_text(
        f"{filler}\n\nBernardo See, it stalks away!"
        "\n\nHoratio Stay! speak, speak! I charge thee, speak! Exit Ghost."
        f"\n\nMarcellus ’Tis gone, and will not answer.\n\nBernardo How now, Horatio!\n\n{filler}\n"
    )
    with Library(tmp_path / "library") as opened:
        opened.ingest(tmp_path / "play.txt", options=HASHING)
        places = opened.find("Stay, speak, speak! I charge thee, speak! 'Tis gone, and will not answer")
    assert [place.near for place in places] == [True]


def test_words_that_are_spelled_otherwise_are_near(tmp_path: Path) -> None:
    """Two of five words are, by a letter each; words that are others are not."""
    (tmp_path / "verse.txt").write_text("בראשית ברא אלהים את השמים ואמר הסבא. The elder spoke of bread.")
    with alexandria.open(tmp_path / "library") as opened:
        opened.ingest(tmp_path / "verse.txt", options={"model": "hashing"})
        [place] = opened.find("בראשית ברא אלוהים את השמיים")
        assert (place.near, place.words) == (True, "בראשית ברא אלהים את השמים")
        assert not any(place.near for place in opened.find("בראשית ברא עולמות את הארצות"))
