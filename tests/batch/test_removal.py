"""Removed books stay removed, until they are asked for again."""

import json
import os
import pty
import re
from pathlib import Path

import pytest

from alexandria.doors.cli import main
from alexandria.library.library import Library
from tests.command import alexandria


def titles(library: Path, *words: str) -> list[str]:
    return [
        book["title"] for book in json.loads(alexandria("list", "--store", library, "--json", *words).stdout)
    ]


def statuses(output: str) -> dict[str, str]:
    lines = map(json.loads, output.splitlines())
    return {Path(line["source"]).stem: line["status"] for line in lines if "source" in line}


def test_a_removed_book_does_not_come_back_with_its_folder_unless_asked(shelf: Path, tmp_path: Path) -> None:
    library = tmp_path / "lib"
    assert alexandria("remove", "two", "--store", library).returncode == 0
    done = alexandria("ingest", shelf, "--store", library, "--json")
    assert done.returncode == 0
    assert statuses(done.stdout) == {"one": "unchanged", "two": "removed", "three": "unchanged"}
    assert json.loads(done.stdout.splitlines()[-1])["summary"]["removed"] == 1
    shown = alexandria("ingest", shelf, "--store", library, "--force").stderr
    assert re.search(r"left out +1 +removed earlier; --again brings them back", shown)
    assert "“two”" not in shown  # as unchanged books: it is counted, not told at each run
    assert "you removed it on" in alexandria("ingest", shelf / "two.txt", "--store", library).stderr
    assert titles(library) == ["one", "three"]
    assert titles(library, "--removed") == ["two"]
    assert alexandria("verify", "--store", library).returncode == 0
    done = alexandria("ingest", shelf, "--again", "--store", library, "--json")
    assert statuses(done.stdout) == {"one": "unchanged", "two": "ingested", "three": "unchanged"}
    assert titles(library, "--removed") == []
    assert statuses(alexandria("ingest", shelf, "--store", library, "--json").stdout)["two"] == "unchanged"


def test_neither_another_name_nor_another_version_brings_a_removed_book_back(
    shelf: Path, tmp_path: Path
) -> None:
    library = tmp_path / "lib"
    alexandria("remove", "two", "three", "--store", library)
    (shelf / "two.txt").rename(shelf / "renamed.txt")
    (shelf / "three.txt").write_text("The book has been edited. It is the same file.")
    done = alexandria("ingest", shelf, "--store", library, "--json", "--workers", "0")
    assert statuses(done.stdout) == {"one": "unchanged", "renamed": "removed", "three": "removed"}
    done = alexandria("ingest", shelf, "--store", library, "--json", "--again")
    assert statuses(done.stdout) == {"one": "unchanged", "renamed": "ingested", "three": "ingested"}
    assert titles(library, "--removed") == []


def test_several_books_are_removed_at_once_or_none(shelf: Path, tmp_path: Path) -> None:
    library = tmp_path / "lib"
    assert alexandria("remove", "one", "nothing", "--store", library).returncode == 2
    assert len(titles(library)) == 3
    done = alexandria("remove", "one", "two", "one", "--store", library)
    assert done.stderr.count("removed") == 2
    assert titles(library) == ["three"]


def test_an_ambiguous_title_lists_ids_formats_and_files(shelf: Path, tmp_path: Path) -> None:
    done = alexandria("remove", "o", "--store", tmp_path / "lib")
    assert done.returncode == 2
    with Library(tmp_path / "lib") as library:
        matches = [book for book in library.books() if "o" in book.title]
    lines = done.stderr.splitlines()
    assert "several books match" in lines[0]
    for book, line in zip(matches, lines[1:], strict=False):
        assert all(word in line for word in (book.book_id[:8], book.title, "txt", book.source))


@pytest.mark.parametrize(
    ("typed", "words", "left"),
    [("n\n", (), 3), ("y\n", (), 2), ("", ("--yes",), 2)],
    ids=["no", "yes", "not asked"],
)
def test_it_asks_on_a_terminal(
    typed: str,
    words: tuple[str, ...],
    left: int,
    shelf: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    library = str(tmp_path / "lib")
    with os.fdopen(theirs) as terminal, os.fdopen(ours), monkeypatch.context() as patch:
        patch.setattr("sys.argv", ["alexandria", "remove", "two", *words, "--store", library])
        patch.setattr("sys.stdin", terminal)
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code in (0, None)
    assert len(titles(tmp_path / "lib")) == left


def test_python_brings_a_book_back(shelf: Path, tmp_path: Path) -> None:
    hashing = {"model": "hashing"}
    with Library(tmp_path / "lib") as library:
        library.remove("two")
        (outcome,) = library.ingest(shelf / "two.txt", options=hashing)
        assert outcome.status == "removed"
        library.ingest(shelf / "two.txt", options=hashing, again=True)
        assert len(library.books()) == 3
