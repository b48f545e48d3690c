"""Which model a new library takes: one that reads the books of its first run."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from alexandria.book import Book
from alexandria.config import DomainRequest
from alexandria.embed.languages import is_english
from alexandria.embed.multilingual import is_installed
from alexandria.encoders import with_model_for
from alexandria.errors import AlexandriaError
from alexandria.extract.options import OCR_OFF
from alexandria.pipeline import read, read_options
from alexandria.reading.process import IsolatedReader

SAMPLE = 24
"""Files that are read before the model is chosen, evenly spread; with the cache, they are read only once."""


def choose_model(request: DomainRequest, files: Sequence[Path], *, cache: bool) -> DomainRequest:
    """Return the request with the model for a new library of these files; say so if it is not the default.

    That is `multilingual`, where it is installed, if one of the books is not in English.
    """
    if request.names_model() or not is_installed():
        return request
    step = max(1, len(files) // SAMPLE)
    book = next(_foreign(request, files[::step][:SAMPLE], cache=cache), None)
    return request if book is None else with_model_for(request, book, what="this new library")


def _foreign(request: DomainRequest, files: Sequence[Path], *, cache: bool) -> Iterator[Book]:
    """Yield the books that are not in English."""
    with IsolatedReader() as reader:
        for path in files:
            try:
                # A scan takes minutes, and its language is found while it is read.
                options = read_options(request.domain_for(path), ocr=OCR_OFF)
                book = read(path, options, cache=cache, reader=reader)
            except AlexandriaError:
                continue  # the ingest reports it
            if not is_english(book.language):
                yield book
