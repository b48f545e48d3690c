"""The documents of `inspect`, `explain`, and `extract`: a book as it was cut, and as it was read."""

from typing import Annotated, NotRequired, TypedDict

from alexandria.book.model import Book, Chunk, LeftOut, Overlap, count_words
from alexandria.book.weighed import KeptTogether
from alexandria.library.inspect.comparison import Comparison
from alexandria.library.inspect.explanation import Edge, Explanation
from alexandria.library.inspect.figures import Bar, Fragment, Spread
from alexandria.library.inspect.inspection import Inspection
from alexandria.show.json.types import (
    SCHEMA_VERSION,
    BookId,
    ChunkPlace,
    Confidence,
    Count,
    GuessEntry,
    Keyword,
    PlacedBoundary,
    SchemaVersion,
    Settings,
    Share,
    Similarity,
    Text,
)
from alexandria.show.json.view import From, Rounded, view_of


class InspectedBook(TypedDict):
    """The book, and where it comes from."""

    id: Annotated[BookId, From("book_id")]
    title: Text
    author: str
    language: str | None
    source: str
    format: str
    words: Count
    pages: int | None
    """null if the format has no pages."""


class ChunkEntry(ChunkPlace):
    """A chunk with its text."""

    n_sentences: Annotated[int, Keyword("minimum", 1)]
    href: str | None
    """The file and anchor inside an EPUB."""
    avg_similarity: Annotated[Similarity, Rounded(6)]
    """The mean similarity of neighbouring sentences inside the chunk."""
    notes: list[str]
    """The notes that the chunk cites."""
    kept: KeptTogether | None
    """The gap inside the chunk that was nearly cut, but for the cues that hold the text together."""
    overlap_before: Overlap | None
    """What the chunk repeats from the one before it; its text does not hold it."""
    topic: list[str]
    """Its telling words, the most telling first; empty in a library of an older version."""
    ocr_confidence: NotRequired[Annotated[Confidence, Rounded(1)]]
    """How certain its words are, if they were read from scanned pages."""
    text_layer: NotRequired[bool]
    """True if any of it is from the text layer of scanned pages, as another OCR program read them."""
    text: Text


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


class SummaryEntry(TypedDict):
    """The figures of a book's cuts."""

    words: Spread | None
    """null for a book without chunks."""
    histogram: list[Bar]
    cuts: CutCounts
    first_chances: Count
    """Topic cuts at the first gap where the chunk was large enough to end."""
    threshold: float | None
    """The threshold of all cuts; null if the strategy has none, or if it varies."""
    below: Share | None
    """The share of gaps below the threshold; null if gaps are not compared with it one by one."""
    mean_inside: Annotated[float | None, From("quality.inside")]
    """Mean similarity of neighbouring sentences in the same chunk."""
    mean_across: Annotated[float | None, From("quality.across")]
    """Mean similarity across the cuts."""
    quality: QualityEntry
    fragments: list[Fragment]
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
    left_out: list[LeftOut]
    warnings: list[str]
    summary: SummaryEntry
    guess: NotRequired[Annotated[GuessEntry, From("domain.guess")]]
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

    book: Annotated[str, From("title")]
    strategy: str
    settings: Settings
    begins: EdgeEntry
    ends: EdgeEntry


def inspection_document(inspection: Inspection) -> InspectionDocument:
    """Return everything that `inspect` shows of a book and its cuts."""
    return view_of(
        InspectionDocument,
        inspection,
        schema_version=SCHEMA_VERSION,
        book=inspection,
        settings=inspection.domain.settings(),
        boundaries=[boundary for chunk in inspection.chunks if (boundary := _boundary_before(chunk))],
        summary=inspection.figures,
    )


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
        **view_of(ChunkEntry, explanation.chunk),
        "begins": _edge_entry(explanation.begins),
        "ends": _edge_entry(explanation.ends),
    }


def _edge_entry(edge: Edge) -> EdgeEntry:
    return view_of(EdgeEntry, edge, boundary=edge.next_chunk and _boundary_before(edge.next_chunk))


def _boundary_before(chunk: Chunk) -> PlacedBoundary | None:
    """Return the cut before a chunk, or None for the first."""
    boundary = chunk.boundary
    return None if boundary is None else view_of(PlacedBoundary, boundary, start=chunk.start)


class ExtractedBook(TypedDict):
    """The book, and its metadata."""

    id: BookId
    title: str
    author: str
    language: str | None
    language_source: Annotated[str | None, From("metadata.language_source")]
    """Where the language comes from: the file's metadata, or detection."""
    publisher: Annotated[str | None, From("metadata.publisher")]
    date: Annotated[str | None, From("metadata.date")]
    identifiers: Annotated[list[str], From("metadata.identifiers")]
    subjects: Annotated[list[str], From("metadata.subjects")]
    source: str
    format: str
    words: Count
    pages: int | None
    """null if the format has no pages."""


class BlockEntry(TypedDict):
    """A paragraph, heading, table or other block."""

    kind: str
    start: Count
    """Offset into the book's text."""
    page: Annotated[int | None, From("location.page")]
    """Page of the file, counted from 1."""
    page_label: Annotated[str | None, From("location.page_label")]
    """The page number as printed."""
    href: Annotated[str | None, From("location.href")]
    """The file and anchor inside an EPUB."""
    break_before: bool
    """Whether the author set a break before this block: a rule, asterisks, an ornament, a blank line."""
    text: str


class SectionEntry(TypedDict):
    """The blocks under one heading path."""

    headings: list[str]
    level: Count
    chapter: bool
    """Whether a chapter begins here."""
    href: str | None
    blocks: list[BlockEntry]


class NoteEntry(TypedDict):
    """A footnote or endnote."""

    label: str
    cited_at: int | None
    """Offset into the book's text."""
    text: str


class ExtractDocument(TypedDict):
    """`alexandria extract --json`: a book as it was read."""

    schema_version: SchemaVersion
    book: ExtractedBook
    sections: list[SectionEntry]
    notes: list[NoteEntry]
    left_out: list[LeftOut]
    warnings: list[str]


def extract_document(book: Book) -> ExtractDocument:
    """Return a book as it was read: sections, blocks with their locations, notes, what was left out."""
    about = view_of(ExtractedBook, book, words=count_words(book.text))
    return view_of(ExtractDocument, book, schema_version=SCHEMA_VERSION, book=about)
