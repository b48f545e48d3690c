"""Libraries whose files the engine cannot read are built again: the same books, with the same ids."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from alexandria.batch.rebuilding import _delete_outdated
from alexandria.book import Point
from alexandria.errors import DamagedError, StoreError
from alexandria.library import Library
from alexandria.store import remains
from alexandria.store.catalog_file import CATALOG
from alexandria.store.edge import EdgeStore
from alexandria.store.lock import used_by_another_program_error
from alexandria.store.record import read_records
from tests.batch.test_mending import assert_equal, made
from tests.command import alexandria


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with books and a library of each kind, of which tests take copies."""
    folder = tmp_path_factory.mktemp("rebuilding")
    for kind in ("edge", "local"):
        (folder / kind).mkdir()
        made(folder / kind, kind)
    return folder


@pytest.fixture
def library(shelf: Path) -> Iterator[Path]:
    """Return the folder of an embedded library that may be damaged; it is whole again afterwards.

    Its records name the paths of the books, so that it stays where it is.
    """
    yield from kept(shelf / "edge")


@pytest.fixture
def local_library(shelf: Path) -> Iterator[Path]:
    """Return the folder of a library in local mode."""
    yield from kept(shelf / "local")


def kept(folder: Path) -> Iterator[Path]:
    copy = folder.with_name(f"{folder.name}.whole")
    subprocess.run(["cp", "-a", "--sparse=always", folder, copy], check=True)
    yield folder / "library"
    shutil.rmtree(folder)
    copy.replace(folder)


def stored(address: str | Path) -> list[Point]:
    with Library(address) as library:
        return list(library._opened.for_reading().store.points({}))


def damage(library: Path, part: str) -> None:
    """Damage a file without which a part of the library cannot be opened."""
    if part == "catalog":
        os.truncate(library / "books" / CATALOG, 100)
        return
    [status] = (library / "books" / part).glob("segments/*/vector_storage/deleted/status.dat")
    status.write_bytes(b"")


def check(library: Path, expected: list[Point]) -> None:
    points = stored(library)
    assert [point.id for point in points] == [point.id for point in expected]
    for point, twin in zip(expected, points, strict=True):
        assert_equal(point, twin, atol=1e-3)  # what is copied is rounded to 16 and 8 bits once more
    left = {path.name for path in (library / "books").iterdir()}
    assert left <= {"alexandria.json", "alexandria.lock", CATALOG, "change.json", "points"} | EXTRA


EXTRA = {"failures.jsonl", "failures.progress.json"}


def remove_points(library: Path) -> None:
    shutil.rmtree(library / "books" / "points")


@pytest.mark.parametrize(
    "harm", [lambda folder: damage(folder, "points"), remove_points], ids=["cut", "gone"]
)
def test_unreadable_points_are_made_again_from_the_books_files(
    library: Path, harm: Callable[[Path], None]
) -> None:
    expected = stored(library)
    with Library(library) as opened:
        records = opened.books()
    harm(library)
    with pytest.raises(DamagedError, match="cannot read the library"):
        stored(library)
    done = alexandria("repair", "--store", library, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["rebuilt"], document["unmended"], document["damaged_files"]) == (True, [], None)
    assert sorted(document["mended"]) == sorted(record.title for record in records)
    check(library, expected)
    with Library(library) as opened:
        assert opened.books() == records


def damage_settings(library: Path) -> None:
    (library / "books" / "points" / "edge_config.json").write_text("{")


@pytest.mark.parametrize(
    "harm",
    [lambda folder: damage(folder, "points"), remove_points, damage_settings],
    ids=["cut", "gone", "settings"],
)
def test_a_lost_marker_and_unreadable_points_are_made_again(
    library: Path, harm: Callable[[Path], None]
) -> None:
    expected = stored(library)
    marker = library / "books" / "alexandria.json"
    content = marker.read_text()
    marker.unlink()
    harm(library)
    with pytest.raises(StoreError, match="has lost its alexandria") as error:
        stored(library)
    assert error.value.fix == f"alexandria repair --store {library}"
    done = alexandria("repair", "--store", library, "--json")
    assert (done.returncode, marker.read_text()) == (0, content), done.stderr
    check(library, expected)


def test_a_lost_marker_and_an_unreadable_catalog_name_the_ways_out(library: Path) -> None:
    (library / "books" / "alexandria.json").unlink()
    damage(library, "catalog")
    done = alexandria("repair", "--store", library)
    assert done.returncode == 5
    assert "no record that can be read names the model" in done.stderr
    assert "alexandria restore BACKUP --store NEW_FOLDER, or ingest into a new folder" in done.stderr


@pytest.mark.parametrize("key", ["generation", "chunk_id", "section"])
def test_points_that_an_index_has_lost_are_found_again(library: Path, key: str) -> None:
    expected = stored(library)
    for file in (library / "books" / "points").glob(f"segments/*/payload_index/*-{key[:8]}*-map/tracker.dat"):
        os.truncate(file, 200)
    done = alexandria("verify", "--store", library)
    assert done.returncode == 5
    assert f"not found by their {key}: its index is damaged" in done.stderr + done.stdout
    for path in library.parent.glob("*.txt"):
        path.rename(path.with_suffix(".away"))  # what can be read is enough
    done = alexandria("repair", "--store", library, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["mended"] == []
    check(library, expected)
    assert alexandria("verify", "--store", library).returncode == 0


def test_an_unreadable_catalog_is_made_again_from_the_points(library: Path) -> None:
    expected = stored(library)
    with Library(library) as opened:
        records = opened.books()
    damage(library, "catalog")
    done = alexandria("repair", library.parent / "shelf", "--store", library)
    assert done.returncode == 0, done.stderr
    assert "were rebuilt" in done.stderr
    assert "“Another title” is listed again" in done.stderr
    assert "settings it was cut with" in done.stderr
    check(library, expected)
    with Library(library) as opened:
        for record, twin in zip(records, opened.books(), strict=True):
            assert (record.book_id, record.generation, record.digests) == (
                twin.book_id,
                twin.generation,
                twin.digests,
            )
            assert (record.source, record.sketch, record.title) == (twin.source, twin.sketch, twin.title)


@pytest.mark.parametrize("kind", ["edge", "local"])
def test_a_lost_record_is_made_again_as_it_was(kind: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue("library" if kind == "edge" else "local_library")
    address = folder if kind == "edge" else f"local:{folder}"
    with Library(address) as opened:
        records = opened.books()
        lost = next(record for record in records if not record.edits)
        opened._opened.for_writing().store.delete_record(lost.book_id)
    with Library(address) as opened:
        assert lost not in opened.books()
        assert [finding.fix for finding in opened.verify().findings] == ["alexandria repair"]
        repaired = opened.repair()
        assert repaired.checked.findings == ()
        assert repaired.adopted == (lost,)
        assert opened.books() == records


def test_a_book_whose_file_is_gone_is_named_and_the_damaged_files_are_kept(library: Path) -> None:
    with Library(library) as opened:
        gone = opened.books()[0]
    Path(gone.source).unlink()
    damage(library, "points")
    done = alexandria("repair", "--store", library)
    assert done.returncode == 5
    assert f"cannot rebuild “{gone.title}”" in done.stderr
    assert "alexandria restore" in done.stderr
    assert str(library / "books" / "damaged") in done.stderr
    assert (library / "books" / "damaged" / "points").is_dir()
    with Library(library) as opened:
        others = opened.verify()
        assert {finding.book for finding in others.findings} == {gone.title}


@pytest.mark.parametrize("moves", range(4))
def test_a_repair_that_was_killed_goes_on(library: Path, monkeypatch: pytest.MonkeyPatch, moves: int) -> None:
    """Killed after so many of the moves by which new files take the place of the damaged ones."""
    expected = stored(library)
    damage(library, "points")
    rename, left = Path.replace, moves

    def replace(path: Path, target: Path) -> Path:
        nonlocal left
        if path.parent.name in ("books", remains.DONE) and not path.name.startswith((".", "change", "owner")):
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
        return rename(path, target)

    with monkeypatch.context() as patch, Library(library) as opened:
        patch.setattr(Path, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            opened.repair()
    assert (library / "books" / (remains.DONE if moves else remains.NEW)).is_dir()
    with Library(library) as opened:
        assert opened.repair().checked.findings == ()
    check(library, expected)


def test_a_deletion_that_was_killed_leaves_no_points_without_a_record(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the two steps by which a book is deleted, whichever comes first."""
    n_steps = 0

    def kill_at_the_second(step: Callable[..., None]) -> Callable[..., None]:
        def run(self: EdgeStore, *args: object) -> None:
            nonlocal n_steps
            n_steps += 1
            if n_steps == 2:
                raise KeyboardInterrupt
            step(self, *args)

        return run

    with Library(library) as opened:
        store = opened._opened.for_writing().store
        assert isinstance(store, EdgeStore)
        with monkeypatch.context() as patch:
            for name in ("delete", "delete_record"):
                patch.setattr(EdgeStore, name, kill_at_the_second(getattr(EdgeStore, name)))
            with pytest.raises(KeyboardInterrupt):
                _delete_outdated(store, [])
        _delete_outdated(store, [])
        assert [record for record in read_records(store) if record.removed_at is None] == []
        assert list(store.points({})) == []


def test_unreadable_points_in_local_mode_are_made_again(local_library: Path) -> None:
    address = f"local:{local_library}"
    expected = stored(address)
    file = local_library / "collection" / "books" / "storage.sqlite"
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(DamagedError):
        stored(address)
    done = alexandria("repair", "--store", address)
    assert done.returncode == 0, done.stderr
    for point, twin in zip(expected, stored(address), strict=True):
        assert_equal(point, twin)
    assert not (local_library / "damaged").exists()


def test_an_unreadable_catalog_in_local_mode_names_restore_and_changes_nothing(local_library: Path) -> None:
    file = local_library / "collection" / "books.catalog" / "storage.sqlite"
    file.write_bytes(file.read_bytes()[:5000])
    points = local_library / "collection" / "books" / "storage.sqlite"
    before = points.read_bytes()
    done = alexandria("repair", "--store", f"local:{local_library}")
    assert done.returncode == 5
    assert "cannot repair the library" in done.stderr
    assert "fix: alexandria restore" in done.stderr  # not repair, which has just failed
    assert points.read_bytes() == before


def test_points_that_another_program_has_open_are_not_taken_for_damaged(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_use(folder: Path, shard: str) -> None:
        raise used_by_another_program_error(folder)

    monkeypatch.setattr(remains, "load_shard", in_use)
    with pytest.raises(StoreError, match="is in use"):
        remains.Remains(library / "books")
