"""What is read from scans of real books: words and paragraphs against those of the book's text layer."""

from pathlib import Path

import pytest

from alexandria.book.places import BLOCK_SEPARATOR
from alexandria.extract import ReadOptions, extract
from alexandria.extract.isolated.process import IsolatedReader
from tests.extract.test_pdf_books import align, paragraph_starts
from tests.scans import needs_tesseract, scan

pytestmark = [pytest.mark.shared, needs_tesseract, pytest.mark.usefixtures("own_cache")]

PLAIN = str.maketrans("’‘“”", "''\"\"")


def words_and_starts(text: str) -> tuple[list[str], set[int]]:
    """Return the words of a text, and which of them begin paragraphs; the first is left out."""
    texts = text.translate(PLAIN).strip().split(BLOCK_SEPARATOR)
    return " ".join(texts).split(), paragraph_starts(texts) - {0}


@pytest.mark.parametrize(
    ("name", "pages", "most_wrong"),
    [
        ("russell-the-problems-of-philosophy", range(40, 43), 0.01),
        ("darwin-the-voyage-of-the-beagle", range(30, 33), 0.01),
        ("shelley-frankenstein", range(76, 79), 0.01),
        pytest.param("machiavelli-the-prince-2col", range(19, 22), 0.02, id="two columns and notes"),
    ],
)
def test_words_paragraphs_and_notes_are_those_of_the_book(
    name: str, pages: range, most_wrong: float, shared_data: Path, tmp_path: Path
) -> None:
    """The truth is the text layer of the whole book, which other tests compare with its source."""
    source = shared_data / "pdf" / f"{name}.pdf"
    whole = extract(source)
    with IsolatedReader() as reader:
        book = reader.read(scan(source, pages, tmp_path / "scan.pdf"), ReadOptions(ocr="eng"))
    offsets = {page.page: page.start for page in whole.page_starts}
    first, last = offsets[pages[0] + 1], offsets[pages[-1] + 2]  # pages of a book count from 1
    wanted, true_starts = words_and_starts(whole.text[first:last])
    read, read_starts = words_and_starts(book.text)
    wrong, pairs = align(wanted, read)
    assert wrong / len(wanted) <= most_wrong
    starts = {pairs.get(at) for at in read_starts}
    assert len(true_starts & starts) >= 0.9 * max(len(starts), len(true_starts))
    n_notes = sum(first <= note.cited_at < last for note in whole.notes if note.cited_at is not None)
    assert len(book.notes) >= 0.9 * n_notes
