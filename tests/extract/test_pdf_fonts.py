"""What is read depends on the file alone: the fonts of the machine are for pictures of pages.

In place of fonts that a file does not embed, PDFium takes the machine's. The tests of columns and spaces in
fonts without text failed where fonts for Chinese, Japanese and Korean were installed; here, the folders that
PDFium is given are looked at, since no test can install fonts.
"""

from pathlib import Path
from typing import Any

import pypdfium2.raw as raw  # type: ignore[import-untyped]  # has no stubs
import pytest

from alexandria.extract import extract
from alexandria.extract.pdf.picture import draw_page, scan_picture
from alexandria.extract.pdf.start import start_pdfium
from tests.extract.typeset import LONG, texts, typeset, write


def test_text_is_read_without_the_fonts_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "book.pdf", typeset(LONG))
    start_pdfium(fonts=True)
    folders: list[str] = []
    start = raw.FPDF_InitLibraryWithConfig

    def record(config: Any) -> None:
        given = config.m_pUserFontPaths
        folders.append("the machine's" if not given else "others" if given[0] else "none")
        start(config)

    monkeypatch.setattr(raw, "FPDF_InitLibraryWithConfig", record)
    assert texts(extract(path)) == LONG
    picture = draw_page(path, 1, 300)
    assert scan_picture(path, 1).data
    assert texts(extract(path)) == LONG
    assert draw_page(path, 1, 300) == picture
    assert folders == ["none", "the machine's", "none", "the machine's"]
