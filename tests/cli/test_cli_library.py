"""The commands on a library that is there, as a person or a script meets them."""

import json
from pathlib import Path

import pytest

from alexandria.book.choices import Precision
from alexandria.embed.graph.measure import actual_precision
from alexandria.embed.graph.prepare import open_graph
from alexandria.embed.models.locate import DEFAULT_MODEL, locate
from alexandria.store import open_store
from tests.command import alexandria
from tests.conftest import SAMPLES


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shelf") / "library"
    done = alexandria("ingest", SAMPLES / "the-quiet-trades.epub", "--store", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_show_tells_how_a_book_was_made_and_its_chunks(library: Path) -> None:
    shown = alexandria("show", "quiet", "--store", library, env={"COLUMNS": "80"}).stdout.splitlines()
    assert len(shown) <= 40
    assert max(map(len, shown)) <= 80
    assert shown[0] == "The Quiet Trades"
    assert "strategy optimal" in alexandria("show", "quiet", "--settings", "--store", library).stdout
    assert "  1. What the Kitchen Window" in "\n".join(shown)
    document = json.loads(alexandria("show", "quiet", "--store", library, "--json").stdout)
    assert document["title"] == "The Quiet Trades"
    assert [one["chunk_id"] for one in document["chunk_list"]] == list(range(document["chunks"]))


def test_a_list_without_a_book_says_why(library: Path, tmp_path: Path) -> None:
    done = alexandria("list", "--author", "marlwo", "--store", library)
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean Ida Marlow?" in done.stderr
    assert alexandria("list", "--author", "marlow", "--start", "1", "--store", library).returncode == 0
    elsewhere = alexandria("list", "--store", tmp_path, "--collection", "my letters").stderr
    assert f"alexandria ingest BOOK --store {tmp_path} --collection 'my letters'" in elsewhere


def test_brackets_in_a_heading_are_not_markup(tmp_path: Path) -> None:
    book = tmp_path / "sea.html"
    chapters = "<h1>Sea</h1><p>Waves rise.</p><h1>Tide [/i] [bold]</h1><p>Tides turn.</p>"
    book.write_text(f"<!doctype html><html><body>{chapters}</body></html>")
    assert alexandria("ingest", book, "--store", tmp_path / "lib").returncode == 0
    shown = alexandria("show", "sea", "--chunks", "--store", tmp_path / "lib")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("Tide [/i] [bold]") == 3  # the chapter, its chunk, and the text of that


@pytest.mark.model
def test_the_library_says_in_which_numbers_its_vectors_were_computed(tmp_path: Path) -> None:
    def run(*words: str | Path) -> str:
        return alexandria(*words, env={"ALEXANDRIA_MODEL": DEFAULT_MODEL}).stdout

    store = ("--store", tmp_path)
    run("ingest", SAMPLES / "winterapfel.txt", *store)
    used = actual_precision(open_graph(locate(DEFAULT_MODEL)), Precision.AUTO)
    (book,) = json.loads(run("list", "--json", *store))
    assert (book["settings"]["precision"], book["precision"]) == ("auto", used)
    assert f"vectors computed in {used}" in run("show", "winter", "--settings", *store)
    for inspected in (("winter", *store), (SAMPLES / "winterapfel.txt",)):
        assert json.loads(run("inspect", *inspected, "--json"))["precision"] == used


def test_inspect_of_a_hit_says_why_its_passage_begins_and_ends_there(library: Path) -> None:
    [hit] = json.loads(alexandria("search", "bees", "-k", "1", "--store", library, "--json").stdout)["hits"]
    told = json.loads(alexandria("inspect", hit["id"], "--store", library, "--json").stdout)
    assert told["chunk_id"] == hit["chunk_id"]
    assert told["ends"]["boundary"]["reason"] in ("topic", "section", "max_size")
    shown = alexandria("inspect", hit["id"], "--store", library).stdout
    assert "begins: " in shown
    assert "ends: " in shown


def test_search_by_each_mode_and_an_unknown_one(library: Path) -> None:
    for mode in ("dense", "sentences", "bm25", "hybrid"):
        done = alexandria(
            "search", "madder red", "--mode", mode, "--store", library, "--json", "--context", "1"
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["hits"][0]["best_sentence"]["start"] >= 0
    unknown = alexandria("search", "madder", "--mode", "fast", "--store", library)
    assert unknown.returncode == 2
    assert "hybrid" in unknown.stderr


@pytest.mark.annex
def test_copy_export_and_verify(library: Path, tmp_path: Path) -> None:
    copied = alexandria("copy", "--store", library, "--to", f"local:{tmp_path / 'copy'}", "--compat", "mcp")
    assert copied.returncode == 0, copied.stderr
    assert "copied" in copied.stderr
    assert alexandria("verify", "--store", f"local:{tmp_path / 'copy'}").returncode == 0
    file = tmp_path / "books.jsonl"
    assert alexandria("export", file, "--store", library).returncode == 0
    store = open_store(f"local:{tmp_path / 'copy'}", "books", None)
    assert store.count() == len(file.read_text().splitlines())
    store.delete({"chunk_id": [1]})
    store.close()
    broken = alexandria("verify", "--store", f"local:{tmp_path / 'copy'}", "--json")
    assert broken.returncode == 5
    assert [one["flaw"] for one in json.loads(broken.stdout)["findings"]] == ["missing"]
