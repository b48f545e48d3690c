"""Damaged files of a library are harmless, found by verify, or an error that names the library."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from qdrant_client.local.qdrant_local import QdrantLocal

from alexandria.errors import StoreError
from alexandria.store.catalog import Catalog
from alexandria.store.client import ClientStore
from alexandria.store.verify import find_flaws
from tests.conftest import ROOT
from tests.store.examples import BINDING, book, folder_place, store_book

LOCAL_FILES = ["meta.json", "collection/books/storage.sqlite", "collection/books.catalog/storage.sqlite"]


@pytest.mark.parametrize("name", LOCAL_FILES)
@pytest.mark.parametrize("kept", [0.5, 0.01])
def test_a_damaged_file_in_local_mode_is_an_error(tmp_path: Path, name: str, kept: float) -> None:
    place = folder_place(tmp_path / "library", "local:")
    store = place.open(BINDING)
    store_book(Catalog(store), book("b1"))
    store.close()
    file = tmp_path / "library" / name
    whole = file.read_bytes()
    half = int(len(whole) * kept)
    for damaged in (whole[:half], whole[:half] + bytes(len(whole) - half)):
        file.write_bytes(damaged)
        with pytest.raises(StoreError, match="cannot open the library at") as caught:
            place.open(None)
        assert "cannot read its files" in caught.value.why
        assert caught.value.fix
    file.write_bytes(whole)
    place.open(None).close()  # nothing has kept its lock


def test_a_full_disk_in_local_mode_is_an_error_and_the_library_is_whole(tmp_path: Path) -> None:
    place = folder_place(tmp_path / "library", "local:")
    store = place.open(BINDING)
    catalog = Catalog(store)
    store_book(catalog, book("b1"))
    assert isinstance(store, ClientStore)
    local = store._client._client
    assert isinstance(local, QdrantLocal)
    persistence = local.collections["books"].storage
    assert persistence is not None
    persistence.storage.execute("PRAGMA max_page_count = 1")  # as many as there are: none more
    with pytest.raises(StoreError, match="cannot write into the library") as caught:
        store_book(catalog, book("b2", n=200))
    assert "disk is full" in caught.value.why
    store.close()
    store = place.open(None)
    assert [record.book_id for record in Catalog(store).books()] == ["b1"]
    assert not list(find_flaws(store))
    store.close()


def test_every_damaged_file_is_harmless_found_or_an_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.store.damage", str(tmp_path), "5"]
    environ = {**os.environ, "RUST_BACKTRACE": "0"}  # a panic of the engine prints one
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, env=environ)
    assert done.returncode == 0, done.stderr[-2000:]
    assert " error" in done.stdout
