"""Many books: which there are, which are done already, which failed. One bad book never stops the others."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from alexandria.book import Book
from alexandria.config import Domain
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError, BookError, Code
from alexandria.extract import SUFFIXES, content_id
from alexandria.pipeline import generation, index, read, segment
from alexandria.store.catalog import Library


class Status(StrEnum):
    """What became of a file."""

    INGESTED = "ingested"
    PARTIAL = "partial"
    """Stored, but something of it could not be read; the warnings name it."""
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    source: Path
    status: Status
    book_id: str | None = None
    title: str | None = None
    n_chunks: int = 0
    n_words: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    error: AlexandriaError | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read, the same for a whole batch."""

    keep_matter: bool = False
    password: str | None = None


def discover(paths: Iterable[Path]) -> list[Path]:
    """Return the files to read: those named, and the books below the folders named, each once, in order.

    In a folder, hidden files and files whose name is not a book's are passed over.
    """
    found: dict[Path, None] = {}
    for path in paths:
        found |= dict.fromkeys(_below(path) if path.is_dir() and not _named_as_book(path) else [path])
    return list(found)


def _below(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        books = [name for name in folders if _named_as_book(Path(name))]  # refused by name when read
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in books)
        for name in sorted([*files, *books]):
            if not name.startswith(".") and _named_as_book(Path(name)):
                yield Path(root, name)


def _named_as_book(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES


def ingest(
    files: Iterable[Path],
    domain: Domain,
    encoder: Encoder,
    library: Library,
    *,
    reading: Reading = Reading(),
    force: bool = False,
    fail_fast: bool = False,
    started: Callable[[Path], None] = lambda path: None,
) -> Iterator[Outcome]:
    """Put each file into the library and yield what became of it.

    Args:
        files: as `discover` gives them.
        domain: how they are cut.
        encoder: how they are embedded.
        library: where they go.
        reading: how they are read.
        force: make anew what is there already.
        fail_fast: stop behind the first file that fails.
        started: called with each file before it is read.

    Raises:
        StoreError: the store itself fails; what was yielded before is stored.
    """
    for path in files:
        started(path)
        outcome = _ingest_one(path, domain, encoder, library, reading, force)
        yield outcome
        if fail_fast and outcome.status is Status.FAILED:
            return


def _ingest_one(
    path: Path, domain: Domain, encoder: Encoder, library: Library, reading: Reading, force: bool
) -> Outcome:
    began = time.perf_counter()
    try:
        book_id = content_id(path)
        name = generation(book_id, domain, encoder, {"keep_matter": reading.keep_matter})
        if library.holds(book_id, name) and not force:
            record = library.book(book_id)
            return Outcome(
                path, Status.UNCHANGED, book_id, record.title, record.n_chunks, record.n_words, _since(began)
            )
        book = _read_guarded(path, domain, reading)
    except BookError as error:
        return Outcome(path, Status.FAILED, seconds=_since(began), error=error)
    record = index(segment(book, domain, encoder), name, encoder, library)
    return Outcome(
        path,
        Status.PARTIAL if book.warnings else Status.INGESTED,
        book.id,
        book.title,
        record.n_chunks,
        record.n_words,
        _since(began),
        book.warnings,
    )


def _read_guarded(path: Path, domain: Domain, reading: Reading) -> Book:
    try:
        return read(path, domain, keep_matter=reading.keep_matter, password=reading.password)
    except AlexandriaError:
        raise
    except Exception as error:  # a reader that breaks on one file must not take the batch with it
        raise BookError(
            f"cannot read {path}",
            why=f"the reader broke on it ({type(error).__name__}: {error})",
            fix="this is a fault of Alexandria: report it with the file; --debug shows where",
            code=Code.UNREADABLE,
        ) from error


def _since(began: float) -> float:
    return time.perf_counter() - began
