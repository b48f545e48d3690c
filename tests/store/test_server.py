"""A server, over real HTTP: what we ask of it, how long we wait, and what we say when it misbehaves."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from qdrant_client import models

from alexandria.errors import ConfigError, StoreError
from alexandria.modes import Quantization
from alexandria.store import Server, Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.points import digest_of
from tests.store.facade import Facade, Fault
from tests.store.made import BINDING, book, contents, impatient, put

UPSERT = "PUT /collections/books/points"


@pytest.fixture
def facade() -> Iterator[Facade]:
    with Facade() as running:
        yield running


def opened(facade: Facade, **more: object) -> Store:
    return open_store(facade.url, "books", BINDING, impatient(**more))


@pytest.mark.parametrize(
    "fault", [Fault.BUSY, Fault.BROKEN, Fault.HALF, Fault.LOST], ids=lambda one: one.name
)
def test_a_passing_fault_is_outlived(facade: Facade, fault: Fault) -> None:
    store = opened(facade)
    facade.misbehave(fault, fault)
    store.upsert(book("b1"))
    assert store.generations() == {"b1-g": 3}


@pytest.mark.parametrize(
    "fault", [Fault.BUSY, Fault.BROKEN, Fault.HALF, Fault.LOST], ids=lambda one: one.name
)
@pytest.mark.parametrize("step", ["GET", "PUT", "POST"])
def test_a_passing_fault_at_any_step_of_the_opening_is_outlived(
    facade: Facade, fault: Fault, step: str
) -> None:
    facade.misbehave(*[fault] * 3, on=step)
    store = opened(facade)
    store.upsert(book("b1"))
    assert store.generations() == {"b1-g": 3}


def test_a_fault_that_stays_is_named(facade: Facade) -> None:
    store = opened(facade, attempts=3)
    facade.misbehave(*[Fault.BROKEN] * 3)
    with pytest.raises(StoreError, match="does not answer") as caught:
        store.upsert(book("b1"))
    assert "500" in caught.value.why
    assert "disk on fire" in caught.value.why
    assert "after 3 attempts" in caught.value.why


def test_a_slow_server_is_given_up_in_time(facade: Facade) -> None:
    store = opened(facade, attempts=2, timeout=1)
    facade.misbehave(Fault.SLOW, Fault.SLOW)
    with pytest.raises(StoreError, match="does not answer") as caught:
        store.upsert(book("b1"))
    assert "timed out" in caught.value.why


def test_a_server_that_is_not_there_is_named_with_its_address() -> None:
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:9 does not answer"):
        open_store("http://127.0.0.1:9", "books", BINDING, impatient(attempts=2))


def test_grpc_to_nowhere_is_named_too() -> None:
    with pytest.raises(StoreError, match="does not answer over gRPC"):
        open_store("grpc://127.0.0.1:9", "books", BINDING, impatient(attempts=2))


@pytest.mark.parametrize("address", ["http://host:port", "http://"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="cannot use the address"):
        open_store(address, "books", BINDING)


def test_a_server_that_dies_within_a_book_leaves_the_old_one_whole_and_the_next_run_goes_on(
    facade: Facade,
) -> None:
    old, new = book("b1", "old", n=100), book("b1", "new", n=200)
    put(Catalog(opened(facade)), old)
    undisturbed = Facade()
    with undisturbed:
        put(Catalog(opened(undisturbed)), new)
        wanted = contents(opened(undisturbed))

    facade.misbehave(Fault.DEATH, after=2)  # 200 points are four requests
    with pytest.raises(StoreError, match="does not answer"):
        put(Catalog(opened(facade, attempts=2)), new, at="2026-01-02")
    facade.revive()
    reader = Catalog(opened(facade), sweep=False)
    assert [one.generation for one in reader.books()] == ["b1-old"]
    assert len(reader.chunks(reader.books()[0])) == 100

    put(Catalog(opened(facade)), new, at="2026-01-02")
    assert contents(opened(facade)) == wanted


def test_books_go_in_batches_of_64_and_each_is_waited_for(facade: Facade) -> None:
    opened(facade).upsert(book("b1", n=150))
    sent = [
        (path, body) for method, path, body in facade.requests if path.startswith("/collections/books/points")
    ]
    assert [len(body["points"]) for _, body in sent] == [64, 64, 22]
    assert all("wait=true" in path for path, _ in sent)


def test_a_collection_is_created_as_asked_and_its_payload_indexed(facade: Facade) -> None:
    opened(facade, shards=3, replicas=2, quantization=Quantization.SCALAR)
    bodies = {(method, path): body for method, path, body in facade.requests}
    config = bodies["PUT", "/collections/books"]
    assert (config["shard_number"], config["replication_factor"]) == (3, 2)
    assert config["vectors"][""]["quantization_config"]["scalar"]["type"] == "int8"
    assert config["vectors"]["sentences"]["datatype"] == "float16"
    assert config["vectors"]["sentences"]["hnsw_config"]["m"] == 0
    assert config["sparse_vectors"]["bm25"]["modifier"] == "idf"
    indexed = {
        body["field_name"]: body["field_schema"]
        for _, path, body in facade.requests
        if path.startswith("/collections/books/index")
    }
    assert indexed["generation"] == "keyword"
    assert indexed["chunk_id"] == "integer"
    assert indexed["ingested_at"] == "datetime"


def test_a_foreign_collection_is_refused(facade: Facade) -> None:
    facade.engine.create_collection("books", models.VectorParams(size=4, distance=models.Distance.DOT))
    with pytest.raises(StoreError, match="is not a library of Alexandria") as caught:
        opened(facade)
    assert "--collection" in caught.value.fix


def test_without_the_key_the_server_refuses_and_we_say_how_to_give_it() -> None:
    with Facade(api_key="sesame") as facade:
        with pytest.raises(StoreError, match="refuses the request") as caught:
            opened(facade)
        assert "--api-key-file" in caught.value.fix
        with pytest.warns(UserWarning, match="insecure connection"):
            opened(facade, api_key="sesame").upsert(book("b1"))


def test_the_environment_says_how_to_reach_a_server(tmp_path: Path) -> None:
    environ = {"ALEXANDRIA_API_KEY": "k", "ALEXANDRIA_CA_FILE": "ca.pem", "ALEXANDRIA_TIMEOUT": "5"}
    assert Server.from_environment(environ) == Server(api_key="k", ca_file=Path("ca.pem"), timeout=5.0)
    assert Server.from_environment({}) == Server()


@pytest.mark.parametrize("timeout", ["0", "-1", "soon", "nan", "inf"])
def test_a_timeout_that_is_none_is_refused(timeout: str) -> None:
    with pytest.raises(ConfigError, match="ALEXANDRIA_TIMEOUT"):
        Server.from_environment({"ALEXANDRIA_TIMEOUT": timeout})


def test_certificates_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the certificates"):
        open_store("https://127.0.0.1:9", "books", BINDING, impatient(ca_file=tmp_path / "none.pem"))


def test_the_copies_other_readers_want_are_stored_and_do_not_reach_our_own(facade: Facade) -> None:
    store = opened(facade, compat=("haystack", "langchain", "mcp"))
    store.upsert(book("b1"))
    stored, _ = facade.engine.scroll("books", limit=1, with_vectors=True)
    payload, vectors = stored[0].payload, stored[0].vector
    assert payload is not None
    assert isinstance(vectors, dict)
    assert payload["document"] == payload["page_content"] == payload["content"] == payload["text"]
    assert vectors["fast-all-minilm-l6-v2"] == vectors["text-dense"] == vectors[""]
    assert vectors["text-sparse"] == vectors["bm25"]
    assert contents(store) == sorted((one.id, digest_of(one.payload)) for one in book("b1"))


def test_readers_are_chosen_when_a_collection_is_created(facade: Facade) -> None:
    opened(facade, compat=("mcp",))
    opened(facade)  # which of them there are is remembered
    with pytest.raises(StoreError, match="cannot write for langchain"):
        opened(facade, compat=("langchain",))
