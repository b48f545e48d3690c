"""The documents of `inspect` and `explain`."""

from dataclasses import asdict
from typing import Annotated, Any, NotRequired, TypedDict, cast

from alexandria.book import Chunk, Overlap
from alexandria.inspection.comparison import Comparison
from alexandria.inspection.explanation import Edge, Explanation
from alexandria.inspection.figures import Figures, figures_of
from alexandria.inspection.inspection import Inspection
from alexandria.inspection.quality import Quality
from alexandria.views.json.ledger import boundary_fields, kept_entry
from alexandria.views.json.types import (
    SCHEMA_VERSION,
    BookId,
    ChunkPlace,
    Confidence,
    Count,
    GuessEntry,
    KeptEntry,
    Keyword,
    LeftOutEntry,
    PlacedBoundary,
    SchemaVersion,
    Settings,
    Share,
    Similarity,
    Text,
    guess_entry,
)


class InspectedBook(TypedDict):
    """The book, and where it comes from."""

    id: BookId
    title: Text
    author: str
    language: str | None
    source: str
    format: str
    words: Count
    pages: int | None
    """null if the format has no pages."""


class OverlapEntry(TypedDict):
    """The end of a chunk, repeated as context of the next one."""

    start: Count
    end: Count
    text: Text


class ChunkEntry(ChunkPlace):
    """A chunk with its text."""

    n_sentences: Annotated[int, Keyword("minimum", 1)]
    href: str | None
    """The file and anchor inside an EPUB."""
    avg_similarity: Similarity
    """The mean similarity of neighbouring sentences inside the chunk."""
    notes: list[str]
    """The notes that the chunk cites."""
    kept: KeptEntry | None
    """The gap inside the chunk that was nearly cut, but for the cues that hold the text together."""
    overlap_before: OverlapEntry | None
    """What the chunk repeats from the one before it; its text does not hold it."""
    topic: list[str]
    """Its telling words, the most telling first; empty in a library of an older version."""
    ocr_confidence: NotRequired[Confidence]
    """How certain its words are, if they were read from scanned pages."""
    text: Text


class SpreadEntry(TypedDict):
    """Words per chunk: the least, the 5th, 50th and 95th percentile, and the most."""

    least: Count
    p5: Count
    p50: Count
    p95: Count
    most: Count


class BarEntry(TypedDict):
    """The number of chunks with `low` to `high` words, both included."""

    low: Count
    high: Count
    count: Count


# A keyword of Python cannot be the name of a field.
_BreakCount = TypedDict("_BreakCount", {"break": Count})


class CutCounts(_BreakCount):
    """The number of cuts by reason; `break`: the author's own break."""

    topic: Count
    max_size: Count
    section: Count


class QualityEntry(TypedDict):
    """What the cuts inside chapters break; null where it is not known."""

    n_cuts: Count
    """Cuts that neither a chapter nor a section requires."""
    n_mid_thought: Count | None
    """How many of these a pronoun or a connective follows, without `n_turns`; null for a language without a
    word list."""
    share_mid_thought: Share | None
    """Their share of `n_cuts`."""
    n_turns: Count | None
    """How many of these a contrast follows, such as `However`, where the text itself turns; null for a stored
    book, whose `n_mid_thought` counts them."""
    n_dialogue: Count | None
    """How many of these separate two speakers' turns or split a quotation; null for a stored book."""
    n_stanza: Count | None
    """How many of these split a stanza; null for a stored book."""
    n_beyond_window: Count | None
    """Words in sentences beyond the model's window; null for a stored book with such sentences."""
    first_to_last: float | None
    """Mean similarity of each chunk's first sentence to its last; null for a stored book."""
    n_two_topics: Count | None
    """Chunks whose two parts are hardly similar; null for a stored book."""


class FragmentEntry(TypedDict):
    """A chunk with less than a tenth of the words of the median chunk."""

    chunk: Count
    """Its number."""
    words: Count
    why: str
    """What left it so small."""


class SummaryEntry(TypedDict):
    """The figures of a book's cuts."""

    words: SpreadEntry | None
    """null for a book without chunks."""
    histogram: list[BarEntry]
    cuts: CutCounts
    first_chances: Count
    """Topic cuts at the first gap where the chunk was large enough to end."""
    threshold: float | None
    """The threshold of all cuts; null if the strategy has none, or if it varies."""
    below: Share | None
    """The share of gaps below the threshold; null if gaps are not compared with it one by one."""
    mean_inside: float | None
    """Mean similarity of neighbouring sentences in the same chunk."""
    mean_across: float | None
    """Mean similarity across the cuts."""
    quality: QualityEntry
    fragments: list[FragmentEntry]
    advice: list[str]
    """What to try where the settings decide little."""


class InspectionDocument(TypedDict):
    """`alexandria inspect --json`: a book, its cuts and their figures."""

    schema_version: SchemaVersion
    book: InspectedBook
    settings: Settings
    precision: str | None
    """The number format the vectors were computed in (f32, f16, bf16, int8); null if it is not recorded."""
    n_sentences: Count
    similarities: list[Similarity]
    """The similarity across each gap; one fewer than there are sentences."""
    boundaries: list[PlacedBoundary]
    chunks: list[ChunkEntry]
    left_out: list[LeftOutEntry]
    warnings: list[str]
    summary: SummaryEntry
    guess: NotRequired[GuessEntry]
    """With the domain `auto`: why the book has its domain."""


class PlaceEntry(TypedDict):
    """An offset at which at least one strategy cuts."""

    start: Count
    """Offset of the first sentence after the cut."""
    gaps: list[Count | None]
    """The gap of each strategy's cut, in the order of `ways`; null where a strategy does not cut here."""


class ComparisonDocument(TypedDict):
    """`alexandria inspect --compare --json`: a book as several strategies cut it."""

    schema_version: SchemaVersion
    ways: Annotated[list[InspectionDocument], Keyword("minItems", 2)]
    """The document of `inspect` for each strategy."""
    agreed: Count
    """The number of places where every strategy cuts."""
    places: list[PlaceEntry]


class EdgeEntry(TypedDict):
    """One end of a chunk."""

    boundary: PlacedBoundary | None
    """null where the book begins or ends."""
    why: str
    before: str | None
    """The text before this end, 200 characters at most."""
    after: str | None
    """The text after this end, 200 characters at most."""


class ExplanationDocument(ChunkEntry):
    """`alexandria inspect HIT --json`: why a stored chunk begins and ends where it does."""

    book: str
    """The title."""
    strategy: str
    settings: Settings
    begins: EdgeEntry
    ends: EdgeEntry


def inspection_document(inspection: Inspection) -> InspectionDocument:
    """Return everything that `inspect` shows of a book and its cuts."""
    document: InspectionDocument = {
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
        "precision": inspection.precision,
        "n_sentences": inspection.n_sentences,
        "similarities": list(inspection.similarities),
        "boundaries": [entry for chunk in inspection.chunks if (entry := _boundary_entry(chunk))],
        "chunks": [chunk_entry(chunk) for chunk in inspection.chunks],
        "left_out": [
            {"kind": part.kind, "where": part.where, "words": part.words} for part in inspection.left_out
        ],
        "warnings": list(inspection.warnings),
        "summary": _summary_entry(figures_of(inspection)),
    }
    if inspection.domain.guess is not None:
        document["guess"] = guess_entry(inspection.domain.guess)
    return document


def comparison_document(comparison: Comparison) -> InspectionDocument | ComparisonDocument:
    """Return a book as several strategies cut it; with a single one, the document of `inspect`."""
    if len(comparison.inspections) == 1:
        return inspection_document(comparison.inspections[0])
    return {
        "schema_version": SCHEMA_VERSION,
        "ways": [inspection_document(inspection) for inspection in comparison.inspections],
        "agreed": comparison.n_agreed,
        "places": [
            {"start": place.start, "gaps": [cut.gap if cut else None for cut in place.cuts]}
            for place in comparison.places
        ],
    }


def explanation_document(explanation: Explanation) -> ExplanationDocument:
    """Return why a stored chunk begins and ends where it does, with the text on either side of each cut."""
    return {
        "book": explanation.title,
        "strategy": explanation.domain.strategy.name,
        "settings": explanation.domain.settings(),
        **chunk_entry(explanation.chunk),
        "begins": _edge_entry(explanation.begins),
        "ends": _edge_entry(explanation.ends),
    }


def _edge_entry(edge: Edge) -> EdgeEntry:
    return {
        "boundary": _boundary_entry(edge.next_chunk) if edge.next_chunk else None,
        "why": edge.why,
        "before": edge.before,
        "after": edge.after,
    }


def _summary_entry(figures: Figures) -> SummaryEntry:
    document: dict[str, Any] = {
        "words": asdict(figures.words) if figures.words else None,
        "histogram": [asdict(bar) for bar in figures.histogram],
        "cuts": {str(reason): count for reason, count in figures.cuts.items()},
        "first_chances": figures.first_chances,
        "threshold": figures.threshold,
        "below": figures.below,
        "mean_inside": figures.quality.inside,
        "mean_across": figures.quality.across,
        "quality": _quality_entry(figures.quality),
        "fragments": [asdict(fragment) for fragment in figures.fragments],
        "advice": list(figures.advice),
    }
    return cast(SummaryEntry, document)


def _quality_entry(quality: Quality) -> QualityEntry:
    """Return what the cuts break, under the names that `evaluate quality` uses."""
    return {
        "n_cuts": quality.n_cuts,
        "n_mid_thought": quality.n_mid_thought,
        "share_mid_thought": quality.share_mid_thought,
        "n_turns": quality.n_turns,
        "n_dialogue": quality.n_dialogue,
        "n_stanza": quality.n_stanza,
        "n_beyond_window": quality.n_beyond_window,
        "first_to_last": quality.first_to_last,
        "n_two_topics": quality.n_two_topics,
    }


def _boundary_entry(chunk: Chunk) -> PlacedBoundary | None:
    """Return the cut before a chunk, or None for the first."""
    if chunk.boundary is None:
        return None
    return cast(PlacedBoundary, {**boundary_fields(chunk.boundary), "start": chunk.start})


def _overlap_entry(overlap: Overlap | None) -> OverlapEntry | None:
    return None if overlap is None else {"start": overlap.start, "end": overlap.end, "text": overlap.text}


def chunk_entry(chunk: Chunk) -> ChunkEntry:
    """Return a chunk with its text."""
    entry: ChunkEntry = {
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
        "kept": kept_entry(chunk.kept),
        "overlap_before": _overlap_entry(chunk.overlap_before),
        "topic": list(chunk.topic),
        "text": chunk.text,
    }
    if chunk.ocr_confidence is not None:
        entry["ocr_confidence"] = round(chunk.ocr_confidence, 1)
    return entry
