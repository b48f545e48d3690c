"""Turns pages of lines into a draft: leaves out what is not text, and divides the rest into sections."""

from collections.abc import Iterable, Sequence

from alexandria.book import BlockKind, LeftOut, Metadata, count_words
from alexandria.extract.draft import Draft, DraftBlock, DraftNote, DraftSection
from alexandria.extract.options import ReadOptions
from alexandria.extract.pdf.blocks import BlockBuilder, note_text
from alexandria.extract.pdf.breaks import mark_wide_gaps, take_ornaments
from alexandria.extract.pdf.chapters import SectionStart, find_starts
from alexandria.extract.pdf.columns import read_columns
from alexandria.extract.pdf.contents import entry_keys
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page
from alexandria.extract.pdf.matter import take_matter
from alexandria.extract.pdf.notes import FoundNote, note_keys, note_text_start, take_page_notes
from alexandria.extract.pdf.paragraphs import Paragraph, paragraphs_of
from alexandria.extract.pdf.running_heads import Furniture, take_running_heads
from alexandria.extract.pdf.typography import body_size, typography_of


def compose_draft(
    pages: Sequence[Page], outline: Sequence[OutlineEntry], metadata: Metadata, options: ReadOptions
) -> Draft:
    """Return the draft of a book from its pages; it has no sections if nothing on them is text.

    Args:
        pages: of the whole book, in order.
        outline: empty if the file has none; sections are then found by type and numbers.
        metadata: of the file; running heads may repeat its title and authors.
        options: what to keep.
    """
    labels = [page.label for page in pages]
    first_size = body_size(line for page in pages for line in page.lines)
    left_out = [*_left_out("hidden", [line for page in pages for line in page.hidden])]
    pages, furniture = take_running_heads(pages, first_size, (metadata.title, *metadata.authors), outline)
    left_out += _furniture_left_out(furniture)
    contents: frozenset[str] = frozenset()
    if not options.keep_matter:
        pages, matter = take_matter(pages, outline, metadata.title)
        left_out += _matter_left_out(matter)
        contents = entry_keys(line for kind, lines in matter if kind == "contents" for line in lines)
    lines = [line for page in pages for line in page.lines]
    body = body_size(lines)  # again: matter may be set in another size
    text = take_page_notes(read_columns(pages, body), body)
    columns, notes = text.columns, text.notes
    left_out += [*_left_out("notes", text.headings), *_note_marks_left_out(notes)]
    typography = typography_of((column.lines for column in columns), body)
    vocabulary = Vocabulary(lines)
    paragraphs, ornaments = take_ornaments(paragraphs_of(columns, typography, vocabulary))
    mark_wide_gaps(paragraphs, typography)
    left_out += _left_out("ornament", ornaments)
    builder = BlockBuilder(vocabulary, dict(note_keys(notes)), labels)
    sections = _sections(paragraphs, find_starts(paragraphs, outline, body, contents), builder)
    return Draft(
        metadata=metadata,
        sections=sections,
        notes=tuple(
            DraftNote(note.key, note.label, note_text(note.lines, note_text_start(note.lines[0]), vocabulary))
            for note in notes
        ),
        left_out=tuple(left_out),
    )


def _sections(
    paragraphs: Sequence[Paragraph], starts: Sequence[SectionStart], builder: BlockBuilder
) -> tuple[DraftSection, ...]:
    """Return the sections that have blocks; text before the first heading is a section of level 0."""
    sections: list[DraftSection] = []
    path: list[tuple[int, str]] = []  # levels and titles of the open sections
    ends = [start.at for start in starts] + [len(paragraphs)]
    front = _blocks(paragraphs[: ends[0]], builder)
    if front:
        sections.append(DraftSection((), 0, None, front))
    for start, end in zip(starts, ends[1:], strict=True):
        path = [entry for entry in path if entry[0] < start.level] + [(start.level, start.title)]
        text_start = start.at + start.n_heading
        heading = paragraphs[start.at : text_start]
        block = builder.block(heading, BlockKind.HEADING) if heading else None
        blocks = (*([block] if block else []), *_blocks(paragraphs[text_start:end], builder))
        sections.append(DraftSection(tuple(title for _, title in path), start.level, None, blocks))
    return tuple(section for section in sections if section.blocks)


def _blocks(paragraphs: Iterable[Paragraph], builder: BlockBuilder) -> tuple[DraftBlock, ...]:
    blocks = (builder.block([paragraph], paragraph.kind) for paragraph in paragraphs)
    return tuple(block for block in blocks if block)


def _furniture_left_out(furniture: Sequence[Furniture]) -> Iterable[LeftOut]:
    for kind, is_number in (("running_head", False), ("page_number", True)):
        yield from _left_out(kind, [entry.line for entry in furniture if entry.is_number is is_number])


def _matter_left_out(matter: Sequence[tuple[str, Sequence[Line]]]) -> Iterable[LeftOut]:
    lines_by_kind: dict[str, list[Line]] = {}
    for kind, lines in matter:
        lines_by_kind.setdefault(kind, []).extend(lines)
    for kind, lines in lines_by_kind.items():
        yield from _left_out(kind, lines)


def _note_marks_left_out(notes: Sequence[FoundNote]) -> Iterable[LeftOut]:
    if notes:
        n_marks = len(notes) + sum(note.citation is not None for note in notes)
        yield LeftOut("note_mark", "the marks that cite notes, and their labels", n_marks)


def _left_out(kind: str, lines: Sequence[Line]) -> Iterable[LeftOut]:
    """Yield the record of lines that were left out, if there are any."""
    if lines:
        pages = sorted({line.page + 1 for line in lines})
        yield LeftOut(kind, name_pages(pages), sum(count_words(line.text) for line in lines))


def name_pages(numbers: Sequence[int]) -> str:
    """Return the name of some pages: `page 3`, `pages 3-7, 9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    text = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
    return f"page {text}" if len(numbers) == 1 else f"pages {text}"
