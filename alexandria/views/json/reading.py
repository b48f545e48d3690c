"""The document of `extract`: a book as it was read."""

from typing import TypedDict

from alexandria.book import Block, Book, Section, count_words
from alexandria.views.json.types import SCHEMA_VERSION, BookId, Count, LeftOutEntry, SchemaVersion


class ExtractedBook(TypedDict):
    """The book, and its metadata."""

    id: BookId
    title: str
    author: str
    language: str | None
    language_source: str | None
    """Where the language comes from: the file's metadata, or detection."""
    publisher: str | None
    date: str | None
    identifiers: list[str]
    subjects: list[str]
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
    page: int | None
    """Page of the file, counted from 1."""
    page_label: str | None
    """The page number as printed."""
    href: str | None
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
    left_out: list[LeftOutEntry]
    warnings: list[str]


def extract_document(book: Book) -> ExtractDocument:
    """Return a book as it was read: sections, blocks with their locations, notes, what was left out."""
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
        "sections": [_section_entry(section) for section in book.sections],
        "notes": [{"label": note.label, "cited_at": note.cited_at, "text": note.text} for note in book.notes],
        "left_out": [{"kind": part.kind, "where": part.where, "words": part.words} for part in book.left_out],
        "warnings": list(book.warnings),
    }


def _section_entry(section: Section) -> SectionEntry:
    return {
        "headings": list(section.headings),
        "level": section.level,
        "chapter": section.chapter,
        "href": section.href,
        "blocks": [_block_entry(block) for block in section.blocks],
    }


def _block_entry(block: Block) -> BlockEntry:
    return {
        "kind": str(block.kind),
        "start": block.start,
        "page": block.location.page,
        "page_label": block.location.page_label,
        "href": block.location.href,
        "break_before": block.break_before,
        "text": block.text,
    }
