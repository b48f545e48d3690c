"""What a command imports before it does anything: each module is time that somebody waits."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import alexandria
from tests.conftest import SAMPLES

SCRIPT = """
import atexit, sys
from alexandria.doors.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main()
"""


@pytest.mark.parametrize(
    ("command", "at_most", "without"),
    [
        (["--help"], 190, ["rich", "numpy"]),
        (["list"], 345, ["numpy", "alexandria.extract.one_file", "alexandria.embed", "yaml", "lxml"]),
        (
            ["show", "trades"],
            360,
            ["numpy", "alexandria.extract.one_file", "alexandria.embed", "yaml", "lxml"],
        ),
        (["search", "bees"], 560, ["alexandria.extract.one_file", "openvino", "lxml"]),
    ],
    ids=["help", "list", "show", "search"],
)
def test_a_command_imports_no_more_than_it_needs(
    command: list[str], at_most: int, without: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALEXANDRIA_MODEL", "hashing")
    monkeypatch.setenv("ALEXANDRIA_STORE", str(tmp_path / "library"))
    alexandria("ingest", str(SAMPLES / "the-quiet-trades.epub"))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *command], capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "alexandria.doors.cli" in loaded
    assert loaded.isdisjoint([*without, "alexandria.lab.command"])  # a command of its own
    assert len(loaded) <= at_most
