"""Libraries whose files the engine cannot read are built again: the same books, with the same ids."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import qdrant_edge as qdrant

from alexandria.book.model import Point
from alexandria.errors import DamagedError, StoreError
from alexandria.library.library import Library
from alexandria.store import repair
from alexandria.store.catalog_file import CATALOG, CatalogFile
from alexandria.store.edge import EdgeStore
from alexandria.store.lock import used_by_another_program_error
from tests.batch.test_mending import assert_equal, made
from tests.command import alexandria
from tests.store.crash import in_fork


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
    assert left <= {"alexandria.json", "alexandria.lock", CATALOG, "points"} | EXTRA


EXTRA = {"failures.jsonl", "failures.progress.json", "letters"}


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


def test_an_index_that_a_killed_repair_has_deleted_is_made_again(library: Path) -> None:
    expected = stored(library)
    with repair.open_points(library / "books") as points:
        points.update(qdrant.UpdateOperation.delete_field_index("section"))
    assert alexandria("verify", "--store", library).returncode == 5
    assert alexandria("repair", "--store", library).returncode == 0
    check(library, expected)


@pytest.mark.parametrize("is_file_there", [True, False])
def test_readable_points_are_put_aside_only_where_each_book_has_its_file(
    library: Path, is_file_there: bool
) -> None:
    expected = stored(library)
    with Library(library) as opened:
        records = opened.books()
        store = opened._opened.for_writing().store
        first = next(store.points({"generation": [records[0].generation]}))
        store.upsert([replace(first, id="00000000-0000-4000-8000-000000000000")])  # not found by its own id
        before = list(store.payloads({}))
    if is_file_there:
        assert alexandria("repair", "--store", library).returncode == 0
        check(library, expected)
        return
    Path(records[1].source).unlink()
    done = alexandria("repair", "--store", library)
    assert done.returncode == 5
    assert f"cannot rebuild “{records[1].title}”" in done.stderr
    assert "alexandria copy --to NEW_FOLDER takes the books that are whole" in done.stderr
    with Library(library) as opened:
        assert list(opened._opened.for_reading().store.payloads({})) == before
        with pytest.raises(StoreError, match=records[0].title):
            list(opened.copy(library.parent / "copy"))
    with Library(library.parent / "copy") as copy:
        assert [record.title for record in copy.books()] == [record.title for record in records[1:]]


def test_that_books_may_be_lost_is_said_where_neither_catalog_nor_points_can_be_read(library: Path) -> None:
    damage(library, "catalog")
    damage(library, "points")
    done = alexandria("repair", "--store", library)
    assert (done.returncode, (library / "books" / "damaged").is_dir()) == (0, True)
    assert "ingest again what alexandria list does not show" in done.stderr
    assert alexandria("ingest", library.parent / "shelf", "--store", library).returncode == 0
    assert alexandria("repair", "--store", library).returncode == 0
    assert not (library / "books" / "damaged").exists()
    with Library(library) as opened:
        assert len(opened.books()) == 3


def test_an_unreadable_catalog_is_made_again_from_the_points(library: Path) -> None:
    expected = stored(library)
    with Library(library) as opened:
        records = opened.books()
    damage(library, "catalog")
    done = alexandria("repair", library.parent / "shelf", "--store", library)
    assert done.returncode == 0, done.stderr
    assert "replaced files of the library" in done.stderr
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
        opened._opened.for_writing().store.records.commit(delete=[lost.book_id])
    with Library(address) as opened:
        assert lost not in opened.books()
        assert [finding.fix for finding in opened.verify().findings] == ["alexandria repair"]
        repaired = opened.repair()
        assert repaired.checked.findings == ()
        # The chunks do not say that its title was guessed.
        again = {lost.book_id: replace(lost, guessed_title="")}
        assert repaired.adopted == (again[lost.book_id],)
        assert opened.books() == [again.get(record.book_id, record) for record in records]


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
    assert (library / "books" / "damaged" / "points.0").is_dir()
    with Library(library) as opened:
        others = opened.verify()
        assert {finding.book for finding in others.findings} == {gone.title}


STEPS = [(Path, "replace"), (EdgeStore, "upsert"), (CatalogFile, "commit"), (repair, "create_points")]


def repair_until_killed(library: Path, n_steps: int) -> None:
    """Repair a library; the process kills itself before the step after so many."""
    n_left = n_steps

    def killing(step: Callable[..., object]) -> Callable[..., object]:
        def run(*args: object, **named: object) -> object:
            nonlocal n_left
            if n_left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            n_left -= 1
            return step(*args, **named)

        return run

    for owner, name in STEPS:
        setattr(owner, name, killing(getattr(owner, name)))
    with Library(library) as opened:
        opened.repair([library.parent / "shelf"])


@pytest.mark.parametrize("part", ["points", "catalog"])
def test_a_repair_that_is_killed_at_every_second_step_goes_on(shelf: Path, part: str) -> None:
    expected = stored(shelf / "edge" / "library")
    n_steps, has_finished = 0, False
    while not has_finished:
        for library in kept(shelf / "edge"):
            damage(library, part)
            has_finished = in_fork(partial(repair_until_killed, library, n_steps))
            with Library(library) as opened:
                assert opened.repair([library.parent / "shelf"]).checked.findings == (), n_steps
            check(library, expected)
        n_steps += 2  # the campaigns kill at each
    assert n_steps > 8


def test_what_is_left_of_a_book_without_a_record_is_deleted_and_named(library: Path) -> None:
    with Library(library) as opened:
        store = opened._opened.for_writing().store
        lost = opened.books()[0]
        store.records.commit(delete=[lost.book_id])
        store.delete({"generation": [lost.generation], "chunk_id": [1]})
    assert alexandria("verify", "--store", library).returncode == 5
    done = alexandria("repair", library.parent / "shelf", "--store", library)
    assert done.returncode == 0, done.stderr
    assert (
        f"“{lost.title}” was removed, because its record and some chunks were lost: ingest it again"
        in done.stderr
    )
    with Library(library) as opened:
        assert lost.book_id not in {record.book_id for record in opened.books()}


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
    file = local_library / "collection" / "books" / CATALOG
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

    monkeypatch.setattr(repair, "load_shard", in_use)
    with pytest.raises(StoreError, match="is in use"):
        repair.renew_indexes(library / "books")
