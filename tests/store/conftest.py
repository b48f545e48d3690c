"""One store of each kind, for the contract tests. To add a store, add a line to `PLACES`."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

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


PLACES = {"edge": edge, "local": local, "memory": memory, "server": server}


@pytest.fixture(params=PLACES)
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
