"""The locks on a library: of two processes one must not disturb the other, and no thread waits for itself."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import alexandria
from alexandria.errors import StoreError
from alexandria.store import open_store
from alexandria.store.lock import OWNER, ReadWriteLock, is_locked, read_owner, require_lock, take_lock
from tests.conftest import ROOT
from tests.forks import Forked
from tests.store.crash import NEW, check_complete, contents, write_books
from tests.store.examples import BINDING

KINDS = {"edge": "", "local": "local:"}
FOLDERS = {"edge": "library/books", "local": "library"}


def start_ingest(books: list[Path], address: str) -> Forked:
    """Start to ingest the books in a process of its own."""
    settings = [word for name, value in NEW.items() for word in ("--set", f"{name}={value}")]
    words = ["ingest", *map(str, books), "--store", address, *settings]
    return Forked(words, env=os.environ, cwd=ROOT, prints=subprocess.DEVNULL)


def wait_for_owner(folder: Path, pid: int) -> None:
    """Return once this process has the folder open."""
    deadline = time.monotonic() + 300  # a busy machine takes a minute to start Python and load the engine
    while (owner := read_owner(folder)) is None or owner.pid != pid:
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.mark.parametrize("kind", KINDS)
def test_many_refused_opens_leave_a_running_ingest_alone(tmp_path: Path, kind: str) -> None:
    books = write_books(tmp_path, n_books=10, n_words=1000)
    address = f"{KINDS[kind]}{tmp_path / 'library'}"
    process = start_ingest(books, address)
    wait_for_owner(tmp_path / FOLDERS[kind], process.pid)
    for _ in range(40):
        with pytest.raises(StoreError, match=rf"\(pid {process.pid}\) has had it open since 20\d\d-"):
            open_store(address, "books", None)
        time.sleep(0.002)
    assert process.poll() is None, "the ingest ended before the opens did"
    assert process.wait() == 0
    alone = start_ingest(books, f"{KINDS[kind]}{tmp_path / 'alone' / 'library'}")
    assert alone.wait() == 0
    disturbed, undisturbed = (
        open_store(f"{KINDS[kind]}{place / 'library'}", "books", None)
        for place in (tmp_path, tmp_path / "alone")
    )
    check_complete(disturbed, swept=False)
    assert contents(disturbed) == contents(undisturbed) != []


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_process_leaves_no_lock(tmp_path: Path, kind: str) -> None:
    address = f"{KINDS[kind]}{tmp_path / 'library'}"
    process = start_ingest(write_books(tmp_path), address)
    wait_for_owner(tmp_path / FOLDERS[kind], process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    store = open_store(address, "books", None)
    owner = read_owner(tmp_path / FOLDERS[kind])
    assert owner is not None
    assert owner.pid == os.getpid()
    store.close()
    assert read_owner(tmp_path / FOLDERS[kind]) is None


def test_a_lock_that_is_dropped_is_released(tmp_path: Path) -> None:
    lock = take_lock(tmp_path)
    assert lock is not None
    assert take_lock(tmp_path) is None
    del lock
    require_lock(tmp_path).release()


def test_an_open_that_fails_leaves_no_lock(tmp_path: Path) -> None:
    for kind, prefix in KINDS.items():
        address = f"{prefix}{tmp_path / kind / 'library'}"
        open_store(address, "books", BINDING).close()
        inside = {"edge": "books/points/edge_config.json", "local": "meta.json"}[kind]
        (tmp_path / kind / "library" / inside).write_text("{")
        for _ in range(2):
            with pytest.raises(Exception) as caught:  # noqa: PT011  # whatever the engine makes of it
                open_store(address, "books", None).count()
            assert "in use" not in str(caught.value)


def test_only_the_user_can_read_who_has_the_library_open(tmp_path: Path) -> None:
    lock = require_lock(tmp_path)
    assert (tmp_path / OWNER).stat().st_mode & 0o777 == 0o600
    lock.release()


@pytest.mark.parametrize("kind", KINDS)
def test_a_library_opens_where_its_owner_cannot_be_written(tmp_path: Path, kind: str) -> None:
    address = f"{KINDS[kind]}{tmp_path / 'library'}"
    alexandria.ingest(write_books(tmp_path, n_books=1, n_words=300), store=address, options=NEW)
    (tmp_path / FOLDERS[kind] / "owner.json.new").mkdir()  # as on a full disk, nothing can be written there
    with alexandria.open(address) as library:
        assert library.books()
        assert read_owner(tmp_path / FOLDERS[kind]) is None


def test_a_killed_owner_is_not_named_where_the_new_one_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / OWNER).write_text(
        '{"pid": 7, "host": "elsewhere", "command": "ingest", "since": "2026-01-01"}'
    )
    (tmp_path / "owner.json.new").mkdir()
    lock = require_lock(tmp_path)
    assert read_owner(tmp_path) is None
    lock.release()


def test_the_owner_is_named_by_a_command_that_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/alexandria", "ingest", "two words.epub"])
    lock = require_lock(tmp_path)
    owner = read_owner(tmp_path)
    lock.release()
    assert owner is not None
    assert owner.command == "alexandria ingest 'two words.epub'"


@pytest.mark.parametrize(
    ("number", "fix"),
    [
        (errno.EACCES, "get the right to write the folder"),
        (errno.EROFS, "get the right to write the folder"),
        (errno.ENOSPC, "free some disk space"),
        (errno.EMFILE, "raise the limit of open files"),
        (errno.ENOENT, "check that the folder still exists"),
    ],
    ids=lambda value: errno.errorcode.get(value, "") if isinstance(value, int) else "",
)
def test_a_lock_file_that_cannot_be_opened_is_refused_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, fix: str
) -> None:
    def fail(*arguments: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        with pytest.raises(StoreError) as caught:
            take_lock(tmp_path)
    assert caught.value.fix.startswith(fix)


def test_a_folder_without_locks_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def unsupported(descriptor: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    with pytest.raises(StoreError, match="no locks") as caught:
        open_store(str(tmp_path / "library"), "books", BINDING)
    assert "local disk" in caught.value.fix
    with pytest.raises(StoreError, match="no locks"):
        is_locked(tmp_path / "library" / "books")


def test_readers_read_together() -> None:
    lock, together = ReadWriteLock(), threading.Barrier(3, timeout=20)

    def read() -> None:
        with lock.read_lock():
            together.wait()

    with ThreadPoolExecutor(3) as threads:
        for reader in [threads.submit(read) for _ in range(3)]:
            reader.result()


@pytest.mark.parametrize("parallel_reads", [True, False])
def test_a_change_is_seen_whole(parallel_reads: bool) -> None:
    lock, values = ReadWriteLock(parallel_reads=parallel_reads), [0, 0]

    def change() -> None:
        for _ in range(200):
            with lock.write_lock():
                values[0] += 1
                time.sleep(0)
                values[1] += 1

    def read() -> None:
        for _ in range(200):
            with lock.read_lock(), lock.read_lock():
                assert values[0] == values[1]

    with ThreadPoolExecutor(5) as threads:
        for thread in [threads.submit(work) for work in (change, read, read, change, read)]:
            thread.result()
    assert values == [400, 400]


def test_a_waiting_change_goes_before_readers_that_come_later_but_a_nested_read_goes_on() -> None:
    lock, order = ReadWriteLock(), []

    def change() -> None:
        with lock.write_lock():
            order.append("change")

    def read() -> None:
        with lock.read_lock():
            order.append("late reader")

    with ThreadPoolExecutor(2) as threads:
        with lock.read_lock():
            changed = threads.submit(change)
            while not lock._n_waiting:
                time.sleep(0.001)
            late = threads.submit(read)
            with lock.read_lock():
                order.append("nested")
        changed.result()
        late.result()
    assert order == ["nested", "change", "late reader"]


def test_a_change_contains_reads_and_changes_but_a_read_no_change() -> None:
    lock = ReadWriteLock()
    with lock.write_lock(), lock.read_lock(), lock.write_lock():
        pass
    with lock.read_lock(), pytest.raises(RuntimeError, match="cannot change"), lock.write_lock():
        pass
    with lock.write_lock():
        pass
