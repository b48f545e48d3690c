"""Nothing phones home: no process of any command tries to connect, not even where the model is converted."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest
from typer.core import TyperGroup

from alexandria.doors.cli import program
from alexandria.embed.graph.blueprint import Kind
from tests.command import alexandria
from tests.conftest import ROOT, SAMPLES
from tests.embed.needs import needs_torch
from tests.embed.tiny import write_model

BOOK = str(SAMPLES / "winterapfel.txt")
EPUB = str(SAMPLES / "the-quiet-trades.epub")
OTHER = str(SAMPLES / "gull-rock.txt")
HIT = f"{sha256(Path(EPUB).read_bytes()).hexdigest()[:8]}-400"

# In this order, in an empty folder: later ones need what earlier ones have stored. Left out by nature:
# --watch, which does not end, --ray and a library at http://, which are there to connect. The model embeds
# a few sentences; a book of each format is read without it, in a library of its own.
SHORT = "short.txt"
WITH_THE_MODEL = (
    ("ingest", SHORT, "--model", "all-MiniLM-L6-v2"),
    ("ingest", SHORT, "--dry-run"),
    ("inspect", SHORT, "--json"),
    ("inspect", SHORT, "--html", "cuts.html"),
    ("inspect", SHORT, "--compare", "percentile,optimal"),
    ("search", "what is it about"),
    ("models", "test", "all-MiniLM-L6-v2"),
)
WITH_TORCH = (
    ("ingest", BOOK, "--model", "all-MiniLM-L6-v2"),
    ("ingest", BOOK, "--set", "backend=torch", "--force", "--no-cache"),
)
"""In a process of its own: what loads torch may set it up for all that follows."""
WITHOUT = (
    ("--version",),
    ("ingest", str(SAMPLES)),  # a book of each format
    ("inspect", "winterapfel"),
    ("extract", BOOK, "--json"),
    ("list",),
    ("show", "winterapfel"),
    ("read", "winterapfel", "0"),
    ("find", "the first foragers leave it"),
    ("check", OTHER),
    ("open", HIT, "--print"),
    ("cite", HIT),
    ("mcp",),  # nobody asks: it ends at once
    ("verify",),
    ("status",),
    ("status", "--failures"),
    ("help", "ingest"),
    ("edit", "winterapfel", "--author", "Ida Marlow"),
    ("export", "books.jsonl"),
    *([("export", "books.parquet")] if find_spec("pyarrow") else []),
    ("copy", "--to", "copied"),
    ("backup", "books.zip"),
    ("restore", "books.zip", "--store", "restored"),
    ("remove", "winterapfel"),
    ("domains", "list"),
    ("domains", "show", "history", "--origin"),
    ("domains", "init", "mine"),
    ("tune", BOOK, OTHER, "--settings", "2"),
    ("evaluate", "boundaries", BOOK, "--documents", "1"),
    ("evaluate", "retrieval", BOOK, "--mode", "hybrid"),
    ("evaluate", "quality", BOOK),
    ("doctor",),
    ("schema", "search"),
    ("models", "list"),
    ("models", "calibrate", "tiny"),
    ("models", "install"),  # it is here, so that nothing is to be fetched
    ("cache", "info"),
    ("cache", "clear"),
)

APART = {("serve",), ("repair",)}
"""A command that runs until it is interrupted, and one that fails on a whole library: each has its test."""

# Loaded by every Python process before anything else: a connection is noted, then refused.
_GUARD = """
import os, socket, sys

SENDING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
RESOLVING = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}

def refuse(event, args):
    if event in RESOLVING or event in SENDING and args[0].family != socket.AF_UNIX:
        with open(os.environ["TRIED"], "a") as log:
            print(getattr(sys, "argv", sys.orig_argv), event, args, file=log)
        raise ConnectionRefusedError(f"no network in this test: {args}")

sys.addaudithook(refuse)
"""


# One process for many commands: Python and the libraries are started once. The guard is there before them.
_COMMANDS = """
import json, os, sys
from alexandria.library.ingest import estimate
from alexandria.doors.cli import main
from alexandria.embed.graph import measure

estimate.CALIBRATION_SECONDS = 0.1  # of one text again and again
measure._ROUNDS = (8,)  # likewise
for words in json.loads(sys.argv[1]):
    sys.argv = ["alexandria", *words]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, (words, end.code)
    assert not os.path.exists(os.environ["TRIED"]), (words, open(os.environ["TRIED"]).read())
    with open("ended.jsonl", "a") as log:
        print(json.dumps(words), file=log)
"""


# The libraries read the environment when they are imported: here no earlier than the model is loaded.
_LOAD = """
import os

def settings():
    names = ("HF_", "TOKENIZERS_", "TRANSFORMERS_")
    return {name: value for name, value in os.environ.items() if name.startswith(names)}

before = settings()
assert "HF_HUB_OFFLINE" not in before
from alexandria.embed import Backend, load_encoder
load_encoder(backend=Backend.TORCH).encode(["A text."])
assert settings() == before

from huggingface_hub import constants
from transformers.utils import logging
assert not constants.HF_HUB_OFFLINE
assert logging.is_progress_bar_enabled()

import sys
for stream in (sys.stdout, sys.stderr):
    print("loaded", file=stream, flush=True)
"""
_LOADED = "loaded"
"""Its first words: the libraries print nothing."""


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
        "PYTHONPATH": os.pathsep.join((str(home / "guard"), str(ROOT))),
        "TRIED": str(home / "tried.txt"),
    }
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "ALEXANDRIA_"))}
    return {**kept, **own}


def python(
    environment: dict[str, str], *words: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_command_tries_to_connect(closed: dict[str, str], tmp_path: Path) -> None:
    hashing = {**closed, "ALEXANDRIA_MODEL": "hashing", "ALEXANDRIA_STORE": str(tmp_path / "hashed")}
    write_model(Kind.BERT, tmp_path / "tiny")
    (tmp_path / SHORT).write_text("The light on the rock burns all night. Ida Marlow keeps it.")
    for environment, commands in ((closed, WITH_THE_MODEL), (hashing, WITHOUT)):
        done = python(environment, "-c", _COMMANDS, json.dumps(commands), folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert not Path(closed["TRIED"]).exists()
    ended = [tuple(json.loads(line)) for line in (tmp_path / "ended.jsonl").read_text().splitlines()]
    assert ended == [*WITH_THE_MODEL, *WITHOUT]


@pytest.fixture(scope="module")
def torch_done(
    closed: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> subprocess.CompletedProcess[str]:
    """One process that loads a model by torch, which takes it seconds, and then runs commands."""
    commands = json.dumps(WITH_TORCH)
    return python(closed, "-c", _LOAD + _COMMANDS, commands, folder=tmp_path_factory.mktemp("torch"))


@needs_torch
def test_after_a_model_is_loaded_the_program_can_use_the_hub_as_before(
    torch_done: subprocess.CompletedProcess[str],
) -> None:
    output, errors = torch_done.stdout, torch_done.stderr
    assert (output.partition("\n")[0], errors.partition("\n")[0]) == (_LOADED, _LOADED), errors


@needs_torch
def test_a_command_that_loads_torch_connects_to_nothing(
    torch_done: subprocess.CompletedProcess[str], closed: dict[str, str]
) -> None:
    assert torch_done.returncode == 0, torch_done.stderr
    assert not Path(closed["TRIED"]).exists()


def names(command: object, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command below this one, as ("cache", "info")."""
    if not isinstance(command, TyperGroup):
        yield words
        return
    for name, below in command.commands.items():
        yield from names(below, (*words, name))


def test_no_command_is_forgotten() -> None:
    registered = set(names(program()))
    run = {words[:n] for words in (*WITH_THE_MODEL, *WITHOUT) for n in (1, 2)}
    assert ("cache", "info") in registered
    assert registered - APART <= run, registered - run


def test_serving_the_library_connects_to_nothing(closed: dict[str, str], tmp_path: Path) -> None:
    store = str(tmp_path / "lib")
    assert alexandria("ingest", BOOK, "--store", store).returncode == 0
    environment = {**closed, "ALEXANDRIA_MODEL": "hashing"}
    words = [sys.executable, "-m", "alexandria", "serve", "--store", store]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        address = server.stdout.readline().strip()
        with urlopen(f"{address}search?q=apple") as page:
            assert page.status == 200
        server.send_signal(signal.SIGINT)
    assert server.returncode == 130
    assert not Path(closed["TRIED"]).exists()


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
    done = python(environment, "-c", f"import socket as s; {code}")
    assert "no network in this test" in done.stderr
    assert "127.0.0.1" in (tmp_path / "tried.txt").read_text()


def test_a_model_of_the_hub_is_refused_by_name_without_a_network(
    closed: dict[str, str], tmp_path: Path
) -> None:
    environment = {**closed, "TRIED": str(tmp_path / "tried.txt")}
    done = python(environment, "-m", "alexandria", "inspect", BOOK, "--set", "model=nobody/no-such-model")
    assert done.returncode == 2
    assert "nobody/no-such-model" in done.stderr


def write_in_hub_cache(repository: Path, *, missing: str | None, is_listed: bool) -> None:
    """Write a model as a download leaves it, without the files of other libraries.

    Args:
        repository: its new folder in the cache of huggingface_hub.
        missing: a file that was not downloaded; None if the download is complete.
        is_listed: write the list of the model's files too, as snapshot_download does since version 1.22.
    """
    commit = "0" * 40
    snapshot = write_model(Kind.BERT, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    names = [path.relative_to(snapshot).as_posix() for path in snapshot.rglob("*") if path.is_file()]
    if is_listed:
        (repository / "trees").mkdir()
        entry = {"size": 1, "blob_id": commit}
        listing = {"format_version": 1, "files": dict.fromkeys([*names, "onnx/model.onnx"], entry)}
        (repository / "trees" / f"{commit}.json").write_text(json.dumps(listing))
    if missing:
        (snapshot / missing).unlink()


_LOCATE = """
import json, os, sys
from alexandria.embed.models.locate import locate
from alexandria.errors import ConfigError

found = {}
for name in sys.argv[1:]:
    try:
        model = locate(name).name
    except ConfigError as error:
        model = str(error)
    found[name] = (model, os.path.exists(os.environ["TRIED"]))
    if found[name][1]:
        os.remove(os.environ["TRIED"])
print(json.dumps(found))
"""
"""Prints what `locate` says of each model, and whether it tried to connect for it."""
_CACHED = {
    f"nobody/{missing or 'whole'}-{'listed' if is_listed else 'unlisted'}": (missing, is_listed)
    for missing in (None, "modules.json", "model.safetensors")
    for is_listed in (True, False)
}
"""The models in a cache: the file that each lacks, and whether the cache has a list of its files."""


@pytest.fixture(scope="module")
def located(closed: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, bool]]:
    """What one process says of all `_CACHED` models."""
    folder = tmp_path_factory.mktemp("hub")
    for name, (missing, is_listed) in _CACHED.items():
        repository = folder / f"models--{name.replace('/', '--')}"
        write_in_hub_cache(repository, missing=missing, is_listed=is_listed)
    environment = {**closed, "HF_HUB_CACHE": str(folder), "TRIED": str(folder / "tried.txt")}
    done = python(environment, "-c", _LOCATE, *_CACHED)
    assert done.returncode == 0, done.stderr
    found: dict[str, tuple[str, bool]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", _CACHED)
def test_the_hub_is_asked_for_a_cached_model_only_if_its_download_is_incomplete(
    located: dict[str, tuple[str, bool]], name: str
) -> None:
    model, has_asked = located[name]
    is_complete = _CACHED[name][0] is None
    assert has_asked != is_complete, model
    assert model.startswith(f"{name}@") or not is_complete
