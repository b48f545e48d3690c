"""`--wait`, and several commands at once on one library."""

import os
import time
from pathlib import Path

import pytest

from alexandria.chunking.domains import load_domain
from alexandria.library.library import Library
from tests.command import alexandria
from tests.conftest import ROOT
from tests.forks import Forked
from tests.store.crash import NEW, write_books

SEARCH = ("search", "lighthouse", "--mode", "bm25", "--json")


@pytest.fixture
def books(tmp_path: Path) -> list[Path]:
    books = write_books(tmp_path, n_books=2, n_words=600)
    books[0].write_text(books[0].read_text() + "\nThe last word is lighthouse.\n")
    return books


@pytest.fixture
def writer(tmp_path: Path, books: list[Path]) -> Library:
    """Return a library that this process keeps for writing; it has one book."""
    library = Library(tmp_path / "library")
    library.ingest(books[:1], options=NEW)
    return library


def start(*words: str | Path) -> Forked:
    """Start a command in a process of its own."""
    return Forked([*map(str, words)], env={**os.environ, "ALEXANDRIA_MODEL": "hashing"}, cwd=ROOT)


@pytest.mark.parametrize("by", ["option", "variable"])
def test_a_command_that_writes_waits_as_long_as_it_is_told(
    tmp_path: Path, books: list[Path], writer: Library, by: str
) -> None:
    where = ("--store", tmp_path / "library")
    wait, env = (("--wait", "0.3"), {}) if by == "option" else ((), {"ALEXANDRIA_WAIT": "0.3"})
    with writer:
        began = time.monotonic()
        refused = alexandria("ingest", books[1], *where)
        at_once, began = time.monotonic() - began, time.monotonic()
        late = alexandria("ingest", books[1], *where, *wait, env=env)
        waited = time.monotonic() - began
    for done in (refused, late):
        assert done.returncode == 5
        assert f"(pid {os.getpid()}) has had it open since" in done.stderr
        assert "fix: wait for it: --wait SECONDS" in done.stderr
    assert waited > max(0.3, at_once)
    assert alexandria("list", *where).stdout.count("\n") == 1


def test_a_command_that_waits_says_for_whom_and_goes_on_when_the_other_ends(
    tmp_path: Path, books: list[Path], writer: Library
) -> None:
    with writer:
        process = start("ingest", books[1], "--store", tmp_path / "library", "--wait", "600")
        waiting = process.stderr.readline().decode()
    _, errors = process.communicate()
    assert waiting.startswith("waiting for ")
    assert f"(pid {os.getpid()}), which has the library open" in waiting
    assert process.returncode == 0, errors
    assert alexandria("list", "--store", tmp_path / "library").stdout.count("\n") == 2


def test_a_command_that_reads_waits_while_a_book_is_written(tmp_path: Path, writer: Library) -> None:
    search = (*SEARCH, "--store", tmp_path / "library")
    with writer:
        with writer.create(load_domain(options=NEW)).write_lock():
            listed = alexandria("list", "--store", tmp_path / "library", "--wait", "0")  # from the catalog
            refused = alexandria(*search, "--wait", "0.2")
            process = start(*search)
            waiting = process.stderr.readline().decode()
        output, errors = process.communicate()
        assert (listed.returncode, listed.stderr) == (0, "")
        assert (refused.returncode, "is in use" in refused.stderr) == (5, True)
        assert waiting.startswith("waiting for ")
        assert (process.returncode, errors) == (0, b"")
        assert output.decode() == alexandria(*search).stdout != ""


def test_of_searches_at_once_none_fails(tmp_path: Path, writer: Library) -> None:
    """Neither without a writer, when each may find the library opened or closed, nor beside one."""
    where = ("--store", tmp_path / "library")
    with writer:
        alone = alexandria(*SEARCH, *where).stdout
        beside = [start(*SEARCH, *where) for _ in range(2)]
        outputs = [process.communicate()[0].decode() for process in beside]
    assert outputs == [alone] * 2
    for _ in range(3):
        processes = [start(*SEARCH, *where) for _ in range(4)]
        for process in processes:
            output, errors = process.communicate()
            assert (process.returncode, errors) == (0, b"")
            assert output.decode() == alone
