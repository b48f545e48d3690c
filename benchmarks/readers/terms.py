"""What a cut before each sentence of a book would cost, whether or not it is cut there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Book, Embeddings, Sentence
from alexandria.chunking.cues.find import Cues
from alexandria.chunking.limits import measure_sentences
from alexandria.chunking.similarity import neighbour_similarities
from alexandria.chunking.strategies.optimal import Optimal


@dataclass(frozen=True, slots=True)
class CutTerms:
    """What is known about a cut before each sentence."""

    costs: Mapping[str, NDArray[np.float64]]  # (n_sentences,) each, by the name of the term
    similarities: NDArray[np.float64]  # (n_sentences,): with the sentence before
    at_break: NDArray[np.bool_]  # (n_sentences,): where the author set a break
    is_choice: NDArray[np.bool_]  # (n_sentences,): False where a section or the book begins


def cut_terms(
    strategy: Optimal,
    embeddings: Embeddings,
    sentences: Sequence[Sentence],
    book: Book,
    *,
    respect_sections: bool,
    cues: Cues,
) -> CutTerms:
    """Return what a cut before each sentence costs, by the name of the cost (a term), such as `paragraph`.

    Args:
        strategy: the strategy whose options are the costs.
        embeddings: (n_sentences, dim), vectors of length 1.
        sentences: all sentences of the book, in order.
        book: as extracted.
        respect_sections: as for `segment_book`.
        cues: the cues of the sentences.
    """
    sizes = measure_sentences(
        book, sentences, min_words=strategy.min_words, respect_sections=respect_sections, cues=cues
    )
    n = len(sentences)
    similarities = np.zeros(n)
    similarities[1:] = neighbour_similarities(embeddings)
    costs: dict[str, NDArray[np.float64]] = {}
    is_choice = np.ones(n, np.bool_)
    for first, stop in sizes.spans():
        is_choice[first] = False  # a span begins: the text is cut here in any case
        span_similarities = similarities[first + 1 : stop].astype(np.float32)
        cut_costs = strategy.cut_costs(embeddings[first:stop], span_similarities, sizes.subset(first, stop))
        for name, span_costs in cut_costs.items():
            costs.setdefault(str(name), np.zeros(n))[first:stop] = span_costs
    return CutTerms(costs, similarities, sizes.break_before, is_choice)
