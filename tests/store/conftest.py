"""Every store there is, for every test of the contract. A new store is a line in `PLACES`."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from alexandria.store import Store, open_store
from tests.store.facade import Facade
from tests.store.made import BINDING, Place, folder_place, impatient


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
    with Facade() as facade:
        yield Place("server", lambda binding: open_store(facade.url, "books", binding, impatient()))


PLACES = {"edge": edge, "local": local, "memory": memory, "server": server}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Somewhere to open a store, one of each kind."""
    with PLACES[request.param](tmp_path / "library") as found:
        yield found


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    """An empty store of each kind."""
    opened = place.open(BINDING)
    yield opened
    opened.close()
