"""Rank the best chunks again with a cross-encoder, which reads the question and the best windows of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np

from alexandria.embed.cross_encoder import CrossEncoder
from alexandria.errors import ConfigError
from alexandria.library.search.excerpts.evidence import CANDIDATES, Evidence, ScoredChunks, standardise
from alexandria.store.passage import Hit
from alexandria.store.ranking import by_score, first_with_ties

N_WINDOWS = 2
"""Windows of a chunk that are read: by the scores of their runs, which find more than single sentences."""


@dataclass(frozen=True, slots=True)
class Ranker:
    """A cross-encoder, and what its scores count."""

    model: CrossEncoder
    weight: float
    """What its scores count; the scores of the search count the rest to 1. Both are standardised."""

    def __post_init__(self) -> None:
        """Check the weight.

        Raises:
            ConfigError: it is not between 0 and 1.
        """
        if not 0 <= self.weight <= 1:
            raise ConfigError(
                f"rerank_weight must be from 0 to 1, not {self.weight:g}",
                why="it is the share that the cross-encoder's scores count",
                fix="choose 0.5, or more if the model is good",
            )


@dataclass(frozen=True, slots=True)
class _Window:
    """Neighbouring runs of a hit."""

    hit: Hit
    runs: Sequence[Evidence]

    @property
    def passage(self) -> str:
        """What the cross-encoder reads: author, title, and the text of the runs."""
        start, end = self.runs[0].run.start - self.hit.start, self.runs[-1].run.end - self.hit.start
        return "\n".join(filter(None, (self.hit.author, self.hit.title, self.hit.text[start:end])))


def rerank(scored: ScoredChunks, query: str, ranker: Ranker) -> ScoredChunks:
    """Return chunks of which a cross-encoder ranks the first `CANDIDATES` again.

    It reads each window after the author and the title of its book. If it prefers one window of a chunk, the
    better run of that becomes the best one of the chunk, so that this is the part which is shown.
    """
    head = first_with_ties(scored.hits, CANDIDATES)
    runs = {id: list(parts) for id, parts in groupby(scored.evidence, key=lambda part: part.hit.id)}
    windows = [window for hit in head for window in _best_windows(hit, runs.get(hit.id, ()))]
    if not windows:
        return scored
    scores = ranker.model.score(query, [window.passage for window in windows]).tolist()
    read: dict[str, list[tuple[float, _Window]]] = {}
    for score, window in zip(scores, windows, strict=True):
        read.setdefault(window.hit.id, []).append((score, window))
    best = {id: max(of_hit, key=itemgetter(0)) for id, of_hit in read.items()}
    nothing = (np.nan, None)
    by_reading = standardise(np.array([best.get(hit.id, nothing)[0] for hit in head]))
    by_search = standardise(np.array([hit.score for hit in head]))
    mixed = by_reading * ranker.weight + by_search * (1 - ranker.weight)
    ranked = by_score(replace(hit, score=float(score)) for hit, score in zip(head, mixed, strict=True))
    preferred = {
        id: max(best[id][1].runs, key=_run_score)
        for id, of_hit in read.items()
        if len({score for score, _ in of_hit}) > 1
    }
    return replace(
        scored,
        hits=(*ranked, *continue_scores(ranked, scored.hits)),
        evidence=tuple(_with_best_runs(scored.evidence, preferred)),
    )


def continue_scores(ranked: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """Return the other hits, with scores that continue below the last of those that were ranked again.

    Args:
        ranked: the first hits, in their new order and with new scores.
        hits: all hits, in their old order and with old scores.
    """
    if len(hits) == len(ranked):
        return []
    shift = ranked[-1].score - hits[len(ranked) - 1].score
    return [replace(hit, score=hit.score + shift) for hit in hits[len(ranked) :]]


def _best_windows(hit: Hit, runs: Sequence[Evidence]) -> list[_Window]:
    """Return the best pairs of neighbouring runs of a chunk, without a run in two; its only run alone."""
    if len(runs) < 2:
        return [_Window(hit, runs)] if runs else []
    chosen: list[Sequence[Evidence]] = []
    for pair in sorted(pairwise(runs), key=lambda pair: -sum(map(_run_score, pair))):
        if not any(run in window for run in pair for window in chosen):
            chosen.append(pair)
    return [_Window(hit, pair) for pair in chosen[:N_WINDOWS]]


def _with_best_runs(evidence: Sequence[Evidence], answering: Mapping[str, Evidence]) -> list[Evidence]:
    """Return runs of which a given one of each chunk, by its id, has the highest score of the chunk."""
    best: dict[str, Evidence] = {}
    for part in evidence:
        if part.hit.id not in best or part.run_score > best[part.hit.id].run_score:
            best[part.hit.id] = part
    exchanged = []
    for part in evidence:
        chosen, highest = answering.get(part.hit.id), best[part.hit.id]
        if chosen is not None and part.run == chosen.run:
            part = replace(part, run_score=highest.run_score)
        elif chosen is not None and part.run == highest.run:
            part = replace(part, run_score=chosen.run_score)
        exchanged.append(part)
    return exchanged


def _run_score(part: Evidence) -> float:
    return part.run_score
