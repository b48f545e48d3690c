"""The documents of the commands on a library: `search`, `list`, `show`, `verify`, `backup` and the like."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from alexandria.library.care.repair import Repair
from alexandria.library.search.hits import Results
from alexandria.show.json.types import (
    SCHEMA_VERSION,
    BookId,
    BoundaryFields,
    ChunkPlace,
    Confidence,
    Count,
    ErrorEntry,
    SchemaVersion,
    Settings,
    Share,
    StrengthName,
    Text,
)
from alexandria.show.json.view import From, Rounded, view_of
from alexandria.store.backup import BackupSummary
from alexandria.store.passage import Hit, Passage, Quotation
from alexandria.store.payload import boundary_values, unpack
from alexandria.store.record import Record, work_of
from alexandria.store.restore import RestoreSummary
from alexandria.store.verify import Finding


class SpanEntry(TypedDict):
    """A half-open span of the book's text, in characters."""

    start: Count
    end: Count


class EditionEntry(TypedDict):
    """The same passage in another edition of the work."""

    book_id: str
    book_title: Annotated[str, From("title")]
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


class ArticleFields(TypedDict):
    """What an article has and a book does not."""

    kind: NotRequired[Annotated[str, From("as_article.kind")]]
    """`article`."""
    container: NotRequired[Annotated[str, From("as_article.container")]]
    """Its journal."""
    container_volume: NotRequired[Annotated[str, From("as_article.container_volume")]]
    issue: NotRequired[Annotated[str, From("as_article.issue")]]
    pages: NotRequired[Annotated[str, From("as_article.pages")]]
    """Its pages in the journal: `167–191`."""


class StoredPlace(ArticleFields):
    """A place in a stored book."""

    id: Annotated[str, From("short_id")]
    """What read, open and cite take."""
    generation: str
    """Identifies the book under one configuration."""
    book_id: str
    chunk_id: Count
    book_title: Annotated[str, From("title")]
    author: str
    volume: Annotated[str, From("as_volume.number")]
    """The number of the volume, if its book is one of a work in several volumes; otherwise empty."""
    volume_title: Annotated[str, From("as_volume.title")]
    chapter_title: NotRequired[str]
    """Of the chapter, if it has authors of its own, in a book that others edited."""
    chapter_author: NotRequired[str]
    """These authors; several separated by commas."""
    section: list[str]
    """The heading path, outermost heading first."""
    page: str | None
    """The page to cite, or the range of pages; where a sentence was found, of that."""
    verse: NotRequired[str]
    """The same as chapter and verse, `3:16` or `3:16–18`, where the file gives them."""
    start: Count
    end: Count
    locator: dict[str, Any]
    """A Readium Locator: where the best sentence, otherwise the text, is in its file."""
    collection: NotRequired[str]
    """The collection it is from, if several were named."""


class PassageEntry(StoredPlace):
    """A passage with its place in the file."""

    text: str
    notes: list[str]
    """The notes that it cites."""


class QuotationEntry(StoredPlace):
    """A place that `find` found: from `start` to `end` are the words."""

    nearness: Annotated[Share, Rounded(3)]
    """The share of its letters that are the same."""
    words: str
    """The quotation as the book has it."""
    near: bool
    """Whether more than one letter in twelve differs: it may be another wording, or another text."""
    in_note: bool
    """Whether the words are in a note, whose mark is at `start`."""
    differences: list[str]
    """In what it differs: `capitals`, `punctuation` and so on, or `letters`; empty if it is word for word."""
    source: str
    format: str
    page_label: str | None
    """The page number as printed."""


class HitEntry(StoredPlace):
    """A passage that `search` found, with its citation."""

    score: Annotated[float, Rounded(6)]
    """Comparable within one search, and one collection."""
    relevance: Share | None
    """How likely it answers; comparable between searches. null where that is not known."""
    strength: StrengthName | None
    """The same in a word."""
    quote: QuoteEntry
    """The same words as a TextQuoteSelector."""
    text: str
    domain: str
    page_start: int | None
    page_end: int | None
    page_label: str | None
    """The page number as printed."""
    href: str | None
    """The file and anchor inside an EPUB."""
    source: str
    best_sentence: SpanEntry | None
    """The sentence closest to the query; null if the library has no sentence vectors."""
    excerpt: SpanEntry | None
    """The two or three sentences that answer best; with --words, the text itself is such an excerpt."""
    also_in: list[EditionEntry]
    """Where other editions of the work have the same passage; empty with --all-editions."""
    ocr_confidence: NotRequired[Confidence]
    """How certain its words are, if they were read from scanned pages."""
    text_layer: NotRequired[bool]
    """True if any of it is from the text layer of scanned pages, as another OCR program read them."""
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
    notes: Annotated[list[str], From("remarks")]
    """How the query was understood, and what the reader should know of the hits."""


class BookEntry(ArticleFields):
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
    volume: Annotated[str, From("as_volume.number")]
    """The number of the volume, for one of a work in several volumes; stated, or in its title or series."""
    volume_title: Annotated[str, From("as_volume.title")]
    chapter_authors: list[str]
    """Who wrote its chapters, if others edited it."""
    text_layer: NotRequired[bool]
    """True if pages of it are scans with a text layer."""
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


class VerifyDocument(TypedDict):
    """`alexandria verify --json`: whether a library is sound, and if not, what is wrong."""

    library: str
    """Its address."""
    books: Count
    points: Count
    sound: Annotated[bool, From("is_sound")]
    findings: list[Finding]
    interrupted: list[str]
    """A sentence for each change that was interrupted, with what completes it or removes what it left."""


class UnmendedEntry(TypedDict):
    """A book that could not be made again from its file."""

    book: str
    error: ErrorEntry


class RepairDocument(TypedDict):
    """`alexandria repair --json`: what was mended, and what is still wrong."""

    marked: bool
    """Whether `alexandria.json` was lost, and is there again."""
    rebuilt: Annotated[bool, From("is_rebuilt")]
    """Whether files of the library could not be read, and were made again."""
    mended: list[str]
    """Titles of the books whose points were made again from their files."""
    listed: list[str]
    """Titles of the books whose records were lost, and are made again."""
    deleted: list[str]
    """Titles of the books without a record of which only some points were left: these were deleted."""
    unmended: list[UnmendedEntry]
    damaged_files: Annotated[str | None, From("kept")]
    """Where the unreadable files are kept, if not all that was in them could be made again."""
    checked: VerifyDocument
    """The library as it is now."""


def search_document(results: Results) -> SearchDocument:
    """Return the hits, best first, with what the reader should know about them."""
    return view_of(SearchDocument, results, schema_version=SCHEMA_VERSION, hits=hit_entries(results))


def hit_entries(hits: Iterable[Hit]) -> list[HitEntry]:
    """Return the hits, best first; what is around them only where it was asked for."""
    entries = []
    for hit in hits:
        around = (hit.before, hit.after) if hit.before or hit.after else (None, None)
        spans = {"best_sentence": _span_entry(hit.best), "excerpt": _span_entry(hit.excerpt)}
        entries.append(view_of(HitEntry, hit, before=around[0], after=around[1], **spans))
    return entries


def _span_entry(span: tuple[int, int] | None) -> SpanEntry | None:
    return {"start": span[0], "end": span[1]} if span else None


def find_document(places: Iterable[Quotation]) -> list[QuotationEntry]:
    """Return the places of a quotation, the nearest first."""
    return list(map(quotation_entry, places))


def quotation_entry(place: Quotation) -> QuotationEntry:
    """Return a place of a quotation."""
    start, end = place.best or (place.start, place.end)
    return view_of(QuotationEntry, place, start=start, end=end)


def book_entry(record: Record) -> BookEntry:
    """Return a stored book."""
    return view_of(BookEntry, record, **made_of(record))


def made_of(record: Record) -> dict[str, Any]:
    """Return the fields of a stored book that its record has in another form."""
    return {"people": [person.as_json() for person in record.people], "work": work_of(record)}


def show_document(record: Record, chunks: Iterable[Passage]) -> ShowDocument:
    """Return a stored book: its record, and its chunks without their texts."""
    stored = [_stored_chunk(chunk) for chunk in chunks]
    return view_of(ShowDocument, record, chunk_list=stored, **made_of(record))


def _stored_chunk(chunk: Passage) -> StoredChunk:
    return view_of(StoredChunk, unpack(chunk.payload), boundary=boundary_values(chunk.payload))


def repair_document(repair: Repair) -> RepairDocument:
    """Return what a repair has mended, and what is still wrong.

    A repair that wrote `alexandria.json` again has its binding: the model of the library and its vectors.
    """
    return view_of(
        RepairDocument,
        repair,
        marked=repair.binding is not None,
        mended=[record.title for record in repair.mended],
        listed=[record.title for record in repair.adopted],
        unmended=[
            {"book": record.title, "error": view_of(ErrorEntry, error)} for record, error in repair.failed
        ],
    )


class BackupDocument(TypedDict):
    """`alexandria backup --json`: what a backup holds, and what it does not."""

    file: str
    bytes: Count
    books: Count
    chunks: Count
    removed_books: Count
    """Removed before the backup began: it holds their records."""
    replaced: list[str]
    """Titles of the books that were replaced meanwhile: it holds what they were replaced by."""
    gone: list[str]
    """Titles of the books that were removed meanwhile: it does not hold them."""
    damaged: list[str]
    """Titles of the books that are incomplete in the library: it does not hold them."""
    altered: list[str]
    """Titles of the books of which payloads were altered: it holds them as they are."""


class RestoreDocument(TypedDict):
    """`alexandria restore --json`: what a restore has stored."""

    file: str
    restored: Count
    already_there: Count
    """Books stored by an earlier restore of the same backup."""
    chunks: Count
    """Of all books of the backup."""
    removed_books: Count
    """Records of books that were removed."""


def backup_document(file: Path, summary: BackupSummary) -> BackupDocument:
    """Return what a backup holds."""
    return view_of(
        BackupDocument,
        summary,
        file=file,
        books=len(summary.books),
        chunks=sum(record.n_chunks for record in summary.books),
        removed_books=len(summary.removed_books),
        replaced=_titles(summary.replaced),
        gone=_titles(summary.gone),
        damaged=_titles(summary.damaged),
        altered=_titles(summary.altered),
    )


def restore_document(file: Path, summary: RestoreSummary) -> RestoreDocument:
    """Return what a restore has stored."""
    return {
        "file": str(file),
        "restored": len(summary.restored),
        "already_there": len(summary.already_there),
        "chunks": sum(record.n_chunks for record in (*summary.restored, *summary.already_there)),
        "removed_books": len(summary.removed_books),
    }


def _titles(records: Iterable[Record]) -> list[str]:
    return [record.title for record in records]
