"""Arithmetic of half-open spans of one text."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Span = tuple[int, int]  # start and end, in characters; the end is exclusive


def union(spans: Iterable[Span]) -> list[Span]:
    """Return what the spans cover, as ascending spans that neither touch nor overlap; drop empty ones."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def total_length(spans: Iterable[Span]) -> int:
    """Return the sum of the lengths; characters that two spans share count twice."""
    return sum(end - start for start, end in spans)


def intersection(spans: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """Return the characters in both, as spans in the form that `union` returns."""
    pairs = ((max(a, c), min(b, d)) for a, b in spans for c, d in others)
    return union(pairs)


def overlap_mask(spans: Sequence[Span] | NDArray[np.int64], others: Iterable[Span]) -> NDArray[np.bool_]:
    """Return which of the spans share a character with one of the others, (n_spans,)."""
    merged_starts, merged_ends = np.array(union(others), np.int64).reshape(-1, 2).T
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    # The first merged span that ends after the start of a span overlaps it if it begins before its end.
    first = np.searchsorted(merged_ends, starts, side="right")
    # Where no merged span ends after the start, a span at infinity takes its place.
    first_starts = np.append(merged_starts, np.iinfo(np.int64).max)[first]
    return np.asarray(first_starts < ends) & (starts < ends)
