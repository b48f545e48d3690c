"""A book and where it is cut, from its file or from a library: the value that every inspect view reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import Any, Self

from alexandria.book import Boundary, Chunk, LeftOut, Reason
from alexandria.chunking import stored_strategy
from alexandria.config import Domain
from alexandria.errors import ConfigError
from alexandria.inspection.quality import Quality, quality_of, quality_of_chunks
from alexandria.pipeline import Analysis
from alexandria.store.catalog import Record
from alexandria.store.points import stored_sentence_starts, stored_similarities


@dataclass(frozen=True, slots=True)
class ChapterChunks:
    """Neighbouring chunks under one heading path."""

    headings: tuple[str, ...]
    chunks: tuple[Chunk, ...]

    @property
    def n_words(self) -> int:
        """Words in its chunks."""
        return sum(chunk.word_count for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class Inspection:
    """A book's cuts. Numbers are rounded as in the JSON, so that no view can differ from it."""

    book_id: str
    title: str
    author: str
    language: str | None
    source: str
    format: str
    n_pages: int | None
    n_notes: int
    domain: Domain
    chunks: tuple[Chunk, ...]
    similarities: tuple[float, ...]
    """(n_sentences - 1,), across each gap."""
    quality: Quality
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...]

    @classmethod
    def of_analysis(cls, analysis: Analysis) -> Self:
        """Return a book as it is cut from its file."""
        book = analysis.book
        return cls(
            book_id=book.id,
            title=book.title,
            author=book.author,
            language=book.language,
            source=book.source,
            format=book.format,
            n_pages=book.n_pages,
            n_notes=len(book.notes),
            domain=analysis.domain,
            chunks=tuple(replace(one, boundary=_rounded(one.boundary)) for one in analysis.chunks),
            similarities=tuple(round(float(one), 6) for one in analysis.segmentation.similarities),
            quality=quality_of(analysis),
            left_out=book.left_out,
            warnings=book.warnings,
        )

    @classmethod
    def of_library(cls, record: Record, payloads: Sequence[Mapping[str, Any]]) -> Self:
        """Return a book as it was cut when it was stored.

        Args:
            record: the book's.
            payloads: of its chunks, in any order.
        """
        ordered = sorted(payloads, key=lambda payload: int(payload["chunk_id"]))
        chunks = _chunks(ordered)
        similarities = tuple(one for payload in ordered for one in stored_similarities(payload))
        # How many words of a sentence were not read is not stored; that all were read can be told.
        all_read = all(payload["vector_coverage"] == 1 for payload in ordered)
        return cls(
            book_id=record.book_id,
            title=record.title,
            author=record.author,
            language=record.language,
            source=record.source,
            format=record.format,
            n_pages=record.n_pages,
            n_notes=sum(len(payload["notes"]) for payload in ordered),
            domain=_domain(record),
            chunks=chunks,
            similarities=similarities,
            quality=replace(
                quality_of_chunks(chunks, similarities, record.language),
                n_beyond_window=0 if all_read else None,
            ),
            left_out=record.left_out,
            warnings=record.warnings,
        )

    @property
    def n_words(self) -> int:
        """Words in all chunks."""
        return sum(chunk.word_count for chunk in self.chunks)

    @property
    def n_sentences(self) -> int:
        """Sentences in all chunks."""
        return sum(chunk.n_sentences for chunk in self.chunks)

    @property
    def boundaries(self) -> tuple[Boundary, ...]:
        """The cuts, ascending."""
        return tuple(chunk.boundary for chunk in self.chunks if chunk.boundary is not None)

    @property
    def chapters(self) -> tuple[ChapterChunks, ...]:
        """The chunks by the heading path they stand under."""
        runs = groupby(self.chunks, key=lambda chunk: chunk.headings)
        return tuple(ChapterChunks(headings, tuple(run)) for headings, run in runs)

    def chunk_of(self, sentence: int) -> Chunk:
        """Return the chunk that holds a sentence.

        Raises:
            ConfigError: there is no such sentence.
        """
        for chunk in self.chunks:
            if chunk.first_sentence <= sentence < chunk.first_sentence + chunk.n_sentences:
                return chunk
        raise ConfigError(
            f"there is no sentence {sentence}",
            why=f"the book has {self.n_sentences:,}, counted from 0",
            fix="choose a smaller number",
        )

    def text_from(self, start: int) -> str:
        """Return the text from an offset to the end of its chunk; empty between chunks."""
        inside = (one for one in self.chunks if one.start <= start < one.end)
        return next((one.text[start - one.start :] for one in inside), "")

    def sentence(self, index: int) -> str:
        """Return the text of a sentence, in the book's order from 0."""
        chunk = self.chunk_of(index)
        return sentences_of(chunk)[index - chunk.first_sentence]


def sentences_of(chunk: Chunk) -> list[str]:
    """Return the texts of a chunk's sentences."""
    edges = [start - chunk.start for start in chunk.sentence_starts]
    return [chunk.text[start:end].rstrip() for start, end in zip(edges, [*edges[1:], None], strict=True)]


def _rounded(boundary: Boundary | None) -> Boundary | None:
    if boundary is None:
        return None
    threshold = None if boundary.threshold is None else round(boundary.threshold, 6)
    return replace(boundary, similarity=round(boundary.similarity, 6), threshold=threshold)


def _domain(record: Record) -> Domain:
    """Return the domain under which a book was stored, from its settings."""
    settings = record.settings
    common = {option.name for option in fields(Domain)} - {"name", "strategy", "origins"}
    own = {key: value for key, value in settings.items() if key not in {*common, "domain", "strategy"}}
    return Domain(
        name=record.domain,
        strategy=stored_strategy(record.strategy, own),
        **{key: value for key, value in settings.items() if key in common},
        origins=dict.fromkeys(settings, f"the library, {record.ingested_at[:10]}"),
    )


def _chunks(payloads: Sequence[Mapping[str, Any]]) -> tuple[Chunk, ...]:
    chunks, first = [], 0
    for payload in payloads:
        chunks.append(_chunk(payload, first))
        first += chunks[-1].n_sentences
    return tuple(chunks)


def _chunk(payload: Mapping[str, Any], first_sentence: int) -> Chunk:
    return Chunk(
        index=payload["chunk_id"],
        start=payload["start"],
        end=payload["end"],
        text=payload["text"],
        word_count=payload["word_count"],
        first_sentence=first_sentence,
        n_sentences=payload["n_sentences"],
        headings=tuple(payload["section"]),
        page_start=payload["page_start"],
        page_end=payload["page_end"],
        page_label=payload["page_label"],
        href=payload["href"],
        notes=tuple(payload["notes"]),
        avg_similarity=payload["avg_similarity"],
        boundary=_boundary(payload["boundary"]),
        sentence_starts=stored_sentence_starts(payload),
        similarities=stored_similarities(payload),
    )


def _boundary(stored: Mapping[str, Any] | None) -> Boundary | None:
    if stored is None:
        return None
    return Boundary(
        gap=stored["gap"],
        similarity=stored["similarity"],
        threshold=stored["threshold"],
        reason=Reason(stored["reason"]),
        rank=stored["rank"],
        n_candidates=stored["n_candidates"],
    )
