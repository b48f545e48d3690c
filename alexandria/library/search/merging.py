"""Merge the hits of several collections into one list, ordered by relevance.

A score is comparable only within one search, and so within one collection; a relevance is a probability,
which means the same for each model. The hits of each collection keep their order.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from alexandria.book.choices import Diverse
from alexandria.library.remarks import Remark, RemarkKind
from alexandria.library.search.diversity import diversify
from alexandria.library.search.excerpts import best_sentence, fitting_part
from alexandria.library.search.hits import Results
from alexandria.library.search.request import SearchRequest
from alexandria.store.passage import Hit

_SAME_PASSAGE_SHARE = 0.5
"""Two passages of one book are the same if they share at least this part of the shorter one."""


def merge(results: Mapping[str, Results], request: SearchRequest) -> Results:
    """Return the hits of several collections, the most relevant first, each with its collection.

    Args:
        results: those of each collection, by its name.
        request: what each was asked.
    """
    if any(collection_results.named for collection_results in results.values()):
        # Only there are the books that the query names.
        results = {name: of_collection for name, of_collection in results.items() if of_collection.named}
    lists = {
        name: [_with_collection(hit, name) for hit in collection_results]
        for name, collection_results in results.items()
    }
    without_relevance = [name for name, hits in lists.items() if any(hit.relevance is None for hit in hits)]
    if without_relevance:
        ranked = _interleave(lists, lambda hit, rank: -float(rank))
    else:
        ranked = _interleave(lists, lambda hit, rank: hit.relevance or 0.0)
    hits = _without_repeats(ranked)
    if request.diverse in (Diverse.BOOK, Diverse.CHAPTER):
        hits = diversify(hits, request.diverse, {})
    if request.words is None:
        hits = hits[: request.n_hits]
    else:
        hits = _fit_budget(hits, request.words)[: request.limit]
    return Results(
        tuple(hits),
        _merge_remarks(results, without_relevance),
        named=_join(collection_results.named for collection_results in results.values()),
        respelled=_join(collection_results.respelled for collection_results in results.values()),
    )


def _join(parts: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for part in parts for text in part))


def _with_collection(hit: Hit, collection: str) -> Hit:
    also_in = tuple(replace(passage, collection=collection) for passage in hit.also_in)
    return replace(hit, collection=collection, also_in=also_in)


def _interleave(lists: Mapping[str, Sequence[Hit]], value: Callable[[Hit, int], float]) -> list[Hit]:
    """Return the hits of all lists, best first, by descending value; the hits of each list keep their order.

    `value` gets a hit and its rank in its list, from 0.
    """
    keyed = []
    for hits in lists.values():
        lowest = math.inf  # the lowest value so far: no hit overtakes one before it in its list
        for rank, hit in enumerate(hits):
            lowest = min(lowest, value(hit, rank))
            keyed.append((-lowest, rank, hit))
    return [hit for _, _, hit in sorted(keyed, key=lambda entry: entry[:2])]


def _without_repeats(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without those that repeat a better one: a book may be in several collections."""
    kept: list[Hit] = []
    kept_by_book: dict[str, list[Hit]] = {}
    for hit in hits:
        better = kept_by_book.setdefault(hit.book_id, [])
        if not any(_is_same_passage(hit, other) for other in better if other.collection != hit.collection):
            kept.append(hit)
            better.append(hit)
    return kept


def _is_same_passage(hit: Hit, other: Hit) -> bool:
    n_shared = min(hit.end, other.end) - max(hit.start, other.start)  # characters
    return n_shared >= _SAME_PASSAGE_SHARE * min(hit.end - hit.start, other.end - other.start)


def _fit_budget(hits: Sequence[Hit], words: int) -> list[Hit]:
    """Return the best excerpts, `words` words at most in all; the best sentence alone if none fits."""
    chosen: list[Hit] = []
    for hit in hits:
        fitting = fitting_part(hit, words)
        if fitting is None:
            return chosen or [best_sentence(hit)]
        chosen.append(fitting)
        words -= fitting.word_count
    return chosen


def _merge_remarks(results: Mapping[str, Results], without_relevance: Sequence[str]) -> tuple[Remark, ...]:
    """Return the remarks on the merged hits; one that is not on all collections names its collections."""
    collections_of: dict[Remark, list[str]] = {}
    for name, collection_results in results.items():
        for remark in collection_results.noted:
            if remark.kind is not RemarkKind.DOUBT:
                collections_of.setdefault(remark, []).append(name)
    remarks = [
        remark
        if len(names) == len(results)
        else replace(remark, text=f"in {', '.join(names)}: {remark.text}")
        for remark, names in collections_of.items()
    ]
    if without_relevance and len(results) > 1:
        unknown = f"the relevance of hits in {', '.join(without_relevance)} is not known"
        remarks.append(Remark(RemarkKind.PLAIN, f"{unknown}: hits are ordered by their rank"))
    if all(collection_results.doubts for collection_results in results.values()):
        # No collection seems to answer: the remark of the collection with the most relevant hit is given.
        best = max(results.values(), key=_best_relevance)
        remarks += (remark for remark in best.noted if remark.kind is RemarkKind.DOUBT)
    return tuple(remarks)


def _best_relevance(results: Results) -> float:
    return max((hit.relevance or 0.0 for hit in results), default=0.0)
