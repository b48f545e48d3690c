"""How well ranked passages answer a question whose answer is known as spans of a book.

Recall, precision, intersection over union and precision-omega are those of Chroma's report on chunking
(Smith and Troynikov 2024): counted in characters, not passages, so that large chunks gain no advantage.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from alexandria.book import count_words, word_starts
from alexandria.evaluate.spans import Span, intersection, overlap_mask, total_length, union

N_DISCOUNTED = 10
"""Ranks that nDCG covers."""


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A chunk as a search returns it: which book, and which span of it."""

    book: int
    start: int
    end: int
    text: str

    @property
    def span(self) -> Span:
        """Start and end in the book's text."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Relevance:
    """One question's scores, all in [0, 1], higher is better."""

    recall: float
    """Share of the reference characters in the best k passages."""
    precision: float
    """Share of the characters of the best k passages that lie in a reference."""
    iou: float
    """Reference characters found, over all characters of passages and references together."""
    precision_omega: float
    """Intersection over union if exactly the passages that overlap a reference were retrieved."""
    recall_in_budget: float
    """Share of the reference characters in the first words retrieved, up to the budget."""
    mrr: float
    """1 / the rank of the first passage that overlaps a reference; 0 where none does."""
    ndcg: float
    """Reference characters in the first 10 passages, discounted by rank, over the best possible sum."""


def judge(
    book: int,
    references: Sequence[Span],
    ranked: Sequence[RetrievedChunk],
    relevant: Sequence[RetrievedChunk],
    *,
    k: int,
    budget: int,
) -> Relevance:
    """Return how well the ranked passages answer a question.

    Args:
        book: the book that the references are spans of.
        references: at least one, none empty.
        ranked: best first; passages of other books count as wrong.
        relevant: every passage of the index that overlaps a reference.
        k: how many of the ranked passages count for recall, precision and IoU.
        budget: words for `recall_in_budget`; the passage that reaches the limit counts up to it.
    """
    best = ranked[:k]
    right_book = [passage.span for passage in best if passage.book == book]
    overlap = total_length(intersection(right_book, references))
    n_reference = total_length(references)
    # As in Chroma's report: overlapping passages are counted twice, overlapping references once.
    retrieved = total_length(passage.span for passage in best)
    missed = total_length(union(references)) - overlap
    gains = [
        total_length(intersection([passage.span], references)) if passage.book == book else 0
        for passage in ranked[:N_DISCOUNTED]
    ]
    ideal = sorted(
        (total_length(intersection([passage.span], references)) for passage in relevant), reverse=True
    )
    in_book = np.array([passage.book == book for passage in ranked], np.bool_)
    is_hit = overlap_mask([passage.span for passage in ranked], references) & in_book
    first_rank = int(is_hit.argmax()) + 1 if is_hit.any() else None
    return Relevance(
        recall=overlap / n_reference,
        precision=overlap / retrieved if retrieved else 0.0,
        iou=overlap / (retrieved + missed),
        precision_omega=_precision_omega(references, relevant),
        recall_in_budget=recall_in_budget(book, references, ranked, budget),
        mrr=1 / first_rank if first_rank else 0.0,
        ndcg=_dcg(gains) / (_dcg(ideal[:N_DISCOUNTED]) or 1.0),  # without a relevant passage, 0
    )


def recall_in_budget(
    book: int, references: Sequence[Span], ranked: Sequence[RetrievedChunk], budget: int
) -> float:
    """Return the share of the reference characters within the first `budget` words of the ranking."""
    spans: list[Span] = []
    words_left = budget
    for passage in ranked:
        n_words = count_words(passage.text)
        end = passage.end
        if n_words > words_left:
            end = passage.start + int(word_starts(passage.text)[words_left])
        if passage.book == book:
            spans.append((passage.start, end))
        words_left -= n_words
        if words_left <= 0:
            break
    return total_length(intersection(spans, references)) / total_length(references)


def _precision_omega(references: Sequence[Span], relevant: Sequence[RetrievedChunk]) -> float:
    """Return the intersection over union of the relevant passages and the references."""
    spans = union(passage.span for passage in relevant)
    return total_length(intersection(spans, references)) / total_length(union([*spans, *references]))


def _dcg(gains: Sequence[int]) -> float:
    """Return the discounted cumulative gain (Järvelin and Kekäläinen 2002), for gains by rank."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))
