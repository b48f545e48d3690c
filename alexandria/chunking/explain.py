"""Why each cut is where it is: its rank among the cuts that were possible, and the reason in words."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from alexandria.balance import Balance, KeptTogether
from alexandria.book import Boundary, Reason
from alexandria.chunking.balancing import LAYOUT
from alexandria.chunking.cue_notes import phrase_of, tie_of
from alexandria.chunking.sizes import Sizes, prefix_sums
from alexandria.chunking.strategy import Strategy

_MIN_COST_IN_WORDS = 0.5
"""A cue that costs or gains less is left out of the reason in words; the record has them all."""


def rank_boundaries(
    boundaries: Sequence[Boundary],
    sizes: Sizes,
    similarities: NDArray[np.float32],
    *,
    min_words: int,
    max_words: int,
) -> tuple[Boundary, ...]:
    """Return the boundaries with `rank` and `n_candidates` filled in, except at sections.

    The candidates are the gaps of the same span at which the chunk would hold `min_words` to `max_words` and
    not end with a heading, plus the gap that was cut. Rank 1 is the lowest similarity; equal similarities
    share a rank. A section's boundary had no alternative, and is returned unchanged.
    """
    words_before = prefix_sums(sizes.words)
    stops = np.array([stop for _, stop in sizes.spans()])
    ranked = []
    begin = 0  # the first sentence of the chunk before the boundary
    for boundary in boundaries:
        if boundary.reason is Reason.SECTION:
            ranked.append(boundary)
        else:
            # The end of the span of this chunk.
            stop = int(stops[np.searchsorted(stops, begin, side="right")])
            # The sentences that could have begun the next chunk.
            low = np.searchsorted(words_before, words_before[begin] + min_words)
            high = np.searchsorted(words_before, words_before[begin] + max_words, side="right")
            starts = np.arange(max(int(low), begin + 1), min(int(high), stop))
            gaps = starts[sizes.may_begin[starts]] - 1
            rank = 1 + int(np.count_nonzero(similarities[gaps] < similarities[boundary.gap]))
            # The cut itself counts, even if its chunk is outside these limits.
            n_candidates = len(gaps) + (boundary.gap not in gaps)
            ranked.append(replace(boundary, rank=rank, n_candidates=n_candidates))
        begin = boundary.gap + 1
    return tuple(ranked)


def explain_boundary(boundary: Boundary, strategy: Strategy) -> str:
    """Return in a sentence why the boundary is there.

    Examples: `New topic: first chance after 200 words (rank 14 of 52).` For a strategy that adds up costs,
    the reason is what was weighed: `New topic, at the end of a paragraph, with words of time; the next best
    place, two sentences later, is slightly worse.`
    """
    if boundary.reason is Reason.SECTION:
        return "A chapter or section begins."
    if boundary.balance is not None:
        return _describe_balance(boundary, boundary.balance)
    if boundary.reason is Reason.BREAK:
        return "The author marks a break here."
    if boundary.reason is Reason.MAX_SIZE:
        return f"Full: {strategy.cap()} at most."
    return f"New topic: {strategy.rule()} ({_rank_in_words(boundary)})."


_HEADS = {Reason.BREAK: "The author marks a break here", Reason.MAX_SIZE: "Too long for one chunk"}
"""How the sentence on a cut begins, where the reason is not a new topic."""


def _describe_balance(boundary: Boundary, balance: Balance) -> str:
    """Return in a sentence what was weighed at a cut: its place, the cues for and against it, and what else.

    The costs in numbers are in the record, and in what `inspect -v` shows.
    """
    cues = [
        term
        for term in balance.terms
        if term.name not in LAYOUT and abs(term.cost) >= _MIN_COST_IN_WORDS
        if not (term.name == "break" and boundary.reason is Reason.BREAK)  # the reason itself says it
    ]
    parts = [
        _HEADS.get(boundary.reason, "New topic"),
        "inside a paragraph" if balance.inside_paragraph else "at the end of a paragraph",
    ]
    if for_it := [phrase_of(term.name) for term in cues if term.cost < 0]:
        parts.append(f"with {_enumerate(for_it)}")
    if against := [phrase_of(term.name) for term in cues if term.cost > 0]:
        parts.append(f"despite {_enumerate(against)}")
    if balance.gain is None and boundary.reason is not Reason.MAX_SIZE:
        parts.append("where one chunk would be too long")
    return f"{', '.join(parts)}; {_describe_next_best(boundary.gap, balance)}."


def _enumerate(phrases: Sequence[str]) -> str:
    """Return phrases as a list in a sentence: `a`, `a and b`, `a, b, and c`."""
    *others, last = phrases
    comma = "," if len(others) > 1 else ""  # a phrase may itself contain `and`
    return f"{', '.join(others)}{comma} and {last}" if others else last


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_SLIGHT_LOSS, _CLEAR_LOSS = 0.5, 2.0
"""From here on, the next best cut is slightly or clearly worse; the usual cues cost 1.5 to 5."""


def _describe_next_best(gap: int, balance: Balance) -> str:
    """Return where the next best place for a cut was, and how much worse it is."""
    if balance.next_best is None:
        return "no other place was possible"
    distance = abs(balance.next_best.gap - gap)
    number = _NUMBERS[distance] if distance < len(_NUMBERS) else f"{distance:,}"
    sentences = "sentence" if distance == 1 else "sentences"
    direction = "later" if balance.next_best.gap > gap else "earlier"
    loss = balance.next_best.loss
    worse = (
        "clearly worse" if loss >= _CLEAR_LOSS else "slightly worse" if loss >= _SLIGHT_LOSS else "as good"
    )
    verb = "is" if loss >= _SLIGHT_LOSS else "is nearly"
    return f"the next best place, {number} {sentences} {direction}, {verb} {worse}"


def describe_kept_together(kept: KeptTogether, opening: str = "") -> str:
    """Return in a sentence why the text was not cut at a gap.

    Args:
        kept: the gap.
        opening: the first words after it, if the sentence is to name them.
    """
    # The term with the highest cost comes first, and is named even if the cost is small.
    first, *second = kept.terms[:2]
    named = [first, *(term for term in second if term.cost >= _MIN_COST_IN_WORDS)]
    place = f"before “{opening} …”" if opening else "here"
    return f"Almost cut {place}, but {' and '.join(tie_of(term.name) for term in named)}."


def _rank_in_words(boundary: Boundary) -> str:
    """Return the rank of a gap's similarity among its candidates; see `rank_boundaries`."""
    if boundary.rank is None or boundary.n_candidates is None:
        return "not ranked"
    if boundary.n_candidates == 1:
        return "the only possible place"
    if boundary.rank == 1:
        return f"the least similar of {boundary.n_candidates:,} possible places"
    return f"rank {boundary.rank:,} of {boundary.n_candidates:,}"
