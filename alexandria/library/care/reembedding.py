"""Embeds the books of a library with another model, from the stored texts: the files are not needed.

The chunks stay as they are, with the reasons of their cuts; only vectors and generations are new.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alexandria.book.choices import ChunkVector, OverlapUse
from alexandria.book.model import Chunk, Embeddings, Point
from alexandria.embed import Encoder
from alexandria.extract import EXTRACTION_VERSION
from alexandria.library.ingest.one_book import generation_with
from alexandria.store.catalog import Catalog
from alexandria.store.consistent_read import OpenCatalog, list_books, raise_if_incomplete, read_if_complete
from alexandria.store.passage import passage_of
from alexandria.store.payload import digest_of, unpack
from alexandria.store.points import generation_of, point_id
from alexandria.store.record import Record, is_outdated

_MIN_LENGTH = 1e-6  # a sum of vectors that is shorter has no direction


def copy_reembedded(
    open_catalog: OpenCatalog, target: Catalog, encoder: Encoder, model: str
) -> Iterator[tuple[Record, bool]]:
    """Embed the books that the target does not hold yet, and store them there.

    Yields every book of the source with whether it was embedded now; False if the target held it already. A
    book becomes visible once all of it is stored, so an interrupted run resumes where it stopped. If a book
    is replaced in the source in the meantime, its new version is embedded.

    Args:
        open_catalog: returns the catalog of the source, whatever its model.
        target: a library that is bound to the encoder.
        model: the name of the new model in the settings of a book.

    Raises:
        StoreError: books were left out because they are incomplete; all others are stored.
    """
    encoder_before = open_catalog().binding.encoder
    incomplete: list[Record] = []
    for record in list_books(open_catalog):
        generation = _new_generation(record, {**record.settings, "model": model}, encoder_before, encoder)
        is_missing = not target.holds(record.book_id, generation)
        if is_missing:
            book = read_if_complete(open_catalog, record, incomplete)
            if book is None:
                continue  # removed in the meantime, or incomplete
            record, settings = book.record, {**book.record.settings, "model": model}
            generation = _new_generation(record, settings, encoder_before, encoder)
            points = _reembed(book.points, generation, encoder, settings)
            new = replace(
                record,
                generation=generation,
                settings=settings,
                digests=tuple(digest_of(point.payload) for point in points),
                precision=encoder.find_precision(),
            )
            target.replace(new, points)
        yield record, is_missing
    raise_if_incomplete(incomplete, done="embedded")


def _new_generation(
    record: Record, settings: Mapping[str, Any], encoder_before: str, encoder: Encoder
) -> str:
    """Return the generation of a book that is embedded again: a hash of its settings and the new model."""
    # An ingest with the new model would give the same generation, and so leaves the book as it is. A book of
    # an earlier version, or with edited metadata, gets another generation.
    # `encoder_before`: the name of the encoder that computed its stored vectors.
    if record.configuration or is_outdated(record, EXTRACTION_VERSION, encoder_before):
        return generation_of(record.generation, encoder.name)
    return generation_with(record.book_id, settings, encoder, keep_matter=record.keep_matter)


def _reembed(
    points: Sequence[Point], generation: str, encoder: Encoder, settings: Mapping[str, Any]
) -> list[Point]:
    """Return the points of a book with the vectors of the encoder, and the ids of the new generation."""
    # `points`: all points of the book, in reading order.
    # `settings`: the settings of the book, which say which vectors are stored.
    chunks = [unpack(point.payload) for point in points]
    texts = [sentence for chunk in chunks for sentence in chunk.sentences]
    sentence_vectors, shares_read = encoder.encode(texts), encoder.coverage(texts)
    firsts = accumulate((len(chunk.sentence_starts) for chunk in chunks), initial=0)  # and the end
    own_sentences = [slice(first, stop) for first, stop in pairwise(firsts)]  # without repeated ones
    if settings.get("chunk_vector") == ChunkVector.TEXT:
        chunk_vectors = list(encoder.encode([chunk.text for chunk in chunks]))
    else:
        starts = np.concatenate([chunk.sentence_starts for chunk in chunks])  # (n_sentences,)
        chunk_vectors = [
            _unit_mean(sentence_vectors[_with_repeated(own, chunk, starts, settings)])
            for chunk, own in zip(chunks, own_sentences, strict=True)
        ]
    reembedded = []
    for point, own, chunk_vector in zip(points, own_sentences, chunk_vectors, strict=True):
        chunk = passage_of(point)
        coverage = round(float(shares_read[own].mean()), 4)
        reembedded.append(
            replace(
                point,
                id=point_id(chunk.book_id, generation, chunk.chunk_id),
                dense=chunk_vector,
                sentences=sentence_vectors[own] if settings.get("sentence_vectors", True) else None,
                payload={**chunk.payload, "generation": generation, "vector_coverage": coverage},
            )
        )
    return reembedded


def _with_repeated(own: slice, chunk: Chunk, starts: NDArray[np.int64], settings: Mapping[str, Any]) -> slice:
    """Return the sentences of the book whose mean is the vector of a chunk."""
    # They are its own, and those before them that it repeats as context, if the settings say so.
    # `own`: the chunk's own sentences, by their indexes in the book.
    # `starts`: (n_sentences,), the offset of each sentence of the book.
    # `settings`: the settings of the book; `overlap_for` says what the repeated sentences count for.
    overlap = chunk.overlap_before
    use = settings.get("overlap_for", OverlapUse.VECTOR)
    if not overlap or use not in (OverlapUse.VECTOR, OverlapUse.BOTH):
        return own
    first_repeated = int(np.searchsorted(starts, overlap.start))
    return slice(min(own.start, first_repeated), own.stop)


def _unit_mean(vectors: Embeddings) -> Embeddings:
    """Return the mean of vectors at length 1; the first vector if they cancel out."""
    total = vectors.sum(axis=0, dtype=np.float64)  # (dim,)
    length = np.linalg.norm(total)
    return np.asarray(total / length if length > _MIN_LENGTH else vectors[0], np.float32)
