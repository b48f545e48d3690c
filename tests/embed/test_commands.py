"""Vectors cached between commands, as a user sees them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from alexandria.embed.graph.prepare import open_graph
from alexandria.embed.models.locate import DEFAULT_MODEL, locate
from tests.command import alexandria
from tests.conftest import SAMPLES

BOOK = SAMPLES / "gull-rock.txt"
SHORT = SAMPLES / "winterapfel.txt"
"""For what embeds with the model."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"ALEXANDRIA_CACHE": str(tmp_path / "cache"), "ALEXANDRIA_MODEL": "hashing"}


def run(environment: dict[str, str], *words: str) -> str:
    done = alexandria(*words, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_estimate_counts_what_the_ingest_then_does(environment: dict[str, str], tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    expected = json.loads(run(environment, "ingest", str(BOOK), "--store", store, "--dry-run", "--json"))[
        "estimate"
    ]
    assert not Path(store).exists()
    lines = run(environment, "ingest", str(BOOK), "--store", store, "--json").splitlines()
    actual = json.loads(lines[-1])["summary"]
    assert expected["n_books"] == actual["ingested"] == 1
    assert expected["n_words"] == pytest.approx(actual["words"], rel=0.02)
    assert expected["n_chunks"] == pytest.approx(actual["chunks"], rel=0.25, abs=2)


def test_a_command_that_finds_cached_vectors_loads_no_model(environment: dict[str, str]) -> None:
    environment = {"ALEXANDRIA_CACHE": os.environ["ALEXANDRIA_CACHE"], "ALEXANDRIA_MODEL": DEFAULT_MODEL}
    run(environment, "inspect", str(BOOK), "--json")
    code = (
        "import sys; from alexandria.doors.cli import main\n"
        f"sys.argv = ['alexandria', 'inspect', {str(BOOK)!r}, '--json']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "loaded = [name for name in ('openvino', 'tokenizers', 'torch') if name in sys.modules]\n"
        "print(loaded, file=sys.stderr)"
    )
    done = subprocess.run(  # a process of its own, which has loaded nothing yet
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.strip().splitlines()[-1] == "[]"


def test_no_cache_keeps_nothing(environment: dict[str, str]) -> None:
    environment["ALEXANDRIA_MODEL"] = DEFAULT_MODEL
    # Others write to the shared cache meanwhile: only its converted model is needed.
    cache = Path(environment["ALEXANDRIA_CACHE"])
    cache.mkdir()
    (cache / "graphs").symlink_to(open_graph(locate(DEFAULT_MODEL)).folder.parent)
    run(environment, "inspect", str(SHORT), "--no-cache", "--json", "--set", "max_words=333")
    found = json.loads(run(environment, "cache", "info", "--json"))
    assert found["graph_bytes"] > 0
    assert found["n_entries"] == 0
    run(environment, "inspect", str(SHORT), "--json", "--set", "max_words=333")
    assert json.loads(run(environment, "cache", "info", "--json"))["n_entries"] > 0


def test_cache_clear_removes_everything(environment: dict[str, str]) -> None:
    books = Path(environment["ALEXANDRIA_CACHE"]) / "books"
    books.mkdir(parents=True)
    (books / "some.rows").write_bytes(b"1234")
    run(environment, "cache", "clear")
    found = json.loads(run(environment, "cache", "info", "--json"))
    assert (found["n_entries"], found["book_bytes"], found["graph_bytes"]) == (0, 0, 0)
