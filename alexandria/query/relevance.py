"""How likely a passage answers a query: a probability from 0 to 1, comparable between searches.

It was fitted with the default model to questions of several kinds, with and without an answer in the library
(docs/lab/search.md). The similarities of another model may be higher or lower. Hits without sentence vectors
have no relevance. In a hybrid search, closeness and the score of the search count alike for the order.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import exp
from operator import mul

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed import DEFAULT_MODEL, MULTILINGUAL
from alexandria.query.question import Word

CALIBRATED = (DEFAULT_MODEL, MULTILINGUAL)
"""The models for which `passage.LINE` is known; names of encoders begin with one of these."""
SUFFICES = 0.3
"""The closeness with which a passage of the books that a query names may answer: others are not asked."""
# The coefficients of logistic regressions.
_CLOSENESS = (13.6, 3.8, -8.53)
"""Of similarity and share of words, and the constant, where the order of the hits is concerned."""
_AMONG_OTHERS = (7.73, 0.6, 4.03, -17.33)
"""Of similarity, number of words, and standing, and the constant."""
_ALONE = (7.9, 3.5, -7.6)
"""Of similarity and share of words, and the constant, where standing is unknown: rather too low."""
_MOST_WORDS = 5
"""More words that a passage has do not count."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a passage is judged by: a query as it was typed."""

    vector: NDArray[np.float32]  # (dim,)
    words: Sequence[Word]
    """The words that are no stop words."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """What a passage has in common with a query."""

    similarity: float
    """Of its best sentence to the query."""
    share_of_words: float
    """Of the query's words, those that it has, from 0 to 1; a rare word counts more."""
    n_words: int
    """How many of the query's words it has."""

    @property
    def closeness(self) -> float:
        """How near it is to the query by itself, from 0 to 1: by this, hits are ordered."""
        return _logistic(_CLOSENESS, self.similarity, self.share_of_words)

    def relevance(self, standing: float | None) -> float:
        """Return how likely it answers the query.

        Args:
            standing: how far it stands out among the passages found, as in `ScoredChunks`; None if unknown.
        """
        if standing is None:
            return _logistic(_ALONE, self.similarity, self.share_of_words)
        return _logistic(_AMONG_OTHERS, self.similarity, min(self.n_words, _MOST_WORDS), standing)


def resemblance(
    asked: Asked, sentence_vectors: "Embeddings | None", present_terms: Collection[int]
) -> Resemblance | None:
    """Return what a passage has in common with a query; None without sentence vectors.

    Args:
        asked: the query.
        sentence_vectors: the vectors of the passage's sentences.
        present_terms: the terms of the query that it has.
    """
    if sentence_vectors is None or not len(sentence_vectors):
        return None
    present = [word.rarity for word in asked.words if not word.terms.isdisjoint(present_terms)]
    total = sum(word.rarity for word in asked.words)
    similarity = float((sentence_vectors @ asked.vector).max())
    return Resemblance(similarity, sum(present) / total if total else 0.0, len(present))


def _logistic(coefficients: Sequence[float], *values: float) -> float:
    *weights, constant = coefficients
    return 1 / (1 + exp(-constant - sum(map(mul, weights, values))))


NO_GOOD_MATCH = "No good match. The closest passages:"
"""The remark on hits whose best relevance is below `passage.LINE`."""
