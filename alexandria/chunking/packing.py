"""Cuts by size alone: as many whole sentences as fit."""

import numpy as np
from numpy.typing import NDArray

from alexandria.chunking.sizes import Sizes


def last_cut(before: NDArray[np.int64], begin: int, stop: int, most: int, sizes: Sizes) -> int:
    """Return the last sentence at which the chunk from `begin` can end within `most`; `stop` if all fits.

    At least one sentence is taken, however large, and a heading is left to what follows it.

    Args:
        before: (n_sentences + 1,), the totals before each sentence, in the unit of `most`.
        begin: the chunk's first sentence.
        stop: behind the span's last sentence.
        most: the largest chunk.
        sizes: where the headings are.
    """
    reach = int(np.searchsorted(before, before[begin] + most, side="right")) - 1
    if reach >= stop:
        return stop
    return sizes.before_heading(max(reach, begin + 1), begin)
