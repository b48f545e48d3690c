"""What every strategy promises; a new entry of `STRATEGIES` is tested automatically."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from alexandria.book.model import Boundary, Embeddings, Reason, Segmentation
from alexandria.chunking import (
    STRATEGIES,
    Sizes,
    Strategy,
    assemble,
    chunk_vectors,
    explain_boundary,
    segment_book,
    segment_sentences,
)
from alexandria.chunking.strategies.fixed import Fixed
from alexandria.chunking.strategy import OptionError, is_strategy
from tests.chunking.builders import book_of, random_rows, sizes_with, topics, words

STRATEGY = pytest.mark.parametrize("strategy", [cls() for cls in STRATEGIES.values()], ids=list(STRATEGIES))
# The baselines cut by size and know no topics.
SEMANTIC = pytest.mark.parametrize(
    "strategy", [cls() for cls in STRATEGIES.values() if cls.needs_embeddings], ids=lambda s: s.name
)


def gaps(segmentation: Segmentation) -> list[int]:
    return [boundary.gap for boundary in segmentation.boundaries]


def words_of_chunks(segmentation: Segmentation, sizes: Sizes) -> list[int]:
    edges = [0, *(gap + 1 for gap in gaps(segmentation)), len(sizes.words)]
    return [int(sizes.words[a:b].sum()) for a, b in pairwise(edges)]


@pytest.mark.parametrize(("name", "cls"), STRATEGIES.items(), ids=list(STRATEGIES))
def test_a_strategy_is_registered_under_its_name(name: str, cls: type[Strategy]) -> None:
    assert cls.name == name


@STRATEGY
@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_text_of_two_sentences_or_fewer_is_cut_once_at_most(strategy: Strategy, n: int) -> None:
    assert gaps(segment_sentences(strategy, topics(*[1] * n).reshape(n, n), sizes_with([250] * n))) in (
        [],
        [0],
    )
    assert gaps(segment_sentences(strategy, random_rows(n), sizes_with([3] * n, paragraphs=[0]))) in ([], [0])


@STRATEGY
def test_equal_sentences_are_split_by_size_alone(strategy: Strategy) -> None:
    rows = np.repeat(random_rows(1), 100, axis=0)
    segmentation = segment_sentences(strategy, rows, sizes_with([20] * 100))
    assert {b.reason for b in segmentation.boundaries} == {Reason.MAX_SIZE}


@STRATEGY
def test_a_short_text_of_equal_sentences_is_one_chunk(strategy: Strategy) -> None:
    rows = np.repeat(random_rows(1), 8, axis=0)
    assert gaps(segment_sentences(strategy, rows, sizes_with([10] * 8))) == []


@STRATEGY
def test_chunks_of_unrelated_sentences_respect_the_limits(strategy: Strategy) -> None:
    sizes = sizes_with([20] * 200)
    segmentation = segment_sentences(strategy, np.eye(200, dtype=np.float32), sizes)
    counts = words_of_chunks(segmentation, sizes)
    assert max(counts) <= strategy.max_words
    assert min(counts) >= min(strategy.min_words, 20)


@SEMANTIC
def test_a_change_of_topic_is_cut(strategy: Strategy) -> None:
    # 15 sentences of 16 words are 240 words, 225 tokens and 900 characters: no strategy's limits interfere.
    sizes = sizes_with([16] * 30, characters=[60] * 30)
    assert 14 in gaps(segment_sentences(strategy, topics(15, 15), sizes))


@STRATEGY
def test_a_second_run_gives_the_same(strategy: Strategy) -> None:
    rows, sizes = random_rows(300), sizes_with([17] * 300)
    assert (
        segment_sentences(strategy, rows, sizes).boundaries
        == segment_sentences(strategy, rows, sizes).boundaries
    )


@STRATEGY
@pytest.mark.parametrize(
    "rearranged",
    [
        pytest.param(np.asfortranarray, id="column order"),
        pytest.param(lambda rows: np.repeat(rows, 2, axis=0)[::2], id="every other row of an array"),
        pytest.param(lambda rows: np.concatenate(np.array_split(rows, 7)), id="joined from batches"),
        pytest.param(lambda rows: rows.astype(np.float64), id="in double precision"),
    ],
)
def test_the_layout_of_the_rows_moves_no_cut(
    strategy: Strategy, rearranged: Callable[[Embeddings], Embeddings]
) -> None:
    rows, sizes = random_rows(300, dim=384), sizes_with([17] * 300)
    assert (
        segment_sentences(strategy, rearranged(rows), sizes).boundaries
        == segment_sentences(strategy, rows, sizes).boundaries
    )


@STRATEGY
def test_no_chunk_ends_in_a_heading(strategy: Strategy) -> None:
    after_heading = range(3, 200, 7)
    sizes = sizes_with([17, 17, 4, 17, 17, 17, 17] * 28, after_heading=after_heading)
    segmentation = segment_sentences(strategy, random_rows(196), sizes)
    assert gaps(segmentation)
    assert not set(after_heading) & {gap + 1 for gap in gaps(segmentation)}


@STRATEGY
def test_without_embeddings_it_cuts_by_size_or_raises(strategy: Strategy) -> None:
    sizes = sizes_with([20] * 200)
    if strategy.needs_embeddings and strategy.name != "smoothed":
        with pytest.raises(ValueError, match="need"):
            segment_sentences(strategy, None, sizes)
    else:
        segmentation = segment_sentences(strategy, None, sizes)
        assert {b.reason for b in segmentation.boundaries} == {Reason.MAX_SIZE}
        assert not segmentation.similarities.any()


@STRATEGY
def test_every_boundary_is_explained(strategy: Strategy) -> None:
    sizes = sizes_with([20] * 200, breaks=(90,))
    boundaries = segment_sentences(strategy, random_rows(200), sizes).boundaries
    reasons = {explain_boundary(boundary, strategy) for boundary in boundaries}
    assert "A chapter or section begins." in reasons
    assert all(
        explain_boundary(b, strategy).startswith("Full: ") for b in boundaries if b.reason is Reason.MAX_SIZE
    )
    assert not any("None" in reason for reason in reasons)


@STRATEGY
def test_chunks_partition_a_book(strategy: Strategy) -> None:
    paragraphs = [words(n, f"w{n}") for n in range(5, 60)]
    book, sentences = book_of((1, "One", paragraphs), (2, "a", paragraphs), (1, "Two", paragraphs[:9]))
    rows = random_rows(len(sentences))
    segmentation = segment_book(strategy, rows, sentences, book)
    chunks = assemble(book, sentences, segmentation)
    assert sum(chunk.word_count for chunk in chunks) == len(book.text.split())
    assert [s for c in chunks for s in sentences[c.first_sentence :][: c.n_sentences]] == list(sentences)
    assert all(book.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert any(chunk.text.startswith("Two") for chunk in chunks)
    assert np.linalg.norm(chunk_vectors(rows, chunks), axis=1) == pytest.approx(1, abs=1e-6)


@st.composite
def texts(draw: st.DrawFn) -> tuple[Embeddings, Sizes]:
    n = draw(st.integers(2, 80))
    rows = random_rows(n, dim=draw(st.sampled_from([2, 5])), seed=draw(st.integers(0, 10**6)))
    counts = draw(st.lists(st.sampled_from([1, 10, 60, 300, 1300]), min_size=n, max_size=n))
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    headings = [i for i, heading in enumerate(draw(flags)) if heading and i]
    breaks = tuple(sorted(draw(st.sets(st.integers(1, n - 1), max_size=4)) - set(headings)))
    starts = [i for i, start in enumerate(draw(flags)) if start]
    return rows, sizes_with(counts, breaks=breaks, after_heading=headings, paragraphs=starts)


@STRATEGY
@settings(deadline=None)
@given(text=texts())
def test_any_text_is_cut_within_the_limits(strategy: Strategy, text: tuple[Embeddings, Sizes]) -> None:
    rows, sizes = text
    segmentation = segment_sentences(strategy, rows, sizes)
    assert_sound(segmentation.boundaries, segmentation.similarities, sizes, strategy)


def test_what_is_repeated_is_of_the_chunk_before_also_where_the_cap_made_it_shorter() -> None:
    sizes = sizes_with([1] * 32 + [60, 60, 60, 300, 10, 10, 300], after_heading=[32, 33, 34, 35])
    strategy = Fixed()
    boundaries = segment_sentences(strategy, None, sizes).boundaries
    assert [(boundary.gap, boundary.overlap) for boundary in boundaries] == [(30, 31), (36, 0), (37, 1)]


def assert_sound(
    boundaries: tuple[Boundary, ...], similarities: NDArray[np.float32], sizes: Sizes, strategy: Strategy
) -> None:
    n = len(sizes.words)
    cut = [boundary.gap for boundary in boundaries]
    assert similarities.shape == (n - 1,)
    assert cut == sorted(set(cut))
    assert all(0 <= gap < n - 1 for gap in cut)
    assert {b.gap + 1 for b in boundaries if b.reason is Reason.SECTION} == set(sizes.breaks)
    for a, b in pairwise([0, *(gap + 1 for gap in cut), n]):
        assert b - a == 1 or sizes.words[a:b].sum() <= strategy.max_words
    for before, boundary in zip([None, *boundaries], boundaries, strict=False):
        assert -1 <= boundary.similarity <= 1
        assert 0 <= boundary.overlap <= boundary.gap - (before.gap if before else -1)
        if boundary.reason is Reason.SECTION:
            assert (boundary.rank, boundary.n_candidates) == (None, None)
        else:
            assert boundary.rank is not None
            assert boundary.n_candidates is not None
            assert 1 <= boundary.rank <= boundary.n_candidates < n


@pytest.mark.parametrize("value", [STRATEGIES, "optimal", object])
def test_what_is_no_dataclass_is_no_strategy(value: object) -> None:
    assert not is_strategy(value)


def test_a_truth_value_is_no_count() -> None:
    with pytest.raises(OptionError, match="max_words must be a whole number of at least 1, not True"):
        Fixed(max_words=True)
