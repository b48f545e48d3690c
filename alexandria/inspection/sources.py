"""A book as it was extracted, cut by one or more strategies; `Inspection.of_library` is for stored books."""

from collections.abc import Sequence

from alexandria.book import Book
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.inspection.comparison import Comparison
from alexandria.inspection.inspection import Inspection
from alexandria.pipeline import begin, finish


def from_book(book: Book, domains: Sequence[Domain], encoder: Encoder) -> Comparison:
    """Return a book as each domain cuts it; the model reads it once.

    Args:
        book: the book as extracted.
        domains: at least one, all for the same model.
        encoder: the model's encoder.
    """
    pending = None
    inspections = []
    for domain in domains:
        # `before` has the vectors that were computed for the domains so far: they are not computed again.
        pending = begin(book, domain, encoder, before=pending)
        inspections.append(Inspection.of_analysis(finish(pending, domain)))
    return Comparison.of(inspections)
