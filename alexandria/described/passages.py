"""The chunk that several of the descriptions return: plain text, with its place among the others."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from alexandria.book.model import Boundary
from alexandria.chunking.sizes import CHARACTERS_PER_TOKEN
from alexandria.library.ingest.one_book import Analysis


@dataclass(frozen=True, slots=True)
class SemanticChunk:
    """A chunk of plain text; `text` is the slice from `start` to `end` of the text that was given."""

    text: str
    chunk_index: int
    """From 0."""
    total_chunks: int
    start: int
    end: int
    word_count: int
    sentences: tuple[str, ...]
    avg_similarity: float
    """Mean similarity of neighbouring sentences in the chunk; 1.0 for a single sentence."""
    boundary: Boundary | None
    """The cut before the chunk, and the reason for it; None for the first chunk."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The metadata that was given; `source` is `unknown` if none was given."""

    @property
    def token_count(self) -> int:
        """The number of tokens, estimated as four characters each."""
        return -(-len(self.text) // CHARACTERS_PER_TOKEN)

    def sentence_count(self) -> int:
        """Return the number of sentences."""
        return len(self.sentences)


def semantic_chunks(analysis: Analysis, metadata: Mapping[str, Any]) -> list[SemanticChunk]:
    """Return the chunks of an analysed plain text."""
    chunks = analysis.chunks
    return [
        SemanticChunk(
            text=chunk.text,
            chunk_index=chunk.index,
            total_chunks=len(chunks),
            start=chunk.start,
            end=chunk.end,
            word_count=chunk.word_count,
            sentences=analysis.texts[chunk.first_sentence : chunk.first_sentence + chunk.n_sentences],
            avg_similarity=chunk.avg_similarity,
            boundary=chunk.boundary,
            metadata={"source": "unknown", **metadata},
        )
        for chunk in chunks
    ]
