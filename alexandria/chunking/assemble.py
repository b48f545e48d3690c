"""Turns a segmentation into chunks: slices of the book, with the places that a reader would cite."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from alexandria.anchors import shifted, within
from alexandria.book import (
    Block,
    BlockKind,
    Book,
    Boundary,
    Chunk,
    Embeddings,
    Overlap,
    PageStart,
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
                page_starts=_pages(book, start, end),
                anchors=_anchors(book, blocks[run[0].block : run[-1].block + 1], start, end),
                kept=kept.get(index),
                overlap_before=_overlap(book, sentences, first, boundary),
                ocr_confidence=_confidence(blocks[run[0].block : run[-1].block + 1], start, end),
            )
        )
    return tuple(chunks)


def _pages(book: Book, start: int, end: int) -> tuple[PageStart, ...]:
    """Return the pages of a span of the book's text; the first one begins with the span at the earliest."""
    first = bisect_right(book.page_starts, start, key=lambda page: page.start)
    last = bisect_left(book.page_starts, end, key=lambda page: page.start)
    pages = book.page_starts[max(0, first - 1) : last]
    return tuple(replace(page, start=max(start, page.start)) for page in pages)


def _anchors(book: Book, blocks: Sequence[Block], start: int, end: int) -> str:
    """Return where a span of the book's text is in the file."""
    parts = (
        shifted(within(block.source, len(block.text), start - block.start, end - block.start), first)
        for block in blocks
        if block.source and (first := max(start, block.start)) < end
    )
    return ";".join(part for part in parts if part)


def _confidence(blocks: Sequence[Block], start: int, end: int) -> float | None:
    """Return the mean confidence of what was recognised in a span of the book's text; None without any."""
    scanned = [
        (block.ocr_confidence, min(end, block.end) - max(start, block.start))
        for block in blocks
        if block.ocr_confidence is not None
    ]
    if not scanned:
        return None
    return sum(confidence * n for confidence, n in scanned) / sum(n for _, n in scanned)


def _overlap(
    book: Book, sentences: Sequence[Sentence], first: int, boundary: Boundary | None
) -> Overlap | None:
    if boundary is None or not boundary.overlap:
        return None
    start, end = sentences[first - boundary.overlap].start, sentences[first - 1].end
    return Overlap(start, end, book.text[start:end])


def _notes(book: Book, ends: Sequence[int]) -> list[tuple[str, ...]]:
    """Return for each chunk the texts of the notes cited after the previous chunk's end, up to its own."""
    cited: list[list[str]] = [[] for _ in ends]
    placed = [(note.cited_at, note.text) for note in book.notes if note.cited_at is not None]
    for offset, text in sorted(placed, key=lambda note: note[0]):
        cited[min(bisect_left(ends, offset), len(ends) - 1)].append(text)
    return [tuple(texts) for texts in cited]


def chunk_vectors(
    embeddings: Embeddings, chunks: Sequence[Chunk], *, with_overlap: bool = True
) -> Embeddings:
    """Return the normalised mean of each chunk's sentence rows, including those it repeats as overlap.

    Args:
        embeddings: (n_sentences, dim), rows of length 1.
        chunks: as assembled from the same sentences.
        with_overlap: False leaves out the rows of what a chunk repeats.

    Returns:
        (n_chunks, dim), rows of length 1; a chunk whose rows cancel out has its first row.
    """
    vectors = np.empty((len(chunks), embeddings.shape[1]), np.float32)
    for i, chunk in enumerate(chunks):
        overlap = chunk.boundary.overlap if chunk.boundary and with_overlap else 0
        rows = embeddings[chunk.first_sentence - overlap : chunk.first_sentence + chunk.n_sentences]
        total = rows.sum(axis=0, dtype=np.float64)  # (dim,)
        length = np.linalg.norm(total)
        # Below 1e-6, the direction of a sum of float32 rows is nothing but rounding.
        vectors[i] = total / length if length > 1e-6 else embeddings[chunk.first_sentence]
    return vectors
