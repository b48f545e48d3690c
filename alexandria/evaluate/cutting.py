"""Cuts the same books in many ways; each book is split and embedded once per limit on sentence length."""

from dataclasses import dataclass, field

from alexandria.book import Book
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.pipeline import Analysis, PendingAnalysis, begin, finish


@dataclass(frozen=True, slots=True)
class Cutter:
    """Does what `pipeline.analyse` does, but reuses everything that does not depend on where the cuts are."""

    pending_analyses: dict[tuple[str, str, int], PendingAnalysis] = field(default_factory=dict)
    """Split and embedded books, by book id, splitter, and the most words a sentence may have."""

    def __call__(self, book: Book, domain: Domain, encoder: Encoder) -> Analysis:
        """Return the book as the domain cuts it, without topics; every call must pass the same encoder."""
        key = (book.id, domain.sentences, domain.strategy.max_words)
        if key not in self.pending_analyses:
            self.pending_analyses[key] = begin(book, domain, encoder)
        return finish(self.pending_analyses[key], domain, topics=False)
