"""Books whose files were moved are followed by an ordinary ingest; a disk that is away moves nothing."""

import json
import shutil
from pathlib import Path

import pytest

from alexandria import Library
from alexandria.library.ingest import sync
from alexandria.library.ingest.sync import has_moved
from tests.command import alexandria

OPTIONS = {"model": "hashing", "min_words": 2}
NAMES = ("one", "two", "three")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder of three books, beside a library of them."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.txt").write_text(f"This is the book called {name}. It says {name} again.")
    ingest(folder)
    return folder


def ingest(folder: Path, *paths: Path) -> list[tuple[str, tuple[str, ...]]]:
    with Library(folder.parent / "lib") as library:
        outcomes = library.ingest(paths or folder, options=OPTIONS)
    return [(outcome.status, outcome.remarks) for outcome in outcomes]


def sources(folder: Path) -> list[str]:
    with Library(folder.parent / "lib") as library:
        for book in library.books():
            assert {hit.source for hit in library.search(book.title, book=book.title).hits} == {book.source}
        assert library.verify().is_sound
        return sorted(book.source for book in library.books())


def test_a_folder_that_was_renamed_is_followed(shelf: Path) -> None:
    new = shelf.rename(shelf.with_name("other"))
    outcomes = ingest(new)
    assert {status for status, _ in outcomes} == {"unchanged"}
    assert all("it was at" in remarks[0] for _, remarks in outcomes)
    assert sources(new) == sorted(str(new / f"{name}.txt") for name in NAMES)
    assert ingest(new) == [("unchanged", ())] * 3
    (new / "one.txt").unlink()
    done = alexandria("ingest", new, "--sync", "--store", new.parent / "lib", "--json")
    assert [json.loads(line)["sync"]["action"] for line in done.stdout.splitlines() if "sync" in line] == [
        "removed"
    ]


def test_a_file_that_was_moved_out_of_a_folder_is_followed(shelf: Path) -> None:
    elsewhere = shelf.parent / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    moved = (shelf / "two.txt").rename(elsewhere / "deep" / "second.txt")
    ingest(shelf, elsewhere)
    assert str(moved) in sources(shelf)
    with Library(shelf.parent / "lib") as library:
        (payload,) = {hit.payload["metadata"]["source"] for hit in library.search("two", book="two").hits}
        assert payload


def test_a_copy_moves_nothing(shelf: Path) -> None:
    before = sources(shelf)
    shutil.copytree(shelf, copy := shelf.with_name("copy"))
    assert all("the same file is in the library" in remarks[0] for _, remarks in ingest(copy))
    assert sources(shelf) == before


@pytest.mark.parametrize(
    "left", [pytest.param(True, id="its folder is empty"), pytest.param(False, id="gone")]
)
def test_a_disk_that_is_away_moves_nothing(
    tmp_path: Path, left: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its mount point is empty, or missing; a copy of all its books is ingested meanwhile."""
    disk = tmp_path / "media" / "user" / "DISK"
    (disk / "shelf").mkdir(parents=True)
    monkeypatch.setattr(sync, "_DISKS", (str(tmp_path / "media"),))
    (tmp_path / "media" / "user" / "OTHER").mkdir()
    for name in NAMES:
        (disk / "shelf" / f"{name}.txt").write_text(f"This is the book called {name}. It says {name} again.")
    shutil.copytree(disk / "shelf", tmp_path / "copy")
    ingest(tmp_path / "shelf", disk)
    before = sources(tmp_path / "shelf")
    shutil.rmtree(disk)
    if left:
        disk.mkdir()
    ingest(tmp_path / "shelf", tmp_path / "copy")
    assert sources(tmp_path / "shelf") == before


@pytest.mark.parametrize(
    ("kept", "books", "moved"),
    [
        pytest.param(["a/y.txt"], "x", True, id="out of a folder"),
        pytest.param(["a/x.txt"], "x", False, id="still there"),
        pytest.param(["a/"], "x", False, id="an empty folder"),
        pytest.param(["c.txt"], "x", True, id="a folder renamed, with its only book"),
        pytest.param(["c.txt", "../new/y.txt", "../new/z.txt"], "xyz", True, id="a folder renamed"),
        pytest.param(["c.txt", "../new/z.txt"], "xyz", True, id="most of its books"),
        pytest.param(["c.txt"], "xyz", False, id="one of its three books"),
        pytest.param([], "x", False, id="nothing is left where it was"),
    ],
)
def test_where_a_file_has_moved(kept: list[str], books: str, moved: bool, tmp_path: Path) -> None:
    """`a/x.txt` is now `new/x.txt`."""
    root, new = tmp_path / "root", tmp_path / "new"
    for folder in (root, new):
        folder.mkdir()
    for path in [new / "x.txt", *(root / name for name in kept if not name.endswith("/"))]:
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    for name in kept:
        if name.endswith("/"):
            (root / name).mkdir()
    sources = [str(root / "a" / f"{name}.txt") for name in books]
    assert has_moved(root / "a" / "x.txt", new / "x.txt", lambda: sources) == moved
