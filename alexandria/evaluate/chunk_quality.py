"""The quality of every variant's chunks, book by book; this needs no questions."""

from collections.abc import Sequence
from dataclasses import dataclass

from alexandria.book import Book
from alexandria.embed import Encoder
from alexandria.evaluate.cutting import Cutter
from alexandria.evaluate.variants import Variant
from alexandria.inspection.quality import Quality, quality_of


@dataclass(frozen=True, slots=True)
class QualityResult:
    """The chunks of one book under one variant."""

    book: str
    """The title of the book."""
    setting: str
    quality: Quality


def evaluate_quality(
    books: Sequence[Book], variants: Sequence[Variant], encoder: Encoder
) -> tuple[QualityResult, ...]:
    """Return the quality of each book's chunks under each variant, book by book."""
    cut = Cutter()
    results = []
    for book in books:
        for variant in variants:
            analysis = cut(book, variant.domain, encoder)
            quality = quality_of(analysis)
            results.append(QualityResult(book=book.title, setting=variant.label, quality=quality))
    return tuple(results)
