"""The disk space of deleted points is given back: in time, safely, and without a change to any answer."""

import mmap
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from alexandria import Library
from alexandria.store import edge
from alexandria.store.edge import GRAPH_FROM, MAX_DEAD, POINTS, EdgeStore
from alexandria.system.files import size_of_folder
from tests.forks import ROOT
from tests.query.test_stable import OPTIONS, QUESTION, WORDS, ranked, write_book

QUESTIONS = (QUESTION, f"{WORDS[11]} {WORDS[12]} board")


@pytest.fixture
def disk() -> Iterator[Path]:
    """A folder where a file with holes takes no space for them, even when they are read: not in memory."""
    cache = ROOT / ".pytest_cache"
    cache.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=cache) as name:
        file = Path(name, "hole")
        with file.open("wb+") as hole:
            hole.truncate(1 << 20)
            with mmap.mmap(hole.fileno(), 0) as mapped:
                sum(mapped[:: mmap.PAGESIZE])
        if file.stat().st_blocks:
            pytest.skip(f"{cache} is a file system in memory: holes that the engine reads take space there")
        yield Path(name)


def ingest(library: Path, books: list[Path], **more: object) -> None:
    with Library(library) as opened:
        outcomes = opened.ingest(books, options=OPTIONS | more)
    assert not any(outcome.error for outcome in outcomes)


def test_ten_ingests_again_take_half_as_much_again_as_the_first_at_most(disk: Path) -> None:
    books = [write_book(disk, number) for number in range(12)]
    ingest(disk / "fresh", books)
    sizes = []
    for n in range(11):  # each with other settings, and so with other points
        ingest(disk / "library", books, max_words=60 + n % 2)
        sizes.append(size_of_folder(disk / "library"))
    assert sizes[-1] <= 1.5 * size_of_folder(disk / "fresh")
    assert ranked(Library(disk / "library"), QUESTIONS) == ranked(Library(disk / "fresh"), QUESTIONS)


def test_space_is_given_back_once_a_third_is_dead_and_status_says_what_is(disk: Path) -> None:
    library = disk / "library"
    ingest(library, [write_book(disk, number) for number in range(30)])
    with Library(library) as opened:
        assert opened.status().n_dead_chunks == 0
    dead: list[int] = []
    before = size_of_folder(library)
    for number in range(20):
        with Library(library) as opened:
            opened.remove(f"{number:03}")
            expected = ranked(opened, QUESTIONS)
        with Library(library) as opened:
            assert ranked(opened, QUESTIONS) == expected
            dead.append(opened.status().n_dead_chunks or 0)
            assert isinstance(store := opened._opened.for_reading().store, EdgeStore)
            assert store._points.info().indexed_vectors_count == store.count()
    n_books = [30 - number for number in range(1, 21)]
    assert dead[:9] == [3 * number for number in range(1, 10)]
    assert dead[9:11] == [30, 0]  # 30 of 90 are no more than a third, 33 are
    assert all(n <= MAX_DEAD * (n + 3 * left) for n, left in zip(dead, n_books, strict=True))
    assert size_of_folder(library) < before
    # The settings are those of a new library: the next graph is built as ever.
    ingest(disk / "fresh", [disk / "001.txt"])
    settings = [
        (place / "books" / POINTS / "edge_config.json").read_text() for place in (library, disk / "fresh")
    ]
    assert sorted(settings[0]) == sorted(settings[1])


def test_nothing_is_written_anew_where_the_disk_cannot_hold_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "library"
    ingest(library, [write_book(tmp_path, number) for number in range(4)])
    monkeypatch.setattr(
        edge, "has_room", lambda folder, n_bytes: n_bytes < size_of_folder(library / "books" / POINTS)
    )
    with Library(library) as opened:
        for number in range(3):
            opened.remove(f"{number:03}")
    monkeypatch.undo()
    with Library(library) as opened:
        assert opened.status().n_dead_chunks == 9
        opened.remove("003")
    with Library(library) as opened:
        assert opened.status().n_dead_chunks == 0


def test_a_library_that_has_a_graph_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    optimized = []
    monkeypatch.setattr(EdgeStore, "_optimize_without_graph", lambda self: optimized.append(1))
    monkeypatch.setattr(edge, "GRAPH_FROM", 5)
    ingest(tmp_path / "library", [write_book(tmp_path, number) for number in range(6)])
    with Library(tmp_path / "library") as opened:
        for number in range(4):
            opened.remove(f"{number:03}")
    assert optimized == []
    assert GRAPH_FROM == 50_000


def test_points_of_a_library_of_1_0_0_are_counted_from_the_first_write_on(tmp_path: Path) -> None:
    library = tmp_path / "library"
    ingest(library, [write_book(tmp_path, number) for number in range(5)])
    with Library(library) as opened:
        opened._opened.for_writing().store.records.note_written(0)  # type: ignore[attr-defined]
    with Library(library) as opened:
        assert opened.status().n_dead_chunks == 0
        opened.remove("004")  # not only an ingest counts them first
    with Library(library) as opened:
        assert opened.status().n_dead_chunks == 3
    ingest(library, [write_book(tmp_path, 7)])
    with Library(library) as opened:
        assert opened._opened.for_reading().n_written == 18


KILLED = """
import sys
from alexandria import Library
with Library(sys.argv[1]) as library:
    for number in range(12):
        library.remove(f"{number:03}")
    print("removed", flush=True)
"""


def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    """Also while the engine writes the points that are left into new files."""
    library, chosen = tmp_path / "library", random.Random(5)
    books = [write_book(tmp_path, number) for number in range(16)]
    left = [book for book in books if int(book.stem) >= 12]
    ingest(tmp_path / "fresh", left)
    expected = ranked(Library(tmp_path / "fresh"), QUESTIONS)
    for _ in range(6):
        ingest(library, books)
        with Library(library) as opened:
            for record in opened.removed_books():
                opened.ingest([record.source], options=OPTIONS, again=True)
        process = subprocess.Popen([sys.executable, "-c", KILLED, library], cwd=ROOT, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"removed\n"
        time.sleep(chosen.uniform(0, 0.15))
        process.kill()
        process.communicate()
        with Library(library) as opened:
            assert [book.title for book in opened.books()] == [book.stem for book in left]
            assert ranked(opened, QUESTIONS) == expected
            assert opened.verify().is_sound


@pytest.mark.parametrize("graph_from", [5, GRAPH_FROM], ids=["with a graph", "without"])
def test_what_a_kill_has_left_half_written_is_removed_by_the_next_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, graph_from: int
) -> None:
    monkeypatch.setattr(edge, "GRAPH_FROM", graph_from)
    library = tmp_path / "library"
    ingest(library, [write_book(tmp_path, number) for number in range(3)])
    half = library / "books" / POINTS / "temp_segments" / "segment_builder_x1"
    half.mkdir(parents=True)
    (half / "vectors.dat").write_bytes(bytes(4096))
    ingest(library, [write_book(tmp_path, 3)])
    assert not half.exists()
    with Library(library) as opened:
        assert len(opened.books()) == 4
        assert opened.verify().is_sound


@pytest.mark.parametrize("older", ["the old files", "the new files"])
def test_after_a_kill_before_the_old_files_are_deleted_no_point_counts_twice(
    tmp_path: Path, older: str
) -> None:
    library = tmp_path / "library"
    ingest(library, books := [write_book(tmp_path, number) for number in range(6)])
    ingest(tmp_path / "fresh", books[4:])
    segments = library / "books" / POINTS / "segments"
    (old,) = segments.iterdir()
    copy = tmp_path / "copy"
    with Library(library) as opened:
        for number in range(4):
            opened.remove(f"{number:03}")
        opened._opened.for_writing().store._flush()  # type: ignore[attr-defined]
        shutil.copytree(old, copy)
    (new,) = segments.iterdir()
    assert new.name != old.name
    shutil.copytree(copy, old)  # what the kill leaves: both
    os.utime(old if older == "the old files" else new, (1, 1))
    with Library(library) as opened:
        assert ranked(opened, QUESTIONS) == ranked(Library(tmp_path / "fresh"), QUESTIONS)
        assert opened._opened.for_reading().store.count() == 6
        assert opened.verify().is_sound
    assert len(list(segments.iterdir())) == 1


def test_a_segment_with_points_of_its_own_stays_beside_one_that_is_there_twice(tmp_path: Path) -> None:
    """Only a copy is removed, whichever is the oldest."""
    library = tmp_path / "library"
    for number in range(2):
        ingest(tmp_path / f"of {number}", [write_book(tmp_path, number)])
    ingest(library, [tmp_path / "000.txt", tmp_path / "001.txt"])
    segments = library / "books" / POINTS / "segments"
    (both,) = segments.iterdir()
    (one,) = (tmp_path / "of 1" / "books" / POINTS / "segments").iterdir()
    shutil.copytree(one, segments / one.name)
    os.utime(both, (1, 1))
    with Library(library) as opened:
        assert opened._opened.for_reading().store.count() == 6
        assert opened.verify().is_sound
    assert [path.name for path in segments.iterdir()] == [both.name]


def test_an_error_while_space_is_given_back_leaves_the_library_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "library"
    ingest(library, [write_book(tmp_path, number) for number in range(4)])

    def fail(dim: int, optimizers: object = None) -> None:
        raise OSError("no space left on device")

    with Library(library) as opened:
        for number in range(3):
            opened.remove(f"{number:03}")
        monkeypatch.setattr(edge, "_points_config", fail)
        with pytest.raises(OSError, match="no space"):
            opened.close()
    monkeypatch.undo()
    with Library(library) as opened:
        assert len(opened.books()) == 1
        assert opened.search(QUESTION).hits
