"""The account of words: every word of a file is in its book, or is reported."""

from dataclasses import replace
from pathlib import Path

import pytest

from alexandria.book.model import Book, LeftOut
from alexandria.extract import FORMATS, extract
from tests.conftest import ROOT, SAMPLES
from tools.account import account, balance

SEEDS = ROOT / "tests" / "fuzz" / "seeds"


@pytest.fixture
def book(tmp_path: Path) -> Book:
    path = tmp_path / "a.txt"
    path.write_text("Salt is the only stone that we eat.")
    return extract(path)


def test_every_built_in_format_has_a_second_reader() -> None:
    books = [*SAMPLES.glob("*.*"), *SEEDS.glob("*.*")]
    suffixes = {format.suffixes[0]: name for name, format in FORMATS.items()}
    accounts = {suffixes[path.suffix]: account(path) for path in books if path.suffix in suffixes}
    assert set(accounts) == set(FORMATS)
    assert all(entry.n_book for entry in accounts.values())


@pytest.mark.parametrize(
    ("source", "unexplained"),
    [
        pytest.param("Salt is the only stone that we eat.", 0, id="all there"),
        pytest.param("Salt is the only stone that we ever eat.", 1, id="a word is nowhere"),
        pytest.param("Salt is the stone that we eat.", 1, id="a word is added"),
        pytest.param("Salt is the only mineral that we eat.", 2, id="a word is another"),
        pytest.param("S A L T is the on-\nly stone that we eat.".replace("A L T", "a l t"), 0, id="run on"),
        pytest.param("Saltis the only stonethat we eat.", 0, id="run together"),
        pytest.param("Salt is the on 7 A Book ly stone that we eat.", 3, id="halves around a head"),
        pytest.param("Salt is the on 7 A Book stone that we eat.", 5, id="half of a word is nowhere"),
        pytest.param("Salt is the on 7 A Book lyx stone that we eat.", 6, id="the other half is another"),
        pytest.param("Sa lt is \x04 the only stone \x12 that we eat.", 0, id="glyphs without a character"),
        pytest.param("Salt is the only stone that we eat12 .", 1, id="a mark before a stop"),
        pytest.param("Salt is the only stone that we drink12 .", 3, id="a mark before a stop, another word"),
        pytest.param("Salt[12] is the only stone that we eat.*", 2, id="marks that are not left out"),
    ],
)
def test_what_is_unexplained(book: Book, source: str, unexplained: int) -> None:
    assert balance(source, book).n_unexplained == unexplained


def test_words_left_out_are_explained_once(book: Book) -> None:
    left_out = (LeftOut("page_number", "12 pages", 2),)
    source = f"12 {book.text} 13"
    assert balance(source, replace(book, left_out=left_out)).n_unexplained == 0
    assert balance(source, replace(book, left_out=left_out * 2)).n_unexplained == 2
    assert balance(source, book).n_unexplained == 2
