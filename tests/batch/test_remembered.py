"""A book remembers how it was cut; a folder may say how its books are cut."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command import NOTHING, alexandria
from tests.conftest import SAMPLES

BOOK = SAMPLES / "the-quiet-trades.epub"


def ingest(store: Path, *words: str | Path, env: Mapping[str, str] = NOTHING) -> tuple[str, str]:
    """Ingest, and return the status of the first file, and what was said on stderr and as remarks."""
    done = alexandria("ingest", *words, "--store", store, "--json", env=env)
    assert done.returncode == 0, done.stderr + done.stdout
    line = json.loads(done.stdout.splitlines()[0])
    return line["status"], done.stderr + " ".join(line["remarks"])


def settings(store: Path, title: str = "") -> dict[str, Any]:
    books = json.loads(alexandria("list", "--store", store, "--json").stdout)
    stored: dict[str, Any] = next(book for book in books if title in book["title"])["settings"]
    return stored


def test_a_book_keeps_its_domain_until_another_is_asked_for(tmp_path: Path) -> None:
    assert ingest(tmp_path, BOOK, "-d", "philosophy", "--keep-matter")[0] == "ingested"
    assert ingest(tmp_path, BOOK) == ("unchanged", "")
    assert ingest(tmp_path, BOOK, "-d", "philosophy", "--keep-matter") == ("unchanged", "")
    status, said = ingest(tmp_path, BOOK, "-d", "history")
    assert status == "ingested"
    assert said.startswith("1 book in the library will be cut again: domain philosophy → history")
    assert "cut again: domain philosophy → history" in said
    assert ingest(tmp_path, BOOK, "--force")[0] == "ingested"
    assert settings(tmp_path)["domain"] == "history"


def test_one_option_changes_that_option_alone(tmp_path: Path) -> None:
    ingest(tmp_path, BOOK, "-d", "philosophy", "--set", "min_words=120", "-s", "universal-semantic")
    status, said = ingest(tmp_path, BOOK, "-t", "0.3")
    assert (status, "threshold" in said, "domain" in said) == ("ingested", True, False)
    stored = settings(tmp_path)
    assert (stored["domain"], stored["min_words"], stored["threshold"]) == ("philosophy", 120, 0.3)
    assert ingest(tmp_path, BOOK)[0] == "unchanged"
    assert ingest(tmp_path, BOOK, env={"ALEXANDRIA_THRESHOLD": "0.2"})[0] == "ingested"
    assert ingest(tmp_path, BOOK, "-s", "fixed")[0] == "ingested"
    assert settings(tmp_path)["strategy"] == "fixed"


def test_a_library_is_unchanged_when_the_default_changes_until_it_is_asked_for(tmp_path: Path) -> None:
    store, config = tmp_path / "lib", tmp_path / "config"
    ingest(store, BOOK)
    before = settings(store)
    (config / "alexandria" / "domains").mkdir(parents=True)
    (config / "alexandria" / "domains" / "default.yaml").write_text("strategy: centroid\n")
    env = {"XDG_CONFIG_HOME": str(config)}
    assert ingest(store, BOOK, env=env) == ("unchanged", "")
    assert settings(store) == before
    changed = tmp_path / "changed.txt"  # a new version of a stored book keeps its settings too
    changed.write_text("A first version. It is short.")
    ingest(store, changed, "-d", "history")
    changed.write_text("A second version. It is longer than the first.")
    assert ingest(store, changed, env=env)[0] == "ingested"
    assert settings(store, "changed")["domain"] == "history"
    assert ingest(store, BOOK, "-d", "default", env=env)[0] == "ingested"
    assert settings(store, "Quiet")["strategy"] == "centroid"


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    (folder / "plays" / "verse").mkdir(parents=True)
    (folder / "book.txt").write_text("A book of the shelf. It has two sentences.")
    (folder / "plays" / "verse" / "poem.txt").write_text("A poem of the shelf. It has two sentences as well.")
    return folder


def test_a_folder_names_the_domain_of_what_lies_below(shelf: Path, tmp_path: Path) -> None:
    store = tmp_path / "lib"
    (shelf / "alexandria.yaml").write_text("domain: history\nmin_words: 100\n")
    (shelf / "plays" / "alexandria.yaml").write_text("domain: literature\n")
    (shelf / "plays" / "verse" / "alexandria.yaml").write_text("min_words: 50\n")
    done = alexandria("ingest", shelf, "--store", store, "--json")
    assert json.loads(done.stdout.splitlines()[-1])["summary"]["skipped"] == {}
    book, poem = settings(store, "book"), settings(store, "poem")
    assert (book["domain"], book["min_words"]) == ("history", 100)
    assert (poem["domain"], poem["min_words"]) == ("literature", 50)
    assert ingest(store, shelf)[0] == "unchanged"
    (shelf / "alexandria.yaml").write_text("domain: philosophy\n")
    status, said = ingest(store, shelf)
    assert (status, "domain history → philosophy" in said) == ("ingested", True)
    assert settings(store, "poem") == poem
    assert (
        ingest(store, shelf / "book.txt", "-d", "technical")[0] == "ingested"
    )  # the command line is stronger


def test_a_book_is_inspected_as_its_folder_says(shelf: Path) -> None:
    def settings_of(*words: str) -> tuple[str, float, int]:
        document = json.loads(alexandria("inspect", shelf / "book.txt", "--json", *words).stdout)
        used = document["settings"]
        return used["domain"], used["threshold"], used["min_words"]

    (shelf / "alexandria.yaml").write_text("domain: philosophy\nmin_words: 80\n")
    assert settings_of() == ("philosophy", 0.45, 80)
    assert settings_of("--set", "min_words=70") == ("philosophy", 0.45, 70)
    assert settings_of("--domain", "history") == ("history", 0.55, 100)


@pytest.mark.parametrize(
    ("text", "named"),
    [("min_wrods: 3\n", "alexandria.yaml:1"), ("model: other\n", "cannot set model"), ("domain: x\n", "'x'")],
)
def test_a_wrong_file_is_refused_before_anything_is_read(
    text: str, named: str, shelf: Path, tmp_path: Path
) -> None:
    (shelf / "plays" / "alexandria.yaml").write_text(text)
    done = alexandria("ingest", shelf, "--store", tmp_path / "lib")
    assert (done.returncode, named in done.stderr, "ingested" in done.stderr) == (2, True, False)
