"""The sentences that say why a cut was made, of what a strategy weighed and `Sides` knows; its rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import Boundary, Chunk, Reason
from alexandria.book.weighed import Balance, KeptTogether, Term
from alexandria.book.wording import opening_of
from alexandria.chunking.cues.find import Cue
from alexandria.chunking.cues.notes import phrase_of, tie_of
from alexandria.chunking.sizes import Sizes, prefix_sums
from alexandria.chunking.strategy import Strategy

_MIN_COST_IN_WORDS = 0.5
"""A cue that costs or gains less is left out of the reason in words; the record has them all."""
_CONTRAST = "less similarity across the cut than around it"
_NO_SIGN = "how alike the sentences of each chunk are, and its length"
_MAX_SIGNS = 2  # the reason in words names so many for a cut, and so many against it: the weightiest


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


@dataclass(frozen=True, slots=True)
class Sides:
    """What a reader sees on both sides of a cut; what is not known is empty, or 0."""

    # Words that are left at the cut, that are new, and that stay.
    turn: Sequence[Sequence[str]] = ((), (), ())
    opening: str = ""  # with what the chunk after begins
    heading: str = ""  # the innermost one of the chunk after, if its headings are others than before
    # What shows a cue, by its name, as it is printed: words of the text, numbers. With none, it is not said.
    signs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    next_best: str = ""  # where it is: `before “He slid …”`


def explain_boundary(boundary: Boundary, strategy: Strategy, sides: Sides = Sides()) -> str:
    """Return why the boundary is there: from what to what, the reason, and the next best place.

    Example: `Full: 900 words at most: from “ice” to “mill”.` For a strategy that adds up costs, the reason is
    what weighed most: `A new paragraph: still with “ice”. What decided: words of time (“evening”). Next best:
    later, before “He slid …”, slightly worse.`
    """
    parts = zip(("from", "to" if sides.turn[0] else "on to", "still with"), sides.turn, strict=True)
    turn = "; ".join(f"{preposition} {', '.join(words)}" for preposition, words in parts if words)
    turn = turn.replace("; to", " to", 1)
    heads = {
        Reason.SECTION: f"“{sides.heading}” begins" if sides.heading else "A chapter or section begins",
        Reason.MAX_SIZE: f"Full: {strategy.cap()} at most",
        Reason.BREAK: "The author marks a break",
        Reason.TOPIC: sides.opening or ("" if turn else "New topic"),
    }
    sentences = [": ".join(filter(None, (heads[boundary.reason], turn)))]
    if boundary.balance is not None:
        sentences += _describe_balance(boundary, boundary.balance, strategy, sides)
    elif boundary.reason is Reason.TOPIC:
        compared = f"similarity {boundary.similarity:z.2f}, below {boundary.threshold or 0:z.2f}: "
        rule = f"{'' if boundary.threshold is None else compared}{strategy.rule()}"
        sentences += [f"{rule} ({_rank_in_words(boundary)})", sides.next_best]
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences if sentence)


def _describe_balance(boundary: Boundary, balance: Balance, strategy: Strategy, sides: Sides) -> list[str]:
    """Return what decided for a cut and spoke against it, and the next best place."""
    # The costs in numbers are in the record, and in what `inspect -v` shows.
    # Not the break that the first sentence says, nor a cue of which the text has no words.
    unsaid = {"paragraph", Cue.SHORT_PARAGRAPH} | ({"break"} if boundary.reason is Reason.BREAK else set())
    unsaid |= {name for name, words in sides.signs.items() if not words}
    unsaid |= {t.name for t in balance.terms if t.name == "window" and t.cost > 0}
    cues = [t for t in balance.terms if t.name not in unsaid and abs(t.cost) >= _MIN_COST_IN_WORDS]
    cues.sort(key=lambda term: -abs(term.cost))
    for_it = [_sign(term, sides) for term in cues if term.cost < 0][:_MAX_SIGNS]
    against = ["the middle of a paragraph"] if balance.inside_paragraph else []
    against += [_sign(term, sides) for term in cues if term.cost > 0][: _MAX_SIGNS - len(against)]
    if balance.gain is None:
        for_it.append(f"one chunk would exceed {strategy.cap()}")
    elif not for_it and boundary.reason is not Reason.BREAK:
        for_it = [_sign(Term("window", -1), sides) if sides.signs.get("window") else _NO_SIGN]
    decided = f"what decided: {_enumerate(for_it)}" if for_it else ""
    if against:
        decided += f", despite {_enumerate(against)}" if decided else f"against it: {_enumerate(against)}"
    return [decided, _describe_next_best(boundary.gap, balance, sides.next_best)]


def _sign(term: Term, sides: Sides) -> str:
    """Return a cue in words, with the words of the text by which it is recognised."""
    phrase = _CONTRAST if term.name == "window" and term.cost < 0 else phrase_of(term.name)
    words = [*dict.fromkeys(sides.signs.get(term.name, ()))][:_MAX_SIGNS]
    return f"{phrase} ({', '.join(words)})" if words else phrase


def _enumerate(phrases: Sequence[str]) -> str:
    """Return phrases as a list in a sentence: `a`, `a and b`, `a, b, and c`."""
    *others, last = phrases
    comma = "," if len(others) > 1 else ""  # a phrase may itself contain `and`
    return f"{', '.join(others)}{comma} and {last}" if others else last


_SLIGHT_LOSS, _CLEAR_LOSS = 0.5, 2.0  # of the next best cut; the usual cues cost 1.5 to 5
_WORSE = ("nearly as good", "slightly worse", "clearly worse")


def _describe_next_best(gap: int, balance: Balance, place: str) -> str:
    """Return where the next best place for a cut was, and how much worse it is."""
    if balance.next_best is None:
        return "Elsewhere the sentences are too alike, or a chunk would be too short"
    loss = balance.next_best.loss
    worse = _WORSE[(loss >= _SLIGHT_LOSS) + (loss >= _CLEAR_LOSS)]
    parts = ["later" if balance.next_best.gap > gap else "earlier", place, worse]
    return f"Next best: {', '.join(filter(None, parts))}"


def describe_kept_together(kept: KeptTogether, opening: str = "") -> str:
    """Return in a sentence why the text was not cut at a gap.

    Args:
        opening: the first words after it, if the sentence is to name them.
    """
    # The term with the highest cost comes first, and is named even if the cost is small.
    first, *second = kept.terms[:2]
    named = [first, *(term for term in second if term.cost >= _MIN_COST_IN_WORDS)]
    place = f"before “{opening} …”" if opening else "here"
    return f"Almost cut {place}, but {' and '.join(tie_of(term.name) for term in named)}."


def kept_of(chunk: Chunk) -> str:
    """Return why a chunk was not cut at the place where it nearly was, and the words after that place.

    Empty if there is no such place.
    """
    if chunk.kept is None:
        return ""
    sentence = chunk.kept.gap + 1 - chunk.first_sentence  # the one after the gap
    start = chunk.sentence_starts[sentence] - chunk.start
    return describe_kept_together(chunk.kept, opening_of(chunk.text[start:]))


def _rank_in_words(boundary: Boundary) -> str:
    """Return the rank of a gap's similarity among its candidates; see `rank_boundaries`."""
    if boundary.rank is None or boundary.n_candidates is None:
        return "not ranked"
    if boundary.n_candidates == 1:
        return "the only possible place"
    if boundary.rank == 1:
        return f"the least similar of {boundary.n_candidates:,} possible places"
    return f"rank {boundary.rank:,} of {boundary.n_candidates:,}"
