"""Chunks become points: their ids and the names of their payload. A new payload field is written here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Book, Boundary, Chunk, Embeddings, Point
from alexandria.store.sparse import document_terms

SCHEMA_VERSION = 2
"""Raised when the payload or the vectors change their meaning; a collection holds one version."""

NAMESPACE = UUID("8f0ee6bd-2a2a-5c07-9d52-0d2b1d9bb3c6")  # of all ids that Alexandria makes; never to change

KEYWORDS = ("book_id", "generation", "domain", "language", "author", "book_title", "section")
INTEGERS = ("chunk_id",)
DATETIMES = ("ingested_at",)


@dataclass(frozen=True, slots=True)
class Context:
    """What a book's points share beside the book: how they were made, and when."""

    domain: str
    strategy: str
    generation: str
    ingested_at: str
    """ISO 8601, UTC."""
    bm25_language: str | None
    """The language whose stemmer is used; None = the book's own."""
    sentence_vectors: bool
    notes: bool
    """Whether a chunk's payload holds the notes it cites."""


def generation_of(*parts: object) -> str:
    """Return the name of a book under one configuration: 40 hexadecimal digits."""
    # Not 32: local mode takes those for a UUID, and lists them spelt with dashes that no filter then finds.
    return sha256(dumps([SCHEMA_VERSION, *parts], sort_keys=True, default=str).encode()).hexdigest()[:40]


def point_id(book_id: str, generation: str, index: int) -> str:
    """Return the chunk's id, the same on every machine and every run."""
    return str(uuid5(NAMESPACE, f"{book_id}/{generation}/{index}"))


def digest_of(payload: Mapping[str, Any]) -> str:
    """Return 16 hexadecimal digits for a payload without its times: the same from every run over a book."""
    timeless = {key: value for key, value in payload.items() if key not in DATETIMES}
    return sha256(dumps(timeless, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def make_points(
    book: Book,
    chunks: Sequence[Chunk],
    vectors: Embeddings,
    embeddings: Embeddings,
    coverage: NDArray[np.float32],
    context: Context,
) -> list[Point]:
    """Return one point a chunk.

    Args:
        book: the book the chunks are slices of.
        chunks: in order.
        vectors: (n_chunks, dim), a unit row a chunk.
        embeddings: (n_sentences, dim), a unit row a sentence.
        coverage: (n_sentences,), the share of each sentence that the model has read.
        context: what the points share.
    """
    language = context.bm25_language or book.language
    return [
        Point(
            id=point_id(book.id, context.generation, chunk.index),
            dense=vector,
            sentences=_rows(embeddings, chunk) if context.sentence_vectors else None,
            bm25=document_terms(chunk.text, language),
            payload=_payload(book, chunk, len(chunks), _covered(chunk, coverage), context),
        )
        for chunk, vector in zip(chunks, vectors, strict=True)
    ]


def _rows(embeddings: Embeddings, chunk: Chunk) -> Embeddings:
    return embeddings[chunk.first_sentence : chunk.first_sentence + chunk.n_sentences]


def _covered(chunk: Chunk, coverage: NDArray[np.float32]) -> float:
    share = coverage[chunk.first_sentence : chunk.first_sentence + chunk.n_sentences].mean()
    return round(float(share), 4)


def _payload(book: Book, chunk: Chunk, total: int, covered: float, context: Context) -> dict[str, Any]:
    source = str(Path(book.source).absolute())
    section = list(chunk.headings)
    return {
        "text": chunk.text,
        "book_title": book.title,
        "author": book.author,
        "domain": context.domain,
        "language": book.language,
        "ingested_at": context.ingested_at,
        "strategy": context.strategy,
        "chunk_id": chunk.index,
        "word_count": chunk.word_count,
        "book_id": book.id,
        "generation": context.generation,
        "source": source,
        "format": book.format,
        "start": chunk.start,
        "end": chunk.end,
        "n_sentences": chunk.n_sentences,
        "total_chunks": total,
        "avg_similarity": round(chunk.avg_similarity, 6),
        "section": section,
        "page_start": chunk.page_start,
        "page_end": chunk.page_end,
        "page_label": chunk.page_label,
        "href": chunk.href,
        "notes": list(chunk.notes) if context.notes else [],
        "boundary": boundary_document(chunk.boundary) if chunk.boundary else None,
        # With these `inspect` shows each gap of a stored book without its file.
        "sentence_starts": join_numbers(chunk.sentence_starts),
        "similarities": join_numbers(round(one, 6) for one in chunk.similarities),
        "vector_coverage": covered,
        "schema_version": SCHEMA_VERSION,
        # Some readers return only this key of a payload.
        "metadata": {
            "source": source,
            "domain": context.domain,
            "book_title": book.title,
            "author": book.author,
            "language": book.language,
            "section": section,
            "page_start": chunk.page_start,
            "chunk_id": chunk.index,
        },
    }


def join_numbers(numbers: Iterable[float]) -> str:
    """Return many numbers as one value: stores take in a payload value by value, which costs them time."""
    return " ".join(map(str, numbers))


def sentence_starts(payload: Mapping[str, Any]) -> tuple[int, ...]:
    """Return where a stored chunk's sentences start in the book's text."""
    return tuple(map(int, payload["sentence_starts"].split()))


def similarities(payload: Mapping[str, Any]) -> tuple[float, ...]:
    """Return the similarities at the gaps behind a stored chunk's sentences."""
    return tuple(map(float, payload["similarities"].split()))


def boundary_document(boundary: Boundary) -> dict[str, Any]:
    """Return what is told of a boundary, in a payload as in JSON."""
    return {
        "gap": boundary.gap,
        "reason": str(boundary.reason),
        "similarity": round(boundary.similarity, 6),
        "threshold": _rounded(boundary.threshold),
        "margin": _rounded(boundary.margin),
        "rank": boundary.rank,
        "n_candidates": boundary.n_candidates,
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 6)
