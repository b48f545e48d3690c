"""Every caller parses a file in the isolated process: what kills its parser is an error of that book."""

from collections.abc import Callable
from pathlib import Path

import pytest

import alexandria
from alexandria.chunking.domains import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.errors import BookError, Code
from alexandria.extract import ReadOptions
from alexandria.lab.books_and_questions import read_books
from alexandria.library.ingest import one_book
from alexandria.library.ingest.estimate import estimate
from alexandria.library.ingest.outcome import Status
from alexandria.library.ingest.run import ingest
from alexandria.store import Binding, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.payload import SCHEMA_VERSION

DOMAIN = load_domain(options={"model": "hashing"}, environ={})
ENCODER = HashingEncoder()


@pytest.fixture
def deadly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file whose parser is killed: its clock runs out at once, and a signal ends its process."""
    monkeypatch.setenv("ALEXANDRIA_READ_SECONDS", "0.0001")
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "book.txt"
    path.write_text("A sentence.")
    return path


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(one_book.read, id="read"),
        pytest.param(lambda path: one_book.read(path, cache=True), id="read with the cache"),
        pytest.param(lambda path: alexandria.inspect(path, options={"model": "hashing"}), id="inspect"),
        pytest.param(lambda path: read_books([path], DOMAIN, print), id="evaluate"),
    ],
)
def test_a_file_that_kills_its_parser_is_an_error(deadly: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(BookError) as caught:
        read(deadly)
    assert caught.value.code is Code.TIMEOUT


def test_an_ingest_outlives_a_file_that_kills_its_parser(deadly: Path) -> None:
    binding = Binding(ENCODER.name, ENCODER.dim, SCHEMA_VERSION)
    with Catalog(open_store(":memory:", "books", binding)) as catalog:
        [outcome] = ingest([deadly], DOMAIN, ENCODER, catalog)
    assert outcome.status is Status.FAILED
    assert outcome.error is not None
    assert outcome.error.code is Code.TIMEOUT


def test_an_estimate_counts_a_file_that_kills_its_parser_as_failed(deadly: Path) -> None:
    assert estimate([deadly], DOMAIN, ENCODER, ReadOptions()).failed[0].source == deadly
