"""Makes points of chunks: their ids, vectors and payloads. To add a payload field, add it to `_payload`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from json import dumps
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Book, Boundary, Chunk, Embeddings, Point
from alexandria.store.balances import pack_balance, pack_kept
from alexandria.store.places import locator_of, pack_hrefs, pack_pages
from alexandria.store.sparse import document_terms

SCHEMA_VERSION = 5
"""Incremented when the meaning of payload or vectors changes: a book is then stored again at its next ingest.

2: `source` and `metadata.source` are absolute paths. 3: `source` is relative, `metadata.source` the title.
4: the locator follows Readium's schema, and anchors hold what the file has in place of the text.
5: the words of the index are folded.
"""
READABLE_SCHEMAS = (SCHEMA_VERSION,)
"""The schemas that this version can read."""

NAMESPACE = UUID("8f0ee6bd-2a2a-5c07-9d52-0d2b1d9bb3c6")
"""The UUID namespace of all our ids; it must never change."""

NO_DIM = 1
"""The length of the vectors in a library without a model. The engine requires a vector: each is [1]."""

KEYWORDS = ("book_id", "generation", "domain", "language", "author", "book_title", "section")
INTEGERS = ("chunk_id",)
DATETIMES = ("ingested_at",)


@dataclass(frozen=True, slots=True)
class Context:
    """What all points of a book have in common besides the book: how and when they were made."""

    domain: str
    strategy: str
    source: str
    """The path of the file, relative to the folder that was ingested."""
    generation: str
    """The hash of everything that decides the points (`generation_of`)."""
    ingested_at: str
    """ISO 8601, UTC."""
    bm25_language: str | None
    """The language of the stemmer; None for the book's own."""
    sentence_vectors: bool
    """Whether points get the vectors of their sentences."""
    notes: bool
    """Whether the payload of a chunk holds the notes that it cites."""
    overlap_in_words: bool = False
    """Whether a chunk is also found by the words that it repeats from the chunk before it."""


def generation_of(*parts: object) -> str:
    """Return the generation, 40 hexadecimal digits: a hash of everything that decides a book's points."""
    # Not 32 digits: local mode would take them for a UUID and return it with dashes, which no filter matches.
    return sha256(dumps([SCHEMA_VERSION, *parts], sort_keys=True, default=str).encode()).hexdigest()[:40]


def point_id(book_id: str, generation: str, index: int) -> str:
    """Return the id of the point of a chunk, the same on every machine and in every run."""
    return str(uuid5(NAMESPACE, f"{book_id}/{generation}/{index}"))


def digest_of(payload: Mapping[str, Any]) -> str:
    """Return a hash of a payload without its timestamps, the same in every run: 16 hexadecimal digits."""
    timeless = {key: value for key, value in payload.items() if key not in DATETIMES}
    return sha256(dumps(timeless, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def make_points(
    book: Book,
    chunks: Sequence[Chunk],
    chunk_vectors: Embeddings,
    sentence_vectors: Embeddings,
    coverage: NDArray[np.float32],
    context: Context,
) -> list[Point]:
    """Return one point per chunk.

    Args:
        book: the book whose text the chunks are slices of.
        chunks: all chunks of the book, in reading order.
        chunk_vectors: (n_chunks, dim), rows of length 1; without a model, dim is 0.
        sentence_vectors: (n_sentences, dim), rows of length 1, of all sentences of the book.
        coverage: (n_sentences,), the share of each sentence that fits into the model's window, in [0, 1].
        context: what the points have in common.
    """
    if not chunk_vectors.shape[1]:
        chunk_vectors = np.ones((len(chunks), NO_DIM), np.float32)
    points = []
    for chunk, chunk_vector in zip(chunks, chunk_vectors, strict=True):
        sentences = slice(chunk.first_sentence, chunk.first_sentence + chunk.n_sentences)
        mean_coverage = round(float(coverage[sentences].mean()), 4)
        indexed_text = chunk.text_with_overlap if context.overlap_in_words else chunk.text
        points.append(
            Point(
                id=point_id(book.id, context.generation, chunk.index),
                dense=chunk_vector,
                sentences=sentence_vectors[sentences] if context.sentence_vectors else None,
                bm25=document_terms(indexed_text, context.bm25_language or book.language),
                payload=_payload(book, chunk, len(chunks), mean_coverage, context),
            )
        )
    return points


def _payload(book: Book, chunk: Chunk, n_chunks: int, coverage: float, context: Context) -> dict[str, Any]:
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
        "source": context.source,
        "format": book.format,
        "start": chunk.start,
        "end": chunk.end,
        "n_sentences": chunk.n_sentences,
        "total_chunks": n_chunks,
        "avg_similarity": round(chunk.avg_similarity, 6),
        "section": section,
        "topic": list(chunk.topic),
        "page_start": chunk.page_start,
        "page_end": chunk.page_end,
        "page_label": chunk.page_label,
        "page_starts": pack_pages(chunk),
        "href": chunk.href,
        "hrefs": pack_hrefs(chunk),
        "locator": locator_of(book, chunk, context.source),
        "anchors": chunk.anchors,
        "notes": list(chunk.notes) if context.notes else [],
        "boundary": _pack_boundary(chunk.boundary) if chunk.boundary else None,
        "kept": pack_kept(chunk.kept),
        "overlap_before": asdict(chunk.overlap_before) if chunk.overlap_before else None,
        # From these two, `inspect` shows every gap of a stored book without its file.
        "sentence_starts": join_numbers(chunk.sentence_starts),
        "similarities": join_numbers(round(number, 6) for number in chunk.similarities),
        "publisher": book.metadata.publisher,
        "date": book.metadata.date,
        "translators": list(book.metadata.translators),
        "identifiers": list(book.metadata.identifiers),
        "series": book.metadata.series,
        "vector_coverage": coverage,
        # Only for scans: the payloads of other books, and so their digests, stay the same.
        **({} if chunk.ocr_confidence is None else {"ocr_confidence": round(chunk.ocr_confidence, 1)}),
        "schema_version": SCHEMA_VERSION,
        # Some clients return only this key of a payload.
        "metadata": {
            "source": book.title,
            "domain": context.domain,
            "book_title": book.title,
            "author": book.author,
            "language": book.language,
            "section": section,
            "page_start": chunk.page_start,
            "page_end": chunk.page_end,
            "page_label": chunk.page_label,
            "book_id": book.id,
            "chunk_id": chunk.index,
        },
    }


def join_numbers(numbers: Iterable[float]) -> str:
    """Return numbers as one string: stores parse a payload value by value, so that long lists are slow."""
    return " ".join(map(str, numbers))


def parse_sentence_starts(payload: Mapping[str, Any]) -> tuple[int, ...]:
    """Return where a stored chunk's sentences start in the book's text."""
    return tuple(map(int, payload["sentence_starts"].split()))


def parse_similarities(payload: Mapping[str, Any]) -> tuple[float, ...]:
    """Return the similarities at the gaps after the sentences of a stored chunk."""
    return tuple(map(float, payload["similarities"].split()))


def _pack_boundary(boundary: Boundary) -> dict[str, Any]:
    return {**boundary_document(boundary), "balance": pack_balance(boundary.balance)}


def boundary_document(boundary: Boundary) -> dict[str, Any]:
    """Return the fields of a boundary except its balance, as payloads and JSON output have them."""
    return {
        "gap": boundary.gap,
        "reason": str(boundary.reason),
        "similarity": round(boundary.similarity, 6),
        "threshold": _round_if_any(boundary.threshold),
        "margin": _round_if_any(boundary.margin),
        "rank": boundary.rank,
        "n_candidates": boundary.n_candidates,
    }


def _round_if_any(number: float | None) -> float | None:
    return None if number is None else round(number, 6)
