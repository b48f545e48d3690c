"""Stored books whose points are lost or damaged, made again from their files exactly as they were written."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from alexandria.batch.metadata import FIELDS, with_metadata
from alexandria.book import Point
from alexandria.config import Domain, DomainRequest
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError, StoreError
from alexandria.extract import content_id
from alexandria.pipeline import analyse, prepare, read, read_options
from alexandria.store.catalog import Catalog
from alexandria.store.points import digest_of
from alexandria.store.record import Record
from alexandria.store.whole import whole_book


def mend_books(
    catalog: Catalog,
    encoder: Callable[[Domain], Encoder],
    *,
    password: str | None = None,
    tried: Callable[[Record, AlexandriaError | None], None] = lambda record, error: None,
) -> tuple[Record, ...]:
    """Write the points of damaged books again, and return the books that are mended.

    Args:
        catalog: open for writing.
        encoder: returns the encoder of a domain.
        password: of encrypted files.
        tried: called with each damaged book, and why it could not be mended, if it could not.
    """
    mended = []
    for record in catalog.books():
        book = whole_book(lambda: catalog, record)
        if book is None or not book.findings:
            continue
        try:
            points = made_again(book.record, encoder, catalog.binding.encoder, password)
        except AlexandriaError as error:
            tried(book.record, error)
            continue
        if catalog.mend(book.record, points):
            mended.append(book.record)
            tried(book.record, None)
    return tuple(mended)


def made_again(
    record: Record, encoder: Callable[[Domain], Encoder], bound_to: str, password: str | None
) -> list[Point]:
    """Return the points of a stored book, made again from its file; what the cache holds is not computed.

    Args:
        record: the book.
        encoder: returns the encoder of a domain.
        bound_to: the name of the encoder that the library is bound to.
        password: of an encrypted file.

    They have the ids and the payloads that were written: the digests in the record prove it.

    Raises:
        StoreError: the file is gone or was changed, or another version of the program or the model would now
            make something else of it.
        BookError: the file cannot be read.
    """
    path = Path(record.source)
    if not path.is_file():
        raise _cannot(record, f"its file {path} is gone", f"bring {path} back, or {_RESTORE}")
    if content_id(path) != record.book_id:
        raise _cannot(
            record,
            f"its file {path} was changed after it was ingested",
            f"alexandria ingest {path} stores what it now is; or {_RESTORE}",
        )
    domain = DomainRequest(environ={}).domain_for(stored=record.settings)
    model = encoder(domain)
    if model.name != bound_to:
        raise _cannot(
            record,
            f"its vectors are of {bound_to}, and the model on this machine is {model.name}",
            f"install that model, or {_RESTORE}",
        )
    options = read_options(domain, keep_matter=bool(record.keep_matter), password=password)
    book = read(path, options, cache=True)
    given = {name: getattr(record, name) for name in FIELDS}
    analysis = analyse(with_metadata(book, given), domain, model)
    points = prepare(analysis, record.generation).points
    if (written := _as_written(record, points)) is None:
        raise _cannot(
            record,
            "this version of Alexandria makes other chunks of its file than those that were written",
            f"alexandria ingest --force {path}; or {_RESTORE}",
        )
    return written


def _as_written(record: Record, points: Sequence[Point]) -> list[Point] | None:
    """Return the points with the path and the time of the record; None if they are not those written."""
    for source in _ends_of(record.source):
        same = [
            replace(point, payload={**point.payload, "source": source, "ingested_at": record.ingested_at})
            for point in points
        ]
        if tuple(digest_of(point.payload) for point in same) == record.digests:
            return same
    return None


def _ends_of(path: str) -> list[str]:
    """Return the ends of a path, shortest first: its payload holds the one below the folder ingested."""
    parts = Path(path).parts
    return ["/".join(parts[i:]) for i in range(len(parts) - 1, 0, -1)]


_RESTORE = "alexandria restore BACKUP --store NEW_FOLDER"


def _cannot(record: Record, why: str, fix: str) -> StoreError:
    return StoreError(f"cannot rebuild “{record.title}”", why=why, fix=fix)
