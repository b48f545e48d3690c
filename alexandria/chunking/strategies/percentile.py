"""Like universal-semantic, but the threshold adapts to the book and a chunk is measured in sentences.

From XZe's semantic chunker. The book's own percentile can lower the threshold, so that a book whose sentences
are rarely similar is not cut to pieces. Short chunks join the next one here instead of being skipped.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from alexandria.book import Boundary, Embeddings
from alexandria.chunking.options import OptionError, check_between, check_count, check_order
from alexandria.chunking.packing import join_short_tails
from alexandria.chunking.similarity import neighbour_similarities
from alexandria.chunking.sizes import Sizes
from alexandria.chunking.threshold import cut_below_threshold


class Preset(StrEnum):
    """The kinds of text that XZe ships numbers for."""

    DEFAULT = "default"
    TECHNICAL = "technical"
    NARRATIVE = "narrative"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a preset."""

    threshold: float
    min_sentences: int
    max_sentences: int
    percentile: float


PRESETS: Mapping[Preset, Numbers] = {
    Preset.DEFAULT: Numbers(0.7, 3, 30, 0.5),
    Preset.TECHNICAL: Numbers(0.75, 3, 40, 0.5),
    Preset.NARRATIVE: Numbers(0.65, 3, 20, 0.4),
}


@dataclass(frozen=True, slots=True)
class Percentile:
    """Cut where similarity < min(threshold, the book's own percentile); size limits in sentences.

    An option that is None takes its value from the preset.
    """

    name: ClassVar[str] = "percentile"
    needs_embeddings: ClassVar[bool] = True
    min_words: ClassVar[int] = 0

    preset: Preset = Preset.DEFAULT
    threshold: float | None = None
    min_sentences: int | None = None
    max_sentences: int | None = None
    percentile: float | None = None
    """Of the book's similarities, in [0, 1]: 0.5 is their median."""
    max_words: int = 1200

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise OptionError("preset", f"must be one of {', '.join(PRESETS)}, not {self.preset!r}")
        numbers = self.numbers
        check_between("threshold", numbers.threshold, -1, 1)
        check_between("percentile", numbers.percentile, 0, 1)
        check_count("min_sentences", numbers.min_sentences, least=1)
        check_count("max_sentences", numbers.max_sentences, least=1)
        check_order("min_sentences", numbers.min_sentences, "max_sentences", numbers.max_sentences)
        check_count("max_words", self.max_words, least=1)

    @property
    def numbers(self) -> Numbers:
        """The preset's numbers, replaced by the options that are set."""
        preset = PRESETS[self.preset]
        return Numbers(
            preset.threshold if self.threshold is None else self.threshold,
            preset.min_sentences if self.min_sentences is None else self.min_sentences,
            preset.max_sentences if self.max_sentences is None else self.max_sentences,
            preset.percentile if self.percentile is None else self.percentile,
        )

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts of one pass, counting sentences; a short remainder joins the last chunk."""
        similarities = neighbour_similarities(embeddings)
        if not len(similarities):
            return ()
        numbers = self.numbers
        least, most = numbers.min_sentences, numbers.max_sentences
        threshold = min(numbers.threshold, float(np.quantile(similarities, numbers.percentile)))
        ones = np.ones(len(sizes.words), np.int64)
        cuts = list(
            cut_below_threshold(similarities, sizes, ones, threshold=threshold, least=least, most=most)
        )
        return tuple(join_short_tails(cuts, sizes, ones, least=least, most=most))

    def rule(self) -> str:
        """Return the rule in words."""
        return f"first chance after {self.numbers.min_sentences:,} sentences"

    def cap(self) -> str:
        """Return the caps in words."""
        return f"{self.numbers.max_sentences:,} sentences or {self.max_words:,} words"
