"""The classes and functions of five published descriptions of chunking, by their own names.

They are thin: each cuts plain text with the strategy that was made from a description, and differs from the
description only where `docs/descriptions.md` says so. `alexandria.chunk` cuts with any of the strategies.

    universal.py    UniversalChunker (in plain_text.py), EmbeddingGenerator, get_model, fixed_window_chunk
    percentile.py   SemanticChunker, ChunkerConfig, ChunkMetadata, chunk_document
    tiered.py       split_sentences
    smoothed.py     semantic_chunk_content, SemanticChunkingConfig, SemanticChunkResult
    centroid.py     semantic_chunk_text
    figures.py      cosine_similarity, moving_average, find_local_minima, calculate_percentile …
"""

from alexandria.described.centroid import semantic_chunk_text
from alexandria.described.passages import SemanticChunk
from alexandria.described.percentile import ChunkerConfig, ChunkMetadata, SemanticChunker, chunk_document
from alexandria.described.smoothed import SemanticChunkingConfig, SemanticChunkResult, semantic_chunk_content
from alexandria.described.tiered import split_sentences
from alexandria.described.universal import EmbeddingGenerator, fixed_window_chunk, get_model

__all__ = [
    "ChunkMetadata",
    "ChunkerConfig",
    "EmbeddingGenerator",
    "SemanticChunk",
    "SemanticChunkResult",
    "SemanticChunker",
    "SemanticChunkingConfig",
    "chunk_document",
    "fixed_window_chunk",
    "get_model",
    "semantic_chunk_content",
    "semantic_chunk_text",
    "split_sentences",
]
