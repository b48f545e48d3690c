"""Nothing phones home: no process of any command tries to connect, not even where the model is converted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"

# Loaded by every Python process before anything else: a connection is noted, then refused.
_GUARD = """
import os, socket

def refused(self, address, *rest):
    if self.family != socket.AF_UNIX:
        with open(os.environ["TRIED"], "a") as log:
            print(address, file=log)
        raise ConnectionRefusedError(f"no network in this test: {address}")

def unresolved(host, *rest, **named):
    with open(os.environ["TRIED"], "a") as log:
        print(host, file=log)
    raise socket.gaierror(f"no network in this test: {host}")

socket.socket.connect = socket.socket.connect_ex = refused
socket.getaddrinfo = socket.gethostbyname = unresolved
"""


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a new user without a network."""
    home = tmp_path_factory.mktemp("home")
    (home / "guard").mkdir()
    (home / "guard" / "sitecustomize.py").write_text(_GUARD)
    own = {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "ALEXANDRIA_CACHE": str(home / "cache"),  # empty: the model is converted in the first command
        "PYTHONPATH": str(home / "guard"),
        "TRIED": str(home / "tried.txt"),
    }
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "ALEXANDRIA_"))}
    return {**kept, **own}


def alexandria(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "alexandria", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_no_command_tries_to_connect(closed: dict[str, str]) -> None:
    book = str(next(SAMPLES.glob("*.txt")))
    for words in (
        ["ingest", book],
        ["ingest", book, "--set", "backend=torch", "--force", "--no-cache"],
        ["inspect", book, "--json"],
        ["extract", book, "--json"],
        ["search", "what is it about"],
        ["list"],
        ["cache", "info"],
    ):
        done = alexandria(closed, *words)
        assert done.returncode == 0, (words, done.stderr)
    tried = Path(closed["TRIED"])
    assert not tried.exists(), tried.read_text()


def test_the_guard_notices_a_connection(closed: dict[str, str], tmp_path: Path) -> None:
    code = "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')"
    environment = {**closed, "TRIED": str(tmp_path / "tried.txt")}
    subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert "127.0.0.1" in (tmp_path / "tried.txt").read_text()


def test_a_model_of_the_hub_is_refused_by_name_without_a_network(
    closed: dict[str, str], tmp_path: Path
) -> None:
    environment = {**closed, "TRIED": str(tmp_path / "tried.txt")}
    book = str(next(SAMPLES.glob("*.txt")))
    done = alexandria(environment, "inspect", book, "--set", "model=nobody/no-such-model")
    assert done.returncode == 2
    assert "nobody/no-such-model" in done.stderr
