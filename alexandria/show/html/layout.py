"""What pages share: templates that escape everything, and a book's text in pieces from cut to cut."""

from base64 import b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import BaseLoader, Environment, StrictUndefined

from alexandria.book.model import Boundary, Chunk, Reason
from alexandria.book.wording import (
    balance_of,
    comparison_with_margin_of,
    cost_in_words,
    heading_of,
    pages_of,
    similarity_of,
)
from alexandria.book.words import count_of
from alexandria.chunking.cues.notes import phrase_of
from alexandria.chunking.explain import kept_of
from alexandria.library.inspect.comparison import Comparison
from alexandria.library.inspect.inspection import Inspection

ASSETS = Path(__file__).parent / "assets"
_KINDS = {Reason.TOPIC: "topic", Reason.SECTION: "section", Reason.MAX_SIZE: "size", Reason.BREAK: "break"}


def make_environment(loader: BaseLoader) -> Environment:
    """Return an environment for the templates of a loader, with filters that describe cuts and chunks."""
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "count": count_of,
        "heading": heading_of,
        "against": comparison_with_margin_of,
        "balance": balance_of,
        "kept": kept_of,
        "phrase": phrase_of,
        "signed": cost_in_words,
        "similarity": similarity_of,
        "pages": pages_of,
        "kind": _KINDS.__getitem__,
    }
    return environment


@cache
def asset(name: str) -> str:
    """Return the text of a file that a page includes."""
    return (ASSETS / name).read_text(encoding="utf-8")


def security_policy(scripts: Iterable[str], style: str) -> str:
    """Return a policy that allows these scripts, this style, and no network."""
    allowed = " ".join(f"'{_digest(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    """Return the SHA-256 of a script or style as the policy writes it."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence, or a part of one that some strategy splits."""

    start: int
    text: str
    gap: str  # the white space after it; empty at the end of a paragraph


@dataclass(frozen=True, slots=True)
class ParagraphLayout:
    """The spans between two empty lines."""

    spans: tuple[Span, ...]
    is_heading: bool


@dataclass(frozen=True, slots=True)
class Card:
    """What one strategy has at the start of a piece: the chunk, and the cut if the chunk begins here."""

    chunk: Chunk
    begins: bool  # whether the chunk begins with the piece, not before it

    @property
    def boundary(self) -> Boundary | None:
        """The cut here, or None inside a chunk and before the first."""
        return self.chunk.boundary if self.begins else None


@dataclass(frozen=True, slots=True)
class Piece:
    """The text between two neighbouring cuts, of whatever strategy."""

    start: int
    headings: tuple[str, ...] | None  # the heading path if a chapter begins here, otherwise None
    cards: tuple[Card, ...]  # one per strategy
    paragraphs: tuple[ParagraphLayout, ...]


def pieces_of(comparison: Comparison) -> Iterator[Piece]:
    """Yield the book's text in pieces, from each cut of any strategy to the next."""
    first = comparison.inspections[0]
    chapters = {chapter.chunks[0].start: chapter.headings for chapter in first.chapters}
    starts = sorted({chunk.start for inspection in comparison.inspections for chunk in inspection.chunks})
    spans = list(_split_spans(comparison.inspections))
    span_starts = [span.start for span in spans]
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        first_span = bisect_left(span_starts, start)
        stop_span = len(spans) if end is None else bisect_left(span_starts, end)
        headings = chapters.get(start)
        yield Piece(
            start=start,
            headings=headings,
            cards=tuple(_make_card(inspection, start) for inspection in comparison.inspections),
            paragraphs=tuple(_paragraphs(spans[first_span:stop_span], headings or ())),
        )


def clipped(piece: Piece, start: int, end: int) -> Piece:
    """Return what of a piece is between two offsets of the book's text."""
    paragraphs = []
    for paragraph in piece.paragraphs:
        spans = tuple(
            Span(max(span.start, start), span.text[max(0, start - span.start) : end - span.start], span.gap)
            for span in paragraph.spans
            if span.start < end and span.start + len(span.text) > start
        )
        if spans:
            paragraphs.append(replace(paragraph, spans=spans))
    return replace(piece, paragraphs=tuple(paragraphs))


def _make_card(inspection: Inspection, start: int) -> Card:
    next_chunk = bisect_right(inspection.chunks, start, key=lambda chunk: chunk.start)
    chunk = inspection.chunks[next_chunk - 1]
    return Card(chunk, begins=chunk.start == start)


def _split_spans(inspections: Sequence[Inspection]) -> Iterator[Span]:
    """Yield the spans of a book: a sentence that one strategy splits is split for all."""
    starts = sorted(
        {
            start
            for inspection in inspections
            for chunk in inspection.chunks
            for start in chunk.sentence_starts
        }
    )
    for chunk in inspections[0].chunks:
        starts_in_chunk = starts[bisect_left(starts, chunk.start) : bisect_left(starts, chunk.end)]
        ends = [*starts_in_chunk[1:], chunk.end]
        for start, end in zip(starts_in_chunk, ends, strict=True):
            text_and_gap = chunk.text[start - chunk.start : end - chunk.start]
            text = text_and_gap.rstrip()
            yield Span(start, text, gap=text_and_gap[len(text) :])


def _paragraphs(spans: Iterable[Span], headings: Sequence[str]) -> Iterator[ParagraphLayout]:
    """Yield the paragraphs of a piece."""
    # A stored book does not record which block is a heading. The first paragraphs of a chapter count as its
    # headings as long as their texts are in its heading path, each once: a later paragraph with the same text
    # is not a heading.
    # `headings`: the heading path, outermost first, if a chapter begins with the piece; otherwise empty.
    expected = list(headings)
    for paragraph in _split_paragraphs(spans):
        text = " ".join(span.text for span in paragraph)
        is_heading = text in expected
        expected = expected[expected.index(text) + 1 :] if is_heading else []
        yield ParagraphLayout(tuple(paragraph), is_heading)


def _split_paragraphs(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """Yield the spans of each paragraph, the last without a gap; an empty line ends a paragraph."""
    paragraph: list[Span] = []
    for span in spans:
        if span.gap.count("\n") > 1:
            yield [*paragraph, replace(span, gap="")]
            paragraph = []
        else:
            paragraph.append(span)
    if paragraph:
        yield [*paragraph[:-1], replace(paragraph[-1], gap="")]
