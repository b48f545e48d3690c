"""The terminal view. The only package that prints: data to stdout, progress and messages to stderr."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from alexandria.book import Book
from alexandria.config import Domain
from alexandria.views.terminal.batch import (
    announce_stop,
    show_failures,
    show_outcome,
    show_step,
    show_summary,
)
from alexandria.views.terminal.console import (
    out,
    print_json,
    print_text,
    safe,
    show_bug,
    show_error,
    show_message,
)
from alexandria.views.terminal.costs import show_cache, show_estimate
from alexandria.views.terminal.cuts import show_cuts, write_page
from alexandria.views.terminal.inspection import left_out
from alexandria.views.terminal.installation import show_checks, show_examination, show_models
from alexandria.views.terminal.library import (
    show_books,
    show_explanation,
    show_findings,
    show_hits,
    show_record,
)
from alexandria.views.terminal.passages import show_citations, show_quotations, show_text
from alexandria.views.terminal.running import counting, log_line, progress
from alexandria.views.terminal.status import show_status

if TYPE_CHECKING:
    from alexandria.views.json.configuration import OptionEntry

__all__ = [
    "announce_stop",
    "counting",
    "log_line",
    "print_json",
    "print_text",
    "progress",
    "safe",
    "show_book",
    "show_books",
    "show_bug",
    "show_cache",
    "show_checks",
    "show_citations",
    "show_cuts",
    "show_domain",
    "show_domains",
    "show_error",
    "show_estimate",
    "show_examination",
    "show_explanation",
    "show_failures",
    "show_findings",
    "show_hits",
    "show_message",
    "show_models",
    "show_outcome",
    "show_quotations",
    "show_record",
    "show_status",
    "show_step",
    "show_summary",
    "show_text",
    "write_page",
]


def show_book(book: Book) -> None:
    """Print a book as it was read: each block with its kind and page."""
    out.print(Text.assemble((safe(book.title), "bold"), f"  {safe(book.author)}"))
    language = f"{book.language} ({book.metadata.language_source})" if book.language else "language unknown"
    out.print(
        Text(f"{book.format}, {language}, {len(book.blocks):,} blocks, {len(book.notes):,} notes", "dim")
    )
    for section in book.sections:
        out.print(Text(f"\n{safe(' › '.join(section.headings)) or '(no heading)'}", "bold cyan"))
        for block in section.blocks:
            page = block.location.page_label or block.location.page
            where = f"{block.kind}" + (f", p. {page}" if page else "")
            out.print(Text.assemble((f"[{safe(where)}] ", "dim"), safe(block.text)), soft_wrap=True)
    for note in book.notes:
        out.print(Text.assemble((f"\nnote {safe(note.label)} ", "bold"), safe(note.text)), soft_wrap=True)
    if book.left_out:
        out.print(left_out(book.left_out))
    for warning in book.warnings:
        out.print(Text.assemble(("warning: ", "yellow"), safe(warning)))


def show_domains(domains: Sequence[Domain]) -> None:
    """Print the domains, one per line."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("domain", "strategy", "threshold", "description"):
        table.add_column(name)
    for domain in domains:
        threshold = getattr(domain.strategy, "threshold", None)
        table.add_row(
            domain.name,
            domain.strategy.name,
            "" if threshold is None else f"{threshold:g}",
            Text(domain.description),
        )
    out.print(table)


def show_domain(domain: Domain, *, origins: bool) -> None:
    """Print a domain's options, with the origin of each if requested, and what its costs are."""
    from alexandria.views.json import origins_document

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("option", "value", *(["from"] if origins else [])):
        table.add_column(name)
    for key, entry in origins_document(domain).items():
        table.add_row(key, Text(str(entry["value"])), *([Text(entry["origin"])] if origins else []))
    out.print(table)
    _show_costs(origins_document(domain))


def _show_costs(options: "Mapping[str, OptionEntry]") -> None:
    """Print what each cost of a cut is, by an example, and why the domain has this value."""
    explained = {key: entry for key, entry in options.items() if entry["what"] or entry["comment"]}
    if explained:
        out.print(Text("\nWhat makes a cut (|) bad for a reader, or good if it is below 0", "bold"))
    for key, entry in explained.items():
        what = f": {entry['what']}" if entry["what"] else ""
        out.print(Text(f"{key} {entry['value']}{what}"))
        if entry["example"]:
            out.print(Padding(Text(entry["example"], "dim"), (0, 0, 0, 4)))
        if entry["comment"]:
            out.print(Padding(Text(f"in this domain: {safe(entry['comment'])}"), (0, 0, 0, 4)))
