"""Books whose points are there, but whose catalog records are lost: their records are made again."""

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
from alexandria.likeness import packed, sketch_of
from alexandria.pipeline import generation_with
from alexandria.store.catalog import Catalog
from alexandria.store.points import digest_of, point_id
from alexandria.store.record import Record

SETTINGS_UNKNOWN = (
    "its record was lost: the settings it was cut with, its edits and what was left out are not known"
)
SOURCE_UNKNOWN = "its record was lost, and its file was not found: name its folder to alexandria repair"


class Adopter:
    """Makes the record of a book again from its points, as far as they and the other records tell it."""

    def __init__(
        self,
        known: Sequence[Record],
        encoder: Callable[[Domain], Encoder],
        bound_to: str,
        folders: Iterable[Path] = (),
    ) -> None:
        """Note what helps.

        Args:
            known: the records that are there: a book is likely to have the settings of another, and its file
                to be in the same folder.
            encoder: returns the encoder of a domain.
            bound_to: the name of the encoder that the library is bound to.
            folders: files, and folders of files, of which some may be the books'.
        """
        self._known, self._encoder, self._bound_to = known, encoder, bound_to
        self._folders = tuple(folders)

    def record(self, points: Sequence[Point]) -> Record | None:
        """Return the record of a book; None unless the points are all the chunks of one book.

        Args:
            points: all that have one generation, in any order.
        """
        payloads = [
            # A point without a number is none of ours: `_is_whole` refuses them all.
            point.payload
            for point in sorted(points, key=lambda p: int(p.payload.get("chunk_id", -1)))
        ]
        if not payloads or not _is_whole(points, payloads):
            return None
        first = payloads[0]
        settings, keep_matter = self._settings(first)
        path = self._file(first)
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
            sketch=packed(sketch_of(str(payload["text"]) for payload in payloads)),
            keep_matter=keep_matter,
        )

    def _settings(self, payload: Mapping[str, Any]) -> tuple[dict[str, Any], bool | None]:
        """Return the settings of a book, and whether cover and the like were kept; None if both are guessed.

        The generation of a book is a hash of them, so that a guess can be proven.
        """
        candidates = [dict(record.settings) for record in self._known]
        candidates.append(DomainRequest(domain=payload["domain"]).domain_for().settings())
        made_so = ("domain", "strategy")
        likely = [one for one in candidates if all(one.get(key) == payload[key] for key in made_so)]
        likely = list({repr(sorted(one.items())): one for one in likely}.values()) or candidates[-1:]
        for settings in likely:
            encoder = self._encoder(DomainRequest(environ={}).domain_for(stored=settings))
            if encoder.name != self._bound_to:
                continue
            for keep_matter in (False, True):
                name = generation_with(payload["book_id"], settings, encoder, keep_matter=keep_matter)
                if name == payload["generation"]:
                    return settings, keep_matter
        return likely[0], None

    def _file(self, payload: Mapping[str, Any]) -> Path | None:
        """Return the file of a book: its content tells it."""
        if (path := self._named.get(payload["book_id"])) is not None:
            return path
        folders = dict.fromkeys(parent for record in self._known for parent in Path(record.source).parents)
        places = (folder / payload["source"] for folder in (*folders, Path.cwd()))
        return next((place for place in places if _content(place) == payload["book_id"]), None)

    @cached_property
    def _named(self) -> dict[str, Path]:
        """Return the files in the folders by their content."""
        if not self._folders:
            return {}
        return {book_id: path for path in discover(self._folders) if (book_id := _content(path))}


def _is_whole(points: Sequence[Point], payloads: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether points are all chunks of one book, written by Alexandria."""
    book_id, generation, total = (payloads[0].get(key) for key in ("book_id", "generation", "total_chunks"))
    expected = {point_id(str(book_id), str(generation), number) for number in range(len(payloads))}
    return len(payloads) == total and {point.id for point in points} == expected


def _content(path: Path) -> str | None:
    try:
        return content_id(path) if path.is_file() else None
    except AlexandriaError:
        return None


def adopt_books(
    catalog: Catalog,
    encoder: Callable[[Domain], Encoder],
    folders: Iterable[Path] = (),
) -> tuple[Record, ...]:
    """Write the records of books whose points are all there, and that no record lists; return them.

    Args:
        catalog: open for writing, and swept: what an interrupted ingest has left is no such book.
        encoder: returns the encoder of a domain.
        folders: files, and folders of files, where the books may be.
    """
    records = [*catalog.books(), *catalog.removed_books()]
    generations, ids = ({getattr(record, name) for record in records} for name in ("generation", "book_id"))
    adopter = Adopter(catalog.books(), encoder, catalog.binding.encoder, folders)
    adopted = []
    for generation in sorted(catalog.lost_generations() - generations):
        record = adopter.record(list(catalog.store.points({"generation": [generation]})))
        if record is not None and record.book_id not in ids:
            catalog.update(record)
            adopted.append(record)
            ids.add(record.book_id)
    return tuple(adopted)
