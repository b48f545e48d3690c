"""Rebuilds lost or damaged points of stored books from their files, exactly as they were written."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from alexandria.batch.metadata import with_metadata_of
from alexandria.book import Point
from alexandria.config import Domain, DomainRequest
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError, StoreError
from alexandria.extract import content_id
from alexandria.pipeline import analyse, prepare, read, read_options
from alexandria.store.catalog import Catalog
from alexandria.store.places import with_source
from alexandria.store.points import digest_of
from alexandria.store.record import Record
from alexandria.store.whole import read_whole_book


def mend_books(
    catalog: Catalog,
    encoder: Callable[[Domain], Encoder],
    *,
    password: str | None = None,
    tried: Callable[[Record, AlexandriaError | None], None] = lambda record, error: None,
) -> tuple[Record, ...]:
    """Write the points of damaged books again, and return the records of the books that are mended.

    Args:
        catalog: the catalog of the library, open for writing.
        encoder: returns the encoder of a domain.
        password: the password of encrypted files.
        tried: called with each damaged book, and the error if it could not be mended.
    """
    mended = []
    for record in catalog.books():
        book = read_whole_book(lambda: catalog, record)
        if book is None or not book.findings:
            continue
        try:
            points = rebuild_points(book.record, encoder, catalog.binding.encoder, password)
        except AlexandriaError as error:
            tried(book.record, error)
            continue
        if catalog.rewrite_points(book.record, points):
            mended.append(book.record)
            tried(book.record, None)
    return tuple(mended)


def rebuild_points(
    record: Record, encoder: Callable[[Domain], Encoder], bound_to: str, password: str | None
) -> list[Point]:
    """Return the points of a stored book, computed again from its file or taken from the cache.

    They have the ids and payloads that were written: the digests in the record prove it.

    Args:
        record: the book.
        encoder: returns the encoder of a domain.
        bound_to: the name of the encoder that the library is bound to.
        password: the password of an encrypted file.

    Raises:
        StoreError: the file is gone or was changed, or this version of the program or the model would cut it
            differently.
        BookError: the file cannot be read.
    """
    path = Path(record.source)
    if not path.is_file():
        raise _cannot_rebuild(record, f"its file {path} is gone", f"bring {path} back, or {_RESTORE}")
    if content_id(path) != record.book_id:
        raise _cannot_rebuild(
            record,
            f"its file {path} was changed after it was ingested",
            f"alexandria ingest {path} stores its new text; or {_RESTORE}",
        )
    # Without the environment: options that are set now must not change the book.
    domain = DomainRequest(environ={}).domain_for(stored_settings=record.settings)
    model = encoder(domain)
    if model.name != bound_to:
        raise _cannot_rebuild(
            record,
            f"its vectors are from {bound_to}, but the model on this machine is {model.name}",
            f"install that model, or {_RESTORE}",
        )
    options = read_options(domain, keep_matter=record.keep_matter, password=password)
    book = read(path, options, cache=True)
    analysis = analyse(with_metadata_of(book, record), domain, model)
    points = prepare(analysis, record.generation).points
    restored = _restore_payloads(record, points)
    if restored is None:
        raise _cannot_rebuild(
            record,
            "this version of Alexandria cuts its file into different chunks",
            f"alexandria ingest --force {path}; or {_RESTORE}",
        )
    return restored


def _restore_payloads(record: Record, points: Sequence[Point]) -> list[Point] | None:
    """Return the points with the path and time that were first written; None if their digests still differ.

    A payload holds the path relative to the folder that was ingested. The record does not name that folder,
    so every end of the book's path is tried.
    """
    for source in _path_ends(record.source):
        candidates = [
            replace(point, payload={**with_source(point.payload, source), "ingested_at": record.ingested_at})
            for point in points
        ]
        if tuple(digest_of(point.payload) for point in candidates) == record.digests:
            return candidates
    return None


def _path_ends(path: str) -> list[str]:
    """Return the ends of a path, shortest first: `c`, `b/c` and `a/b/c` for `/a/b/c`."""
    parts = Path(path).parts
    return ["/".join(parts[i:]) for i in range(len(parts) - 1, 0, -1)]


_RESTORE = "alexandria restore BACKUP --store NEW_FOLDER"


def _cannot_rebuild(record: Record, why: str, fix: str) -> StoreError:
    return StoreError(f"cannot rebuild “{record.title}”", why=why, fix=fix)
