"""Removes Project Gutenberg's licence and credits from a text, and reads the title and the author in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from alexandria.book.languages import language_tag
from alexandria.book.model import LeftOut, Metadata, count_words
from alexandria.book.places import BLOCK_SEPARATOR, slice_anchors
from alexandria.extract.draft import Draft, DraftBlock, DraftSection, NoteMark, PageMark

# The header ends with its own marker or, before 2001, with the end of the "small print".
_START = re.compile(r"^[ \t]*\*{3}[ \t]*START OF (?:THIS|THE) PROJECT GUTENBERG\b.*$", re.M | re.I)
_SMALL_PRINT_END = re.compile(r"^.*\*[ \t]*END[ \t]*\*?[ \t]*THE SMALL PRINT.*$", re.M | re.I)
_END = re.compile(
    r"^[ \t]*(?:\*{3}[ \t]*END OF (?:THIS|THE) PROJECT GUTENBERG\b"
    r"|\*{0,3}[ \t]*End of (?:the |this )?Project Gutenberg\b"
    r"|\*{0,3}[ \t]*(?:Ende dieses|Fin de|Fine di questo|Fin del) Proje[ck]t Gutenberg\b)",
    re.M | re.I,
)
_MARKER_REST = re.compile(r"(?:\n[^\n]+){0,2}?\*{3}[ \t]*$", re.M)
_NAMES_GUTENBERG = re.compile(r"Project Gutenberg", re.I)
_CREDITS = re.compile(
    r"\s*(?:Produced by|E-?text prepared by|This e-?(?:text|book) was (?:produced|prepared|transcribed)|"
    r"Note: Project Gutenberg|Transcribed from|Scanned by|Updated editions?)\b",
    re.I,
)
_FIELD = re.compile(r"^(Title|Author|Translator|Language|Release Date):[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.M)
_FIRST_LINE = re.compile(
    r"Project Gutenberg(?:['’]s)?(?: E-?(?:text|book))?(?:,| of) (?P<title>[^\n]+?)"
    r"(?:,? by (?P<author>[^\n]+?))?\s*$",
    re.M | re.I,
)
_PARAGRAPH = re.compile(r"\s*(\S[^\n]*(?:\n[ \t]*\S[^\n]*)*)")
_MAX_HEADER = 40_000  # characters; with the old small print a header has up to 15,000


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A text without the licence."""

    text: str
    metadata: Metadata
    left_out: tuple[LeftOut, ...]


def unwrap_licence(text: str) -> Unwrapped:
    """Return the text between Project Gutenberg's markers; all of it if it has none.

    Args:
        text: the text of a file, with `\\n` as line breaks.
    """
    spans = _book_spans(text)
    metadata = _parse_metadata(text[: spans[0][0]])
    return Unwrapped(
        "".join(text[start:end] for start, end in spans), metadata, tuple(_left_out(text, spans))
    )


def without_licence(draft: Draft) -> Draft:
    """Return a draft of any format without the licence.

    The title and author in the licence's header take precedence over the file's own metadata.
    """
    blocks = [block for section in draft.sections for block in section.blocks]
    text = BLOCK_SEPARATOR.join(block.text for block in blocks)
    spans = _book_spans(text)
    if spans == [(0, len(text))]:
        return draft
    sections = tuple(part for start, end in spans for part in _cut_sections(draft.sections, start, end))
    if not sections:
        return draft  # the licence itself is the book
    header = _parse_metadata(text[: spans[0][0]])
    names_others = bool(header.authors) and header.authors != draft.metadata.authors
    return replace(
        draft,
        metadata=replace(
            draft.metadata,
            title=header.title or draft.metadata.title,
            authors=header.authors or draft.metadata.authors,
            translators=draft.metadata.translators or header.translators,
            people=() if names_others else draft.metadata.people,
            language=draft.metadata.language or header.language,
            language_source=draft.metadata.language_source or header.language_source,
        ),
        sections=sections,
        left_out=(*draft.left_out, *_left_out(text, spans)),
    )


def _book_spans(text: str) -> list[tuple[int, int]]:
    """Return where each book begins, after header and credits, and where it ends, before the footer."""
    # A text is usually one book, but several files may have been put together. A text that does not name
    # Project Gutenberg is the book from end to end.
    if not _NAMES_GUTENBERG.search(text[:_MAX_HEADER]):
        return [(0, len(text))]
    spans = []
    start: int | None = _header_end(text)
    while start is not None:
        footer = _END.search(text, start)
        end = footer.start() if footer else len(text)
        spans.append((_credits_end(text, start, end) if start > 0 else start, end))
        next_marker = _START.search(text, end)
        start = _marker_end(text, next_marker) if next_marker else None
    return spans


def _left_out(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[LeftOut]:
    """Yield a record of the licence's header and one of its footers, unless they are empty."""
    # `spans`: where the books in it begin and end; after each comes a footer, before the next one begins.
    n_header_words = count_words(text[: spans[0][0]])
    footer_ends = [*(next_book_start for next_book_start, _ in spans[1:]), len(text)]
    n_footer_words = sum(
        count_words(text[end:stop]) for (_, end), stop in zip(spans, footer_ends, strict=True)
    )
    for where, words in (("header", n_header_words), ("footer", n_footer_words)):
        if words:
            yield LeftOut("licence", f"Project Gutenberg's {where}", words)


def _cut_sections(sections: tuple[DraftSection, ...], start: int, end: int) -> Iterator[DraftSection]:
    """Yield the sections without the text outside two offsets in the joined text of all blocks."""
    # Sections and blocks of which nothing is left are dropped. The last page that begins in the dropped
    # blocks before the text continues in the first block of the text.
    block_start = 0  # in the joined text
    header_page: PageMark | None = None
    for section in sections:
        blocks = []
        for block in section.blocks:
            part = _cut_block(block, start - block_start, end - block_start)
            if part.text:
                blocks.append(_with_page_start(part, header_page) if header_page else part)
                header_page = None
            elif block_start < end and block.pages:
                header_page = replace(block.pages[-1], offset=0)
            block_start += len(block.text) + len(BLOCK_SEPARATOR)
        if blocks:
            yield replace(section, blocks=tuple(blocks))


def _cut_block(block: DraftBlock, start: int, end: int) -> DraftBlock:
    """Return a block without the text outside two offsets, stripped; the offsets may be outside the block."""
    # Pages that begin before the part then begin at its start: the part begins on the last of them.
    if start <= 0 and end >= len(block.text):
        return block
    start, end = max(start, 0), max(end, 0)
    part = block.text[start:end]
    text = part.strip()
    text_start = start + len(part) - len(part.lstrip())

    def offset_in_text(offset: int) -> int:
        return min(max(offset - text_start, 0), len(text))

    # A mark is at the end of the word that cites the note: a mark at `start` belongs to the text before it.
    notes = (NoteMark(offset_in_text(n.offset), n.key) for n in block.notes if start < n.offset <= end)
    pages = (replace(p, offset=offset_in_text(p.offset)) for p in block.pages if p.offset < end)
    return replace(
        block,
        text=text,
        notes=tuple(notes),
        pages=tuple(pages),
        source=slice_anchors(block.source, len(block.text), text_start, text_start + len(text)),
    )


def _with_page_start(block: DraftBlock, page: PageMark) -> DraftBlock:
    """Return a block with a page that begins at its start, unless another page begins there already."""
    if any(mark.offset == 0 for mark in block.pages):
        return block
    return replace(block, pages=(page, *block.pages))


def _header_end(text: str) -> int:
    """Return where the header of the licence ends, or 0 if there is none."""
    if marker := _START.search(text, 0, _MAX_HEADER):
        return _marker_end(text, marker)
    small_print = _SMALL_PRINT_END.search(text, 0, _MAX_HEADER)
    return small_print.end() if small_print else 0


def _marker_end(text: str, marker: re.Match[str]) -> int:
    """Return where the marker ends: a long title takes several lines, up to the closing asterisks."""
    rest = None if marker[0].rstrip().endswith("***") else _MARKER_REST.match(text, marker.end())
    return rest.end() if rest else marker.end()


def _credits_end(text: str, start: int, end: int) -> int:
    """Return where the credits end: the first paragraphs, while they name those who prepared the file."""
    while True:
        paragraph = _PARAGRAPH.match(text, start, end)
        if paragraph is None or not _CREDITS.match(paragraph[1]):
            return start
        start = paragraph.end()


def _parse_metadata(header: str) -> Metadata:
    """Return the metadata in a header: in its fields or, in old files, in its first line."""
    fields: dict[str, str] = {}
    for field in _FIELD.finditer(header):
        lines = [line.strip() for line in field[2].split("\n") if line.strip()]
        fields.setdefault(field[1], ": ".join(lines))  # a second line is the subtitle
    first_line = _FIRST_LINE.search(header)
    title = fields.get("Title") or (first_line["title"] if first_line else "")
    author = fields.get("Author") or (first_line["author"] if first_line else "") or ""
    first_language = re.split("[,;]", fields.get("Language", ""), maxsplit=1)[0]
    language = language_tag(first_language)
    return Metadata(
        title=title.replace(":: ", ": "),  # where the first line of the title ends in a colon itself
        authors=_names_in(author),
        translators=_names_in(fields.get("Translator", "")),
        language=language,
        language_source="metadata" if language else None,
    )


def _names_in(field: str) -> tuple[str, ...]:
    """Return the names in a field that lists people."""
    return tuple(re.split(r"\s*(?:,? and |;|&)\s*", field)) if field else ()
