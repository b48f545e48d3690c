"""Whether a chunk keeps to one topic, by the vectors of its sentences: the figures that need a model."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Chunk, Embeddings

TWO_TOPICS = 0.3
"""A chunk whose parts are less similar than this holds two topics.

With the default model, it finds 62 % of 600 passages of 16 sentences joined from two books, and 2 % of the
chunks of these books; two places of one book are mostly too alike to be told apart (4 %).
"""
_LEAST = 3
"""Sentences of a part, at least: the mean of fewer says little about a topic."""


def first_to_last(chunks: Sequence[Chunk], embeddings: Embeddings) -> float | None:
    """Return the mean similarity of each chunk's first sentence to its last, in [-1, 1].

    The lower, the further chunks drift from where they began. None if no chunk has two sentences.

    Args:
        chunks: all of a book, in order.
        embeddings: (n_sentences, dim), rows of length 1.
    """
    ends = np.array(
        [(c.first_sentence, c.first_sentence + c.n_sentences - 1) for c in chunks if c.n_sentences > 1]
    )
    if not len(ends):
        return None
    similarities = np.einsum("ij,ij->i", embeddings[ends[:, 0]], embeddings[ends[:, 1]])
    return round(float(similarities.mean(dtype=np.float64)), 6)


def count_two_topics(chunks: Sequence[Chunk], embeddings: Embeddings) -> int:
    """Return how many chunks can be parted into two whose similarity is below `TWO_TOPICS`.

    Args:
        chunks: all of a book, in order.
        embeddings: (n_sentences, dim), rows of length 1.
    """
    spans = ((chunk.first_sentence, chunk.first_sentence + chunk.n_sentences) for chunk in chunks)
    lows = (similarities_of_parts(embeddings[first:end]) for first, end in spans)
    return sum(bool((low < TWO_TOPICS).any()) for low in lows)


def similarities_of_parts(rows: Embeddings) -> NDArray[np.float64]:
    """Return how similar the mean vectors on both sides of each place inside a chunk are, in [-1, 1].

    Args:
        rows: (n_sentences, dim), the chunk's, of length 1.

    Returns:
        (n_sentences - 5,), as each part has three sentences; empty for a shorter chunk.
    """
    if len(rows) < 2 * _LEAST:
        return np.empty(0)
    sums = rows.cumsum(axis=0, dtype=np.float64)
    before = sums[_LEAST - 1 : -_LEAST]
    after = sums[-1] - before
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    similarities: NDArray[np.float64] = np.einsum("ij,ij->i", before, after) / lengths.clip(min=1e-9)
    return similarities
