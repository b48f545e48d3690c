"""A server that answers anything else than Qdrant: one typed error, in time, and the API key stays here."""

import socket
import time
import traceback
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alexandria.book.choices import Mode
from alexandria.book.model import Sparse
from alexandria.doors.cli.options import EXIT_BUG, EXIT_OK
from alexandria.errors import ConfigError, StoreError
from alexandria.store import QueryVectors, Server, Store, open_store
from alexandria.store.plan import plan_search
from alexandria.store.server import connect, transport
from alexandria.store.server.client import ClientStore
from alexandria.store.server.connection import BINDING as BINDING_ID
from alexandria.store.server.connection import Connection, catalog_name
from alexandria.store.server.mirror import Mirror
from tests.command import alexandria
from tests.store.examples import AXES, BINDING, book, without_waits
from tests.store.fake_server import FakeServer
from tests.store.hostile_server import ANSWERS, KEY, MIB, Hostile, hostile, respond, say

SECONDS = 0.25
"""The time-out; a request is given up after two."""
LARGEST = 4 * MIB


@pytest.fixture(autouse=True)
def small_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MAX_RESPONSE_BYTES", LARGEST)


def settings() -> Server:
    return without_waits(timeout=SECONDS, attempts=3, api_key=KEY)


def check_discreet(error: StoreError) -> None:
    shown = f"{error} {error.fix} {''.join(traceback.format_exception(error))}"
    assert KEY not in shown
    assert "\n" not in error.why
    assert len(error.why) < 300


@pytest.mark.parametrize("name", ANSWERS)
def test_opening_ends_in_one_error_in_time_and_in_little_memory(name: str) -> None:
    with hostile(ANSWERS[name]) as server:
        tracemalloc.start()
        started = time.monotonic()
        try:
            with pytest.raises(StoreError) as caught:
                open_store(server.url, "books", BINDING, settings())
            seconds, (_, peak) = time.monotonic() - started, tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    check_discreet(caught.value)
    assert server.url in caught.value.what
    assert len(server.heads) <= 3
    assert seconds < 30  # one that never ends would take for ever; this machine may be busy
    assert peak < 4 * LARGEST


def opened_long_ago(server: Hostile) -> ClientStore:
    client = connect._server_client(server.url, settings())
    connection = Connection(client, server.url, settings(), on_server=True)
    return ClientStore(connection, "books", Mirror(connection, "books", ""), BINDING)


def searched(store: Store) -> object:
    query = QueryVectors(AXES[0], Sparse((1,), (1.0,)))
    return store.search(query, plan_search(Mode.HYBRID, 5, n_points=10, sentences=True), {})


REQUESTS: dict[str, Callable[[Store], object]] = {
    "search": searched,
    "upsert": lambda store: store.upsert(book("b1")),
    "delete": lambda store: store.delete({"book_id": ["b1"]}),
    "count": lambda store: store.count(),
    "payloads": lambda store: list(store.payloads({})),
    "points": lambda store: list(store.points({})),
    "sentence_vectors": lambda store: store.sentence_vectors([book("b1")[0].id]),
    "generations": lambda store: store.generations(),
    "records": lambda store: store.records.refresh(),
    "commit": lambda store: store.records.commit(put=[{"book_id": "b1"}]),
}


@pytest.mark.parametrize(
    "name", ["html", "wrong shape", "null", "deep json", "traceback", "truncated", "later"]
)
def test_each_request_of_an_open_library_ends_in_one_error(name: str) -> None:
    with hostile(ANSWERS[name]) as server:
        store = opened_long_ago(server)
        for request in REQUESTS.values():
            with pytest.raises(StoreError) as caught:
                request(store)
            check_discreet(caught.value)
        store.close()


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"]
)
def test_a_redirect_is_not_followed(status: str) -> None:
    with hostile(say(respond("200 OK", b"{}"))) as other:
        elsewhere = f"{other.url}/collections?key={KEY}"
        with hostile(say(respond(status, b"", f"Location: {elsewhere}"))) as server:
            with pytest.raises(StoreError, match="redirects") as caught:
                open_store(server.url, "books", BINDING, settings())
            assert len(server.heads) == 1
        assert other.url in caught.value.why
        assert not other.heads
    check_discreet(caught.value)


def test_a_bad_request_is_no_redirect() -> None:
    with hostile(say(respond("400 Bad Request", b"{}"))) as server, pytest.raises(StoreError) as caught:
        open_store(server.url, "books", BINDING, settings())
    assert "redirects" not in caught.value.what
    check_discreet(caught.value)


def test_no_more_is_read_of_an_endless_response_than_the_limit() -> None:
    with hostile(ANSWERS["endless"]) as server:
        with pytest.raises(StoreError, match="more than 4 MiB"):
            open_store(server.url, "books", BINDING, settings())
        assert server.n_sent < 4 * LARGEST  # the limit, and what the system's buffers hold


def test_points_that_are_large_together_are_read_in_several_responses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = book("b1", n=100)
    with FakeServer() as server:
        store = open_store(server.url, "books", BINDING, without_waits())
        store.upsert(points)
        ids = sorted(point.id for point in points)
        monkeypatch.setattr(transport, "MAX_RESPONSE_BYTES", 2000)  # of one point, some 1,000
        assert [point.id for point in store.points({})] == ids
        assert sorted(store.sentence_vectors(ids)) == ids
        monkeypatch.setattr(transport, "MAX_RESPONSE_BYTES", 100)
        with pytest.raises(StoreError, match="too large"):
            list(store.points({}))
        with pytest.raises(StoreError, match="too large"):
            store.sentence_vectors(ids)


def test_a_slow_response_that_ends_in_time_is_read() -> None:
    version = b'{"title": "qdrant", "version": "1.18.3"}'

    def slowly(peer: socket.socket, server: Hostile) -> None:
        for i in range(0, len(response), 16):
            peer.sendall(response[i : i + 16])
            time.sleep(0.01)

    response = respond("200 OK", version)
    with hostile(slowly) as server:
        assert connect.server_version(server.url, settings()) == "1.18.3"


def test_the_check_of_a_server_does_not_quote_the_key_either() -> None:
    for name in ["html", "traceback", "dribbled head"]:
        with hostile(ANSWERS[name]) as server, pytest.raises(StoreError, match="cannot reach") as caught:
            connect.server_version(server.url, settings())
        check_discreet(caught.value)


def test_a_key_that_no_request_can_carry_is_refused_without_being_quoted() -> None:
    for key in [f"{KEY}\n", f"{KEY}\rX: y", f" {KEY}", f"{KEY}é"]:
        with pytest.raises(ConfigError, match="API key") as caught:
            open_store("http://127.0.0.1:9", "books", BINDING, without_waits(api_key=key))
        assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_secret_in_the_address_is_refused_without_being_quoted() -> None:
    with pytest.raises(ConfigError, match=r"127\.0\.0\.1:9: it contains") as caught:
        open_store(f"http://user:{KEY}@127.0.0.1:9", "books", BINDING)
    assert KEY not in str(caught.value)
    assert "ALEXANDRIA_API_KEY" in caught.value.fix


def test_a_catalog_of_another_form_is_refused() -> None:
    payloads: list[dict[str, Any]] = [{}, {"compat": 7}, {"compat": [], "encoder": "x", "colour": "red"}]
    for payload in payloads:
        with FakeServer() as server:
            open_store(server.url, "books", BINDING, without_waits()).close()
            server.engine.overwrite_payload(catalog_name("books"), payload, [BINDING_ID])
            with pytest.raises(StoreError, match="not a library of Alexandria"):
                open_store(server.url, "books", BINDING, without_waits())


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with hostile(ANSWERS["html"]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(StoreError):
            open_store("http://qdrant.example:6333", "books", BINDING, settings())
        assert proxy.heads[0].startswith("GET http://qdrant.example:6333/ ")


@pytest.mark.parametrize("name", ["html", "traceback"])
@pytest.mark.parametrize("words", ["search promise", "ingest BOOK", "doctor"])
def test_a_command_ends_in_one_message_and_never_shows_the_key(words: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("A promise is a promise.\n", encoding="utf-8")
    command = [str(tmp_path / "book.txt") if word == "BOOK" else word for word in words.split()]
    with hostile(ANSWERS[name]) as server:
        done = alexandria(
            "--debug",
            *command,
            "--store",
            server.url,
            env={"ALEXANDRIA_API_KEY": KEY, "ALEXANDRIA_TIMEOUT": str(SECONDS)},
        )
    assert f"api-key: {KEY}" in server.heads[0]
    assert done.returncode not in (EXIT_OK, EXIT_BUG)
    assert "bug in Alexandria" not in done.stderr
    assert server.url in done.stdout + done.stderr
    assert KEY not in done.stdout + done.stderr
