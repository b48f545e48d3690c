"""PDF to draft. The modules in the order in which a page meets them:

reader → running_heads → matter → columns → notes → paragraphs → hyphens → breaks → chapters → blocks;
`fallback` is the second reader, `garbled` recognises text layers without text, `typography` measures type.
"""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.book import BlockKind, LeftOut, Metadata, count_words
from alexandria.errors import BookError, Code
from alexandria.extract.draft import Draft, DraftBlock, DraftNote, DraftSection
from alexandria.extract.metadata import read_metadata
from alexandria.extract.ocr.languages import tesseract_command
from alexandria.extract.options import OCR_OFF, ReadOptions
from alexandria.extract.pdf.blocks import BlockBuilder, note_text
from alexandria.extract.pdf.breaks import mark_wide_gaps, take_ornaments
from alexandria.extract.pdf.chapters import SectionStart, find_starts
from alexandria.extract.pdf.columns import read_columns
from alexandria.extract.pdf.contents import entry_keys
from alexandria.extract.pdf.garbled import is_garbled
from alexandria.extract.pdf.hyphens import Vocabulary
from alexandria.extract.pdf.lines import Line, OutlineEntry, Page
from alexandria.extract.pdf.matter import take_matter
from alexandria.extract.pdf.notes import FoundNote, note_keys, note_text_start, take_notes
from alexandria.extract.pdf.paragraphs import Paragraph, read_paragraphs
from alexandria.extract.pdf.reader import decoded, read_outline, read_pages
from alexandria.extract.pdf.running_heads import Furniture, take_running_heads
from alexandria.extract.pdf.scanned import scanned_lines
from alexandria.extract.pdf.typography import body_size, typography_of
from alexandria.scans import LEAST_CONFIDENCE, Scan, UnrecognisedError


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a PDF.

    Raises:
        BookError: `password`, `damaged`, `no_text` (a scan) or `garbled` (a text layer without text).
    """
    try:
        document = pdfium.PdfDocument(path, password=options.password)
    except pdfium.PdfiumError as error:
        return _second_reading(path, options, error)
    try:
        pages = list(read_pages(document))
        outline = read_outline(document)
        metadata = read_metadata(_info(document))
    finally:
        document.close()
    if not pages:
        raise _damaged(path)
    return _draft(path, _with_scans(pages, options), outline, metadata, options)


def _with_scans(pages: Sequence[Page], options: ReadOptions) -> list[Page]:
    """Return the pages with the lines that were recognised on those without text.

    Raises:
        UnrecognisedError: they are to be recognised first.
    """
    unread = [page for page in pages if page.unread]
    if not unread or options.ocr == OCR_OFF:
        return [*pages]
    if options.scanned is None:
        raise UnrecognisedError(Scan(tuple(str(page.index + 1) for page in unread), len(pages), None))
    keys = {page.index: str(page.index + 1) for page in unread}
    scanned = {index: options.scanned[key] for index, key in keys.items() if key in options.scanned}
    lines = scanned_lines(scanned)
    return [
        replace(page, lines=lines[page.index], unread=False, confidence=scanned[page.index].confidence)
        if page.index in lines
        else page
        for page in pages
    ]


def _second_reading(path: Path, options: ReadOptions, error: pdfium.PdfiumError) -> Draft:
    """Return the draft that pypdf reads from a file that PDFium rejected with `error`."""
    if error.err_code == raw.FPDF_ERR_PASSWORD:
        raise BookError(
            f"cannot read {path}",
            why="the password is wrong" if options.password else "it is encrypted and needs a password",
            fix="pass the password with --password-file, or in ALEXANDRIA_PASSWORD",
            code=Code.PASSWORD,
        ) from error
    if error.err_code == raw.FPDF_ERR_SECURITY:
        raise BookError(
            f"cannot read {path}",
            why="it is protected by a rights management system (DRM)",
            fix="use a copy without DRM",
            code=Code.DRM,
        ) from error
    # Seldom needed, and half of the import time of the PDF modules.
    from alexandria.extract.pdf.fallback import UnreadableError, read_pages_slowly

    try:
        pages, info = read_pages_slowly(path, options.password)
    except UnreadableError as second:
        raise _damaged(path) from second
    return _draft(path, pages, (), read_metadata(info), options)


def _info(document: pdfium.PdfDocument) -> dict[str, str]:
    """Return the Info dictionary; a string that cannot be decoded is empty."""
    return {key: decoded(partial(document.get_metadata_value, key)) for key in document.METADATA_KEYS}


def _damaged(path: Path) -> BookError:
    return BookError(
        f"cannot read {path}",
        why="the file is damaged or truncated: no page can be found in it",
        fix="get a fresh copy of the file",
        code=Code.DAMAGED,
    )


def _draft(
    path: Path,
    pages: Sequence[Page],
    outline: Sequence[OutlineEntry],
    metadata: Metadata,
    options: ReadOptions,
) -> Draft:
    _refuse_no_text(path, pages)
    labels = [page.label for page in pages]
    size = body_size(line for page in pages for line in page.lines)
    left_out = [*_left_out("hidden", [line for page in pages for line in page.hidden])]
    pages, furniture = take_running_heads(pages, size, (metadata.title, *metadata.authors), outline)
    left_out += _furniture(furniture)
    contents: frozenset[str] = frozenset()
    if not options.keep_matter:
        pages, matter = take_matter(pages, outline, metadata.title)
        left_out += _matter(matter)
        contents = entry_keys(line for kind, lines in matter if kind == "contents" for line in lines)
    lines = [line for page in pages for line in page.lines]
    body = body_size(lines)
    taken = take_notes(read_columns(pages, body), body)
    columns, notes = taken.columns, taken.notes
    left_out += [*_left_out("notes", taken.headings), *_note_marks(notes)]
    typography = typography_of((column.lines for column in columns), body)
    words = Vocabulary(lines)
    paragraphs, ornaments = take_ornaments(read_paragraphs(columns, typography, words))
    mark_wide_gaps(paragraphs, typography)
    left_out += _left_out("ornament", ornaments)
    builder = BlockBuilder(words, dict(note_keys(notes)), labels)
    sections = _sections(paragraphs, find_starts(paragraphs, outline, body, contents), builder)
    if not sections:
        raise _no_text(path, pages)
    return Draft(
        metadata=metadata,
        sections=sections,
        notes=tuple(
            DraftNote(note.key, note.label, note_text(note.lines, note_text_start(note.lines[0]), words))
            for note in notes
        ),
        left_out=tuple(left_out),
        warnings=tuple(_warnings(pages)),
        n_pages=len(pages),
    )


def _sections(
    paragraphs: Sequence[Paragraph], starts: Sequence[SectionStart], builder: BlockBuilder
) -> tuple[DraftSection, ...]:
    sections: list[DraftSection] = []
    path: list[tuple[int, str]] = []
    first = starts[0].at if starts else len(paragraphs)
    front = _blocks(paragraphs[:first], builder)
    if front:
        sections.append(DraftSection((), 0, None, front))
    for i, start in enumerate(starts):
        end = starts[i + 1].at if i + 1 < len(starts) else len(paragraphs)
        path = [entry for entry in path if entry[0] < start.level] + [(start.level, start.title)]
        after = start.at + start.n_heading
        heading = builder.block(paragraphs[start.at : after], BlockKind.HEADING) if start.n_heading else None
        blocks = (*([heading] if heading else []), *_blocks(paragraphs[after:end], builder))
        sections.append(DraftSection(tuple(title for _, title in path), start.level, None, blocks))
    return tuple(section for section in sections if section.blocks)


def _blocks(paragraphs: Iterable[Paragraph], builder: BlockBuilder) -> tuple[DraftBlock, ...]:
    blocks = (builder.block([paragraph], paragraph.kind) for paragraph in paragraphs)
    return tuple(block for block in blocks if block)


def _refuse_no_text(path: Path, pages: Sequence[Page]) -> None:
    texts = [line.text for page in pages for line in page.lines]
    if not any(character.isalnum() for text in texts for character in text):
        raise _no_text(path, pages)
    if is_garbled(texts):
        raise BookError(
            f"cannot read {path}",
            why="its text layer is garbled: its fonts do not map glyphs to letters",
            fix=f"run OCR over it, for example  ocrmypdf --force-ocr {_ocr_names(path)}",
            code=Code.GARBLED,
        )


def _no_text(path: Path, pages: Sequence[Page]) -> BookError:
    """Return the error of a file without words on its pages, which need not be a scan."""
    why = f"{len(pages)} of {len(pages)} pages have no text layer"
    fix = f"run OCR first, for example  ocrmypdf {_ocr_names(path)}"
    if any(page.confidence is not None for page in pages):
        why += ", and no words were found on its pictures"
        fix = "look at its pages in a reader, or name the language of the book with --ocr LANG"
    elif any(page.unread for page in pages):
        why += "; it is a scan"
        fix = f"install tesseract, which reads scans: {tesseract_command()}; or {fix}"
    elif any(page.lines for page in pages):
        why = "its pages have signs, but no letters or digits"
    elif any(page.hidden for page in pages):
        why = "all of its text is outside the visible part of its pages, their CropBox"
        fix = "reset the crop boxes of its pages in a PDF editor"
    else:
        why += "; they are blank, or their letters are drawn as shapes"
    return BookError(f"cannot read {path}", why=why, fix=fix, code=Code.NO_TEXT)


def _warnings(pages: Sequence[Page]) -> Iterable[str]:
    unread = [page.index + 1 for page in pages if page.unread]
    if unread:
        yield f"{_pages(unread)} not read: no text layer; scanned or damaged"
    doubtful = [
        page.index + 1 for page in pages if page.confidence is not None and page.confidence < LEAST_CONFIDENCE
    ]
    if doubtful:
        yield f"{_pages(doubtful)} read only in part: the OCR is uncertain of most words"


def _furniture(furniture: Sequence[Furniture]) -> Iterable[LeftOut]:
    for kind, is_number in (("running_head", False), ("page_number", True)):
        yield from _left_out(kind, [entry.line for entry in furniture if entry.is_number is is_number])


def _matter(matter: Sequence[tuple[str, Sequence[Line]]]) -> Iterable[LeftOut]:
    for kind in dict.fromkeys(kind for kind, _ in matter):
        yield from _left_out(kind, [line for own, lines in matter if own == kind for line in lines])


def _note_marks(notes: Sequence[FoundNote]) -> Iterable[LeftOut]:
    if notes:
        n_marks = len(notes) + sum(note.citation is not None for note in notes)
        yield LeftOut("note_mark", "the marks that cite notes, and their labels", n_marks)


def _left_out(kind: str, lines: Sequence[Line]) -> Iterable[LeftOut]:
    if lines:
        pages = sorted({line.page + 1 for line in lines})
        yield LeftOut(kind, _pages(pages), sum(count_words(line.text) for line in lines))


def _pages(numbers: Sequence[int]) -> str:
    """`page 3`, `pages 3-7, 9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    text = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
    return f"page {text}" if len(numbers) == 1 else f"pages {text}"


def _ocr_names(path: Path) -> str:
    """Return the file and what its copy with text may be called, as a shell reads them."""
    return f"{shlex.quote(str(path))} {shlex.quote(f'{path.stem}-ocr.pdf')}"
