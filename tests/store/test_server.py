"""A server over real HTTP: the requests, the retries, and the messages when it misbehaves."""

import json
import shutil
import socket
import subprocess
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import grpc
import numpy as np
import pytest
from qdrant_client import models

from alexandria import Library
from alexandria.book.choices import Quantization
from alexandria.errors import ConfigError, StoreError, TooLargeError
from alexandria.store import Server, Store, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.server import connect
from alexandria.store.server.client import batches, estimate_point_bytes, to_point
from alexandria.store.server.connection import with_retries
from alexandria.store.server.transport import MAX_RESPONSE_BYTES, LimitedTransport
from tests.conftest import SAMPLES
from tests.store.examples import BINDING, book, contents, point, store_book, without_waits
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


@pytest.mark.parametrize(
    ("dim", "options"),
    [(8, {}), (4, {"quantization": Quantization.SCALAR}), (4, {"compat": ("mcp",)})],
    ids=["model", "quantization", "readers"],
)
def test_an_interrupted_creation_is_completed_only_with_the_same_vectors(
    server: FakeServer, dim: int, options: dict[str, object]
) -> None:
    server.misbehave(*[Fault.BROKEN] * 2, on="PUT /collections/books.catalog/points")
    with pytest.raises(StoreError, match="does not answer"):
        opened(server, attempts=2)
    with pytest.raises(StoreError, match="cannot create the library books") as caught:
        open_store(server.url, "books", replace(BINDING, dim=dim), without_waits(**options))
    assert "an interrupted attempt with another model" in caught.value.why
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


def test_an_error_that_is_not_the_servers_keeps_its_cause() -> None:
    def request() -> None:
        raise LookupError("no such thing") from KeyError("the cause")

    with pytest.raises(LookupError) as caught:
        with_retries(request, "http://127.0.0.1:9", without_waits())
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_unreachable_server_is_reported_with_its_address() -> None:
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:9 does not answer") as caught:
        open_store("http://127.0.0.1:9", "books", BINDING, without_waits(attempts=2))
    assert "attempts" not in caught.value.why  # nobody listens there: asked once


def test_a_server_that_has_answered_is_asked_again_when_it_is_down() -> None:
    with FakeServer() as server:
        store = opened(server, attempts=2)
    with pytest.raises(StoreError, match="does not answer") as caught:
        store.generations()
    assert "after 2 attempts" in caught.value.why


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


def sizes_sent(server: FakeServer) -> list[int]:
    """Return the number of points in each request that wrote some, in any order."""
    written = "/collections/books/points?wait=true"
    return sorted(len(body["points"]) for _, path, body in server.requests if path == written)


def test_points_are_sent_in_batches_of_64_and_each_is_awaited(server: FakeServer) -> None:
    opened(server).upsert(book("b1", n=150))
    assert sizes_sent(server) == [22, 64, 64]


def test_a_request_is_halved_until_the_server_takes_it() -> None:
    with FakeServer(most_bytes=20_000) as server:
        store = opened(server)
        store.upsert(book("b1", n=150))
        assert store.generations() == {"b1-g": 150}
        assert max(sizes_sent(server)) == 64


def test_a_request_is_halved_until_a_limited_rate_takes_it() -> None:
    with FakeServer(most_points=10) as server:
        store = opened(server)
        store.upsert(book("b1", n=64))
        assert store.generations() == {"b1-g": 64}


def test_a_chunk_that_alone_is_too_large_is_named_and_none_of_its_book_is_left() -> None:
    with FakeServer(most_bytes=5_000) as server:
        catalog = Catalog(opened(server))
        store_book(catalog, book("b1"))
        large = [*book("b2"), point(3, book="b2", generation="b2-g", text="word " * 2000)]
        with pytest.raises(TooLargeError, match="chunk 3 of “B2” is too large") as caught:
            store_book(catalog, large)
        assert "limit: 5000 bytes" in caught.value.why
        assert "sentence_vectors=false" in caught.value.fix
        assert catalog.store.generations() == {"b1-g": 3}


def test_a_request_is_as_many_bytes_as_a_server_takes_by_default() -> None:
    """A chunk of 1,200 one-word sentences is some 10 MB of JSON: 64 of them would be refused."""
    rows = np.full((1200, 384), 1 / np.sqrt(384), dtype=np.float32)
    many = [replace(each, dense=rows[0], sentences=rows) for each in book("b1", n=5)]
    assert [len(batch) for batch in batches(many)] == [2, 2, 1]
    body = to_point(many[0], ()).model_dump_json()
    assert len(body) < estimate_point_bytes(many[0]) < 1.5 * len(body)


def test_a_book_of_short_sentences_goes_into_a_server_and_back_out_equal() -> None:
    """Its points are large: here 1 MB each, of which the server takes three at a time."""
    rows = np.eye(120, 384, dtype=np.float32)
    written = {each.id: replace(each, dense=rows[0], sentences=rows) for each in book("b1", n=10)}
    with FakeServer(most_bytes=2**20) as server:
        store = open_store(server.url, "books", replace(BINDING, dim=384), without_waits())
        store.upsert(list(written.values()))
        for read in store.points({}):
            assert read.payload == written[read.id].payload
            np.testing.assert_array_equal(read.sentences, rows)


def test_a_server_that_asks_to_wait_for_long_is_quoted(server: FakeServer) -> None:
    store = opened(server)
    server.misbehave(Fault.LIMITED)
    with pytest.raises(StoreError, match="limits the rate of requests") as caught:
        store.upsert(book("b1"))
    assert "600 s" in caught.value.why
    assert "wait 600 s" in caught.value.fix


@pytest.mark.parametrize(
    ("fault", "why"),
    [(Fault.NO_COPY, "a shard has no living copy"), (Fault.NO_LEADER, "the cluster has no leader")],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_cluster_that_lacks_nodes_says_so(server: FakeServer, fault: Fault, why: str) -> None:
    store = opened(server, attempts=2)
    server.misbehave(fault, fault)
    with pytest.raises(StoreError, match=why) as caught:
        store.upsert(book("b1"))
    assert "missing nodes" in caught.value.fix


def test_a_server_that_never_answers_is_given_up_after_two_timeouts(server: FakeServer) -> None:
    store = opened(server, attempts=5, timeout=1)
    server.misbehave(*[Fault.SLOW] * 5)
    with pytest.raises(StoreError, match="does not answer") as caught:
        store.upsert(book("b1"))
    assert "timed out" in caught.value.why
    assert "after 2 attempts" in caught.value.why


@pytest.mark.parametrize(
    ("code", "what"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "refused the request"),
        (grpc.StatusCode.PERMISSION_DENIED, "refused the request"),
        (grpc.StatusCode.OUT_OF_RANGE, "does not answer over gRPC"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_refusal_over_grpc_is_no_silence(code: grpc.StatusCode, what: str) -> None:
    with (
        refusing_over_grpc(code, "Invalid API key or JWT") as address,
        pytest.raises(StoreError, match=what) as caught,
    ):
        open_store(address, "books", BINDING, without_waits())
    assert "API key" in caught.value.why
    assert ("--api-key-file" in caught.value.fix) == (what == "refused the request")


def test_a_key_that_comes_back_over_grpc_is_not_quoted() -> None:
    key = "sesame-4711"
    with (
        refusing_over_grpc(grpc.StatusCode.OUT_OF_RANGE, f"bad header: {key}") as address,
        pytest.raises(StoreError, match=r"bad header: \[API key\]") as caught,
    ):
        open_store(address, "books", BINDING, without_waits(api_key=key))
    assert key not in "".join(traceback.format_exception(caught.value))


def test_a_response_over_grpc_is_limited() -> None:
    calls = []

    def answer(request: bytes, context: grpc.ServicerContext) -> bytes:
        calls.append(request)
        return bytes(MAX_RESPONSE_BYTES + 1)

    with serving_over_grpc(answer) as address, pytest.raises(StoreError, match="too large") as caught:
        open_store(address, "books", BINDING, without_waits())
    assert "more than 64 MiB" in caught.value.why
    assert len(calls) == 1


@contextmanager
def refusing_over_grpc(
    code: grpc.StatusCode, details: str, *, authority: tuple[Path, Path] | None = None
) -> Iterator[str]:
    """Yield the address of a gRPC server that refuses every call."""
    with serving_over_grpc(
        lambda request, context: context.abort(code, details), authority=authority
    ) as address:
        yield address


@contextmanager
def serving_over_grpc(
    answer: Callable[[bytes, grpc.ServicerContext], bytes], *, authority: tuple[Path, Path] | None = None
) -> Iterator[str]:
    """Yield the address of a gRPC server that gives this answer to every call."""

    class Answers(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpc has no types
        def service(self, call: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
            return grpc.unary_unary_rpc_method_handler(answer)

    server = grpc.server(
        ThreadPoolExecutor(1), handlers=[Answers()], options=[("grpc.max_send_message_length", -1)]
    )
    if authority is None:
        address = f"grpc://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    else:
        certificate, key = (file.read_bytes() for file in authority)
        credentials = grpc.ssl_server_credentials([(key, certificate)])
        address = f"grpcs://localhost:{server.add_secure_port('localhost:0', credentials)}"
    server.start()
    try:
        yield address
    finally:
        server.stop(None).wait()


def test_an_old_server_is_refused_by_its_version() -> None:
    with (
        FakeServer(version="1.9.4") as server,
        pytest.raises(StoreError, match="cannot use the server") as caught,
    ):
        opened(server)
    assert "Qdrant 1.9.4" in caught.value.why
    assert "1.12" in caught.value.fix


def test_a_server_of_another_generation_is_named(caplog: pytest.LogCaptureFixture) -> None:
    with FakeServer(version="2.0.0") as server:
        opened(server).upsert(book("b1"))
    assert "is Qdrant 2.0.0; Alexandria has been tested with 1.19" in caplog.text


@pytest.mark.parametrize("address", ["http://192.0.2.1:6333", "grpc://192.0.2.1:6334"])
def test_a_key_over_plain_http_is_warned_of_once(address: str, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        connect._server_client(address, Server(api_key="sesame")).close()
    assert caplog.text.count("unencrypted") == 1
    assert "sesame" not in caplog.text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_a_key_on_the_loopback_is_nothing_to_warn_of(host: str, caplog: pytest.LogCaptureFixture) -> None:
    connect._server_client(f"http://{host}:6333", Server(api_key="sesame")).close()
    assert not caplog.text


def test_an_address_is_understood() -> None:
    cases = [
        ("http://qdrant.example", "http://qdrant.example:6333"),
        ("http://[2001:db8::1]:7000", "http://[2001:db8::1]:7000"),
        ("https://books.example/qdrant/", "https://books.example:6333/qdrant"),
    ]
    for address, requested in cases:
        client = connect._server_client(address, Server())
        assert client._client.rest_uri == requested  # type: ignore[attr-defined]  # what requests are sent to
        client.close()


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_a_library_is_kept_on_a_server_with_an_ipv6_address() -> None:
    with FakeServer(host="::1") as server:
        opened(server).upsert(book("b1"))
        assert server.url.startswith("http://[::1]:")


def test_a_library_is_kept_below_a_path_of_a_server() -> None:
    with FakeServer(prefix="/qdrant") as server:
        store = opened(server)
        store.upsert(book("b1"))
        assert store.generations() == {"b1-g": 3}


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
        opened(server, api_key="sesame").upsert(book("b1"))


def test_server_settings_are_read_from_the_environment(tmp_path: Path) -> None:
    environ = {"ALEXANDRIA_API_KEY": "k", "ALEXANDRIA_CA_FILE": "ca.pem", "ALEXANDRIA_TIMEOUT": "5"}
    assert Server.from_environment(environ) == Server(api_key="k", ca_file=Path("ca.pem"), timeout=5.0)
    assert Server.from_environment({}) == Server()


def test_an_invalid_timeout_is_refused() -> None:
    for timeout in ["0", "-1", "soon", "nan", "inf"]:
        with pytest.raises(ConfigError, match="ALEXANDRIA_TIMEOUT"):
            Server.from_environment({"ALEXANDRIA_TIMEOUT": timeout})


def test_unreadable_certificates_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the certificates"):
        open_store("https://127.0.0.1:9", "books", BINDING, without_waits(ca_file=tmp_path / "none.pem"))


@pytest.mark.parametrize("scheme", ["https", "grpcs"])
def test_unreadable_certificates_of_the_environment_are_reported(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(ConfigError, match=r"cannot read the certificates in .*none\.pem"):
        open_store(f"{scheme}://127.0.0.1:9", "books", BINDING, without_waits())


def test_a_missing_library_beside_others_is_not_created_for_reading(server: FakeServer) -> None:
    opened(server).upsert(book("b1"))
    with pytest.raises(StoreError, match="no collection is called 'bucks'") as caught:
        open_store(server.url, "bucks", None, without_waits())
    assert caught.value.why == "the collections there are books"
    assert caught.value.fix == "did you mean --collection books?"


@pytest.fixture
def authority(tmp_path: Path) -> tuple[Path, Path]:
    """The certificate of localhost, signed by itself, and its key."""
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("openssl makes the certificate")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = [openssl, "req", "-x509", *kind, *names, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def open_trusting(address: str, certificate: Path, by: str, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Open a collection, and trust a certificate as `by` says."""
    if by == "SSL_CERT_FILE":
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    ca_file = certificate if by == "ca_file" else None
    return open_store(address, "books", BINDING, without_waits(attempts=1, ca_file=ca_file))


@pytest.mark.parametrize("by", ["ca_file", "SSL_CERT_FILE", "nothing"])
def test_a_server_of_a_private_authority_is_trusted_if_its_certificate_is_named(
    authority: tuple[Path, Path], by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(host="localhost", authority=authority) as server:
        address = server.url.replace("http:", "https:")
        if by == "nothing":
            with pytest.raises(StoreError, match="cannot trust the server"):
                open_trusting(address, authority[0], by, monkeypatch)
        else:
            open_trusting(address, authority[0], by, monkeypatch).upsert(book("b1"))


@pytest.mark.parametrize("by", ["ca_file", "SSL_CERT_FILE", "nothing"])
def test_the_same_over_grpc(authority: tuple[Path, Path], by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing_over_grpc(grpc.StatusCode.PERMISSION_DENIED, "no", authority=authority) as address:
        reached = "cannot trust the server" if by == "nothing" else "refused the request"
        with pytest.raises(StoreError, match=reached):
            open_trusting(address, authority[0], by, monkeypatch)


def test_copies_for_other_programs_are_stored_and_not_returned_to_us(server: FakeServer) -> None:
    store = opened(server, compat=("haystack", "langchain", "llamaindex", "mcp"))
    metadata = {"book_title": "A", "book_id": "b1"}
    store.upsert([replace(point, payload={**point.payload, "metadata": metadata}) for point in book("b1")])
    stored, _ = server.engine.scroll("books", limit=1, with_vectors=True)
    payload, vectors = stored[0].payload, stored[0].vector
    assert payload is not None
    assert isinstance(vectors, dict)
    assert payload["document"] == payload["page_content"] == payload["content"] == payload["text"]
    node = json.loads(payload["_node_content"])
    assert (node["id_"], node["text"], node["metadata"]) == (
        stored[0].id,
        payload["text"],
        payload["metadata"],
    )
    assert vectors["fast-all-minilm-l6-v2"] == vectors["text-dense"] == vectors[""]
    assert vectors["text-sparse"] == vectors["bm25"]
    assert [point.payload for point in store.points({})] == [
        {**point.payload, "metadata": metadata} for point in sorted(book("b1"), key=lambda point: point.id)
    ]


def test_the_programs_to_write_for_are_fixed_when_a_collection_is_created(server: FakeServer) -> None:
    opened(server, compat=("mcp",))
    opened(server)  # it remembers which
    with pytest.raises(StoreError, match="cannot write for langchain"):
        opened(server, compat=("langchain",))


def test_only_https_reads_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all that are usually trusted takes longer than a request."""
    read: list[str] = []
    monkeypatch.setattr("httpx.create_ssl_context", lambda: read.append("certificates"))
    for scheme in ("http", "grpc", "https", "grpcs"):
        LimitedTransport(f"{scheme}://localhost:6333", 1.0).close()
    assert read == ["certificates", "certificates"]


def test_a_question_costs_four_requests_one_after_another() -> None:
    """A server in a cloud takes 20 to 40 ms for each."""
    with FakeServer() as server, Library(server.url) as library:
        library.ingest(SAMPLES / "the-quiet-trades.epub", options={"model": "hashing"})
        library.search("how do bees tell each other the way")
        for question in ("how do bees tell each other the way", "where does the dyer get his madder"):
            server.requests.clear()
            assert library.search(question).hits
            assert len(server.requests) <= 4
