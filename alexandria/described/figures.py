"""The arithmetic functions of the descriptions, for vectors and series of numbers of any origin."""

from collections.abc import Sequence
from statistics import fmean as mean
from statistics import pstdev as stddev

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alexandria.book.model import Embeddings
from alexandria.chunking.similarity import neighbour_similarities
from alexandria.chunking.strategies.smoothed import moving_average, valleys
from alexandria.embed.encoder import unit_rows
from alexandria.library.chunk_text import EmbeddingFunction, EmbeddingModel, OwnModel

__all__ = [
    "calculate_percentile",
    "cosine_similarity",
    "find_local_minima",
    "generate_embeddings_batch",
    "mean",
    "moving_average",
    "pairwise_similarities",
    "stddev",
]


def cosine_similarity(first: ArrayLike, second: ArrayLike) -> float:
    """Return the cosine similarity of two vectors, in [-1, 1].

    Raises:
        FloatingPointError: one of the vectors is all zeros or not finite, so that it has no direction.
    """
    return float(neighbour_similarities(unit_rows(np.array([first, second], np.float64)))[0])


def pairwise_similarities(embeddings: ArrayLike) -> NDArray[np.float32]:
    """Return the cosine similarity of each vector to the next, (n - 1,): of neighbours, not of all pairs.

    Raises:
        FloatingPointError: a vector is all zeros, or not finite.
    """
    return neighbour_similarities(unit_rows(np.asarray(embeddings, np.float64)))


def calculate_percentile(values: ArrayLike, percentile: float) -> float:
    """Return the value below which a share of the values lies, interpolated; `percentile` is in [0, 1]."""
    return float(np.quantile(np.asarray(values, np.float64), percentile))


def find_local_minima(values: ArrayLike) -> list[int]:
    """Return the indices of values below both neighbours (at an end, below its one); of equals, the first."""
    series = np.asarray(values, np.float64)
    return valleys(series, series.astype(np.float32)) if len(series) else []


def generate_embeddings_batch(
    embed: EmbeddingModel | EmbeddingFunction, sentences: Sequence[str], batch_size: int | None = None
) -> Embeddings:
    """Return (n_sentences, dim) unit vectors from a model or function that gets `batch_size` texts at a time.

    Raises:
        ValueError: the model did not return a vector for each sentence.
        FloatingPointError: a vector is all zeros, or not finite.
    """
    return OwnModel(embed, batch_size).encode(sentences)
