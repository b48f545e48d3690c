"""Embeddings become a `Segmentation`, and a `Segmentation` becomes chunks.

To add a strategy: write `chunking/<name>.py`, a frozen dataclass whose fields are its YAML options, with
`segment(embeddings, sizes) -> boundaries`, and add a line to `STRATEGIES`. Its contract tests, its options
in domains and its row in the tables come unasked.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from alexandria.book import Book, Embeddings, Segmentation, Sentence
from alexandria.chunking.assemble import assemble, chunk_vectors
from alexandria.chunking.ledger import enter_ranks, explain
from alexandria.chunking.limits import limit
from alexandria.chunking.sections import measure
from alexandria.chunking.similarity import neighbour_similarities, similarities_if_known
from alexandria.chunking.sizes import Sizes
from alexandria.chunking.strategies.centroid import Centroid
from alexandria.chunking.strategies.fixed import Fixed
from alexandria.chunking.strategies.optimal import Optimal
from alexandria.chunking.strategies.percentile import Percentile
from alexandria.chunking.strategies.recursive import Recursive
from alexandria.chunking.strategies.smoothed import Smoothed
from alexandria.chunking.strategies.tiered import Tiered
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.chunking.strategy import Strategy

__all__ = [
    "STRATEGIES",
    "Sizes",
    "Strategy",
    "assemble",
    "chunk_vectors",
    "divide",
    "explain",
    "neighbour_similarities",
    "segment",
]

STRATEGIES: Mapping[str, type[Strategy]] = {
    "universal-semantic": UniversalSemantic,
    "percentile": Percentile,
    "tiered": Tiered,
    "smoothed": Smoothed,
    "centroid": Centroid,
    "optimal": Optimal,
    "recursive": Recursive,
    "fixed": Fixed,
}


def segment(
    strategy: Strategy,
    embeddings: Embeddings | None,
    sentences: Sequence[Sentence],
    book: Book,
    *,
    respect_sections: bool = True,
) -> Segmentation:
    """Return where a book is cut: its sections first, the strategy inside them, then the limits.

    Args:
        strategy: one of `STRATEGIES`, with its options.
        embeddings: (n_sentences, dim), rows of length 1; None for a strategy that needs none.
        sentences: the book's, in order.
        book: as extracted.
        respect_sections: False lets chunks reach across chapters.
    """
    sizes = measure(book, sentences, min_words=strategy.min_words, respect_sections=respect_sections)
    return divide(strategy, embeddings, sizes)


def divide(strategy: Strategy, embeddings: Embeddings | None, sizes: Sizes) -> Segmentation:
    """Return where sentences of these sizes are cut; without embeddings all similarities read 0.

    Raises:
        ValueError: there are no embeddings and the strategy cannot do without.
    """
    n = len(sizes.words)
    if embeddings is None:
        embeddings = np.empty((n, 0), np.float32)
    # One layout and one type, so that the same numbers give the same cuts wherever they come from.
    embeddings = np.ascontiguousarray(embeddings, np.float32)
    similarities = similarities_if_known(embeddings)
    cuts = strategy.segment(embeddings, sizes) if n > 1 else ()
    low, high = strategy.min_words, strategy.max_words
    boundaries = limit(cuts, sizes, similarities, min_words=low, max_words=high)
    boundaries = enter_ranks(boundaries, sizes, similarities, min_words=low, max_words=high)
    return Segmentation(similarities, boundaries)
