"""Makes points of chunks: their ids and vectors; `payload` has the rest."""

from collections.abc import Sequence
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING
from uuid import UUID, uuid5

from alexandria.book.model import Book, Chunk, Embeddings, Point
from alexandria.store.payload import SCHEMA_VERSION, Context, pack
from alexandria.store.sparse import document_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAMESPACE = UUID("8f0ee6bd-2a2a-5c07-9d52-0d2b1d9bb3c6")
"""The UUID namespace of all our ids; it must never change."""

NO_DIM = 1
"""The length of the vectors in a library without a model. The engine requires a vector: each is [1]."""


def generation_of(*parts: object) -> str:
    """Return the generation, 40 hexadecimal digits: a hash of everything that decides a book's points."""
    # Not 32 digits: local mode would take them for a UUID and return it with dashes, which no filter matches.
    return sha256(dumps([SCHEMA_VERSION, *parts], sort_keys=True, default=str).encode()).hexdigest()[:40]


def point_id(book_id: str, generation: str, index: int) -> str:
    """Return the id of the point of a chunk, the same on every machine and in every run."""
    return str(uuid5(NAMESPACE, f"{book_id}/{generation}/{index}"))


def make_points(
    book: Book,
    chunks: Sequence[Chunk],
    chunk_vectors: Embeddings,
    sentence_vectors: Embeddings,
    coverage: "NDArray[np.float32]",
    context: Context,
) -> list[Point]:
    """Return one point per chunk.

    Args:
        chunk_vectors: (n_chunks, dim), rows of length 1; without a model, dim is 0.
        sentence_vectors: (n_sentences, dim), rows of length 1, of all sentences of the book.
        coverage: (n_sentences,), the share of each sentence that fits into the model's window, in [0, 1].
    """
    if not chunk_vectors.shape[1]:
        import numpy as np

        chunk_vectors = np.ones((len(chunks), NO_DIM), np.float32)
    points = []
    for chunk, chunk_vector in zip(chunks, chunk_vectors, strict=True):
        sentences = slice(chunk.first_sentence, chunk.first_sentence + chunk.n_sentences)
        indexed_text = chunk.text_with_overlap if context.overlap_in_words else chunk.text
        points.append(
            Point(
                id=point_id(book.id, context.generation, chunk.index),
                dense=chunk_vector,
                sentences=sentence_vectors[sentences] if context.sentence_vectors else None,
                bm25=document_terms(indexed_text, context.bm25_language or book.language),
                payload=pack(chunk, book, context, float(coverage[sentences].mean())),
            )
        )
    return points
