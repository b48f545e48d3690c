"""How likely a passage answers a query: a probability from 0 to 1 that does not depend on the other hits.

It was calibrated with the default model on the 276 questions of Chroma's chunking benchmark, each against a
library with and without the text that answers it (docs/retrieval.md), and checked with `multilingual`. The
similarities of another model may be higher or lower. Hits without sentence vectors have no relevance.
The rank is the better judge of which hit answers, so no hit is shown with a higher relevance than one ranked
before it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import exp

from alexandria.book import Embeddings
from alexandria.embed import DEFAULT_MODEL, MULTILINGUAL
from alexandria.passage import Hit
from alexandria.store import QueryVectors

LINE = 0.3
"""A passage with a lower relevance probably does not answer: of the best hits that do, 2.5 % are below
it; of the best hits in libraries without the answer, 5.4 % are above it."""
CALIBRATED = (DEFAULT_MODEL, MULTILINGUAL)
"""The models for which `LINE` is known; names of encoders begin with one of these."""
# The coefficients of the logistic regression.
_SIMILARITY_WEIGHT = 12.5
"""The weight of the similarity of the best sentence to the query."""
_WORDS_WEIGHT = 7.5
"""The weight of the share of the query's words that the passage has."""
_INTERCEPT = -9.5


def with_relevance(
    hits: Sequence[Hit],
    query: QueryVectors,
    sentence_vectors: Mapping[str, Embeddings],
    present_terms: Mapping[str, Collection[int]],
) -> list[Hit]:
    """Return the hits with their relevance.

    Args:
        hits: passages that answer the query, or may.
        query: the vectors of the query.
        sentence_vectors: the sentence vectors of each hit that has any, by its id.
        present_terms: the terms of the query that each hit has, by its id.
    """
    return [
        replace(
            hit,
            relevance=_estimate_relevance(query, sentence_vectors.get(hit.id), present_terms.get(hit.id, ())),
        )
        for hit in hits
    ]


def with_falling_relevance(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits with each relevance lowered to the lowest one before it.

    A hit with a higher relevance than one ranked before it rarely answers (docs/retrieval.md).

    Args:
        hits: the hits in the order of their rank; one whose relevance is not known stays as it is.
    """
    limited, lowest = [], 1.0
    for hit in hits:
        if hit.relevance is not None:
            lowest = min(lowest, hit.relevance)
            hit = replace(hit, relevance=lowest)
        limited.append(hit)
    return limited


def remark_on_low_relevance(best: float) -> str:
    """Return the remark for hits whose best relevance is below `LINE`."""
    # 0.299 is below the line, but rounded to 0.30 it would not read so.
    shown = f"{best:.2f}" if round(best, 2) < LINE else f"{best:.3f}"
    return f"nothing here seems to answer that: the best relevance is {shown}, below {LINE:.2f}"


def _estimate_relevance(
    query: QueryVectors, sentence_vectors: "Embeddings | None", present_terms: Collection[int]
) -> float | None:
    """Return the probability that a passage answers, or None without sentence vectors."""
    if sentence_vectors is None or not len(sentence_vectors):
        return None
    similarity = float((sentence_vectors @ query.dense).max())
    n_terms = len(query.bm25.indices)
    share_of_words = len(present_terms) / n_terms if n_terms else 0.0
    log_odds = _SIMILARITY_WEIGHT * similarity + _WORDS_WEIGHT * share_of_words + _INTERCEPT
    return round(1 / (1 + exp(-log_odds)), 3)
