"""Reads a PDF into the draft of its book; decides whether its text layer or its page pictures are read."""

import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

from alexandria.book.model import LeftOut, Metadata
from alexandria.errors import BookError, Code
from alexandria.extract.draft import Draft
from alexandria.extract.metadata import read_metadata, with_guessed_title
from alexandria.extract.options import OCR_OFF, ReadOptions
from alexandria.extract.pdf.compose import compose_draft, name_pages
from alexandria.extract.pdf.garbled import LayerJudge, is_garbled, without_garbled
from alexandria.extract.pdf.layers import revise_layers
from alexandria.extract.pdf.lines import OutlineEntry, Page
from alexandria.extract.pdf.reader import read_outline, read_pages, read_string
from alexandria.extract.pdf.scanned import lines_of_segments, segments_of
from alexandria.extract.pdf.spreads import cut_spreads
from alexandria.extract.pdf.start import start_pdfium
from alexandria.extract.pdf.text_layer import layer_segments
from alexandria.extract.pdf.typography import largest_type
from alexandria.extract.pdf.xmp import with_xmp
from alexandria.extract.recogniser import way_to_read
from alexandria.extract.refusals import damaged, locked, no_text, protected
from alexandria.extract.scans import MIN_CONFIDENCE, Scan, UnrecognisedError

_XFA = "its form (XFA), which only a viewer of forms draws, was not read"
_ANEW = "--ocr LANG, such as --ocr eng, reads such pages again, and keeps the better text"
_NO_PAGE = "the file is damaged or truncated: no page can be found in it"


def extract(path: Path, options: ReadOptions) -> Draft:
    """Return the draft of a PDF.

    Raises:
        BookError: `password`, `damaged`, `no_text` (a scan), or `garbled` (a text layer whose text is
            unusable).
    """
    start_pdfium(fonts=False)
    try:
        document = pdfium.PdfDocument(path, password=options.password)
    except pdfium.PdfiumError as error:
        return _read_with_pypdf(path, options, error)
    if layers := revise_layers(path, options.password):
        with suppress(pdfium.PdfiumError):  # the file is then read as it is
            document = pdfium.PdfDocument(path.read_bytes() + layers, password=options.password)
    try:
        is_xfa = document.get_formtype() == raw.FORMTYPE_XFA_FULL
        pages = [*read_pages(document, has_layers=bool(layers))]
        pages = _with_covers(without_garbled(pages, also_all=options.rereads))
        outline = [entry for entry in read_outline(document) if not _names_page(entry, pages)]
        # A string that cannot be decoded is empty.
        info = {key: read_string(partial(document.get_metadata_value, key)) for key in document.METADATA_KEYS}
        metadata = with_xmp(read_metadata(info), path, options.password)
    finally:
        document.close()
    if not pages:
        raise damaged(path, _NO_PAGE)
    if any(page.loses_columns for page in pages):
        from alexandria.extract.pdf.fallback import with_columns

        pages = with_columns(path, pages, options.password)
    pages = _with_scanned_lines(pages, options)  # those of a layer are held once
    draft = _make_draft(path, pages, outline, metadata, options)
    return replace(draft, warnings=(*draft.warnings, _XFA)) if is_xfa else draft


def _with_covers(pages: Sequence[Page]) -> list[Page]:
    """Return the pages; in a book with text, the first and the last are no loss where they are pictures."""
    is_text = 2 * sum(bool(page.lines) for page in pages) >= len(pages) > 2
    inner = {0: 1, len(pages) - 1: len(pages) - 2}  # the page beside each end
    covers = [i for i, beside in inner.items() if is_text and pages[i].pictured and not pages[beside].unread]
    return [
        replace(page, wordless=page.unread and is_text and (page.wordless or i in covers))
        for i, page in enumerate(pages)
    ]


def _names_page(entry: OutlineEntry, pages: Sequence[Page]) -> bool:
    """Return whether the title of an entry is the label of its page, as "p. 219" or "image 5" is."""
    return not entry.title.isalnum() and entry.title in [
        page.label for page in pages[entry.page : entry.page + 1]
    ]


def _with_scanned_lines(pages: Sequence[Page], options: ReadOptions) -> list[Page]:
    """Return the pages, with recognised lines on the pages that have no text of their own.

    Pages that were not recognised stay unread; with `--ocr off`, none is recognised, and with a language, so
    are pages with a poor text layer. Lines of text layers get the sizes and margins of print.

    Raises:
        UnrecognisedError: the pages without text have yet to be recognised.
    """
    judge = LayerJudge(pages, options.ocr.split("+") if options.rereads else ())
    poor = [page.index for page in pages if options.ocr != OCR_OFF and judge.is_poor(page)]
    unread = [page.index for page in pages if options.ocr != OCR_OFF and page.unread]
    # The keys of `Scan.pages`.
    keys = {index: str(index + 1) for index in sorted((*unread, *poor) if options.rereads else unread)}
    if keys and options.scanned is None:
        is_optional = all(page.wordless for page in pages if page.index in keys)
        raise UnrecognisedError(Scan(tuple(keys.values()), len(pages), None, is_optional))
    scans = options.scanned or {}
    scanned = {
        page.index: scan
        for page in pages
        if (scan := scans.get(keys.get(page.index, "")))
        and (page.unread or judge.prefers(" ".join(word.text for word in scan.words), page))
    }
    segments = {page.index: layer_segments(page.lines) for page in pages if page.text_layer}
    lines = lines_of_segments(segments | {index: segments_of(page) for index, page in scanned.items()})
    return [
        replace(page, lines=lines[page.index], unread=False, text_layer=False, confidence=scan.confidence)
        if (scan := scanned.get(page.index))
        else replace(page, lines=lines.get(page.index, page.lines), is_poor=page.index in poor)
        for page in pages
    ]


def _read_with_pypdf(path: Path, options: ReadOptions, error: pdfium.PdfiumError) -> Draft:
    """Return the draft that pypdf reads from a file that PDFium rejected with `error`.

    Raises:
        BookError: the file is encrypted or protected, or pypdf cannot read it either.
    """
    if error.err_code == raw.FPDF_ERR_PASSWORD:
        raise locked(
            path,
            "the password is wrong" if options.password else "it is encrypted and needs a password",
            "pass the password with --password-file, or in ALEXANDRIA_PASSWORD",
        ) from error
    if error.err_code == raw.FPDF_ERR_SECURITY:
        raise protected(path, "a rights management system (DRM)") from error
    # Seldom needed, and half of the import time of the PDF modules.
    from alexandria.extract.pdf.fallback import UnreadableError, read_pages_slowly

    try:
        pages, info = read_pages_slowly(path, options.password)
    except UnreadableError as second:
        raise damaged(path, _NO_PAGE) from second
    return _make_draft(path, pages, (), read_metadata(info), options)


def _make_draft(
    path: Path,
    pages: Sequence[Page],
    outline: Sequence[OutlineEntry],
    metadata: Metadata,
    options: ReadOptions,
) -> Draft:
    """Return the draft of a book from its pages.

    Raises:
        BookError: the pages have no text, or a garbled one.
    """
    _refuse_unreadable(path, pages)
    draft = compose_draft(*cut_spreads(pages, outline), metadata, options)
    if not draft.sections:
        raise _no_text_error(path, pages)
    metadata = with_guessed_title(draft.metadata, largest_type(pages))
    warnings = (*draft.warnings, *_make_warnings(pages, options))
    plates = [page.index + 1 for page in pages if page.unread and page.wordless]
    left_out = (*draft.left_out, *[LeftOut("plate", name_pages(plates), 0)] * bool(plates))
    return replace(draft, metadata=metadata, left_out=left_out, warnings=warnings, n_pages=len(pages))


def _refuse_unreadable(path: Path, pages: Sequence[Page]) -> None:
    """Raise a `BookError` if the pages have no letters or digits, or if their text is garbled."""
    texts = [line.text for page in pages for line in page.lines]
    if not any(character.isalnum() for text in texts for character in text):
        raise _no_text_error(path, pages)
    if is_garbled(texts):
        raise BookError(
            f"cannot read {path}",
            why="its text layer is garbled: its fonts do not map glyphs to letters",
            fix=f"{_ANEW}; or run OCR over it, for example  ocrmypdf --force-ocr {_ocr_arguments(path)}",
            code=Code.GARBLED,
        )


def _no_text_error(path: Path, pages: Sequence[Page]) -> BookError:
    """Return the error for a file without words on its pages; its `why` names the probable reason."""
    why = f"{len(pages)} of {len(pages)} pages have no text layer"
    fix = f"run OCR first, for example  ocrmypdf {_ocr_arguments(path)}"
    if any(page.confidence is not None for page in pages):
        why += ", and no words were found on its pictures"
        fix = "look at its pages in a reader, or name the language of the book with --ocr LANG"
    elif any(page.unread for page in pages):
        why += "; it is a scan, or its fonts do not name their letters"
        fix = f"{way_to_read('scans')}; or {fix}"
    elif any(page.lines for page in pages):
        why = "its pages have symbols, but no letters or digits"
    elif any(page.comments for page in pages):
        why = "all of its words are in comments on its pages"
    elif any(page.n_switched_off for page in pages):
        why, fix = "all of its text is in layers that are switched off", "switch them on in a PDF editor"
    elif any(page.hidden for page in pages):
        why = "all of its text is outside the visible part of its pages, their CropBox"
        fix = "reset the crop boxes of its pages in a PDF editor"
    else:
        why += "; they are blank, their letters are shapes, or their fonts do not name their letters"
    return no_text(path, why, fix)


def _make_warnings(pages: Sequence[Page], options: ReadOptions) -> Iterable[str]:
    """Yield a warning for the pages that were not read, and one for those that were read only in part."""
    unread = [page.index + 1 for page in pages if page.unread and not page.wordless]
    if unread:
        yield f"{name_pages(unread)} not read: no text layer; scanned, damaged, or in fonts without letters"
    for lost, field in (("columns", "loses_columns"), ("letters", "loses_letters")):
        if cut := [page.index + 1 for page in pages if getattr(page, field) and not page.unread]:
            yield f"{name_pages(cut)} read only in part: some {lost} are in fonts that give no text"
    if poor := [page.index + 1 for page in pages if page.is_poor]:
        advice = "OCR was no better" if options.rereads else _ANEW
        yield f"{name_pages(poor)}: about a third of the words in the text layer are wrong, or more; {advice}"
    doubtful = [
        page.index + 1
        for page in pages
        if page.confidence is not None and page.confidence < MIN_CONFIDENCE and not page.wordless
    ]
    if doubtful:
        yield f"{name_pages(doubtful)} read only in part: the OCR is uncertain of most words"


def _ocr_arguments(path: Path) -> str:
    """Return the arguments of an OCR command, quoted for a shell: the file, and a name for the copy."""
    return f"{shlex.quote(str(path))} {shlex.quote(f'{path.stem}-ocr.pdf')}"
