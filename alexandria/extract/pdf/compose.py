"""Turns pages of lines into a draft: leaves out what is not text, and divides the rest into sections."""

import re
from collections.abc import Iterable, Sequence

from alexandria.book.model import BlockKind, LeftOut, LeftOutLine, Metadata, count_words
from alexandria.extract.clean import one_line
from alexandria.extract.draft import Draft, DraftBlock, DraftNote, DraftSection
from alexandria.extract.notes.in_pdf import FoundNote, find_note_text_start, note_keys, separate_notes
from alexandria.extract.options import ReadOptions
from alexandria.extract.pdf.archive import separate_cover, with_journal
from alexandria.extract.pdf.blocks import BlockBuilder, join_note_text, numbers_verses
from alexandria.extract.pdf.breaks import separate_ornaments, set_breaks_at_wide_gaps
from alexandria.extract.pdf.captions import paragraphs_around_captions
from alexandria.extract.pdf.chapters import SectionStart, find_starts
from alexandria.extract.pdf.columns import read_columns
from alexandria.extract.pdf.contents import contents_title_keys
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page, without_lines
from alexandria.extract.pdf.listings import with_listings, with_listings_marked
from alexandria.extract.pdf.margins import separate_margins
from alexandria.extract.pdf.matter import MatterLines, separate_matter
from alexandria.extract.pdf.paragraphs import Paragraph
from alexandria.extract.pdf.running_heads import labels_of, separate_running_heads
from alexandria.extract.pdf.typography import measure_body_size, typography_of
from alexandria.extract.runs import group_runs


def compose_draft(
    pages: Sequence[Page], outline: Sequence[OutlineEntry], metadata: Metadata, options: ReadOptions
) -> Draft:
    """Return the draft of a book from its pages; it has no sections if nothing on them is text.

    Args:
        outline: empty if the file has none; sections are then found by type and numbers.
        metadata: the metadata of the file; running heads may repeat its title and authors.
        options: whether to keep matter, such as contents and indexes.
    """
    without_cover, cover, metadata = separate_cover(pages, with_journal(metadata, pages))
    if cover and not options.keep_matter:
        pages = without_cover
    # Remove what is printed in the margins, then running heads and page numbers.
    readings = [line for page in pages for line in page.lines if line.is_reading]
    pages = [without_lines(page, readings) for page in pages] if readings else pages
    body_with_matter = measure_body_size(line for page in pages for line in page.lines)
    names = (metadata.title, *metadata.authors)
    margins = separate_margins(pages, body_with_matter)
    without_heads = separate_running_heads(margins.pages, body_with_matter, names, outline)
    pages_without_heads, furniture = without_heads.pages, without_heads.furniture

    # Remove front and back matter. The titles in the contents still help to recognise the headings of
    # chapters.
    text_pages = pages_without_heads
    matter: list[MatterLines] = []
    if not options.keep_matter:
        text_pages, matter = separate_matter(pages_without_heads, outline, metadata.title)
    contents_lines = (line for kind, lines in matter if kind == "contents" for line in lines)
    contents_keys = contents_title_keys(contents_lines)

    # Divide the pages into columns, and separate the notes from the text.
    text_lines = [line for page in text_pages for line in page.lines]
    body_size = measure_body_size(text_lines)  # measured again: matter may be set in another size
    columns = with_listings_marked(read_columns(text_pages, body_size))
    separated = separate_notes(columns, body_size)

    # Divide the columns into paragraphs, and find the breaks between them.
    typography = typography_of((column.lines for column in separated.columns), body_size)
    vocabulary = Vocabulary(text_lines, metadata.language)
    paragraphs = with_listings(paragraphs_around_captions(separated.columns, typography, vocabulary))
    paragraphs, ornaments = separate_ornaments(paragraphs)
    set_breaks_at_wide_gaps(paragraphs, typography)

    # Divide the paragraphs into sections.
    starts = find_starts(paragraphs, outline, body_size, contents_keys)
    labels = labels_of(pages, furniture)
    numbers = [page.number for page in pages]
    keys = dict(note_keys(separated.notes))
    builder = BlockBuilder(vocabulary, keys, labels, pages, has_verses=numbers_verses(text_lines))
    left_out: list[MatterLines] = [
        ("hidden", [line for page in pages for line in page.hidden]),
        ("running_head", [entry.line for entry in furniture if not entry.is_number]),
        ("page_number", [entry.line for entry in furniture if entry.is_number]),
        ("ruby", readings),
        ("line_numbers", margins.line_numbers),
        ("side_note", margins.side_notes),
        ("cover", [] if options.keep_matter else cover),
        *matter,
        ("notes", separated.headings),
        ("ornament", ornaments),
    ]
    return Draft(
        metadata=metadata,
        sections=_make_sections(paragraphs, starts, builder),
        notes=tuple(_draft_note(note, vocabulary) for note in separated.notes),
        left_out=(
            *_records_of_lines(left_out, numbers),
            *_records_of_layers(pages),
            *_records_of_labels(pages, labels),
            *_records_of_comments(pages),
            *_records_of_note_marks(separated.notes),
        ),
        left_out_lines=tuple(
            LeftOutLine(kind, numbers[line.page], one_line(line.text))
            for kind, lines in left_out
            for line in lines
        ),
        warnings=tuple(_warnings_of(without_heads.doubtful, numbers)),
    )


def _warnings_of(doubtful: Sequence[Line], numbers: Sequence[int]) -> Iterable[str]:
    """Yield a warning if lines that look like running heads were left in the text."""
    if doubtful:
        names = name_pages(sorted({numbers[line.page] for line in doubtful}))
        yield f"{names}: lines like running heads were left in, as they may be text"


def _draft_note(note: FoundNote, vocabulary: Vocabulary) -> DraftNote:
    text = join_note_text(note.lines, find_note_text_start(note.lines[0]), vocabulary)
    return DraftNote(note.key, note.label, text)


def _make_sections(
    paragraphs: Sequence[Paragraph], starts: Sequence[SectionStart], builder: BlockBuilder
) -> tuple[DraftSection, ...]:
    """Return the sections that have blocks; text before the first heading is a section of level 0."""
    front_end, *section_ends = [*(start.index for start in starts), len(paragraphs)]
    front = _make_blocks(paragraphs[:front_end], builder)
    sections = [DraftSection(headings=(), level=0, href=None, blocks=front)]
    path: list[tuple[int, str]] = []  # the levels and titles of a section and of those around it
    for start, end in zip(starts, section_ends, strict=True):
        path = [(level, title) for level, title in path if level < start.level]
        path.append((start.level, start.title))
        text_start = start.index + start.n_heading
        heading = paragraphs[start.index : text_start]
        heading_block = builder.block(heading, BlockKind.HEADING) if heading else None
        blocks = _make_blocks(paragraphs[text_start:end], builder)
        if heading_block:
            blocks = (heading_block, *blocks)
        headings = tuple(title for _, title in path)
        sections.append(DraftSection(headings=headings, level=start.level, href=None, blocks=blocks))
    return tuple(section for section in sections if section.blocks)


def _make_blocks(paragraphs: Iterable[Paragraph], builder: BlockBuilder) -> tuple[DraftBlock, ...]:
    blocks = (builder.block([paragraph], paragraph.kind) for paragraph in paragraphs)
    return tuple(block for block in blocks if block)


def _records_of_layers(pages: Sequence[Page]) -> Iterable[LeftOut]:
    """Yield the record of what is in layers that are switched off."""
    if numbers := sorted({page.number for page in pages if page.n_switched_off}):
        n_words = sum(page.n_switched_off for page in pages)
        yield LeftOut("hidden", f"layers that are off, {name_pages(numbers)}", n_words)


def _records_of_labels(pages: Sequence[Page], labels: Sequence[str | None]) -> Iterable[LeftOut]:
    """Yield the record of the labels of the file that give way to printed numbers: "image 3" to 167."""
    pairs = [(page.label, label) for page, label in zip(pages, labels, strict=True) if page.label and label]
    if given := [f"{own} → {label}" for own, label in pairs if label not in re.findall(r"\w+", own)]:
        where = f"printed numbers are cited in place of the file's: {', '.join(given[:3])}"
        yield LeftOut("page_label", where, len(given))


def _records_of_comments(pages: Sequence[Page]) -> Iterable[LeftOut]:
    """Yield the record of what is laid over pages, and is no part of their text."""
    if numbers := sorted({page.number for page in pages if page.comments}):
        n_words = sum(count_words(words) for page in pages for words in page.comments)
        yield LeftOut("comment", name_pages(numbers), n_words)


def _records_of_note_marks(notes: Sequence[FoundNote]) -> Iterable[LeftOut]:
    """Yield what is left out of a PDF's text as labels of notes and marks that cite them, if any."""
    if notes:
        # Each label and each mark counts as a word.
        n_words = len(notes) + sum(note.citation is not None for note in notes)
        yield LeftOut("note_mark", where="the marks that cite notes, and their labels", words=n_words)


def _records_of_lines(left_out: Iterable[MatterLines], numbers: Sequence[int]) -> Iterable[LeftOut]:
    """Yield one record per kind of lines that were left out, in the order in which the kinds first occur."""
    lines_by_kind: dict[str, list[Line]] = {}
    for kind, lines in left_out:
        lines_by_kind.setdefault(kind, []).extend(lines)
    for kind, lines in lines_by_kind.items():
        if lines:
            pages = sorted({numbers[line.page] for line in lines})
            yield LeftOut(kind, name_pages(pages), sum(count_words(line.text) for line in lines))


def name_pages(numbers: Sequence[int]) -> str:
    """Return the name of some pages: `page 3`, `pages 3-7, 9`."""
    ranges = group_runs(numbers, lambda pages, number: number == pages[-1] + 1)
    text = ", ".join(f"{pages[0]}-{pages[-1]}" if pages[1:] else str(pages[0]) for pages in ranges)
    return f"page {text}" if len(numbers) == 1 else f"pages {text}"
