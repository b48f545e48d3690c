"""One pass over the sentences with a buffer: the rule that two of the strategies share."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Boundary, Reason
from alexandria.chunking.sizes import Sizes, prefix_sums


def cut_below_threshold(
    similarities: NDArray[np.float32],
    sizes: Sizes,
    weights: NDArray[np.int64],
    *,
    threshold: float,
    min_size: int,
    max_size: int,
) -> Iterator[Boundary]:
    """Yield a boundary where the similarity is below the threshold and the buffer is full enough.

    A buffer that the next sentence would overfill is cut whatever the similarity; this rule has priority.

    Args:
        similarities: (n_sentences - 1,), across each gap.
        sizes: contains the spans and headings.
        weights: (n_sentences,), what each sentence adds to the buffer: its words, or 1.
        threshold: cut below this similarity; 1 for a cut at every gap.
        min_size: a smaller buffer is not cut by topic.
        max_size: the largest buffer; only a single sentence can exceed it.
    """
    before = prefix_sums(weights).tolist()
    for first, stop in sizes.spans():
        begin = first  # the first sentence in the buffer
        for i in range(first + 1, stop):
            buffer_size = before[i] - before[begin]
            similarity = float(similarities[i - 1])
            must_break = before[i + 1] - before[begin] > max_size
            is_below = similarity < threshold or threshold >= 1  # a model may not tell two sentences apart
            should_break = is_below and buffer_size >= min_size and sizes.may_begin[i]
            if must_break:
                begin = sizes.cut_before_headings(i, begin)
                yield Boundary(begin - 1, float(similarities[begin - 1]), threshold, Reason.MAX_SIZE)
            elif should_break:
                begin = i
                yield Boundary(i - 1, similarity, threshold, Reason.TOPIC)
