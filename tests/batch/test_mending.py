"""Damaged books of a library are made again from their files, exactly as they were written."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from alexandria.book.model import Point
from alexandria.errors import AlexandriaError
from alexandria.library.library import Library
from alexandria.store import Store
from alexandria.store.catalog import Catalog
from alexandria.store.record import Record
from tests.command import alexandria
from tests.store.crash import OLD, write_books
from tests.store.test_lock import KINDS


def opened(library: Library) -> Catalog:
    return library._opened.for_writing()


def made(folder: Path, kind: str) -> str:
    """Return the address of a library of three books, from a folder in a folder; one has been edited."""
    shelf = folder / "shelf" / "inner"
    shelf.mkdir(parents=True)
    write_books(shelf, n_books=3, n_words=300)
    address = f"{KINDS[kind]}{folder / 'library'}"
    with Library(address) as library:
        library.ingest(folder / "shelf", options=OLD)
        library.edit("book1", title="Another title", translators=["Ann", "Bo"])
    return address


def damage(store: Store, records: list[Record]) -> None:
    """Delete a point of the first book, alter the second, and drop vectors of the third."""
    lost, altered, bare = ({"generation": [record.generation]} for record in records)
    store.delete({**lost, "chunk_id": [1]})
    point = next(store.points(altered))
    store.upsert([replace(point, payload={**point.payload, "text": "Forged.", "source": "elsewhere"})])
    store.upsert([replace(point, sentences=None) for point in store.points(bare)])


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_books_get_the_same_points_again(tmp_path: Path, kind: str) -> None:
    with Library(made(tmp_path, kind)) as library:
        store, records = opened(library).store, library.books()
        expected = list(store.points({}))
        damage(store, records)
        assert {finding.book for finding in library.verify().findings} == {record.title for record in records}
        repaired = library.repair()
        assert repaired.mended == tuple(records)
        assert repaired.checked.findings == ()
        assert library.books() == records
        for point, twin in zip(expected, store.points({}), strict=True):
            assert_equal(point, twin)


def assert_equal(point: Point, twin: Point, *, atol: float = 1e-6) -> None:
    assert (point.id, point.payload, point.bm25) == (twin.id, twin.payload, twin.bm25)
    assert point.sentences is not None
    assert twin.sentences is not None
    np.testing.assert_allclose(point.dense, twin.dense, atol=atol)
    np.testing.assert_allclose(point.sentences, twin.sentences, atol=atol)


def test_a_book_that_cannot_be_made_again_is_left_and_named_with_its_remedy(tmp_path: Path) -> None:
    address = made(tmp_path, "edge")
    reasons: dict[str, AlexandriaError] = {}

    def note(record: Record, error: AlexandriaError | None) -> None:
        assert error is not None
        reasons[record.title] = error

    with Library(address) as library:
        catalog, records = opened(library), library.books()
        other, changed, gone = records
        catalog.store.delete({"chunk_id": [1]})
        catalog.update(replace(other, digests=("other",) * other.n_chunks))
        Path(changed.source).write_text("Something else.")
        Path(gone.source).unlink()
        before = list(catalog.store.payloads({}))
        repaired = library.repair(tried=note)
        assert repaired.mended == ()
        assert list(catalog.store.payloads({})) == before
        fixes = {finding.book: finding.fix for finding in repaired.checked.findings}
    assert "different chunks" in reasons[other.title].why
    assert f"ingest --force {other.source}" in reasons[other.title].fix
    assert "was changed" in reasons[changed.title].why
    assert "is gone" in reasons[gone.title].why
    assert all("alexandria restore" in error.fix for error in reasons.values())
    assert fixes[changed.title].startswith("alexandria repair")
    assert fixes[gone.title].startswith(f"bring {gone.source} back")


def test_the_command_mends_and_checks(tmp_path: Path) -> None:
    address = made(tmp_path, "edge")
    with Library(address) as library:
        record = library.books()[0]
        opened(library).store.delete({"generation": [record.generation], "chunk_id": [1]})
    assert "fix: alexandria repair" in alexandria("verify", "--store", address).stdout
    done = alexandria("repair", "--store", address)
    assert done.returncode == 0
    assert f"repaired “{record.title}”" in done.stderr
    assert "no errors found" in done.stderr
    Path(record.source).unlink()
    with Library(address) as library:
        opened(library).store.delete({"generation": [record.generation], "chunk_id": [1]})
    done = alexandria("repair", "--store", address)
    assert done.returncode == 5
    assert "is gone" in done.stderr
