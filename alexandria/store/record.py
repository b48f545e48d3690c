"""The record of a book in the catalog of a store, functions on records, and books with changed metadata."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from alexandria.book.filters import is_by
from alexandria.book.headings import Levels, is_under, levels_meant
from alexandria.book.model import Article, LeftOut, Point, article_of
from alexandria.book.people import Contributor, contributor_of
from alexandria.book.volumes import Volume, volume_of
from alexandria.errors import DamagedError, StoreError
from alexandria.store.edge_errors import REMEDY
from alexandria.store.passage import passage_of
from alexandria.store.payload import digest_of, with_changes
from alexandria.store.points import generation_of, point_id
from alexandria.store.store import Scope, Store
from alexandria.store.vectors import vector_sum


@dataclass(frozen=True, slots=True)
class Record:
    """A book in the catalog; lists of books leave out its longest fields (`catalog_file.DETAILS`)."""

    book_id: str
    generation: str
    title: str
    author: str
    language: str | None
    format: str
    source: str
    """The absolute path of its file; a changed file at the same path replaces the book."""
    domain: str
    strategy: str
    settings: Mapping[str, Any] = field(repr=False)
    n_chunks: int
    n_words: int
    warnings: tuple[str, ...]
    ingested_at: str
    sections: tuple[str, ...] = field(default=(), repr=False)
    """The headings of its chunks, at every level, without duplicates."""
    digests: tuple[str, ...] = field(default=(), repr=False)
    """`points.digest_of` the payload of each chunk, in order."""
    vector_sums: tuple[float, ...] = field(default=(), compare=False, repr=False)
    """`vectors.vector_sum` of each chunk, in order, as the store has rounded its vectors; empty on a
    server."""
    n_pages: int | None = None
    left_out: tuple[LeftOut, ...] = ()
    subtitle: str = ""
    people: tuple[Contributor, ...] = ()
    """Those who made it, with their roles; empty where the book only names authors."""
    publisher: str = ""
    place: str = ""
    """Where it was published."""
    date: str = ""
    """The date of publication, as the book states it."""
    original_date: str = ""
    """Of the first edition."""
    edition: str = ""
    url: str = ""
    translators: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    series: str = ""
    volume: str = ""
    """As stated apart from title and series; `volumes.volume_of` knows what these say too."""
    volume_title: str = field(default="", repr=False)
    container: str = field(default="", repr=False)
    """The journal that it is an article of; empty for a book. The next three are of the article in it."""
    container_volume: str = field(default="", repr=False)
    issue: str = field(default="", repr=False)
    pages: str = field(default="", repr=False)
    """As printed: `167–191`."""
    text_layer: bool | None = field(default=None, repr=False)
    """True if pages of it are scans with a text layer."""
    chapter_authors: tuple[str, ...] = field(default=(), repr=False)
    """The authors of chapters in a book that others edited, as the payloads of these chapters name them."""
    title_names: tuple[str, ...] = ()
    """The words of title and subtitle that are names, as its text shows; found when it is ingested."""
    edits: Mapping[str, Any] = field(default_factory=dict)
    """Metadata that the user has set in place of the book's own, by field; kept if it is ingested again."""
    configuration: str = ""
    """The generation of the book as it was ingested, if its metadata has been changed since."""
    sketch: str = field(default="", repr=False)
    """The sketch of its words, as `pack_sketch` writes it: editions of one work are recognised by it."""
    work: str = ""
    """The id of the first book that was an edition of the same work; empty for that book itself."""
    keep_matter: bool = False
    """Whether cover, contents, imprint and index were kept."""
    precision: str | None = None
    """The number format in which the model computed its vectors, such as `f32`; None without a model."""
    words_version: int | None = field(default=None, repr=False)
    """`payload.WORDS_VERSION` of its index, as in the payload of its chunks; None for an older one."""
    guessed_title: str = field(default="", repr=False)
    """The title that was guessed when it was ingested, as the book states none; perhaps edited since."""
    removed_at: str | None = None
    """Set once a book has been removed: its record stays, so that its file is not ingested again unasked."""

    @property
    def kind(self) -> str:
        """`article` or `book`."""
        return self.as_article.kind or "book"

    @property
    def as_article(self) -> Article:
        """The article that it is, if it is one."""
        return article_of(lambda name: str(getattr(self, name)))

    @property
    def as_volume(self) -> Volume:
        """The volume that the book is, if it is one, and its title without it."""
        return volume_of(self.title, self.series, self.volume, self.volume_title)


@dataclass(frozen=True, slots=True)
class BookName:
    """What a question may name a book by, and what filters know of it."""

    book_id: str
    title: str
    author: str
    language: str | None
    domain: str
    format: str
    chapter_authors: tuple[str, ...] = ()
    subtitle: str = ""

    @property
    def as_volume(self) -> Volume:
        """The volume that its title says it is."""
        return volume_of(self.title)


def configuration_of(record: Record) -> str:
    """Return the generation that a book had when it was ingested: it identifies the settings."""
    return record.configuration or record.generation


def is_outdated(record: Record, extraction: int, encoder: str) -> bool:
    """Return whether another version of the program has read a book.

    Args:
        extraction: the number of the version that reads it now.
    """
    reading = {"keep_matter": record.keep_matter}
    now = generation_of(record.book_id, extraction, record.settings, encoder, reading)
    return configuration_of(record) != now


def point_ids(record: Record) -> list[str]:
    """Return the ids of a book's points, in reading order."""
    return [point_id(record.book_id, record.generation, number) for number in range(record.n_chunks)]


def with_vector_sums(record: Record, store: Store) -> Record:
    """Return a record with the sums of its vectors, read from the store, which has rounded them.

    A missing point, which `verify` reports, gets a sum of 0.
    """
    if store.on_server:
        return replace(record, vector_sums=())
    sums = {point.id: vector_sum(point) for point in store.points({"generation": [record.generation]})}
    return replace(record, vector_sums=tuple(sums.get(id, 0.0) for id in point_ids(record)))


def work_of(record: Record) -> str:
    """Return the id that all editions of a work have in common."""
    return record.work or record.book_id


def editions_by_work(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the books grouped by work; the works are in the order of their first books."""
    works: dict[str, list[Record]] = {}
    for record in records:
        works.setdefault(work_of(record), []).append(record)
    return works


def sections_meant(text: str, records: Iterable[Record]) -> Levels:
    """Return the headings of all these books that a text means best, in whichever of the books they are."""
    records = list(records)
    levels = levels_meant(text, (heading for record in records for heading in record.sections))
    return levels if any(is_under(record.sections, levels) for record in records) else []


def read_records(store: Store) -> list[Record]:
    """Return every record of a store's catalog.

    This includes the records of removed books, and older records of a path that a crash has left.
    """
    return [parse_record(stored, store.address) for stored in store.records.all()]


def scope_of(records: Collection[Record], author: str | None = None) -> Scope:
    """Return the scope of a search in the books with these records.

    Of a book that is not by the author, if one is given, only the chapters by them are searched.
    """
    where: dict[str, Sequence[str]] = {"generation": [record.generation for record in records]}
    if author is not None and not all(is_by(record.author, author) for record in records):
        names = {name for record in records for name in (record.author, *record.chapter_authors)}
        where["author|chapter_author"] = sorted(name for name in names if is_by(name, author))
    return Scope(
        n_books=len(records),
        languages=frozenset(record.language for record in records),
        n_without_sentences=sum(not record.settings.get("sentence_vectors", True) for record in records),
        where=where,
    )


_TUPLES = (
    "warnings",
    "sections",
    "digests",
    "vector_sums",
    "translators",
    "identifiers",
    "title_names",
    "chapter_authors",
)  # the fields that are tuples: JSON has lists in their place


def parse_record(stored: Mapping[str, Any], address: str) -> Record:
    """Return a record from its fields in the store; fields that this version does not know are ignored.

    Raises:
        DamagedError: the record is damaged.
    """
    names = {field.name for field in fields(Record)}
    values = {name: value for name, value in stored.items() if name in names}
    try:
        left_out = tuple(LeftOut(**part) for part in values.get("left_out", ()))
        tuples = {name: tuple(values.get(name, ())) for name in _TUPLES}
        people = tuple(contributor_of(person) for person in values.get("people", ()))
        return Record(**{**values, **tuples, "left_out": left_out, "people": people})
    except TypeError as error:
        raise DamagedError(
            f"cannot read the library at {address}",
            why=f"a record in its catalog is damaged: {error}",
            fix=REMEDY,
        ) from error


def incomplete_error(record: Record, why: str) -> StoreError:
    """Return the error for a stored book that has lost points, or has damaged ones."""
    return StoreError(
        f"“{record.title}” is damaged in the library",
        why=why,
        fix="alexandria repair rebuilds it from its file; alexandria verify lists all that is damaged",
    )


def latest_by_path(records: Iterable[Record]) -> tuple[dict[str, Record], list[Record]]:
    """Return the latest record of each path, by book id, and a list of the records that these replace.

    The list is empty unless a crash came between writing a new record and deleting the old one. Records of
    removed books are in neither.
    """
    latest: dict[str, Record] = {}
    replaced = []
    books = (record for record in records if record.removed_at is None)
    for record in sorted(books, key=lambda record: record.ingested_at):
        if (old := latest.get(record.source)) is not None:
            replaced.append(old)
        latest[record.source] = record
    return {record.book_id: record for record in latest.values()}, replaced


def removed_by_id(records: Iterable[Record]) -> dict[str, Record]:
    """Return the records of removed books by book id."""
    return {record.book_id: record for record in records if record.removed_at is not None}


def with_payload_changes(
    record: Record, points: Iterable[Point], changes: Mapping[str, Any]
) -> tuple[Record, list[Point]]:
    """Return the record and the points of a book, with changed values in the payloads.

    Both get a new generation, so that the book can be replaced as a whole.

    Args:
        record: the book; its own fields hold the new values already.
        changes: the values of the payload that change, by key.
    """
    generation = generation_of(record.generation, dict(changes))
    changes = {**changes, "generation": generation}
    ordered = sorted(points, key=lambda point: passage_of(point).chunk_id)
    ids = [point_id(record.book_id, generation, passage_of(point).chunk_id) for point in ordered]
    new = [
        replace(point, id=id, payload=with_changes(point.payload, changes))
        for id, point in zip(ids, ordered, strict=True)
    ]
    digests = tuple(digest_of(point.payload) for point in new)
    configuration = configuration_of(record)
    return replace(record, generation=generation, configuration=configuration, digests=digests), new
