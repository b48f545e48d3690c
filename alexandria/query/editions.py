"""Editions of one work: a search looks at one of them and names the others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from alexandria.likeness import containment, overlap_coefficient, sample_shingles, unpack_sketch
from alexandria.passage import Hit, Passage
from alexandria.store.record import Record, work_of

_COVERED_SHARE = 0.8
"""An edition is not searched if the searched one has at least this share of its words."""
_COMPLETE_SHARE = 0.9
"""An edition is complete if it has at least this share of the number of words of the longest one."""
_SAME_PASSAGE_SHARE = 0.5
"""Two passages are the same if they share at least this part of the shorter one's words."""
_FORMATS = ("epub", "mobi", "html", "fb2", "markdown", "docx", "odt", "pdf")
"""The formats, those that say most about chapters and pages first; formats not listed come last."""


def editions_by_work(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the books grouped by work; the works are in the order of their first books."""
    works: dict[str, list[Record]] = {}
    for record in records:
        works.setdefault(work_of(record), []).append(record)
    return works


def editions_to_search(records: Sequence[Record]) -> list[Record]:
    """Return one edition per work: a complete one, in the format with the best chapter and page information.

    Another edition is added if the chosen one lacks many of its words, for example because it has no
    introduction.
    """
    searched = []
    for editions in editions_by_work(records).values():
        best = _choose_best_edition(editions)
        searched.append(best)
        searched += [other for other in editions if other is not best and not _covers(best, other)]
    return searched


def _choose_best_edition(editions: Sequence[Record]) -> Record:
    """Return the complete edition in the best format; of several, the one that was ingested first."""
    longest = max(record.n_words for record in editions)
    complete = [record for record in editions if record.n_words >= _COMPLETE_SHARE * longest]
    return min(complete, key=lambda record: (_format_rank(record.format), record.ingested_at))


def _format_rank(format: str) -> int:
    return _FORMATS.index(format) if format in _FORMATS else len(_FORMATS)


def _covers(best: Record, other: Record) -> bool:
    """Return whether an edition has nearly all words of another, judged by the sketches of their texts."""
    return containment(unpack_sketch(other.sketch), unpack_sketch(best.sketch)) >= _COVERED_SHARE


def merge_editions(hits: Sequence[Hit], works: Mapping[str, str]) -> list[Hit]:
    """Return the hits without those that are the same passage as a better hit, in another edition.

    The better hit's `also_in` names the first of these from each edition.

    Args:
        hits: best first.
        works: the work of each book that has other editions, by book id.
    """
    merged: list[Hit] = []
    for hit in hits:
        i = next((i for i, better in enumerate(merged) if _is_same_passage(hit, better, works)), None)
        if i is None:
            merged.append(hit)
        else:
            merged[i] = _with_other_editions_of(merged[i], [hit], works)
    return merged


def with_editions(hits: Sequence[Hit], others: Sequence[Hit], works: Mapping[str, str]) -> list[Hit]:
    """Return the hits, each with the same passage in other editions.

    Args:
        hits: best first.
        others: passages of other editions, best first.
        works: the work of each book that has other editions, by book id.
    """
    return [_with_other_editions_of(hit, others, works) for hit in hits]


def _with_other_editions_of(hit: Hit, others: Sequence[Hit], works: Mapping[str, str]) -> Hit:
    """Return the hit, adding to `also_in` the first of `others` from each edition that is the same passage.

    An edition that `also_in` names already keeps its passage there.
    """
    also_in = list(hit.also_in)
    named = {passage.book_id for passage in also_in}
    for other in others:
        if other.book_id not in named and _is_same_passage(hit, other, works):
            also_in.append(Passage(id=other.id, payload=other.payload))
            named.add(other.book_id)
    return replace(hit, also_in=tuple(also_in))


def _is_same_passage(hit: Hit, other: Hit, works: Mapping[str, str]) -> bool:
    """Return whether two hits are the same passage in two editions of one work."""
    work = works.get(hit.book_id)
    if work is None or hit.book_id == other.book_id or work != works.get(other.book_id):
        return False
    shingles, other_shingles = (sample_shingles([h.text], one_in=1) for h in (hit, other))
    return overlap_coefficient(shingles, other_shingles) >= _SAME_PASSAGE_SHARE
