"""A book that does not fit into free memory is refused before it is embedded."""

import pytest

from alexandria.book import Book
from alexandria.embed.memory import check_memory, estimate_bytes
from alexandria.errors import BookError, Code
from alexandria.extract import extract
from alexandria.sentences import split
from tests.conftest import SAMPLES


@pytest.fixture
def book() -> Book:
    return extract(SAMPLES / "gull-rock.txt")


def test_a_book_that_fits_is_accepted(book: Book) -> None:
    sentences = split(book)
    check_memory(book, sentences, 384)
    check_memory(book, sentences, 384, free=estimate_bytes(book, len(sentences), 384))


def test_a_book_that_does_not_fit_is_refused_with_the_numbers(book: Book) -> None:
    sentences = split(book)
    why = r"sentences take about 0\.5 GB of memory, and 0\.1 GB are free"
    with pytest.raises(BookError, match=why) as refused:
        check_memory(book, sentences, 384, free=100_000_000)
    assert refused.value.code is Code.TOO_LARGE
