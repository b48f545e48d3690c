"""Like universal-semantic, but the threshold adapts to the book and a chunk is measured in sentences.

After XZe's semantic chunker (docs/descriptions.md). The book's own percentile can lower the threshold, so
that a book whose sentences are rarely similar is not cut to pieces. Where XZe discards a short chunk, the
chunk goes on here until it is long enough.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from alexandria.book.model import Boundary, Embeddings
from alexandria.chunking.packing import join_short_tails
from alexandria.chunking.similarity import neighbour_similarities
from alexandria.chunking.sizes import Sizes
from alexandria.chunking.strategy import OptionError, check_between, check_count, check_order
from alexandria.chunking.threshold import cut_below_threshold


class Preset(StrEnum):
    """The kinds of text for which XZe has presets."""

    DEFAULT = "default"
    TECHNICAL = "technical"
    NARRATIVE = "narrative"


@dataclass(frozen=True, slots=True)
class PresetLimits:
    """The threshold and the size limits of a preset."""

    threshold: float
    min_sentences: int
    max_sentences: int
    percentile: float


PRESETS: Mapping[Preset, PresetLimits] = {
    Preset.DEFAULT: PresetLimits(threshold=0.7, min_sentences=3, max_sentences=30, percentile=0.5),
    Preset.TECHNICAL: PresetLimits(threshold=0.75, min_sentences=3, max_sentences=40, percentile=0.5),
    Preset.NARRATIVE: PresetLimits(threshold=0.65, min_sentences=3, max_sentences=20, percentile=0.4),
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
    """`default`, `technical` or `narrative`: sets the next four, where they are not given."""
    threshold: float | None = None
    """The highest threshold, in [−1, 1]: 0.7, 0.75, 0.65 by preset."""
    min_sentences: int | None = None
    """A chunk holds at least this many: 3, 3, 3."""
    max_sentences: int | None = None
    """And at most this many: 30, 40, 20."""
    percentile: float | None = None
    """Percentile of the book's similarities that caps the threshold, in [0, 1]: 0.5, 0.5, 0.4."""
    max_words: int = 1200
    """No chunk holds more."""

    def __post_init__(self) -> None:
        """Check the options: raise OptionError for one that is out of its range."""
        if self.preset not in PRESETS:
            raise OptionError("preset", f"must be one of {', '.join(PRESETS)}, not {self.preset!r}")
        limits = self.effective_limits
        check_between("threshold", limits.threshold, -1, 1)
        check_between("percentile", limits.percentile, 0, 1)
        check_count("min_sentences", limits.min_sentences, minimum=1)
        check_count("max_sentences", limits.max_sentences, minimum=1)
        check_order("min_sentences", limits.min_sentences, "max_sentences", limits.max_sentences)
        check_count("max_words", self.max_words, minimum=1)

    @property
    def effective_limits(self) -> PresetLimits:
        """The limits of the preset, replaced by the options that are set."""
        preset = PRESETS[self.preset]
        return PresetLimits(
            threshold=preset.threshold if self.threshold is None else self.threshold,
            min_sentences=preset.min_sentences if self.min_sentences is None else self.min_sentences,
            max_sentences=preset.max_sentences if self.max_sentences is None else self.max_sentences,
            percentile=preset.percentile if self.percentile is None else self.percentile,
        )

    def segment(self, embeddings: Embeddings, sizes: Sizes) -> tuple[Boundary, ...]:
        """Return the cuts of one pass that counts sentences; a short tail joins the chunk before it."""
        similarities = neighbour_similarities(embeddings)
        if not len(similarities):
            return ()
        limits = self.effective_limits
        threshold = min(limits.threshold, float(np.quantile(similarities, limits.percentile)))
        min_size, max_size = limits.min_sentences, limits.max_sentences
        ones = np.ones(len(sizes.words), np.int64)  # each sentence counts 1
        cuts = cut_below_threshold(
            similarities, sizes, ones, threshold=threshold, min_size=min_size, max_size=max_size
        )
        return tuple(join_short_tails(list(cuts), sizes, ones, min_size=min_size, max_size=max_size))

    def rule(self) -> str:
        """Return the rule in words."""
        return f"first chance after {self.effective_limits.min_sentences:,} sentences"

    def cap(self) -> str:
        """Return the caps in words."""
        return f"{self.effective_limits.max_sentences:,} sentences or {self.max_words:,} words"
