"""Turns pages of lines into a draft: leaves out what is not text, and divides the rest into sections."""

from collections.abc import Iterable, Sequence

from alexandria.book import BlockKind, LeftOut, Metadata, count_words
from alexandria.extract.draft import Draft, DraftBlock, DraftNote, DraftSection
from alexandria.extract.options import ReadOptions
from alexandria.extract.pdf.blocks import BlockBuilder, note_text
from alexandria.extract.pdf.breaks import mark_wide_gaps, remove_ornaments
from alexandria.extract.pdf.chapters import SectionStart, find_starts
from alexandria.extract.pdf.columns import read_columns
from alexandria.extract.pdf.contents import entry_keys
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page
from alexandria.extract.pdf.matter import remove_matter
from alexandria.extract.pdf.notes import FoundNote, note_keys, note_text_start, separate_notes
from alexandria.extract.pdf.paragraphs import Paragraph, paragraphs_of
from alexandria.extract.pdf.running_heads import Furniture, remove_running_heads
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
    body = body_size(line for page in pages for line in page.lines)
    left_out = list(_left_out("hidden", [line for page in pages for line in page.hidden]))
    pages, furniture = remove_running_heads(pages, body, (metadata.title, *metadata.authors), outline)
    left_out += _furniture_left_out(furniture)
    contents_keys: frozenset[str] = frozenset()
    if not options.keep_matter:
        pages, matter = remove_matter(pages, outline, metadata.title)
        left_out += _matter_left_out(matter)
        contents_keys = entry_keys(line for kind, lines in matter if kind == "contents" for line in lines)
    lines = [line for page in pages for line in page.lines]
    body = body_size(lines)  # again: matter may be set in another size
    text = separate_notes(read_columns(pages, body), body)
    left_out += _left_out("notes", text.headings)
    left_out += _note_marks_left_out(text.notes)
    typography = typography_of((column.lines for column in text.columns), body)
    vocabulary = Vocabulary(lines)
    paragraphs, ornaments = remove_ornaments(paragraphs_of(text.columns, typography, vocabulary))
    left_out += _left_out("ornament", ornaments)
    mark_wide_gaps(paragraphs, typography)
    starts = find_starts(paragraphs, outline, body, contents_keys)
    builder = BlockBuilder(vocabulary, dict(note_keys(text.notes)), labels)
    return Draft(
        metadata=metadata,
        sections=_sections(paragraphs, starts, builder),
        notes=tuple(_draft_note(note, vocabulary) for note in text.notes),
        left_out=tuple(left_out),
    )


def _draft_note(note: FoundNote, vocabulary: Vocabulary) -> DraftNote:
    text = note_text(note.lines, note_text_start(note.lines[0]), vocabulary)
    return DraftNote(note.key, note.label, text)


def _sections(
    paragraphs: Sequence[Paragraph], starts: Sequence[SectionStart], builder: BlockBuilder
) -> tuple[DraftSection, ...]:
    """Return the sections that have blocks; text before the first heading is a section of level 0."""
    front_end, *section_ends = [*(start.at for start in starts), len(paragraphs)]
    front = _blocks(paragraphs[:front_end], builder)
    sections = [DraftSection(headings=(), level=0, href=None, blocks=front)]
    path: list[tuple[int, str]] = []  # the levels and titles of a section and of those around it
    for start, end in zip(starts, section_ends, strict=True):
        path = [(level, title) for level, title in path if level < start.level]
        path.append((start.level, start.title))
        text_start = start.at + start.n_heading
        heading = paragraphs[start.at : text_start]
        heading_block = builder.block(heading, BlockKind.HEADING) if heading else None
        blocks = _blocks(paragraphs[text_start:end], builder)
        if heading_block:
            blocks = (heading_block, *blocks)
        headings = tuple(title for _, title in path)
        sections.append(DraftSection(headings=headings, level=start.level, href=None, blocks=blocks))
    return tuple(section for section in sections if section.blocks)


def _blocks(paragraphs: Iterable[Paragraph], builder: BlockBuilder) -> tuple[DraftBlock, ...]:
    """Return one block per paragraph that has text."""
    blocks = (builder.block([paragraph], paragraph.kind) for paragraph in paragraphs)
    return tuple(block for block in blocks if block)


def _furniture_left_out(furniture: Sequence[Furniture]) -> Iterable[LeftOut]:
    """Yield the records of running heads, then of page numbers."""
    yield from _left_out("running_head", [entry.line for entry in furniture if not entry.is_number])
    yield from _left_out("page_number", [entry.line for entry in furniture if entry.is_number])


def _matter_left_out(matter: Sequence[tuple[str, Sequence[Line]]]) -> Iterable[LeftOut]:
    """Yield one record per kind of matter, in the order in which the kinds first occur."""
    lines_by_kind: dict[str, list[Line]] = {}
    for kind, lines in matter:
        lines_by_kind.setdefault(kind, []).extend(lines)
    for kind, lines in lines_by_kind.items():
        yield from _left_out(kind, lines)


def _note_marks_left_out(notes: Sequence[FoundNote]) -> Iterable[LeftOut]:
    """Yield the record of the notes' labels and of the marks that cite them, if there are notes."""
    if notes:
        n_labels = len(notes)
        n_marks = sum(note.citation is not None for note in notes)
        yield LeftOut("note_mark", "the marks that cite notes, and their labels", n_labels + n_marks)


def _left_out(kind: str, lines: Sequence[Line]) -> Iterable[LeftOut]:
    """Yield the record of lines that were left out, if there are any."""
    if lines:
        pages = sorted({line.page + 1 for line in lines})
        yield LeftOut(kind, name_pages(pages), sum(count_words(line.text) for line in lines))


def name_pages(numbers: Sequence[int]) -> str:
    """Return the name of some pages: `page 3`, `pages 3-7, 9`."""
    ranges: list[list[int]] = []  # the first and the last page of each
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    text = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
    return f"page {text}" if len(numbers) == 1 else f"pages {text}"
