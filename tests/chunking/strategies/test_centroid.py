"""`centroid` by hand: sentences as directions in the plane, in degrees."""

import numpy as np
import pytest

from alexandria.book.model import Embeddings, Reason
from alexandria.chunking.strategies.centroid import Centroid
from tests.chunking.builders import sizes_with

T, M = Reason.TOPIC, Reason.MAX_SIZE


def directions(*degrees: float) -> Embeddings:
    angles = np.radians(degrees)
    return np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)


@pytest.mark.parametrize(
    ("threshold", "degrees", "characters", "expected"),
    [
        pytest.param(
            0.6, (0, 40, 80), 10, [(1, T)], id="drift is noticed: 80° is 60° from the mean of 0° and 40°"
        ),
        pytest.param(0.45, (0, 40, 80), 10, [], id="above the threshold the chunk goes on"),
        pytest.param(0.6, (0, 40, 70), 10, [], id="the mean has moved along: 50° from it"),
        pytest.param(0.6, (0, 90, 130), 10, [(0, T)], id="a new mean begins after a cut"),
        pytest.param(0.5, (0, 0, 50, 90), 400, [(1, M)], id="after a forced cut too"),
        pytest.param(0.5, (0, 0, 50, 90), 250, [(2, T)], id="where four fit, 90° is far from the mean"),
        pytest.param(0.5, (0, 90, 90), 400, [(0, T)], id="two of 400 characters fit"),
        pytest.param(-1, (0, 180, 90), 10, [], id="opposites cancel out: no direction, similarity 0"),
    ],
)
def test_decisions(
    threshold: float, degrees: tuple[float, ...], characters: int, expected: list[tuple[int, Reason]]
) -> None:
    sizes = sizes_with([1] * len(degrees), characters=[characters] * len(degrees))
    boundaries = Centroid(threshold=threshold, max_chars=1000).segment(directions(*degrees), sizes)
    assert [(b.gap, b.reason) for b in boundaries] == expected


def test_a_boundary_records_the_similarity_to_the_mean() -> None:
    (boundary,) = Centroid(threshold=0.6).segment(directions(0, 40, 80), sizes_with([1] * 3))
    assert boundary.similarity == pytest.approx(0.5, abs=1e-6)
    assert boundary.margin == pytest.approx(0.1, abs=1e-6)


def test_a_similarity_at_the_threshold_does_not_cut() -> None:
    assert Centroid(threshold=0).segment(np.eye(2, dtype=np.float32), sizes_with([1, 1])) == ()


def test_a_forced_cut_moves_the_heading_into_the_new_mean() -> None:
    sizes = sizes_with([1] * 4, characters=[900, 90, 50, 50], after_heading=[2])
    boundaries = Centroid(threshold=0.5).segment(directions(0, 50, 0, -40), sizes)
    # The heading at 50° and the text at 0° point to 25°, which is 65° from the last.
    assert [(b.gap, b.reason) for b in boundaries] == [(0, M), (2, T)]


def test_an_option_out_of_range_is_named() -> None:
    with pytest.raises(ValueError, match="max_chars must be a whole number of at least 1, not 0"):
        Centroid(max_chars=0)
