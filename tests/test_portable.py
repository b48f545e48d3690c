"""Books are read where the modules and signals of Unix are missing, and output is printed in any encoding."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, SAMPLE_BOOKS, SAMPLES

# What Windows does not have. Python runs a module of this name when it starts, so the readers lack it too.
SITECUSTOMIZE = """
import os, signal, sys
for name in ("resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("SIGALRM", "SIGXCPU", "SIGHUP", "setitimer", "ITIMER_REAL", "pthread_sigmask"):
    delattr(signal, name)
del os.sched_getaffinity, os.getuid, os.fork
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which Python has only what every system has."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT))),
        "ALEXANDRIA_MODEL": "hashing",
        "ALEXANDRIA_STORE": ":memory:",  # a folder is locked, by a module of Unix or of Windows
        "ALEXANDRIA_CACHE": str(folder / "cache"),
    }


def run(environ: dict[str, str], *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "alexandria", *map(str, words)]
    return subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", check=False)


def test_books_are_read_and_stored_without_the_modules_of_unix(elsewhere: dict[str, str]) -> None:
    done = run(elsewhere, "ingest", SAMPLES, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["summary"]["ingested"] == len(SAMPLE_BOOKS)


def test_a_file_that_takes_too_long_is_ended_without_the_limits_of_unix(
    elsewhere: dict[str, str], tmp_path: Path
) -> None:
    book = tmp_path / "long.txt"
    book.write_text("It rained all day over the town, and nobody went out.\n\n" * 400_000)
    script = f"""
from pathlib import Path
from alexandria.extract.options import ReadOptions
from alexandria.extract.isolated import process
from alexandria.extract.isolated.limits import Limits
process._START_SECONDS = 2
limits = Limits(seconds=.01, seconds_per_mib=.001)
try:
    process.IsolatedReader(limits).read(Path({str(book)!r}), ReadOptions())
except Exception as error:
    print(error.code, error.why)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], env=elsewhere, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("timeout reading it takes more than"), done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_output_into_a_file_is_utf_8_whatever_the_system_prefers(
    elsewhere: dict[str, str], encoding: str
) -> None:
    environ = {**elsewhere, "PYTHONIOENCODING": encoding}
    done = run(environ, "inspect", SAMPLES / "winterapfel.txt", "--strategy", "universal-semantic")
    assert done.returncode == 0, done.stderr
    assert "╌" in done.stdout
    document = json.loads(run(environ, "extract", SAMPLES / "winterapfel.txt", "--json").stdout)
    assert "ä" in json.dumps(document, ensure_ascii=False)
