"""Starts PDFium with the fonts of the machine, or without: they must not decide what is read."""

import ctypes

import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs

_NO_FOLDERS = (ctypes.POINTER(ctypes.c_char) * 1)()  # an empty list of folders, at an address that is kept
_runs_with = {"fonts": True}  # how PDFium runs: pypdfium2 has started it with the fonts of the machine


def start_pdfium(*, fonts: bool) -> None:
    """Start PDFium again, unless it runs so already; no document may be open.

    In place of a font that a file does not embed, PDFium takes one of the machine's, which has other widths
    and other characters than those elsewhere. (On Windows, it always does.)

    Args:
        fonts: whether it finds the fonts of the machine, to draw pages; not, to read their text.
    """
    if fonts != _runs_with["fonts"]:
        raw.FPDF_DestroyLibrary()
        folders = None if fonts else _NO_FOLDERS
        raw.FPDF_InitLibraryWithConfig(raw.FPDF_LIBRARY_CONFIG(version=2, m_pUserFontPaths=folders))
        _runs_with["fonts"] = fonts
