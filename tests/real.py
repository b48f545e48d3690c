"""The real books of the shared folder: read and embedded once for all tests that are about something else."""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from alexandria.book.model import Book
from alexandria.embed import load_encoder
from alexandria.library.ingest.one_book import read

if TYPE_CHECKING:
    from alexandria.lab.reports import MemoizedEncoder


def read_once(path: Path) -> Book:
    """Return a book as `extract` reads it, from the cache if a test has read it before.

    The cache knows the code that read a book: after a change of an extractor it is read again.
    """
    return read(path, cache=True)


@cache
def novels(shared_data: Path) -> tuple[Book, ...]:
    """Return the four books whose sections are known."""
    from alexandria.lab.corpus import read_sections  # an annex, which few of the tests need

    return tuple(read_sections(path) for path in _bookseg(shared_data))


def openings_of_novels(shared_data: Path, folder: Path, n_words: int) -> tuple[Book, ...]:
    """Return their first sections, of about so many words in each; the files are written to a folder."""
    from alexandria.lab.corpus import read_sections

    for path in _bookseg(shared_data):
        document, n_left = json.loads(path.read_text()), n_words
        sections = []
        for section in document["sections"]:
            if n_left > 0:
                sections.append(section)
                n_left -= sum(len(paragraph.split()) for paragraph in section["paragraphs"])
        (folder / path.name).write_text(json.dumps({**document, "sections": sections}))
    return tuple(read_sections(path) for path in sorted(folder.glob("*.json")))


def _bookseg(shared_data: Path) -> list[Path]:
    return sorted((shared_data / "eval" / "bookseg").glob("*.json"))


@cache
def shipped_encoder() -> "MemoizedEncoder":
    """Return the default model as shipped, which embeds no sentence twice in a run of the tests."""
    from alexandria.lab.reports import MemoizedEncoder

    return MemoizedEncoder(load_encoder())
