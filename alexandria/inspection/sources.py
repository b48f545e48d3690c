"""Where an inspection comes from: a book that is cut in one or more ways, or a library."""

from collections.abc import Sequence

from alexandria.book import Book
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.inspection.comparison import Comparison
from alexandria.inspection.inspection import Inspection
from alexandria.pipeline import begin, finish
from alexandria.store.catalog import Catalog


def from_book(book: Book, domains: Sequence[Domain], encoder: Encoder) -> Comparison:
    """Return a book as each domain cuts it, with a single pass of the model.

    Args:
        book: as extracted.
        domains: at least one, all for the same model.
        encoder: of that model.
    """
    begun, ways = None, []
    for domain in domains:
        begun = begin(book, domain, encoder, before=begun)
        ways.append(Inspection.of_analysis(finish(begun, domain)))
    return Comparison.of(ways)


def from_library(library: Catalog, title: str) -> Comparison:
    """Return a stored book as it was cut.

    Args:
        library: the library that holds the book.
        title: part of its title, or the beginning of its id.

    Raises:
        ConfigError: no book or several match.
        StoreError: it was stored by an older version, without the similarities.
    """
    record = library.find(title)
    return Comparison.of([Inspection.of_library(record, library.chunks(record))])
