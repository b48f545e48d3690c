"""Reads what is laid over a page: the fields of forms and typed remarks become text, comments are counted."""

import ctypes
from collections.abc import Iterator, Sequence

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

_SILENT = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)
"""A link has no text of its own; a window repeats its comment."""


def read_annotations(document: pdfium.PdfDocument, index: int) -> tuple[pdfium.PdfPage, list[str]]:
    """Return a page with fields and remarks as part of its text, and the words of all that is over it."""
    page = document[index]
    annotations = [*_annotations_of(page)]
    if any(is_shown for is_shown, _ in annotations):
        raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
        page.close()
        page = document[index]  # as it is now
    return page, [text for _, text in annotations if text]


def unread(annotations: Sequence[str], text: str) -> list[str]:
    """Return the words that are laid over a page, but not part of its text."""
    letters = "".join(text.split())
    return [words for words in annotations if "".join(words.split()) not in letters]


def _annotations_of(page: pdfium.PdfPage) -> Iterator[tuple[bool, str]]:
    """Yield whether the text of an annotation is shown on the page, and the text."""
    for i in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, i)
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        if kind == raw.FPDF_ANNOT_WIDGET:
            field, value = _string(annotation, b"FT"), _string(annotation, b"V")
            if field != "Btn":  # the value of a button is no text
                # One of several places of a field has neither.
                yield bool(value or not field), value
        elif kind not in _SILENT:
            text = _string(annotation, b"Contents")
            yield kind == raw.FPDF_ANNOT_FREETEXT and bool(text), text
        raw.FPDFPage_CloseAnnot(annotation)


def _string(annotation: raw.FPDF_ANNOTATION, key: bytes) -> str:
    """Return a string of an annotation, or the name of its kind of field."""
    size = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFAnnot_GetStringValue(annotation, key, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw[:-2].decode("utf-16-le", "replace").strip()
