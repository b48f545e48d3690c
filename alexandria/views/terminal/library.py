"""The contents of a library: hits with their citations, books, chunks and their cuts, findings."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from alexandria.book import Boundary
from alexandria.inspection.words import balance_of, count_of, kept_of, size_of, terms_of, topic_of
from alexandria.passage import Hit, Passage
from alexandria.query.editions import editions_by_work
from alexandria.store.record import Record
from alexandria.store.verify import Finding
from alexandria.views.terminal.console import out, print_text, safe, show_message
from alexandria.views.terminal.wrapping import INDENT, print_whole, wrap

if TYPE_CHECKING:
    from alexandria.inspection import Explanation
    from alexandria.passages.contents import Chapter

LONGEST_PASSAGE = 600
"""Columns of a hit that are shown around what answers: about eight lines, in whole sentences."""
MOST_EDITIONS = 3
"""Lines about other editions of a hit on a terminal."""


def show_hits(hits: Sequence[Hit], *, full: bool = False) -> None:
    """Print the hits, best first, each with its citation and its best sentence highlighted.

    Args:
        hits: as `Library.search` returns them.
        full: whether to print the whole text of each, not only the part that answers.
    """
    if not hits:
        show_message("nothing found")
    for rank, hit in enumerate(hits, 1):
        author = f"  {safe(hit.author)}" if hit.author else ""
        print_whole(
            out,
            Text.assemble((safe(hit.title), "bold"), author, (f"  {_worth(hit)}", "dim")),
            lead=Text(f"{rank}. ", "bold"),
        )
        among = "" if hit.collection is None else f" in {safe(hit.collection)}"
        print_whole(out, Text.assemble((safe(_place(hit)), "cyan"), (f", {hit.short_id}{among}", "dim")))
        for also in _editions(hit):
            print_whole(out, Text(safe(also), "dim"))
        for text in (*(Text(safe(text), "dim") for text in hit.before), _passage(hit, full=full)):
            _print_indented(text)
        for after in hit.after:
            _print_indented(Text(safe(after), "dim"))


def _editions(hit: Hit) -> list[str]:
    """Return a line for each other edition that has a hit; on a terminal, for the first few."""
    lines = [f"also in {other.title} ({other.format}), {_place(other)}" for other in hit.also_in]
    if not out.is_terminal or len(lines) <= MOST_EDITIONS:
        return lines
    shown = lines[: MOST_EDITIONS - 1]
    return [*shown, f"also in {len(lines) - len(shown)} more editions: --all-editions shows each"]


def _worth(hit: Hit) -> str:
    """Return how well a hit answers: its relevance, or its score where that is not known."""
    return f"score {hit.score:.3f}" if hit.relevance is None else f"relevance {hit.relevance:.2f}"


def _print_indented(text: Text) -> None:
    """Print a paragraph and an empty line, indented, without blanks at the ends of lines."""
    _print_wrapped(text)
    out.print()


def _print_wrapped(text: Text) -> None:
    for line in wrap(text, out.width - len(INDENT)):
        out.print(Text(INDENT).append_text(line), soft_wrap=True)


def _passage(hit: Hit, *, full: bool) -> Text:
    """Return the sentences that answer, and what is near; all with --full, --words or --context."""
    text, offset = hit.text, hit.start
    start, end = (hit.best[0] - offset, hit.best[1] - offset) if hit.best else (0, 0)
    first, last = (0, len(text)) if full or hit.before or hit.after else _excerpt(hit)
    return Text.assemble(
        "… " if first else "",
        safe(text[first:start]),
        (safe(text[start:end]), "bold yellow"),
        safe(text[end:last]),
        " …" if last < len(text) else "",
    )


def _excerpt(hit: Hit) -> tuple[int, int]:
    """Return where what is shown of a hit begins and ends: what answers, in whole short paragraphs."""
    text = hit.text
    first, last = (edge - hit.start for edge in hit.excerpt or hit.best or (hit.start, hit.start))
    begin, end = text.rfind("\n", 0, first) + 1, text.find("\n", last)
    end = len(text) if end < 0 else end
    return (begin, end) if cell_len(text[begin:end]) <= LONGEST_PASSAGE else (first, last)


def _place(passage: Passage) -> str:
    return ", ".join(part for part in (passage.place, f"chunk {passage.chunk_id}") if part)


def show_books(records: Sequence[Record]) -> None:
    """Print the library's books, one per line, the editions of a work together.

    On a terminal, long titles are shortened to fit. In a pipe, a line has everything, separated by tabs: id,
    title, author, language, format, domain, chunks, words, time of ingest, file, publisher, date,
    translators, series, identifiers.
    """
    works = editions_by_work(records)
    if not out.is_terminal:
        for record in (record for editions in works.values() for record in editions):
            print_text("\t".join(map(safe, _columns(record))))
        return
    if not records:
        show_message("no books")
        return
    wide = out.width >= _WIDE
    table = _table("title", "author", "format", "domain", "words", "id")
    if wide:
        table = _table("title", "author", "format", "domain", "language", "chunks", "words", "ingested", "id")
    for column in table.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    table.columns[0].ratio, table.columns[1].ratio, table.expand = 3, 2, True
    for editions in works.values():
        for record in editions:
            id, title, author, language, format, domain, chunks, words, ingested, *_ = _columns(record)
            also = "" if record is editions[0] else "  also "
            common: list[str | Text] = [Text(also + safe(title)), Text(safe(author)), format, domain]
            more = [language, f"{int(chunks):,}"] if wide else []
            times = [ingested] if wide else []
            table.add_row(*common, *more, f"{int(words):,}", *times, id)
    out.print(table)


_WIDE = 120
"""Characters of a terminal that has room for every column."""


def _columns(record: Record) -> tuple[str, ...]:
    return (
        record.book_id[:8],
        record.title,
        record.author,
        record.language or "",
        record.format,
        record.domain,
        str(record.n_chunks),
        str(record.n_words),
        record.ingested_at[:16].replace("T", " "),
        record.source,
        record.publisher,
        record.date[:10],
        ", ".join(record.translators),
        record.series,
        ", ".join(record.identifiers),
    )


def show_record(record: Record, chunks: Sequence[Mapping[str, Any]], chapters: "Sequence[Chapter]") -> None:
    """Print how a book was stored, what each of its chapters tells of, and its chunks."""
    from alexandria.inspection.stored import stored_cuts

    cuts = ", ".join(f"{n:,} {reason}" for reason, n in sorted(stored_cuts(chunks).items()))
    settings = ", ".join(f"{key} {value}" for key, value in record.settings.items())
    precision = f", vectors computed in {record.precision}" if record.precision else ""
    out.print(Text.assemble((safe(record.title), "bold"), f"  {safe(record.author)}"))
    for line in (
        f"id {record.book_id}",
        f"{record.format}, {record.language or 'language unknown'}, {safe(record.source)}",
        f"ingested {record.ingested_at[:19].replace('T', ' ')} UTC{precision}, {settings}",
        f"{size_of(record.n_chunks, record.n_words)}; cuts: {cuts or 'none'}",
        *_publication(record),
    ):
        out.print(Text(line, "dim"), soft_wrap=True)
    for warning in record.warnings:
        out.print(Text.assemble(("warning: ", "yellow"), safe(warning)))
    if len(chapters) > 1:
        contents = _table("chunks", "chapter", "topic")
        for chapter in chapters:
            numbers = f"{chapter.first_chunk}–{chapter.last_chunk}"
            contents.add_row(
                str(chapter.first_chunk) if chapter.first_chunk == chapter.last_chunk else numbers,
                safe(" › ".join(chapter.headings)),
                safe(", ".join(chapter.topic)),
            )
        out.print(contents)
    table = _table("chunk", "words", "page", "section", "begins")
    for chunk in chunks:
        page = chunk["page_label"] or chunk["page_start"] or ""
        section = Text(safe(" › ".join(chunk["section"])))
        table.add_row(
            str(chunk["chunk_id"]),
            f"{chunk['word_count']:,}",
            str(page),
            section,
            _beginning(chunk),
        )
    out.print(table)


def _beginning(chunk: Mapping[str, Any]) -> Text:
    """Return the first words of a chunk, and below them its topic."""
    beginning = Text(safe(chunk["text"])[:60])
    if topic := topic_of(chunk.get("topic", ())):
        beginning.append(f"\n{safe(topic)}", "dim")
    return beginning


def _publication(record: Record) -> list[str]:
    """Return what is known of a book's publication, in one line or none."""
    parts = [
        record.publisher,
        record.date[:10],
        f"translated by {', '.join(record.translators)}" if record.translators else "",
        f"series {record.series}" if record.series else "",
        ", ".join(record.identifiers),
    ]
    line = "; ".join(safe(part) for part in parts if part)
    return [line] if line else []


def show_explanation(explanation: "Explanation") -> None:
    """Print why a chunk begins and ends where it does."""
    chunk = explanation.chunk
    section = " › ".join(chunk.headings)
    out.print(Text.assemble((safe(explanation.title), "bold"), f"  {safe(section)}"))
    sizes = f"{count_of(chunk.word_count, 'word')}, {count_of(chunk.n_sentences, 'sentence')}"
    inside = f"mean similarity inside {chunk.avg_similarity:.3f}"
    how = f"strategy {explanation.domain.strategy.name}"
    out.print(Text(f"chunk {chunk.index}: {sizes}, {inside}, {how}", "dim"), soft_wrap=True)
    if kept := kept_of(chunk):
        out.print(Text(safe(kept)))
    for name, edge in (("begins", explanation.begins), ("ends", explanation.ends)):
        out.print(
            Text.assemble((f"\n{name}: ", "bold"), safe(edge.why), _similarity(edge.boundary)),
            soft_wrap=True,
        )
        if edge.boundary and edge.boundary.balance:
            costs = f"{balance_of(edge.boundary)}: {terms_of(edge.boundary)}"
            out.print(Padding(Text(costs, "dim"), (0, 0, 0, 2)))
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
