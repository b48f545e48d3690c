"""The catalog of a server is stored there, and read from a copy on this machine, which is up to date."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import QdrantClient, models

from alexandria.book.filters import Filters
from alexandria.errors import StoreError
from alexandria.store import Server, open_store
from alexandria.store import catalog as catalog_module
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from alexandria.store.server import mirror
from alexandria.store.server.connection import BINDING as BINDING_ID
from alexandria.store.server.connection import Connection, catalog_name
from alexandria.store.server.mirror import CATALOG_INDEXES, Mirror
from alexandria.store.store import Pending
from alexandria.system.cache import catalogs_folder, clear
from tests.store.examples import BINDING, book, interrupt, record, store_book, without_waits
from tests.store.fake_server import FakeServer


def make(name: str, **more: Any) -> Record:
    return replace(record(book(name, n=1)), **more)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache folder of the tests, which is empty."""
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def opened(server: FakeServer, *, write: bool = False) -> Catalog:
    return Catalog(open_store(server.url, "books", BINDING if write else None, without_waits()), sweep=write)


def fill(server: FakeServer, n_books: int) -> None:
    with opened(server, write=True) as catalog:
        records = [replace(make(f"{n:05}"), sections=tuple(map(str, range(500)))) for n in range(n_books)]
        catalog.store.records.commit(put=list(map(asdict, records)))


def on_another_machine(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use another cache folder from now on."""
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(cache.with_name("other")))


def two_machines() -> tuple[Connection, Connection]:
    """Return two connections to one server, whose copies are in different files."""
    client = QdrantClient(location=":memory:")
    client.create_collection(catalog_name("books"), models.VectorParams(size=1, distance=models.Distance.DOT))
    one, other = (Connection(client, address, Server(), on_server=True) for address in "12")
    return one, other


def clock(monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    monkeypatch.setattr(time, "time", lambda: 1.7e9 + 3600 * hours)


def test_a_writer_whose_clock_is_behind_is_read_by_who_has_read_later_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It has begun to write before the other, and is done after a reader has read the other."""
    one, other = two_machines()
    behind, ahead, reader = (Mirror(one, "books", name) for name in ("behind", "ahead", "reader"))
    clock(monkeypatch, 0)
    behind.commit(put=[asdict(make("a"))])
    write = one.client.batch_update_points

    def write_late(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(one.client, "batch_update_points", write)
        clock(monkeypatch, 9)
        ahead.commit(put=[asdict(make("b"))])
        reader.refresh()
        return write(*arguments, **named)

    monkeypatch.setattr(one.client, "batch_update_points", write_late)
    behind.commit(put=[asdict(make("a", title="New"))])
    reader.refresh()
    for copy in (behind, ahead, reader):
        copy.refresh()
        assert sorted(record["title"] for record in copy.all()) == ["B", "New"]
        copy.close()
    other.client.close()


STEPS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from("abcd"), st.none() | st.integers(0, 9), st.integers(-9, 9)),
    max_size=12,
)


@given(STEPS)
def test_two_writers_whose_clocks_differ_by_hours_read_what_the_server_has(
    steps: list[tuple[int, str, int | None, int]],
) -> None:
    """Each step is of one of two writers, and puts or deletes a record at an hour of its clock."""
    connections = two_machines()
    copies = [Mirror(connection, "books", str(time.monotonic_ns())) for connection in connections]
    expected: dict[str, dict[str, Any]] = {}
    with pytest.MonkeyPatch.context() as patch:
        for writer, name, year, hours in steps:
            clock(patch, hours)
            if year is None:
                expected.pop(name, None)
                copies[writer].commit(delete=[name])
            else:
                expected[name] = asdict(make(name, date=str(year)))
                copies[writer].commit(put=[expected[name]])
    for copy in (*copies, Mirror(connections[0], "books", str(time.monotonic_ns()))):
        copy.refresh(check=True)
        stored = {one["book_id"]: one["date"] for one in copy.all()}
        assert stored == {name: one["date"] for name, one in expected.items()}
        copy.close()
    connections[0].client.close()


def test_a_record_that_was_changed_behind_the_back_of_a_copy_is_found_by_the_count(
    server: FakeServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(server, 3)
    on_another_machine(cache, monkeypatch)
    fill(server, 3)
    server.engine.delete(catalog_name("books"), [mirror.record_id("00001")])
    with opened(server) as catalog:
        assert [record.book_id for record in catalog.books()] == ["00000", "00002"]


def test_what_is_read_again_is_what_has_changed(
    server: FakeServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(server, 300)
    with opened(server, write=True) as catalog:
        catalog.update(replace(catalog.book("00007"), title="New"))
    on_another_machine(cache, monkeypatch)
    costs = []
    for _ in range(2):
        server.requests.clear()
        server.n_bytes = 0
        with opened(server) as catalog:
            assert catalog.n_books == 300
            assert catalog.find("New").book_id == "00007"
        costs.append((len(server.requests), server.n_bytes))
    (_, all_bytes), (n_requests, n_bytes) = costs
    assert n_requests <= 6
    assert n_bytes < 0.01 * all_bytes


def test_the_copy_is_private_and_cleared_with_the_cache(server: FakeServer, cache: Path) -> None:
    fill(server, 1)
    [file] = catalogs_folder().glob("*.sqlite")
    assert file.stat().st_mode & 0o777 == 0o600
    assert cache in file.parents
    clear()
    assert not file.exists()
    assert opened(server).n_books == 1


@pytest.mark.parametrize("damage", [b"no catalog", b""])
def test_a_damaged_copy_is_made_again(server: FakeServer, damage: bytes) -> None:
    fill(server, 2)
    [file] = catalogs_folder().glob("*.sqlite")
    file.write_bytes(damage)
    for _ in range(2):
        assert opened(server).n_books == 2


def test_without_a_cache_folder_the_copy_is_in_memory(server: FakeServer, cache: Path) -> None:
    cache.mkdir()
    catalogs_folder().write_text("not a folder")
    fill(server, 2)
    assert opened(server).n_books == 2


def test_a_library_that_was_deleted_and_created_again_has_another_copy(server: FakeServer) -> None:
    fill(server, 2)
    for name in ("books", catalog_name("books")):
        server.engine.delete_collection(name)
    fill(server, 1)
    assert opened(server).n_books == 1


def test_many_books_are_selected_by_what_their_payloads_say(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(server, 3)
    with opened(server, write=True) as catalog:
        odd = replace(catalog.book("00001"), author="Bea", language="hr")
        catalog.store.records.commit(put=[asdict(odd)])
        monkeypatch.setattr(mirror, "_MAX_GENERATIONS", 1)
        assert catalog.scope(Filters(author="ada")).where == {"author": ["Ada"]}
        assert catalog.scope(Filters(language="en", domain="default")).where == {
            "language": ["en"],
            "domain": ["default"],
        }
        tales = [replace(catalog.book(id), title=f"Tales {id}") for id in ("00000", "00002")]
        catalog.store.records.commit(put=list(map(asdict, tales)))
        by_title = catalog.scope(Filters(book="tales", author="ada"))
        assert by_title.where == {"author": ["Ada"], "book_title": ["Tales 00000", "Tales 00002"]}
        renamed = replace(catalog.book("00002"), title="Other", language="de")
        catalog.store.records.commit(put=[asdict(renamed)])
        by_id = catalog.scope(Filters(book="0000", author="ada"))
        assert by_id.where == {"generation": ["00002-g", "00000-g"]}  # by title


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
    with opened(server, write=True) as catalog:
        store_book(catalog, book("b1"))
        interrupt(catalog, "commit", book("stray"))
    with opened(server, write=True) as catalog:  # its note is too young: it may be writing still
        assert set(catalog.store.generations()) == {"b1-g", "stray-g"}
    monkeypatch.setattr(catalog_module, "GRACE", timedelta(seconds=-5))
    with opened(server, write=True) as catalog:
        assert set(catalog.store.generations()) == {"b1-g"}
    server.requests.clear()
    with opened(server, write=True):
        pass
    assert not [path for _, path, _ in server.requests if "facet" in path or "delete" in path]


def test_a_generation_that_is_being_written_again_is_not_swept(server: FakeServer) -> None:
    with opened(server, write=True) as catalog:
        old = Pending("again-g", "Again", "2020-01-01T00:00:00+00:00")
        catalog.store.upsert(book("again"))
        catalog.store.records.commit(pending=[old])
        catalog.store.records.commit(pending=[replace(old, since=datetime.now(UTC).isoformat())])
    with opened(server, write=True) as catalog:
        assert set(catalog.store.generations()) == {"again-g"}
        catalog.store.records.commit(pending=[old])
    with opened(server, write=True) as catalog:
        assert catalog.store.generations() == {}
        assert catalog.store.records.pending() == []


def test_every_field_that_is_filtered_by_is_indexed(server: FakeServer) -> None:
    with closing(opened(server, write=True)) as catalog:
        catalog.store.records.refresh()
        catalog.store.records.pending()
    filters = str([body["filter"] for _, path, body in server.requests if "catalog/points/scroll" in path])
    assert all(repr(key) in filters for key in CATALOG_INDEXES)
