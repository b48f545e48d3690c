"""The documents of the commands on a library: `search`, `list`, `show`, `verify` and `repair`."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NotRequired, TypedDict, cast

from alexandria.library.repair import Repair, Verification
from alexandria.passage import Hit, Passage, Quotation, Strength
from alexandria.query.hits import Results
from alexandria.store.record import Record, work_of
from alexandria.views.json.errors import ErrorEntry, error_entry
from alexandria.views.json.ledger import stored_boundary_fields
from alexandria.views.json.types import (
    SCHEMA_VERSION,
    BookId,
    BoundaryFields,
    ChunkPlace,
    Confidence,
    Count,
    SchemaVersion,
    Settings,
    Share,
    StrengthName,
    Text,
)


class SpanEntry(TypedDict):
    """A half-open span of the book's text, in characters."""

    start: Count
    end: Count


class EditionEntry(TypedDict):
    """The same passage in another edition of the work."""

    book_id: str
    book_title: str
    format: str
    source: str
    chunk_id: Count
    page_start: int | None
    page_label: str | None


class QuoteEntry(TypedDict):
    """A TextQuoteSelector of the W3C."""

    type: Literal["TextQuoteSelector"]
    exact: str
    prefix: str
    suffix: str


class PassageEntry(TypedDict):
    """A passage with its place in the file."""

    id: str
    """What read, open and cite take."""
    book_id: str
    generation: str
    """Identifies the book under one configuration."""
    chunk_id: Count
    book_title: str
    author: str
    section: list[str]
    """The heading path, outermost heading first."""
    page: str | None
    """The page to cite, or the range of pages."""
    start: Count
    end: Count
    text: str
    notes: list[str]
    """The notes that it cites."""
    locator: dict[str, Any]
    """A Readium Locator: where the passage is in its file."""
    collection: NotRequired[str]
    """The collection it is from, if several were named."""


class QuotationEntry(TypedDict):
    """A place that `find` found."""

    id: str
    """What read, open and cite take."""
    nearness: Share
    """The share of its letters that are the same."""
    words: str
    """The quotation as the book has it."""
    start: Count
    end: Count
    book_id: str
    generation: str
    chunk_id: Count
    book_title: str
    author: str
    section: list[str]
    page: str | None
    locator: dict[str, Any]
    """A Readium Locator."""
    collection: NotRequired[str]
    """The collection it is from, if several were named."""


class HitEntry(TypedDict):
    """A passage that `search` found, with its citation."""

    id: str
    """What read, open and cite take."""
    generation: str
    """Identifies the book under one configuration."""
    score: float
    relevance: Share | None
    """How likely it answers; comparable between searches. null where that is not known."""
    strength: StrengthName | None
    """The same in a word."""
    page: str | None
    """The page to cite, that of the best sentence, or the range of pages."""
    locator: dict[str, Any]
    """A Readium Locator: where the best sentence, otherwise the passage, is in its file."""
    quote: QuoteEntry
    """The same words as a TextQuoteSelector."""
    text: str
    book_title: str
    author: str
    domain: str
    section: list[str]
    """The heading path, outermost heading first."""
    page_start: int | None
    page_end: int | None
    page_label: str | None
    """The page number as printed."""
    href: str | None
    """The file and anchor inside an EPUB."""
    source: str
    start: Count
    end: Count
    chunk_id: Count
    book_id: str
    best_sentence: SpanEntry | None
    """The sentence closest to the query; null if the library has no sentence vectors."""
    excerpt: SpanEntry | None
    """The two or three sentences that answer best; with --words, the text itself is such an excerpt."""
    also_in: list[EditionEntry]
    """Where other editions of the work have the same passage; empty with --all-editions."""
    collection: NotRequired[str]
    """The collection it is from, if several were named; the score is comparable within one."""
    ocr_confidence: NotRequired[Confidence]
    """How certain its words are, if they were read from scanned pages."""
    before: NotRequired[list[str]]
    """With --context: the texts of the chunks before this one."""
    after: NotRequired[list[str]]
    """With --context: the texts of the chunks after this one."""


class SearchDocument(TypedDict):
    """`alexandria search --json`: the passages that answer a query."""

    schema_version: SchemaVersion
    hits: list[HitEntry]
    """Best first."""
    verdict: StrengthName | None
    """The strength of the most relevant hit, `none` without hits; null where that is not known."""
    notes: list[str]
    """How the query was understood, and what the reader should know of the hits."""


class BookEntry(TypedDict):
    """A stored book."""

    book_id: BookId
    title: Text
    author: str
    language: str | None
    format: str
    source: str
    domain: str
    strategy: str
    chunks: Count
    words: Count
    ingested_at: str
    """ISO 8601, UTC."""
    generation: str
    """Identifies the book under one configuration."""
    settings: Settings
    precision: str | None
    """The number format its vectors were computed in (f32, f16, bf16, int8); null if it is not recorded."""
    warnings: list[str]
    subtitle: str
    people: list[dict[str, str]]
    """Those who made it: role, name as displayed, and its parts as CSL has them."""
    publisher: str
    place: str
    date: str
    original_date: str
    edition: str
    url: str
    translators: list[str]
    identifiers: list[str]
    series: str
    work: str
    """The same for all editions of a work: the id of the first one."""


class StoredChunk(ChunkPlace):
    """A stored chunk, without its text."""

    topic: list[str]
    """Its telling words, the most telling first; empty in a library of an older version."""
    boundary: BoundaryFields | None
    """The cut before the chunk; null for the first."""


class ShowDocument(BookEntry):
    """`alexandria show --json`: a stored book, its sections and its chunks."""

    sections: list[str]
    """All headings, in order of first appearance."""
    chunk_list: list[StoredChunk]


class FindingEntry(TypedDict):
    """Something wrong with a library."""

    flaw: str
    book: str
    detail: str
    fix: str


class VerifyDocument(TypedDict):
    """`alexandria verify --json`: whether a library is sound, and if not, what is wrong."""

    library: str
    """Its address."""
    books: Count
    points: Count
    sound: bool
    findings: list[FindingEntry]
    interrupted: list[str]
    """A sentence for each change of a book that was interrupted; the next ingest removes what it left."""


class UnmendedEntry(TypedDict):
    """A book that could not be made again from its file."""

    book: str
    error: ErrorEntry


class RepairDocument(TypedDict):
    """`alexandria repair --json`: what was mended, and what is still wrong."""

    marked: bool
    """Whether `alexandria.json` was lost, and is there again."""
    rebuilt: bool
    """Whether files of the library could not be read, and were made again."""
    mended: list[str]
    """Titles of the books whose points were made again from their files."""
    listed: list[str]
    """Titles of the books whose records were lost, and are made again."""
    deleted: list[str]
    """Titles of the books without a record of which only some points were left: these were deleted."""
    unmended: list[UnmendedEntry]
    damaged_files: str | None
    """Where the unreadable files are kept, if not all that was in them could be made again."""
    checked: VerifyDocument
    """The library as it is now."""


_CHUNK_KEYS = (
    "chunk_id",
    "start",
    "end",
    "word_count",
    "section",
    "page_start",
    "page_end",
    "page_label",
)


def search_document(results: Results) -> SearchDocument:
    """Return the hits, best first, with what the reader should know about them."""
    return {
        "schema_version": SCHEMA_VERSION,
        "hits": hit_entries(results),
        "verdict": strength_name(results.verdict),
        "notes": list(results.remarks),
    }


def hit_entries(hits: Iterable[Hit]) -> list[HitEntry]:
    """Return the hits, best first."""
    return [_hit_entry(hit) for hit in hits]


def strength_name(strength: Strength | None) -> StrengthName | None:
    """Return a strength as JSON has it."""
    return None if strength is None else strength.value


def _hit_entry(hit: Hit) -> HitEntry:
    entry: HitEntry = {
        "id": hit.short_id,
        "generation": str(hit.payload["generation"]),
        "score": round(hit.score, 6),
        "relevance": hit.relevance,
        "strength": strength_name(hit.strength),
        "page": hit.page,
        "locator": hit.locator,
        "quote": cast(QuoteEntry, hit.quote),
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
        "best_sentence": _span_entry(hit.best),
        "excerpt": _span_entry(hit.excerpt),
        "also_in": [_edition_entry(passage) for passage in hit.also_in],
    }
    if hit.collection is not None:
        entry["collection"] = hit.collection
    if "ocr_confidence" in hit.payload:
        entry["ocr_confidence"] = hit.payload["ocr_confidence"]
    if hit.before or hit.after:
        entry |= {"before": list(hit.before), "after": list(hit.after)}
    return entry


def read_document(passages: Iterable[Passage]) -> list[PassageEntry]:
    """Return passages that follow one another, in reading order."""
    return [_passage_entry(passage) for passage in passages]


def _passage_entry(passage: Passage) -> PassageEntry:
    entry: PassageEntry = {
        "id": passage.short_id,
        "book_id": passage.book_id,
        "generation": str(passage.payload["generation"]),
        "chunk_id": passage.chunk_id,
        "book_title": passage.title,
        "author": passage.author,
        "section": list(passage.section),
        "page": passage.page,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
        "notes": [str(note) for note in passage.payload.get("notes") or ()],
        "locator": passage.locator,
    }
    if passage.collection is not None:
        entry["collection"] = passage.collection
    return entry


def find_document(places: Iterable[Quotation]) -> list[QuotationEntry]:
    """Return the places of a quotation, the nearest first."""
    return [_quotation_entry(place) for place in places]


def _quotation_entry(place: Quotation) -> QuotationEntry:
    start, end = place.best or (place.start, place.end)
    entry: QuotationEntry = {
        "id": place.short_id,
        "nearness": round(place.nearness, 3),
        "words": place.words,
        "start": start,
        "end": end,
        "book_id": place.book_id,
        "generation": str(place.payload["generation"]),
        "chunk_id": place.chunk_id,
        "book_title": place.title,
        "author": place.author,
        "section": list(place.section),
        "page": place.page,
        "locator": place.locator,
    }
    if place.collection is not None:
        entry["collection"] = place.collection
    return entry


def _span_entry(span: tuple[int, int] | None) -> SpanEntry | None:
    return {"start": span[0], "end": span[1]} if span else None


def _edition_entry(passage: Passage) -> EditionEntry:
    return {
        "book_id": passage.book_id,
        "book_title": passage.title,
        "format": passage.format,
        "source": passage.source,
        "chunk_id": passage.chunk_id,
        "page_start": passage.page_start,
        "page_label": passage.page_label,
    }


def list_document(records: Iterable[Record]) -> list[BookEntry]:
    """Return the books of a library."""
    return [_book_entry(record) for record in records]


def _book_entry(record: Record) -> BookEntry:
    return {
        "book_id": record.book_id,
        "title": record.title,
        "author": record.author,
        "language": record.language,
        "format": record.format,
        "source": record.source,
        "domain": record.domain,
        "strategy": record.strategy,
        "chunks": record.n_chunks,
        "words": record.n_words,
        "ingested_at": record.ingested_at,
        "generation": record.generation,
        "settings": dict(record.settings),
        "precision": record.precision,
        "warnings": list(record.warnings),
        "subtitle": record.subtitle,
        "people": [person.as_json() for person in record.people],
        "publisher": record.publisher,
        "place": record.place,
        "date": record.date,
        "original_date": record.original_date,
        "edition": record.edition,
        "url": record.url,
        "translators": list(record.translators),
        "identifiers": list(record.identifiers),
        "series": record.series,
        "work": work_of(record),
    }


def show_document(record: Record, chunks: Iterable[Mapping[str, Any]]) -> ShowDocument:
    """Return a stored book: its record, and its chunks without their texts."""
    return {
        **_book_entry(record),
        "sections": list(record.sections),
        "chunk_list": [_stored_chunk(chunk) for chunk in chunks],
    }


def _stored_chunk(payload: Mapping[str, Any]) -> StoredChunk:
    entry = {key: payload.get(key) for key in _CHUNK_KEYS}
    entry["topic"] = payload.get("topic", [])
    return cast(StoredChunk, {**entry, "boundary": stored_boundary_fields(payload["boundary"])})


def verify_document(verification: Verification) -> VerifyDocument:
    """Return what is wrong with a library."""
    entries: list[FindingEntry] = [
        {
            "flaw": str(finding.flaw),
            "book": finding.book,
            "detail": finding.detail,
            "fix": finding.fix,
        }
        for finding in verification.findings
    ]
    return {
        "library": verification.library,
        "books": verification.n_books,
        "points": verification.n_points,
        "sound": not entries,
        "findings": entries,
        "interrupted": list(verification.interrupted),
    }


def repair_document(repair: Repair) -> RepairDocument:
    """Return what a repair has mended, and what is still wrong.

    A repair that wrote `alexandria.json` again has its binding: the model of the library and its vectors.
    """
    return {
        "marked": repair.binding is not None,
        "rebuilt": repair.is_rebuilt,
        "mended": [record.title for record in repair.mended],
        "listed": [record.title for record in repair.adopted],
        "deleted": list(repair.deleted),
        "unmended": [{"book": record.title, "error": error_entry(error)} for record, error in repair.failed],
        "damaged_files": None if repair.kept is None else str(repair.kept),
        "checked": verify_document(repair.checked),
    }
