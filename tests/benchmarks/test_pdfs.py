"""The benchmark of PDFs: words that are only in what was left out as heads, and the kinds of a table."""

import dataclasses
from pathlib import Path

from alexandria.book.model import LeftOutLine
from alexandria.extract import extract
from benchmarks.pdfs import kinds_in, lost_per_page, read
from tests.extract.typeset import LONG, texts, typeset, write


def test_words_that_are_only_in_heads_are_counted_per_page_with_heads(tmp_path: Path) -> None:
    book = extract(write(tmp_path / "book.pdf", typeset(LONG)))
    lines = [(1, "The salt road 12"), (2, f"{LONG[0].split()[0]} zebra quagga 13"), (2, "okapi")]
    heads = tuple(LeftOutLine("running_head", page, text) for page, text in lines)
    number = LeftOutLine("page_number", 3, "unicorn")
    counted = dataclasses.replace(book, text=f"{book.text} the salt road", left_out_lines=(*heads, number))
    assert lost_per_page(counted) == 3 / 2
    assert lost_per_page(dataclasses.replace(book, left_out_lines=())) == 0


def test_each_word_of_the_other_programs_is_accounted_for(tmp_path: Path) -> None:
    reading = read(write(tmp_path / "book.pdf", typeset(LONG)))
    assert reading.n_blocks == len(texts(extract(tmp_path / "book.pdf")))
    assert min(reading.kept.values()) > 0.99
    assert min(reading.n_lines.values()) > reading.n_blocks


def test_the_kind_of_a_file_is_that_of_its_row() -> None:
    table = (
        "| file | kind |\n|---|---|\n| a/b:docs/my book.pdf | legal | 3 |\n| Debian groff:mom.pdf | groff |"
    )
    assert dict(kinds_in(table)) == {"a_b__docs_my_book.pdf": "legal", "Debian_groff__mom.pdf": "groff"}
