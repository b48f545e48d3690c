"""Rank what an engine finds: every store returns the same list, and every call the same list again.

An engine returns equal scores in any order, another one at each call, and of those at the limit any. So the
engines only find what is nearest by one vector; fusion, ties and limits are decided here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from alexandria.store.passage import Hit
from alexandria.store.plan import Stage, VectorName

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TIE = 1e-6
"""Neighbours in a ranking whose scores differ by less are equal: the sums of equal texts differ by 1e-7."""
MAX_TIED = 1_000  # the most points that are asked for because those at the limit have equal scores

Scored = tuple[Any, float]  # the id of a point, as the store compares it, and its score; higher is better


@dataclass(frozen=True, slots=True)
class Nearest:
    """A request to an engine: the points nearest by one vector."""

    using: VectorName
    limit: int
    among: tuple[Any, ...] = ()  # the ids of the points to compare; if empty, all


Find = Callable[[Sequence[Nearest]], list[list[Scored]]]
"""Answers requests to an engine: for each, the points with their scores, best first."""


def carry_out(plan: Stage, find: Find) -> list[Scored]:
    """Return the best points by the last stage of a plan: as many as its limit, and all that tie with these.

    Args:
        plan: the last stage.
        find: asks the engine; called once for all stages that compare every point, and once for each stage
            that compares the candidates of others.
    """
    found = _find_nearest(_limits(plan), find)
    results: dict[Stage, list[Scored]] = {}  # a plan may have a stage twice

    def rank(stage: Stage) -> list[Scored]:
        if stage not in results:
            prefetched = [rank(inner) for inner in stage.prefetch]
            if stage.using is None:
                scored = fuse(prefetched)
            elif prefetched:
                among = tuple(dict.fromkeys(id for ranked in prefetched for id, _ in ranked))
                nearest = _find_nearest({stage.using: stage.limit}, find, among) if among else {}
                scored = nearest.get(stage.using, [])
            else:
                scored = found[stage.using]
            results[stage] = scored[: n_with_ties([score for _, score in scored], stage.limit)]
        return results[stage]

    return rank(plan)


def _limits(plan: Stage) -> dict[VectorName, int]:
    """Return how many of all points the stages of a plan ask for at most, by the vector they compare."""
    limits: dict[VectorName, int] = {}
    for stage in _stages(plan):
        if stage.using is not None and not stage.prefetch:
            limits[stage.using] = max(stage.limit, limits.get(stage.using, 0))
    return limits


def _stages(plan: Stage) -> Iterator[Stage]:
    yield plan
    for inner in plan.prefetch:
        yield from _stages(inner)


def _find_nearest(
    limits: Mapping[VectorName, int], find: Find, among: tuple[Any, ...] = ()
) -> dict[VectorName, list[Scored]]:
    """Return the points nearest by each vector, best first: its limit, and all that tie with the last."""
    found: dict[VectorName, list[Scored]] = {}
    asked = {using: limit + 1 for using, limit in limits.items()}  # one more shows whether there is a tie
    while asked:
        lists = find([Nearest(using, n, among) for using, n in asked.items()])
        found |= zip(asked, map(_settle, lists), strict=True)
        asked = {
            using: min(4 * n, MAX_TIED)
            for using, n in asked.items()
            if n < MAX_TIED
            and n == len(found[using])
            and found[using][limits[using] - 1][1] == found[using][-1][1]
        }
    return found


def _settle(scored: Sequence[Scored]) -> list[Scored]:
    """Return points with settled scores; those with equal ones in the order of their ids."""
    scores = settled([score for _, score in scored])
    if len(set(scores)) == len(scores):  # no two are equal
        return list(scored)
    by_id = sorted(zip((id for id, _ in scored), scores, strict=True))
    return sorted(by_id, key=itemgetter(1), reverse=True)  # stable


def settled(scores: Sequence[float]) -> list[float]:
    """Return scores with those of neighbours that differ by less than `TIE` made equal to the first of them.

    Args:
        scores: the highest first.
    """
    firsts = list(scores)
    for i in range(1, len(firsts)):
        if scores[i - 1] - scores[i] < TIE:
            firsts[i] = firsts[i - 1]
    return firsts


def n_with_ties(scores: Sequence[float], limit: int) -> int:
    """Return how many of some settled scores are within a limit or equal to the last of these."""
    n = min(limit, len(scores))
    while 0 < n < len(scores) and scores[n - 1] == scores[n]:
        n += 1
    return n


def fuse(rankings: Sequence[Sequence[Scored]]) -> list[Scored]:
    """Return the points of all rankings with the sums of their normalised scores, best first and settled.

    This is Qdrant's distribution-based score fusion (DBSF).
    """
    import numpy as np

    sums: dict[Any, float] = {}
    for ranked in rankings:
        scores = normalise(np.array([score for _, score in ranked]))
        for (id, _), score in zip(ranked, scores.tolist(), strict=True):
            sums[id] = sums.get(id, 0.0) + score
    return _settle(sorted(sums.items(), key=itemgetter(1), reverse=True))


def normalise(scores: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the scores scaled: 0 is three standard deviations below their mean, and 1 three above it."""
    import numpy as np

    deviation = scores.std(ddof=1) if len(scores) > 1 else 0.0
    if deviation == 0:
        return np.full(len(scores), 0.5)  # as Qdrant does: equal scores all lie in the middle
    lowest = scores.mean() - 3 * deviation
    return np.asarray((scores - lowest) / (6 * deviation))


def by_score(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits best first, with settled scores: those with equal ones as their books are listed."""
    ranked = sorted(hits, key=lambda hit: -hit.score)
    scores = settled([hit.score for hit in ranked])
    hits = [
        hit if hit.score == score else replace(hit, score=score)
        for hit, score in zip(ranked, scores, strict=True)
    ]
    return sorted(hits, key=lambda hit: (-hit.score, *listed_order(hit)))


def listed_order(hit: Hit) -> tuple[str, str, int]:
    """Return what sorts hits as `list` shows their books, and within a book in reading order."""
    return hit.title.casefold(), hit.book_id, hit.chunk_id


def first_with_ties(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """Return the first hits, as `by_score` returns them: at least `limit`, and all that tie with the last."""
    return list(hits[: n_with_ties([hit.score for hit in hits], limit)])
