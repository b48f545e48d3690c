"""What a chunk repeats from the one before it: whole sentences, stored separately from its text."""

from collections.abc import Sequence
from dataclasses import replace

from alexandria.book import Boundary, Reason
from alexandria.chunking.packing import count_overlap_sentences
from alexandria.chunking.sizes import Sizes, prefix_sums


def with_overlap(boundaries: Sequence[Boundary], sizes: Sizes, overlap_words: int) -> tuple[Boundary, ...]:
    """Return the boundaries, each with the number of sentences before it that the next chunk repeats.

    Nothing is repeated across a section, and no more than the chunk before holds. A boundary at which the
    strategy itself repeats sentences is left as it is.

    Args:
        boundaries: the boundaries of a book, ascending.
        sizes: the sizes of the sentences.
        overlap_words: words to repeat, at most; as many whole sentences as fit.
    """
    words_before = prefix_sums(sizes.words)
    begin = 0  # the first sentence of the chunk before the boundary
    overlapping = []
    for boundary in boundaries:
        cut = boundary.gap + 1
        overlap = boundary.overlap
        if boundary.reason is not Reason.SECTION and not overlap:
            overlap = count_overlap_sentences(words_before, begin, cut, overlap_words)
        overlapping.append(replace(boundary, overlap=overlap))
        begin = cut
    return tuple(overlapping)
