"""The inspect view of each sample as tmux captures it, at 80 and 140 columns (`GOLDEN=write` rewrites)."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import forks
from tests.command import alexandria
from tests.conftest import ROOT, SAMPLE_BOOKS, SAMPLES

GOLDEN = ROOT / "tests" / "golden" / "inspect"
# The other formats show nothing that these do not.
BOOKS = [path.name for path in SAMPLE_BOOKS if path.suffix in (".docx", ".epub", ".pdf", ".txt")]
# The views beside the whole book, on the sample that has most to show.
VIEWS = {
    "chunk": ("the-quiet-trades.epub", "--chunk", "3"),
    "around": ("the-quiet-trades.epub", "--around", "30"),
    "chapter": ("the-quiet-trades.epub", "--chapter", "mill"),
    "compare": ("the-quiet-trades.epub", "--compare", "universal-semantic,optimal,percentile"),
    "all-gaps": ("winterapfel.txt", "--all-gaps"),
}
CASES = {**{name: (name,) for name in BOOKS}, **VIEWS}
EACH = [pytest.param(name, marks=pytest.mark.annex if name.endswith(".docx") else ()) for name in CASES]
ENVIRONMENT = {"ALEXANDRIA_MODEL": "hashing", "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[list[str]]:
    """The beginning of a call of a tmux server of its own; skips where there is no tmux."""
    if shutil.which("tmux") is None:
        pytest.skip("there is no tmux on this machine")
    call = ["tmux", "-S", str(tmp_path / "socket"), "-f", "/dev/null", "-u"]
    yield call
    subprocess.run([*call, "kill-server"], capture_output=True, check=False)


def capture(terminal: list[str], words: tuple[str, ...], columns: int) -> list[str]:
    """Return what a terminal of this many columns shows when the command has ended."""
    assignments = " ".join(f"{key}={shlex.quote(value)}" for key, value in ENVIRONMENT.items())
    command = [sys.executable, "-S", forks.__file__, str(forks.fork_server()), "inspect", *words]
    done = f"{shlex.join(terminal)} wait-for -S done"
    shell = f"cd {SAMPLES} && env -u COLUMNS -u NO_COLOR {assignments} {shlex.join(command)}; {done}; cat"
    size = ["-x", str(columns), "-y", "500"]  # higher than any view of a sample
    environment = {**os.environ, "LANG": "C.UTF-8"}
    subprocess.run([*terminal, "new-session", "-d", *size, shell], check=True, env=environment)
    subprocess.run([*terminal, "wait-for", "done"], check=True, timeout=120)
    captured = subprocess.run([*terminal, "capture-pane", "-p"], check=True, capture_output=True, text=True)
    return lines_of(captured.stdout)


@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.parametrize("name", EACH)
def test_a_terminal_shows_what_it_did(name: str, columns: int, terminal: list[str]) -> None:
    shown = capture(terminal, CASES[name], columns)
    path = GOLDEN / f"{name}.{columns}.txt"
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(shown) + "\n", encoding="utf-8")
    assert shown == lines_of(path.read_text(encoding="utf-8"))
    assert max(map(len, shown)) <= columns


@pytest.mark.parametrize("name", EACH)
def test_a_file_gets_the_same_without_colour(name: str) -> None:
    done = alexandria("inspect", *CASES[name], cwd=SAMPLES, env={"COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert lines_of(done.stdout) == lines_of((GOLDEN / f"{name}.80.txt").read_text(encoding="utf-8"))
