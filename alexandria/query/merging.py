"""The hits of several collections as one list: ordered by relevance, which models have in common.

A score is comparable within one search only, and so within one collection; a relevance is a probability. Each
collection keeps the order of its own hits.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from alexandria.modes import Diverse
from alexandria.passage import Hit
from alexandria.query.diversity import diversified
from alexandria.query.excerpts import best_sentence, fitting_part
from alexandria.query.hits import LIMIT, Results
from alexandria.query.relevance import CALIBRATED

_SAME_PASSAGE = 0.5
"""Share of the shorter of two passages of one book that both have, from which on one repeats the other."""


def merge(
    results: Mapping[str, Results],
    *,
    limit: int | None = None,
    words: int | None = None,
    diverse: Diverse | None = None,
    by_score: bool = False,
) -> Results:
    """Return the hits of several collections, the most relevant first, each with its collection.

    Args:
        results: what was found in each collection, by its name; all with the limits given here.
        limit: as for `query.search`.
        words: as for `query.search`.
        diverse: as for `query.search`.
        by_score: order by the score, where all of them come from one cross-encoder.
    """
    lists = {name: [_in(hit, name) for hit in found] for name, found in results.items()}
    unknown = [name for name, hits in lists.items() if any(hit.relevance is None for hit in hits)]
    if by_score:
        ranked = _interleaved(lists, lambda hit, rank: hit.score)
    elif unknown:
        ranked = _interleaved(lists, lambda hit, rank: -float(rank))
    else:
        ranked = _interleaved(lists, lambda hit, rank: hit.relevance or 0.0)
    hits = _once(ranked)
    if diverse in (Diverse.BOOK, Diverse.CHAPTER):
        hits = diversified(hits, diverse, {})
    hits = hits[: LIMIT if limit is None else limit] if words is None else _within(hits, words)[:limit]
    return Results(tuple(hits), _remarks(results, unknown if not by_score else []))


def _in(hit: Hit, collection: str) -> Hit:
    also_in = tuple(replace(passage, collection=collection) for passage in hit.also_in)
    return replace(hit, collection=collection, also_in=also_in)


def _interleaved(lists: Mapping[str, Sequence[Hit]], worth: Callable[[Hit, int], float]) -> list[Hit]:
    """Return the hits of all lists, the worthiest first; none precedes one that is before it in its list.

    Args:
        lists: the hits of each collection, best first.
        worth: of a hit and its rank from 0.
    """
    keyed = []
    for hits in lists.values():
        lowest = math.inf
        for rank, hit in enumerate(hits):
            lowest = min(lowest, worth(hit, rank))
            keyed.append((-lowest, rank, hit))
    return [hit for _, _, hit in sorted(keyed, key=lambda entry: entry[:2])]


def _once(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without those that repeat a better one: a book may be in several collections."""
    kept: list[Hit] = []
    spans: dict[str, list[Hit]] = {}
    for hit in hits:
        before = spans.setdefault(hit.book_id, [])
        if not any(_is_repeated(hit, other) for other in before if other.collection != hit.collection):
            kept.append(hit)
            before.append(hit)
    return kept


def _is_repeated(hit: Hit, other: Hit) -> bool:
    common = min(hit.end, other.end) - max(hit.start, other.start)
    return common >= _SAME_PASSAGE * min(hit.end - hit.start, other.end - other.start)


def _within(hits: Sequence[Hit], words: int) -> list[Hit]:
    """Return the best excerpts, `words` words at most in all; the best sentence alone if none fits."""
    chosen: list[Hit] = []
    for hit in hits:
        fitting = fitting_part(hit, words)
        if fitting is None:
            return chosen or [best_sentence(hit)]
        chosen.append(fitting)
        words -= int(fitting.payload["word_count"])
    return chosen


def _remarks(results: Mapping[str, Results], unknown: Sequence[str]) -> tuple[str, ...]:
    """Return what the reader should know; what is true of one collection only names it."""
    said: dict[str, list[str]] = {}
    for name, found in results.items():
        for remark in found.remarks:
            if remark not in found.doubts:
                said.setdefault(remark, []).append(name)
    remarks = [
        remark if len(names) == len(results) else f"in {', '.join(names)}: {remark}"
        for remark, names in said.items()
    ]
    if unknown and len(results) > 1:
        remarks.append(
            f"the relevance of hits in {', '.join(unknown)} is not known: hits are ordered by their rank"
        )
    elif uncalibrated := _uncalibrated(results):
        remarks.append(
            f"relevance is not calibrated for {', '.join(uncalibrated)}: hits of the collections with that"
            " model may be listed too high or too low"
        )
    if all(found.doubts for found in results.values()):  # otherwise one of them may answer
        remarks += max(results.values(), key=_best_relevance).doubts
    return tuple(remarks)


def _uncalibrated(results: Mapping[str, Results]) -> list[str]:
    """Return the models for which the line of relevance is not known, if there are several models."""
    models = sorted({found.model for found in results.values()})
    return [model for model in models if len(models) > 1 and not model.startswith(CALIBRATED)]


def _best_relevance(results: Results) -> float:
    return max((hit.relevance or 0.0 for hit in results), default=0.0)
