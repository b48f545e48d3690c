"""What a person sees. The only place that prints: data to stdout, progress and messages to stderr."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich import box
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from alexandria.batch import Outcome, Status
from alexandria.book import Book, Hit
from alexandria.config import Domain
from alexandria.display.console import (
    err,
    out,
    print_json,
    print_text,
    safe,
    show_bug,
    show_error,
    show_message,
)
from alexandria.display.costs import show_cache
from alexandria.display.cuts import show_cuts, write_page
from alexandria.display.inspection import left_out
from alexandria.documents import domain_document, ingest_line
from alexandria.store.catalog import Record

__all__ = [
    "print_json",
    "print_text",
    "progress",
    "safe",
    "show_book",
    "show_books",
    "show_bug",
    "show_cache",
    "show_cuts",
    "show_domain",
    "show_domains",
    "show_error",
    "show_hits",
    "show_message",
    "show_outcome",
    "show_summary",
    "write_page",
]


@contextmanager
def progress(
    total: int, *, quiet: bool, json: bool
) -> Iterator[tuple[Callable[[Path], None], Callable[[Outcome], None]]]:
    """Show how far a batch is; yields what to call with each file that begins and with each outcome.

    The bar moves only on a terminal. An outcome is a line, of JSON if wanted; `quiet` leaves only failures.
    """
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=quiet or not err.is_terminal,
    ) as bar:
        task = bar.add_task("", total=total)

        def started(path: Path) -> None:
            bar.update(task, description=safe(path.name)[:40])

        def finished(outcome: Outcome) -> None:
            bar.advance(task)
            if json:
                print_json(ingest_line(outcome))
            elif not quiet or outcome.error:
                show_outcome(outcome)

        try:
            yield started, finished
        except KeyboardInterrupt:
            show_message("interrupted: what was ingested is stored; run the same command again to go on")
            raise


_STATUS_STYLES = {
    Status.INGESTED: "green",
    Status.PARTIAL: "yellow",
    Status.UNCHANGED: "dim",
    Status.FAILED: "bold red",
}


def show_outcome(outcome: Outcome) -> None:
    """Print a line on what became of a file, with the error or the losses below it."""
    title = f"“{outcome.title}”" if outcome.title else outcome.source.name
    line = Text.assemble((f"{outcome.status:>9}", _STATUS_STYLES[outcome.status]), "  ", safe(title))
    if outcome.status in (Status.INGESTED, Status.PARTIAL):
        line.append(
            f"  {outcome.n_chunks:,} chunks, {outcome.n_words:,} words, {outcome.seconds:.1f} s", "dim"
        )
    err.print(line, soft_wrap=True)
    for warning in outcome.warnings:
        err.print(Text.assemble(" " * 11, ("warning: ", "yellow"), safe(warning)), soft_wrap=True)
    if outcome.error is not None:
        err.print(Text.assemble(" " * 11, ("why: ", "dim"), safe(outcome.error.why)), soft_wrap=True)
        if outcome.error.fix:
            err.print(Text.assemble(" " * 11, ("fix: ", "dim"), safe(outcome.error.fix)), soft_wrap=True)


def show_summary(line: dict[str, Any], *, quiet: bool, json: bool) -> None:
    """Print what became of a batch."""
    summary = line["summary"]
    if json:
        print_json(line)
    elif not quiet:
        show_message(
            f"{summary['ingested']} ingested ({summary['partial']} partial), "
            f"{summary['unchanged']} unchanged, {summary['failed']} failed: {summary['chunks']:,} chunks, "
            f"{summary['words']:,} words in {summary['seconds']:.1f} s"
        )


def show_book(book: Book) -> None:
    """Print a book as it was read: what stands where, and as what."""
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


def show_hits(hits: Sequence[Hit]) -> None:
    """Print the hits, best first, each with its citation."""
    if not hits:
        show_message("nothing found")
    for rank, hit in enumerate(hits, 1):
        payload = hit.payload
        out.print(
            Text.assemble(
                (f"{rank}. ", "bold"),
                (safe(payload["book_title"]), "bold"),
                f"  {safe(payload['author'])}" if payload["author"] else "",
                (f"  score {hit.score:.3f}", "dim"),
            )
        )
        out.print(Text(f"   {safe(_citation(payload))}", "cyan"))
        out.print(Padding(Text(safe(payload["text"])[:600]), (0, 0, 1, 3)))


def _citation(payload: Any) -> str:
    """Return where a passage stands: chapter path, printed page or page of the file, chunk."""
    parts = [" › ".join(payload["section"])] if payload["section"] else []
    if payload["page_label"]:
        parts.append(f"p. {payload['page_label']}")
    elif payload["page_start"]:
        parts.append(f"page {payload['page_start']} of the file")
    return ", ".join([*parts, f"chunk {payload['chunk_id']}"])


def show_books(records: Sequence[Record]) -> None:
    """Print the library's books."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("title", "author", "language", "domain"):
        table.add_column(name)
    table.add_column("chunks", justify="right")
    table.add_column("words", justify="right")
    table.add_column("ingested", no_wrap=True)
    table.add_column("id", no_wrap=True)
    for one in records:
        table.add_row(
            Text(safe(one.title)),
            Text(safe(one.author)),
            one.language or "",
            one.domain,
            f"{one.n_chunks:,}",
            f"{one.n_words:,}",
            one.ingested_at[:16].replace("T", " "),
            one.book_id[:8],
        )
    out.print(table)


def show_domains(domains: Sequence[Domain]) -> None:
    """Print the domains, one a line."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("domain", "strategy", "threshold", "description"):
        table.add_column(name)
    for one in domains:
        threshold = getattr(one.strategy, "threshold", None)
        table.add_row(
            one.name, one.strategy.name, "" if threshold is None else f"{threshold:g}", Text(one.description)
        )
    out.print(table)


def show_domain(domain: Domain, *, origins: bool) -> None:
    """Print a domain's options, with where each comes from if wanted."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("option", "value", *(["from"] if origins else [])):
        table.add_column(name)
    for key, entry in domain_document(domain, origins=True).items():
        table.add_row(key, Text(str(entry["value"])), *([Text(entry["origin"])] if origins else []))
    out.print(table)
