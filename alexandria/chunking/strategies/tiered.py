"""Cut by length: short texts not at all, longer ones at the deepest drops, the longest into windows too.

After Sage's chunking of reviews (docs/descriptions.md). A section takes the place of a
review; the percentile is that of the book, or of each section.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Boundary, Embeddings, Reason
from alexandria.chunking.packing import furthest_cut
from alexandria.chunking.similarity import neighbour_similarities
from alexandria.chunking.sizes import CHARACTERS_PER_TOKEN, Sizes, prefix_sums
from alexandria.chunking.strategy import OptionError, check_between, check_count, check_order


class Extent(StrEnum):
    """The text whose drops a percentile is computed from."""

    BOOK = "book"
    SECTION = "section"  # each section's own: a section of close argument is cut as often as one of anecdotes


@dataclass(frozen=True, slots=True)
class Tiered:
    """Keep short sections whole, cut longer ones at the deepest drops, and long remainders into windows."""

    name: ClassVar[str] = "tiered"
    needs_embeddings: ClassVar[bool] = True
    min_words: ClassVar[int] = 0

    short_tokens: int = 200
    """A shorter section is one chunk."""
    long_tokens: int = 500
    """A longer section is also cut into windows."""
    percentile: float = 0.85
    """Cut where the drop, 1 − similarity, is above this percentile of the drops; in [0, 1]."""
    percentile_of: Extent = Extent.BOOK
    """Whether it is a percentile of the drops of the whole book, or of each section."""
    window_tokens: int = 500
    """The longest piece of a long section, in tokens."""
    overlap_sentences: int = 1
    """Sentences that a window repeats from the previous one."""
    max_words: int = 1200
    """No chunk holds more."""

    def __post_init__(self) -> None:
        """Check the options: raise OptionError for one that is out of its range."""
        check_count("short_tokens", self.short_tokens, minimum=0)
        check_count("long_tokens", self.long_tokens, minimum=0)
        check_order("short_tokens", self.short_tokens, "long_tokens", self.long_tokens)
        check_between("percentile", self.percentile, 0, 1)
        if self.percentile_of not in list(Extent):
            raise OptionError(
                "percentile_of", f"must be one of {', '.join(Extent)}, not {self.percentile_of!r}"
            )
        check_count("window_tokens", self.window_tokens, minimum=1)
        check_count("overlap_sentences", self.overlap_sentences, minimum=0)
        check_count("max_words", self.max_words, minimum=1)

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts of each span: none in a short one, at the deepest gaps in a longer one.

        In a span above `long_tokens`, what lies between these gaps is also cut into windows.
        """
        similarities = neighbour_similarities(embeddings)
        if not len(similarities):
            return ()
        book_threshold = self._threshold(similarities)
        characters_before = prefix_sums(sizes.characters)
        cuts: list[Boundary] = []
        for first, stop in sizes.spans():
            tokens = (characters_before[stop] - characters_before[first]) / CHARACTERS_PER_TOKEN
            if tokens < self.short_tokens:
                continue
            span_similarities = similarities[first : stop - 1]
            threshold = book_threshold
            if self.percentile_of == Extent.SECTION and len(span_similarities):
                threshold = self._threshold(span_similarities)
            may_cut = (span_similarities < threshold) & sizes.may_begin[first + 1 : stop]
            starts = first + 1 + np.flatnonzero(may_cut)
            begin = first
            for end in (*starts.tolist(), stop):
                if tokens > self.long_tokens:
                    cuts += self._cut_windows(begin, end, characters_before, sizes, similarities, threshold)
                if end < stop:
                    cuts.append(Boundary(end - 1, float(similarities[end - 1]), threshold, Reason.TOPIC))
                begin = end
        return tuple(cuts)

    def _threshold(self, similarities: NDArray[np.float32]) -> float:
        """Return the similarity below which a gap is deep."""
        # A drop above the percentile of drops is a similarity below the opposite percentile.
        return float(np.quantile(similarities, 1 - self.percentile))

    def _cut_windows(
        self,
        begin: int,
        end: int,
        characters_before: NDArray[np.int64],
        sizes: Sizes,
        similarities: NDArray[np.float32],
        threshold: float,
    ) -> Iterator[Boundary]:
        """Yield the cuts of a segment into windows of at most `window_tokens`, including what they repeat."""
        max_size = self.window_tokens * CHARACTERS_PER_TOKEN
        n_repeated = 0  # characters
        while (cut := furthest_cut(characters_before, begin, end, max_size - n_repeated, sizes)) < end:
            overlap = min(self.overlap_sentences, cut - begin)
            n_repeated = int(characters_before[cut] - characters_before[cut - overlap])
            yield Boundary(cut - 1, float(similarities[cut - 1]), threshold, Reason.MAX_SIZE, overlap=overlap)
            begin = cut

    def rule(self) -> str:
        """Return the rule in words."""
        return f"among the {1 - self.percentile:.0%} deepest gaps of the {self.percentile_of}"

    def cap(self) -> str:
        """Return the caps in words."""
        return f"{self.window_tokens:,} tokens or {self.max_words:,} words"
