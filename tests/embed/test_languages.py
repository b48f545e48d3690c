"""A model is asked for translations in languages of different scripts."""

import numpy as np
import pytest

from alexandria.embed import load_encoder
from alexandria.embed.models.languages import connects, distinguishes, score_languages, sentences


class Polyglot:
    """An encoder to which a sentence and its translations are the same."""

    name, dim = "polyglot", 6

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.tile(np.eye(6, dtype=np.float32), (len(texts) // 6, 1))


def test_every_language_has_the_same_sentences() -> None:
    assert {len(six) for six in sentences().values()} == {6}
    texts = [sentence for six in sentences().values() for sentence in six]
    assert len(set(texts)) == len(texts)


def test_an_encoder_that_knows_all_translations_reads_all_languages() -> None:
    scores = score_languages(Polyglot())  # type: ignore[arg-type]  # it needs no more of an encoder
    assert [score.language for score in scores if score.connects] == list(sentences())
    assert {score.similarity for score in scores} == {1.0}


@pytest.mark.model
def test_the_default_model_reads_english_and_not_japanese() -> None:
    reads = {score.language: score.connects for score in score_languages(load_encoder())}
    assert reads["en"]
    assert not reads["ja"]


class Foreign(Polyglot):
    """An encoder to which all sentences in Greek letters are much the same."""

    def __init__(self, name: str = "foreign") -> None:
        self.name = name
        self.encoded: list[str] = []

    def encode(self, texts: list[str]) -> np.ndarray:
        self.encoded.append(texts[0])
        rows = np.eye(6, dtype=np.float32)[np.arange(len(texts)) % 6]
        greek = np.array(["α" in text for text in texts])
        rows[greek] += 2 / np.sqrt(6)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def test_a_language_is_distinguished_if_its_sentences_are_no_more_alike_than_english_ones() -> None:
    foreign = Foreign()
    answers = {tag: distinguishes(foreign, tag) for tag in ("el-GR", "de", "en", None, "la")}  # type: ignore[arg-type]  # as above
    assert answers == {"el-GR": False, "de": True, "en": True, None: True, "la": True}


def test_the_sentences_of_a_language_are_embedded_once_for_each_model() -> None:
    for name in ("one", "another"):
        foreign = Foreign(name)
        for tag in ("de", "fr", "de"):
            assert distinguishes(foreign, tag)  # type: ignore[arg-type]  # as above
        assert sorted(foreign.encoded) == sorted(sentences()[tag][0] for tag in ("de", "en", "fr"))


@pytest.mark.model
def test_the_default_model_distinguishes_sentences_in_english_only() -> None:
    encoder = load_encoder()
    assert [language for language in sentences() if distinguishes(encoder, language)] == ["en"]


def test_a_language_is_connected_if_its_sentences_find_their_translations() -> None:
    polyglot, foreign = Polyglot(), Foreign()
    assert all(connects(polyglot, tag) for tag in ("de", "zh-Hans", "fi", "en"))  # type: ignore[arg-type]  # as above
    assert not connects(Shuffled(), "ja")  # type: ignore[arg-type]  # as above
    assert connects(foreign, "en-GB")  # type: ignore[arg-type]  # as above


class Shuffled(Polyglot):
    """An encoder to which each Japanese sentence means what the one before it does."""

    name = "shuffled"

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.roll(super().encode(texts), int("。" in texts[0]), axis=0)
