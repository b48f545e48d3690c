"""Boundary metrics: cases worked by hand, and another implementation."""

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alexandria.lab.agreement import compare, count_matches, half_segment, pk, shuffle_cuts, window_diff
from alexandria.lab.boundaries import METRICS


def test_pk_and_window_diff_worked_by_hand() -> None:
    cases: dict[str, tuple[list[int], float, float]] = {
        "perfect": ([4, 8], 0.0, 0.0),
        "nothing predicted": ([], 0.4, 0.4),
        "one off by one": ([5, 8], 0.2, 0.2),
        "one too many, next to a true one": ([4, 5, 8], 0.1, 0.2),
    }
    for predicted, expected_pk, expected_window_diff in cases.values():
        assert half_segment(12, 2) == 2
        assert pk([4, 8], predicted, 12, 2) == pytest.approx(expected_pk)
        assert window_diff([4, 8], predicted, 12, 2) == pytest.approx(expected_window_diff)


def test_boundaries_match_one_to_one() -> None:
    cases: dict[str, tuple[list[int], list[int], int, int]] = {
        "exact": ([4, 8], [4, 8], 0, 2),
        "off by one, none allowed": ([4, 8], [5, 9], 0, 0),
        "off by one, one allowed": ([4, 8], [5, 9], 1, 2),
        "a true boundary is matched once": ([5], [4, 6], 1, 1),
        "a predicted boundary matches one": ([4, 6], [5], 1, 1),
        "each has its own partner": ([3, 5], [4, 6], 1, 2),
    }
    for true, predicted, tolerance, expected in cases.values():
        assert count_matches(true, predicted, tolerance) == expected


@st.composite
def segmentations(draw: st.DrawFn) -> tuple[list[int], list[int], int, int]:
    n = draw(st.integers(3, 40))
    starts = st.sets(st.integers(1, n - 1), max_size=n - 1).map(sorted)
    return draw(starts), draw(starts), n, draw(st.integers(1, n - 1))


@pytest.fixture(scope="module")
def nltk_segmentation() -> ModuleType:
    """Loaded before the examples are drawn: it takes seconds."""
    module: ModuleType = pytest.importorskip("nltk.metrics.segmentation")
    return module


@given(case=segmentations())
def test_pk_and_window_diff_are_those_of_nltk(
    nltk_segmentation: ModuleType, case: tuple[list[int], list[int], int, int]
) -> None:
    true, predicted, n, k = case
    # There a text is its gaps, "1" where one is a boundary, and a window is k gaps.
    gaps = ["".join("1" if i in starts else "0" for i in range(1, n)) for starts in (true, predicted)]
    assert pk(true, predicted, n, k) == pytest.approx(nltk_segmentation.pk(*gaps, k=k))
    assert window_diff(true, predicted, n, k) == pytest.approx(nltk_segmentation.windowdiff(*gaps, k=k))


@given(segmentations(), st.integers(0, 3))
def test_matching_is_the_largest_there_is(
    case: tuple[list[int], list[int], int, int], tolerance: int
) -> None:
    true, predicted, _, _ = case
    # Kuhn's augmenting paths on the same graph.
    partner: dict[int, int] = {}

    def augment(one: int, tried: set[int]) -> bool:
        for other in predicted:
            if abs(one - other) <= tolerance and other not in tried:
                tried.add(other)
                if other not in partner or augment(partner[other], tried):
                    partner[other] = one
                    return True
        return False

    assert count_matches(true, predicted, tolerance) == sum(augment(one, set()) for one in true)


@given(segmentations())
def test_scores_lie_between_0_and_1_and_a_text_agrees_with_itself(
    case: tuple[list[int], list[int], int, int],
) -> None:
    true, predicted, n, _ = case
    agreement = compare(true, predicted, n)
    assert all(0 <= getattr(agreement, name) <= 1 for name in METRICS)
    same = compare(true, true, n)
    assert (same.pk, same.window_diff, same.precision, same.recall, same.f1) == (0, 0, 1, 1, 1)


def test_chunks_in_random_order_score_as_chance_in_every_metric() -> None:
    """Even the true chunks, shuffled, do no better than cuts thrown at random, as many of them."""
    drawn = np.random.default_rng(7)
    n, n_cuts = 400, 39
    scores: dict[str, list[tuple[float, float]]] = {name: [] for name in METRICS}
    for _ in range(300):
        true, thrown, other = (
            sorted(int(i) for i in drawn.choice(np.arange(1, n), n_cuts, replace=False)) for _ in range(3)
        )
        control, chance = compare(true, shuffle_cuts(true, n, drawn), n), compare(true, other, n)
        assert len(thrown) == n_cuts
        for name in METRICS:
            scores[name].append((getattr(control, name), getattr(chance, name)))
    for name, pairs in scores.items():
        differences = np.array([control - chance for control, chance in pairs])
        # Four standard errors: a fair control fails once in 15,000 seeds, and the seed is fixed.
        assert abs(differences.mean()) < 4 * differences.std() / np.sqrt(len(differences)), name


def test_a_shuffle_keeps_the_sizes_of_the_chunks() -> None:
    cuts = [3, 4, 9, 20]
    new = shuffle_cuts(cuts, 30, np.random.default_rng(0))
    assert sorted(np.diff([0, *new, 30])) == sorted(np.diff([0, *cuts, 30]))
