"""Cut at the valleys of the smoothed similarity, so that one stray sentence does not end a topic.

From Remnic's semantic chunking. Short segments join the more similar neighbour, long ones are split by size.
Without an encoder, everything is split by size.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Boundary, Embeddings, Reason
from alexandria.chunking.options import OptionError, check_between, check_count, check_order
from alexandria.chunking.packing import furthest_paragraph_cut
from alexandria.chunking.similarity import neighbour_similarities, similarities_or_zeros
from alexandria.chunking.sizes import CHARACTERS_PER_TOKEN, Sizes, prefix_sums


@dataclass(frozen=True, slots=True)
class Smoothed:
    """Cut at local minima of the moving average that are below mean − std_devs · standard deviation."""

    name: ClassVar[str] = "smoothed"
    needs_embeddings: ClassVar[bool] = True
    min_words: ClassVar[int] = 0

    window: int = 3
    """Gaps in the moving average; odd, so that it has a centre."""
    std_devs: float = 1.0
    min_tokens: int = 100
    """A shorter segment joins the more similar neighbour."""
    target_tokens: int = 200
    """The size of the pieces into which a long segment is split."""
    max_tokens: int = 400
    """A longer segment is split."""
    fallback_to_recursive: bool = True
    """Without embeddings, split by size instead of failing."""
    max_words: int = 1200

    def __post_init__(self) -> None:
        check_count("window", self.window, least=1)
        if self.window % 2 == 0:
            raise OptionError("window", f"must be odd, not {self.window}")
        # No similarity is further than 10 standard deviations from the mean: the range of a cosine is 2.
        check_between("std_devs", self.std_devs, 0, 10)
        check_count("min_tokens", self.min_tokens, least=0)
        check_count("target_tokens", self.target_tokens, least=1)
        check_count("max_tokens", self.max_tokens, least=1)
        check_order("min_tokens", self.min_tokens, "max_tokens", self.max_tokens)
        check_order("target_tokens", self.target_tokens, "max_tokens", self.max_tokens)
        check_count("max_words", self.max_words, least=1)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the valleys, without those of short segments, and the splits of long ones.

        Raises:
            ValueError: the rows have no dimensions and there is no fallback.
        """
        before = prefix_sums(sizes.characters)
        if embeddings.shape[1] == 0 and self.fallback_to_recursive:
            unknown = similarities_or_zeros(embeddings)
            spans = sizes.spans()
            return tuple(cut for a, b in spans for cut in self._split(a, b, before, sizes, unknown))
        similarities = neighbour_similarities(embeddings)
        if not len(similarities):
            return ()
        smooth = moving_average(similarities, self.window)
        threshold = float(smooth.mean() - self.std_devs * smooth.std())
        low = [gap for gap in valleys(smooth, similarities) if smooth[gap] < threshold]
        starts = [gap + 1 for gap in low if sizes.may_begin[gap + 1]]
        cuts: list[Boundary] = []
        for first, stop in sizes.spans():
            inside = starts[bisect_right(starts, first) : bisect_left(starts, stop)]
            edges = self._merged([first, *inside, stop], before, smooth)
            for begin, end in pairwise(edges):
                if before[end] - before[begin] > self.max_tokens * CHARACTERS_PER_TOKEN:
                    cuts += self._split(begin, end, before, sizes, smooth)
                if end < stop:
                    cuts.append(Boundary(end - 1, float(smooth[end - 1]), threshold, Reason.TOPIC))
        return tuple(cuts)

    def _merged(self, edges: list[int], before: NDArray[np.int64], smooth: NDArray[np.float64]) -> list[int]:
        """Return the edges that remain after each short segment has joined the more similar neighbour."""
        left, least = list(edges), self.min_tokens * CHARACTERS_PER_TOKEN
        i = 0
        while i + 1 < len(left):
            inner = [k for k in (i, i + 1) if 0 < k < len(left) - 1]
            if inner and before[left[i + 1]] - before[left[i]] < least:
                left.pop(max(inner, key=lambda k: smooth[left[k] - 1]))
                i = max(i - 1, 0)
            else:
                i += 1
        return left

    def _split(
        self,
        begin: int,
        end: int,
        before: NDArray[np.int64],
        sizes: Sizes,
        similarities: NDArray[np.floating],
    ) -> Iterator[Boundary]:
        """Yield the cuts of a segment into pieces of at most `target_tokens`."""
        most = self.target_tokens * CHARACTERS_PER_TOKEN
        while (begin := furthest_paragraph_cut(before, begin, end, most, sizes)) < end:
            yield Boundary(begin - 1, float(similarities[begin - 1]), None, Reason.MAX_SIZE)

    def rule(self) -> str:
        """Return the rule in words."""
        return "valley of the smoothed similarity"

    def cap(self) -> str:
        """Return the caps in words."""
        return f"{self.max_tokens:,} tokens or {self.max_words:,} words"


def moving_average(similarities: NDArray[np.float32], window: int) -> NDArray[np.float64]:
    """Return the mean of the `window` values around each, of fewer near the ends; (n_gaps,)."""
    totals = np.concatenate(([0.0], np.cumsum(similarities, dtype=np.float64)))
    centres = np.arange(len(similarities))
    low = np.maximum(centres - window // 2, 0)
    high = np.minimum(centres + window // 2 + 1, len(similarities))
    # What float32 similarities say beyond the sixth decimal is rounding: equal means must be equal.
    means: NDArray[np.float64] = (totals[high] - totals[low]) / (high - low)
    return means.round(6)


def valleys(smooth: NDArray[np.float64], similarities: NDArray[np.float32]) -> list[int]:
    """Return the local minima, ascending, including an end that is below its one neighbour.

    A single deep gap makes a valley as wide as the window; among equal values, the deepest gap is used.
    """
    starts = np.flatnonzero(np.diff(smooth, prepend=np.nan) != 0)  # of runs of equal values
    stops = np.append(starts[1:], len(smooth))
    around = np.concatenate(([np.inf], smooth[starts], [np.inf]))
    deep = (around[1:-1] < around[:-2]) & (around[1:-1] < around[2:])
    return [int(a + np.argmin(similarities[a:b])) for a, b in zip(starts[deep], stops[deep], strict=True)]
