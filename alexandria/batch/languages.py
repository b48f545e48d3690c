"""Chooses the model of a new library: one that reads the languages of the books of its first run."""

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

_MAX_SAMPLED_FILES = 24
"""Most files to read before the model is chosen; with the cache, the ingest does not read them again."""


def choose_model(request: DomainRequest, files: Sequence[Path], *, cache: bool) -> DomainRequest:
    """Return the request with the model for a new library of these files.

    It is `multilingual` if that is installed and one of the books is not in English, which is logged;
    otherwise the request is returned as it is.
    """
    if request.names_model() or not is_installed():
        return request
    step = max(1, len(files) // _MAX_SAMPLED_FILES)
    sample = files[::step][:_MAX_SAMPLED_FILES]
    book = next(_books_not_in_english(request, sample, cache=cache), None)
    return request if book is None else with_model_for(request, book, what="this new library")


def _books_not_in_english(request: DomainRequest, files: Sequence[Path], *, cache: bool) -> Iterator[Book]:
    """Yield the books in other languages; a file that cannot be read is passed over."""
    with IsolatedReader() as reader:
        for path in files:
            try:
                # Without OCR: recognising a scan takes minutes.
                options = read_options(request.domain_for(path), ocr=OCR_OFF)
                book = read(path, options, cache=cache, reader=reader)
            except AlexandriaError:
                continue  # the ingest reports it
            if not is_english(book.language):
                yield book
