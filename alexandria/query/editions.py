"""Editions of one work: a search looks at one of them, and names the others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from alexandria.likeness import part_in, shared, unpacked, word_runs
from alexandria.passage import Hit, Passage
from alexandria.store.record import Record, work_of

_COVERED = 0.8
"""Share of an edition's words that another must have for it not to be searched itself."""
_NEARLY = 0.9
"""An edition with this share of the words of the longest one may stand for the work in its place."""
_SAME_PASSAGE = 0.5
"""Share of the shorter passage's words that two editions of one passage have in common."""
_FORMATS = ("epub", "mobi", "html", "fb2", "markdown", "docx", "odt", "pdf")
"""From the one that knows most about chapters and places; others come last."""


def by_work(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the books by the work they are editions of, each work where its first book was."""
    works: dict[str, list[Record]] = {}
    for record in records:
        works.setdefault(work_of(record), []).append(record)
    return works


def searched_editions(records: Sequence[Record]) -> list[Record]:
    """Return one edition of each work: a nearly complete one, in the format that names places best.

    An edition with words that this one lacks, such as an introduction of its own, is returned as well.
    """
    chosen = []
    for editions in by_work(records).values():
        best = _best(editions)
        chosen += [best, *(other for other in editions if other is not best and not _covers(best, other))]
    return chosen


def _best(editions: Sequence[Record]) -> Record:
    longest = max(record.n_words for record in editions)
    complete = [record for record in editions if record.n_words >= _NEARLY * longest]
    return min(complete, key=lambda record: (_rank(record.format), record.ingested_at))


def _rank(format: str) -> int:
    return _FORMATS.index(format) if format in _FORMATS else len(_FORMATS)


def _covers(best: Record, other: Record) -> bool:
    return part_in(unpacked(other.sketch), unpacked(best.sketch)) >= _COVERED


def merged(hits: Sequence[Hit], works: Mapping[str, str]) -> list[Hit]:
    """Return the hits without those that repeat a better one in another edition, which then names them.

    Args:
        hits: best first.
        works: the work of each book that has other editions, by book id.
    """
    kept: list[Hit] = []
    for hit in hits:
        i = next((i for i, other in enumerate(kept) if _is_repeated(hit, other, works)), None)
        if i is None:
            kept.append(hit)
        else:
            kept[i] = replace(kept[i], also_in=(*kept[i].also_in, _passage(hit)))
    return kept


def with_editions(hits: Sequence[Hit], others: Sequence[Hit], works: Mapping[str, str]) -> list[Hit]:
    """Return the hits, each with the passages of other editions that have the same words.

    Args:
        hits: best first.
        others: passages of other editions.
        works: the work of each book that has other editions, by book id.
    """
    return [_with_editions(hit, others, works) for hit in hits]


def _with_editions(hit: Hit, others: Sequence[Hit], works: Mapping[str, str]) -> Hit:
    editions = {passage.book_id: passage for passage in hit.also_in}
    for other in others:
        if other.book_id not in editions and _is_repeated(other, hit, works):
            editions[other.book_id] = _passage(other)
    return replace(hit, also_in=tuple(editions.values()))


def _is_repeated(hit: Hit, other: Hit, works: Mapping[str, str]) -> bool:
    work = works.get(hit.book_id)
    if work is None or hit.book_id == other.book_id or work != works.get(other.book_id):
        return False
    runs, others = (word_runs([each.text], sampled=1) for each in (hit, other))
    return shared(runs, others) >= _SAME_PASSAGE


def _passage(hit: Hit) -> Passage:
    return Passage(id=hit.id, payload=hit.payload)
