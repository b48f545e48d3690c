"""Six killed ingests into each kind of folder, and a reader; `python -m tests.store.crash` does more."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from alexandria import Library
from alexandria.store import open_store
from tests.command import alexandria
from tests.conftest import ROOT
from tests.store.crash import (
    CLASSES,
    MODULES,
    NEW,
    OLD,
    PREFIXES,
    check_complete,
    die_at,
    in_fork,
    ingest,
    ingest_until,
    write_books,
)


@pytest.mark.parametrize("kind", PREFIXES)
def test_an_ingest_killed_at_any_moment_leaves_every_book_complete(kind: str) -> None:
    command = [sys.executable, "-m", "tests.store.crash", "--kind", kind, "--runs", "6", "--seed", "3"]
    command += ["--readers", "1"]
    # In a process of its own: it forks, and must not fork the engine's threads of other tests.
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "every book complete" in done.stdout


@pytest.mark.parametrize("kind", PREFIXES)
@pytest.mark.parametrize("is_new", [True, False], ids=["new", "replaced"])
def test_verify_names_an_ingest_that_was_killed_and_finds_no_error(
    tmp_path: Path, kind: str, is_new: bool
) -> None:
    books = write_books(tmp_path, n_books=2, n_words=600)
    address = f"{PREFIXES[kind]}{tmp_path / 'library'}"
    store = getattr(import_module(MODULES[kind]), CLASSES[kind])
    in_fork(lambda: ingest(books[:1], address, OLD))
    killed = books[1:] if is_new else books[:1]
    # The steps before: the generation is noted as pending, and its points are written.
    assert not in_fork(lambda: ingest_until(store, 2, 0, killed, address, NEW))
    verified = alexandria("verify", "--store", address)
    title = "book1" if is_new else "book0"
    sentence = f"an ingest of “{title}” was interrupted; the next one removes what it left"
    assert verified.stderr.splitlines()[0] == sentence
    assert verified.returncode == 0
    in_fork(lambda: ingest(killed, address, NEW))
    assert "interrupted" not in alexandria("verify", "--store", address).stderr


def _remove(address: str) -> None:
    with Library(address) as library:
        library.remove("book0")


def _repair(address: str) -> None:
    with Library(address) as library:
        assert len(library.repair().mended) == 2


def _repair_rest(address: str) -> None:
    with Library(address) as library:
        library.repair()


def _lose_chunks(address: str) -> None:
    store = open_store(address, "books", None)
    store.delete({"chunk_id": [1]})
    store.close()


def _find(address: str) -> None:
    with Library(address) as library:
        assert not library.find("whatever stands in no book").n_places


@pytest.mark.parametrize("kind", PREFIXES)
@pytest.mark.parametrize("work", [_remove, _repair, _find])
def test_what_is_killed_at_any_step_leaves_no_letters_of_a_book_that_is_not_there(
    tmp_path: Path, kind: str, work: Callable[[str], None]
) -> None:
    books = write_books(tmp_path, n_books=2, n_words=600)
    store = getattr(import_module(MODULES[kind]), CLASSES[kind])
    before, folder = tmp_path / "before", tmp_path / "library"
    in_fork(lambda: ingest(books, f"{PREFIXES[kind]}{before}", OLD))
    if work is not _remove:  # as another version has left them
        for file in before.rglob("*.letters"):
            file.write_bytes(b"{}")
    if work is _repair:
        in_fork(lambda: _lose_chunks(f"{PREFIXES[kind]}{before}"))

    def killed() -> None:
        die_at(store, step)
        work(f"{PREFIXES[kind]}{folder}")

    def check() -> None:
        if work is _repair:
            _repair_rest(f"{PREFIXES[kind]}{folder}")
        for swept in (False, True):
            opened = open_store(f"{PREFIXES[kind]}{folder}", "books", None)
            check_complete(opened, swept=swept)
            opened.close()

    for number in range(20):
        step = number
        shutil.copytree(before, folder)
        finished = in_fork(killed)
        in_fork(check)
        shutil.rmtree(folder)
        if finished:
            break
    assert finished
    assert step >= 2
