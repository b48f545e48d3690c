"""Six killed ingests into each kind of folder, and a reader; `python -m tests.store.crash` does more."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.command import alexandria
from tests.conftest import ROOT
from tests.store.crash import CLASSES, MODULES, NEW, OLD, PREFIXES, in_fork, ingest, ingest_until, write_books


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
