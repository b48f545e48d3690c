"""What is read from scans of real books: words and paragraphs against those of the text layer."""

from pathlib import Path

import pypdfium2 as pdfium  # type: ignore[import-untyped]  # has no stubs
import pytest

from alexandria.book import Book
from alexandria.extract import ReadOptions, extract
from alexandria.reading.process import IsolatedReader
from tests.extract.test_pdf_books import align, paragraph_starts
from tests.scans import needs_tesseract, scan

pytestmark = [pytest.mark.shared, needs_tesseract, pytest.mark.usefixtures("own_cache")]

PLAIN = str.maketrans("’‘“”", "''\"\"")


def words(book: Book) -> list[str]:
    return book.text.translate(PLAIN).split()


def excerpt(source: Path, pages: range, target: Path) -> Book:
    """Return what the text layer of some pages holds, which other tests compare with the truth."""
    document = pdfium.PdfDocument.new()
    document.import_pages(pdfium.PdfDocument(source), list(pages))
    document.save(target)
    return extract(target)


@pytest.mark.parametrize(
    ("name", "pages", "most_wrong", "paragraphs"),
    [
        pytest.param("russell-the-problems-of-philosophy", range(20, 26), 0.01, 0.9, id="one column"),
        # Two of the true ones are heads, which five pages are too few to tell from headings.
        pytest.param("machiavelli-the-prince-2col", range(10, 15), 0.02, 0.85, id="two columns and notes"),
    ],
)
def test_words_paragraphs_and_notes_are_those_of_the_book(
    name: str, pages: range, most_wrong: float, paragraphs: float, shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "pdf" / f"{name}.pdf"
    truth = excerpt(source, pages, tmp_path / "pages.pdf")
    with IsolatedReader() as reader:
        book = reader.read(scan(source, pages, tmp_path / "scan.pdf"), ReadOptions(ocr="auto"))
    wanted, read = words(truth), words(book)
    wrong, pairs = align(wanted, read)
    assert wrong / len(wanted) <= most_wrong
    assert len(book.notes) >= 0.9 * len(truth.notes)
    true_starts = paragraph_starts([block.text for block in truth.blocks])
    starts = {pairs.get(at) for at in paragraph_starts([block.text for block in book.blocks])}
    assert len(true_starts & starts) >= paragraphs * max(len(starts), len(true_starts))
