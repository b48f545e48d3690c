"""How much a mean would vary with other documents or questions: the percentile bootstrap (Efron 1979)."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

N_RESAMPLES = 2000  # enough for the 2.5 % tails to rest on 50 resamples each
LEVEL = 0.95

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreEstimate:
    """A mean, or a relative gain, with the interval that contains it in 95 of 100 resamples."""

    value: float
    low: float
    high: float

    @property
    def above_zero(self) -> bool:
        """Whether the interval lies above 0; for a difference, that it is beyond noise."""
        return self.low > 0


def mean(values: Values, *, seed: int = 0) -> ScoreEstimate:
    """Return the mean and its interval; for a single value, the interval is that value.

    Args:
        values: (n,), one per document or question; at least one.
        seed: the same seed draws the same documents, whatever the values.
    """
    return _make_estimate(float(values.mean()), _draw_resamples(len(values), seed) @ values)


def difference(values: Values, others: Values, *, seed: int = 0) -> ScoreEstimate:
    """Return the mean of values − others, paired: both values of a document are drawn together."""
    return mean(values - others, seed=seed)


def relative_gain(scores: Values, baseline: Values, *, seed: int = 0) -> ScoreEstimate:
    """Return mean(scores) / mean(baseline) − 1, by a paired bootstrap, or NaN if the baseline's mean is 0.

    Args:
        scores: (n_units,), none below 0.
        baseline: (n_units,), the scores of the same units to compare with.
    """
    if not baseline.any():
        return ScoreEstimate(np.nan, np.nan, np.nan)
    weights = _draw_resamples(len(scores), seed)  # (N_RESAMPLES, n_units)
    numerators, denominators = weights @ scores, weights @ baseline
    has_ratio = denominators > 0
    resampled = numerators[has_ratio] / denominators[has_ratio] - 1
    return _make_estimate(float(scores.mean() / baseline.mean()) - 1, resampled)


@lru_cache(maxsize=2)  # they are the same for every measure of the same documents, and take most of the time
def _draw_resamples(n: int, seed: int) -> Values:
    """Return how much each of n units counts in each resample, (N_RESAMPLES, n); rows sum to 1."""
    weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), N_RESAMPLES) / n
    weights.flags.writeable = False  # the cache hands the same array to every caller
    return weights


def _make_estimate(value: float, resampled: Values) -> ScoreEstimate:
    """Return a value with the interval that a share of `LEVEL` of the resampled values lies in."""
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, (tail, 1 - tail))
    return ScoreEstimate(value, float(low), float(high))
