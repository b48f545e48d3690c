"""Reads a manuscript into blocks, and finds what in them may be a quotation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from alexandria.book.model import BlockKind, Book
from alexandria.extract.isolated.process import IsolatedReader
from alexandria.extract.options import ReadOptions
from alexandria.library.check.marks import BetweenMarks, marked_spans
from alexandria.library.check.phrases import PHRASES
from alexandria.library.check.report import CitedSource, TextBlock
from alexandria.library.chunk_text import book_of, paragraphs
from alexandria.library.search.alignment import Letters

_LINED = frozenset(("txt", "markdown", "latex"))  # formats in which a place is a line of the file
_LOOKED_UP = 24  # letters by which the line of a quotation is looked up
_TRAILING = re.compile(
    r"(?:(?:\n|(?<=[.!?…])[”’\"')]*)\s*[—–-]{1,2}\s*(?=[^\W\d_a-zß-ÿ])[^\n]{3,120}"
    r"|\s*[(\[][^()\[\]]{1,200}[)\]])[.,;]?\s*$"
)  # what follows a block quotation: its citation in brackets, or a name after a dash and a full stop
_NOT_QUOTED = re.compile(r"\[![\w-]+\]")
"""How a call-out of Obsidian or GitHub begins, which is typed as a quotation."""
_WORKS_CITED = re.compile(rf"(?:\d+\.?\s*)?(?:{PHRASES['works cited']})", re.IGNORECASE)
_MAX_BETWEEN = 90  # characters between the two pieces of a divided quotation
_ENDS_PIECE = re.compile(r"[.!?]\s+(?=[A-ZÀ-Þ“„«])|[;:]\s*$")


@dataclass(frozen=True, slots=True)
class QuotedSpan:
    """What may be a quotation: a span of a block."""

    block: int  # the number of its block
    start: int
    end: int  # both in the text of the block, without the outer marks
    since: int  # where the one before it ends in this text, or 0
    until: int | None  # where the next one begins; None if there is none
    text: str
    is_block: bool = False  # whether it is set apart instead of being in marks
    is_certain: bool = True  # False for verses that are not said to be quoted
    inner: tuple[BetweenMarks, ...] = ()  # what is in marks inside it
    cited: CitedSource | None = None
    """What is said of its source, if the reader of the manuscript knows; otherwise it is looked for."""
    note: str = ""  # what a reader has noted on a highlight


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A manuscript in blocks."""

    file: str
    book: Book
    blocks: tuple[TextBlock, ...]
    source: str  # the text of the file, if places in it are lines; empty otherwise
    path: Path | None = None  # its file; None for a text
    spans: tuple[QuotedSpan, ...] = ()
    """What is quoted, if its reader knows, as that of highlights does; otherwise it is looked for."""

    @property
    def candidates(self) -> Iterator[QuotedSpan]:
        """What may be a quotation, in order; works cited are none."""
        yield from self.spans
        if self.spans:
            return
        for number, block in enumerate(self.blocks):
            if block.kind is BlockKind.HEADING and _WORKS_CITED.fullmatch(block.text.strip()):
                return
            yield from _candidates_in(block, number)


def read_manuscript(path: Path, reader: IsolatedReader) -> Manuscript:
    """Return a file as a manuscript.

    Raises:
        BookError: it cannot be read.
    """
    book = reader.read(path, ReadOptions(as_manuscript=True))
    lined = book.format in _LINED
    source = path.read_text("utf-8", "replace") if lined else ""
    return Manuscript(str(path), book, _blocks_of(book), source, path)


def manuscript_of(text: str) -> Manuscript:
    """Return a text as a manuscript; paragraphs whose lines begin with `>` are quotations."""
    blocks = [
        replace(block, kind=BlockKind.QUOTE) if re.fullmatch(r"(?:>.*\n?)+", block.text) else block
        for block in paragraphs(text)
    ]
    book = book_of(text, blocks)
    return Manuscript("", book, _blocks_of(book), text)


def _blocks_of(book: Book) -> tuple[TextBlock, ...]:
    blocks, notes = list[TextBlock](), list(book.notes)
    heading, lead, n_sections, n_paragraphs = "", "", 0, 0
    for block in book.blocks:
        if block.kind is BlockKind.HEADING:
            heading, n_sections, n_paragraphs = block.text, n_sections + 1, 0
        else:
            n_paragraphs += 1
        page = block.location.page_label or block.location.page
        where = f"paragraph {n_paragraphs}"
        if page:
            where = f"p. {page}"
        elif heading:
            where = f"§{n_sections} “{heading[:40]}”, {where}"
        cited = [n for n in notes if n.cited_at is not None and block.start <= n.cited_at <= block.end]
        notes = [note for note in notes if note not in cited] if cited else notes
        own = tuple(((note.cited_at or 0) - block.start, note.text) for note in cited)
        blocks.append(TextBlock(block.text, block.start, block.kind, where, own, lead))
        lead = block.text
        blocks += (
            TextBlock(text, block.start + at, BlockKind.PARAGRAPH, f"{where}, note", is_note=True)
            for at, text in own
        )
    loose = (note for note in notes if note.cited_at is None)
    blocks += (TextBlock(n.text, len(book.text), BlockKind.PARAGRAPH, "note", is_note=True) for n in loose)
    return tuple(blocks)


def _candidates_in(block: TextBlock, number: int) -> Iterator[QuotedSpan]:
    if block.kind in (BlockKind.CODE, BlockKind.HEADING) or _NOT_QUOTED.match(block.text):
        return
    spans = marked_spans(block.text)
    if block.kind in (BlockKind.QUOTE, BlockKind.VERSE):
        own = _TRAILING.sub("", block.text)
        start, end = len(own) - len(own.lstrip("> \t\n")), len(own)
        whole = next((span for span in spans if end - start - (span.end - span.start) <= 4), None)
        if whole is not None and not whole.is_inner:  # the marks around it are no part of it
            start, end = whole.start, whole.end
        if end > start:
            inner = tuple(span for span in spans if span != whole and start <= span.start < end)
            certain = block.kind is BlockKind.QUOTE
            yield QuotedSpan(number, start, end, 0, None, block.text[start:end], True, certain, inner)
        return
    outer = [i for i, span in enumerate(spans) if not span.is_inner]
    since = 0
    for i, following in pairwise([*outer, len(spans)]):
        start, end = spans[i].start, spans[i].end
        until = spans[following].start if following < len(spans) else None
        inner = tuple(spans[i + 1 : following])
        yield QuotedSpan(number, start, end, since, until, block.text[start:end], inner=inner)
        since = end


def is_divided(first: QuotedSpan, second: QuotedSpan, blocks: Sequence[TextBlock]) -> bool:
    """Return whether two candidates may be pieces of one quotation, with an attribution between them."""
    if first.block != second.block or first.is_block:
        return False
    between = blocks[first.block].text[first.end + 1 : second.start - 1]
    return 0 < len(between.strip()) <= _MAX_BETWEEN and not _ENDS_PIECE.search(between)


class Lines:
    """The lines of a file in which quotations stand, looked up in their order."""

    def __init__(self, source: str) -> None:
        """Take the text of the file."""
        self._source, self._letters, self._last = source, Letters.of(source), 0

    def of(self, text: str, *, in_note: bool) -> int:
        """Return the line in which a text begins; that of the last one if it is not found.

        Notes may be anywhere: what follows one is looked for after what was before it.
        """
        letters = Letters.of(text).text[:_LOOKED_UP]
        at = self._letters.text.find(letters, self._last)
        at = self._last if at < 0 else at
        self._last = self._last if in_note else at
        offsets = self._letters.offsets
        return self._source.count("\n", 0, offsets[at] if offsets else 0) + 1
