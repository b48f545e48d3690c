"""One store of each kind, for the contract tests. To add a store, add a line to `PLACES`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from qdrant_client import QdrantClient

from alexandria.store import Store, open_store
from tests.store.examples import BINDING, Place, folder_place, without_waits
from tests.store.fake_server import FakeServer


@contextmanager
def edge(folder: Path) -> Iterator[Place]:
    yield folder_place(folder)


@contextmanager
def local(folder: Path) -> Iterator[Place]:
    yield folder_place(folder, "local:")


@contextmanager
def memory(folder: Path) -> Iterator[Place]:
    yield Place("memory", partial(open_store, ":memory:", "books"), persistent=False)


@contextmanager
def server(folder: Path) -> Iterator[Place]:
    with FakeServer() as running:
        yield Place("server", lambda binding: open_store(running.url, "books", binding, without_waits()))


@contextmanager
def live(folder: Path) -> Iterator[Place]:
    with live_collection(os.environ[LIVE]) as (url, name):
        yield Place("live", lambda binding: open_store(url, name, binding, without_waits()))


@contextmanager
def live_collection(url: str) -> Iterator[tuple[str, str]]:
    """Yield the address and the name of a new collection on a server; delete what was made of it."""
    name = f"alexandria-test-{uuid4().hex}"
    try:
        yield url, name
    finally:
        key = os.environ.get("ALEXANDRIA_API_KEY")
        client = QdrantClient(url=url, api_key=key, check_compatibility=False)
        for made in (name, f"{name}.catalog"):
            client.delete_collection(made)
        client.close()


LIVE = "ALEXANDRIA_TEST_SERVER"
"""The variable that holds the address of a live server for these tests: `make test-server URL=…` sets it."""
PLACES = {"edge": edge, "local": local, "memory": memory, "server": server}
if LIVE in os.environ:
    PLACES["live"] = live


@pytest.fixture(
    params=[pytest.param(name, marks=() if name == "edge" else pytest.mark.annex) for name in PLACES]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place where a store can be opened, one of each kind."""
    with PLACES[request.param](tmp_path / "library") as opened:
        yield opened


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    """An empty store of each kind."""
    opened = place.open(BINDING)
    yield opened
    opened.close()
