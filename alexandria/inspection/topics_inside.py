"""Whether a chunk keeps to one topic, by the vectors of its sentences: the figures that need a model."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Chunk, Embeddings

TWO_TOPICS = 0.3
"""A chunk whose parts are less similar than this has two topics.

With the default model, this is so of 62 % of 600 passages of 16 sentences joined from two books, and of 2 %
of the chunks of these books. Of passages joined from two places in one book it is so of only 4 %: these are
mostly too similar.
"""
_MIN_PART = 3
"""The least number of sentences in a part: the mean of fewer says little about a topic."""


def first_to_last(chunks: Sequence[Chunk], sentence_vectors: Embeddings) -> float | None:
    """Return the mean similarity of each chunk's first sentence to its last, in [-1, 1].

    The lower, the further chunks drift from where they began. None if no chunk has two sentences.

    Args:
        chunks: all chunks of the book, in order.
        sentence_vectors: (n_sentences, dim), the vectors of the book's sentences, of length 1.
    """
    longer_chunks = [chunk for chunk in chunks if chunk.n_sentences > 1]
    if not longer_chunks:
        return None
    first = [chunk.first_sentence for chunk in longer_chunks]
    last = [chunk.first_sentence + chunk.n_sentences - 1 for chunk in longer_chunks]
    similarities = np.einsum("ij,ij->i", sentence_vectors[first], sentence_vectors[last])
    return round(float(similarities.mean(dtype=np.float64)), 6)


def count_two_topics(chunks: Sequence[Chunk], sentence_vectors: Embeddings) -> int:
    """Return how many chunks have two topics: they split into two parts less similar than `TWO_TOPICS`.

    Args:
        chunks: all chunks of the book, in order.
        sentence_vectors: (n_sentences, dim), the vectors of the book's sentences, of length 1.
    """
    spans = ((chunk.first_sentence, chunk.first_sentence + chunk.n_sentences) for chunk in chunks)
    similarities = (similarities_of_parts(sentence_vectors[first:end]) for first, end in spans)
    return sum(bool((chunk_similarities < TWO_TOPICS).any()) for chunk_similarities in similarities)


def similarities_of_parts(sentence_vectors: Embeddings) -> NDArray[np.float64]:
    """Return the similarity of the two parts of a chunk, for each way to split it in two, in [-1, 1].

    The similarity is the cosine of the parts' mean vectors.

    Args:
        sentence_vectors: (n_sentences, dim), the vectors of the chunk's sentences, of length 1.

    Returns:
        (n_sentences - 5,), as a part has at least three sentences; empty for fewer than six sentences.
    """
    if len(sentence_vectors) < 2 * _MIN_PART:
        return np.empty(0)
    # Sums have the direction of the means. float64: differences of running sums are taken below.
    sums = sentence_vectors.cumsum(axis=0, dtype=np.float64)
    before = sums[_MIN_PART - 1 : -_MIN_PART]
    after = sums[-1] - before
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    similarities: NDArray[np.float64] = np.einsum("ij,ij->i", before, after) / lengths.clip(min=1e-9)
    return similarities
