"""The document of `extract`: a book as it was read."""

from typing import Annotated, TypedDict

from alexandria.book import Book, LeftOut, count_words
from alexandria.views.json.types import SCHEMA_VERSION, BookId, Count, SchemaVersion
from alexandria.views.json.view import From, view_of


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
