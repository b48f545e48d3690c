"""The class of the first specification, kept for those who call it: plain text in, dictionaries out."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from alexandria.book import Embeddings, count_words
from alexandria.chunking.strategies.universal_semantic import UniversalSemantic
from alexandria.embed.rows import unit_rows
from alexandria.pipeline import cut_text


class EmbeddingModel(Protocol):
    """What turns texts into rows: a SentenceTransformer, or an encoder of this package."""

    def encode(self, sentences: list[str], /) -> Sequence[Any] | np.ndarray[Any, Any]:
        """Return one row a text, of any length."""
        ...


class UniversalChunker:
    """Universal Semantic Chunking of plain text.

    Args:
        embedding_model: called once a text, with all its sentences.
        threshold: cut where neighbouring sentences are less alike, in [-1, 1].
        min_chunk_size: words a chunk holds before a topic may cut it.
        max_chunk_size: words a chunk never exceeds, but for a longer sentence.

    Raises:
        ValueError: a number is out of its range.
    """

    def __init__(
        self,
        embedding_model: EmbeddingModel,
        threshold: float = 0.5,
        min_chunk_size: int = 200,
        max_chunk_size: int = 1500,
    ) -> None:
        self._model = embedding_model
        self._strategy = UniversalSemantic(
            threshold=threshold, min_words=min_chunk_size, max_words=max_chunk_size
        )

    def chunk(self, text: str, metadata: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Return the chunks in order: dictionaries of `text`, `chunk_id`, `word_count`, `strategy`.

        The metadata is added to each and never replaces those four. A text is a slice of the one given.
        """
        spans = cut_text(text, self._strategy, self._embed)
        texts = [text[start:end] for start, end in spans]
        return [
            {
                **(metadata or {}),
                "text": chunk,
                "chunk_id": i,
                "word_count": count_words(chunk),
                "strategy": self._strategy.name,
            }
            for i, chunk in enumerate(texts)
        ]

    def _embed(self, sentences: list[str]) -> Embeddings:
        return unit_rows(np.asarray(self._model.encode(sentences)))
