"""How near found boundaries are to true ones: Pk, WindowDiff, and F1 with tolerance.

A boundary is given as the sentence that begins behind it: 1 … n − 1 of n sentences.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 2
"""Sentences that a found boundary may be off and still count: about the sentence that leads over."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """All of it in [0, 1]; lower is better for pk and window_diff, higher for the rest."""

    pk: float
    window_diff: float
    precision: float
    recall: float
    f1: float


def compare(
    true: Collection[int], found: Collection[int], n: int, *, tolerance: int = TOLERANCE
) -> Agreement:
    """Return how far the found boundaries of n sentences agree with the true ones.

    Where there is nothing to find and nothing is found, the agreement is perfect.
    """
    k = half_segment(n, len(true))
    hits = n_matched(true, found, tolerance)
    return Agreement(
        pk=pk(true, found, n, k),
        window_diff=window_diff(true, found, n, k),
        precision=hits / len(found) if found else float(not true),
        recall=hits / len(true) if true else float(not found),
        f1=2 * hits / (len(true) + len(found)) if true or found else 1.0,
    )


def half_segment(n: int, n_true: int) -> int:
    """Return half the mean length of a true segment, the window that both papers ask for; at least 1."""
    return max(1, round(n / (n_true + 1) / 2))


def pk(true: Collection[int], found: Collection[int], n: int, k: int) -> float:
    """Return the share of windows whose ends are wrongly told together or apart (Beeferman et al. 1999).

    A window reaches from sentence i to sentence i + k; 0 where the text is too short for one.
    """
    if n <= k:
        return 0.0
    return float(np.mean((_crossed(true, n, k) > 0) != (_crossed(found, n, k) > 0)))


def window_diff(true: Collection[int], found: Collection[int], n: int, k: int) -> float:
    """Return the share of windows with a wrong number of boundaries (Pevzner and Hearst 2002)."""
    if n <= k:
        return 0.0
    return float(np.mean(_crossed(true, n, k) != _crossed(found, n, k)))


def n_matched(true: Collection[int], found: Collection[int], tolerance: int) -> int:
    """Return how many pairs of a true and a found boundary lie within the tolerance; each is in one pair.

    Both ascend, so pairing the first two that are near enough loses none.
    """
    wanted, offered = sorted(true), sorted(found)
    i = j = matched = 0
    while i < len(wanted) and j < len(offered):
        if abs(wanted[i] - offered[j]) <= tolerance:
            i, j, matched = i + 1, j + 1, matched + 1
        elif wanted[i] < offered[j]:
            i += 1
        else:
            j += 1
    return matched


def _crossed(starts: Collection[int], n: int, k: int) -> NDArray[np.int64]:
    """Return how many boundaries lie between sentence i and sentence i + k, for each i; (n − k,)."""
    up_to = np.cumsum(np.isin(np.arange(n), list(starts)))  # boundaries at or before each sentence
    return up_to[k:] - up_to[:-k]
