"""`alexandria status`: who writes, how far it is, what failed, and what a library holds."""

import json
import os
import re
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from alexandria.chunking.domains import load_domain
from alexandria.library.ingest.options import RunOptions
from alexandria.library.ingest.outcome import Outcome, Status
from alexandria.library.ingest.pace import Pace
from alexandria.library.ingest.progress import Progress, ProgressFile, read_progress
from alexandria.library.library import Library
from alexandria.library.location import progress_path
from tests.command import alexandria
from tests.store.crash import NEW, write_books
from tests.store.fake_server import FakeServer
from tests.store.test_lock import KINDS, start_ingest


def status(where: str) -> dict[str, object]:
    done = alexandria("status", "--store", where, "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, object] = json.loads(done.stdout)
    return document


@pytest.mark.parametrize("kind", KINDS)
def test_a_running_ingest_is_shown_with_how_far_it_is(tmp_path: Path, kind: str) -> None:
    where = f"{KINDS[kind]}{tmp_path / 'library'}"
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    books = [empty, *write_books(tmp_path, n_books=3, n_words=300)]
    with Library(where) as library:
        run = library.ingest_files(books, load_domain(options=NEW), RunOptions(workers=0, cache=False))
        outcomes = [next(run), next(run)]
        assert [outcome.status for outcome in outcomes] == ["failed", "ingested"]
        shown = alexandria("status", "--store", where).stdout
        assert f"(pid {os.getpid()}) has been writing since 20" in shown
        assert re.search(r"\n2 of 4 files done, 30\d words embedded", shown)
        assert "1 failed: empty.txt" in shown
        assert "\n1 book, " in shown
        document = status(where)
        assert document["owner"]["pid"] == os.getpid()  # type: ignore[index]  # a document
        going = document["run"]
        assert isinstance(going, dict)
        assert (going["running"], going["files"], going["done"], going["failed"]) == (True, 4, 2, 1)
        assert going["failed_files"] == [str(empty)]
        assert going["seconds_left"] is None  # in the first seconds, it is not known
        list(run)
    shown = alexandria("status", "--store", where).stdout
    assert shown.startswith("no other program is using the library\n3 books, ")
    assert "1 file could not be read:\n      empty  " in shown
    assert status(where)["run"] is None


def test_a_killed_ingest_is_shown_as_killed_and_resumes(tmp_path: Path) -> None:
    where = str(tmp_path / "library")
    process = start_ingest(write_books(tmp_path, n_books=16, n_words=500), where)
    file = progress_path(where, "books")
    assert file is not None
    while not file.exists() or json.loads(file.read_text())["n_done"] < 2:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    shown = alexandria("status", "--store", where).stdout
    assert "no other program is using the library\nthe ingest begun at 20" in shown
    assert "of 16 files: run it again to resume" in shown
    with Library(where) as library:
        library.ingest(tmp_path, options=NEW)
    assert "was killed" not in alexandria("status", "--store", where).stdout


@pytest.mark.parametrize("kind", KINDS)
def test_it_prints_the_path_that_store_takes(tmp_path: Path, kind: str) -> None:
    where = f"{KINDS[kind]}{tmp_path / 'library'}"
    for collection in ("books", "drafts"):
        with Library(where, collection) as library:
            library.ingest(write_books(tmp_path, n_books=1, n_words=50), options=NEW)
        options = () if collection == "books" else ("--collection", collection)
        shown = alexandria("status", "--store", where, *options).stdout
        named = re.search(r" MB in (\S+?)(?:, collection (\S+))?\n", shown)
        assert named is not None
        assert (named[1], named[2]) == (where, None if collection == "books" else collection)
        with Library(named[1], named[2] or "books") as library:
            assert len(library.books()) == 1
    assert (status(where)["store"], status(where)["collection"]) == (where, "books")


def test_it_prints_the_address_of_a_server(tmp_path: Path) -> None:
    with FakeServer() as server:
        with Library(server.url) as library:
            library.ingest(write_books(tmp_path, n_books=1, n_words=50), options=NEW)
        assert f" words in {server.url}\n" in alexandria("status", "--store", server.url).stdout


def test_a_process_that_reads_is_shown(tmp_path: Path) -> None:
    where = str(tmp_path / "library")
    with Library(where) as library:
        library.ingest(write_books(tmp_path, n_words=300), options=NEW)
    with Library(where) as library:
        assert len(library.books()) == 2
        assert (
            f"(pid {os.getpid()}) has had the library open since 20"
            in alexandria("status", "--store", where).stdout
        )


def test_there_is_no_status_without_a_library(tmp_path: Path) -> None:
    done = alexandria("status", "--store", tmp_path / "none")
    assert done.returncode == 5
    assert "there is no library" in done.stderr


def test_the_time_left_is_told_by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text that is left has fewer bytes than the stored PDF, and twice its words."""
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    files = [tmp_path / "first.txt", tmp_path / "stored.pdf", tmp_path / "left.txt"]
    for file, n_bytes in zip(files, (500, 400_000, 100_000), strict=True):
        file.write_bytes(bytes(n_bytes))
    pace = Pace(files, clock[0])
    with ProgressFile(tmp_path / "progress.json", pace, n_books=7) as written:
        begun = read_progress(tmp_path / "progress.json")
        assert begun is not None
        assert begun.n_books == 7
        for file, n_words in zip(files, (85, 8_500), strict=False):
            clock[0] += 10
            written.finished(Outcome(file, Status.INGESTED, n_words=n_words), n_books=1)
        progress = read_progress(tmp_path / "progress.json")
    assert progress is not None
    assert progress.left == pace.seconds_left(clock[0]) == pytest.approx(20.0)


def test_the_time_left_passes_between_two_books() -> None:
    updated = datetime(2026, 1, 1, tzinfo=UTC)
    progress = Progress(
        pid=1, host="h", command="c", began="", updated=updated.isoformat(), n_files=3, left=50.0
    )
    assert progress.seconds_left(updated + timedelta(seconds=20)) == 30.0
    assert progress.seconds_left(updated + timedelta(seconds=70)) == 0.0
