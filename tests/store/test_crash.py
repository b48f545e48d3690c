"""Ten killed ingests into each kind of folder, and a reader; `python -m tests.store.crash` does more."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.store.crash import PREFIXES


@pytest.mark.parametrize("kind", PREFIXES)
def test_an_ingest_killed_at_any_moment_leaves_every_book_complete(kind: str) -> None:
    command = [sys.executable, "-m", "tests.store.crash", "--kind", kind, "--runs", "10", "--seed", "3"]
    command += ["--readers", "1"]
    # In a process of its own: it forks, and must not fork the engine's threads of other tests.
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "every book complete" in done.stdout
