"""What is left after a power cut: only what was synced, under the names that were synced."""

import os
import stat
import sys
from pathlib import Path

import pytest

from alexandria.errors import BookError, Code
from alexandria.library.ingest.failures import Failures
from alexandria.store import open_store
from alexandria.system.cache import write_entry
from alexandria.system.files import atomic_write, write_durably
from tests.store.examples import BINDING

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the paths of open files are read from /proc")


class Disk:
    """Notes what reaches the disk: the content of a file, and the names in a folder, when it is synced."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._contents: dict[int, bytes] = {}
        self._names: dict[int, dict[str, int]] = {}
        monkeypatch.setattr(os, "fsync", self._sync)

    def _sync(self, file: object) -> None:
        descriptor = file if isinstance(file, int) else file.fileno()  # type: ignore[attr-defined]  # a file
        status, path = os.fstat(descriptor), Path(f"/proc/self/fd/{descriptor}").readlink()
        if stat.S_ISDIR(status.st_mode):
            self._names[status.st_ino] = {entry.name: entry.stat().st_ino for entry in path.iterdir()}
        else:
            self._contents[status.st_ino] = path.read_bytes()

    def cut_power(self, folder: Path, survivor: Path) -> None:
        """Write what is left of a folder into `survivor`; a file that was never synced is empty."""
        self._restore(folder.stat().st_ino, survivor)

    def _restore(self, number: int, survivor: Path) -> None:
        survivor.mkdir(parents=True)
        for name, inner in self._names.get(number, {}).items():
            if inner in self._names:
                self._restore(inner, survivor / name)
            else:
                (survivor / name).write_bytes(self._contents.get(inner, b""))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "before").mkdir()
    return tmp_path / "before"


def test_what_replaces_a_file_is_whole_after_a_power_cut(folder: Path, tmp_path: Path, disk: Disk) -> None:
    write_durably(folder / "a.json", "old")
    write_durably(folder / "a.json", "new")
    disk.cut_power(folder, tmp_path / "after")
    assert (tmp_path / "after" / "a.json").read_text() == "new"


def test_a_file_that_cannot_be_finished_leaves_the_old_one(folder: Path) -> None:
    write_durably(folder / "a.json", "old")

    def interrupted() -> None:
        with atomic_write(folder / "a.json") as file:
            file.write(b"ne")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        interrupted()
    assert [path.name for path in folder.iterdir()] == ["a.json"]
    assert (folder / "a.json").read_text() == "old"


def test_entries_and_failures_are_whole_after_a_power_cut(folder: Path, tmp_path: Path, disk: Disk) -> None:
    write_entry(folder / "entry", lambda file: file.write(b"vectors"))
    failures = Failures(folder / "failures.jsonl")
    (folder / "a.epub").touch()
    failures.record(folder / "a.epub", BookError("cannot read a.epub", code=Code.DAMAGED))
    disk.cut_power(folder, tmp_path / "after")
    assert (tmp_path / "after" / "entry").read_bytes() == b"vectors"
    kept = Failures(tmp_path / "after" / "failures.jsonl").all()
    assert [Path(failure.source).name for failure in kept] == ["a.epub"]


@pytest.mark.parametrize("prefix", ["", "local:"], ids=["edge", "local"])
def test_a_library_just_created_survives_a_power_cut(
    folder: Path, tmp_path: Path, disk: Disk, prefix: str
) -> None:
    open_store(f"{prefix}{folder / 'library'}", "books", BINDING).close()
    disk.cut_power(folder, tmp_path / "after")
    opened = open_store(f"{prefix}{tmp_path / 'after' / 'library'}", "books", None)
    assert opened.binding == BINDING
    assert opened.count() == 0
    opened.close()


def test_what_local_mode_has_committed_is_not_rolled_back_after_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite rolls back a commit whose journal is still on the disk, and does not sync the folder itself."""
    store = open_store(f"local:{tmp_path / 'library'}", "books", BINDING)
    synced: list[tuple[str, list[str]]] = []

    def note(descriptor: int) -> None:
        folder = Path(f"/proc/self/fd/{descriptor}").readlink()
        synced.append((folder.name, sorted(path.name for path in folder.iterdir())))

    monkeypatch.setattr(os, "fsync", note)
    store.delete({"generation": ["none"]})
    store.close()
    names = ["storage.sqlite"]  # and no journal
    assert [(folder, [name for name in files if "catalog" not in name]) for folder, files in synced] == [
        ("books", names)
    ]
