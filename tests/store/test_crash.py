"""Ten kills of each kind; `python -m tests.store.crash --runs 200` does more."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.store.crash import PREFIXES


@pytest.mark.parametrize("kind", PREFIXES)
def test_an_ingest_killed_at_any_moment_leaves_each_book_whole(kind: str) -> None:
    command = [sys.executable, "-m", "tests.store.crash", "--kind", kind, "--runs", "10", "--seed", "3"]
    # A process of its own: it forks, and the engine's threads of other tests must not be forked along.
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "all whole" in done.stdout
