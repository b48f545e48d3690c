"""Turn books into a searchable, explainable Qdrant collection."""

from importlib import import_module
from typing import TYPE_CHECKING

from alexandria.errors import AlexandriaError, BookError, ConfigError, StoreError

if TYPE_CHECKING:
    from alexandria.batch.outcome import Outcome
    from alexandria.book import Book, Chunk
    from alexandria.described.centroid import semantic_chunk_text
    from alexandria.described.passages import SemanticChunk
    from alexandria.described.percentile import ChunkerConfig, ChunkMetadata, SemanticChunker, chunk_document
    from alexandria.described.smoothed import (
        SemanticChunkingConfig,
        SemanticChunkResult,
        semantic_chunk_content,
    )
    from alexandria.described.tiered import split_sentences
    from alexandria.described.universal import EmbeddingGenerator, fixed_window_chunk, get_model
    from alexandria.filters import Filters
    from alexandria.library.libraries import Libraries
    from alexandria.library.library import Library
    from alexandria.library.shortcuts import ingest, inspect, open, search
    from alexandria.passage import Hit, Passage, Quotation
    from alexandria.passages.contents import Chapter
    from alexandria.plain_text import UniversalChunker, chunk
    from alexandria.query.hits import Results
    from alexandria.store import Server
    from alexandria.store.record import Record

__version__ = "0.1.0"
__all__ = [
    "AlexandriaError",
    "Book",
    "BookError",
    "Chapter",
    "Chunk",
    "ChunkMetadata",
    "ChunkerConfig",
    "ConfigError",
    "EmbeddingGenerator",
    "Filters",
    "Hit",
    "Libraries",
    "Library",
    "Outcome",
    "Passage",
    "Quotation",
    "Record",
    "Results",
    "SemanticChunk",
    "SemanticChunkResult",
    "SemanticChunker",
    "SemanticChunkingConfig",
    "Server",
    "StoreError",
    "UniversalChunker",
    "chunk",
    "chunk_document",
    "fixed_window_chunk",
    "get_model",
    "ingest",
    "inspect",
    "open",
    "search",
    "semantic_chunk_content",
    "semantic_chunk_text",
    "split_sentences",
]

# No module of this package has one of these names: importing it would replace the function.
_MODULES = {
    "Book": "book",
    "Chapter": "passages.contents",
    "Chunk": "book",
    "ChunkMetadata": "described.percentile",
    "ChunkerConfig": "described.percentile",
    "EmbeddingGenerator": "described.universal",
    "Filters": "filters",
    "Hit": "passage",
    "Libraries": "library.libraries",
    "Library": "library.library",
    "Outcome": "batch.outcome",
    "Passage": "passage",
    "Quotation": "passage",
    "Record": "store.record",
    "Results": "query.hits",
    "SemanticChunk": "described.passages",
    "SemanticChunkResult": "described.smoothed",
    "SemanticChunker": "described.percentile",
    "SemanticChunkingConfig": "described.smoothed",
    "Server": "store",
    "UniversalChunker": "plain_text",
    "chunk": "plain_text",
    "chunk_document": "described.percentile",
    "fixed_window_chunk": "described.universal",
    "get_model": "described.universal",
    "ingest": "library.shortcuts",
    "inspect": "library.shortcuts",
    "open": "library.shortcuts",
    "search": "library.shortcuts",
    "semantic_chunk_content": "described.smoothed",
    "semantic_chunk_text": "described.centroid",
    "split_sentences": "described.tiered",
}


def __getattr__(name: str) -> object:
    """Load a name on first use (PEP 562): importing the package alone must not import readers and numpy."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"alexandria.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
