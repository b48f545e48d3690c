"""`optimal`: the objective by hand, and the division against all divisions there are."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alexandria.book import Embeddings, Reason
from alexandria.chunking import Sizes
from alexandria.chunking.strategies.optimal import Optimal
from tests.chunking.builders import random_rows, sizes_with, topics

FREE = Optimal(threshold=0.0, paragraph_penalty=0.0, min_words=0, max_words=1000)


def cuts(strategy: Optimal, rows: Embeddings, sizes: Sizes | None = None) -> list[int]:
    boundaries = strategy.segment(rows, sizes or sizes_with([10] * len(rows)))
    return [boundary.gap for boundary in boundaries]


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        pytest.param(-0.15, [1], id="4 − 2 · 1.15 > √8 − 1.15: two chunks"),
        pytest.param(-0.2, [], id="4 − 2 · 1.2 < √8 − 1.2: one"),
    ],
)
def test_two_topics_are_split_if_that_is_worth_the_penalty(threshold: float, expected: list[int]) -> None:
    assert cuts(replace(FREE, threshold=threshold), topics(2, 2)) == expected


@pytest.mark.parametrize(
    ("similarity", "expected"),
    [pytest.param(0.65, [9], id="below the threshold"), pytest.param(0.75, [], id="above")],
)
def test_a_lone_sentence_is_better_alone_below_the_threshold(similarity: float, expected: list[int]) -> None:
    rows = np.repeat(np.array([[1, 0]], np.float32), 11, axis=0)
    rows[10] = similarity, (1 - similarity**2) ** 0.5
    # The sum of ten grows by ‖10a + b‖ − 10, which is a little more than their cosine.
    assert cuts(replace(FREE, threshold=0.7), rows) == expected


@pytest.mark.parametrize(
    ("min_words", "expected"),
    [
        pytest.param(20, [1], id="both hold the minimum"),
        pytest.param(21, [], id="one word short in each costs 2, splitting gains 1.17"),
    ],
)
def test_the_minimum_is_soft(min_words: int, expected: list[int]) -> None:
    assert cuts(replace(FREE, threshold=1.0, min_words=min_words), topics(2, 2)) == expected


def test_a_chunk_that_is_short_takes_a_sentence_from_its_neighbour() -> None:
    # 9 + 5 − 1 for the word that is missing, against 8 + √26 and none missing.
    assert cuts(replace(FREE, threshold=1.0, min_words=50), topics(9, 5)) == [8]
    assert cuts(replace(FREE, threshold=1.0, min_words=51), topics(9, 5)) == [7]


def test_the_cap_goes_before_the_minimum() -> None:
    assert cuts(replace(FREE, min_words=15, max_words=15), topics(2)) == [0]


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        pytest.param(2, [], id="all fits"),
        pytest.param(4, [1], id="as few chunks as the cap allows"),
        pytest.param(5, [0, 2], id="of equal divisions that with the longest last chunk"),
    ],
)
def test_like_sentences_are_divided_by_the_cap_alone(n: int, expected: list[int]) -> None:
    assert cuts(replace(FREE, max_words=20), topics(n)) == expected


@pytest.mark.parametrize(
    ("penalty", "expected"),
    [
        pytest.param(0.0, [3], id="free: where the topic changes"),
        pytest.param(0.5, [2], id="one sentence off, at the paragraph's end"),
    ],
)
def test_cuts_fall_between_paragraphs_unless_the_topic_insists(penalty: float, expected: list[int]) -> None:
    half = 0.5**0.5
    rows = np.array([[1, 0]] * 3 + [[0.9, 0.19**0.5]] + [[0, 1]] * 4, np.float32)
    rows[3] = half + 0.05, (1 - (half + 0.05) ** 2) ** 0.5  # a little nearer to what is before
    sizes = sizes_with([10] * 8, paragraphs=[0, 3])
    assert cuts(replace(FREE, paragraph_penalty=penalty), rows, sizes) == expected


def test_a_heading_ends_a_chunk_only_where_the_cap_leaves_nothing_else() -> None:
    sizes = sizes_with([10] * 6, after_heading=[3])
    assert cuts(FREE, topics(3, 3), sizes) != [2]
    assert cuts(replace(FREE, max_words=30), topics(3, 3), sizes) == [1, 3]
    full = sizes_with([30, 10, 30], after_heading=[2])
    assert cuts(replace(FREE, max_words=30), topics(1, 2), full) == [0, 1]


def worth(starts: tuple[int, ...], rows: Embeddings, sizes: Sizes, strategy: Optimal) -> float:
    """Return the objective as the documentation states it; −inf above the cap."""
    total = 0.0
    for a, b in pairwise((0, *starts, len(rows))):
        words = int(sizes.words[a:b].sum())
        if words > strategy.max_words and b - a > 1:
            return -np.inf
        length = float(np.linalg.norm(rows[a:b].sum(axis=0, dtype=np.float64)))
        total += length - (1 - strategy.threshold) - max(0, strategy.min_words - words)
    return total - sum(strategy.paragraph_penalty for start in starts if not sizes.starts_block[start])


@settings(deadline=None)
@given(
    n=st.integers(1, 11),
    seed=st.integers(0, 10**6),
    threshold=st.floats(-1.5, 1),
    paragraph_penalty=st.sampled_from([0.0, 0.3, 2.0]),
    min_words=st.sampled_from([0, 15, 40]),
    max_words=st.sampled_from([40, 60, 1000]),
)
def test_no_division_is_better(
    n: int, seed: int, threshold: float, paragraph_penalty: float, min_words: int, max_words: int
) -> None:
    strategy = Optimal(threshold, paragraph_penalty, min_words, max_words)
    chance = np.random.default_rng(seed)
    rows = random_rows(n, dim=3, seed=seed)
    sizes = sizes_with(
        chance.integers(1, 50, n).tolist(), paragraphs=np.flatnonzero(chance.random(n) < 0.5).tolist()
    )
    every = (starts for k in range(n) for starts in combinations(range(1, n), k))
    best = max(worth(starts, rows, sizes, strategy) for starts in every)
    starts = tuple(gap + 1 for gap in cuts(strategy, rows, sizes))
    assert worth(starts, rows, sizes, strategy) == pytest.approx(best, abs=1e-6)


def test_a_cut_that_only_the_cap_demands_says_so() -> None:
    sizes = sizes_with([10] * 6)
    boundaries = replace(FREE, threshold=0.5, max_words=30).segment(topics(4, 2), sizes)
    assert [(b.gap, b.reason) for b in boundaries] == [(0, Reason.MAX_SIZE), (3, Reason.TOPIC)]


def test_a_long_text_is_divided_as_its_parts_are() -> None:
    """Blocks of the table are no limits: 2,000 sentences that fall into 40 topics."""
    lengths = np.random.default_rng(1).integers(20, 80, 40).tolist()
    assert cuts(FREE, topics(*lengths)) == (np.cumsum(lengths)[:-1] - 1).tolist()
