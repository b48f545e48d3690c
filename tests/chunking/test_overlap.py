"""What a chunk repeats of the one before it: beside its text, whatever the strategy."""

from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import alexandria
from alexandria.book.model import Overlap, Reason, count_words
from alexandria.chunking import STRATEGIES
from alexandria.chunking.domains import load_domain
from alexandria.embed import load_encoder
from alexandria.embed.hashing import HashingEncoder
from alexandria.library.chunk_text import book_of, paragraphs
from alexandria.library.ingest.one_book import analyse, prepare
from alexandria.library.inspect.inspection import Inspection
from alexandria.library.library import Library
from alexandria.store.sparse import document_terms
from tests.conftest import SAMPLES

TEXT = (
    "Ants dig tunnels in the ground. They carry leaves. Bees fly from flower to flower. They carry pollen. "
    "Cats sleep all day. They carry nothing at all. Dogs bark at night. They carry sticks."
)
SMALL = {
    "min_words": 5,
    "max_words": 12,
    "threshold": 0.9,
    "max_chars": 60,
    "min_tokens": 1,
    "min_sentences": 1,
}


def options_for(name: str, **others: object) -> dict[str, object]:
    own = {option.name for option in fields(STRATEGIES[name])}
    return {**{option: value for option, value in SMALL.items() if option in own}, **others}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_repeats_whole_sentences_beside_its_text(strategy: str) -> None:
    def cut(words: int) -> list[alexandria.Chunk]:
        return alexandria.chunk(
            TEXT,
            strategy=strategy,
            model="hashing",
            **options_for(strategy, overlap_words=words),  # type: ignore[arg-type]  # options alone
        )

    plain, chunks = cut(0), cut(4)
    if strategy not in ("recursive", "fixed"):  # a window of theirs holds what it repeats
        assert [one.text for one in chunks] == [one.text for one in plain]
    assert "".join("".join(one.text.split()) for one in chunks) == "".join(TEXT.split())
    assert len(chunks) > 1
    repeated = 0
    for before, chunk in pairwise(chunks):
        overlap = chunk.overlap_before
        if overlap is not None:
            repeated += 1
            assert overlap.text == TEXT[overlap.start : overlap.end]
            assert chunk.text_with_overlap == f"{overlap.text}\n{chunk.text}"
            assert before.start <= overlap.start < overlap.end == before.end
            if strategy != "tiered" or chunk.boundary is None or chunk.boundary.reason is Reason.TOPIC:
                assert count_words(overlap.text) <= 4
            assert overlap.start in before.sentence_starts
    assert repeated


def test_nothing_is_repeated_across_chapters_or_unless_asked() -> None:
    book = SAMPLES / "gull-rock.txt"
    options = {"model": "hashing", "min_words": 20}
    plain = alexandria.inspect(book, options=options)
    assert {one.overlap_before for one in plain.chunks} == {None}
    assert [one.text_with_overlap for one in plain.chunks] == [one.text for one in plain.chunks]
    asked = alexandria.inspect(book, options={**options, "overlap_words": 40})
    assert [one.text for one in asked.chunks] == [one.text for one in plain.chunks]
    for one in asked.chunks:
        if one.boundary is not None and one.boundary.reason is Reason.SECTION:
            assert one.overlap_before is None
    assert sum(one.overlap_before is not None for one in asked.chunks) > 3


def test_what_is_repeated_counts_for_vector_and_words_where_asked() -> None:
    book, encoder = book_of(TEXT, paragraphs(TEXT), language="en"), load_encoder("hashing")
    points = {}
    for use in ("nothing", "vector", "words", "both"):
        options = options_for(
            "universal-semantic", strategy="universal-semantic", overlap_for=use, overlap_words=8
        )
        analysis = analyse(book, load_domain(options=options, environ={}), encoder)
        points[use] = prepare(analysis, "a" * 40).points
    repeated = next(i for i, one in enumerate(points["both"]) if one.payload["overlap_before"])
    nothing, vector, words, both = (points[use][repeated] for use in ("nothing", "vector", "words", "both"))
    assert np.array_equal(nothing.dense, words.dense)
    assert np.array_equal(vector.dense, both.dense)
    assert not np.array_equal(nothing.dense, vector.dense)
    assert nothing.bm25 == vector.bm25 == document_terms(nothing.payload["text"], "en")
    assert words.bm25 == both.bm25
    assert set(nothing.bm25.indices) < set(words.bm25.indices)
    assert nothing.payload["overlap_before"]["text"] not in nothing.payload["text"]


def test_the_vector_of_a_text_is_that_of_its_words_and_what_is_beyond_the_model_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Short(HashingEncoder):
        def coverage(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.array([min(1.0, 40 / len(text)) for text in texts], np.float32)

    encoder = Short()
    options = options_for("universal-semantic", strategy="universal-semantic", chunk_vector="text")
    analysis = analyse(
        book_of(TEXT, paragraphs(TEXT), language="en"), load_domain(options=options, environ={}), encoder
    )
    points = prepare(analysis, "a" * 40).points
    texts = [point.payload["text"] for point in points]
    assert np.array_equal(np.array([point.dense for point in points]), encoder.encode(texts))
    covered = [point.payload["vector_coverage"] for point in points]
    assert covered == pytest.approx(encoder.coverage(texts), abs=1e-4)
    n_long = sum(len(text) > 40 for text in texts)
    assert n_long > 0
    assert f"{n_long} of {len(texts)} chunks are longer than the model reads" in caplog.text


def test_a_stored_book_shows_what_is_repeated(tmp_path: Path) -> None:
    file = tmp_path / "animals.txt"
    file.write_text(TEXT)
    options = options_for(
        "universal-semantic", strategy="universal-semantic", overlap_words=8, model="hashing"
    )
    with Library(tmp_path / "library") as library:
        library.ingest(file, options=options)
        stored = library.inspect("animals")
        assert library.verify().findings == ()
    shown = Inspection.of_analysis(alexandria.inspect(file, options=options))
    overlaps = [one.overlap_before for one in stored.chunks]
    assert overlaps == [one.overlap_before for one in shown.chunks]
    assert any(isinstance(one, Overlap) for one in overlaps)


def test_it_identifies_a_book_only_if_it_is_asked_for() -> None:
    plain = load_domain(environ={}).settings()
    assert {"overlap_words", "overlap_for"} & set(plain) == set()
    assert load_domain(options={"overlap_words": 30}, environ={}).settings() == {**plain, "overlap_words": 30}


def test_fixed_keeps_its_own_option(tmp_path: Path) -> None:
    fixed = load_domain(options={"strategy": "fixed"}, environ={})
    assert (fixed.settings()["overlap_words"], fixed.overlap_words) == (50, 0)
    file = tmp_path / "mine.yaml"
    file.write_text("strategy: fixed\noverlap_words: 40\n")
    assert load_domain(file=file, environ={}).settings()["overlap_words"] == 40
    # Written for windows, it is not taken over by another strategy.
    other = load_domain(file=file, options={"strategy": "optimal"}, environ={})
    assert other.overlap_words == 0


def test_a_negative_overlap_is_refused() -> None:
    with pytest.raises(alexandria.ConfigError, match="cannot set overlap_words to -1"):
        load_domain(options={"overlap_words": -1}, environ={})
