"""What a server, a proxy or a certificate refuses is said at the first try: what, by whom, and the fix."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from alexandria import Library
from alexandria.embed.hashing import HashingEncoder
from alexandria.errors import StoreError
from alexandria.store import Server, open_store
from alexandria.store.server.connection import as_reached
from tests.query.test_stable import OPTIONS, write_book
from tests.store.examples import BINDING, book, without_waits
from tests.store.fake_server import FakeServer
from tests.store.test_server import authority, refusing_over_grpc

__all__ = ["authority"]  # a fixture


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


WRITES = r"(PUT|DELETE) |POST .*/points/(delete|payload|batch)"


@pytest.mark.parametrize(
    ("forbidden", "named"),
    [
        pytest.param(WRITES, "books", id="a read-only key"),
        pytest.param(r".* /collections/books\.catalog", r"books\.catalog", id="a token for books alone"),
        pytest.param(
            rf"({WRITES}).*catalog|(PUT|POST) .*catalog/points/?b?", r"books\.catalog", id="catalog"
        ),
    ],
)
def test_a_key_that_may_not_write_is_refused_before_anything_is_embedded(
    server: FakeServer, forbidden: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library(server.url, server=without_waits()) as library:
        library.ingest([write_book(tmp_path, 1)], options=OPTIONS)
    server.forbidden = re.compile(forbidden)
    embedded: list[object] = []
    monkeypatch.setattr(HashingEncoder, "encode", lambda *arguments: embedded.append(arguments))
    before = len(server.requests)
    with (
        Library(server.url, server=without_waits()) as library,
        pytest.raises(StoreError, match=rf"for the collection {named} \(403\): .*Forbidden") as error,
    ):
        library.ingest([write_book(tmp_path, 2)], options=OPTIONS)
    assert "books.catalog" in error.value.fix
    assert embedded == []
    # Each request once: another attempt would not help.
    sent = [(method, path) for method, path, _ in server.requests[before:]]
    assert sum(bool(server.forbidden.match(" ".join(request))) for request in sent) == 1


def test_a_key_that_may_only_read_reads(server: FakeServer, tmp_path: Path) -> None:
    with Library(server.url, server=without_waits()) as library:
        library.ingest([write_book(tmp_path, 1)], options=OPTIONS)
    server.forbidden = re.compile(WRITES)
    with Library(server.url, server=without_waits()) as library:
        assert library.search("the lamp").hits
        assert library.books()


def test_what_stays_on_this_machine_takes_no_proxy(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    open_store(server.url, "books", BINDING, without_waits()).upsert(book("b1"))
    assert as_reached("http://localhost:1") == "http://localhost:1"
    assert as_reached("http://[::1]:1") == "http://[::1]:1"


def test_an_error_names_the_proxy_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://user:secret@127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(StoreError) as error:
        open_store("http://qdrant.example", "books", None, without_waits())
    assert "http://qdrant.example:6333 (through the proxy 127.0.0.1:9)" in str(error.value)
    assert "secret" not in f"{error.value} {error.value.fix}"


def test_an_error_names_the_port() -> None:
    cases = [
        ("https://host", "https://host:6333"),
        ("http://host/qdrant", "http://host:6333/qdrant"),
        ("grpc://host", "grpc://host:6334"),
        ("https://host:443", "https://host:443"),
        ("http://[2001:db8::1]", "http://[2001:db8::1]:6333"),
        ("/a/folder", "/a/folder"),
        (":memory:", ":memory:"),
    ]
    for address, reached in cases:
        assert as_reached(address) == reached


def test_an_unknown_authority_is_named_at_the_first_try(
    authority: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alexandria.store.server.connection.time.sleep", pytest.fail)
    with FakeServer(host="localhost", authority=authority) as server:
        address = server.url.replace("http:", "https:")
        slow = Server(attempts=5, backoff=30.0, timeout=5.0)
        with pytest.raises(StoreError, match="cannot trust the server at https://localhost:") as error:
            open_store(address, "books", None, slow)
        assert "self-signed" in error.value.why
        assert "ALEXANDRIA_CA_FILE" in error.value.fix
        named = address.replace("localhost", "127.0.0.1")
        trusting = Server(attempts=5, backoff=30.0, timeout=5.0, ca_file=authority[0])
        with pytest.raises(StoreError, match=r"(?i)ip address mismatch|hostname mismatch"):
            open_store(named, "books", None, trusting)


def test_the_same_over_grpc(authority: tuple[Path, Path]) -> None:
    import grpc

    with (
        refusing_over_grpc(grpc.StatusCode.PERMISSION_DENIED, "no", authority=authority) as address,
        pytest.raises(StoreError) as error,
    ):
        open_store(address, "books", None, without_waits(attempts=1))
    assert "ALEXANDRIA_CA_FILE" in error.value.fix
