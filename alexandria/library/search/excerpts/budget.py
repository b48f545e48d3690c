"""Choose the best runs within a budget of words, and join those that adjoin in the book to one excerpt.

A run is a few neighbouring sentences of a chunk (`runs.py`); as `Evidence`, it has its score and its chunk.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from alexandria.library.search.excerpts.evidence import Evidence
from alexandria.library.search.excerpts.runs import make_run, sentence_lengths
from alexandria.store.passage import Hit
from alexandria.store.payload import join_numbers, page_fields, parse_pages
from alexandria.store.ranking import TIE, by_score, listed_order, settled


def choose(evidence: Sequence[Evidence], words: int, *, limit: int | None = None) -> list[Hit]:
    """Return the best excerpts, best first, at most `words` words in all.

    Each is a hit with the text and offsets of the excerpt; its other values are those of the chunk that has
    its best run. A last run that does not fit is shortened to whole sentences, and what is left of the budget
    is filled with sentences after and before the best runs. If not even the best sentence fits, it is
    returned alone: no sentence is cut.

    Args:
        evidence: as `score_chunks` returns it.
        words: at least 1.
        limit: the maximum number of excerpts.
    """
    chosen: list[Evidence] = []
    for part in _by_score(evidence):
        fitting = _fit(part, words)
        if fitting is None:
            if not chosen:
                chosen.append(_best_sentence_run(part))
                words = 0  # it is longer than the budget: nothing is added to it
            break
        chosen.append(fitting)
        words -= fitting.run.n_words
    excerpts = [_as_hit(parts) for parts in _group_adjoining(_fill(chosen, words))]
    return by_score(excerpts)[:limit]


def _by_score(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return runs best first; those with equal scores as their books are listed, and in reading order."""
    ranked = sorted(evidence, key=lambda part: -part.score)
    scores = settled([part.score for part in ranked])
    places = [
        (-score, *listed_order(part.hit), part.run.start) for part, score in zip(ranked, scores, strict=True)
    ]
    return [ranked[i] for i in sorted(range(len(ranked)), key=places.__getitem__)]


def with_best_runs(hits: Sequence[Hit], evidence: Sequence[Evidence]) -> list[Hit]:
    """Return the hits in the same order, each with its best run as `excerpt`, and the run's best sentence.

    Args:
        evidence: as `score_chunks` returns it for them.
    """
    best_parts: dict[str, Evidence] = {}
    for part in evidence:
        best = best_parts.get(part.hit.id)
        if best is None or part.score > best.score + TIE:  # of equal scores, the first in the text
            best_parts[part.hit.id] = part
    hits_with_runs = []
    for hit in hits:
        part = best_parts[hit.id]
        excerpt = (part.run.start, part.run.end)
        hits_with_runs.append(replace(hit, best=_best_span(part), excerpt=excerpt))
    return hits_with_runs


def fitting_part(hit: Hit, words: int) -> Hit | None:
    """Return an excerpt if it fits, otherwise its best sentence with those around it that fit.

    None if not even the best sentence fits.

    Args:
        hit: as `choose` returns it.
        words: what is left of the budget.
    """
    whole = _as_evidence(hit)
    fitting = _fit(whole, words)
    if fitting is None:
        return None
    return hit if fitting is whole else replace(_as_hit([fitting]), best=hit.best)


def best_sentence(hit: Hit) -> Hit:
    """Return only the best sentence of an excerpt; the first one if the best is not known."""
    return replace(_as_hit([_best_sentence_run(_as_evidence(hit))]), best=hit.best)


def _as_evidence(hit: Hit) -> Evidence:
    """Return an excerpt as the evidence of one run, with all its sentences."""
    starts = hit.sentence_starts
    run = make_run(hit.text, starts, hit.start, 0, len(starts))
    best = starts.index(hit.best[0]) if hit.best and hit.best[0] in starts else 0  # the best sentence
    return Evidence(hit, run, best, by_meaning=hit.best is not None, run_score=hit.score, score=hit.score)


def _fit(part: Evidence, words: int) -> Evidence | None:
    """Return a run if it fits, otherwise its best sentence with those around it that fit."""
    # None if not even the best sentence fits.
    if part.run.n_words <= words:
        return part
    best = _best_sentence_run(part)
    if best.run.n_words > words:
        return None
    return _extend(best, words - best.run.n_words, part.run.first, part.run.stop)


def _fill(chosen: Sequence[Evidence], words: int) -> list[Evidence]:
    """Return the runs extended by sentences that are in no other run, as long as `words` more words fit."""
    # They are best first; each is extended as far as it can be before the next.
    # The sentences that are in a run already. The span of an extended run is added to its old one: of both,
    # the longer one limits other runs. A run's own span limits nothing: it is neither before nor after it.
    spans = [(part.hit.id, part.run.first, part.run.stop) for part in chosen]
    filled = []
    for part in chosen:
        in_chunk = [(first, stop) for id, first, stop in spans if id == part.hit.id]
        n_sentences = len(part.hit.sentence_starts)
        low = max((stop for _, stop in in_chunk if stop <= part.run.first), default=0)
        high = min((first for first, _ in in_chunk if first >= part.run.stop), default=n_sentences)
        longer = _extend(part, words, low, high)
        words -= longer.run.n_words - part.run.n_words
        spans.append((part.hit.id, longer.run.first, longer.run.stop))
        filled.append(longer)
    return filled


def _extend(part: Evidence, words: int, low: int, high: int) -> Evidence:
    """Return a run with the sentences after it, then those before it, that fit into `words` more words."""
    # It may have the sentences from `low` on, and those before `high`.
    starts = part.hit.sentence_starts
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


def _best_sentence_run(part: Evidence) -> Evidence:
    """Return the run with only its best sentence."""
    starts = part.hit.sentence_starts
    return replace(part, run=make_run(part.hit.text, starts, part.hit.start, part.best, part.best + 1))


def _best_span(part: Evidence) -> tuple[int, int] | None:
    """Return the start and end of the best sentence in the book, or None if the best is not known."""
    run = _best_sentence_run(part).run
    return (run.start, run.end) if part.by_meaning else None


def _group_adjoining(chosen: Sequence[Evidence]) -> list[list[Evidence]]:
    """Return the runs in groups that become one excerpt: adjoining runs of a chapter, in reading order."""
    ordered = sorted(chosen, key=lambda part: (part.hit.book_id, part.run.start))
    groups = [[part] for part in ordered[:1]]
    for before, after in pairwise(ordered):
        if _adjoin(before, after):
            groups[-1].append(after)
        else:
            groups.append([after])
    return groups


def _adjoin(before: Evidence, after: Evidence) -> bool:
    """Return whether a run begins where the one before ends, in the same chunk or the next of the chapter."""
    if before.hit.id == after.hit.id:
        return before.run.stop == after.run.first
    return (
        before.hit.book_id == after.hit.book_id
        and before.hit.chunk_id + 1 == after.hit.chunk_id
        and before.hit.section[:1] == after.hit.section[:1]
        and before.run.stop == len(before.hit.sentence_starts)
        and after.run.first == 0
    )


def _as_hit(parts: Sequence[Evidence]) -> Hit:
    """Return adjoining runs, in reading order, as one excerpt."""
    best = _by_score(parts)[0]
    excerpt: dict[str, Any] = {
        "text": _join_text(parts),
        "start": parts[0].run.start,
        "end": parts[-1].run.end,
        "word_count": sum(part.run.n_words for part in parts),
        "n_sentences": sum(part.run.stop - part.run.first for part in parts),
        "sentence_starts": join_numbers(start for part in parts for start in _starts(part)),
        "page_end": parts[-1].hit.page_end,
        **_page_fields(parts),
    }
    payload = {**best.hit.payload, **excerpt}
    return replace(best.hit, payload=payload, score=best.score, best=_best_span(best))


def _page_fields(parts: Sequence[Evidence]) -> dict[str, Any]:
    """Return the page fields of an excerpt's payload; empty if a chunk does not say where its pages begin."""
    if not all(parse_pages(part.hit.payload) for part in parts):
        return {}
    pages = (page for part in parts for page in part.hit.pages)
    return page_fields(pages, parts[0].run.start, parts[-1].run.end)


def _starts(part: Evidence) -> tuple[int, ...]:
    return part.hit.sentence_starts[part.run.first : part.run.stop]


def _join_text(parts: Sequence[Evidence]) -> str:
    """Return the text from the first run to the end of the last."""
    # The white space between two chunks is not stored: it is a space, or the line ends between paragraphs.
    texts: list[str] = []
    for part, after in pairwise(parts):
        in_same_chunk = after.hit.id == part.hit.id
        end = after.run.start if in_same_chunk else part.run.end
        texts.append(part.hit.text[part.run.start - part.hit.start : end - part.hit.start])
        if not in_same_chunk:
            gap = after.run.start - part.run.end
            texts.append(" " if gap == 1 else "\n" * gap)
    last = parts[-1]
    texts.append(last.hit.text[last.run.start - last.hit.start : last.run.end - last.hit.start])
    return "".join(texts)
