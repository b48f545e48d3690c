"""A library grows only where there is room on the disk, and returns the memory that a book took."""

import errno
import mmap
import random
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from alexandria.book.choices import Mode
from alexandria.book.model import Sparse
from alexandria.errors import FullDiskError
from alexandria.store import disk_space, edge, open_store
from alexandria.store.catalog import Catalog
from alexandria.store.disk_space import NEW_LIBRARY, RESERVE, check_room, growth, release_pages
from alexandria.store.edge_errors import is_full_disk, is_of_engine, translate_read_errors
from alexandria.store.store import QueryVectors
from tests.command import alexandria
from tests.store.crash import OLD, write_books
from tests.store.examples import AXES, BINDING, book, folder_place, interrupt, point, store_book

QUERY = QueryVectors(AXES[0], Sparse((1,), (1.0,)))
SIZE = 1 << 22

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="pages are released on Linux only")


class Disk:
    """A disk with so many bytes free."""

    free = 1 << 40

    def usage(self, folder: Path) -> SimpleNamespace:
        return SimpleNamespace(free=self.free)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(shutil, "disk_usage", disk.usage)
    return disk


def n_bytes_on_disk(folder: Path) -> int:
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def test_a_library_grows_by_no_more_than_is_checked(tmp_path: Path) -> None:
    place = folder_place(tmp_path / "library")
    store = place.open(BINDING)
    assert store.count() == 0
    empty = n_bytes_on_disk(tmp_path)
    assert 0.5 * NEW_LIBRARY < empty < NEW_LIBRARY
    rng = random.Random(1)
    points = [point(number, text=rng.randbytes(2500).hex()) for number in range(300)]
    store.upsert(points)
    grown = n_bytes_on_disk(tmp_path) - empty
    assert growth(points) / 3 < grown < growth(points)
    store.close()


def test_a_refusal_names_what_is_missing(tmp_path: Path, disk: Disk) -> None:
    disk.free = 3 << 20
    with pytest.raises(FullDiskError) as caught:
        check_room(tmp_path, 5 << 20)
    assert caught.value.why == "5 MiB must be free to write safely, and 3 MiB are"
    assert caught.value.fix.startswith("free 2 MiB, then run the same command again")


def test_a_full_disk_ends_an_ingest_with_its_summary_and_the_same_command_resumes(
    tmp_path: Path, disk: Disk
) -> None:
    books = write_books(tmp_path, n_books=2, n_words=400)
    library = tmp_path / "library"
    store = ("--store", library, "--workers", "0", "--set", f"strategy={OLD['strategy']}")
    disk.free = NEW_LIBRARY
    refused = alexandria("ingest", *books, *store)
    assert refused.returncode == 5
    assert "no room on the disk" in refused.stderr
    assert not library.exists() or not any(library.iterdir())
    disk.free = 1 << 40
    assert alexandria("ingest", books[0], *store).returncode == 0
    disk.free = RESERVE
    refused = alexandria("ingest", *books, *store)
    assert refused.returncode == 5
    assert "no room on the disk" in refused.stderr
    assert re.search(r"^unchanged +1 *\nnot reached +1", refused.stderr, re.MULTILINE)
    disk.free = 0
    assert alexandria("search", "Book", "--store", library).returncode == 0
    assert alexandria("remove", "book0", "--yes", "--store", library).returncode == 5
    disk.free = 1 << 40
    assert alexandria("ingest", *books, *store).returncode == 0
    assert alexandria("verify", "--store", library).returncode == 0


def test_what_an_interrupted_ingest_left_is_hidden_until_there_is_room_to_delete_it(
    tmp_path: Path, disk: Disk
) -> None:
    place = folder_place(tmp_path / "library")
    store = place.open(BINDING)
    store_book(Catalog(store), book("b1"))
    interrupt(Catalog(store), "commit", [point(0, book="b2", generation="g2")])
    disk.free = 0
    catalog = Catalog(store)
    hits = catalog.search(QUERY, Mode.DENSE, catalog.everything(), 10)
    assert {hit.payload["book_id"] for hit in hits} == {"b1"}
    disk.free = 1 << 40
    assert "g2" in store.generations()
    Catalog(store)
    assert "g2" not in store.generations()
    store.close()


def test_without_room_a_folder_is_closed_later_for_that_would_end_the_program(
    tmp_path: Path, disk: Disk
) -> None:
    place = folder_place(tmp_path / "library")
    store = place.open(BINDING)
    store_book(Catalog(store), book("b1"))
    disk.free = 0
    store.close()
    assert {path.name for path in edge._unclosed} == {"points"}
    store = place.open(BINDING)
    assert store.count() == 3
    assert not edge._unclosed
    assert list(Catalog(store).records()) == ["b1"]
    disk.free = 1 << 40
    store.close()
    assert not edge._unclosed
    store = place.open(BINDING)
    assert list(Catalog(store).records()) == ["b1"]
    store.close()


def test_a_library_whose_folder_was_deleted_is_closed(tmp_path: Path) -> None:
    store = folder_place(tmp_path / "library").open(BINDING)
    shutil.rmtree(tmp_path / "library")
    store.close()
    assert not edge._unclosed


def test_an_engine_without_room_is_no_damage(tmp_path: Path) -> None:
    with (
        pytest.raises(FullDiskError, match="cannot read the library") as caught,
        translate_read_errors(tmp_path, "points"),
    ):
        raise Exception("Service runtime error: No space left on device (os error 28)")
    assert "the library is intact" in caught.value.fix


@contextmanager
def mapped(file: Path, flags: int) -> Iterator[mmap.mmap]:
    """Map a file of zeros and write into every page."""
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(bytes(SIZE))
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), SIZE, flags) as view:
        view[:] = b"a" * SIZE
        yield view


def resident(below: Path) -> int:
    """Return the bytes of mapped files below a folder that are in memory."""
    total, ours = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *rest = line.split(maxsplit=5)
        if not name.endswith(":"):
            ours = len(rest) == 5 and rest[4].startswith(str(below))
        elif ours and name == "Rss:":
            total += int(rest[0]) << 10
    return total


@linux_only
def test_released_pages_of_the_folder_come_back_unchanged(tmp_path: Path) -> None:
    with mapped(tmp_path / "library" / "file", mmap.MAP_SHARED) as view:
        assert resident(tmp_path) == SIZE
        release_pages(tmp_path / "library")
        assert resident(tmp_path) == 0
        assert view[:] == b"a" * SIZE


@linux_only
@pytest.mark.parametrize(
    ("file", "flags"),
    [("library/file", mmap.MAP_PRIVATE), ("other/file", mmap.MAP_SHARED), ("library2/file", mmap.MAP_SHARED)],
    ids=["private", "other folder", "same beginning of the name"],
)
def test_other_pages_are_kept(file: str, flags: int, tmp_path: Path) -> None:
    with mapped(tmp_path / file, flags) as view:
        release_pages(tmp_path / "library")
        assert resident(tmp_path) == SIZE
        assert view[:] == b"a" * SIZE


@linux_only
def test_other_systems_release_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(disk_space, "_c_library", lambda: None)
    monkeypatch.setattr(disk_space, "_shared_mappings", lambda folder: pytest.fail("looked for pages"))
    release_pages(tmp_path)


def test_errors_of_the_engine_and_of_a_full_disk_are_known() -> None:
    panic = type("PanicException", (BaseException,), {})
    errors = (Exception("x"), panic(), ValueError(), KeyboardInterrupt())
    assert [is_of_engine(error) for error in errors] == [True, True, False, False]
    full = [OSError(errno.ENOSPC, ""), OSError(errno.EDQUOT, ""), OSError(errno.EACCES, ""), ValueError()]
    assert [is_full_disk(error) for error in full] == [True, True, False, False]


@linux_only
def test_writing_a_library_releases_pages_of_its_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(tmp_path), "books", BINDING)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(edge, "release_pages", lambda folder: None)
            store.upsert(book("a", n=50))
        points = tmp_path.resolve() / "books" / "points"
        before = resident(points)
        store.delete({"generation": ["none"]})
        assert resident(points) < before
        assert store.count() == 50
    finally:
        store.close()
