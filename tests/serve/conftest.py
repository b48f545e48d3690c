"""A library of the samples and a hostile book, its site, and a server."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from alexandria import Library
from alexandria.chunking.domains import load_domain
from alexandria.library.ingest.options import RunOptions
from tests.conftest import SAMPLE_BOOKS
from tests.inspection.made import hostile_book

if TYPE_CHECKING:
    from alexandria.doors.web.requests import Response
    from alexandria.doors.web.routes import Site

TOKEN, PORT = "t0ken", 8080


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a library that holds the samples and a book that tries to be code wherever it can."""
    place = tmp_path_factory.mktemp("serve")
    domain = load_domain(options={"model": "hashing"})
    with Library(place / "lib") as library:
        files = [*SAMPLE_BOOKS, hostile_book(place)]
        outcomes = list(library.ingest_files(files, domain, RunOptions(workers=0)))
        assert all(outcome.book_id for outcome in outcomes)
        links = ["javascript:alert(1)", 'https://canary.example/"onclick="alert(1)', "isbn:978-0-306-40615-7"]
        library.edit(str(outcomes[-1].book_id), identifiers=links, publisher="<script>alert(1)</script>")
    return place / "lib"


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with Library(folder) as opened:
        yield opened


@pytest.fixture
def site(library: Library) -> "Site":
    from alexandria.doors.web.routes import Site  # an annex: imported by the tests that need it

    return Site(library, TOKEN, PORT)


Get = Callable[..., "Response"]


@pytest.fixture
def get(site: "Site") -> Get:
    """Ask the site for a page below the token."""
    from alexandria.doors.web.requests import Request

    def asked(path: str, method: str = "GET", body: bytes = b"", **headers: str) -> "Response":
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return site.respond(Request(method, f"/{TOKEN}/{path}", {"host": f"127.0.0.1:{PORT}", **named}, body))

    return asked


@pytest.fixture
def address(library: Library) -> Iterator[str]:
    """The address of a server that runs in a thread."""
    from alexandria.doors.web.server import LibraryServer

    with LibraryServer(library) as server:
        thread = Thread(target=server.run)
        thread.start()
        yield server.address
        server.stop()
        thread.join()
