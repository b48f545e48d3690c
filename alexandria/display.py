"""What a person sees. The only place that prints: data to stdout, progress and messages to stderr."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from alexandria.batch import Outcome, Status
from alexandria.book import Book, Boundary, Chunk, Hit, Reason
from alexandria.config import Domain
from alexandria.documents import domain_document, ingest_line
from alexandria.errors import AlexandriaError
from alexandria.pipeline import Analysis
from alexandria.store.catalog import Record

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

_BARS = "▁▂▃▄▅▆▇█"
# Controls, and the marks that turn the direction of what follows: a title must not repaint the terminal.
_UNSAFE = {
    code: " " if code in (0x09, 0x0A, 0x0D) else None
    for code in (
        *range(0x20),
        *range(0x7F, 0xA0),
        0x061C,
        0x200E,
        0x200F,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    )
}


def safe(text: object) -> str:
    """Return the text on one line, without characters that act on a terminal."""
    return str(text).translate(_UNSAFE)


def print_json(document: object) -> None:
    """Print one JSON document on one line of stdout."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_text(text: str) -> None:
    """Print a book's text on stdout as it is, but for control characters."""
    keep = {code: char for code, char in _UNSAFE.items() if code not in (0x09, 0x0A)}
    sys.stdout.write(text.translate(keep) + "\n")


def show_error(error: AlexandriaError) -> None:
    """Print what happened, why, and the fix, to stderr."""
    err.print(Text.assemble(("Error: ", "bold red"), safe(error.what)), soft_wrap=True)
    for label, words in (("why", error.why), ("fix", error.fix)):
        if words:
            err.print(Text.assemble((f"  {label}: ", "dim"), safe(words)), soft_wrap=True)


def show_message(message: str) -> None:
    """Print a line to stderr."""
    err.print(Text(safe(message)), soft_wrap=True)


def show_bug(error: Exception) -> None:
    """Print that the fault is ours, to stderr."""
    show_message(f"Error: a fault of Alexandria: {type(error).__name__}: {error}")
    show_message("  fix: run it again with `alexandria --debug …` and report what it prints")


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
            f"{summary['ingested']} ingested ({summary['partial']} partial), {summary['unchanged']} unchanged, "
            f"{summary['failed']} failed: {summary['chunks']:,} chunks, {summary['words']:,} words "
            f"in {summary['seconds']:.1f} s"
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
        out.print(_left_out(book))
    for warning in book.warnings:
        out.print(Text.assemble(("warning: ", "yellow"), safe(warning)))


def show_analysis(analysis: Analysis, *, all_gaps: bool) -> None:
    """Print a book's cuts: header, curve of similarities, and the chunks with the boundary before each."""
    out.print(_header(analysis))
    out.print(_curve(analysis, max(20, out.width - 2)))
    out.print(_gaps(analysis) if all_gaps else _chunks(analysis))
    if analysis.book.left_out:
        out.print(_left_out(analysis.book))
    for warning in analysis.book.warnings:
        out.print(Text.assemble(("warning: ", "yellow"), safe(warning)))


def _header(analysis: Analysis) -> Group:
    book, domain = analysis.book, analysis.domain
    by_reason = Counter(one.reason for one in analysis.segmentation.boundaries)
    own = domain.strategy.__dataclass_fields__
    settings = ", ".join(f"{key} {value}" for key, value in domain.settings().items() if key in own)
    return Group(
        Text.assemble((safe(book.title), "bold"), f"  {safe(book.author)}"),
        Text(
            f"{book.format}, {book.language or 'language unknown'}, {analysis.n_words:,} words, "
            + (f"{book.n_pages:,} pages, " if book.n_pages else "")
            + f"{len(analysis.sentences):,} sentences, {len(book.notes):,} notes",
            "dim",
        ),
        Text(f"domain {domain.name}: {domain.strategy.name}, {settings}", "dim"),
        Text(
            f"{len(analysis.chunks):,} chunks; cut for topic {by_reason[Reason.TOPIC]}, "
            f"section {by_reason[Reason.SECTION]}, size {by_reason[Reason.MAX_SIZE]}"
        ),
    )


def _curve(analysis: Analysis, width: int) -> Group:
    """Return the similarities as a line of bars, the lowest of each column, and the cuts below."""
    similarities = analysis.segmentation.similarities
    if not len(similarities):
        return Group()
    width = min(width, len(similarities))
    columns = np.arange(len(similarities)) * width // len(similarities)
    lowest = np.full(width, np.inf)
    np.minimum.at(lowest, columns, similarities)
    heights = np.clip((lowest * len(_BARS)).astype(int), 0, len(_BARS) - 1)
    cut_columns = {int(columns[one.gap]) for one in analysis.segmentation.boundaries}
    return Group(
        Text("similarity of neighbouring sentences, the lowest a column; ^ = cut", "dim"),
        Text("".join(_BARS[height] for height in heights), "cyan"),
        Text("".join("^" if column in cut_columns else " " for column in range(width)), "magenta"),
    )


def _chunks(analysis: Analysis) -> Group:
    """Return the chunks, a line each, under the headings of their sections."""
    with_pages = bool(analysis.book.page_starts)
    lines = [_row("chunk", "words", *(["pages"] if with_pages else []), "cut", "begins", style="dim")]
    headings: tuple[str, ...] | None = None
    for chunk in analysis.chunks:
        if chunk.headings != headings:
            headings = chunk.headings
            lines.append(Text(safe(" › ".join(headings) or "(no heading)"), "bold"))
        pages = [_pages(chunk)] if with_pages else []
        lines.append(
            _row(str(chunk.index), f"{chunk.word_count:,}", *pages, _cut(chunk.boundary), chunk.text[:200])
        )
    return Group(*lines)


def _row(number: str, words: str, *rest: str, style: str = "") -> Text:
    """Return one line of the list of chunks, cut off at the edge."""
    *pages, cut, begins = rest
    cells = f"{number:>6} {words:>6} " + "".join(f"{one:>9} " for one in pages) + f" {cut:<22} "
    return Text(cells + safe(begins), style, no_wrap=True, overflow="ellipsis")


def _cut(boundary: Boundary | None) -> str:
    if boundary is None:
        return "start of the book"
    if boundary.threshold is None:
        return f"{boundary.similarity:5.2f}        {boundary.reason}"
    sign = "<" if boundary.similarity < boundary.threshold else "≥"
    return f"{boundary.similarity:5.2f} {sign} {boundary.threshold:.2f} {boundary.reason}"


def _pages(chunk: Chunk) -> str:
    if chunk.page_start is None:
        return chunk.page_label or ""
    if chunk.page_end in (None, chunk.page_start):
        return str(chunk.page_start)
    return f"{chunk.page_start}–{chunk.page_end}"


def _gaps(analysis: Analysis) -> Group:
    """Return every gap, a line each, with the words on both sides; a cut carries its reason."""
    text, cuts = analysis.book.text, {one.gap: one for one in analysis.segmentation.boundaries}
    side = max(10, (out.width - 28) // 2)
    lines = [Text(f"{'gap':>6} {'similarity':>10} {'cut':<9}{'before':>{side}} | after", "dim")]
    for gap, similarity in enumerate(analysis.segmentation.similarities):
        left, right = analysis.sentences[gap], analysis.sentences[gap + 1]
        before, after = safe(text[left.start : left.end]), safe(text[right.start : right.end])
        if len(before) > side:
            before = "…" + before[1 - side :]
        cut = str(cuts[gap].reason) if gap in cuts else ""
        line = Text(f"{gap:>6} {similarity:>10.3f} ", no_wrap=True, overflow="ellipsis")
        lines.append(line.append(f"{cut:<9}", "magenta").append(f"{before:>{side}} | {after}"))
    return Group(*lines)


def _left_out(book: Book) -> Text:
    kinds: dict[str, int] = {}
    for part in book.left_out:
        kinds[part.kind] = kinds.get(part.kind, 0) + part.words
    parts = ", ".join(f"{kind} ({words:,} words)" for kind, words in kinds.items())
    return Text(f"left out: {safe(parts)}", "dim")


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
