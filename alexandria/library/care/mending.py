"""Rebuilds lost catalog records from the points of their books, and lost points from the books' files.

Points are made again exactly as they were written. What no record can be rebuilt from is deleted: no search
shows it, and an ingest stores such a book again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from alexandria.book.model import Point
from alexandria.book.shingles import pack_sketch, sketch_of
from alexandria.chunking.domains import Domain, DomainRequest
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError, StoreError
from alexandria.extract import content_id
from alexandria.library.ingest.discovery import discover
from alexandria.library.ingest.metadata import with_metadata_of
from alexandria.library.ingest.one_book import analyse, generation_with, prepare, read, read_options
from alexandria.library.ingest.options import ReadChoices
from alexandria.store.catalog import Catalog
from alexandria.store.consistent_read import read_whole_book
from alexandria.store.passage import passage_of
from alexandria.store.payload import book_values, digest_of, with_changes
from alexandria.store.points import point_id
from alexandria.store.record import Record, with_vector_sums
from alexandria.store.verify import is_ours

SETTINGS_UNKNOWN = (
    "its record was lost: the settings it was cut with, its edits and what was left out are not known"
)
SOURCE_UNKNOWN = "its record was lost, and its file was not found: alexandria ingest FILE says where it is"


@dataclass(frozen=True, slots=True)
class _Clues:
    """What helps to rebuild the records of a library's books."""

    records: Sequence[Record]
    """The records that are left: a lost book probably has the settings of another book, and its file is
    probably in the same folder."""
    encoder: Callable[[Domain], Encoder]  # returns the encoder of a domain
    bound_to: str  # the name of the encoder of all vectors in the library
    paths: Mapping[str, Path]  # the files in which lost books may be, by the id of the book

    def rebuild_record(self, points: Sequence[Point]) -> Record | None:
        """Return the record of a book, or None unless the points are all the chunks of one book.

        Args:
            points: all points of one generation, that is, of a book as it was cut once, in any order.
        """
        # Another program may have written points without a chunk number. Any number will do for them, here
        # -1: `_is_whole` then returns False.
        points = sorted(points, key=lambda point: int(point.payload.get("chunk_id", -1)))
        if not _is_whole(points):
            return None
        chunks = list(map(passage_of, points))
        record = Record(
            **book_values(points[0].payload),
            settings={},
            n_chunks=len(chunks),
            n_words=sum(chunk.word_count for chunk in chunks),
            warnings=(),
            sections=tuple(dict.fromkeys(name for chunk in chunks for name in chunk.section)),
            digests=tuple(digest_of(point.payload) for point in points),
            chapter_authors=tuple(dict.fromkeys(filter(None, (chunk.chapter_author for chunk in chunks)))),
            sketch=pack_sketch(sketch_of(chunk.text for chunk in chunks)),
        )
        settings, keep_matter = self._find_settings(record)
        path = self._find_file(record)
        unknown = ((SETTINGS_UNKNOWN, keep_matter is None), (SOURCE_UNKNOWN, path is None))
        return replace(
            record,
            source=record.source if path is None else str(path.absolute()),
            settings=settings,
            warnings=tuple(warning for warning, is_unknown in unknown if is_unknown),
            keep_matter=bool(keep_matter),
        )

    def _find_settings(self, lost: Record) -> tuple[dict[str, Any], bool | None]:
        """Return the settings a book was cut with, and whether its cover, contents and the like were kept."""
        # The candidates are the settings of the other books and of the book's domain. Its generation is a
        # hash of the settings, so a candidate that gives the same generation is right. If none does, the
        # likeliest candidate is returned with None.
        candidates = [dict(record.settings) for record in self.records]
        candidates.append(DomainRequest(domain=lost.domain).domain_for().settings())
        domain_settings = candidates[-1]
        matching = [
            settings
            for settings in candidates
            if all(settings.get(key) == getattr(lost, key) for key in ("domain", "strategy"))
        ]
        distinct = {repr(sorted(settings.items())): settings for settings in matching}
        likely = list(distinct.values()) or [domain_settings]
        for settings in likely:
            encoder = self.encoder(DomainRequest(environ={}).domain_for(stored_settings=settings))
            if encoder.name != self.bound_to:
                continue
            for keep_matter in (False, True):
                generation = generation_with(lost.book_id, settings, encoder, keep_matter=keep_matter)
                if generation == lost.generation:
                    return settings, keep_matter
        return likely[0], None

    def _find_file(self, lost: Record) -> Path | None:
        """Return the file of a book, recognised by its content, or None if it is not found."""
        # The file is looked for among `paths`, then in the folders that hold the files of other books.
        if (path := self.paths.get(lost.book_id)) is not None:
            return path
        # The chunks have the path relative to the folder that was ingested, whose name is not known.
        folders = dict.fromkeys(parent for record in self.records for parent in Path(record.source).parents)
        paths = (folder / lost.source for folder in (*folders, Path.cwd()))
        return next((path for path in paths if _id_if_readable(path) == lost.book_id), None)


def _is_whole(points: Sequence[Point]) -> bool:
    """Return whether the points are all the chunks of one book, and have the ids that Alexandria gives."""
    if not points:
        return False
    names = ("book_id", "generation", "total_chunks")
    book_id, generation, total = (points[0].payload.get(name) for name in names)
    expected = {point_id(str(book_id), str(generation), number) for number in range(len(points))}
    return len(points) == total and {point.id for point in points} == expected


def _id_if_readable(path: Path) -> str | None:
    """Return the id of the book in a file, or None if there is no such file, or it cannot be read."""
    try:
        return content_id(path) if path.is_file() else None
    except AlexandriaError:
        return None


@dataclass(frozen=True, slots=True)
class Adoption:
    """What became of the points that no record listed."""

    adopted: tuple[Record, ...]  # the books whose records were rebuilt
    deleted: tuple[str, ...]  # the titles of the books of which some points were left: these are deleted


def adopt_books(
    catalog: Catalog, encoder: Callable[[Domain], Encoder], folders: Iterable[Path] = ()
) -> Adoption:
    """Write a record for each book that has all its points but no record; delete the points of other books.

    Args:
        catalog: the catalog of the library, open for writing.
        folders: files, and folders of files, in which the files of the books may be.
    """
    records = [*catalog.books(), *catalog.removed_books()]
    lost = sorted(catalog.lost_generations() - {record.generation for record in records})
    if not lost:
        return Adoption((), ())
    paths = {book_id: path for path in discover(tuple(folders)) if (book_id := _id_if_readable(path))}
    clues = _Clues(catalog.books(), encoder, catalog.binding.encoder, paths)
    points_of = {generation: list(catalog.store.points({"generation": [generation]})) for generation in lost}
    rebuilt = {generation: clues.rebuild_record(points) for generation, points in points_of.items()}
    adopted: dict[str, Record] = {}
    # Two generations of a book, if it was being replaced: the later one comes first.
    for record in sorted(filter(None, rebuilt.values()), key=lambda r: r.ingested_at, reverse=True):
        if record.book_id not in {*adopted, *(known.book_id for known in records)}:
            adopted[record.book_id] = with_vector_sums(record, catalog.store)
            catalog.update(adopted[record.book_id])
    kept = {record.generation for record in adopted.values()}
    unusable = [id for id in lost if id not in kept and all(map(is_ours, points_of[id]))]
    if unusable:
        catalog.store.delete({"generation": unusable})
    titles = [str(points_of[generation][0].payload.get("book_title")) for generation in unusable]
    return Adoption(tuple(adopted.values()), tuple(titles))


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
        bound_to: the name of the encoder that the library is bound to.

    Raises:
        StoreError: the file is gone or was changed, or this version of the program or the model would cut it
            differently.
        BookError: the file cannot be read.
    """
    path = _source_of(record)
    # Without the environment: options that are set now must not change the book.
    domain = DomainRequest(environ={}).domain_for(stored_settings=record.settings)
    model = encoder(domain)
    if model.name != bound_to:
        raise _cannot_rebuild(
            record,
            f"its vectors are from {bound_to}, but the model on this machine is {model.name}",
            f"install that model, or {_RESTORE}",
        )
    options = read_options(domain, ReadChoices(keep_matter=record.keep_matter, password=password))
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


def require_files(catalog: Catalog, tried: Callable[[Record, AlexandriaError | None], None]) -> bool:
    """Return whether the file of each book is there, as it was ingested.

    Args:
        tried: called with each book whose file is not, and the error that says so.
    """
    are_there = True
    for record in catalog.books():
        try:
            _source_of(record)
        except AlexandriaError as error:
            are_there = False
            tried(record, error)
    return are_there


def _source_of(record: Record) -> Path:
    """Return the file of a stored book.

    Raises:
        StoreError: it is gone or was changed.
        BookError: it cannot be read.
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
    return path


def _restore_payloads(record: Record, points: Sequence[Point]) -> list[Point] | None:
    """Return the points with the path and time that were first written; None if their digests still differ.

    A payload holds the path relative to the folder that was ingested. The record does not name that folder,
    so every end of the book's path is tried.
    """
    time = {"ingested_at": record.ingested_at}
    for source in _path_ends(record.source):
        candidates = [
            replace(point, payload=with_changes(point.payload, {"source": source, **time}))
            for point in points
        ]
        if tuple(digest_of(point.payload) for point in candidates) == record.digests:
            return candidates
    return None


def _path_ends(path: str) -> list[str]:
    """Return the ends of a path, shortest first: `c`, `b/c` and `a/b/c` for `/a/b/c`."""
    parts = Path(path).parts
    return ["/".join(parts[i:]) for i in range(len(parts) - 1, 0, -1)]


_RESTORE = (
    "alexandria restore BACKUP --store NEW_FOLDER;"
    " alexandria copy --to NEW_FOLDER takes the books that are whole"
)


def _cannot_rebuild(record: Record, why: str, fix: str) -> StoreError:
    return StoreError(f"cannot rebuild “{record.title}”", why=why, fix=fix)
