"""The best runs under a budget of words; those that follow one another in the book become one excerpt."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from alexandria.passage import Hit, page_fields
from alexandria.query.excerpts.evidence import Evidence
from alexandria.query.excerpts.runs import make_run, sentence_lengths
from alexandria.store.points import join_numbers, stored_sentence_starts


def choose(evidence: Sequence[Evidence], words: int, *, limit: int | None = None) -> list[Hit]:
    """Return the excerpts to read first, best first, `words` words at most in all.

    Each is a hit whose text and offsets are those of the excerpt, and whose other values are those of the
    chunk with its best run. The last run is shortened to whole sentences if it does not fit; what is left of
    the budget goes to the sentences after and before the best runs. If not even the best sentence fits, it
    is returned alone: no sentence is cut.

    Args:
        evidence: as `weigh` returns it.
        words: at least 1.
        limit: the maximum number of excerpts.
    """
    chosen: list[Evidence] = []
    for part in sorted(evidence, key=lambda part: -part.score):
        fitting = _fitted(part, words)
        if fitting is None:
            chosen = chosen or [_only_best(part)]
            break
        chosen.append(fitting)
        words -= fitting.run.n_words
    excerpts = [_as_hit(parts) for parts in _neighbours(_filled(chosen, words))]
    return sorted(excerpts, key=lambda hit: -hit.score)[:limit]


def with_best_runs(hits: Sequence[Hit], evidence: Sequence[Evidence]) -> list[Hit]:
    """Return the hits in the same order, each with its best run and the best sentence of that.

    Args:
        hits: chunks.
        evidence: as `weigh` returns it for them.
    """
    ranked = sorted(evidence, key=lambda part: -part.score)
    best = {part.hit.id: part for part in reversed(ranked)}  # of equal ones, the first in the text
    return [
        replace(hit, best=_sentence(best[hit.id]), excerpt=(best[hit.id].run.start, best[hit.id].run.end))
        for hit in hits
    ]


def fitting_part(hit: Hit, words: int) -> Hit | None:
    """Return an excerpt, or the sentences around its best one that fit; None if not even that one does.

    Args:
        hit: as `choose` returns it.
        words: what is left of the budget.
    """
    whole = _whole(hit)
    fitting = _fitted(whole, words)
    if fitting is None:
        return None
    return hit if fitting is whole else replace(_as_hit([fitting]), best=hit.best)


def best_sentence(hit: Hit) -> Hit:
    """Return only the best sentence of an excerpt, the first one where that is not known."""
    return replace(_as_hit([_only_best(_whole(hit))]), best=hit.best)


def _whole(hit: Hit) -> Evidence:
    """Return the evidence of an excerpt: one run with all of it."""
    starts = stored_sentence_starts(hit.payload)
    run = make_run(hit.text, starts, hit.start, 0, len(starts))
    best = starts.index(hit.best[0]) if hit.best and hit.best[0] in starts else 0
    return Evidence(hit, run, best, by_meaning=hit.best is not None, own=hit.score, score=hit.score)


def _fitted(part: Evidence, words: int) -> Evidence | None:
    """Return a run, or the sentences around its best one that fit; None if not even that one does."""
    if part.run.n_words <= words:
        return part
    best = _only_best(part)
    if best.run.n_words > words:
        return None
    return _extended(best, words - best.run.n_words, part.run.first, part.run.stop)


def _filled(chosen: Sequence[Evidence], words: int) -> list[Evidence]:
    """Return the runs, the best of them with the sentences after and before that fit into so many words."""
    taken = [(part.hit.id, part.run.first, part.run.stop) for part in chosen]
    filled = []
    for part in chosen:
        others = [(first, stop) for id, first, stop in taken if id == part.hit.id]
        low = max((stop for _, stop in others if stop <= part.run.first), default=0)
        high = min(
            (first for first, _ in others if first >= part.run.stop),
            default=len(stored_sentence_starts(part.hit.payload)),
        )
        longer = _extended(part, words, low, high)
        words -= longer.run.n_words - part.run.n_words
        taken.append((part.hit.id, longer.run.first, longer.run.stop))
        filled.append(longer)
    return filled


def _extended(part: Evidence, words: int, low: int, high: int) -> Evidence:
    """Return a run with the sentences after it, then those before it, that fit into so many more words.

    Args:
        part: a run of sentences.
        words: may be less than those of any sentence.
        low: the first sentence that it may have.
        high: the sentence after the last one that it may have.
    """
    starts = stored_sentence_starts(part.hit.payload)
    lengths = sentence_lengths(part.hit.text, starts, part.hit.start)
    first, stop = part.run.first, part.run.stop
    while stop < high and lengths[stop] <= words:
        words -= lengths[stop]
        stop += 1
    while first > low and lengths[first - 1] <= words:
        first -= 1
        words -= lengths[first]
    if (first, stop) == (part.run.first, part.run.stop):
        return part
    return replace(part, run=make_run(part.hit.text, starts, part.hit.start, first, stop))


def _only_best(part: Evidence) -> Evidence:
    starts = stored_sentence_starts(part.hit.payload)
    return replace(part, run=make_run(part.hit.text, starts, part.hit.start, part.best, part.best + 1))


def _sentence(part: Evidence) -> tuple[int, int] | None:
    """Return the span of the best sentence; None where sentences have no vectors to tell it by."""
    run = _only_best(part).run
    return (run.start, run.end) if part.by_meaning else None


def _neighbours(chosen: Sequence[Evidence]) -> list[list[Evidence]]:
    """Return the runs in groups that follow one another in one chapter, each group in reading order."""
    ordered = sorted(chosen, key=lambda part: (part.hit.book_id, part.run.start))
    groups = [[part] for part in ordered[:1]]
    for before, after in pairwise(ordered):
        if _adjoin(before, after):
            groups[-1].append(after)
        else:
            groups.append([after])
    return groups


def _adjoin(before: Evidence, after: Evidence) -> bool:
    if before.hit.id == after.hit.id:
        return before.run.stop == after.run.first
    return (
        before.hit.book_id == after.hit.book_id
        and before.hit.chunk_id + 1 == after.hit.chunk_id
        and before.hit.section[:1] == after.hit.section[:1]
        and before.run.stop == len(stored_sentence_starts(before.hit.payload))
        and after.run.first == 0
    )


def _as_hit(parts: Sequence[Evidence]) -> Hit:
    """Return the excerpt of runs that follow one another."""
    best = max(parts, key=lambda part: part.score)
    own: dict[str, Any] = {
        "text": _text(parts),
        "start": parts[0].run.start,
        "end": parts[-1].run.end,
        "word_count": sum(part.run.n_words for part in parts),
        "n_sentences": sum(part.run.stop - part.run.first for part in parts),
        "sentence_starts": join_numbers(start for part in parts for start in _starts(part)),
        "page_end": parts[-1].hit.page_end,
        **_pages(parts),
    }
    return replace(best.hit, payload={**best.hit.payload, **own}, score=best.score, best=_sentence(best))


def _pages(parts: Sequence[Evidence]) -> dict[str, Any]:
    """Return what a payload says about pages, of the excerpt alone; nothing if its chunks do not say more."""
    if not all(part.hit.payload.get("page_starts") for part in parts):
        return {}
    pages = (page for part in parts for page in part.hit.pages)
    return page_fields(pages, parts[0].run.start, parts[-1].run.end)


def _starts(part: Evidence) -> tuple[int, ...]:
    return stored_sentence_starts(part.hit.payload)[part.run.first : part.run.stop]


def _text(parts: Sequence[Evidence]) -> str:
    """Return the text from the first run to the end of the last; between chunks there is only white space."""
    texts: list[str] = []
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        same = after is not None and after.hit.id == part.hit.id
        end = after.run.start if after is not None and same else part.run.end
        texts.append(part.hit.text[part.run.start - part.hit.start : end - part.hit.start])
        if after is not None and not same:
            gap = after.run.start - part.run.end
            texts.append(" " if gap == 1 else "\n" * gap)
    return "".join(texts)
