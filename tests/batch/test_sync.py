"""A library in sync with a folder."""

import errno
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from alexandria.chunking.domains import Domain
from alexandria.doors.cli.ingest import _sync_folders
from alexandria.errors import ConfigError
from alexandria.library.ingest.discovery import arrivals
from alexandria.library.ingest.outcome import Action
from alexandria.library.ingest.sync import Step
from alexandria.library.library import Library
from tests.batch.test_duplicates import record
from tests.command import alexandria, exit_code


def sync(shelf: Path, *words: str) -> list[Any]:
    done = alexandria("ingest", shelf, "--sync", "--store", shelf.parent / "lib", "--json", *words)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def books(shelf: Path) -> dict[str, Any]:
    listed = json.loads(alexandria("list", "--store", shelf.parent / "lib", "--json").stdout)
    return {Path(book["source"]).name: book for book in listed}


def test_it_removes_what_is_gone_and_follows_what_was_renamed(shelf: Path) -> None:
    before = books(shelf)
    (shelf / "one.txt").unlink()
    (shelf / "deep").mkdir()
    (shelf / "two.txt").rename(shelf / "deep" / "second.txt")
    planned = [line["sync"] for line in sync(shelf, "--dry-run") if "sync" in line]
    assert books(shelf) == before
    assert {(step["action"], Path(step["source"]).name, step["done"]) for step in planned} == {
        ("removed", "one.txt", False),
        ("moved", "two.txt", False),
    }
    lines = sync(shelf)
    assert [line["sync"]["done"] for line in lines if "sync" in line] == [True, True]
    assert {line["status"] for line in lines if "status" in line} == {"unchanged"}
    after = books(shelf)
    assert set(after) == {"three.txt", "second.txt"}
    assert after["second.txt"]["book_id"] == before["two.txt"]["book_id"]
    hits = json.loads(
        alexandria("search", "book called two", "--store", shelf.parent / "lib", "--json").stdout
    )["hits"]
    assert str(shelf / "deep" / "second.txt") in [hit["source"] for hit in hits]
    assert alexandria("verify", "--store", shelf.parent / "lib").returncode == 0
    assert [line for line in sync(shelf) if "sync" in line] == []
    (shelf / "one.txt").write_text("This is the book called one. It says one again.")
    assert "ingested" in [line.get("status") for line in sync(shelf)]  # it is back, so its book is too


def test_a_dry_run_of_a_watch_shows_what_its_first_pass_would_do_and_ends(shelf: Path) -> None:
    before = books(shelf)
    (shelf / "one.txt").unlink()
    (shelf / "four.txt").write_text("This is the book called four. It is new.")
    *steps, estimate = [
        json.loads(line)
        for line in alexandria(
            "ingest", shelf, "--watch", "--dry-run", "--store", shelf.parent / "lib", "--json"
        ).stdout.splitlines()
    ]
    assert [(step["sync"]["action"], step["sync"]["done"]) for step in steps] == [("removed", False)]
    assert (estimate["estimate"]["n_books"], estimate["estimate"]["n_unchanged"]) == (1, 2)
    (shelf / "two.txt").write_text("This is the book called two, in other words.")
    shown = alexandria("ingest", shelf, "--dry-run", "--store", shelf.parent / "lib")
    assert "1 file unchanged" in shown.stderr + shown.stdout
    assert books(shelf) == before


def test_a_dry_run_names_what_would_be_added_replaced_and_cut_again(shelf: Path) -> None:
    where = ("--store", shelf.parent / "lib")
    (shelf / "two.txt").write_text("This is the book called two, in other words.")
    (shelf / "empty.txt").write_text("")
    for n in range(23):
        (shelf / f"new-{n:02}.txt").write_text(f"This is the new book {n}. It is short.")
    shown = alexandria("ingest", shelf, "--sync", "--dry-run", *where, "--set", "min_words=7").stderr
    lines = shown.splitlines()
    named = {action: [line for line in lines if line.startswith(f"would be {action}  ")] for action in Action}
    assert named[Action.ADD][:2] == [
        f"would be added  {shelf}/new-00.txt",
        f"would be added  {shelf}/new-01.txt",
    ]
    assert (len(named[Action.ADD]), named[Action.ADD][-1]) == (21, "would be added  3 more")
    assert named[Action.REPLACE] == [f"would be replaced  {shelf}/two.txt"]
    assert named[Action.CUT_AGAIN] == [f"would be cut again  {shelf}/{name}.txt" for name in ("one", "three")]
    assert re.search(r"^3 books in the library will be cut again: min_words \d+ → 7$", shown, re.MULTILINE)
    assert "empty.txt" not in "".join(line for line in lines if line.startswith("would be"))


def test_a_replaced_book_is_told_from_a_new_one(shelf: Path) -> None:
    (shelf / "two.txt").write_text("This is the book called two, in other words.")
    (shelf / "four.txt").write_text("This is the book called four. It is new.")
    done = alexandria("ingest", shelf, "--store", shelf.parent / "lib")
    assert "replaced  “two”" in done.stderr
    assert "ingested  “four”" in done.stderr


@pytest.mark.parametrize("option", ["--sync", "--watch"])
def test_a_dry_run_before_there_is_a_library_estimates_and_creates_none(tmp_path: Path, option: str) -> None:
    (tmp_path / "one.txt").write_text("This is the book called one. It says one again.")
    done = alexandria("ingest", tmp_path, option, "--dry-run", "--store", tmp_path / "lib", "--json")
    assert (done.returncode, json.loads(done.stdout)["estimate"]["n_books"]) == (0, 1)
    assert not (tmp_path / "lib").exists()


def test_a_dry_run_estimates_with_the_model_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimated: list[str] = []

    def note(files: object, domain: Domain, *more: object, **named: object) -> None:
        estimated.append(domain.model)
        raise ConfigError("that is enough")

    (tmp_path / "one.txt").write_text("This is the book called one. It says one again.")
    (tmp_path / "two.txt").write_text("This is the book called two. It says two again.")
    alexandria("ingest", tmp_path / "one.txt", "--model", "hashing", "--store", tmp_path / "lib")
    monkeypatch.setattr("alexandria.library.shortcuts.estimate_ingest", note)
    monkeypatch.delenv("ALEXANDRIA_MODEL", raising=False)  # `alexandria` sets it
    words = ("ingest", tmp_path / "two.txt", "--dry-run", "--store", tmp_path / "lib")
    monkeypatch.setattr(sys, "argv", ["alexandria", *map(str, words)])
    exit_code()
    assert estimated == ["hashing"]


def test_books_of_other_places_and_an_empty_folder_remove_nothing(shelf: Path, tmp_path: Path) -> None:
    other = tmp_path / "shelf2"  # its name begins with that of the folder
    other.mkdir()
    (other / "four.txt").write_text("The fourth book. It is elsewhere.")
    alexandria("ingest", other, "--store", tmp_path / "lib")
    (other / "four.txt").unlink()
    assert [line for line in sync(shelf) if "sync" in line] == []
    shutil.move(shelf / "one.txt", tmp_path / "one.txt")
    for name in ("two.txt", "three.txt"):
        (shelf / name).unlink()
    (shelf / "new.lit").touch()
    done = alexandria("ingest", shelf, "--sync", "--store", tmp_path / "lib")
    assert done.returncode == 2
    assert len(books(shelf)) == 4
    done = alexandria("ingest", tmp_path / "one.txt", "--sync", "--store", tmp_path / "lib")
    assert (done.returncode, "not a folder" in done.stderr) == (2, True)
    (shelf / "new.lit").unlink()
    for exists in (True, False):
        if not exists:
            shelf.rmdir()
        done = alexandria("ingest", shelf, "--sync", "--store", tmp_path / "lib")
        assert (done.returncode, "whether the drive is connected" in done.stderr) == (2, True)
        assert len(books(shelf)) == 4


def test_of_two_folders_an_empty_one_removes_nothing(shelf: Path, tmp_path: Path) -> None:
    drive = tmp_path / "drive"
    shutil.copytree(shelf, drive)
    (drive / "four.txt").write_text("The fourth book. It is on a drive.")
    alexandria("ingest", drive, "--store", tmp_path / "lib")
    shutil.rmtree(drive)
    drive.mkdir()  # as the place of a drive that is not connected
    done = alexandria("ingest", shelf, drive, "--sync", "--store", tmp_path / "lib")
    assert (done.returncode, f"cannot sync with {drive}" in done.stderr) == (2, True)
    assert "four.txt" in books(shelf)


def test_a_file_that_cannot_be_reached_is_not_gone(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lost, lstat = shelf / "one.txt", os.lstat
    lost.rename(shelf.parent / "one.txt")

    def broken(path: str) -> os.stat_result:
        if path == str(lost):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return lstat(path)

    monkeypatch.setattr("os.lstat", broken)
    assert [line for line in sync(shelf) if "sync" in line] == []
    monkeypatch.undo()
    assert [line["sync"]["action"] for line in sync(shelf) if "sync" in line] == ["removed"]


def test_a_watched_file_counts_as_gone_at_the_second_poll(tmp_path: Path) -> None:
    book = tmp_path / "a.txt"
    book.write_text("one")
    gone: list[int] = []
    polls = 0

    def stopped() -> bool:
        nonlocal polls
        polls += 1
        if polls == 3:
            book.rename(tmp_path / "b.txt")
        return polls > 7

    arrived = arrivals([tmp_path], stopped, period=0, on_gone=lambda: gone.append(polls))
    assert [[path.name for path in files] for files in arrived] == [["a.txt"], ["b.txt"]]
    assert gone == [4]


class FailingLibrary:
    """Plans to remove two books, and fails at the second."""

    def __init__(self) -> None:
        self.n_taken = 0

    def plan_sync(self, folders: object, files: object) -> list[Step]:
        return [Step(record(title), moved_to=None) for title in ("One", "Two")]

    def take_step(self, step: Step) -> None:
        if self.n_taken:
            raise ConfigError("cannot remove Two", why="its record is damaged")
        self.n_taken += 1


def test_an_error_after_a_removal_is_not_reported_as_if_nothing_were_removed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot remove Two"):
        _sync_folders(cast(Library, FailingLibrary()), [tmp_path], json=False)
