"""Turns a segmentation into chunks: slices of the book, with the places that a reader would cite."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from alexandria.book import (
    BlockKind,
    Book,
    Boundary,
    Chunk,
    Embeddings,
    Segmentation,
    Sentence,
    count_words,
)


def assemble(book: Book, sentences: Sequence[Sentence], segmentation: Segmentation) -> tuple[Chunk, ...]:
    """Return the chunks in reading order; each sentence is in exactly one. No sentences give no chunks."""
    if not sentences:
        return ()
    starts = [0, *(boundary.gap + 1 for boundary in segmentation.boundaries)]
    runs = list(pairwise((*starts, len(sentences))))
    notes = _notes(book, [sentences[stop - 1].end for _, stop in runs])
    blocks = book.blocks
    headings = {i for i, block in enumerate(blocks) if block.kind is BlockKind.HEADING}
    before: list[Boundary | None] = [None, *segmentation.boundaries]
    kept = {bisect_right(starts, nearly.gap) - 1: nearly for nearly in segmentation.kept}
    chunks = []
    for index, (first, stop) in enumerate(runs):
        run = sentences[first:stop]
        start, end = run[0].start, run[-1].end
        text = book.text[start:end]
        page, last_page = book.page_at(start), book.page_at(end - 1)
        # A part that is only a heading precedes its first chapter, and the chapter names the chunk.
        lead = next((s for s in run if s.block not in headings), run[0])
        inside = segmentation.similarities[first : stop - 1]
        boundary = before[index]
        chunks.append(
            Chunk(
                index=index,
                start=start,
                end=end,
                text=text,
                word_count=count_words(text),
                first_sentence=first,
                n_sentences=len(run),
                headings=book.sections[lead.section].headings,
                page_start=page.page if page else None,
                page_end=last_page.page if last_page else None,
                page_label=page.label if page else None,
                href=blocks[run[0].block].location.href,
                notes=notes[index],
                avg_similarity=float(inside.mean(dtype=np.float64)) if len(inside) else 1.0,
                boundary=boundary,
                sentence_starts=tuple(sentence.start for sentence in run),
                similarities=tuple(segmentation.similarities[first:stop].tolist()),
                kept=kept.get(index),
            )
        )
    return tuple(chunks)


def _notes(book: Book, ends: Sequence[int]) -> list[tuple[str, ...]]:
    """Return for each chunk the texts of the notes cited after the previous chunk's end, up to its own."""
    cited: list[list[str]] = [[] for _ in ends]
    placed = [(note.cited_at, note.text) for note in book.notes if note.cited_at is not None]
    for offset, text in sorted(placed, key=lambda note: note[0]):
        cited[min(bisect_left(ends, offset), len(ends) - 1)].append(text)
    return [tuple(texts) for texts in cited]


def chunk_vectors(embeddings: Embeddings, chunks: Sequence[Chunk]) -> Embeddings:
    """Return the normalised mean of each chunk's sentence rows, including those it repeats as overlap.

    Args:
        embeddings: (n_sentences, dim), rows of length 1.
        chunks: as assembled from the same sentences.

    Returns:
        (n_chunks, dim), rows of length 1; a chunk whose rows cancel out has its first row.
    """
    vectors = np.empty((len(chunks), embeddings.shape[1]), np.float32)
    for i, chunk in enumerate(chunks):
        overlap = chunk.boundary.overlap if chunk.boundary else 0
        rows = embeddings[chunk.first_sentence - overlap : chunk.first_sentence + chunk.n_sentences]
        total = rows.sum(axis=0, dtype=np.float64)  # (dim,)
        length = np.linalg.norm(total)
        # Below 1e-6, the direction of a sum of float32 rows is nothing but rounding.
        vectors[i] = total / length if length > 1e-6 else embeddings[chunk.first_sentence]
    return vectors
