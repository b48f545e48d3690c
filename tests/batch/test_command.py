"""`alexandria ingest` on many books, as a person or a script uses it."""

import json
import os
import re
import signal
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.batch.library import digest
from tests.command import alexandria, alexandria_bytes
from tests.conftest import ROOT, SAMPLES
from tests.forks import Forked
from tests.pairs import by_pairs

ENVIRON = {**os.environ, "ALEXANDRIA_MODEL": "hashing", "COLUMNS": "100", "PYTHONPATH": str(ROOT)}


def ingest(*words: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return alexandria_bytes("ingest", *words, typed=stdin)


def documents(output: bytes) -> list[Any]:
    return [json.loads(line) for line in output.splitlines()]


def statuses(output: bytes) -> dict[str, str]:
    return {Path(line["source"]).name: line["status"] for line in documents(output) if "source" in line}


@contextmanager
def running(*words: str | Path) -> Iterator[Forked]:
    """An ingest in progress."""
    with Forked(["ingest", *map(str, words)], env=ENVIRON, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def interrupt_twice(process: Forked) -> bytes:
    """Send Ctrl-C, and again when the first is announced; return what standard error then says."""
    process.send_signal(signal.SIGINT)
    process.stderr.readline()  # an empty line, then the announcement
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    return errors


def shelf(folder: Path, n_books: int, *, n_sentences: int = 30) -> Path:
    """Create a folder of small books, all different."""
    folder.mkdir()
    for i in range(n_books):
        text = " ".join(
            f"Book {i} says in sentence {n} that {i * n} is a number." for n in range(n_sentences)
        )
        (folder / f"{i:04}.txt").write_text(text)
    return folder


def test_a_list_on_standard_input_and_a_pattern(tmp_path: Path) -> None:
    listing = "\0".join(str(SAMPLES / name) for name in ("gull-rock.txt", "winterapfel.txt")).encode()
    done = ingest("-", f"{SAMPLES}/*.epub", "--store", tmp_path, "--json", stdin=listing)
    assert done.returncode == 0, done.stderr
    assert list(statuses(done.stdout)) == ["gull-rock.txt", "winterapfel.txt", "the-quiet-trades.epub"]


def test_the_summary_counts_what_was_skipped_and_why_files_failed(tmp_path: Path) -> None:
    folder = shelf(tmp_path / "shelf", 2)
    for name in ("empty.txt", "nothing.txt", ".hidden.txt", "README.txt", "cover.jpg"):
        (folder / name).touch()
    done = ingest(folder, "--store", tmp_path / "lib", "--json")
    assert done.returncode == 3
    summary = documents(done.stdout)[-1]["summary"]
    assert summary["failures"] == {"empty": 2}
    assert summary["skipped"] == {"hidden": 1, "accompanying": 1, "not a book": 1}
    named = {Path(one["source"]).name for one in summary["passed_over"]}
    assert named == {".hidden.txt", "README.txt", "cover.jpg"}
    shown = ingest(folder, "--store", tmp_path / "lib").stderr.decode()
    assert re.search(r"unchanged +2", shown)
    assert "“0001”" not in shown  # unchanged books are counted, not listed
    assert shown.splitlines()[-1] == f'search it: alexandria search "…" --store {tmp_path / "lib"}'
    assert re.search(r"skipped  .*/cover.jpg  not a book", shown)
    assert re.search(r"failed +2 +empty", shown)
    assert re.search(r"skipped +3 +1 accompanying, 1 hidden, 1 not a book", shown)


def test_failed_files_can_be_retried(tmp_path: Path) -> None:
    book, library = tmp_path / "book.txt", tmp_path / "lib"
    book.touch()
    assert ingest(book, SAMPLES / "gull-rock.txt", "--store", library).returncode == 3
    [line] = documents((library / "books" / "failures.jsonl").read_bytes())
    assert (line["source"], line["code"]) == (str(book), "empty")
    assert ingest("--retry-failed", "--store", library).returncode == 4
    book.write_text("It has arrived. It is read.")
    done = ingest("--retry-failed", "--store", library, "--json")
    assert statuses(done.stdout) == {"book.txt": "ingested"}
    assert not (library / "books" / "failures.jsonl").exists()
    done = ingest("--retry-failed", "--store", library)
    assert done.returncode == 2
    assert b"nothing to retry" in done.stderr


def test_a_path_that_never_existed_is_not_listed(tmp_path: Path) -> None:
    library = tmp_path / "lib"
    assert ingest(tmp_path / "typo.txt", SAMPLES / "gull-rock.txt", "--store", library).returncode == 3
    assert b"no file has failed" in alexandria_bytes("status", "--failures", "--store", library).stderr
    nowhere = alexandria_bytes("status", "--failures", "--store", tmp_path / "none")
    assert nowhere.returncode == 5
    assert b"there is no library" in nowhere.stderr
    (tmp_path / "link.txt").symlink_to(tmp_path / "gone")  # it exists: what it points to may come back
    assert ingest(tmp_path / "link.txt", "--store", library).returncode == 4
    assert b"link.txt" in alexandria_bytes("status", "--failures", "--store", library).stdout


def test_retry_failed_with_a_path_tries_each_file_once(tmp_path: Path) -> None:
    shelf, library = tmp_path / "shelf", tmp_path / "lib"
    shelf.mkdir()
    (shelf / "empty.txt").touch()
    ingest(shelf, "--store", library)
    done = alexandria_bytes("ingest", "shelf", "--retry-failed", "--store", library, "--json", cwd=tmp_path)
    assert len(documents(done.stdout)) == 2
    assert documents(done.stdout)[-1]["summary"]["failed"] == 1


def test_an_ignored_failure_lets_a_nightly_run_succeed_until_another_file_fails(tmp_path: Path) -> None:
    shelf, library = tmp_path / "shelf", tmp_path / "lib"
    shelf.mkdir()
    empty = shelf / "empty.txt"
    empty.touch()
    assert ingest(shelf, "--store", library).returncode == 4
    listed = alexandria_bytes("status", "--failures", "--store", library).stdout.decode()
    assert "empty" in listed
    assert "the file is empty" in listed
    assert alexandria_bytes("status", "--ignore", empty, "--store", library).returncode == 0
    [entry] = json.loads(alexandria_bytes("status", "--failures", "--store", library, "--json").stdout)
    assert (entry["source"], entry["ignored"]) == (str(empty), True)
    nightly = ingest(shelf, "--store", library, "--json")
    assert nightly.returncode == 0
    assert documents(nightly.stdout)[-1]["summary"]["ignored"] == 1
    assert ingest(shelf, "-q", "--store", library).stderr.count(b"empty.txt") == 0
    (shelf / "other.txt").touch()
    assert ingest(shelf, "--store", library).returncode == 4
    (shelf / "other.txt").unlink()
    empty.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))  # it fails, but in another way
    assert ingest(shelf, "--store", library).returncode == 4


def test_an_ignored_file_is_counted_and_not_told_again(tmp_path: Path) -> None:
    library, book = tmp_path / "library", tmp_path / "books" / "book.txt"
    book.parent.mkdir()
    book.write_text("The sea rose in the night, and the lamp burned on.")
    (book.parent / "empty.txt").touch()
    there = ("--store", library)
    assert alexandria("ingest", book.parent, "--model", "hashing", *there).returncode == 3
    # As the ingest printed it: without its folder.
    assert alexandria("status", "--ignore", "empty.txt", *there).returncode == 0
    again = alexandria("ingest", book.parent, *there)
    assert again.returncode == 0
    assert "why:" not in again.stderr
    assert re.search(r"ignored +1", again.stderr)
    assert "failed" not in again.stderr


def test_only_a_file_that_failed_can_be_ignored(tmp_path: Path) -> None:
    for words in (("--ignore",), ("book.txt",), ("--ignore", "book.txt")):
        assert alexandria_bytes("status", *words, "--store", tmp_path).returncode == 2


def test_ctrl_c_stops_it_after_the_book_in_progress(tmp_path: Path) -> None:
    folder, library = shelf(tmp_path / "shelf", 30, n_sentences=400), tmp_path / "lib"
    with running(folder, "--store", library, "--json") as process:
        process.stdout.readline()  # the first book is stored
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert process.returncode == 130
    assert b"stopping after this book" in errors
    *books, last = documents(output)
    assert {line["status"] for line in books} <= {"ingested"}  # none, if the signal came between two books
    assert last["summary"]["ingested"] == len(books) + 1
    assert last["summary"]["not_reached"] == 30 - len(books) - 1 > 0
    again = statuses(ingest(folder, "--store", library, "--json").stdout)
    assert list(again.values()).count("unchanged") == len(books) + 1


def test_a_second_ctrl_c_stops_it_at_once_and_leaves_no_book_incomplete(tmp_path: Path) -> None:
    folder, library = shelf(tmp_path / "shelf", 4, n_sentences=6_000), tmp_path / "lib"
    with running(folder, "--store", library, "--json") as process:
        process.stdout.readline()
        errors = interrupt_twice(process)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert b"stopped; every book before this one is stored" in errors
    ingest(folder, "--store", library)
    ingest(folder, "--store", tmp_path / "whole")
    assert digest(library) == digest(tmp_path / "whole")


def test_a_watched_folder_is_ingested_as_books_arrive(tmp_path: Path) -> None:
    folder, library = shelf(tmp_path / "shelf", 1), tmp_path / "lib"
    with running(folder, "--watch", "--store", library, "--json") as process:
        first = [json.loads(process.stdout.readline()) for _ in range(2)]
        (folder / "new.txt").write_text("It has just arrived. It is read.")
        second = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
    assert [Path(line["source"]).name for line in (first[0], second[0])] == ["0000.txt", "new.txt"]


def test_only_a_folder_can_be_watched(tmp_path: Path) -> None:
    done = ingest(SAMPLES / "gull-rock.txt", "--watch", "--store", tmp_path / "lib")
    assert (done.returncode, b"it is not a folder" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []  # a slip of the pen creates no library


def test_a_calibre_library_cannot_be_watched(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "metadata.db")
    connection.close()
    done = ingest("--calibre", tmp_path, "--watch", "--store", tmp_path / "lib")
    assert (done.returncode, b"cannot watch a Calibre library" in done.stderr) == (2, True)
    assert not (tmp_path / "lib").exists()


def test_with_fail_fast_the_first_failure_ends_the_watch(tmp_path: Path) -> None:
    folder = shelf(tmp_path / "shelf", 2)
    (folder / "0000.txt").write_bytes(b"")
    with running(folder, "--watch", "--fail-fast", "--store", tmp_path / "lib", "--json") as process:
        output, errors = process.communicate()
    assert process.returncode == 4, errors
    assert statuses(output) == {"0000.txt": "failed"}


def test_a_second_ctrl_c_ends_the_watch_at_once_and_says_how_to_resume(tmp_path: Path) -> None:
    folder = shelf(tmp_path / "shelf", 4, n_sentences=6_000)
    with running(folder, "--watch", "--store", tmp_path / "lib", "--json") as process:
        process.stderr.readline()  # it watches
        process.stdout.readline()  # the first book is stored
        errors = interrupt_twice(process)
    assert process.returncode == 130
    assert b"the same command resumes" in errors


HOSTILE = {
    "escape sequences": "\x1b[31mred\x1b]0;owned\x07.txt",
    "reversed direction": "txt.\u202egpj.txt",
    "isolates and marks": "a\u2066b\u2069\u200fc.txt",
    "line breaks": "line\nbreak\r.txt",
    "C1 controls": "\x9b31m\x84.txt",
    "the console's own markup": "[bold red]x[bold].txt",
    "not UTF-8": "caf\udce9.txt",
}
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@by_pairs(("name", HOSTILE), ("content", {"good": "A sentence. Another one.", "bad": ""}))
def test_no_file_name_acts_on_the_terminal(name: str, content: str, tmp_path: Path) -> None:
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / name).write_text(content)
    shown = ingest(folder, "--store", tmp_path / "lib").stderr
    assert not _ACTING.search(shown.decode("utf-8", "replace"))
    if "bold" in name:
        assert b"[bold red]x[bold]" in shown
    done = ingest(folder, "--store", tmp_path / "lib", "--json")
    assert done.returncode == (0 if content else 4), done.stderr
    assert os.fsdecode(documents(done.stdout)[0]["source"].encode("utf-8", "surrogateescape")).endswith(name)


@pytest.mark.parametrize(
    "title",
    ["&#27;]0;owned&#7;Title", "Fine\u202eelpmis", "a&#x9b;31mb&#x85;c"],
    ids=["escape", "bidi", "C1"],
)
def test_no_title_acts_on_the_terminal(title: str, tmp_path: Path) -> None:
    book = tmp_path / "b.html"
    book.write_text(f"<html><title>{title}</title><body><h1>{title}</h1><p>Text.</p></body></html>")
    commands: list[Sequence[str | Path]] = [
        ("ingest", book, "--store", tmp_path / "lib"),
        ("list", "--store", tmp_path / "lib"),
        ("search", "text", "--store", tmp_path / "lib"),
        ("inspect", book),
        ("extract", book),
    ]
    for words in commands:
        done = alexandria_bytes(*words)
        assert done.returncode == 0, done.stderr
        assert not _ACTING.search((done.stdout + done.stderr).decode()), words[0]


def test_nine_books_killed_three_times_are_nine_books(tmp_path: Path) -> None:
    """A small version of `tools/endure.py`: killed after the first, the third and the fifth book."""
    folder, library = shelf(tmp_path / "shelf", 9, n_sentences=300), tmp_path / "lib"
    stored: list[str] = []
    for n_before_death in (1, 2, 2):
        with running(folder, "--store", library, "--json", "--workers", "2") as process:
            while n_before_death:
                line = json.loads(process.stdout.readline())
                if "summary" in line:  # on a busy machine, a run may end before it is killed
                    break
                if line["status"] == "ingested":
                    stored.append(line["source"])
                    n_before_death -= 1
                else:  # stored by an earlier run, perhaps just before it was killed
                    assert line["status"] == "unchanged"
            process.send_signal(signal.SIGKILL)
    last = documents(ingest(folder, "--store", library, "--json").stdout)
    stored += [line["source"] for line in last[:-1] if line["status"] == "ingested"]
    assert len(stored) == len(set(stored))  # no book reported as stored was stored again
    assert last[-1]["summary"]["failed"] == 0
    ingest(folder, "--store", tmp_path / "whole")
    assert digest(library) == digest(tmp_path / "whole")
