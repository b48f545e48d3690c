"""The JSON documents of the command line; their schemas stand in `schemas/`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from alexandria.batch import Outcome, Status
from alexandria.book import Book, Chunk, count_words
from alexandria.chunking import explain_boundary
from alexandria.config import Domain
from alexandria.errors import AlexandriaError
from alexandria.inspection import Comparison, Figures, Inspection, figures_of
from alexandria.inspection.quality import Quality
from alexandria.passage import Hit
from alexandria.store.catalog import Record
from alexandria.store.points import boundary_document
from alexandria.store.verify import Finding

SCHEMA_VERSION = 1


def inspection_document(inspection: Inspection) -> dict[str, Any]:
    """Return all that `inspect` knows of a book and its cuts."""
    return {
        "schema_version": SCHEMA_VERSION,
        "book": {
            "id": inspection.book_id,
            "title": inspection.title,
            "author": inspection.author,
            "language": inspection.language,
            "source": inspection.source,
            "format": inspection.format,
            "words": inspection.n_words,
            "pages": inspection.n_pages,
        },
        "settings": inspection.domain.settings(),
        "n_sentences": inspection.n_sentences,
        "similarities": list(inspection.similarities),
        "boundaries": [
            {**boundary_document(chunk.boundary), "start": chunk.start}
            for chunk in inspection.chunks
            if chunk.boundary
        ],
        "chunks": [_chunk(one) for one in inspection.chunks],
        "left_out": [asdict(one) for one in inspection.left_out],
        "warnings": list(inspection.warnings),
        "summary": _summary(figures_of(inspection)),
    }


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return a book cut in several ways, and where they agree; cut in one way, that alone."""
    if len(comparison.ways) == 1:
        return inspection_document(comparison.ways[0])
    return {
        "schema_version": SCHEMA_VERSION,
        "ways": [inspection_document(way) for way in comparison.ways],
        "agreed": comparison.n_agreed,
        "places": [
            {"start": place.start, "gaps": [cut.gap if cut else None for cut in place.cuts]}
            for place in comparison.places
        ],
    }


def _summary(figures: Figures) -> dict[str, Any]:
    return {
        "words": asdict(figures.words) if figures.words else None,
        "histogram": [asdict(bar) for bar in figures.histogram],
        "cuts": {str(reason): count for reason, count in figures.cuts.items()},
        "first_chances": figures.first_chances,
        "threshold": figures.threshold,
        "below": figures.below,
        "mean_inside": figures.quality.inside,
        "mean_across": figures.quality.across,
        "quality": _quality(figures.quality),
        "advice": list(figures.advice),
    }


def _quality(quality: Quality) -> dict[str, Any]:
    """Return what the cuts break, null where it is not known; the names are those of `evaluate quality`."""
    return {
        "n_cuts": quality.n_cuts,
        "n_mid_thought": quality.n_mid_thought,
        "share_mid_thought": quality.share_mid_thought,
        "n_dialogue": quality.n_dialogue,
        "n_stanza": quality.n_stanza,
        "n_beyond_window": quality.n_beyond_window,
    }


def _chunk(chunk: Chunk) -> dict[str, Any]:
    return {
        "chunk_id": chunk.index,
        "start": chunk.start,
        "end": chunk.end,
        "word_count": chunk.word_count,
        "n_sentences": chunk.n_sentences,
        "section": list(chunk.headings),
        "page_start": chunk.page_start,
        "page_end": chunk.page_end,
        "page_label": chunk.page_label,
        "href": chunk.href,
        "avg_similarity": round(chunk.avg_similarity, 6),
        "notes": list(chunk.notes),
        "text": chunk.text,
    }


def extract_document(book: Book) -> dict[str, Any]:
    """Return a book as it was read: sections, blocks with their places, notes, what was left out."""
    return {
        "schema_version": SCHEMA_VERSION,
        "book": {
            "id": book.id,
            "title": book.title,
            "author": book.author,
            "language": book.language,
            "language_source": book.metadata.language_source,
            "publisher": book.metadata.publisher,
            "date": book.metadata.date,
            "identifiers": list(book.metadata.identifiers),
            "subjects": list(book.metadata.subjects),
            "source": book.source,
            "format": book.format,
            "words": count_words(book.text),
            "pages": book.n_pages,
        },
        "sections": [
            {
                "headings": list(section.headings),
                "level": section.level,
                "chapter": section.chapter,
                "href": section.href,
                "blocks": [
                    {
                        "kind": str(block.kind),
                        "start": block.start,
                        "page": block.location.page,
                        "page_label": block.location.page_label,
                        "href": block.location.href,
                        "text": block.text,
                    }
                    for block in section.blocks
                ],
            }
            for section in book.sections
        ],
        "notes": [{"label": one.label, "cited_at": one.cited_at, "text": one.text} for one in book.notes],
        "left_out": [asdict(one) for one in book.left_out],
        "warnings": list(book.warnings),
    }


def search_document(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """Return the hits, best first."""
    return [_hit(hit) for hit in hits]


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "score": round(hit.score, 6),
        "text": hit.text,
        "book_title": hit.title,
        "author": hit.author,
        "domain": hit.domain,
        "section": list(hit.section),
        "page_start": hit.page_start,
        "page_end": hit.page_end,
        "page_label": hit.page_label,
        "href": hit.href,
        "source": hit.source,
        "start": hit.start,
        "end": hit.end,
        "chunk_id": hit.chunk_id,
        "book_id": hit.book_id,
        "best_sentence": {"start": hit.best[0], "end": hit.best[1]} if hit.best else None,
        **({"before": list(hit.before), "after": list(hit.after)} if hit.before or hit.after else {}),
    }


_CHUNK_KEYS = ("chunk_id", "start", "end", "word_count", "section", "page_start", "page_end", "page_label")


def show_document(record: Record, chunks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a stored book: its record and its chunks without their texts."""
    return {
        **list_document([record])[0],
        "sections": list(record.sections),
        "chunk_list": [{key: one.get(key) for key in (*_CHUNK_KEYS, "boundary")} for one in chunks],
    }


def explain_document(inspection: Inspection, number: int) -> dict[str, Any]:
    """Return why a stored chunk begins and ends where it does, with the text on both sides."""
    chunks = inspection.chunks
    chunk = chunks[number]
    return {
        "book": inspection.title,
        "strategy": inspection.domain.strategy.name,
        "settings": inspection.domain.settings(),
        **_chunk(chunk),
        "begins": _edge(inspection, chunks[number - 1] if number else None, chunk),
        "ends": _edge(inspection, chunk, chunks[number + 1] if number + 1 < len(chunks) else None),
    }


_SIDE = 200
"""Characters shown on each side of a boundary: a sentence or two."""


def _edge(inspection: Inspection, before: Chunk | None, after: Chunk | None) -> dict[str, Any]:
    boundary = after.boundary if after else None
    place = "the book begins" if before is None else "the book ends"
    return {
        "boundary": {**boundary_document(boundary), "start": after.start} if after and boundary else None,
        "why": explain_boundary(boundary, inspection.domain.strategy) if boundary else place,
        "before": before.text[-_SIDE:] if before else None,
        "after": after.text[:_SIDE] if after else None,
    }


def verify_document(findings: Iterable[Finding], *, n_books: int, n_points: int) -> dict[str, Any]:
    """Return what is wrong with a library."""
    found = [
        {"flaw": str(one.flaw), "book": one.book, "detail": one.detail, "fix": one.fix} for one in findings
    ]
    return {"books": n_books, "points": n_points, "sound": not found, "findings": found}


def ingest_line(outcome: Outcome) -> dict[str, Any]:
    """Return what became of one file."""
    return {
        "source": str(outcome.source),
        "status": str(outcome.status),
        "book_id": outcome.book_id,
        "title": outcome.title,
        "chunks": outcome.n_chunks,
        "words": outcome.n_words,
        "seconds": round(outcome.seconds, 3),
        "warnings": list(outcome.warnings),
        "remarks": list(outcome.remarks),
        "error": error_document(outcome.error) if outcome.error else None,
    }


def summary_line(
    outcomes: Sequence[Outcome], seconds: float, *, skipped: Mapping[str, int], not_reached: int = 0
) -> dict[str, Any]:
    """Return the last line of an ingest: a partial book counts as ingested.

    Args:
        outcomes: what became of each file.
        seconds: that the batch took.
        skipped: files that were passed over, by kind.
        not_reached: files that an interrupt or `--fail-fast` has left.
    """
    stored = [one for one in outcomes if one.status in (Status.INGESTED, Status.PARTIAL)]
    failures = Counter(str(one.error.code) for one in outcomes if one.error)
    return {
        "summary": {
            "ingested": len(stored),
            "partial": sum(one.status is Status.PARTIAL for one in outcomes),
            "unchanged": sum(one.status is Status.UNCHANGED for one in outcomes),
            "failed": failures.total(),
            "failures": dict(failures.most_common()),
            "skipped": dict(skipped),
            "not_reached": not_reached,
            "chunks": sum(one.n_chunks for one in stored),
            "words": sum(one.n_words for one in stored),
            "seconds": round(seconds, 3),
        }
    }


def error_document(error: AlexandriaError) -> dict[str, str]:
    """Return an error as code, what, why and fix."""
    return {"code": str(error.code), "what": error.what, "why": error.why, "fix": error.fix}


def list_document(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return the library's books."""
    return [
        {
            "book_id": one.book_id,
            "title": one.title,
            "author": one.author,
            "language": one.language,
            "format": one.format,
            "source": one.source,
            "domain": one.domain,
            "strategy": one.strategy,
            "chunks": one.n_chunks,
            "words": one.n_words,
            "ingested_at": one.ingested_at,
            "generation": one.generation,
            "settings": dict(one.settings),
            "warnings": list(one.warnings),
        }
        for one in records
    ]


def domain_document(domain: Domain, *, origins: bool) -> dict[str, Any]:
    """Return a domain's options, with where each comes from if wanted."""
    settings = {"description": domain.description, **domain.settings()}
    if not origins:
        return settings
    return {
        key: {"value": value, "origin": domain.origins.get(key, "default of the option")}
        for key, value in settings.items()
    }
