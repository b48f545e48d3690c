"""A server over real HTTP: the requests, the retries, and the messages when it misbehaves."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from qdrant_client import models

from alexandria.errors import ConfigError, StoreError
from alexandria.modes import Quantization
from alexandria.store import Server, Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.points import digest_of
from tests.store.examples import BINDING, book, contents, store_book, without_waits
from tests.store.fake_server import FakeServer, Fault

UPSERT = "PUT /collections/books/points"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


def opened(server: FakeServer, **more: object) -> Store:
    return open_store(server.url, "books", BINDING, without_waits(**more))


@pytest.mark.parametrize(
    "fault", [Fault.BUSY, Fault.BROKEN, Fault.HALF, Fault.LOST], ids=lambda fault: fault.name
)
def test_a_temporary_fault_is_retried(server: FakeServer, fault: Fault) -> None:
    store = opened(server)
    server.misbehave(fault, fault)
    store.upsert(book("b1"))
    assert store.generations() == {"b1-g": 3}


@pytest.mark.parametrize(
    "fault", [Fault.BUSY, Fault.BROKEN, Fault.HALF, Fault.LOST], ids=lambda fault: fault.name
)
@pytest.mark.parametrize("step", ["GET", "PUT", "POST"])
def test_a_temporary_fault_at_any_step_of_opening_is_retried(
    server: FakeServer, fault: Fault, step: str
) -> None:
    server.misbehave(*[fault] * 3, on=step)
    store = opened(server)
    store.upsert(book("b1"))
    assert store.generations() == {"b1-g": 3}


def test_a_lasting_fault_is_reported(server: FakeServer) -> None:
    store = opened(server, attempts=3)
    server.misbehave(*[Fault.BROKEN] * 3)
    with pytest.raises(StoreError, match="does not answer") as caught:
        store.upsert(book("b1"))
    assert "500" in caught.value.why
    assert "disk on fire" in caught.value.why
    assert "after 3 attempts" in caught.value.why


def test_a_slow_server_is_abandoned_after_the_timeout(server: FakeServer) -> None:
    store = opened(server, attempts=2, timeout=1)
    server.misbehave(Fault.SLOW, Fault.SLOW)
    with pytest.raises(StoreError, match="does not answer") as caught:
        store.upsert(book("b1"))
    assert "timed out" in caught.value.why


def test_an_unreachable_server_is_reported_with_its_address() -> None:
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:9 does not answer"):
        open_store("http://127.0.0.1:9", "books", BINDING, without_waits(attempts=2))


def test_an_unreachable_grpc_server_is_reported_too() -> None:
    with pytest.raises(StoreError, match="does not answer over gRPC"):
        open_store("grpc://127.0.0.1:9", "books", BINDING, without_waits(attempts=2))


@pytest.mark.parametrize("address", ["http://host:port", "http://"])
def test_an_invalid_address_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="cannot use the address"):
        open_store(address, "books", BINDING)


def test_a_server_that_dies_during_a_replacement_keeps_the_old_book_and_the_next_run_completes_it(
    server: FakeServer,
) -> None:
    old, new = book("b1", "old", n=100), book("b1", "new", n=200)
    store_book(Catalog(opened(server)), old)
    with FakeServer() as undisturbed:
        store_book(Catalog(opened(undisturbed)), new)
        expected = contents(opened(undisturbed))

    server.misbehave(Fault.DEATH, after=2)  # 200 points are four requests
    with pytest.raises(StoreError, match="does not answer"):
        store_book(Catalog(opened(server, attempts=2)), new, at="2026-01-02")
    server.restart()
    reader = Catalog(opened(server), sweep=False)
    assert [record.generation for record in reader.books()] == ["b1-old"]
    assert len(reader.chunks(reader.books()[0])) == 100

    store_book(Catalog(opened(server)), new, at="2026-01-02")
    assert contents(opened(server)) == expected


def test_points_are_sent_in_batches_of_64_and_each_is_awaited(server: FakeServer) -> None:
    opened(server).upsert(book("b1", n=150))
    sent = [
        (path, body) for method, path, body in server.requests if path.startswith("/collections/books/points")
    ]
    assert [len(body["points"]) for _, body in sent] == [64, 64, 22]
    assert all("wait=true" in path for path, _ in sent)


def test_a_collection_is_created_as_asked_and_its_payload_indexed(server: FakeServer) -> None:
    opened(server, shards=3, replicas=2, quantization=Quantization.SCALAR)
    bodies = {(method, path): body for method, path, body in server.requests}
    config = bodies["PUT", "/collections/books"]
    assert (config["shard_number"], config["replication_factor"]) == (3, 2)
    assert config["vectors"][""]["quantization_config"]["scalar"]["type"] == "int8"
    assert config["vectors"]["sentences"]["datatype"] == "float16"
    assert config["vectors"]["sentences"]["hnsw_config"]["m"] == 0
    assert config["sparse_vectors"]["bm25"]["modifier"] == "idf"
    indexed = {
        body["field_name"]: body["field_schema"]
        for _, path, body in server.requests
        if path.startswith("/collections/books/index")
    }
    assert indexed["generation"] == "keyword"
    assert indexed["chunk_id"] == "integer"
    assert indexed["ingested_at"] == "datetime"


def test_a_collection_of_another_program_is_refused(server: FakeServer) -> None:
    server.engine.create_collection("books", models.VectorParams(size=4, distance=models.Distance.DOT))
    with pytest.raises(StoreError, match="is not a library of Alexandria") as caught:
        opened(server)
    assert "--collection" in caught.value.fix


def test_without_its_api_key_a_server_refuses_and_the_message_says_how_to_pass_it() -> None:
    with FakeServer(api_key="sesame") as server:
        with pytest.raises(StoreError, match="refused the request") as caught:
            opened(server)
        assert "--api-key-file" in caught.value.fix
        with pytest.warns(UserWarning, match="insecure connection"):
            opened(server, api_key="sesame").upsert(book("b1"))


def test_server_settings_are_read_from_the_environment(tmp_path: Path) -> None:
    environ = {"ALEXANDRIA_API_KEY": "k", "ALEXANDRIA_CA_FILE": "ca.pem", "ALEXANDRIA_TIMEOUT": "5"}
    assert Server.from_environment(environ) == Server(api_key="k", ca_file=Path("ca.pem"), timeout=5.0)
    assert Server.from_environment({}) == Server()


@pytest.mark.parametrize("timeout", ["0", "-1", "soon", "nan", "inf"])
def test_an_invalid_timeout_is_refused(timeout: str) -> None:
    with pytest.raises(ConfigError, match="ALEXANDRIA_TIMEOUT"):
        Server.from_environment({"ALEXANDRIA_TIMEOUT": timeout})


def test_unreadable_certificates_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the certificates"):
        open_store("https://127.0.0.1:9", "books", BINDING, without_waits(ca_file=tmp_path / "none.pem"))


def test_copies_for_other_programs_are_stored_and_not_returned_to_us(server: FakeServer) -> None:
    store = opened(server, compat=("haystack", "langchain", "mcp"))
    store.upsert(book("b1"))
    stored, _ = server.engine.scroll("books", limit=1, with_vectors=True)
    payload, vectors = stored[0].payload, stored[0].vector
    assert payload is not None
    assert isinstance(vectors, dict)
    assert payload["document"] == payload["page_content"] == payload["content"] == payload["text"]
    assert vectors["fast-all-minilm-l6-v2"] == vectors["text-dense"] == vectors[""]
    assert vectors["text-sparse"] == vectors["bm25"]
    assert contents(store) == sorted((point.id, digest_of(point.payload)) for point in book("b1"))


def test_the_programs_to_write_for_are_fixed_when_a_collection_is_created(server: FakeServer) -> None:
    opened(server, compat=("mcp",))
    opened(server)  # it remembers which
    with pytest.raises(StoreError, match="cannot write for langchain"):
        opened(server, compat=("langchain",))
