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


def test_decisions() -> None:
    cases: dict[str, tuple[float, tuple[float, ...], int, list[tuple[int, Reason]]]] = {
        "drift is noticed: 80° is 60° from the mean of 0° and 40°": (0.6, (0, 40, 80), 10, [(1, T)]),
        "above the threshold the chunk goes on": (0.45, (0, 40, 80), 10, []),
        "the mean has moved along: 50° from it": (0.6, (0, 40, 70), 10, []),
        "a new mean begins after a cut": (0.6, (0, 90, 130), 10, [(0, T)]),
        "after a forced cut too": (0.5, (0, 0, 50, 90), 400, [(1, M)]),
        "where four fit, 90° is far from the mean": (0.5, (0, 0, 50, 90), 250, [(2, T)]),
        "two of 400 characters fit": (0.5, (0, 90, 90), 400, [(0, T)]),
        "opposites cancel out: no direction, similarity 0": (-1, (0, 180, 90), 10, []),
    }
    for threshold, degrees, characters, expected in cases.values():
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
