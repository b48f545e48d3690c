"""Books replaced on a server by a process that is killed, and read by another one meanwhile.

The server is a stand-in; `make test-server URL=http://…` runs the same against a live one.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import pytest

from alexandria.errors import ChangedError
from alexandria.store import open_store
from alexandria.store.catalog import Catalog
from tests.conftest import ROOT
from tests.store.conftest import LIVE, live_collection
from tests.store.crash import NEW, OLD, check_books, contents, write_books
from tests.store.fake_server import FakeServer

INGEST = """
import sys, alexandria
alexandria.ingest(sys.argv[4:], options=eval(sys.argv[3]), store=sys.argv[1], collection=sys.argv[2])
"""


@dataclass(frozen=True, slots=True)
class Shelf:
    """A collection on a server, and the books for it."""

    url: str
    name: str
    books: tuple[Path, ...]

    def ingest(self, settings: dict[str, object]) -> "subprocess.Popen[bytes]":
        """Begin to ingest the books in a process of its own."""
        arguments = [self.url, self.name, repr(settings), *map(str, self.books)]
        return subprocess.Popen([sys.executable, "-c", INGEST, *arguments], cwd=ROOT)

    def catalog(self) -> Catalog:
        """Return the catalog as a reader opens it."""
        return Catalog(open_store(self.url, self.name, None), sweep=False)


@pytest.fixture(
    params=[pytest.param("server", marks=pytest.mark.shared), *(["live"] if LIVE in os.environ else [])]
)
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    books = tuple(write_books(tmp_path, n_words=600))
    if request.param == "live":
        with live_collection(os.environ[LIVE]) as (url, name):
            yield Shelf(url, name, books)
    else:
        with FakeServer() as server:
            yield Shelf(server.url, "books", books)


def test_a_killed_replacement_leaves_whole_books_to_readers_and_is_completed(shelf: Shelf) -> None:
    assert shelf.ingest(OLD).wait() == 0
    old = contents(shelf.catalog().store)
    stop = Event()
    seen: list[str] = []
    reader = Thread(target=_read, args=(shelf, stop, seen))
    reader.start()
    rng = random.Random(11)
    for _ in range(2):
        writer = shelf.ingest(NEW)
        time.sleep(rng.uniform(0.6, 1.4))  # the moment does not matter: wherever it is, the same must hold
        writer.kill()
        writer.wait()
        check_books(shelf.catalog())
    assert shelf.ingest(NEW).wait() == 0
    stop.set()
    reader.join()
    assert seen
    assert not [fault for fault in seen if fault]
    catalog = shelf.catalog()
    check_books(catalog)
    assert {record.settings["max_words"] for record in catalog.books()} == {NEW["max_words"]}
    assert contents(catalog.store) != old


def _read(shelf: Shelf, stop: Event, seen: list[str]) -> None:
    """Note of each look at the books what was wrong, or nothing."""
    while not stop.wait(0.02):
        seen.append(_fault(shelf))


def _fault(shelf: Shelf) -> str:
    """Return which current book is incomplete; one that is replaced meanwhile is no longer current."""
    catalog = shelf.catalog()
    for record in catalog.books():
        try:
            n_chunks = len(catalog.chunks(record))
        except ChangedError:  # it says so itself, and is not believed
            n_chunks = 0
        if n_chunks != record.n_chunks and shelf.catalog().holds(record.book_id, record.generation):
            return f"{record.title}: {n_chunks} of {record.n_chunks} chunks"
    return ""
