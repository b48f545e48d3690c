"""Intervals: what they must hold, and that they are paired and repeatable."""

import numpy as np
import pytest

from alexandria.lab import bootstrap


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.1, 400)
    one = bootstrap.mean(values)
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    assert one.value == pytest.approx(values.mean())
    assert one.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert one.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_95_of_100_intervals_hold_the_truth() -> None:
    drawn = np.random.default_rng(2)
    intervals = [bootstrap.mean(drawn.normal(0, 1, 60)) for _ in range(300)]
    share = np.mean([one.low <= 0 <= one.high for one in intervals])
    assert 0.90 <= share <= 0.98


def test_a_difference_is_paired() -> None:
    """Questions differ far more than the two settings do: only pairing sees the gain."""
    hard = np.random.default_rng(3).uniform(0, 1, 50)
    gain = bootstrap.difference(hard + 0.01, hard)
    assert gain.above_zero
    assert [gain.low, gain.high] == pytest.approx([0.01, 0.01])


def test_a_relative_gain_is_that_of_the_means() -> None:
    gain = bootstrap.relative_gain(np.array([0.6, 0.9]), np.array([0.5, 0.5]))
    assert gain.value == pytest.approx(0.5)
    assert gain.low == pytest.approx(0.2)
    assert gain.high == pytest.approx(0.8)


def test_over_nothing_there_is_no_gain() -> None:
    assert np.isnan(bootstrap.relative_gain(np.array([0.5]), np.array([0.0])).value)


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.arange(9.0)
    assert bootstrap.mean(values, seed=4) == bootstrap.mean(values, seed=4)
    assert bootstrap.mean(values, seed=4) != bootstrap.mean(values, seed=5)


def test_the_resamples_of_as_many_documents_are_drawn_once() -> None:
    bootstrap._draw_resamples.cache_clear()
    values = np.random.default_rng(4).uniform(0.1, 1, 37)
    bootstrap.mean(values)
    bootstrap.difference(values, values[::-1])
    bootstrap.relative_gain(values, values[::-1])
    assert bootstrap._draw_resamples.cache_info().misses == 1
