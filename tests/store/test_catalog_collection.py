"""The catalog of a server: asked for some books, it reads no others."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import QdrantClient, models

from alexandria.book import Point
from alexandria.errors import StoreError
from alexandria.filters import EVERYTHING, Filters
from alexandria.likeness import pack_sketch
from alexandria.modes import Mode
from alexandria.store import QueryVectors, Server, open_store
from alexandria.store import catalog as catalog_module
from alexandria.store.catalog import Catalog
from alexandria.store.catalog_collection import CatalogCollection, record_id
from alexandria.store.connection import BINDING as BINDING_ID
from alexandria.store.connection import Connection, catalog_name
from alexandria.store.lookup import LEVELS, LOOKUP, REMOVED
from alexandria.store.record import Record, scope_of
from alexandria.store.store import Pending, Summary
from tests.store.examples import AXES, BINDING, book, interrupt, point, record, without_waits
from tests.store.fake_server import FakeServer

LANGUAGES = st.sampled_from(["en", "en-GB", "e", "hr", None])
TEXTS = st.sampled_from(["", "a", "Ä", "é", "İ", "straße", "%", "_", "ab", "A b", "ab of the same beginning"])
BOOKS = st.lists(st.tuples(TEXTS, TEXTS, LANGUAGES, TEXTS, st.booleans(), st.booleans()), max_size=8)
FILTERS = st.builds(
    Filters,
    book=st.none() | TEXTS | st.sampled_from(["a1", "a0000000000001", "a0000000000009"]),
    author=st.none() | TEXTS,
    language=st.none() | st.sampled_from(["en", "EN-gb", "h"]),
    domain=st.none() | TEXTS,
)


def make(number: int, **more: Any) -> Record:
    return replace(record(book(f"a{number:013}")), **more)


@contextmanager
def catalog_of(records: list[Record]) -> Iterator[CatalogCollection]:
    """Yield a catalog that can be asked, on qdrant-client's in-memory mode in place of a server."""
    client = QdrantClient(location=":memory:")
    client.create_collection(catalog_name("books"), models.VectorParams(size=1, distance=models.Distance.DOT))
    catalog = CatalogCollection(Connection(client, "memory", Server(), shared=True), "books")
    for one in records:
        catalog.commit(put=[asdict(one)], delete=(), pending=(), done=())
    yield catalog
    client.close()


def ids(records: Any) -> list[str]:
    return [one["book_id"] for one in records]


@given(BOOKS, FILTERS)
def test_it_finds_and_sums_up_the_books_that_the_filters_admit(books: list[Any], filters: Filters) -> None:
    records = [
        make(
            n,
            title=title,
            author=author,
            language=language,
            domain=domain,
            removed_at="2026-01-01" if removed else None,
            settings={"model": "test", "sentence_vectors": sentences},
            work=f"a{0:013}" if n % 3 else "",
        )
        for n, (title, author, language, domain, removed, sentences) in enumerate(books)
    ]
    present = [one for one in records if one.removed_at is None]
    present.sort(key=lambda one: (one.title.casefold(), one.book_id))
    with catalog_of(records) as catalog:
        admitted = [one for one in present if filters.admit(one)]
        matching, scope, summary = catalog.matching(filters), catalog.scope(filters), catalog.summary()
        pages = [catalog.page(filters, start, 3) for start in range(0, len(books) + 3, 3)]
        assert catalog.faults() == []
    assert sorted(ids(matching)) == sorted(one.book_id for one in admitted)
    assert [id for page in pages for id in ids(page)] == [one.book_id for one in admitted]
    assert scope is not None
    assert replace(scope, where={}) == replace(scope_of(admitted), where={})
    assert [one for one in present if _has(one, scope.where)] == admitted
    works = tuple({one.work: None for one in present if one.work})
    assert summary == Summary(
        n_books=len(present),
        languages=frozenset(one.language for one in present),
        n_without_sentences=sum(not one.settings["sentence_vectors"] for one in present),
        model="test" if present else "",
        precisions=frozenset(),
        works=works,
    )


def _has(record: Record, where: Any) -> bool:
    names = {"book_title": "title"}  # in the payload of a point
    return all(getattr(record, names.get(key, key)) in values for key, values in where.items())


@given(st.lists(st.text("abß é", max_size=4 + 6 * LEVELS), max_size=30), st.integers(1, 7))
def test_pages_are_in_the_order_of_titles_however_much_of_them_is_the_same(
    ends: list[str], limit: int
) -> None:
    records = [make(n, title=f"{'The same beginning, '[: n % 20]}{end}") for n, end in enumerate(ends)]
    with catalog_of(records) as catalog:
        pages = [ids(catalog.page(EVERYTHING, start, limit)) for start in range(0, len(ends) + limit, limit)]
    records.sort(key=lambda one: (one.title.casefold(), one.book_id))
    assert [id for page in pages for id in page] == [one.book_id for one in records]


def test_books_are_found_by_title_and_by_runs_of_words() -> None:
    sketches = [pack_sketch((n, n + 1, 1000)) for n in range(0, 30, 10)]
    records = [make(n, title=f"Bóok {n}", sketch=sketch) for n, sketch in enumerate([*sketches, ""])]
    removed = make(7, title="Book 1", sketch=sketches[1], removed_at="2026-01-01")
    with catalog_of([*records, removed]) as catalog:
        assert ids(catalog.having("title", ["book 1"])) == [records[1].book_id]
        assert ids(catalog.having("runs", [11, 99])) == [records[1].book_id]
        assert len(catalog.having("runs", [1000]) or ()) == 3


def test_a_record_that_is_not_found_by_what_it_says_is_named() -> None:
    with catalog_of([make(1), make(2)]) as catalog:
        catalog._client.set_payload(catalog._name, {LOOKUP: {"state": REMOVED}}, [record_id(make(2).book_id)])
        assert catalog.faults() == [f"the lookup values do not match the record {make(2).book_id}"]
        catalog.repair()
        assert catalog.faults() == []


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


def opened(server: FakeServer, *, write: bool = False) -> Catalog:
    return Catalog(open_store(server.url, "books", BINDING if write else None, without_waits()), sweep=write)


def fill(server: FakeServer, n_books: int) -> None:
    """Fill a library whose first two books have points."""
    catalog = opened(server, write=True)
    for number in range(n_books):
        points = [_named(one, number) for one in book(f"{number:04}", n=2)]
        stored = replace(
            record(points),
            author=f"Author {number:04}",
            sections=tuple(f"Chapter {i} of {number}" for i in range(20)),
            sketch=pack_sketch(tuple(range(1000 * number, 1000 * number + 40))),
        )
        if number < 2:
            catalog.replace(stored, points)
        else:
            catalog.store.records.commit(put=[asdict(stored)])
    catalog.close()


def _named(one: Point, number: int) -> Point:
    names = {"book_title": f"The Book of Number {number:04}", "author": f"Author {number:04}"}
    return replace(one, payload={**one.payload, **names, "domain": "default", "language": "en"})


def look(catalog: Catalog, **filters: str) -> None:
    scope = catalog.scope(Filters(**filters))
    assert catalog.search(QUERY, Mode.HYBRID, scope, 3)


def ingest(catalog: Catalog) -> None:
    points = book("new", n=2)
    new = replace(record(points), sketch=pack_sketch((5, 6, 7)))
    assert len(catalog.with_shingles([5])) == 1
    assert not catalog.holds(new.book_id, new.generation)
    assert catalog.removed_book("new", "/shelf/new.txt") is None
    catalog.replace(new, points)
    assert catalog.n_books > 2


QUERY = QueryVectors(AXES[0], point(0).bm25)
OPERATIONS: dict[str, Callable[[Catalog], Any]] = {
    "open": lambda catalog: None,
    "search": look,
    "author": lambda catalog: look(catalog, author="author 0001"),
    "title": lambda catalog: look(catalog, book="number 0001"),
    "id": lambda catalog: look(catalog, book="0001"),
    "domain and language": lambda catalog: look(catalog, domain="default", language="en"),
    "page": lambda catalog: catalog.page(EVERYTHING, start=5, limit=3),
    "page of an author": lambda catalog: catalog.page(Filters(author="hor 0002"), start=0, limit=3),
    "find": lambda catalog: catalog.find("the book of number 0012"),
    "find a part": lambda catalog: catalog.find("of number 0012"),
    "find by id": lambda catalog: catalog.find("0007"),
    "find by path": lambda catalog: catalog.book_at("/shelf/0007.txt"),
    "editions": lambda catalog: catalog.editions(),
    "one more": ingest,
    "sweep": lambda catalog: catalog.sweep(),
}


def test_what_an_operation_costs_does_not_depend_on_the_number_of_books() -> None:
    costs = []
    for n_books in (20, 200):
        with FakeServer() as server:
            fill(server, n_books)
            costs.append({name: cost(server, work) for name, work in OPERATIONS.items()})
    for name in OPERATIONS:
        (requests, n_bytes), (more_requests, more_bytes) = (cost[name] for cost in costs)
        assert requests == more_requests, name
        assert abs(n_bytes - more_bytes) < 30, name  # digits of counts


def cost(server: FakeServer, work: Callable[[Catalog], Any]) -> tuple[list[str], int]:
    """Return the requests of an operation in a library that is opened for it, and the bytes it receives."""
    server.requests.clear()
    server.n_bytes = 0
    catalog = opened(server)
    work(catalog)
    catalog.close()
    return [f"{method} {path}" for method, path, _ in server.requests], server.n_bytes


@pytest.mark.parametrize(
    ("form", "fix"),
    [(99, "update Alexandria"), (0, "ingest the books again"), (None, "ingest the books again")],
)
def test_a_catalog_of_another_version_is_refused_by_name(
    server: FakeServer, form: int | None, fix: str
) -> None:
    fill(server, 1)
    server.engine.set_payload(catalog_name("books"), {"form": form}, [BINDING_ID])
    for write in (False, True):
        with pytest.raises(StoreError, match="cannot open the library books at") as caught:
            opened(server, write=write)
        assert caught.value.fix.endswith(fix)


def test_a_sweep_looks_at_what_others_have_noted_once_they_are_gone(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(server, 1)
    with opened(server, write=True) as catalog:
        interrupt(catalog, "commit", book("stray"))
    with opened(server, write=True) as catalog:  # its note is too young: it may be writing still
        assert set(catalog.store.generations()) == {"0000-g", "stray-g"}
    monkeypatch.setattr(catalog_module, "GRACE", timedelta(seconds=-5))
    with opened(server, write=True) as catalog:
        assert set(catalog.store.generations()) == {"0000-g"}
        assert catalog.records().keys() == {"0000"}
    server.requests.clear()
    with opened(server, write=True):
        pass
    assert not [path for _, path, _ in server.requests if "facet" in path or "delete" in path]


def test_a_generation_that_is_being_written_again_is_not_swept(server: FakeServer) -> None:
    fill(server, 1)
    with opened(server, write=True) as catalog:
        [stored] = catalog.books()
        old = Pending("again-g", "Again", "2020-01-01T00:00:00+00:00")
        catalog.store.upsert(book("again"))
        catalog.store.records.commit(pending=[old])
        catalog.store.records.commit(pending=[replace(old, since=datetime.now(UTC).isoformat())])
    with opened(server, write=True) as catalog:
        assert set(catalog.store.generations()) == {stored.generation, "again-g"}
        catalog.store.records.commit(pending=[old])
    with opened(server, write=True) as catalog:
        assert set(catalog.store.generations()) == {stored.generation}
        assert catalog.store.records.pending() == []
