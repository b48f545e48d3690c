"""How far a run is, how long it will take, and how durations are written."""

import json
import random
import re
from pathlib import Path

import pytest

from alexandria.book.wording import duration
from alexandria.library.ingest.outcome import Outcome, Status
from alexandria.library.ingest.pace import Pace
from tests.command import alexandria
from tests.conftest import SAMPLES


def outcome(path: Path, n_words: int, status: Status = Status.INGESTED) -> Outcome:
    return Outcome(path, status, n_words=n_words)


def test_the_seconds_left_are_right_for_books_of_any_length(tmp_path: Path) -> None:
    """A thousand words a second; texts have five bytes per word here, PDFs forty."""
    lengths = random.Random(1)
    books = []
    for i in range(40):
        suffix, n_bytes = (".txt", 5) if i % 3 else (".pdf", 40)
        path = tmp_path / f"{i}{suffix}"
        n_words = int(1000 * 10 ** lengths.uniform(-1, 1.5))
        with path.open("wb") as file:
            file.truncate(n_words * n_bytes)
        books.append((path, n_words))
    pace, now = Pace([path for path, _ in books], 0.0), 0.0
    assert pace.seconds_left(0.0) is None
    for i, (path, n_words) in enumerate(books):
        now += n_words / 1000
        pace.add(outcome(path, n_words), now)
        if i >= 3:  # each format has been met
            truth = sum(n for _, n in books[i + 1 :]) / 1000
            # Files of these formats usually have 17 words per 100 bytes, and 2.
            assert pace.seconds_left(now) == pytest.approx(truth, rel=0.2, abs=0.1)
            assert pace.seconds_left(now + 1) == pytest.approx(max(0, truth - 1), rel=0.2, abs=0.2)
    assert pace.words_per_second() == pytest.approx(1000)


def test_a_file_that_is_large_for_its_pictures_is_no_library(tmp_path: Path) -> None:
    sizes = {"a.epub": 400_000, "atlas.epub": 80_000_000, "all.txt": 80_000_000}
    for name, size in sizes.items():
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    [*books] = (tmp_path / name for name in sizes)
    assert Pace(books[:2], 0.0).words_left < 250_000
    assert Pace(books[2:], 0.0).words_left > 10_000_000


def test_one_file_with_many_words_for_its_size_does_not_stand_for_all(tmp_path: Path) -> None:
    """A text as PDF has five times the words of a typical one: the next count as the mean of both."""
    files = [tmp_path / f"{i}.pdf" for i in range(11)]
    for file in files:
        with file.open("wb") as opened:
            opened.truncate(1_000_000)
    pace = Pace(files, 0.0)
    assert pace.words_left == 11 * 20_000
    pace.add(outcome(files[0], 100_000), 10.0)
    assert pace.words_left == pytest.approx(10 * 1_000_000 * 200_000 / 6_000_000)


def test_the_line_counts_books_and_the_words_that_were_stored(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.txt" for name in "abcd"]
    pace = Pace([*files, *(tmp_path / f"{i}.txt" for i in range(1_196))], 100.0)
    assert pace.line(165.0) == "0/1,200 books, 0 words, 1 min 05 s so far"
    for file, n_words, status in zip(files, (3_000, 1_000, 5_000, 0), Status, strict=False):
        pace.add(outcome(file, n_words, status), 110.0)
    assert pace.line(160.0) == "4/1,200 books, 4,000 words, 1 min 00 s so far"
    pace.add(outcome(tmp_path / "0.txt", 0, Status.FAILED), 110.0)
    pace.add(outcome(tmp_path / "1.txt", 2_000), 130.0)
    assert pace.line(130.0) == "6/1,200 books, 6,000 words, 150 words/s, 1 failed, 0 s left"


def test_a_narrow_line_leaves_out_what_is_least_needed(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt", "d.txt")]
    pace = Pace(files, 0.0)
    pace.add(outcome(files[0], 1_000), 10.0)
    pace.add(outcome(files[1], 0, Status.FAILED), 10.0)
    pace.add(outcome(files[2], 3_000), 20.0)
    assert pace.line(20.0, 60) == "3/4 books, 4,000 words, 300 words/s, 1 failed, 0 s left"
    assert pace.line(20.0, 48) == "3/4 books, 4,000 words, 1 failed, 0 s left"
    assert pace.line(20.0, 34) == "3/4 books, 1 failed, 0 s left"
    assert pace.line(20.0, 20) == "3/4 books, 0 s left"


def test_files_that_are_stored_already_take_no_time(tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.txt" for i in range(60)]
    for file in files:
        file.write_bytes(bytes(5000))
    pace = Pace(files, 0.0)
    for i, file in enumerate(files[:40]):
        is_new = i % 10 == 0
        pace.add(outcome(file, 850, Status.INGESTED if is_new else Status.UNCHANGED), 10.0 * (i // 10 + 1))
    assert pace.seconds_left(40.0) == pytest.approx(20.0)


def test_a_book_counts_by_the_share_of_the_work_that_is_done(tmp_path: Path) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    second.write_bytes(bytes(100_000))  # 17,000 words, as texts usually have
    pace = Pace([first, second], 0.0)
    pace.read(first, 3_000, 1.0)
    assert pace.seconds_left(25.0) is None
    pace.embed(first, 0.1, 10.0)  # after the model was loaded, which says nothing about the speed
    pace.embed(first, 0.4, 18.0)
    # Half of it is embedded; cutting and storing are still to come.
    assert pace.line(18.0) == "0/2 books, 1,275 words, 128 words/s, 18 s so far"
    assert pace.line(20.0) == "0/2 books, 1,275 words, 128 words/s, 2 min 25 s left"
    assert pace.share == pytest.approx(1_275 / 20_000)
    pace.embed(first, 0.5, 26.0)
    assert pace.n_embedded == 2_550
    pace.read(second, 2_000, 27.0)  # fewer than its size promised
    pace.embed(second, 0.25, 28.0)
    pace.add(outcome(first, 3_000), 30.0)
    assert pace.line(30.0) == "1/2 books, 3,425 words, 167 words/s, 9 s left"
    pace.add(outcome(second, 2_000), 40.0)
    pace.embed(second, 0.1, 41.0)  # told late, by another thread
    assert pace.share == 1
    assert pace.n_embedded == 5_000


def test_a_resumed_run_counts_all_that_is_left_once_it_stores(tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.txt" for i in range(40)]
    for file in files:
        file.write_bytes(bytes(5000))
    pace = Pace(files, 0.0)
    for file in files[:16]:
        pace.add(outcome(file, 0, Status.UNCHANGED), 1.0)
    for i, file in enumerate(files[16:20], 1):
        pace.add(outcome(file, 850, Status.INGESTED), 1.0 + 10.0 * i)
    assert pace.seconds_left(41.0) == pytest.approx(200.0)


def test_waiting_for_a_scan_is_no_storing(tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.txt" for i in range(3)]
    for file in files:
        file.write_bytes(bytes(100_000))
    pace = Pace(files, 0.0)
    pace.read(files[0], 17_000, 0.0)
    for second in range(1, 11):
        pace.embed(files[0], 0.1, float(second))
    rate = pace.words_per_second()
    pace.read(files[1], 17_000, 200.0)
    pace.embed(files[1], 0.1, 201.0)
    assert pace.words_per_second() == pytest.approx(rate)


def test_books_are_embedded_at_half_the_speed_while_pages_are_recognised(tmp_path: Path) -> None:
    """A thousand words a second alone: a book of 60 s takes 120 s beside a scan, of which 50 s are left."""
    files = [tmp_path / name for name in ("text.txt", "scan.pdf", "left.txt")]
    for file in files:
        file.write_bytes(bytes(500_000))  # 85,000 words as text, 10,000 as PDF
    pace = Pace(files, 0.0)
    pace.read(files[0], 60_000, 0.0)
    pace.recognise(files[1], 0.0, 0.0)
    for second in range(1, 61):
        pace.recognise(files[1], 110.0 - second, float(second))
        pace.embed(files[0], 1 / 120, float(second))
    assert pace.words_per_second() == pytest.approx(850)  # all but the share of cutting and storing
    in_progress = 60_000 * (1 - 0.85 / 2)
    alone = (in_progress + 95_000) / 850
    assert pace.seconds_left(60.0) == pytest.approx(alone + 50 - 25)
    for second in range(61, 121):
        pace.embed(files[0], 1 / 120, float(second))
    # All is embedded that has been read: the rest waits for the scan.
    pace.recognise(files[1], 40.0, 120.0)
    assert pace.seconds_left(120.0) == pytest.approx(
        40 + (60_000 * 0.15 + 95_000) / 850 - 60_000 * 0.15 / 850
    )
    pace.recognise(files[1], None, 160.0)
    pace.read(files[1], 10_000, 160.0)
    pace.embed(files[1], 1.0, 170.0)
    assert pace.words_per_second() == pytest.approx(850, rel=0.01)


def test_new_files_count_whole_beside_books_that_are_stored(tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.txt" for i in range(40)]
    for file in files:
        file.write_bytes(bytes(100_000))
    pace = Pace(files, 0.0, files[:30])
    assert pace.words_left == 10 * 17_000
    for file in files[:5]:
        pace.add(outcome(file, 17_000, Status.UNCHANGED), 1.0)
    pace.read(files[30], 17_000, 2.0)
    assert pace.words_left == 10 * 17_000
    pace.read(files[5], 17_000, 2.0)  # with other settings, as all that are stored perhaps
    assert pace.words_left == pytest.approx(11 * 17_000 + 24 * 17_000 / 6)


def test_vectors_from_the_cache_promise_nothing_for_long(tmp_path: Path) -> None:
    """A run goes on: half of the words are in the cache, the others take a second a thousand."""
    files = [tmp_path / f"{i}.txt" for i in range(100)]
    for file in files:
        file.write_bytes(bytes(100_000))
    pace, now, good, n_asked = Pace(files, 0.0), 5.0, 0, 0
    for i, file in enumerate(files):
        seconds = 0.2 if i < 50 else 17.0  # a file
        pace.read(file, 17_000, now)
        for _ in range(10):
            now += seconds / 10
            pace.embed(file, 0.1, now)
            left = pace.seconds_left(now)
            if left is not None and i < 98:
                truth = 5.0 + 50 * 0.2 + 50 * 17.0 - now
                good += truth / 1.5 <= left <= truth * 1.5
                n_asked += 1
        pace.add(outcome(file, 17_000), now)
    assert n_asked > 400
    assert good / n_asked > 0.9


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.txt").write_text(f"This is the book called {name}. It says {name} again.")
    (folder / "empty.txt").touch()
    return folder


def test_a_log_has_the_time_and_how_far_it_is(shelf: Path, tmp_path: Path) -> None:
    lines = alexandria("ingest", shelf, "--store", tmp_path / "lib").stderr.splitlines()
    stamped = [line for line in lines if re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  \d/3  +\w+", line)]
    assert [line.split()[2] for line in stamped] == ["1/3", "2/3", "3/3"]


def test_a_log_for_machines_is_json(shelf: Path, tmp_path: Path) -> None:
    done = alexandria("ingest", shelf, "--store", tmp_path / "lib", "--log-json")
    *lines, last = map(json.loads, done.stderr.splitlines())
    assert [(line["n"], line["of"], line["status"]) for line in lines] == [
        (1, 3, "failed"),
        (2, 3, "ingested"),
        (3, 3, "ingested"),
    ]
    assert all("time" in line for line in lines)
    assert last["summary"]["ingested"] == 2
    assert done.stdout == ""


@pytest.mark.model
def test_notices_in_a_log_for_machines_are_json(tmp_path: Path) -> None:
    done = alexandria(
        "ingest",
        SAMPLES / "winterapfel.txt",
        "--store",
        tmp_path / "lib",
        "--log-json",
        "--quiet",
        "--model",
        "all-MiniLM-L6-v2",
    )
    notice, book, summary = map(json.loads, done.stderr.splitlines())
    assert (notice["level"], "German" in notice["message"]) == ("warning", True)
    assert (book["status"], summary["summary"]["ingested"]) == ("ingested", 1)


def test_a_quiet_run_ends_with_one_line(shelf: Path, tmp_path: Path) -> None:
    lines = alexandria("ingest", shelf, "--store", tmp_path / "lib", "-q").stderr.splitlines()
    assert lines[-1].startswith("2 ingested, 1 failed; 2 chunks, ")


def test_a_dry_run_expands_patterns_and_lists_and_says_how_far_it_is(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alexandria.show.terminal.batch._LOG_SECONDS", -1.0)
    for words, typed in ((f"{shelf}/*.txt", ""), ("-", "\n".join(map(str, sorted(shelf.iterdir()))))):
        done = alexandria("ingest", words, "--dry-run", "--json", typed=typed)
        assert json.loads(done.stdout)["estimate"]["n_books"] == 2
        assert "read 3 of 3 files" in done.stderr


def test_a_dry_run_names_what_cannot_be_read_and_what_would_be_skipped(shelf: Path) -> None:
    (shelf / "cover.jpg").write_bytes(b"\xff\xd8\xff")
    shown = alexandria("ingest", shelf, "--dry-run").stderr
    assert re.search(r"failed  empty\.txt\n +why: .*\n +fix: ", shown)
    assert re.search(r"skipped  .*/cover\.jpg  not a book", shown)
    document = json.loads(alexandria("ingest", shelf, "--dry-run", "--json").stdout)
    assert [Path(one["source"]).name for one in document["failed"]] == ["empty.txt"]
    assert document["failed"][0]["error"]["fix"]
    assert [Path(one["source"]).name for one in document["passed_over"]] == ["cover.jpg"]


def test_a_duration_is_written_in_minutes_and_hours() -> None:
    cases = [(0.4, "0 s"), (9.4, "9 s"), (59.6, "1 min 00 s"), (1488.8, "24 min 49 s"), (3909, "1 h 05 min")]
    for seconds, text in cases:
        assert duration(seconds) == text


def test_a_short_duration_may_be_exact() -> None:
    assert [duration(seconds, exact=True) for seconds in (0.04, 4.84, 9.96)] == ["0.0 s", "4.8 s", "10 s"]
