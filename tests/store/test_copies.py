"""Copies of libraries that may only be read: made again if something changes; `test_rights` opens some."""

from pathlib import Path

import pytest

from alexandria.errors import StoreError
from alexandria.store import open_store
from alexandria.store.catalog import Catalog
from alexandria.store.copies import copy_of
from alexandria.system.cache import clear, copies_folder, usage
from alexandria.system.files import size_of_folder
from tests.store.examples import BINDING, book, store_book

KINDS = {"edge": ("library", "library/books", ""), "local": ("library", "library", "local:")}


@pytest.fixture(params=KINDS.values(), ids=list(KINDS))
def places(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, Path]:
    """The address of a library with a book, and its folder; the cache is empty."""
    monkeypatch.setenv("ALEXANDRIA_CACHE", str(tmp_path / "cache"))
    root, folder, prefix = request.param
    store(f"{prefix}{tmp_path / root}", "first")
    return f"{prefix}{tmp_path / root}", tmp_path / folder


def store(address: str, name: str) -> None:
    with Catalog(open_store(address, "books", BINDING)) as catalog:
        store_book(catalog, book(name))


def titles(folder: Path, address: str) -> list[str]:
    place = f"local:{folder}" if address.startswith("local:") else str(folder.parent)
    with Catalog(open_store(place, "books", None)) as catalog:
        return sorted(record.book_id for record in catalog.books())


def test_a_copy_holds_the_books_and_serves_until_the_library_changes(
    places: tuple[str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    address, folder = places
    copy = copy_of(folder, 0)
    assert "may only be read" in caplog.text
    assert len(titles(copy, address)) == 1
    assert copy_of(folder, 0) == copy  # opened and closed since
    with Catalog(open_store(address, "books", None)):
        pass  # so was the library
    assert copy_of(folder, 0) == copy
    store(address, "second")
    newer = copy_of(folder, 0)
    assert newer != copy
    assert len(titles(newer, address)) == 2


def test_holes_are_not_copied_and_the_copies_are_part_of_the_cache(places: tuple[str, Path]) -> None:
    _, folder = places
    copy = copy_of(folder, 0)
    assert size_of_folder(copy) <= size_of_folder(folder)
    for path in copy.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (folder / path.relative_to(copy)).read_bytes()
    assert usage().graph_bytes >= size_of_folder(copy)
    clear()
    assert not copies_folder().exists()


def test_an_open_library_is_waited_for(places: tuple[str, Path]) -> None:
    address, folder = places
    with Catalog(open_store(address, "books", None)), pytest.raises(StoreError, match="is in use"):
        copy_of(folder, 0.2)


def test_a_library_larger_than_a_copy_may_be_is_refused(
    places: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, folder = places
    monkeypatch.setattr("alexandria.store.copies.MAX_BYTES", 1000)
    with pytest.raises(StoreError, match="without writing into it") as caught:
        copy_of(folder, 0)
    assert "at most" in caught.value.why
    assert "name the copy with --store" in caught.value.fix
    assert not copies_folder().exists()


def test_copies_are_deleted_if_all_would_take_too_much(
    tmp_path: Path, places: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, folder = places
    other = tmp_path / "other"
    store(f"{address.partition('/')[0]}{other}", "first")
    other = other if address.startswith("local:") else other / "books"
    copy = copy_of(other, 0)
    copy_of(folder, 0)
    assert copy.exists()
    store(address, "second")
    monkeypatch.setattr("alexandria.store.copies.MAX_BYTES", size_of_folder(folder))
    copy_of(folder, 0)
    assert not copy.exists()
