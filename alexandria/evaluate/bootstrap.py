"""How far a mean would vary with other documents or questions: the percentile bootstrap (Efron 1979)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_RESAMPLES = 2000
"""Enough for the 2.5 % tails to rest on 50 resamples each."""
LEVEL = 0.95

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the interval that holds it in 95 of 100 resamples."""

    value: float
    low: float
    high: float

    @property
    def above_zero(self) -> bool:
        """Whether the interval lies above 0: as a difference, beyond noise."""
        return self.low > 0


def mean(values: Values, *, seed: int = 0) -> Estimate:
    """Return the mean and its interval; of one value alone, the interval is that value.

    Args:
        values: (n,), one a document or question; at least one.
        seed: the same seed draws the same documents, whatever the values.
    """
    return _estimate(float(values.mean()), _weights(len(values), seed) @ values)


def difference(values: Values, others: Values, *, seed: int = 0) -> Estimate:
    """Return the mean of values − others, paired: each document is drawn with both of its values."""
    return mean(values - others, seed=seed)


def relative_gain(values: Values, others: Values, *, seed: int = 0) -> Estimate:
    """Return mean(values) / mean(others) − 1, paired; not-a-number where the others' mean is 0."""
    if not others.any():
        return Estimate(np.nan, np.nan, np.nan)
    weights = _weights(len(values), seed)
    tops, bottoms = weights @ values, weights @ others
    # A resample in which the others score nothing has no ratio.
    drawn = tops[bottoms > 0] / bottoms[bottoms > 0] - 1
    return _estimate(float(values.mean() / others.mean()) - 1, drawn)


def _weights(n: int, seed: int) -> Values:
    """Return how much each of n units counts in each resample, (N_RESAMPLES, n); rows sum to 1."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), N_RESAMPLES) / n


def _estimate(value: float, drawn: Values) -> Estimate:
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return Estimate(value, float(low), float(high))
