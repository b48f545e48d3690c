"""The documents of `alexandria serve`: each page as JSON, at its address with `.json`."""

from collections.abc import Iterable, Mapping
from typing import TypedDict

from alexandria.library.inspect.inspection import Inspection
from alexandria.library.read.contents import Chapter
from alexandria.library.search.hits import Results
from alexandria.show.json.inspection import ChunkEntry
from alexandria.show.json.library import BookEntry, HitEntry, book_entry, hit_entries, made_of
from alexandria.show.json.types import BookId, BoundaryFields, Count, StrengthName
from alexandria.show.json.view import view_of
from alexandria.store.record import Record


class ResultsDocument(TypedDict):
    """`search.json`: the passages that answer a query."""

    query: str
    filters: dict[str, str]
    remarks: list[str]  # what explains surprising hits
    verdict: StrengthName | None  # the strength of the most relevant hit; null where that is not known
    hits: list[HitEntry]


class ChapterEntry(TypedDict):
    """A chapter of a book."""

    headings: list[str]
    first_chunk: Count
    last_chunk: Count
    words: Count
    page: str | None
    sentence: str  # the sentence nearest the mean of its sentences
    topic: list[str]  # its telling words, the most telling first


class BookDocument(BookEntry):
    """`book/ID.json`: a book and its contents."""

    contents: list[ChapterEntry]


class ReadChunk(ChunkEntry):
    """A chunk of the reading view."""

    boundary: BoundaryFields | None  # the cut before it; null for the first chunk of the book
    why: str  # the reason of that cut in words; empty for the first chunk


class ReadingDocument(TypedDict):
    """`book/ID/read.json`: a part of a book's text with its cuts."""

    book: BookEntry
    chunks: list[ReadChunk]


class PageDocument(TypedDict):
    """`book/ID/page/N.json`: a page of a PDF."""

    book_id: BookId
    page: Count  # its number in the file, from 1
    pages: Count
    chunks: list[ReadChunk]  # those with text on the page


class CitationsDocument(TypedDict):
    """`cite.json`: a passage cited in each style."""

    hit: str
    citations: dict[str, str]


def results_document(query: str, filters: Mapping[str, str], results: Results) -> ResultsDocument:
    """Return the passages that answer a query, best first."""
    remarks = [remark.text for remark in results.noted]
    return view_of(
        ResultsDocument, results, query=query, filters=filters, remarks=remarks, hits=hit_entries(results)
    )


def book_document(record: Record, contents: Iterable[Chapter]) -> BookDocument:
    """Return a book and its contents."""
    return view_of(BookDocument, record, contents=contents, **made_of(record))


def reading_document(record: Record, part: Inspection, reasons: Mapping[int, str]) -> ReadingDocument:
    """Return a part of a book.

    Args:
        part: an inspection that has only the chunks to show.
        reasons: why each of them begins where it does, by its number.
    """
    return {"book": book_entry(record), "chunks": _chunk_entries(part, reasons)}


def page_document(record: Record, page: int, part: Inspection, reasons: Mapping[int, str]) -> PageDocument:
    """Return a page of a PDF: `part`, the chunks with text on it, and why each begins, by its number."""
    return {
        "book_id": record.book_id,
        "page": page,
        "pages": record.n_pages or 0,
        "chunks": _chunk_entries(part, reasons),
    }


def _chunk_entries(part: Inspection, reasons: Mapping[int, str]) -> list[ReadChunk]:
    return [view_of(ReadChunk, chunk, why=reasons.get(chunk.index, "")) for chunk in part.chunks]


def citations_document(hit: str, citations: Iterable[tuple[str, str]]) -> CitationsDocument:
    """Return the citations of a passage by style."""
    return {"hit": hit, "citations": dict(citations)}
