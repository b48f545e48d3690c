"""How likely a passage answers a query: a probability from 0 to 1 that does not depend on the other hits.

It was fitted with the default model to questions of several kinds, with and without an answer in the library
(docs/lab/search.md). The similarities of another model may be higher or lower. Hits without sentence vectors
have no relevance. In a hybrid search, relevance and the score of the search count alike for the order.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings
from alexandria.embed import DEFAULT_MODEL, MULTILINGUAL
from alexandria.passage import Hit
from alexandria.query.question import Word

CALIBRATED = (DEFAULT_MODEL, MULTILINGUAL)
"""The models for which `passage.LINE` is known; names of encoders begin with one of these."""
# The coefficients of the logistic regression.
_SIMILARITY_WEIGHT = 13.6
"""The weight of the similarity of the best sentence to the query."""
_WORDS_WEIGHT = 3.8
"""The weight of the share of the query's words that the passage has; a rare word counts more."""
_INTERCEPT = -8.53


@dataclass(frozen=True, slots=True)
class Asked:
    """What a passage is judged by: a query as it was typed."""

    vector: NDArray[np.float32]  # (dim,)
    words: Sequence[Word]
    """The words that are no stop words."""


def with_relevance(
    hit: Hit, asked: Asked, sentence_vectors: "Embeddings | None", present_terms: Collection[int]
) -> Hit:
    """Return a hit with its relevance; without sentence vectors, it has none.

    Args:
        hit: a passage that answers the query, or may.
        asked: the query.
        sentence_vectors: the vectors of its sentences.
        present_terms: the terms of the query that it has.
    """
    if sentence_vectors is None or not len(sentence_vectors):
        return replace(hit, relevance=None)
    similarity = float((sentence_vectors @ asked.vector).max())
    total = sum(word.rarity for word in asked.words)
    present = sum(word.rarity for word in asked.words if not word.terms.isdisjoint(present_terms))
    share_of_words = present / total if total else 0.0
    log_odds = _SIMILARITY_WEIGHT * similarity + _WORDS_WEIGHT * share_of_words + _INTERCEPT
    return replace(hit, relevance=1 / (1 + exp(-log_odds)))


NO_GOOD_MATCH = "No good match. The closest passages:"
"""The remark on hits whose best relevance is below `passage.LINE`."""
