"""The control for cuts: the same chunks in random order."""

from collections.abc import Sequence

import numpy as np

N_SHUFFLES = 20
"""Shuffled controls per document: their mean varies about a fifth as much as a single control does."""


def shuffle_cuts(cuts: Sequence[int], n: int, generator: np.random.Generator) -> list[int]:
    """Return the cuts of the same chunks in random order: they show what the sizes alone can find.

    Args:
        cuts: sentences at which a chunk begins, ascending, without 0.
        n: sentences in all.
        generator: draws the random order.
    """
    lengths = np.diff([0, *cuts, n])
    generator.shuffle(lengths)
    return [int(cut) for cut in np.cumsum(lengths)[:-1]]
