"""Embeddings become a `Segmentation`, and a `Segmentation` becomes chunks.

Read `segment_book` below first, then one of the strategies, then `assemble.py`.

To add a strategy, see `chunking/strategies/__init__.py`.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from alexandria.book.model import Book, Embeddings, Segmentation, Sentence
from alexandria.chunking.assemble import assemble, chunk_vectors
from alexandria.chunking.balancing import with_balances
from alexandria.chunking.cues.find import Cues
from alexandria.chunking.explain import describe_kept_together, explain_boundary, rank_boundaries
from alexandria.chunking.limits import apply_limits, measure_sentences, with_overlap
from alexandria.chunking.similarity import similarities_or_zeros
from alexandria.chunking.sizes import Sizes
from alexandria.chunking.stored import restore_strategy
from alexandria.chunking.strategies import STRATEGIES
from alexandria.chunking.strategy import OptionError, Strategy

__all__ = [
    "STRATEGIES",
    "OptionError",
    "Sizes",
    "Strategy",
    "assemble",
    "chunk_vectors",
    "describe_kept_together",
    "explain_boundary",
    "restore_strategy",
    "segment_book",
    "segment_sentences",
]


def segment_book(
    strategy: Strategy,
    embeddings: "Embeddings | None",
    sentences: Sequence[Sentence],
    book: Book,
    *,
    respect_sections: bool = True,
    cues: Cues | None = None,
    overlap_words: int = 0,
) -> Segmentation:
    """Return where a book is cut: at its sections, then by the strategy inside them, then by the limits.

    Args:
        strategy: one of `STRATEGIES`, with its options.
        embeddings: (n_sentences, dim), vectors of length 1; None for a strategy that needs none.
        respect_sections: False allows chunks to span chapters.
        cues: the cues of the sentences; if not given, they are found when the strategy reads them.
        overlap_words: words that a chunk repeats from the one before, at most, in whole sentences.
    """
    sizes = measure_sentences(
        book, sentences, min_words=strategy.min_words, respect_sections=respect_sections, cues=cues
    )
    segmentation = segment_sentences(strategy, embeddings, sizes)
    if overlap_words:
        overlapping = with_overlap(segmentation.boundaries, sizes, overlap_words)
        segmentation = replace(segmentation, boundaries=overlapping)
    if embeddings is None:  # no strategy weighs its cuts without them
        return segmentation
    return with_balances(strategy, embeddings, sizes, segmentation)


def segment_sentences(strategy: Strategy, embeddings: "Embeddings | None", sizes: Sizes) -> Segmentation:
    """Return where sentences of these sizes are cut; without embeddings, every similarity is 0.

    Raises:
        ValueError: there are no embeddings and the strategy requires them.
    """
    n = len(sizes.words)
    if embeddings is None:
        embeddings = np.empty((n, 0), np.float32)
    # One layout and one type: the same numbers then give the same cuts, wherever they come from.
    embeddings = np.ascontiguousarray(embeddings, np.float32)
    similarities = similarities_or_zeros(embeddings)
    cuts = strategy.segment(embeddings, sizes) if n > 1 else ()
    min_words, max_words = strategy.min_words, strategy.max_words
    boundaries = apply_limits(cuts, sizes, similarities, min_words=min_words, max_words=max_words)
    ranked = rank_boundaries(boundaries, sizes, similarities, min_words=min_words, max_words=max_words)
    return Segmentation(similarities, ranked)
