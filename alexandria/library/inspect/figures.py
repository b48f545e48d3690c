"""The cuts of a book in figures: sizes, reasons, how much the threshold decides, tiny chunks, what to try."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from statistics import median_low

from alexandria.book.model import Boundary, Chunk, Reason, count_words
from alexandria.book.words import count_of
from alexandria.chunking import Strategy
from alexandria.chunking.strategies.optimal import Optimal
from alexandria.chunking.strategies.percentile import Percentile
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.library.inspect.quality import Quality

_MAX_BARS = 12  # a histogram with more bars is no easier to read than the list of chunks
_ADVICE_SHARE = 0.5  # advice is given on a cause of at least this share of the cuts
_MIN_ADVICE_CUTS = 3  # the fewest cuts of one cause for which advice is given; fewer may be chance
# If the cuts on both sides have different reasons, the first listed is given: the settings that decide it can
# be changed.
_WHY = {
    Reason.TOPIC: "cut off by topic",
    Reason.MAX_SIZE: "left over by the limit on size",
    Reason.BREAK: "set apart by the author's own break",
    Reason.SECTION: "all the text of its section",
}


@dataclass(frozen=True, slots=True)
class Spread:
    """Words per chunk: the least, the 5th, 50th and 95th percentile, and the most.

    Each is the size of some chunk: percentiles are not interpolated.
    """

    least: int
    p5: int
    p50: int
    p95: int
    most: int


@dataclass(frozen=True, slots=True)
class Bar:
    """The number of chunks with `low` to `high` words, both included."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """A chunk with less than a tenth of the words of the median chunk."""

    chunk: int
    """Its number."""
    words: int
    why: str
    """What left it so small."""

    @property
    def text(self) -> str:
        """Where it is and why, in words: `chunk 12 has 4 words: all the text of its section`."""
        return f"chunk {self.chunk:,} has {count_of(self.words, 'word')}: {self.why}"


@dataclass(frozen=True, slots=True)
class Figures:
    """The summary of a book's cuts."""

    words: Spread | None  # None for a book without chunks
    histogram: tuple[Bar, ...]
    cuts: Mapping[Reason, int]
    first_chances: int
    """Topic cuts at the first gap where the chunk was large enough to end: the threshold decided little."""
    threshold: float | None  # the threshold of all cuts; None if the strategy has none, or if it varies
    below: float | None
    """Share of gaps below the threshold, in [0, 1]; None if gaps are not compared with it one by one."""
    line: float | None  # the threshold, if the cuts follow it: a line through the similarities
    quality: Quality  # the similarity inside chunks and across cuts, and what the cuts break
    fragments: tuple[Fragment, ...]
    """Chunks under a tenth of the median size, each with what left it so small."""
    advice: tuple[str, ...]  # what to try where the settings decide little

    @property
    def forced(self) -> int:
        """The number of cuts that the limit on size made."""
        return self.cuts[Reason.MAX_SIZE]


def figures_of(
    chunks: Sequence[Chunk], similarities: Sequence[float], strategy: Strategy, quality: Quality
) -> Figures:
    """Return the summary of a book's cuts: sizes, reasons, the weight of the threshold, and advice.

    Args:
        chunks: of the whole book, in order.
        similarities: (n_sentences - 1,), the similarity across each gap.
        strategy: the one that cut the book.
        quality: what the cuts break, for the summary.
    """
    words = [chunk.word_count for chunk in chunks]
    boundaries = [chunk.boundary for chunk in chunks if chunk.boundary is not None]
    counts = Counter(boundary.reason for boundary in boundaries)
    cuts = {reason: counts[reason] for reason in Reason}
    threshold = _common_threshold(boundaries, strategy)
    # The gaps below the threshold say something only if the strategy compares these numbers with it.
    line = threshold if _compare_neighbours(boundaries, similarities) else None
    below = _share_below(line, similarities)
    first_chances = _count_first_chances(chunks, strategy)
    return Figures(
        words=_spread_of(words),
        histogram=histogram(words),
        cuts=cuts,
        first_chances=first_chances,
        threshold=threshold,
        below=None if below is None else round(below, 6),
        line=None if isinstance(strategy, Optimal) else line,
        quality=quality,
        fragments=fragments_of(chunks),
        advice=tuple(_give_advice(strategy, cuts, first_chances, threshold, below)),
    )


def histogram(words: Sequence[int]) -> tuple[Bar, ...]:
    """Return how many chunks there are of each size, in bars 1, 2 or 5 times a power of 10 wide."""
    if not words:
        return ()
    width = _round_up((max(words) - min(words) + 1) / _MAX_BARS)
    counts = Counter(n_words // width for n_words in words)
    bins = range(min(counts), max(counts) + 1)
    return tuple(Bar(low=i * width, high=(i + 1) * width - 1, count=counts[i]) for i in bins)


def _round_up(width: float) -> int:
    """Return a width rounded up to 1, 2 or 5 times a power of 10, and at least 1: 3.2 becomes 5."""
    power = int(10 ** max(floor(log10(width)), 0))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width)


def _spread_of(words: Sequence[int]) -> Spread | None:
    """Return the smallest, largest and median sizes, with the 5th and 95th percentile (nearest rank)."""
    if not words:
        return None
    ordered = sorted(words)
    p5, p50, p95 = (ordered[ceil(share * len(ordered)) - 1] for share in (0.05, 0.5, 0.95))
    return Spread(least=ordered[0], p5=p5, p50=p50, p95=p95, most=ordered[-1])


def _common_threshold(boundaries: Sequence[Boundary], strategy: Strategy) -> float | None:
    """Return the threshold of all cuts, or of a book without cuts, or None if there is none or it varies."""
    thresholds = {round(boundary.threshold, 6) for boundary in boundaries if boundary.threshold is not None}
    if len(thresholds) == 1:
        return thresholds.pop()
    # Only these strategies have a fixed threshold, which is then known without a cut.
    if thresholds or not isinstance(strategy, Optimal | UniversalSemantic):
        return None
    return strategy.threshold


def _compare_neighbours(boundaries: Sequence[Boundary], similarities: Sequence[float]) -> bool:
    """Return whether the similarity of each topic cut is that of the two sentences at its gap."""
    # It is not if the strategy compares windows, or smoothed or running values, with its threshold.
    return all(
        # 2e-6: both numbers are rounded to six decimals.
        abs(boundary.similarity - similarities[boundary.gap]) < 2e-6
        for boundary in boundaries
        if boundary.reason is Reason.TOPIC
    )


def _share_below(threshold: float | None, similarities: Sequence[float]) -> float | None:
    """Return the share of gaps that are less similar than a threshold; None without either."""
    if threshold is None or not similarities:
        return None
    return sum(similarity < threshold for similarity in similarities) / len(similarities)


def _count_first_chances(chunks: Sequence[Chunk], strategy: Strategy) -> int:
    """Return how many topic cuts are where the chunk before was first large enough to end."""
    if isinstance(strategy, Optimal):  # compares all possible cuts
        return 0
    return sum(
        _is_topic(next_chunk.boundary) and _ends_at_once(chunk, strategy)
        for chunk, next_chunk in pairwise(chunks)
    )


def _is_topic(boundary: Boundary | None) -> bool:
    return boundary is not None and boundary.reason is Reason.TOPIC


def _ends_at_once(chunk: Chunk, strategy: Strategy) -> bool:
    """Return whether the chunk would be too small without its last sentence."""
    min_sentences = strategy.effective_limits.min_sentences if isinstance(strategy, Percentile) else 1
    last_words = count_words(chunk.text[chunk.sentence_starts[-1] - chunk.start :])
    return chunk.n_sentences <= min_sentences or chunk.word_count - last_words < strategy.min_words


def _give_advice(
    strategy: Strategy,
    cuts: Mapping[Reason, int],
    first_chances: int,
    threshold: float | None,
    below: float | None,
) -> list[str]:
    """Return what to try, a line for each fault that the cuts have."""
    # The faults: nearly any gap is below the threshold, the limit on size makes most cuts, or no cut is made
    # inside a chapter.
    # `first_chances`: the figure of that name in `Figures`.
    # `threshold`: the figure of that name in `Figures`; it is known where `below` is.
    # `below`: the share of gaps below the threshold; None if it is not known.
    topic, forced, section = (cuts[reason] for reason in (Reason.TOPIC, Reason.MAX_SIZE, Reason.SECTION))
    advice = []
    if below is not None and topic >= _MIN_ADVICE_CUTS and first_chances >= _ADVICE_SHARE * topic:
        advice.append(
            f"{below:.0%} of gaps are below {threshold:.2f}: {first_chances:,} of {topic:,} topic cuts fall "
            f"at the {strategy.rule()}; try --strategy optimal, a lower --threshold, or alexandria tune"
        )
    inside = forced + topic
    if strategy.needs_embeddings and forced >= _MIN_ADVICE_CUTS and forced >= _ADVICE_SHARE * inside:
        optimal = "" if isinstance(strategy, Optimal) else "--strategy optimal, or "
        advice.append(
            f"{forced:,} of {inside:,} cuts inside chapters are forced by the limit of "
            f"{strategy.cap()}: no topic ends within it; try {optimal}a higher --threshold"
        )
    if strategy.needs_embeddings and section >= _MIN_ADVICE_CUTS and not topic and not forced:
        advice.append(
            "every cut is at a chapter: none is long enough, or varied enough, to be cut inside; "
            "a smaller minimum size (--set min_words=…) lets topics decide"
        )
    return advice


def fragments_of(chunks: Sequence[Chunk]) -> tuple[Fragment, ...]:
    """Return the chunks that are far smaller than the median chunk, in order, each with the reason."""
    if not chunks:
        return ()
    median = median_low(chunk.word_count for chunk in chunks)
    cuts = [None, *(chunk.boundary for chunk in chunks[1:]), None]  # around each chunk
    return tuple(
        Fragment(chunk=chunk.index, words=chunk.word_count, why=_describe_neighbours(before, after))
        for chunk, (before, after) in zip(chunks, pairwise(cuts), strict=True)
        if chunk.word_count * 10 < median
    )


def _describe_neighbours(before: Boundary | None, after: Boundary | None) -> str:
    """Return what separates a chunk from its neighbours; None, an end of the book, counts as a section's."""
    reasons = {Reason.SECTION if side is None else side.reason for side in (before, after)}
    return next(why for reason, why in _WHY.items() if reason in reasons)
