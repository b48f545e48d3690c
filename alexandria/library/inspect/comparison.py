"""A book as several strategies cut it, side by side: where they agree and where they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from alexandria.book.model import Book, Boundary
from alexandria.chunking.domains import Domain
from alexandria.embed import Encoder
from alexandria.library.ingest.one_book import begin, finish
from alexandria.library.inspect.inspection import Inspection


@dataclass(frozen=True, slots=True)
class Place:
    """An offset of the book's text where at least one strategy cuts."""

    start: int
    cuts: tuple[Boundary | None, ...]
    """The cut of each strategy, in the order of `Comparison.inspections`; None if it does not cut here."""

    @property
    def is_agreed(self) -> bool:
        """Whether every strategy cuts here."""
        return None not in self.cuts


@dataclass(frozen=True, slots=True)
class Comparison:
    """A book as several strategies cut it: an `Inspection` per strategy.

    Places are compared by offset, not by gap: a strategy with a lower limit on size also splits long
    sentences, which changes the numbers of the gaps.
    """

    inspections: tuple[Inspection, ...]
    places: tuple[Place, ...]

    @classmethod
    def of(cls, inspections: Sequence[Inspection]) -> Self:
        """Return the comparison of a book as one or more strategies cut it."""
        cuts_by_start = [
            {chunk.start: chunk.boundary for chunk in inspection.chunks if chunk.boundary}
            for inspection in inspections
        ]
        starts = sorted({start for cuts in cuts_by_start for start in cuts})
        places = [Place(start, tuple(cuts.get(start) for cuts in cuts_by_start)) for start in starts]
        return cls(tuple(inspections), tuple(places))

    @property
    def names(self) -> tuple[str, ...]:
        """The strategies, in order."""
        return tuple(inspection.domain.strategy.name for inspection in self.inspections)

    @property
    def n_agreed(self) -> int:
        """Places where every strategy cuts."""
        return sum(place.is_agreed for place in self.places)

    def count_shared(self, i: int, j: int) -> int:
        """Return the number of places where strategies i and j both cut, by their order in `inspections`."""
        return sum(place.cuts[i] is not None and place.cuts[j] is not None for place in self.places)


def from_book(book: Book, domains: Sequence[Domain], encoder: Encoder) -> Comparison:
    """Return a book as each domain cuts it; the model reads it once for neighbours that split it alike.

    Args:
        domains: at least one, all for the same model.
    """
    pending = None
    inspections = []
    for domain in domains:
        # `before` has the vectors of the domain before this one: those of the same sentences are taken over.
        pending = begin(book, domain, encoder, before=pending)
        inspections.append(Inspection.of_analysis(finish(pending, domain)))
    return Comparison.of(inspections)
