"""Rebuilds lost catalog records from the points of their books."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from alexandria.batch.discovery import discover
from alexandria.book import Point
from alexandria.config import Domain, DomainRequest
from alexandria.embed import Encoder
from alexandria.errors import AlexandriaError
from alexandria.extract import content_id
from alexandria.likeness import pack_sketch, sketch_of
from alexandria.pipeline import generation_with
from alexandria.store.catalog import Catalog
from alexandria.store.points import digest_of, point_id
from alexandria.store.record import Record

SETTINGS_UNKNOWN = (
    "its record was lost: the settings it was cut with, its edits and what was left out are not known"
)
SOURCE_UNKNOWN = "its record was lost, and its file was not found: name its folder to alexandria repair"


class Adopter:
    """Rebuilds the record of a book from its points, and from the records of other books."""

    def __init__(
        self,
        records: Sequence[Record],
        encoder: Callable[[Domain], Encoder],
        bound_to: str,
        folders: Iterable[Path] = (),
    ) -> None:
        """Set what helps to rebuild records.

        Args:
            records: the records that are left. A lost book probably has the settings of another book, and its
                file is probably in the same folder.
            encoder: returns the encoder of a domain.
            bound_to: the name of the encoder of all vectors in the library.
            folders: files, and folders of files, in which the files of books without a record may be.
        """
        self._records, self._encoder, self._bound_to = records, encoder, bound_to
        self._folders = tuple(folders)

    def rebuild_record(self, points: Sequence[Point]) -> Record | None:
        """Return the record of a book, or None unless the points are all the chunks of one book.

        Args:
            points: all points of one generation, that is, of a book as it was cut once, in any order.
        """
        payloads = [
            # Another program may have written points without a chunk number. Any number will do for them,
            # here -1: `_is_whole` then returns False.
            point.payload
            for point in sorted(points, key=lambda point: int(point.payload.get("chunk_id", -1)))
        ]
        if not payloads or not _is_whole(points, payloads):
            return None
        first = payloads[0]
        settings, keep_matter = self._find_settings(first)
        path = self._find_file(first)
        warnings = []
        if keep_matter is None:
            warnings.append(SETTINGS_UNKNOWN)
        if path is None:
            warnings.append(SOURCE_UNKNOWN)
        return Record(
            book_id=first["book_id"],
            generation=first["generation"],
            title=first["book_title"],
            author=first["author"],
            language=first["language"],
            format=first["format"],
            source=first["source"] if path is None else str(path.absolute()),
            domain=first["domain"],
            strategy=first["strategy"],
            settings=settings,
            n_chunks=len(payloads),
            n_words=sum(int(payload["word_count"]) for payload in payloads),
            warnings=tuple(warnings),
            ingested_at=first["ingested_at"],
            sections=tuple(dict.fromkeys(name for payload in payloads for name in payload["section"])),
            digests=tuple(map(digest_of, payloads)),
            publisher=first["publisher"],
            date=first["date"],
            translators=tuple(first["translators"]),
            identifiers=tuple(first["identifiers"]),
            series=first["series"],
            sketch=pack_sketch(sketch_of(str(payload["text"]) for payload in payloads)),
            keep_matter=keep_matter,
        )

    def _find_settings(self, payload: Mapping[str, Any]) -> tuple[dict[str, Any], bool | None]:
        """Return the settings a book was cut with, and whether its cover, contents and the like were kept.

        The candidates are the settings of the other books and of the book's domain. The generation in the
        payload is a hash of the settings, so a candidate that gives the same generation is right. If none
        does, the likeliest candidate is returned with None.
        """
        candidates = [dict(record.settings) for record in self._records]
        candidates.append(DomainRequest(domain=payload["domain"]).domain_for().settings())
        matching = [
            settings
            for settings in candidates
            if all(settings.get(key) == payload[key] for key in ("domain", "strategy"))
        ]
        distinct = {repr(sorted(settings.items())): settings for settings in matching}
        domain_settings = candidates[-1]
        likely = list(distinct.values()) or [domain_settings]
        for settings in likely:
            encoder = self._encoder(DomainRequest(environ={}).domain_for(stored_settings=settings))
            if encoder.name != self._bound_to:
                continue
            for keep_matter in (False, True):
                generation = generation_with(payload["book_id"], settings, encoder, keep_matter=keep_matter)
                if generation == payload["generation"]:
                    return settings, keep_matter
        return likely[0], None

    def _find_file(self, payload: Mapping[str, Any]) -> Path | None:
        """Return the file of a book, recognised by its content, or None if it is not found.

        The file is looked for in the given folders, then in the folders that hold the files of other books.
        """
        if (path := self._files_by_id.get(payload["book_id"])) is not None:
            return path
        # The payload has the path relative to the folder that was ingested, whose name is not known.
        folders = dict.fromkeys(parent for record in self._records for parent in Path(record.source).parents)
        paths = (folder / payload["source"] for folder in (*folders, Path.cwd()))
        return next((path for path in paths if _id_if_readable(path) == payload["book_id"]), None)

    @cached_property
    def _files_by_id(self) -> dict[str, Path]:
        """The files in the given folders, by the id of their book."""
        if not self._folders:
            return {}
        return {book_id: path for path in discover(self._folders) if (book_id := _id_if_readable(path))}


def _is_whole(points: Sequence[Point], payloads: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the points are all the chunks of one book, and have the ids that Alexandria gives."""
    book_id, generation, total = (payloads[0].get(key) for key in ("book_id", "generation", "total_chunks"))
    expected = {point_id(str(book_id), str(generation), number) for number in range(len(payloads))}
    return len(payloads) == total and {point.id for point in points} == expected


def _id_if_readable(path: Path) -> str | None:
    """Return the id of the book in a file, or None if there is no such file, or it cannot be read."""
    try:
        return content_id(path) if path.is_file() else None
    except AlexandriaError:
        return None


def adopt_books(
    catalog: Catalog,
    encoder: Callable[[Domain], Encoder],
    folders: Iterable[Path] = (),
) -> tuple[Record, ...]:
    """Write a record for each book that has all its points but no record, and return these records.

    Args:
        catalog: the catalog of the library, open for writing and swept: it has no points of an interrupted
            ingest.
        encoder: returns the encoder of a domain.
        folders: files, and folders of files, in which the files of the books may be.
    """
    records = [*catalog.books(), *catalog.removed_books()]
    generations = {record.generation for record in records}
    ids = {record.book_id for record in records}
    adopter = Adopter(catalog.books(), encoder, catalog.binding.encoder, folders)
    adopted = []
    for generation in sorted(catalog.lost_generations() - generations):
        record = adopter.rebuild_record(list(catalog.store.points({"generation": [generation]})))
        if record is not None and record.book_id not in ids:
            catalog.update(record)
            adopted.append(record)
            ids.add(record.book_id)
    return tuple(adopted)
