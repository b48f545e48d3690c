"""Makes points of chunks: their ids, vectors and payloads. To add a payload field, add it to `_payload`.

A balance of a cut takes few values, since stores parse a payload value by value.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from json import dumps
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from alexandria.book.model import ARTICLE_KEYS, Book, Boundary, Chunk, Embeddings, Point, pages_between
from alexandria.book.places import BLOCK_SEPARATOR, cfi_at, shift_anchors
from alexandria.book.weighed import Balance, KeptTogether, NextBest, Term
from alexandria.store.passage import make_locator, pack_pages, quote_between
from alexandria.store.sparse import WORDS_VERSION, document_terms

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
OPTIONAL_KEYS = ("volume", "volume_title", *ARTICLE_KEYS)
"""The metadata that most books do not have."""
_MAX_QUOTE = 120
"""Characters of the beginning of a chunk that are quoted, to find it in another edition of the file."""


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
    verses = pages_between(book.verse_starts, chunk.start, chunk.end)
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
        "page_starts": pack_pages(chunk.page_starts),
        "href": chunk.href,
        "hrefs": _pack_hrefs(chunk),
        "locator": _locator_of(book, chunk, context.source),
        "anchors": chunk.anchors,
        "notes": list(chunk.notes) if context.notes else [],
        **({"note_marks": join_numbers(chunk.note_marks)} if context.notes and chunk.notes else {}),
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
        # Only where they have a value: the payloads of other books, and so their digests, stay the same.
        **{name: value for name in OPTIONAL_KEYS if (value := getattr(book.metadata, name))},
        **({"kind": book.metadata.kind} if book.metadata.container else {}),
        "vector_coverage": coverage,
        "words_version": WORDS_VERSION,
        **(chunk.contribution._asdict() if chunk.contribution else {}),
        **({"verse_starts": pack_pages(verses)} if any(verse.label for verse in verses) else {}),
        # Only for scans.
        **({} if chunk.ocr_confidence is None else {"ocr_confidence": round(chunk.ocr_confidence, 1)}),
        **({"text_layer": True} if chunk.text_layer else {}),
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


def sentence_texts(payload: Mapping[str, Any]) -> list[str]:
    """Return the texts of a stored chunk's sentences, as they were embedded."""
    starts = [start - payload["start"] for start in parse_sentence_starts(payload)]
    text = payload["text"]
    return [text[start:end].rstrip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


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


def _pack_hrefs(chunk: Chunk) -> str:
    """Return the documents that a chunk is from as one string, if there are several.

    One line per document: the offset in the book's text at which it begins in the chunk, and the href there.
    """
    return "\n".join(f"{start} {href}" for start, href in chunk.hrefs) if len(chunk.hrefs) > 1 else ""


def _locator_of(book: Book, chunk: Chunk, source: str) -> dict[str, Any]:
    """Return where a chunk begins, as a Readium Locator.

    Args:
        book: the book.
        chunk: one of its chunks.
        source: the path of its file, relative to the folder that was ingested.
    """
    end_of_block = chunk.text.find(BLOCK_SEPARATOR)  # what the file has between two blocks is not known
    length = min(_end_of_quote(chunk.text), end_of_block if end_of_block > 0 else len(chunk.text))
    anchors = shift_anchors(chunk.anchors, -chunk.start)
    return make_locator(
        format=book.format,
        source=source,
        href=chunk.href,
        cfi=cfi_at(chunk.anchors, chunk.start),
        page=chunk.page_start,
        title=chunk.headings[-1] if chunk.headings else "",
        locations={"totalProgression": round(chunk.start / max(1, len(book.text)), 6)},
        text=quote_between(anchors, chunk.text, 0, length),
    )


def with_source(payload: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return the payload of a chunk whose file has another path; that of an EPUB is not in its locator."""
    moved = {**payload, "source": source}
    if payload.get("format") != "epub" and "hrefs" in payload:  # otherwise it is of an earlier schema
        moved["locator"] = {**payload["locator"], "href": quote(source)}
    return moved


def _end_of_quote(text: str) -> int:
    """Return the offset at which the quoted beginning of a chunk ends: of the chunk, or of a whole word."""
    if len(text) <= _MAX_QUOTE:
        return len(text)
    last_space = text.rfind(" ", 0, _MAX_QUOTE)  # -1 if there is none
    return max(last_space, 1)  # never an empty quote


def pack_balance(balance: Balance | None) -> dict[str, Any] | None:
    """Return a balance as a payload holds it: its terms are one string, and so is the next best cut."""
    if balance is None:
        return None
    next_best = balance.next_best
    return {
        "inside_paragraph": balance.inside_paragraph,
        "terms": _join_terms(balance.terms),
        "gain": balance.gain,
        "next_best": f"{next_best.gap} {next_best.cost} {next_best.loss}" if next_best else None,
    }


def pack_kept(kept: KeptTogether | None) -> dict[str, Any] | None:
    """Return a gap that was not cut (`KeptTogether`), as a payload holds it."""
    if kept is None:
        return None
    return {
        "gap": kept.gap,
        "similarity": kept.similarity,
        "loss": kept.loss,
        "terms": _join_terms(kept.terms),
    }


def parse_balance(boundary: Mapping[str, Any]) -> Balance | None:
    """Return the balance of a stored boundary, or None if it was stored without one."""
    packed = boundary.get("balance")
    if packed is None:
        return None
    next_best = packed["next_best"]
    return Balance(
        inside_paragraph=packed["inside_paragraph"],
        terms=_parse_terms(packed["terms"]),
        gain=packed["gain"],
        next_best=_parse_next_best(next_best) if next_best else None,
    )


def parse_kept(payload: Mapping[str, Any]) -> KeptTogether | None:
    """Return the gap that was not cut (`KeptTogether`) of a stored chunk, or None if none was stored."""
    packed = payload.get("kept")
    if packed is None:
        return None
    return KeptTogether(
        gap=packed["gap"],
        similarity=packed["similarity"],
        loss=packed["loss"],
        terms=_parse_terms(packed["terms"]),
    )


def _join_terms(terms: Iterable[Term]) -> str:
    """Return names and costs of terms as one string, such as `window 0.84 new_time -1.5`."""
    return " ".join(f"{term.name} {term.cost}" for term in terms)


def _parse_terms(text: str) -> tuple[Term, ...]:
    """Return the terms in a string of `_join_terms`."""
    fields = text.split()
    return tuple(Term(name, float(cost)) for name, cost in zip(fields[::2], fields[1::2], strict=True))


def _parse_next_best(text: str) -> NextBest:
    gap, cost, loss = text.split()
    return NextBest(gap=int(gap), cost=float(cost), loss=float(loss))
