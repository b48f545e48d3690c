"""What a payload says of its file: where in a collection it is, and nothing of the machine."""

import json
from pathlib import Path
from typing import Any

import pytest

from alexandria.library.ingest.discovery import find_books
from alexandria.library.ingest.plan import relative_path
from alexandria.library.library import Library

OPTIONS = {"model": "hashing"}


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "shelf"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "bees.txt").write_text(
        "Bees dance in the hive. The dance tells where the flowers are."
    )
    return folder


def payloads(library: Library, tmp_path: Path) -> list[dict[str, Any]]:
    """Return what is stored, as other programs read it."""
    file = tmp_path / "out.jsonl"
    file.unlink(missing_ok=True)
    library.export(file, vectors=False)
    return [json.loads(line)["payload"] for line in file.read_text().splitlines()]


def test_a_path_is_relative_to_the_folder_that_was_named() -> None:
    cases: list[tuple[str, list[str], str]] = [
        ("/home/ann/books/a.epub", ["/home/ann/books"], "a.epub"),
        ("/home/ann/books/sea/a.epub", ["/home/ann/books"], "sea/a.epub"),
        ("/home/ann/books/sea/a.epub", ["/home/ann", "/home/ann/books"], "sea/a.epub"),
        ("/home/ann/books/sea/a.epub", [], "a.epub"),
        ("/home/ann/books2/a.epub", ["/home/ann/books"], "a.epub"),
    ]
    for path, roots, expected in cases:
        assert relative_path(Path(path), map(Path, roots)) == expected


def test_no_home_folder_is_in_a_payload(shelf: Path, tmp_path: Path) -> None:
    with Library(tmp_path / "library") as library:
        library.ingest(shelf, options=OPTIONS)
        (payload,) = payloads(library, tmp_path)
        assert payload["source"] == "deep/bees.txt"
        assert payload["metadata"]["source"] == payload["book_title"] == "bees"
        assert str(tmp_path) not in json.dumps(payload)
        # On this machine the file is known all the same.
        file = str(shelf / "deep" / "bees.txt")
        assert library.search("dance")[0].source == file
        assert [chunk.source for chunk in library.chunks("bees")] == [file]
        assert library.verify().findings == ()


def test_the_source_of_the_metadata_remains_the_title(shelf: Path, tmp_path: Path) -> None:
    with Library(tmp_path / "library") as library:
        library.ingest(shelf, options=OPTIONS)
        library.edit("bees", title="On Bees")
        assert [payload["metadata"]["source"] for payload in payloads(library, tmp_path)] == ["On Bees"]
        (shelf / "deep" / "bees.txt").rename(shelf / "bees.txt")
        (step,) = library.plan_sync([shelf], find_books([shelf]).files)
        library.take_step(step)
        (payload,) = payloads(library, tmp_path)
        assert (payload["source"], payload["metadata"]["source"]) == ("bees.txt", "On Bees")
        assert library.search("dance")[0].source == str(shelf / "bees.txt")
        assert library.verify().findings == ()
