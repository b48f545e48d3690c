"""How close predicted boundaries are to true ones: Pk, WindowDiff, and F1 with tolerance; and shuffled cuts.

A boundary is given as the sentence that begins after it: 1 … n − 1 of n sentences.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alexandria.lab import TOLERANCE

N_SHUFFLES = 20
"""Shuffled controls per document: their mean varies about a fifth as much as a single control does."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Scores in [0, 1]; lower is better for pk and window_diff, higher for the rest."""

    pk: float
    window_diff: float
    precision: float
    recall: float
    f1: float


def compare(
    true: Collection[int], predicted: Collection[int], n: int, *, tolerance: int = TOLERANCE
) -> Agreement:
    """Return how well the predicted boundaries of n sentences agree with the true ones.

    Where there is no true boundary and none is predicted, the agreement is perfect.
    """
    k = half_segment(n, len(true))
    n_hits = count_matches(true, predicted, tolerance)
    return Agreement(
        pk=pk(true, predicted, n, k),
        window_diff=window_diff(true, predicted, n, k),
        precision=n_hits / len(predicted) if predicted else float(not true),
        recall=n_hits / len(true) if true else float(not predicted),
        f1=2 * n_hits / (len(true) + len(predicted)) if true or predicted else 1.0,
    )


def half_segment(n: int, n_true: int) -> int:
    """Return half the mean length of a true segment, at least 1: the window size of both metrics' papers."""
    return max(1, round(n / (n_true + 1) / 2))


def pk(true: Collection[int], predicted: Collection[int], n: int, k: int) -> float:
    """Return the share of windows whose two ends are wrongly joined or separated (Beeferman et al. 1999).

    A window spans sentence i to sentence i + k; 0 if the text is too short for one.
    """
    if n <= k:
        return 0.0
    is_separated = _count_crossed(true, n, k) > 0  # (n − k,): a boundary lies inside the window
    is_predicted_separated = _count_crossed(predicted, n, k) > 0
    return float(np.mean(is_separated != is_predicted_separated))


def window_diff(true: Collection[int], predicted: Collection[int], n: int, k: int) -> float:
    """Return the share of windows with a wrong number of boundaries (Pevzner and Hearst 2002).

    The windows are the same as for `pk`; 0 if the text is too short for one.
    """
    if n <= k:
        return 0.0
    return float(np.mean(_count_crossed(true, n, k) != _count_crossed(predicted, n, k)))


def count_matches(true: Collection[int], predicted: Collection[int], tolerance: int) -> int:
    """Return how many true boundaries pair up with a predicted one within the tolerance, each used once.

    In ascending lists, pairing the first two boundaries that are close enough is optimal.
    """
    true_starts, predicted_starts = sorted(true), sorted(predicted)
    i = j = n_pairs = 0
    while i < len(true_starts) and j < len(predicted_starts):
        if abs(true_starts[i] - predicted_starts[j]) <= tolerance:
            n_pairs += 1
            i += 1
            j += 1
        elif true_starts[i] < predicted_starts[j]:
            i += 1
        else:
            j += 1
    return n_pairs


def _count_crossed(starts: Collection[int], n: int, k: int) -> NDArray[np.int64]:
    """Return how many boundaries lie between sentence i and sentence i + k, for each i; (n − k,)."""
    up_to = np.cumsum(np.isin(np.arange(n), list(starts)))  # boundaries at or before each sentence
    return up_to[k:] - up_to[:-k]


def shuffle_cuts(cuts: Sequence[int], n: int, generator: np.random.Generator) -> list[int]:
    """Return the cuts of the same chunks in random order: they show what the sizes alone can find.

    Args:
        cuts: sentences at which a chunk begins, ascending, without 0.
    """
    lengths = np.diff([0, *cuts, n])
    generator.shuffle(lengths)
    return [int(cut) for cut in np.cumsum(lengths)[:-1]]
