"""The document of `alexandria check --json`."""

from typing import Annotated, TypedDict

from alexandria.library.check.report import (
    Allowance,
    CheckReport,
    CheckSummary,
    CitedSource,
    Claims,
    Verdict,
    WordDifference,
)
from alexandria.show.json.library import QuotationEntry, quotation_entry
from alexandria.show.json.types import Count, ErrorEntry, SchemaVersion
from alexandria.show.json.view import From, view_of


class CheckedEntry(TypedDict):
    """A quotation of a manuscript."""

    file: str
    ordinal: Count
    start: Count
    """Offset in what `alexandria extract --text` prints; in a note, of its mark."""
    end: Count
    text: str
    where: str
    """The page, the line, or the heading and the paragraph."""
    verdict: Verdict
    allowances: list[Allowance]
    """Which conventions allow its changes."""
    differences: list[WordDifference]
    place: QuotationEntry | None
    nearest: QuotationEntry | None
    """What comes nearest, if it was not found."""
    page_in_copy: str | None
    """The page on which it stands in a copy with pages."""
    scan: bool
    """Whether that copy was read by OCR."""
    citation: Annotated[CitedSource | None, From("cited")]
    claims: Claims
    note: str
    """What the reader has noted on a highlight; empty if nothing."""


class CheckedLibraryEntry(TypedDict):
    """What the quotations were compared with."""

    books: Count
    words: Count
    not_looked_at: list[str]
    """Titles of books that are the manuscript or a draft of it, or were read with warnings."""


class UnreadEntry(TypedDict):
    """A manuscript that could not be read."""

    file: str
    error: ErrorEntry


class CheckDocument(TypedDict):
    """What a check of manuscripts has found."""

    schema_version: SchemaVersion
    library: CheckedLibraryEntry
    items: list[CheckedEntry]
    unread: list[UnreadEntry]
    summary: CheckSummary


def check_document(report: CheckReport) -> CheckDocument:
    """Return a report."""
    items = [
        view_of(
            CheckedEntry,
            item,
            place=item.place and quotation_entry(item.place),
            nearest=item.nearest and quotation_entry(item.nearest),
        )
        for item in report.items
    ]
    return view_of(CheckDocument, report, schema_version=1, items=items)
