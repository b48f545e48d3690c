"""Released pages are read again with the same contents."""

import mmap
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from alexandria.store import edge, open_store, pages
from alexandria.store.pages import release_pages
from tests.store.examples import BINDING, book

SIZE = 1 << 22

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pages are released on Linux only")


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


def test_released_pages_of_the_folder_come_back_unchanged(tmp_path: Path) -> None:
    with mapped(tmp_path / "library" / "file", mmap.MAP_SHARED) as view:
        assert resident(tmp_path) == SIZE
        release_pages(tmp_path / "library")
        assert resident(tmp_path) == 0
        assert view[:] == b"a" * SIZE


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


def test_other_systems_release_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pages, "_c_library", lambda: None)
    monkeypatch.setattr(pages, "_shared_mappings", lambda folder: pytest.fail("looked for pages"))
    release_pages(tmp_path)


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
