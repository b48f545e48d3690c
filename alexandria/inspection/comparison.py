"""A book cut in several ways, side by side: where they agree and where they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from alexandria.book import Boundary
from alexandria.inspection.inspection import Inspection


@dataclass(frozen=True, slots=True)
class Place:
    """An offset of the book's text where at least one of the ways cuts."""

    start: int
    cuts: tuple[Boundary | None, ...]
    """The cut of each way, in the order of `Comparison.ways`; None if it does not cut here."""

    @property
    def agreed(self) -> bool:
        """Whether every way cuts here."""
        return None not in self.cuts


@dataclass(frozen=True, slots=True)
class Comparison:
    """A book cut in several ways: an `Inspection` per way.

    Places are compared by offset, not by gap: a way with a lower limit on size also splits long sentences,
    which changes the numbers of the gaps.
    """

    ways: tuple[Inspection, ...]
    places: tuple[Place, ...]

    @classmethod
    def of(cls, ways: Sequence[Inspection]) -> Self:
        """Return the comparison of one or more ways to cut a book."""
        cuts_of_ways = [
            {chunk.start: chunk.boundary for chunk in way.chunks if chunk.boundary} for way in ways
        ]
        starts = sorted({start for cuts in cuts_of_ways for start in cuts})
        places = [Place(start, tuple(cuts.get(start) for cuts in cuts_of_ways)) for start in starts]
        return cls(tuple(ways), tuple(places))

    @property
    def names(self) -> tuple[str, ...]:
        """The strategies, in order."""
        return tuple(way.domain.strategy.name for way in self.ways)

    @property
    def n_agreed(self) -> int:
        """Places where every way cuts."""
        return sum(place.agreed for place in self.places)

    def n_shared(self, way: int, other: int) -> int:
        """Return the number of places where two ways both cut, given by their positions in `ways`."""
        return sum(place.cuts[way] is not None and place.cuts[other] is not None for place in self.places)
