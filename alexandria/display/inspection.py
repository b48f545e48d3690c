"""The inspect view in the terminal: where a book is cut, and why."""

from collections import Counter

import numpy as np
from rich.console import Group
from rich.text import Text

from alexandria.book import Book, Boundary, Chunk, Reason
from alexandria.display.console import out, safe
from alexandria.pipeline import Analysis

_BARS = "▁▂▃▄▅▆▇█"


def show_analysis(analysis: Analysis, *, all_gaps: bool) -> None:
    """Print a book's cuts: header, curve of similarities, and the chunks with the boundary before each."""
    out.print(_header(analysis))
    out.print(_curve(analysis, max(20, out.width - 2)))
    out.print(_gaps(analysis) if all_gaps else _chunks(analysis))
    if analysis.book.left_out:
        out.print(left_out(analysis.book))
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


def left_out(book: Book) -> Text:
    """Return what extraction left out, by kind."""
    kinds: dict[str, int] = {}
    for part in book.left_out:
        kinds[part.kind] = kinds.get(part.kind, 0) + part.words
    parts = ", ".join(f"{kind} ({words:,} words)" for kind, words in kinds.items())
    return Text(f"left out: {safe(parts)}", "dim")
