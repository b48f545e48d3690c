"""The contents of a library: hits with their citations, books, chunks, findings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from alexandria.book.languages import language_name
from alexandria.book.model import Chunk
from alexandria.book.wording import topic_of
from alexandria.book.words import count_of, fold_text
from alexandria.show.terminal.console import out, print_text, safe, show_message
from alexandria.show.terminal.wrapping import INDENT, print_wrapped, wrap
from alexandria.store.passage import Hit, Passage, Strength
from alexandria.store.payload import unpack
from alexandria.store.record import Record, editions_by_work
from alexandria.store.verify import Finding

if TYPE_CHECKING:
    from alexandria.library.read.contents import Chapter

MAX_PASSAGE = 310
"""Maximum width, in columns, of what is shown around a best sentence: four lines of 80 columns, so that five
hits fit on a screen."""
MAX_EDITIONS = 3  # lines on other editions of a hit on a terminal


_STRENGTH_STYLES = {Strength.STRONG: "green", Strength.FAIR: "yellow", Strength.WEAK: "dim"}


def show_hits(hits: Sequence[Hit], *, full: bool = False, judged: bool = True) -> None:
    """Print the hits, best first, each with its citation and its best sentence highlighted.

    Args:
        hits: the hits, as `Library.search` returns them.
        full: whether to print the whole text of each, not only the part that answers.
        judged: whether to say how well each answers: a quotation is no question.
    """
    if not hits:
        show_message("Nothing was found.")
    for rank, hit in enumerate(hits, 1):
        _print_citation(hit, rank, judged=judged)
        for text in hit.before:
            _print_paragraph(Text(safe(text), "dim"))
        _print_paragraph(_format_passage(hit, full=full))
        for text in hit.after:
            _print_paragraph(Text(safe(text), "dim"))


def _print_citation(hit: Hit, rank: int, *, judged: bool) -> None:
    """Print the lines above the text of a hit: book, relevance, place, id, and other editions of it."""
    authors = " in ".join(filter(None, (hit.chapter_author, hit.author)))
    author = f"  {safe(authors)}" if authors else ""
    book = Text.assemble((safe(hit.as_volume.full_title), "bold"), author)
    if judged and hit.strength is not None:
        book.append("  ").append(hit.strength.value, _STRENGTH_STYLES[hit.strength])
    print_wrapped(out, book, lead=Text(f"{rank}. ", "bold"))
    collection = "" if hit.collection is None else f" in {safe(hit.collection)}"
    place = Text.assemble((safe(_format_place(hit)), "cyan"), (f", {hit.short_id}{collection}", "dim"))
    print_wrapped(out, place)
    for line in _edition_lines(hit):
        print_wrapped(out, Text(safe(line), "dim"))


def _edition_lines(hit: Hit) -> list[str]:
    """Return a line for each other edition that has the passage; on a terminal, for the first few."""
    lines = [f"also in {other.title} ({other.format}), {_format_place(other)}" for other in hit.also_in]
    if not out.is_terminal or len(lines) <= MAX_EDITIONS:
        return lines
    shown = lines[: MAX_EDITIONS - 1]
    return [*shown, f"also in {len(lines) - len(shown)} more editions: --all-editions shows each"]


def _print_paragraph(text: Text) -> None:
    """Print a paragraph, wrapped and indented, and an empty line."""
    for line in wrap(text, out.width - len(INDENT)):
        out.print(Text(INDENT).append_text(line), soft_wrap=True)
    out.print()


def _format_passage(hit: Hit, *, full: bool) -> Text:
    """Return the part of a hit that is shown, with its best sentence highlighted if that is known."""
    # All of the text is shown with `full`, and between neighbouring chunks.
    text = hit.text
    has_neighbours = bool(hit.before or hit.after)
    start, end = (0, len(text)) if full or has_neighbours else _choose_shown_span(hit)
    # Without a best sentence, or if it is a heading that is not shown, an empty span highlights nothing.
    best_span = _offsets_in_text(hit, hit.best) if hit.best else (start, start)
    best_start, best_end = (max(offset, start) for offset in best_span)
    return Text.assemble(
        "… " if start else "",
        safe(text[start:best_start]),
        (safe(text[best_start:best_end]), "bold yellow"),
        safe(text[best_end:end]),
        " …" if end < len(text) else "",
    )


def _choose_shown_span(hit: Hit) -> tuple[int, int]:
    """Return the start and end of the part of a hit's text to show."""
    # This is the paragraphs around the excerpt or, if they are too long, the excerpt, or those of its
    # sentences that are around the best one. A hit without an excerpt is shown around its best sentence; if
    # that is not known either, all of its text is shown.
    text, best_part = hit.text, hit.excerpt or hit.best
    if best_part is None:
        return 0, len(text)
    start, end = _offsets_in_text(hit, best_part)
    paragraphs_start = text.rfind("\n", 0, start) + 1
    paragraphs_end = text.find("\n", end)
    if paragraphs_end == -1:
        paragraphs_end = len(text)
    if cell_len(text[paragraphs_start:paragraphs_end]) <= MAX_PASSAGE:
        return _after_headings(hit, paragraphs_start, paragraphs_end)
    return _after_headings(hit, *_sentences_around_best(hit, start, end))


def _after_headings(hit: Hit, start: int, end: int) -> tuple[int, int]:
    """Return a part of a hit without the heading at its beginning, which the line above it names."""
    headings = fold_text(" ".join(hit.section))
    while (stop := hit.text.find("\n\n", start, end)) > 0 and fold_text(hit.text[start:stop]) in headings:
        start = stop + 2
    return start, end


def _sentences_around_best(hit: Hit, start: int, end: int) -> tuple[int, int]:
    """Return the part of an excerpt that fits: its best sentence, what follows, and what comes before."""
    if hit.best is None or cell_len(hit.text[start:end]) <= MAX_PASSAGE:
        return start, end
    starts = [offset - hit.start for offset in hit.sentence_starts]
    bounds = [start, *(offset for offset in starts if start < offset < end), end]
    best = _offsets_in_text(hit, hit.best)[0]
    first = max((i for i, bound in enumerate(bounds[:-1]) if bound <= best), default=0)
    last = first + 1
    while last < len(bounds) - 1 and cell_len(hit.text[bounds[first] : bounds[last + 1]]) <= MAX_PASSAGE:
        last += 1
    while first and cell_len(hit.text[bounds[first - 1] : bounds[last]]) <= MAX_PASSAGE:
        first -= 1
    return bounds[first], start + len(hit.text[start : bounds[last]].rstrip())


def _offsets_in_text(hit: Hit, span: tuple[int, int]) -> tuple[int, int]:
    """Return a span of the book's text as offsets in the hit's own text."""
    start, end = span
    return start - hit.start, end - hit.start


def _format_place(passage: Passage) -> str:
    return passage.place or "no chapter"


def show_books(records: Sequence[Record]) -> None:
    """Print the library's books, one per line, the editions of a work together.

    On a terminal, long titles and names are wrapped. In a pipe, a line has everything, separated by tabs: id,
    title, author, language, format, domain, chunks, words, time of ingest, file, publisher, date,
    translators, series, identifiers, number and title of the volume.
    """
    works = editions_by_work(records)
    if not out.is_terminal:
        for record in (record for editions in works.values() for record in editions):
            print_text("\t".join(map(safe, _format_columns(record))))
        return
    if not records:
        show_message("no books")
        return
    out.print(_books_table(works.values()))


_WIDE_TERMINAL = 120  # columns of a terminal that has room for every column of the table


def _books_table(works: Iterable[Sequence[Record]]) -> Table:
    """Return a table with a row per book; editions after the first of a work are indented."""
    is_wide = out.width >= _WIDE_TERMINAL
    if is_wide:
        table = _make_table(
            "title", "author", "format", "domain", "language", "chunks", "words", "ingested", "id"
        )
    else:
        table = _make_table("title", "author", "format", "domain", "words", "id")
    for column in table.columns[2:]:
        column.no_wrap = True
    # The title and the author share the width that the other columns leave, three to two.
    table.expand = True
    table.columns[0].ratio = 3
    table.columns[1].ratio = 2
    for editions in works:
        for record in editions:
            also = "" if record is editions[0] else "  also "
            cells = [also + record.as_volume.full_title, record.author, record.format, record.domain]
            if is_wide:
                cells += [record.language or "", f"{record.n_chunks:,}", f"{record.n_words:,}"]
                cells += [_ingest_time(record), _short_book_id(record)]
            else:
                cells += [f"{record.n_words:,}", _short_book_id(record)]
            table.add_row(*(Text(safe(cell)) for cell in cells))
    return table


def _format_columns(record: Record) -> tuple[str, ...]:
    """Return what `list` prints of a book in a pipe, column by column."""
    return (
        _short_book_id(record),
        record.title,
        record.author,
        record.language or "",
        record.format,
        record.domain,
        str(record.n_chunks),
        str(record.n_words),
        _ingest_time(record),
        record.source,
        record.publisher,
        record.date[:10],
        ", ".join(record.translators),
        record.series,
        ", ".join(record.identifiers),
        record.as_volume.number,
        record.as_volume.title,
    )


def _short_book_id(record: Record) -> str:
    """Return the beginning of a book's id, which commands accept in place of the whole."""
    return record.book_id[:8]


def _ingest_time(record: Record) -> str:
    """Return when a book was ingested, in UTC: `2026-05-01 12:30`."""
    return record.ingested_at[:16].replace("T", " ")


_CHAPTER_LINES = 26
"""Lines of chapters that `show` prints, so that a title page fits on one screen of 40 lines."""


def show_record(
    record: Record,
    chapters: "Sequence[Chapter]",
    chunks: Sequence[Passage] = (),
    *,
    settings: bool = False,
    all_chapters: bool = False,
) -> None:
    """Print the title page of a book and its chapters.

    Args:
        chunks: its chunks, printed after the chapters.
        settings: whether to print how it was cut.
        all_chapters: whether to print all chapters, not only the first.
    """
    out.print(Text(safe(record.as_volume.full_title), "bold"))
    for line in _title_page(record, len(chapters)):
        print_wrapped(out, Text(line, "dim"), lead=Text(""))
    for warning in record.warnings:
        print_wrapped(out, Text.assemble(("warning: ", "yellow"), safe(warning)), lead=Text(""))
    if settings:
        for line in _setting_lines(record):
            print_wrapped(out, Text(safe(line)), lead=Text(""))
    shown = chapters if all_chapters else _first_chapters(chapters, _CHAPTER_LINES)
    if len(chapters) > 1:
        out.print(_chapters_table(shown))
    if len(shown) < len(chapters):
        more = count_of(len(chapters) - len(shown), "more chapter")
        out.print(Text(f"and {more}: alexandria show {_short_book_id(record)} --chapters"), soft_wrap=True)
    if chunks:
        out.print(_chunks_table(chunks))


def _title_page(record: Record, n_chapters: int) -> list[str]:
    """Return the lines below a title: who wrote and published the book, how long it is, and its file."""
    sizes = [count_of(record.n_words, "word")]
    if record.n_pages:
        sizes.append(count_of(record.n_pages, "page"))
    if n_chapters > 1:
        sizes.append(count_of(n_chapters, "chapter"))
    language = language_name(record.language) if record.language else "language unknown"
    facts = [record.format, language, f"domain {record.domain}", f"id {_short_book_id(record)}"]
    is_guessed = record.title == record.guessed_title
    return [
        *(["title guessed; alexandria edit --title gives another"] if is_guessed else []),
        *([safe(record.author)] if record.author else []),
        *_describe_publication(record),
        ", ".join(sizes),
        *[safe(f"{part.name}: {part.where}") for part in record.left_out if part.kind == "page_label"],
        *(f"{part.where}: {part.name}" for part in record.left_out if part.kind == "plate"),
        safe(", ".join(facts)),
        safe(record.source),
    ]


def _setting_lines(record: Record) -> list[str]:
    """Return when a book was stored, and the settings that it was cut with."""
    precision = f", vectors computed in {record.precision}" if record.precision else ""
    settings = ", ".join(f"{key} {value}" for key, value in record.settings.items() if value is not None)
    chunks = count_of(record.n_chunks, "chunk")
    return [f"ingested {record.ingested_at[:19].replace('T', ' ')} UTC, {chunks}{precision}", settings]


def _chapters_table(chapters: "Sequence[Chapter]") -> Table:
    """Return a row per chapter: heading, page, words and topic; only headings may take several lines."""
    has_pages = any(chapter.page for chapter in chapters)
    table = _make_table("chapter", *(["page"] if has_pages else []), "words", "topic")
    table.expand, table.columns[0].max_width, table.columns[-1].ratio = True, _heading_width(), 1
    for column in table.columns[1:-1]:
        column.no_wrap = True
    for part, chapter in _by_part(chapters):
        if part:
            table.add_row(Text(part))
        table.add_row(
            _heading(chapter),
            *([Text(safe(chapter.page or ""))] if has_pages else []),
            f"{chapter.n_words:,}",
            _WordsOnOneLine([safe(word) for word in chapter.topic]),
        )
    return table


def _by_part(chapters: "Sequence[Chapter]") -> "Iterator[tuple[str, Chapter]]":
    """Yield each chapter with the headings above it, which are empty unless they differ from those before."""
    part: Sequence[str] = ()
    for chapter in chapters:
        above = chapter.headings[:-1]
        yield safe(" › ".join(above)) if above != part else "", chapter
        part = above


def _first_chapters(chapters: "Sequence[Chapter]", n_lines: int) -> "Sequence[Chapter]":
    """Return the chapters whose headings fit into a number of lines, from the first; at least one."""
    options = out.options.update_width(_heading_width())
    for n, (part, chapter) in enumerate(_by_part(chapters)):
        n_lines -= len(out.render_lines(Text(part), options)) if part else 0
        n_lines -= len(out.render_lines(_heading(chapter), options))
        if n_lines < 0 and n:
            return chapters[:n]
    return chapters


def _heading(chapter: "Chapter") -> Padding:
    """Return the heading of a chapter, indented if it is in a part."""
    *above, heading = chapter.headings or ("(no heading)",)
    return Padding(Text(safe(heading)), (0, 0, 0, 2 if above else 0))


def _heading_width() -> int:
    """Return the most columns of a heading in the table of chapters."""
    return out.width * 3 // 5


@dataclass(frozen=True, slots=True)
class _WordsOnOneLine:
    """As many of some words as fit into the width that there is."""

    words: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Yield the words on one line."""
        fitting = self.words
        while len(fitting) > 1 and cell_len(", ".join(fitting)) > options.max_width:
            fitting = fitting[:-1]
        yield Text(", ".join(fitting), no_wrap=True, overflow="ellipsis")


def _chunks_table(chunks: Sequence[Passage]) -> Table:
    """Return a row per chunk."""
    table = _make_table("chunk", "words", "page", "section", "begins")
    for chunk in (unpack(passage.payload) for passage in chunks):
        page = chunk.page_label or chunk.page_start or ""
        section = Text(safe(" › ".join(chunk.headings)))
        table.add_row(str(chunk.index), f"{chunk.word_count:,}", str(page), section, _beginning(chunk))
    return table


def _beginning(chunk: Chunk) -> Text:
    """Return the first words of a chunk, and below them its topic."""
    beginning = Text(safe(chunk.text)[:60])
    if topic := topic_of(chunk.topic):
        beginning.append(f"\n{safe(topic)}", "dim")
    return beginning


def _describe_publication(record: Record) -> list[str]:
    """Return what is known of a book's publication, in one line or none."""
    parts = [
        record.publisher,
        record.date[:10],
        record.as_article.source,
        f"translated by {', '.join(record.translators)}" if record.translators else "",
        f"series {record.series}" if record.series else "",
        ", ".join(record.identifiers),
    ]
    line = "; ".join(safe(part) for part in parts if part)
    return [line] if line else []


_FLAW_WIDTH = 10  # columns of the kind of flaw before a finding


def show_findings(findings: Sequence[Finding]) -> None:
    """Print what is wrong with a library, one finding after the other."""
    for finding in findings:
        title = f" “{safe(finding.book)}”" if finding.book else ""
        out.print(
            Text.assemble((f"{finding.flaw:>{_FLAW_WIDTH}}", "bold red"), f"{title}  {safe(finding.detail)}"),
            soft_wrap=True,
        )
        out.print(Text.assemble(" " * (_FLAW_WIDTH + 1), ("fix: ", "dim"), safe(finding.fix)), soft_wrap=True)


def _make_table(*names: str) -> Table:
    """Return an empty table with these columns; columns of numbers are right-aligned."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in names:
        is_number = name in ("chunk", "chunks", "words", "page")
        table.add_column(name, justify="right" if is_number else "left", no_wrap=name in ("ingested", "id"))
    return table
