"""Damaged files of a library are harmless, found by verify, or an error that names the library."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from qdrant_client.local.persistence import CollectionPersistence
from qdrant_client.local.qdrant_local import QdrantLocal

from alexandria.errors import DamagedError, FullDiskError, StoreError
from alexandria.library.library import Library
from alexandria.store.catalog import Catalog
from alexandria.store.server.client import ClientStore
from alexandria.store.verify import find_flaws
from tests.command import alexandria
from tests.conftest import ROOT
from tests.store.crash import OLD, write_books
from tests.store.examples import BINDING, book, folder_place, store_book

REMEDY = "alexandria (repair|restore)"
LOCAL_FILES = ["meta.json", "collection/books/storage.sqlite", "collection/books/catalog.sqlite"]


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
        with pytest.raises(StoreError, match=r"cannot (open|read) the library at") as caught:
            place.open(None)
        assert re.search("cannot read its files|is damaged", caught.value.why)
        assert caught.value.fix
    file.write_bytes(whole)
    place.open(None).close()  # nothing has kept its lock


def test_a_folder_of_local_mode_that_cannot_be_opened_without_room_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder_place(tmp_path / "library", "local:")
    place.open(BINDING).close()
    full = sqlite3.OperationalError("database or disk is full")
    with monkeypatch.context() as patched:
        patched.setattr(CollectionPersistence, "__init__", Mock(side_effect=full))
        with pytest.raises(FullDiskError, match="cannot open the library") as caught:
            place.open(None)
    assert "the library is intact" in caught.value.fix
    place.open(None).close()


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


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an embedded library of one book, to be copied."""
    folder = tmp_path_factory.mktemp("damage")
    [path] = write_books(folder, n_books=1, n_words=200)
    with Library(folder / "library") as opened:
        opened.ingest(path, options=OLD)
    return folder / "library"


def copied(library: Path, folder: Path) -> Path:
    """Return a copy of a library, whose files are mostly holes."""
    subprocess.run(["cp", "-a", "--sparse=always", library, folder / "library"], check=True)
    return folder / "library"


def test_a_panic_of_the_engine_is_one_error(library: Path, tmp_path: Path) -> None:
    damaged = copied(library, tmp_path)
    [status] = (damaged / "books" / "points").glob("segments/*/vector_storage/deleted/status.dat")
    status.write_bytes(b"")
    done = alexandria("search", "Book", "--store", damaged, env={"RUST_BACKTRACE": "1"})
    assert done.returncode == 5
    assert done.stderr.startswith(f"Error: cannot read the library at {damaged / 'books'}")
    assert "panicked" not in done.stderr
    assert re.search(REMEDY, done.stderr)


COMMANDS = ["show book0", "read book0 1", "inspect book0", "search Book --book book0"]


@pytest.mark.parametrize("command", COMMANDS)
def test_points_without_a_payload_are_an_error_that_names_the_remedy(
    library: Path, tmp_path: Path, command: str
) -> None:
    damaged = copied(library, tmp_path)
    [tracker] = (damaged / "books" / "points").glob("segments/*/payload_storage/tracker.dat")
    with tracker.open("r+b") as opened:
        opened.write(bytes(4096))
    tracker.with_name("tracker_journal.dat").unlink(missing_ok=True)  # it repeats what was written last
    done = alexandria(*command.split(), "--store", damaged)
    assert done.returncode == 5, done.stderr
    assert re.search(REMEDY, done.stderr)


@pytest.mark.parametrize("command", COMMANDS[1:3])
def test_lost_chunks_are_an_error_that_names_the_remedy(library: Path, tmp_path: Path, command: str) -> None:
    damaged = copied(library, tmp_path)
    with Library(damaged) as opened:
        opened._opened.for_writing().store.delete({"chunk_id": [1]})
    done = alexandria(*command.split(), "--store", damaged)
    assert done.returncode == 5, done.stderr
    assert re.search(REMEDY, done.stderr)


@pytest.mark.parametrize("lost", ["meta.json", "collection/books/catalog.sqlite"])
def test_a_library_in_local_mode_that_has_lost_a_file_is_not_taken_for_a_new_one(
    tmp_path: Path, lost: str
) -> None:
    place = folder_place(tmp_path / "library", "local:")
    store = place.open(BINDING)
    store_book(Catalog(store), book("b1"))
    store.close()
    (tmp_path / "library" / lost).unlink()
    for binding in (None, BINDING):
        with pytest.raises(StoreError, match=r"cannot (open|read) the library at") as caught:
            place.open(binding)
        assert "alexandria restore" in caught.value.fix


def test_every_damaged_file_is_harmless_found_or_an_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.store.damage", str(tmp_path), "5"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert " error" in done.stdout


@pytest.mark.parametrize("kind", ["", "local:"])
def test_nothing_was_found_is_not_said_of_what_is_missing(tmp_path: Path, kind: str) -> None:
    (tmp_path / "one.txt").write_text("The tide comes in twice a day. It leaves the boats in the mud.")
    address = f"{kind}{tmp_path / 'library'}"
    with Library(address) as library:
        library.ingest(tmp_path / "one.txt", options={"model": "hashing"})
        assert library.find("quantum chromodynamics") == []
        store = library._opened.for_writing().store
        store.delete({"generation": list(store.generations())})
        for asked in (library.search, library.find):
            with pytest.raises(DamagedError, match="chunks are missing") as caught:
                asked("the tide comes in")
            assert "alexandria repair" in caught.value.fix
