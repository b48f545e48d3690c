"""How likely a passage answers a query: a probability from 0 to 1, comparable between searches.

It was fitted with the default model to questions of several kinds, with and without an answer in the library
(docs/lab/search.md). With another model, or with a cross-encoder, it is known once somebody has fitted it to
questions of their own. Hits without sentence vectors have no relevance. In a hybrid search, closeness and the
score of the search count alike for the order.
"""

import json
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from math import exp
from operator import mul
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Embeddings
from alexandria.embed import DEFAULT_MODEL, MULTILINGUAL
from alexandria.embed.models.packaged import models_folder
from alexandria.library.search.vocabulary import Word

_CALIBRATED = (f"{DEFAULT_MODEL}@", f"{MULTILINGUAL}@")
"""The models whose relevance is known from the start; names of encoders begin with one of these."""
SUFFICES = 0.3
"""The closeness with which a passage of the books that a query names may answer: others are not asked."""
_CLOSENESS = (13.6, 3.8, -8.53)
"""Of similarity and share of words, and the constant, where the order of the hits is concerned."""
_MOST_WORDS = 5  # more words that a passage has do not count


@dataclass(frozen=True, slots=True)
class Asked:
    """What a passage is judged by: a query as it is searched."""

    vector: NDArray[np.float32]  # (dim,)
    words: Sequence[Word]  # the words that are no stop words


@dataclass(frozen=True, slots=True)
class Resemblance:
    """What a passage has in common with a query."""

    similarity: float  # of its best sentence to the query
    share_of_words: float  # of the query's words, those that it has, from 0 to 1; a rare word counts more
    n_words: int  # how many of the query's words it has

    @property
    def closeness(self) -> float:
        """How near it is to the query by itself, from 0 to 1: by this, hits are ordered."""
        return _logistic(_CLOSENESS, self.similarity, self.share_of_words)

    def features(self, standing: float | None) -> tuple[float, ...]:
        """Return what decides how likely it answers: two numbers where its standing is unknown, or three.

        Args:
            standing: how far it stands out among the passages found, as in `ScoredChunks`; None if unknown.
        """
        if standing is None:
            return self.similarity, self.share_of_words
        return self.similarity, min(self.n_words, _MOST_WORDS), standing


Judge = Callable[[Resemblance, float | None], float | None]
"""Returns how likely a passage answers, by what it has in common with the query and its standing; None if
that is not known."""


@dataclass(frozen=True, slots=True)
class Coefficients:
    """The coefficients of two logistic regressions."""

    among_others: tuple[float, ...]  # of similarity, number of words, and standing, and the constant
    alone: tuple[float, ...]
    """Of similarity and share of words, and the constant, where standing is unknown: rather too low."""

    def judge(self, one: Resemblance, standing: float | None) -> float:
        """Return how likely a passage answers."""
        return _logistic(self.alone if standing is None else self.among_others, *one.features(standing))


_PACKAGED = Coefficients((7.73, 0.6, 4.03, -17.33), (7.9, 3.5, -7.6))


@dataclass(slots=True)
class Recorder:
    """A judge that notes what there is to judge: the relevance it returns is the number of the row."""

    rows: list[Resemblance] = field(default_factory=list)
    standings: list[float | None] = field(default_factory=list)

    def judge(self, one: Resemblance, standing: float | None) -> float:
        """Note a passage, and return the number of its row."""
        self.rows.append(one)
        self.standings.append(standing)
        return float(len(self.rows) - 1)


def coefficients_of(model: str, ranker: str = "") -> Coefficients | None:
    """Return by what hits are judged, or None where nobody has fitted it.

    Args:
        ranker: the name of the cross-encoder that ranks hits again; empty if none does.
    """
    if not ranker and model.startswith(_CALIBRATED):
        return _PACKAGED
    with suppress(OSError, ValueError, KeyError, TypeError):
        stored = json.loads(coefficients_file(model, ranker).read_text(encoding="utf-8"))
        return Coefficients(tuple(stored["among_others"]), tuple(stored["alone"]))
    return None


def coefficients_file(model: str, ranker: str = "") -> Path:
    """Return the file in the user's folder with the coefficients of a model, whether it exists or not."""
    name = sha256(f"{model} {ranker}".encode()).hexdigest()[:12]
    return models_folder() / "strength" / f"{name}.json"


def judge_with(model: str, ranker: str = "") -> Judge:
    """Return the judge of hits of a model; it knows nothing where nobody has fitted it."""
    coefficients = coefficients_of(model, ranker)
    return (lambda one, standing: None) if coefficients is None else coefficients.judge


def resemblance(
    asked: Asked, sentence_vectors: "Embeddings | None", present_terms: Collection[int]
) -> Resemblance | None:
    """Return what a passage has in common with a query; None without sentence vectors.

    Args:
        sentence_vectors: the vectors of the passage's sentences; none of a heading, which answers nothing.
    """
    if sentence_vectors is None:
        return None
    if not len(sentence_vectors):
        return Resemblance(0.0, 0.0, 0)
    present = [word.rarity for word in asked.words if not word.terms.isdisjoint(present_terms)]
    total = sum(word.rarity for word in asked.words)
    similarity = float((sentence_vectors @ asked.vector).max())
    return Resemblance(similarity, sum(present) / total if total else 0.0, len(present))


def _logistic(coefficients: Sequence[float], *values: float) -> float:
    *weights, constant = coefficients
    return 1 / (1 + exp(-constant - sum(map(mul, weights, values))))
