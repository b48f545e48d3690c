"""Turns a segmentation into chunks: slices of the book, with the places that a reader would cite."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from alexandria.book.model import (
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
    pages_between,
)
from alexandria.book.places import shift_anchors, slice_anchors
from alexandria.chunking.similarity import MIN_SUM_LENGTH


def assemble(book: Book, sentences: Sequence[Sentence], segmentation: Segmentation) -> tuple[Chunk, ...]:
    """Return the chunks in reading order; each sentence is in exactly one. No sentences give no chunks."""
    if not sentences:
        return ()
    # The first sentence of each chunk.
    firsts = [0, *(boundary.gap + 1 for boundary in segmentation.boundaries)]
    ranges = list(pairwise((*firsts, len(sentences))))
    notes = _notes_by_chunk(book, [sentences[stop - 1].end for _, stop in ranges])
    blocks = book.blocks
    boundaries: list[Boundary | None] = [None, *segmentation.boundaries]  # before each chunk
    # The gap of each chunk that would have been cut but for its cues (`KeptTogether`), by the chunk's index.
    kept_in_chunk = {bisect_right(firsts, kept.gap) - 1: kept for kept in segmentation.kept}
    chunks = []
    for index, (first, stop) in enumerate(ranges):
        members = sentences[first:stop]
        start, end = members[0].start, members[-1].end
        chunk_blocks = blocks[members[0].block : members[-1].block + 1]
        text = book.text[start:end]
        page, last_page = book.page_at(start), book.page_at(end - 1)
        inner = segmentation.similarities[first : stop - 1]  # between the sentences of the chunk
        boundary = boundaries[index]
        section = book.sections[_cited_sentence(members, blocks).section]
        chunks.append(
            Chunk(
                index=index,
                start=start,
                end=end,
                text=text,
                word_count=count_words(text),
                first_sentence=first,
                n_sentences=len(members),
                headings=section.headings,
                contribution=section.contribution,
                page_start=page.page if page else None,
                page_end=last_page.page if last_page else None,
                page_label=page.label if page else None,
                href=chunk_blocks[0].location.href,
                notes=tuple(text for _, text in notes[index]),
                note_marks=tuple(offset for offset, _ in notes[index]),
                avg_similarity=float(inner.mean(dtype=np.float64)) if len(inner) else 1.0,
                boundary=boundary,
                sentence_starts=tuple(sentence.start for sentence in members),
                # One more than `inner`: the last is across the gap after the chunk.
                similarities=tuple(segmentation.similarities[first:stop].tolist()),
                page_starts=_page_starts(book, start, end),
                anchors=_anchors_between(chunk_blocks, start, end),
                hrefs=_hrefs(chunk_blocks, start),
                kept=kept_in_chunk.get(index),
                overlap_before=_find_overlap(book, sentences, first, boundary),
                ocr_confidence=_ocr_confidence(chunk_blocks, start, end),
                text_layer=any(block.text_layer for block in chunk_blocks) or None,
            )
        )
    return tuple(chunks)


def _cited_sentence(members: Sequence[Sentence], blocks: Sequence[Block]) -> Sentence:
    """Return the sentence whose section a chunk is cited by: its first sentence that is not a heading."""
    # A chunk may begin with the heading of a part, before its first chapter, and it is the chapter that a
    # reader would cite. The blocks are those of the book.
    prose = (sentence for sentence in members if blocks[sentence.block].kind is not BlockKind.HEADING)
    return next(prose, members[0])


def _page_starts(book: Book, start: int, end: int) -> tuple[PageStart, ...]:
    """Return the pages of a span of the book's text, each with the offset of its first character in the span.

    A page that begins before the span has the offset of the span itself.
    """
    pages = pages_between(book.page_starts, start, end)
    return tuple(replace(page, start=max(start, page.start)) for page in pages)


def _anchors_between(blocks: Sequence[Block], start: int, end: int) -> str:
    """Return the anchors of a span of the book's text: where in the file each part of it comes from."""
    # An anchor is an offset and a place (`book/places.py`). Those of a block, its `source`, count from the
    # start of the block; those returned count from the start of the book's text.
    # `blocks`: the blocks that the span touches.
    # `start`: where the span begins.
    # `end`: where the span ends.
    parts: list[str] = []
    for block in blocks:
        part_start = max(start, block.start)  # of the part of the span that is in this block
        if block.source and part_start < end:
            in_block = part_start - block.start, end - block.start
            from_part_start = slice_anchors(block.source, len(block.text), *in_block)
            parts.append(shift_anchors(from_part_start, part_start))
    return ";".join(part for part in parts if part)


def _hrefs(blocks: Sequence[Block], start: int) -> tuple[tuple[int, str], ...]:
    """Return where in the book's text each document that the blocks are from begins, and the href there."""
    hrefs: list[tuple[int, str]] = []
    document = None
    for block in blocks:
        href = block.location.href
        if href and (path := href.partition("#")[0]) != document:
            hrefs.append((max(start, block.start), href))
            document = path
    return tuple(hrefs)


def _ocr_confidence(blocks: Sequence[Block], start: int, end: int) -> float | None:
    """Return the mean confidence of recognised text in a span, by characters, or None if there is none."""
    recognised = [
        (block.ocr_confidence, min(end, block.end) - max(start, block.start))
        for block in blocks
        if block.ocr_confidence is not None
    ]
    if not recognised:
        return None
    n_characters = sum(n for _, n in recognised)
    return sum(confidence * n for confidence, n in recognised) / n_characters


def _find_overlap(
    book: Book, sentences: Sequence[Sentence], first: int, boundary: Boundary | None
) -> Overlap | None:
    """Return what a chunk repeats from the one before it, or None if it repeats nothing."""
    # `first`: the chunk's first sentence.
    # `boundary`: the boundary before the chunk; its `overlap` is a number of sentences.
    if boundary is None or not boundary.overlap:
        return None
    start, end = sentences[first - boundary.overlap].start, sentences[first - 1].end
    return Overlap(start, end, book.text[start:end])


def _notes_by_chunk(book: Book, ends: Sequence[int]) -> list[list[tuple[int, str]]]:
    """Return the notes cited in each chunk, each after the place of its mark, given where chunks end."""
    # A note that is cited between two chunks goes to the later one.
    cited: list[list[tuple[int, str]]] = [[] for _ in ends]
    citations = [(note.cited_at, note.text) for note in book.notes if note.cited_at is not None]
    for offset, text in sorted(citations, key=lambda citation: citation[0]):
        # The first chunk that ends at or after the citation; the last one for a citation after its end.
        index = min(bisect_left(ends, offset), len(ends) - 1)
        cited[index].append((offset, text))
    return cited


def chunk_vectors(
    embeddings: Embeddings, chunks: Sequence[Chunk], *, with_overlap: bool = True
) -> Embeddings:
    """Return the normalised mean of each chunk's sentence vectors, with the sentences it repeats as overlap.

    Args:
        embeddings: (n_sentences, dim), vectors of length 1.
        chunks: as assembled from the same sentences.
        with_overlap: False leaves out the sentences that a chunk repeats.

    Returns:
        (n_chunks, dim), vectors of length 1; where the sentence vectors of a chunk cancel out, the vector of
        its first sentence.
    """
    vectors = np.empty((len(chunks), embeddings.shape[1]), np.float32)
    for i, chunk in enumerate(chunks):
        overlap = chunk.boundary.overlap if chunk.boundary and with_overlap else 0
        first, stop = chunk.first_sentence - overlap, chunk.first_sentence + chunk.n_sentences
        total = embeddings[first:stop].sum(axis=0, dtype=np.float64)  # (dim,)
        length = np.linalg.norm(total)
        vectors[i] = total / length if length > MIN_SUM_LENGTH else embeddings[chunk.first_sentence]
    return vectors
