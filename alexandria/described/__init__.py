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
