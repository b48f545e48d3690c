"""The same books give the same points: ingested again, in another order, or by more workers."""

from pathlib import Path

import pytest

from alexandria.chunking.domains import load_domain
from alexandria.embed.hashing import HashingEncoder
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Status
from alexandria.library.ingest.run import ingest
from alexandria.store import Binding, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.payload import SCHEMA_VERSION
from tests.conftest import SAMPLES
from tests.store.examples import contents

BOOKS = [SAMPLES / name for name in ("gull-rock.txt", "the-quiet-trades.epub", "winterapfel.txt")]
ENCODER = HashingEncoder()
DOMAIN = load_domain(options={"model": "hashing"}, environ={})


def ingested(
    where: str, files: list[Path], *, workers: int = 0
) -> tuple[list[Status], list[tuple[str, str]]]:
    """Ingest the files; return the status of each, and the id and payload digest of every point."""
    store = open_store(where, "books", Binding(ENCODER.name, ENCODER.dim, SCHEMA_VERSION))
    with Catalog(store) as catalog:
        outcomes = list(ingest(files, DOMAIN, ENCODER, catalog, RunOptions(workers=workers, cache=False)))
        return [outcome.status for outcome in outcomes], contents(store)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[tuple[str, str]]]:
    """A library of these books, and its points."""
    where = str(tmp_path_factory.mktemp("first"))
    return where, ingested(where, BOOKS)[1]


@pytest.mark.parametrize(
    ("prefix", "files", "workers"),
    [("", BOOKS[::-1], 0), ("", BOOKS, 2), ("local:", BOOKS, 0)],
    ids=["another order", "two workers", "another store"],
)
def test_the_points_are_the_same(
    tmp_path: Path, first: tuple[str, list[tuple[str, str]]], prefix: str, files: list[Path], workers: int
) -> None:
    assert ingested(f"{prefix}{tmp_path / 'library'}", files, workers=workers)[1] == first[1]


def test_a_second_ingest_changes_nothing(first: tuple[str, list[tuple[str, str]]]) -> None:
    statuses, points = ingested(first[0], BOOKS)
    assert statuses == [Status.UNCHANGED] * len(BOOKS)
    assert points == first[1]
