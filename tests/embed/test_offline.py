"""Nothing phones home: no process of any command tries to connect, not even where the model is converted."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from alexandria.cli import app
from tests.conftest import SAMPLES

BOOK = str(SAMPLES / "winterapfel.txt")
OTHER = str(SAMPLES / "gull-rock.txt")

# In this order, in an empty folder: later ones need what earlier ones have stored. Left out by nature:
# --watch, which does not end, --ray and a library at http://, which are there to connect.
WITH_THE_MODEL = (
    ("ingest", str(SAMPLES)),  # a book of each format
    ("ingest", BOOK, "--set", "backend=torch", "--force", "--no-cache"),
    ("ingest", BOOK, "--dry-run"),
    ("inspect", BOOK, "--json"),
    ("inspect", BOOK, "--html", "cuts.html"),
    ("inspect", BOOK, "--compare", "percentile,optimal"),
    ("search", "what is it about"),
)
WITHOUT = (
    ("--version",),
    ("inspect", "--store", "winterapfel"),
    ("extract", BOOK, "--json"),
    ("explain", "winterapfel", "0"),
    ("list",),
    ("show", "winterapfel"),
    ("verify",),
    ("export", "books.jsonl"),
    *([("export", "books.parquet")] if find_spec("pyarrow") else []),
    ("copy", "--to", "copied"),
    ("remove", "winterapfel"),
    ("domains", "list"),
    ("domains", "show", "history", "--origin"),
    ("domains", "init", "mine"),
    ("tune", BOOK, OTHER, "--settings", "2"),
    ("review", BOOK),  # nobody types: it ends as if with q
    ("evaluate", "boundaries", BOOK, "--documents", "1", "--chart", "f1.html"),
    ("evaluate", "retrieval", BOOK, "--mode", "hybrid"),
    ("evaluate", "quality", BOOK),
    ("cache", "info"),
    ("cache", "clear"),
)

# Loaded by every Python process before anything else: a connection is noted, then refused.
_GUARD = """
import os, socket, sys

SENDING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
RESOLVING = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}

def refuse(event, args):
    if event in RESOLVING or event in SENDING and args[0].family != socket.AF_UNIX:
        with open(os.environ["TRIED"], "a") as log:
            print(sys.orig_argv, event, args, file=log)
        raise ConnectionRefusedError(f"no network in this test: {args}")

sys.addaudithook(refuse)
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
        "XDG_CONFIG_HOME": str(home / "config"),
        "ALEXANDRIA_CACHE": str(home / "cache"),  # empty: the model is converted in the first command
        "PYTHONPATH": str(home / "guard"),
        "TRIED": str(home / "tried.txt"),
    }
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "ALEXANDRIA_"))}
    return {**kept, **own}


def alexandria(
    environment: dict[str, str], *words: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "alexandria", *words]
    return subprocess.run(
        command,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_command_tries_to_connect(closed: dict[str, str], tmp_path: Path) -> None:
    hashing = {**closed, "ALEXANDRIA_MODEL": "hashing"}
    tried = Path(closed["TRIED"])
    for environment, commands in ((closed, WITH_THE_MODEL), (hashing, WITHOUT)):
        for words in commands:
            done = alexandria(environment, *words, folder=tmp_path)
            assert done.returncode == 0, (words, done.stderr)
            assert not tried.exists(), (words, tried.read_text())


def names(command: object, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command below this one, as ("cache", "info")."""
    if not isinstance(command, TyperGroup):
        yield words
        return
    for name, below in command.commands.items():
        yield from names(below, (*words, name))


def test_no_command_is_forgotten() -> None:
    registered = set(names(typer.main.get_command(app)))
    run = {words[:n] for words in (*WITH_THE_MODEL, *WITHOUT) for n in (1, 2)}
    assert ("cache", "info") in registered
    assert registered <= run, registered - run


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import urllib.request as u; u.urlopen('http://127.0.0.1:9/')", id="http"),
        pytest.param("s.socket(type=s.SOCK_DGRAM).sendto(b'', ('127.0.0.1', 9))", id="datagram"),
        pytest.param("s.socket().connect_ex(('127.0.0.1', 9))", id="quiet connect"),
        pytest.param("s.gethostbyname_ex('127.0.0.1')", id="look up"),
    ],
)
def test_the_guard_notices_a_connection(closed: dict[str, str], tmp_path: Path, code: str) -> None:
    environment = {**closed, "TRIED": str(tmp_path / "tried.txt")}
    command = [sys.executable, "-c", f"import socket as s; {code}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "no network in this test" in done.stderr
    assert "127.0.0.1" in (tmp_path / "tried.txt").read_text()


def test_a_model_of_the_hub_is_refused_by_name_without_a_network(
    closed: dict[str, str], tmp_path: Path
) -> None:
    environment = {**closed, "TRIED": str(tmp_path / "tried.txt")}
    done = alexandria(environment, "inspect", BOOK, "--set", "model=nobody/no-such-model")
    assert done.returncode == 2
    assert "nobody/no-such-model" in done.stderr
