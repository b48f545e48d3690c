"""How likely a passage answers a query: from 0 to 1, by what both have in common, whatever else was found.

Calibrated on the 276 questions of Chroma's chunking benchmark, each against a library with and without the
text that answers it, with the default model (docs/retrieval.md), and
measured with `multilingual`. Another model may give other similarities;
hits of a library without sentence vectors have no relevance.
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
"""Below it, a passage rather does not answer: of the best hits that do, 2.5 % are below; of the best ones in
libraries without the answer, 5.4 % are above."""
CALIBRATED = (DEFAULT_MODEL, MULTILINGUAL)
"""How the names of the models begin for which the line is known."""
_MEANING, _WORDS, _CONSTANT = 12.5, 7.5, -9.5
"""Of a logistic regression: the similarity of the best sentence, and the share of the query's words."""


def with_relevance(
    hits: Sequence[Hit],
    query: QueryVectors,
    rows: Mapping[str, Embeddings],
    present: Mapping[str, Collection[int]],
) -> list[Hit]:
    """Return the hits with their relevance.

    Args:
        hits: passages that answer the query, or may.
        query: its vectors.
        rows: the sentence vectors of those chunks that have any, by id.
        present: the terms of the query that each chunk has, by its id.
    """
    return [
        replace(hit, relevance=_relevance(query, rows.get(hit.id), present.get(hit.id, ()))) for hit in hits
    ]


def limited_by_rank(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, each with a relevance that is at most that of every hit before it.

    A hit whose own relevance exceeds one ranked before it rarely answers (docs/retrieval.md).

    Args:
        hits: in the order of their rank; those whose relevance is not known stay as they are.
    """
    limited, lowest = [], 1.0
    for hit in hits:
        if hit.relevance is not None:
            lowest = min(lowest, hit.relevance)
            hit = replace(hit, relevance=lowest)
        limited.append(hit)
    return limited


def remark_below_line(best: float) -> str:
    """Return what is said where the best relevance is below the line, so precisely that it reads as below."""
    shown = f"{best:.2f}" if round(best, 2) < LINE else f"{best:.3f}"
    return f"nothing here seems to answer that: the best relevance is {shown}, below {LINE:.2f}"


def _relevance(query: QueryVectors, rows: "Embeddings | None", present: Collection[int]) -> float | None:
    if rows is None or not len(rows):
        return None
    meaning = float((rows @ query.dense).max())
    n_words = len(query.bm25.indices)
    words = len(present) / n_words if n_words else 0.0
    return round(1 / (1 + exp(-(_MEANING * meaning + _WORDS * words + _CONSTANT))), 3)
