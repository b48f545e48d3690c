"""The real books of the shared folder: read and embedded once for all tests that are about something else."""

from functools import cache
from pathlib import Path

from alexandria.book import Book
from alexandria.embed import load_encoder
from alexandria.evaluate.corpus import read_sections
from alexandria.evaluate.reports import MemoizedEncoder
from alexandria.pipeline import read


def read_once(path: Path) -> Book:
    """Return a book as `extract` reads it, from the cache if a test has read it before.

    The cache knows the code that read a book: after a change of an extractor it is read again.
    """
    return read(path, cache=True)


@cache
def novels(shared_data: Path) -> tuple[Book, ...]:
    """Return the four books whose sections are known."""
    return tuple(read_sections(path) for path in sorted((shared_data / "eval" / "bookseg").glob("*.json")))


@cache
def shipped_encoder() -> MemoizedEncoder:
    """Return the default model as shipped, which embeds no sentence twice in a run of the tests."""
    return MemoizedEncoder(load_encoder())
