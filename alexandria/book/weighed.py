"""What a strategy weighed: the costs of a cut by name, and the cuts that were nearly made instead.

Costs and worths have no unit; they are comparable within one strategy. All are rounded to thousandths.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A part of what a cut costs."""

    name: str
    """`paragraph`, `window`, `break`, or the name of a cue."""
    cost: float
    """Negative if it favours the cut."""


@dataclass(frozen=True, slots=True)
class NextBest:
    """The best cut that could have been made instead, between the same two neighbouring cuts."""

    gap: int
    cost: float
    loss: float
    """How much less the division of the whole book would be worth."""


@dataclass(frozen=True, slots=True)
class Balance:
    """What was weighed at a cut."""

    inside_paragraph: bool
    terms: tuple[Term, ...]  # the terms that are not 0
    gain: float | None  # how much more the two chunks are worth than one; None if one chunk would be too long
    next_best: NextBest | None  # None if no other cut was possible

    @property
    def cost(self) -> float:
        """The sum of the terms."""
        return round(sum(term.cost for term in self.terms), 3)


@dataclass(frozen=True, slots=True)
class KeptTogether:
    """A gap that would have been cut if the text did not hold together across it."""

    gap: int
    similarity: float
    loss: float
    """How much less the division would be worth with a cut here; this is less than the sum of the terms."""
    terms: tuple[Term, ...]
    """The cues that hold the text together, highest cost first."""
