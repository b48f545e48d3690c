"""`smoothed` by hand: the moving average, its valleys, and what becomes of short and long segments."""

from dataclasses import replace

import numpy as np
import pytest

from alexandria.book.model import Embeddings, Reason
from alexandria.chunking.strategies.smoothed import Smoothed, moving_average, valleys
from tests.chunking.builders import rows_with, sizes_with, topics

T, M = Reason.TOPIC, Reason.MAX_SIZE
ANY_SIZE = Smoothed(min_tokens=0, max_tokens=10_000)


def cuts(
    strategy: Smoothed, rows: Embeddings, tokens: int, **sizes: tuple[int, ...]
) -> list[tuple[int, Reason]]:
    n = len(rows)
    measured = sizes_with([1] * n, characters=[4 * tokens] * n, paragraphs=sizes.get("paragraphs"))
    return [(b.gap, b.reason) for b in strategy.segment(rows, measured)]


def test_the_moving_average_is_centred_and_shorter_at_the_ends() -> None:
    cases: list[tuple[list[float], int, list[float]]] = [
        ([1, 0, 1, 1], 3, [0.5, 2 / 3, 2 / 3, 1]),
        ([1, 0, 1, 1], 1, [1, 0, 1, 1]),
        ([1, 0], 5, [0.5, 0.5]),
        ([0.3], 3, [0.3]),
    ]
    for values, window, expected in cases:
        smooth = moving_average(np.array(values, np.float32), window)
        assert smooth == pytest.approx(expected, abs=1e-6)


def test_valleys() -> None:
    cases: dict[str, tuple[list[float], list[int]]] = {
        "a valley": ([3, 1, 2], [1]),
        "the end counts": ([3, 2, 1], [2]),
        "so does the beginning": ([1, 2, 3], [0]),
        "a flat valley is cut at its deepest gap": ([3, 1, 1, 1, 3], [2]),
        "a step down is none": ([3, 2, 2, 1, 3], [3]),
        "two valleys": ([3, 1, 2, 1, 3], [1, 3]),
    }
    for smooth, expected in cases.values():
        raw = np.array([9, 9, 0, 9, 9][: len(smooth)], np.float32)
        assert valleys(np.array(smooth, np.float64), raw) == expected


def test_a_change_of_topic_is_cut_where_it_is_though_smoothing_widens_it() -> None:
    assert cuts(ANY_SIZE, topics(10, 10), 10) == [(9, T)]


def test_rounding_does_not_move_a_cut_inside_a_flat_valley() -> None:
    for gap in [30, 37, 45]:
        similarities = [0.9] * 60
        similarities[gap] = 0.1
        assert cuts(ANY_SIZE, rows_with(similarities), 10) == [(gap, T)]


def test_a_shallow_valley_is_not_cut() -> None:
    similarities = [0.9] * 5 + [0.1] + [0.9] * 5 + [0.8] + [0.9] * 5
    assert cuts(ANY_SIZE, rows_with(similarities), 10) == [(5, T)]


def test_fewer_standard_deviations_cut_more() -> None:
    similarities = [0.9] * 5 + [0.1] + [0.9] * 5 + [0.5] + [0.9] * 5
    assert cuts(replace(ANY_SIZE, std_devs=0.5), rows_with(similarities), 10) == [(5, T), (11, T)]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        pytest.param(0.0, 0.3, [(5, T)], id="it joins the next"),
        pytest.param(0.3, 0.0, [(9, T)], id="or the last"),
    ],
)
def test_a_short_segment_joins_the_nearer_neighbour(
    left: float, right: float, expected: list[tuple[int, Reason]]
) -> None:
    rows = rows_with([1.0] * 5 + [left] + [1.0] * 3 + [right] + [1.0] * 5)
    strategy = replace(ANY_SIZE, std_devs=0.5)
    assert cuts(strategy, rows, 20) == [(5, T), (9, T)]
    assert cuts(replace(strategy, min_tokens=100), rows, 20) == expected


def test_a_long_segment_is_split_into_pieces_of_the_target_size() -> None:
    assert cuts(Smoothed(), topics(20), 20) == []
    assert cuts(Smoothed(), topics(21), 20) == [(9, M), (19, M)]
    assert cuts(Smoothed(), topics(21), 20, paragraphs=(0, 7, 14)) == [(6, M), (13, M)]


def test_without_an_encoder_all_is_split_by_size() -> None:
    assert cuts(Smoothed(), np.empty((15, 0), np.float32), 20) == [(9, M)]
    with pytest.raises(ValueError, match="need embeddings"):
        cuts(Smoothed(fallback_to_recursive=False), np.empty((15, 0), np.float32), 20)


def test_an_even_window_has_no_centre() -> None:
    with pytest.raises(ValueError, match="window must be odd, not 4"):
        Smoothed(window=4)
