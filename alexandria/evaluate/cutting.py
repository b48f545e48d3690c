"""Cuts the same books in a hundred ways, with sentences and rows made once a cap on their length."""

from dataclasses import dataclass, field

from alexandria.book import Book, Embeddings, Sentence
from alexandria.chunking import assemble, segment_book
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.pipeline import Analysis
from alexandria.sentences import split

_Units = tuple[tuple[Sentence, ...], Embeddings]


@dataclass(frozen=True, slots=True)
class Cutter:
    """Does what `pipeline.segment` does, and keeps what does not depend on where the cuts are."""

    known: dict[tuple[str, str, int], _Units] = field(default_factory=dict)
    """By the book's id, the splitter, and the most words a sentence may have."""

    def __call__(self, book: Book, domain: Domain, encoder: Encoder) -> Analysis:
        """Return the book as it is cut under the domain; always ask with the same encoder."""
        sentences, rows = self._units(book, domain.sentences, domain.strategy.max_words, encoder)
        found = segment_book(domain.strategy, rows, sentences, book, respect_sections=domain.respect_sections)
        return Analysis(book, domain, sentences, rows, found, assemble(book, sentences, found))

    def _units(self, book: Book, splitter: str, max_words: int, encoder: Encoder) -> _Units:
        key = (book.id, splitter, max_words)
        if key not in self.known:
            sentences = split(book, splitter=splitter, max_words=max_words)
            self.known[key] = sentences, encoder.encode([book.text[s.start : s.end] for s in sentences])
        return self.known[key]
