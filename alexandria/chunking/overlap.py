"""What a chunk repeats from the one before it: whole sentences, kept beside its text."""

from collections.abc import Sequence
from dataclasses import replace

from alexandria.book import Boundary, Reason
from alexandria.chunking.packing import n_overlap_sentences
from alexandria.chunking.sizes import Sizes, prefix_sums


def with_overlap(boundaries: Sequence[Boundary], sizes: Sizes, overlap_words: int) -> tuple[Boundary, ...]:
    """Return the boundaries, each with the number of sentences before it that the next chunk repeats.

    Nothing is repeated across a section, and no more than the chunk before holds. A boundary at which the
    strategy itself repeats sentences is left as it is.

    Args:
        boundaries: ascending.
        sizes: of the sentences.
        overlap_words: as many whole sentences as fit are repeated.
    """
    before = prefix_sums(sizes.words)
    begin, result = 0, []
    for boundary in boundaries:
        cut = boundary.gap + 1
        if boundary.reason is not Reason.SECTION and not boundary.overlap:
            boundary = replace(boundary, overlap=n_overlap_sentences(before, begin, cut, overlap_words))
        result.append(boundary)
        begin = cut
    return tuple(result)
