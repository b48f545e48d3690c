"""The telling words of a chunk."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import alexandria
from alexandria.doors.cli import app
from alexandria.library.library import Library
from alexandria.store.sparse import LANGUAGES
from alexandria.store.topics import MAX_WORDS, _split_words, topics_of
from tests.conftest import SAMPLES

# Each of four parts is about something; all have the same frame.
BEES = "The bees of the valley carry pollen to the hive. A hive needs its bees, and the bees need clover."
BOATS = "The boats of the valley lie in the harbour. Each boat has a sail, and Anna’s boat has two sails."
BREAD = "The bread of the valley is baked at night. Bread needs an oven, and a baker who keeps the ovens hot."
BELLS = (
    "The bells of the valley ring at noon. One bell is cracked, and the ringers don’t ring it with others."
)


def test_each_part_is_named_by_what_it_alone_is_about() -> None:
    topics = topics_of([BEES, BOATS, BREAD, BELLS], "en")
    assert [topic[0] for topic in topics] == ["bees", "boat", "bread", "bells"]
    words = {word for topic in topics for word in topic}
    assert words.isdisjoint({"the", "and", "valley", "don’t", "don"})
    assert all(0 < len(topic) <= MAX_WORDS for topic in topics)


def test_forms_of_a_word_are_one_and_the_most_frequent_is_shown() -> None:
    (_, boats, bread, _) = topics_of([BEES, BOATS, BREAD, BELLS], "en-GB")
    assert "boat" in boats
    assert "boats" not in boats
    assert len({"oven", "ovens"} & set(bread)) == 1


def test_languages_and_spellings() -> None:
    cases: dict[str, tuple[list[str], str | None, int, set[str]]] = {
        "in the case it mostly has": (["Whales! The whale. A whale.", BEES], "en", 0, {"whale"}),
        "a name, without its ’s": (["Then Ahab spoke. Ahab’s leg.", BEES], "en", 0, {"Ahab"}),
        "elision": (["L’homme et l’homme.", "Une femme."], "fr", 0, {"homme"}),
        "a name with an apostrophe": (["O’Brien met O’Brien.", BEES], "en", 0, {"O’Brien"}),
        "typed italics": (["_Hispaniola_ _Hispaniola_", BEES], "en", 0, {"Hispaniola"}),
        "German": (["Der Wald, die Wälder.", "Das Meer."], "de", 0, {"Wald", "Wälder"}),
        "Russian; undecided, so in lower case": (["Кит и кит.", "Море, море."], "ru", 0, {"кит"}),
        "vowel signs are parts of words": (["नदी और नदी", "पर्वत और पर्वत"], "hi", 0, {"नदी"}),
        "Chinese, by twos": (["蜜蜂飞。蜜蜂来。", "船在海上。"], "zh", 0, {"蜜蜂"}),
        "Japanese": (["ランプが光る。ランプだ。", "海を見る。"], "ja", 0, {"ランプ"}),
        "no numbers": (["XIV. 1848 lamp lamp", BEES], "en", 0, {"lamp"}),
        "a book of one part": (["lamp lamp lamp oil oil wick"], "en", 0, {"lamp"}),
        "no language known": (["lampo lampo", "ovno ovno"], None, 0, {"lampo"}),
        "Thai does not mark words": (["เรือ เรือ", "ขนมปัง"], "th", 0, {""}),
        "no words": (["* * *", BEES], "en", 0, {""}),
    }
    for texts, language, index, expected in cases.values():
        topic = topics_of(texts, language)[index]
        assert (topic[0] if topic else "") in expected


def test_only_pairs_of_chinese_characters_are_dropped_for_one_that_another_has() -> None:
    [korean, _] = topics_of(["한국 한국 한국, 국가 국가 국가.", "바다."], "ko")
    assert set(korean) == {"한국", "국가"}
    [chinese, _] = topics_of(["北京大学北京大学北京大学。", "海。"], "zh")
    assert len("".join(chinese)) == len(set("".join(chinese)))


def test_a_word_of_most_parts_tells_none_from_the_others() -> None:
    texts = [f"lampa lampa lampa word{'abcdefghij'[i]}" for i in range(10)]
    assert topics_of(texts, None) == [(f"word{letter}",) for letter in "abcdefghij"]


@given(st.lists(st.text(max_size=60), max_size=5), st.sampled_from([None, "zh", *LANGUAGES]))
def test_any_text_has_topics_of_its_own_letters(texts: list[str], language: str | None) -> None:
    topics = topics_of(texts, language)
    assert len(topics) == len(texts)
    for topic in topics:
        assert len(topic) <= MAX_WORDS
        for word in topic:
            assert any(word in text for text in texts)


def test_a_string_is_split_into_words_that_may_tell_something() -> None:
    cases = {
        **{
            "l'homme": ["homme"],
            "Darwin’s": ["Darwin"],
            "O'Brien": ["O'Brien"],
            "don't": [],
            "_salt_": ["salt"],
        },
        **{"ox": [], "oxen": ["oxen"], "elk": ["elk"], "XIV": [], "바다": ["바다"], "배": []},
        **{"图书馆": ["图书", "书馆"], "灯台のランプ": ["灯台", "ランプ"], "灯": [], "ア": []},
    }
    assert {string: [*_split_words(string)] for string in cases} == cases


def test_a_topic_is_stored_and_shown(tmp_path: Path) -> None:
    options = {"model": "hashing"}
    book = SAMPLES / "gull-rock.txt"
    analysis = alexandria.inspect(book, options=options)
    topics = [chunk.topic for chunk in analysis.chunks]
    assert all(topics)
    with Library(tmp_path / "library") as library:
        library.ingest(book, options=options)
        assert [tuple(chunk.payload["topic"]) for chunk in library.chunks("gull")] == topics
        assert [chunk.topic for chunk in library.inspect("gull").chunks] == topics
        chapters = library.contents("gull")
        quick = library.contents("gull", typical=False)
        texts = [chunk.text for chunk in library.chunks("gull")]
    assert len(chapters) > 1
    for chapter, same in zip(chapters, quick, strict=True):
        assert replace(same, sentence=chapter.sentence) == chapter
        assert texts[same.first_chunk].startswith(same.sentence)
    assert any(chapter.sentence != same.sentence for chapter, same in zip(chapters, quick, strict=True))
    assert all(chapter.topic for chapter in chapters)
    where = ["--store", str(tmp_path / "library")]
    for command in (["show", "gull", "--chunks", *where], ["inspect", "gull", *where]):
        printed = " ".join(CliRunner().invoke(app, command, env={"COLUMNS": "200"}).output.split())
        assert f"topic: {', '.join(topics[1])}" in printed
    shown = CliRunner().invoke(app, ["show", "gull", "--chunks", *where], env={"COLUMNS": "200"}).output
    for chapter in chapters:
        assert ", ".join(chapter.topic) in shown.split("begins")[0]  # above the chunks
    page = tmp_path / "page.html"
    CliRunner().invoke(app, ["inspect", "gull", *where, "--html", str(page)])
    assert f"topic: {', '.join(topics[1])}" in page.read_text()
