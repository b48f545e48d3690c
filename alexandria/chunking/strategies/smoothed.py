"""Cut at the valleys of the smoothed similarity, so that one stray sentence does not end a topic.

After Remnic's semantic chunking (docs/descriptions.md). Short segments join the more similar neighbour, long
ones are split by size. Without an encoder, everything is split by size.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Boundary, Embeddings, Reason
from alexandria.chunking.packing import furthest_paragraph_cut
from alexandria.chunking.similarity import neighbour_similarities, similarities_or_zeros
from alexandria.chunking.sizes import CHARACTERS_PER_TOKEN, Sizes, prefix_sums
from alexandria.chunking.strategy import OptionError, check_between, check_count, check_order


@dataclass(frozen=True, slots=True)
class Smoothed:
    """Cut at local minima of the moving average that are below mean − std_devs · standard deviation."""

    name: ClassVar[str] = "smoothed"
    needs_embeddings: ClassVar[bool] = True
    min_words: ClassVar[int] = 0

    window: int = 3
    """Gaps in the moving average; odd, because the average is centred on a gap."""
    std_devs: float = 1.0
    """A cut is this many standard deviations below the mean similarity; 0 to 10."""
    min_tokens: int = 100
    """A shorter segment joins the more similar neighbour."""
    target_tokens: int = 200
    """The size of the pieces into which a long segment is split."""
    max_tokens: int = 400
    """A longer segment is split."""
    fallback_to_recursive: bool = True
    """Without embeddings, split by size instead of failing."""
    max_words: int = 1200
    """No chunk holds more."""

    def __post_init__(self) -> None:
        """Check the options: raise OptionError for one that is out of its range."""
        check_count("window", self.window, minimum=1)
        if self.window % 2 == 0:
            raise OptionError("window", f"must be odd, not {self.window}")
        # No similarity is further than 10 standard deviations from the mean: the range of a cosine is 2.
        check_between("std_devs", self.std_devs, 0, 10)
        check_count("min_tokens", self.min_tokens, minimum=0)
        check_count("target_tokens", self.target_tokens, minimum=1)
        check_count("max_tokens", self.max_tokens, minimum=1)
        check_order("min_tokens", self.min_tokens, "max_tokens", self.max_tokens)
        check_order("target_tokens", self.target_tokens, "max_tokens", self.max_tokens)
        check_count("max_words", self.max_words, minimum=1)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts at the valleys, except beside short segments, and the splits of long segments.

        Raises:
            ValueError: the sentence vectors have no dimensions, and `fallback_to_recursive` is False.
        """
        characters_before = prefix_sums(sizes.characters)
        cuts: list[Boundary] = []
        if embeddings.shape[1] == 0 and self.fallback_to_recursive:  # by size alone
            zeros = similarities_or_zeros(embeddings)
            for first, stop in sizes.spans():
                cuts += self._split(first, stop, characters_before, sizes, zeros)
            return tuple(cuts)
        similarities = neighbour_similarities(embeddings)
        if not len(similarities):
            return ()
        smooth = moving_average(similarities, self.window)
        threshold = float(smooth.mean() - self.std_devs * smooth.std())
        deep_gaps = [gap for gap in valleys(smooth, similarities) if smooth[gap] < threshold]
        starts = [gap + 1 for gap in deep_gaps if sizes.may_begin[gap + 1]]
        for first, stop in sizes.spans():
            span_starts = starts[bisect_right(starts, first) : bisect_left(starts, stop)]
            edges = self._join_short_segments([first, *span_starts, stop], characters_before, smooth)
            for begin, end in pairwise(edges):
                if characters_before[end] - characters_before[begin] > self.max_tokens * CHARACTERS_PER_TOKEN:
                    cuts += self._split(begin, end, characters_before, sizes, smooth)
                if end < stop:
                    cuts.append(Boundary(end - 1, float(smooth[end - 1]), threshold, Reason.TOPIC))
        return tuple(cuts)

    def _join_short_segments(
        self, edges: list[int], characters_before: NDArray[np.int64], smooth: NDArray[np.float64]
    ) -> list[int]:
        """Return the edges that remain after each short segment has joined the more similar neighbour.

        Args:
            edges: where the segments of a span begin, and last where the span ends; ascending.
            characters_before: (n_sentences + 1,), of the book.
            smooth: (n_sentences - 1,), the smoothed similarities.
        """
        edges = list(edges)
        min_characters = self.min_tokens * CHARACTERS_PER_TOKEN
        i = 0  # the segment from edge i to edge i + 1
        while i + 1 < len(edges):
            # The edges of the segment by whose removal it joins a neighbour: not the ends of the span.
            removable = [k for k in (i, i + 1) if 0 < k < len(edges) - 1]
            n_characters = characters_before[edges[i + 1]] - characters_before[edges[i]]
            if removable and n_characters < min_characters:
                edges.pop(max(removable, key=lambda k: smooth[edges[k] - 1]))
                i = max(i - 1, 0)  # the joined segment may still be short
            else:
                i += 1
        return edges

    def _split(
        self,
        begin: int,
        end: int,
        characters_before: NDArray[np.int64],
        sizes: Sizes,
        similarities: NDArray[np.floating],
    ) -> Iterator[Boundary]:
        """Yield the cuts of a segment into pieces of at most `target_tokens`, at paragraphs if possible."""
        max_size = self.target_tokens * CHARACTERS_PER_TOKEN
        while (begin := furthest_paragraph_cut(characters_before, begin, end, max_size, sizes)) < end:
            yield Boundary(begin - 1, float(similarities[begin - 1]), None, Reason.MAX_SIZE)

    def rule(self) -> str:
        """Return the rule in words."""
        return "valley of the smoothed similarity"

    def cap(self) -> str:
        """Return the caps in words."""
        return f"{self.max_tokens:,} tokens or {self.max_words:,} words"


def moving_average(similarities: NDArray[np.float32], window: int) -> NDArray[np.float64]:
    """Return the mean of the `window` values centred on each gap, (n_gaps,); fewer at the ends.

    `window` is odd. Means are rounded to six decimal places.
    """
    totals = np.concatenate(([0.0], np.cumsum(similarities, dtype=np.float64)))
    centres = np.arange(len(similarities))
    low = np.maximum(centres - window // 2, 0)
    high = np.minimum(centres + window // 2 + 1, len(similarities))
    means: NDArray[np.float64] = (totals[high] - totals[low]) / (high - low)
    # `valleys` looks for runs of equal means: rounding makes means equal that differ only by float error.
    # Beyond the sixth decimal place, float32 similarities hold nothing else.
    return means.round(6)


def valleys(smooth: NDArray[np.float64], similarities: NDArray[np.float32]) -> list[int]:
    """Return the local minima, ascending, including an end that is below its one neighbour.

    A single deep gap makes a valley as wide as the window: of its equal values, the least similar gap counts.
    """
    # Each run of equal values is one candidate; NaN differs from any value, so the first run begins at 0.
    starts = np.flatnonzero(np.diff(smooth, prepend=np.nan) != 0)
    stops = np.append(starts[1:], len(smooth))
    values = np.concatenate(([np.inf], smooth[starts], [np.inf]))
    is_valley = (values[1:-1] < values[:-2]) & (values[1:-1] < values[2:])
    runs = zip(starts[is_valley], stops[is_valley], strict=True)
    return [int(start + np.argmin(similarities[start:stop])) for start, stop in runs]
