"""A file that failed is listed until it can be read."""

import json
from pathlib import Path
from threading import Thread

import pytest

from alexandria.errors import BookError, Code, ConfigError, StoreError
from alexandria.library.ingest.failures import Failures

ERROR = BookError("cannot read it", why="it is torn", fix="get another", code=Code.DAMAGED)


def sources(path: Path) -> list[str]:
    with Failures(path) as failures:
        return [failure.source for failure in failures.all() if not failure.ignored]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that fail: one that does not exist is not listed."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c", "caf\udce9"):
        Path(name).touch()


def test_a_failure_is_on_disk_at_once_with_all_its_fields(tmp_path: Path) -> None:
    path = tmp_path / "library" / "failures.jsonl"
    with Failures(path) as failures:
        failures.record(Path("a"), ERROR)
        line = json.loads(path.read_text())
    assert line.pop("failed_at").endswith("+00:00")
    assert line == {
        "source": str(tmp_path / "a"),
        "code": "damaged",
        "what": "cannot read it",
        "why": "it is torn",
        "fix": "get another",
        "ignored": False,
    }


def test_a_file_that_is_read_at_last_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    with Failures(path) as failures:
        for name in "abc":
            failures.record(Path(name), ERROR)
    with Failures(path) as failures:
        failures.clear(Path("b"))
        failures.record(Path("a"), ERROR)
    assert sources(path) == [str(tmp_path / "c"), str(tmp_path / "a")]
    assert len(path.read_text().splitlines()) == 2


def test_without_failures_there_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    with Failures(path) as failures:
        failures.clear(Path("a"))
    assert not path.exists()
    with Failures(path) as failures:
        failures.record(Path("a"), ERROR)
    with Failures(path) as failures:
        failures.clear(Path("a"))
    assert not path.exists()


def test_a_failure_is_named_by_the_end_of_its_path(tmp_path: Path) -> None:
    paths = [tmp_path / "left" / "one.pdf", tmp_path / "left" / "two.pdf", tmp_path / "right" / "two.pdf"]
    with Failures(tmp_path / "failures.jsonl") as failures:
        for path in paths:
            path.parent.mkdir(exist_ok=True)
            path.touch()
            failures.record(path, ERROR)
        assert failures.find(Path("one.pdf")).source == str(paths[0])
        assert failures.find(Path("right/two.pdf")).source == str(paths[2])
        with pytest.raises(ConfigError, match=r"2 failed files are called two\.pdf"):
            failures.find(Path("two.pdf"))
        with pytest.raises(ConfigError, match=r"no failure of ne\.pdf"):
            failures.find(Path("ne.pdf"))


def test_a_line_cut_off_by_a_kill_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    with Failures(path) as failures:
        failures.record(Path("a"), ERROR)
    whole = path.read_text()
    path.write_text(whole + whole[: len(whole) // 2] + "\n[]\n")
    assert sources(path) == [str(tmp_path / "a")]


def test_a_run_that_notes_nothing_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    reader = Failures(path)
    with Failures(path) as other:
        other.record(Path("a"), ERROR)
    with reader:
        pass
    assert sources(path) == [str(tmp_path / "a")]


def test_a_name_that_is_not_utf8_comes_back_unchanged(tmp_path: Path) -> None:
    with Failures(tmp_path / "f.jsonl") as failures:
        failures.record(Path("caf\udce9"), ERROR)
    assert sources(tmp_path / "f.jsonl") == [str(tmp_path / "caf\udce9")]


def test_a_library_in_memory_lists_none() -> None:
    with Failures(None) as failures:
        failures.record(Path("a"), ERROR)
        assert failures.all() == []


def test_runs_at_the_same_time_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    files = [tmp_path / f"{i}.txt" for i in range(40)]
    for file in files:
        file.touch()

    def run(mine: list[Path]) -> None:
        for file in mine:
            with Failures(path) as failures:
                failures.record(file, ERROR)

    with Failures(path) as long:  # it ends last, and began when the list was empty
        long.record(tmp_path / "a", ERROR)
        threads = [Thread(target=run, args=(files[i::4],)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert set(sources(path)) == {*map(str, files), str(tmp_path / "a")}


def test_a_list_made_before_failures_could_be_ignored_is_read(tmp_path: Path) -> None:
    line = {"source": "/shelf/a", "code": "drm", "what": "w", "why": "y", "fix": "f", "failed_at": "2026"}
    (tmp_path / "f.jsonl").write_text(json.dumps(line) + "\n")
    [failure] = Failures(tmp_path / "f.jsonl").all()
    assert (failure.code, failure.ignored) == ("drm", False)


def test_a_list_that_cannot_be_written_is_named_where_a_failure_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "book.epub"
    file.touch()
    with Failures(tmp_path / "failures.jsonl") as failures:
        failures.record(file, ERROR)
        failure = failures.find(file)
        (tmp_path / "failures.lock").unlink()
        (tmp_path / "failures.lock").mkdir()  # root may write any file
        with pytest.raises(StoreError, match=r"failures\.jsonl") as caught:
            failures.ignore(failure)
        assert "get the right to write" in caught.value.fix
        (tmp_path / "failures.lock").rmdir()
