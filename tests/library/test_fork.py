"""A library that is open when its process forks: as with gunicorn --preload, or multiprocessing by fork."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from alexandria import Library
from tests.conftest import SAMPLES

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

SCRIPT = """
import os, sys
from alexandria import Library

def ask(library):
    return [hit.short_id for hit in library.search("how bees tell each other of flowers", limit=3)]

with Library(sys.argv[1]) as library:
    expected = ask(library)
    child = os.fork()
    if not child:
        assert ask(library) == expected
        sys.exit(0)  # with all that is freed at the end of a process
    assert os.waitpid(child, 0)[1] == 0
    assert ask(library) == expected  # what the child closed was its own
    second = os.fork()
    if not second:
        other = "import sys; from alexandria import Library; Library(sys.argv[1]).search('bees')"
        os.execv(sys.executable, [sys.executable, "-c", other, sys.argv[1]])  # it reads through the parent
    assert os.waitpid(second, 0)[1] == 0
with Library(sys.argv[1]) as library:
    assert ask(library) == expected
print("as before")
"""


def assert_answers_after_fork(folder: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.endswith("as before\n"), done.stderr


def test_a_forked_process_opens_the_library_again(tmp_path: Path) -> None:
    with Library(tmp_path) as library:
        library.ingest(SAMPLES / "the-quiet-trades.epub", options={"model": "hashing"})
    assert_answers_after_fork(tmp_path)


@pytest.mark.model
def test_a_forked_process_loads_the_model_again(tmp_path: Path) -> None:
    with Library(tmp_path) as library:
        library.ingest(SAMPLES / "gull-rock.txt")
    assert_answers_after_fork(tmp_path)
