"""The contents of a library: hits with their citations, books, chunks and their cuts, findings."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from alexandria.book import Boundary
from alexandria.inspection import Explanation
from alexandria.inspection.stored import stored_cuts
from alexandria.inspection.words import count_of, size_of
from alexandria.passage import Hit
from alexandria.store.record import Record
from alexandria.store.verify import Finding
from alexandria.views.terminal.console import out, safe, show_message

LONGEST_PASSAGE = 600
"""Characters of a hit that are shown: about eight lines, always including the best sentence."""


def show_hits(hits: Sequence[Hit]) -> None:
    """Print the hits, best first, each with its citation and its best sentence highlighted."""
    if not hits:
        show_message("nothing found")
    for rank, hit in enumerate(hits, 1):
        out.print(
            Text.assemble(
                (f"{rank}. ", "bold"),
                (safe(hit.title), "bold"),
                f"  {safe(hit.author)}" if hit.author else "",
                (f"  score {hit.score:.3f}", "dim"),
            )
        )
        out.print(Text(f"   {safe(_place(hit))}", "cyan"))
        for text in hit.before:
            out.print(Padding(Text(safe(text), "dim"), (0, 0, 1, 3)))
        out.print(Padding(_passage(hit), (0, 0, 1, 3)))
        for text in hit.after:
            out.print(Padding(Text(safe(text), "dim"), (0, 0, 1, 3)))


def _passage(hit: Hit) -> Text:
    """Return the text around the best sentence, or the beginning of the text; all of it with --context."""
    text, offset = hit.text, hit.start
    start, end = (hit.best[0] - offset, hit.best[1] - offset) if hit.best else (0, 0)
    whole = bool(hit.before or hit.after)
    # The sentence with as much text before it as after it, as far as there is text.
    first = (
        0
        if whole
        else max(0, min(start - (LONGEST_PASSAGE - (end - start)) // 2, len(text) - LONGEST_PASSAGE))
    )
    last = len(text) if whole else max(end, first + LONGEST_PASSAGE)
    return Text.assemble(
        "… " if first else "",
        safe(text[first:start]),
        (safe(text[start:end]), "bold yellow"),
        safe(text[end:last]),
        " …" if last < len(text) else "",
    )


def _place(hit: Hit) -> str:
    return ", ".join(part for part in (hit.place, f"chunk {hit.chunk_id}") if part)


def show_books(records: Sequence[Record]) -> None:
    """Print the library's books."""
    table = _table("title", "author", "language", "domain", "chunks", "words", "ingested", "id")
    for record in records:
        table.add_row(
            Text(safe(record.title)),
            Text(safe(record.author)),
            record.language or "",
            record.domain,
            f"{record.n_chunks:,}",
            f"{record.n_words:,}",
            record.ingested_at[:16].replace("T", " "),
            record.book_id[:8],
        )
    out.print(table)


def show_record(record: Record, chunks: Sequence[Mapping[str, Any]]) -> None:
    """Print how a book was stored, and its chunks."""
    cuts = ", ".join(f"{n:,} {reason}" for reason, n in sorted(stored_cuts(chunks).items()))
    settings = ", ".join(f"{key} {value}" for key, value in record.settings.items())
    out.print(Text.assemble((safe(record.title), "bold"), f"  {safe(record.author)}"))
    for line in (
        f"id {record.book_id}",
        f"{record.format}, {record.language or 'language unknown'}, {safe(record.source)}",
        f"ingested {record.ingested_at[:19].replace('T', ' ')} UTC, {settings}",
        f"{size_of(record.n_chunks, record.n_words)}; cuts: {cuts or 'none'}",
    ):
        out.print(Text(line, "dim"), soft_wrap=True)
    for warning in record.warnings:
        out.print(Text.assemble(("warning: ", "yellow"), safe(warning)))
    table = _table("chunk", "words", "page", "section", "begins")
    for chunk in chunks:
        page = chunk["page_label"] or chunk["page_start"] or ""
        section = Text(safe(" › ".join(chunk["section"])))
        table.add_row(
            str(chunk["chunk_id"]),
            f"{chunk['word_count']:,}",
            str(page),
            section,
            Text(safe(chunk["text"])[:60]),
        )
    out.print(table)


def show_explanation(explanation: Explanation) -> None:
    """Print why a chunk begins and ends where it does."""
    chunk = explanation.chunk
    section = " › ".join(chunk.headings)
    out.print(Text.assemble((safe(explanation.title), "bold"), f"  {safe(section)}"))
    sizes = f"{count_of(chunk.word_count, 'word')}, {count_of(chunk.n_sentences, 'sentence')}"
    inside = f"mean similarity inside {chunk.avg_similarity:.3f}"
    how = f"strategy {explanation.domain.strategy.name}"
    out.print(Text(f"chunk {chunk.index}: {sizes}, {inside}, {how}", "dim"), soft_wrap=True)
    for name, edge in (("begins", explanation.begins), ("ends", explanation.ends)):
        out.print(
            Text.assemble((f"\n{name}: ", "bold"), safe(edge.why), _similarity(edge.boundary)),
            soft_wrap=True,
        )
        if edge.before:
            out.print(Padding(Text("… " + safe(edge.before), "dim"), (0, 0, 0, 2)))
        out.print(Text("  " + "─" * 20, "magenta"))
        if edge.after:
            out.print(Padding(Text(safe(edge.after) + " …", "dim"), (0, 0, 0, 2)))


def _similarity(boundary: Boundary | None) -> str:
    if boundary is None:
        return ""
    threshold, margin = boundary.threshold, boundary.margin
    compared = (
        "" if threshold is None or margin is None else f", threshold {threshold:.3f}, margin {margin:+.3f}"
    )
    return f" (similarity {boundary.similarity:.3f}{compared})"


def show_findings(findings: Sequence[Finding]) -> None:
    """Print what is wrong with a library, one finding after the other."""
    for finding in findings:
        title = f" “{safe(finding.book)}”" if finding.book else ""
        out.print(
            Text.assemble((f"{finding.flaw:>10}", "bold red"), f"{title}  {safe(finding.detail)}"),
            soft_wrap=True,
        )
        out.print(Text.assemble(" " * 11, ("fix: ", "dim"), safe(finding.fix)), soft_wrap=True)


def _table(*names: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in names:
        numbers = name in ("chunk", "chunks", "words", "page")
        table.add_column(name, justify="right" if numbers else "left", no_wrap=name in ("ingested", "id"))
    return table
