"""The limits that hold for every strategy: sections, the cap, short tails."""

import numpy as np
import pytest

from alexandria.book import Boundary, Reason
from alexandria.chunking.limits import apply_limits
from tests.chunking.builders import sizes_with

T, M, S = Reason.TOPIC, Reason.MAX_SIZE, Reason.SECTION


@pytest.mark.parametrize(
    ("words", "breaks", "topics", "expected"),
    [
        pytest.param([10] * 4, (), (), [], id="all fits"),
        pytest.param([10] * 4, (2,), (), [(1, S)], id="a section breaks"),
        pytest.param([20] * 5, (), (), [(1, M), (3, M)], id="the cap cuts at the last sentence that fits"),
        pytest.param([20] * 5, (), (0,), [(0, T), (2, M)], id="the cap counts from the cut before"),
        pytest.param([60, 5, 20], (), (), [(0, M)], id="a sentence above the cap is a chunk of its own"),
        pytest.param([5, 60, 60, 20], (), (), [(0, M), (1, M), (2, M)], id="so is each of two"),
        pytest.param([30, 30, 30], (), (0,), [(0, M), (1, M)], id="split by the cap whatever the topic"),
        pytest.param([20, 20, 5], (), (1,), [(1, T)], id="a tail that does not fit remains"),
        pytest.param([20, 15, 5], (), (1,), [], id="a short tail joins"),
        pytest.param([20, 10, 10], (), (1,), [(1, T)], id="a tail of min_words remains"),
        pytest.param([20, 5, 20], (2,), (0,), [(1, S)], id="a tail joins inside its section"),
        pytest.param([5, 20, 15], (1,), (1,), [(0, S), (1, T)], id="a short chapter does not join"),
    ],
)
def test_limits(
    words: list[int], breaks: tuple[int, ...], topics: tuple[int, ...], expected: list[tuple[int, Reason]]
) -> None:
    similarities = np.zeros(len(words) - 1, np.float32)
    cuts = [Boundary(gap, 0.0, 0.5, T) for gap in topics]
    limited = apply_limits(cuts, sizes_with(words, breaks=breaks), similarities, min_words=10, max_words=40)
    assert [(b.gap, b.reason) for b in limited] == expected


def test_the_cap_leaves_no_heading_at_the_end_of_a_chunk() -> None:
    sizes = sizes_with([20, 15, 5, 20, 10], after_heading=[3])
    limited = apply_limits((), sizes, np.zeros(4, np.float32), min_words=0, max_words=40)
    assert [b.gap for b in limited] == [1]


def test_a_heading_before_a_sentence_that_fills_the_cap_is_a_chunk_of_its_own() -> None:
    sizes = sizes_with([20, 5, 40], after_heading=[2])
    limited = apply_limits((), sizes, np.zeros(2, np.float32), min_words=0, max_words=40)
    assert [b.gap for b in limited] == [0, 1]


def test_no_other_limit_separates_a_heading_from_its_text() -> None:
    sizes = sizes_with([20, 5, 30, 20], after_heading=[2])
    by_characters = [Boundary(gap, 0.0, 0.5, M) for gap in (0, 1, 2)]
    limited = apply_limits(by_characters, sizes, np.zeros(3, np.float32), min_words=0, max_words=40)
    assert [b.gap for b in limited] == [0, 2]
