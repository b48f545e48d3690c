"""The books of one library embedded with another model, from what is stored of them: no file is needed.

The chunks stay as they are, with what they say of their cuts; vectors, and the names of generations, are new.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book import Embeddings, Point
from alexandria.embed import Encoder, precision_of
from alexandria.extract import EXTRACTION_VERSION
from alexandria.modes import ChunkVector, OverlapUse
from alexandria.pipeline import generation_with
from alexandria.store.catalog import Catalog
from alexandria.store.points import digest_of, generation_of, point_id, stored_sentence_starts
from alexandria.store.record import Record
from alexandria.store.whole import Reading, complete_book, listed_books, refuse_incomplete


def copy_reembedded(
    reading: Reading, target: Catalog, encoder: Encoder, model: str
) -> Iterator[tuple[Record, bool]]:
    """Embed the books that the target does not hold yet, and store them there.

    Yields every book of the source, and whether it was embedded or was there already. A book becomes visible
    once all of it is stored, so an interrupted run resumes where it stopped. A book that is replaced
    meanwhile is embedded as it then is.

    Args:
        reading: returns the catalog of a library of any model.
        target: a library of the encoder.
        encoder: the new model.
        model: what the settings of a book call it.

    Raises:
        StoreError: books were left out because they are incomplete; all others are stored.
    """
    encoder_before = reading().binding.encoder
    incomplete: list[Record] = []
    for record in listed_books(reading):
        generation = _generation(record, _settings(record, model), encoder_before, encoder)
        missing = not target.holds(record.book_id, generation)
        if missing:
            book = complete_book(reading, record, incomplete)
            if book is None:
                continue  # removed since, or incomplete
            record, settings = book.record, _settings(book.record, model)
            generation = _generation(record, settings, encoder_before, encoder)
            points = _embedded(book.points, generation, encoder, settings)
            new = replace(
                record,
                generation=generation,
                settings=settings,
                digests=tuple(digest_of(point.payload) for point in points),
                precision=precision_of(encoder),
            )
            target.replace(new, points)
        yield record, missing
    refuse_incomplete(incomplete, "embedded")


def _settings(record: Record, model: str) -> dict[str, Any]:
    return {**record.settings, "model": model}


def _generation(record: Record, settings: Mapping[str, Any], old: str, encoder: Encoder) -> str:
    """Return the name that an ingest with the new model gives the book, so that it leaves the book as it is.

    A book that an ingest would read again anyway, after a change of the program, gets a name of its own.
    """
    reading = {"keep_matter": record.keep_matter}
    current = generation_of(record.book_id, EXTRACTION_VERSION, record.settings, old, reading)
    if record.generation != current:
        return generation_of(record.generation, encoder.name)
    return generation_with(record.book_id, settings, encoder, keep_matter=bool(record.keep_matter))


def _embedded(
    points: Sequence[Point], generation: str, encoder: Encoder, settings: Mapping[str, Any]
) -> list[Point]:
    """Return the points of a book, which are in reading order, under their new names."""
    texts = [sentence for point in points for sentence in _sentences(point.payload)]
    rows, coverage = encoder.encode(texts), encoder.coverage(texts)
    starts = np.concatenate([stored_sentence_starts(point.payload) for point in points])  # (n_sentences,)
    by_text = None
    if settings.get("chunk_vector") == ChunkVector.TEXT:
        by_text = encoder.encode([str(point.payload["text"]) for point in points])
    embedded = []
    stop = 0
    for i, point in enumerate(points):
        first, stop = stop, stop + len(stored_sentence_starts(point.payload))
        payload = {
            **point.payload,
            "generation": generation,
            "vector_coverage": round(float(coverage[first:stop].mean()), 4),
        }
        begin = _begin(payload, first, starts, settings)
        embedded.append(
            replace(
                point,
                id=point_id(payload["book_id"], generation, payload["chunk_id"]),
                dense=_mean(rows[begin:stop]) if by_text is None else by_text[i],
                sentences=rows[first:stop] if settings.get("sentence_vectors", True) else None,
                payload=payload,
            )
        )
    return embedded


def _begin(
    payload: Mapping[str, Any], first: int, starts: NDArray[np.int64], settings: Mapping[str, Any]
) -> int:
    """Return the first sentence that counts for a chunk's vector: its own, or one repeated as context."""
    overlap = payload.get("overlap_before")
    use = settings.get("overlap_for", OverlapUse.VECTOR)
    if not overlap or use not in (OverlapUse.VECTOR, OverlapUse.BOTH):
        return first
    return min(first, int(np.searchsorted(starts, overlap["start"])))


def _sentences(payload: Mapping[str, Any]) -> list[str]:
    """Return the text of each sentence of a chunk."""
    starts = [start - payload["start"] for start in stored_sentence_starts(payload)]
    text = payload["text"]
    return [text[start:end].rstrip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _mean(rows: Embeddings) -> Embeddings:
    total = rows.sum(axis=0, dtype=np.float64)  # (dim,)
    length = np.linalg.norm(total)
    return np.asarray(total / length if length > 1e-6 else rows[0], np.float32)
