"""`alexandria inspect` from the outside: where the book comes from, and what is written where."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from alexandria.doors.cli.schemas import schema_document
from tests.command import NOTHING, alexandria
from tests.conftest import SAMPLES
from tests.inspection.made import without_blocks

EPUB = SAMPLES / "the-quiet-trades.epub"


def document(*words: str | Path, env: Mapping[str, str] = NOTHING) -> Any:
    done = alexandria("inspect", *words, "--json", env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def validate(document: object, name: str) -> None:
    Draft202012Validator(schema_document(name)).validate(document)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    assert alexandria("ingest", EPUB, "--store", folder).returncode == 0
    return folder


def test_a_stored_book_needs_no_file_and_tells_the_same(library: Path) -> None:
    fresh = without_blocks(document(EPUB))
    del fresh["guess"]  # which is made for a new book
    assert document("quiet", "--store", library) == fresh
    assert document("quiet", env={"ALEXANDRIA_STORE": str(library)}) == fresh


def test_inspect_and_evaluate_tell_the_same_of_the_chunks() -> None:
    summary = document(EPUB)["summary"]
    inspected = {"inside": summary["mean_inside"], "across": summary["mean_across"], **summary["quality"]}
    done = alexandria("evaluate", "quality", EPUB, "--json")
    evaluated = json.loads(done.stdout)["results"][0]
    assert {key: evaluated[key] for key in inspected} == inspected


def test_a_stored_book_makes_the_page_too(library: Path, tmp_path: Path) -> None:
    for name, words in (("file", (str(EPUB),)), ("store", ("quiet", "--store", str(library)))):
        done = alexandria("inspect", *words, "--html", tmp_path / f"{name}.html")
        assert (done.stdout, done.returncode) == ("", 0)
        assert "wrote" in done.stderr
    here, there = ((tmp_path / f"{name}.html").read_text() for name in ("file", "store"))
    # Settings come from elsewhere, and with a day, and costs are not stored: the rest is the same.
    data = '<script type="application/json"'
    here = re.sub(r'"costs": \[[^]]*\]', '"costs": null', here)
    assert here.partition(data)[2] == there.partition(data)[2]
    assert here.partition('id="text"')[2] == there.partition('id="text"')[2]


def test_one_name_is_compared_with_the_domain_s_own(tmp_path: Path) -> None:
    one = document(EPUB, "--compare", "percentile")
    validate(one, "comparison")
    for way in one["ways"]:
        validate(way, "inspect")
    assert [way["settings"]["strategy"] for way in one["ways"]] == ["optimal", "percentile"]
    assert one == document(EPUB, "--compare", "optimal, percentile")
    cut = [{chunk["start"] for chunk in way["chunks"][1:]} for way in one["ways"]]
    assert one["agreed"] == len(cut[0] & cut[1])
    assert [place["start"] for place in one["places"]] == sorted(cut[0] | cut[1])


def test_the_file_of_a_stored_book_is_compared(library: Path) -> None:
    stored = document("quiet", "--store", library, "--compare", "percentile")
    assert stored == document(EPUB, "--compare", "percentile")


def test_chapters_are_compared_in_columns(tmp_path: Path) -> None:
    chapters = [f"# Chapter {name}\n\nThe text of {name} is here. It goes on." for name in ("Ash", "Birch")]
    (tmp_path / "trees.md").write_text("\n\n".join(chapters))
    compare = ("inspect", tmp_path / "trees.md", "--compare", "fixed,percentile", "--chapter")
    shown = alexandria(*compare, "birch").stdout
    assert re.search(r"A fixed +B percentile", shown)
    assert re.search(r"1 \d+ words Chapter Birch.* 1 \d+ words Chapter Birch", shown)
    assert "words Chapter Ash" not in shown
    assert "no chapter matches 'elm'" in alexandria(*compare, "elm").stderr


def test_without_a_file_named_the_page_is_opened_from_one_of_its_own(tmp_path: Path) -> None:
    # A process of its own: Python asks for both variables once.
    own = {"BROWSER": "echo opened %s", "TMPDIR": str(tmp_path), "ALEXANDRIA_MODEL": "hashing"}
    command = [sys.executable, "-m", "alexandria", "inspect", str(SAMPLES / "winterapfel.txt"), "--open"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **own}, check=True)
    path = Path(done.stdout.removeprefix("opened file://").strip())
    assert path.is_relative_to(tmp_path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_page_and_json_go_together(tmp_path: Path) -> None:
    done = alexandria("inspect", EPUB, "--html", tmp_path / "page.html", "--json")
    assert json.loads(done.stdout)["book"]["title"] == "The Quiet Trades"
    assert (tmp_path / "page.html").stat().st_size < 3_000_000


def test_what_cannot_be_shown_is_refused() -> None:
    cases: dict[str, tuple[list[str | Path], str]] = {
        "nothing": (["inspect"], "Missing argument"),
        "unknown": (["inspect", EPUB, "--compare", "optimal,best"], "unknown strategy"),
        "chunk": (["inspect", EPUB, "--chunk", "99"], "no chunk 99"),
        "stored": (["inspect", "x", "--store", "lib", "--strategy", "fixed"], "--strategy would have"),
    }
    for words, message in cases.values():
        done = alexandria(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
